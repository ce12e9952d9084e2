"""The sheets of shipped derivations, at random values: nothing in them is accused, whatever their formulas."""

from __future__ import annotations

import numpy as np
import pytest

from indexcalc.document import Verdict
from indexcalc.figures import Model, check_figures, model_of
from indexcalc.language import load_problem
from indexcalc.library import find_spec
from indexcalc.rewrite.derive import derive
from indexcalc.worksheet import Values, worksheet

NAMES = ["attention", "causal_attention", "multi_head_attention", "layer_norm", "logistic_regression", "mlp_gelu"]
NAMES += ["softmax_cross_entropy", "rope", "trace_identities", "tsne", "vae_kl"]


def random_model(name: str) -> Model:
    problem = load_problem(find_spec(name))
    program, rng = problem.program, np.random.default_rng(1)
    sizes = {extent: 2 + number % 2 for number, extent in enumerate(program.extents)}

    def draw(tensor: str) -> np.ndarray:
        shape = tuple(int(slot.extent.subs(sizes)) for slot in program.tensors[tensor].slots)
        return np.round(rng.uniform(0.2, 0.9, shape), 2)

    parameters = {p.symbol: float(p.default) if p.default is not None else 0.7 for p in program.parameters}
    inputs = {tensor.name: draw(tensor.name) for tensor in program.inputs}
    upstream = {given.name: draw(given.of) for given in problem.upstream}
    updated = tuple(name for name in inputs if name in problem.targets)
    return model_of(derive(problem), Values(inputs, upstream, sizes, parameters, 0.1, updated))


@pytest.mark.parametrize("name", NAMES)
def test_nothing_right_is_accused(name: str) -> None:
    model = random_model(name)
    report = check_figures(worksheet(model.derivation, model.values, digits=3), model)
    odd = [claim for claim in report.claims if claim.verdict not in (Verdict.CONFIRMED, Verdict.SCHEMATIC)]
    assert not odd, [(claim.latex, claim.reason) for claim in odd]
    assert len(report.claims) > 30
