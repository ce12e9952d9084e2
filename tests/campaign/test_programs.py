"""Random programs through the whole engine, against an oracle of their own; `benchmarks/campaign.py` runs many more."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from indexcalc.codegen import numpy_module
from indexcalc.language import read_problem
from indexcalc.rewrite.derive import derive
from tests.campaign.arithmetic import Arithmetic, Complex, softplus
from tests.campaign.case import assert_compared, failures
from tests.campaign.evaluation import run
from tests.campaign.growing import Wishes
from tests.campaign.judge import size_sets
from tests.campaign.oracle import by_complex_step, by_torch, is_steady, sample
from tests.campaign.programs import cases, verdict

SEED = 20_000
COUNT = 200
PARTS = 20
"""The programs are judged in so many parts, so that several processes share them."""

SHORT = Wishes(lengths=((0.6, 1, 3), (0.3, 4, 8), (0.09, 9, 16), (0.01, 60, 120)))
"""Programs that two cores judge in a minute."""


def styles_of(seed: int) -> tuple[str, ...]:
    """Code for reading and for speed always, the others in turn."""
    more = ("torch", "note", "check", "torch fast")[seed % 4]
    bounded = ("memory",) if seed % 5 == 4 else ()
    return ("numpy", "fast", more, *bounded) if seed % 50 else ("numpy", "fast", "jax")


@pytest.mark.parametrize("part", range(PARTS))
def test_random_programs(part):
    each = COUNT // PARTS
    found, verdicts = [], []
    for case in cases(SEED + part * each, each, SHORT):
        verdicts.append(verdict(case, styles_of(case.seed)))
        wrong = failures(verdicts[-1])
        found += [f"seed {case.seed}: {wrong[0]}\n{case.text}"] if wrong else []
    assert not found, "\n\n".join(found)
    assert_compared(verdicts)


FEATURES = """
statements 1-3; statements 4-10; statements 11-40; statements 41-300; rank 0; rank 1; rank 2; rank 3; rank 4;
rank 5; rank 6; rank 7; shared intermediate; diagonal of an input; diagonal of an intermediate; permuted read;
delta; bracket; input mask; mean[]; var[]; softmax[]; logsoftmax[]; logsumexp[]; norm2[]; max[]; min[]; exp;
log; sin; cos; tanh; sigmoid; softplus; silu; erf; gelu; relu; abs; max(x, c); min(x, c); step; sign; fused
slot; product of extents; literal extent; quotient; whole power; root; negative power; power of a parameter;
parameters; use; recompute; assume; claims; names; several outputs; loss; upstream by default; targets inside;
sum over several
"""
"""What programs of the campaign must have in them, each in some of them."""


def test_each_feature_is_met_often():
    met = Counter(feature for case in cases(SEED, COUNT, SHORT) for feature in case.features)
    assert not [name for name in FEATURES.replace("\n", " ").strip().split("; ") if met[name] < 4]


def test_the_oracles_agree():
    pytest.importorskip("torch")
    compared = 0
    for case in cases(SEED, 30, SHORT):
        for sizes in size_sets(case.subject, case.seed):
            point = sample(case.subject, sizes, np.random.default_rng(case.seed))
            with np.errstate(all="ignore"):
                one, other = (way(case.subject, point, 0.0, 0)[1] for way in (by_torch, by_complex_step))
            for name, gradient in one.items():
                if np.all(np.isfinite(gradient)):
                    np.testing.assert_allclose(
                        other[name], gradient, rtol=1e-9, atol=1e-9 * (1 + np.abs(gradient).max(initial=0))
                    )
                    compared += 1
    assert compared > 100


def test_programs_depend_on_their_seed_alone():
    one, other = ([case.text for case in cases(seed, count)] for seed, count in ((3, 2), (4, 1)))
    assert one[1:] == other
    assert len({case.text for case in cases(0, 30)}) == 30


def test_a_variance_of_equal_entries_is_no_test_of_what_has_a_kink_at_zero():
    (case,) = cases(602_138, 1)
    sizes = {"M": 5, "H": 1, "D": 2}
    point = sample(case.subject, sizes, np.random.default_rng(0))
    assert not is_steady(case.subject, point)
    assert is_steady(case.subject, sample(case.subject, {**sizes, "H": 3}, np.random.default_rng(0)))


def test_what_is_too_small_for_floats_decides_nothing():
    (case,) = cases(1_903_157, 1)  # B[r,k] = sign((delta[r,k] * C[r])^4), where C is an exponential
    sizes = {"N": 2, "H": 3, "D": 5}
    points = [sample(case.subject, sizes, np.random.default_rng(seed)) for seed in range(8)]
    with np.errstate(over="ignore"):
        signs = [np.diag(run(case.subject, point.inputs, sizes, Arithmetic())["B"]) for point in points]
    steady = [is_steady(case.subject, point) for point in points]
    assert steady == [bool(np.all(found == 1)) for found in signs]
    assert set(steady) == {True, False}


def test_what_is_never_zero_is_not_taken_for_zero():
    x = np.array([-60.0, -3.0, 0.0, 2.0, 800.0])
    expected = np.array([8.75651076269652e-27, 0.04858735157374205, np.log(2), 2.1269280110429727, 800.0])
    for arithmetic in (Arithmetic(), Complex()):
        found = softplus(arithmetic, arithmetic.array(x) + (1e-30j if isinstance(arithmetic, Complex) else 0.0))
        np.testing.assert_allclose(np.real(found), expected, rtol=1e-14)
    slope = Complex().slope(softplus(Complex(), x + 1e-30j))
    np.testing.assert_allclose(slope, 1 / (1 + np.exp(-x)), rtol=1e-14)


def test_code_is_written_where_an_index_stands_in_a_guard_alone():
    (case,) = cases(2_001_959, 1)  # exp(delta[t,m] * ...) over a sum of the same over t
    source = numpy_module(derive(read_problem(case.text)))
    assert compile(source, "module", "exec")
