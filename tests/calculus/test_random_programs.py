"""Random programs: derived gradients match complex step, and every step keeps the value."""

from __future__ import annotations

import numpy as np
from hypothesis import HealthCheck, assume, event, given, reject, settings

from indexcalc.calculus.adjoint import derive_gradients
from indexcalc.calculus.steps import Derivation
from indexcalc.consistency import check_program
from indexcalc.errors import UnsupportedError
from indexcalc.proof.gradcheck import check_backward
from indexcalc.proof.sampling import sample_point
from indexcalc.proof.steps import check_derivation
from indexcalc.rewrite.backward import backward_program
from indexcalc.rewrite.derive import derive
from tests.support.programs import problems, sizes

PROGRAMS = 250
STEPPED = 60
LARGEST = 300.0

slow = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much)


def checked(problem, backward, chosen):
    """The report on a backward program.

    Passed over is a random program that is defined nowhere (a kink everywhere), or whose values are so
    large that rounding, not a wrong formula, decides: 1 - tanh^2 of 10,000 is noise.
    """
    try:
        point = sample_point(problem.program, chosen, np.random.default_rng(0))
        assume(all(np.max(np.abs(array), initial=0.0) < LARGEST for array in point.values.values()))
        report = check_backward(problem, backward, sizes=[chosen])
    except UnsupportedError:
        reject()
    assume(not report.skipped)
    return report


@settings(max_examples=PROGRAMS, deadline=None, derandomize=True, suppress_health_check=slow)
@given(problems(), sizes().filter(lambda chosen: 1 not in chosen.values()))
def test_derived_gradients_match_complex_step(problem, chosen):
    check_program(problem.program)
    event(f"{len(problem.program.equations)} equations")
    report = checked(problem, derive(problem).backward, chosen)
    assert report.ok, "\n".join(map(str, report.failures))


@settings(max_examples=PROGRAMS // 2, deadline=None, derandomize=True, suppress_health_check=slow)
@given(problems(), sizes())
def test_extents_of_one_make_no_difference(problem, chosen):
    report = checked(problem, derive(problem).backward, chosen)
    assert report.ok, "\n".join(map(str, report.failures))


@settings(max_examples=PROGRAMS // 2, deadline=None, derandomize=True, suppress_health_check=slow)
@given(problems(), sizes())
def test_the_bare_sweep_is_right_before_any_rewriting(problem, chosen):
    report = checked(problem, backward_program(problem, derive_gradients(problem)), chosen)
    assert report.ok, "\n".join(map(str, report.failures))


@settings(max_examples=STEPPED, deadline=None, derandomize=True, suppress_health_check=slow)
@given(problems(), sizes())
def test_every_step_keeps_the_value(problem, chosen):
    derivation: Derivation = derive(problem)
    checked(problem, derivation.backward, chosen)
    with np.errstate(all="ignore"):
        failures = check_derivation(derivation, sizes=[chosen])
    assert not failures, failures[0]
