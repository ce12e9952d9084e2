"""Right programs at hostile inputs; `benchmarks/campaign.py admitted` runs many."""

from __future__ import annotations

from dataclasses import replace

import pytest

from indexcalc.generation import render
from indexcalc.language import read_problem
from indexcalc.rewrite.derive import derive
from tests.campaign.admitted import cases, held_against, verdict
from tests.campaign.case import assert_compared, failures
from tests.campaign.draws import DRAWS, with_slots

pytest.importorskip("torch")

COUNT = 24
PARTS = 4


@pytest.mark.parametrize("part", range(PARTS))
def test_code_of_systems_and_recurrences_is_not_refused(part):
    """In slots, products of exponentials in sums of their own may leave a format where the product does not."""
    each, found, verdicts = COUNT // PARTS, [], []
    for case in cases(part * each, each):
        if DRAWS[case.seed % len(DRAWS)] is with_slots:
            continue
        verdicts.append(verdict(case))
        found += [f"seed {case.seed}: {wrong}\n{case.text}" for wrong in failures(verdicts[-1])[:1]]
    assert not found, "\n\n".join(found)
    assert_compared(verdicts)


def test_code_that_stops_too_early_is_found():
    text = "index i : N\ninput b[i]\nsolve x[i] : 4*x[i] + tanh(x[i]) = b[i]\nL = sum[i](x[i])\nloss L\nderive b"
    derivation = derive(read_problem(text))
    texts = render(derivation, formats=())
    assert not failures(held_against(derivation, texts))
    early = texts.code.replace("else eps) * size", "else 1e-3) * size").replace("return found - step", "return found")
    assert early != texts.code
    assert failures(held_against(derivation, replace(texts, code=early)))
