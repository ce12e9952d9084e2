"""What is read, written and held: by hand, and by a run that frees what nobody reads any more."""

from __future__ import annotations

from functools import cache
from itertools import groupby
from math import prod

import numpy as np
import pytest

from indexcalc.cost import cost_report
from indexcalc.cost.memory import entries_read, entries_written, largest, moments
from indexcalc.cost.report import unsimplified
from indexcalc.language import load_problem
from indexcalc.program import Equation, Program, Tensor
from indexcalc.proof.extents import undefined_at
from indexcalc.rewrite.cost import Sizes
from indexcalc.rewrite.derive import derive
from tests.support.build import D, N, at, fn, i, j, k, k2, term
from tests.support.gradients import of_gradients

PATHS = of_gradients()
SIZES = Sizes({N: 10, D: 4})
every_derivation = pytest.mark.parametrize("name", PATHS)


@cache
def derivation_of(name):
    return derive(load_problem(PATHS[name]))


def test_every_tensor_is_read_once():
    equation = Equation(at("R", i, j), (term(at("A", i, j), at("A", j, i), fn("exp", term(at("b", i))), at("s")),))
    assert str(entries_read(equation, SIZES)) == "N^2 + N + 1"
    assert str(entries_written(equation)) == "N^2"


def test_of_a_diagonal_only_the_diagonal_is_read():
    assert str(entries_read(Equation(at("d", i), (term(at("A", i, i)),)), SIZES)) == "N"
    both = Equation(at("d", i), (term(at("A", i, i)), term(at("A", i, j), over=(j,))))
    assert str(entries_read(both, SIZES)) == "N^2"


def chain() -> Program:
    equations = (
        Equation(at("a", i, k), (term(at("x", i, k), coeff=2),)),
        Equation(at("b", i), (term(at("a", i, k), over=(k,)),)),
        Equation(at("c", i, k), (term(at("a", i, k), at("b", i)),)),
        Equation(at("y", i), (term(at("c", i, k), at("b", i), over=(k,)),)),
    )
    return Program("chain", (Tensor("x", (i, k)),), equations, ("y",), (i, k))


def test_an_intermediate_lives_from_its_equation_to_its_last_reader():
    found = moments((chain(),), {"y"})
    assert [moment.held for moment in found] == [("a",), ("a", "b"), ("a", "b", "c"), ("b", "c")]
    assert [str(moment.entries) for moment in found] == ["D N", "D N + N", "2 D N + N", "D N + N"]
    (peak,) = largest(found)
    assert (peak.equation, str(peak.entries)) == ("c", "2 D N + N")


def test_what_is_computed_again_was_gone_in_between():
    first = chain()
    again = Program(
        "again",
        (first.inputs[0],),
        (first.equations[0], Equation(at("z"), (term(at("a", i, k), over=(i, k)),))),
        ("z",),
    )
    held = [moment.held for moment in moments((first, again), {"y", "z"})]
    assert held[3:] == [("b", "c"), ("a",), ("a",)]


def test_where_sizes_decide_both_moments_are_kept():
    equations = (
        Equation(at("w", i, j), (term(at("x", i, k), at("x", j, k), over=(k,)),)),
        Equation(at("y"), (term(at("w", i, j), over=(i, j)),)),
        Equation(at("v", k, k2), (term(at("x", i, k), at("x", i, k2), over=(i,)),)),
        Equation(at("u"), (term(at("v", k, k2), over=(k, k2)),)),
    )
    results = ("y", "u")
    found = largest(moments((Program("p", (Tensor("x", (i, k)),), equations, results),), results))
    assert [str(moment.entries) for moment in found] == ["N^2", "D^2"]


def run_and_free(programs, results, sizes):
    """The most entries that a run holds beside inputs and results, if it frees what nobody reads later."""
    # The equations of a recurrence are one loop, which has its arrays from its beginning to its end.
    runs = [list(run) for program in programs for run in in_loops(program)]
    stored, most = {}, 0
    for place, run in enumerate(runs):
        made = [equation for equation in run if equation.name not in results]
        stored |= {eq.name: prod(int(slot.extent.subs(sizes)) for slot in eq.slots) for eq in made}
        most = max(most, sum(stored.values()))
        later = [equation for other in runs[place + 1 :] for equation in other]
        stored = {name: size for name, size in stored.items() if is_read_later(name, later)}
    return most


def in_loops(program):
    """The equations, those of one recurrence together."""
    loops = {name: number for number, one in enumerate(program.recurrences) for name in one.axes}
    for _, run in groupby(program.computed, key=lambda equation: loops.get(equation.name, equation.name)):
        yield run


def is_read_later(name, equations):
    for equation in equations:
        if f"tensor='{name}'" in repr(equation.terms):
            return True
        if equation.name == name:
            return False
    return False


@every_derivation
def test_the_peak_is_that_of_a_run_that_frees(name):
    derivation = derivation_of(name)
    report, forward = cost_report(derivation), derivation.problem.program
    before = unsimplified(derivation.problem)
    assert report.before is not None
    rng = np.random.default_rng(0)
    for _ in range(4):
        sizes = {extent: int(rng.integers(1, 40)) for extent in report.extents}
        while undefined_at(forward, sizes):
            sizes = {extent: int(rng.integers(1, 40)) for extent in report.extents}
        for peak, backward in ((report.peak, derivation.backward), (report.before.peak, before)):
            results = {*forward.outputs, *backward.outputs}
            assert peak.at(sizes) == run_and_free((forward, backward), results, sizes)
            moment = peak.moment(sizes)
            assert moment is not None
            assert moment.entries.at(sizes) == peak.at(sizes)
