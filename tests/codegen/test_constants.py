"""Functions of plain numbers, extents and parameters are right in every style and for every library."""

import pytest

import indexcalc as ic
from indexcalc.calculus.pointwise import ROWS, call_text
from indexcalc.codegen.fast.module import FastOptions
from indexcalc.errors import LimitError, SpecError
from indexcalc.generation import checked, render

HEAD = "index i : T\nparam al\ninput x[i]\n"


def applied(row, argument):
    return call_text(row.name, [argument, "0.3", "1.7"][: len(row.derivatives)])


def outputs_of(text, targets=("torch",)):
    derivation = ic.derive(ic.read_problem(text))
    return checked(derivation, render(derivation, targets=targets, fast=FastOptions()))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_functions_of_constants_are_right_everywhere(row):
    constants = ["T", "2", "al / T"] + ([] if row.positive else ["T - T"])
    terms = [f"x[i]^{n} * {applied(row, constant)}" for n, constant in enumerate(constants, 1)]
    outputs = outputs_of(f"{HEAD}Y[i] = {' + '.join(terms)}")
    assert outputs.report.ok, outputs.report.failures


def test_jax_takes_whole_numbers_where_its_functions_do_not():
    pytest.importorskip("jax")
    outputs = outputs_of(f"{HEAD}Y[i] = x[i] * ({' + '.join(applied(row, 'T') for row in ROWS)})", ("jax",))
    assert outputs.report.ok, outputs.report.failures


@pytest.mark.parametrize("number", ["1e300*1e300", "1e-300*1e-300*x[i]", "1e200^2*T"])
def test_numbers_beyond_floats_are_refused_where_they_stand(number):
    with pytest.raises(SpecError, match=r":4:1: the number 1\.00E[+-]\d+ is beyond floats, which hold 2\.2e-308 to"):
        ic.read_problem(f"{HEAD}Y[i] = {number} * x[i]")


def test_numbers_that_only_the_gradient_holds_are_refused_by_its_name():
    problem = ic.read_problem(f"{HEAD}Y[i] = sigmoid(sigmoid(1e200*x[i]) * 1e200)")
    with pytest.raises(LimitError, match=r"in the equation of dx: the number 1\.00E\+400 is beyond floats"):
        ic.derive(problem)


def test_a_literal_extent_too_large_to_check_is_checked_at_small_sizes():
    report = outputs_of("index i : 999999999\ninput x[i]\nY[i] = x[i]^2").report
    assert report.ok
    assert list(report.stand_ins.values()) == [999999999]
    assert not report.own_sizes
