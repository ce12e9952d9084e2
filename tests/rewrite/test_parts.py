"""Narrow parts get a name once; putting the names back gives the expression again."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings

from indexcalc.algebra.terms import free_indices, tensors_of
from indexcalc.calculus.relabel import Nomenclature
from indexcalc.calculus.steps import Rule
from indexcalc.program import Equation
from indexcalc.proof.evaluate import evaluate
from indexcalc.rewrite.parts import PartNames, is_narrow, name_parts, part_names
from tests.support.build import at, ell, i, j, term
from tests.support.programs import COLUMNS, ROWS, expressions
from tests.support.values import SIZES, assert_same_value, random_tensors

NAMES = Nomenclature({}, (i, j, ell))
ROW_SUM = term(at("A", i, ell), at("D", i, ell), over=(ell,))
CENTRED = Equation(
    at("E", i, j),
    (term(at("A", i, j), at("D", i, j)), term(at("A", i, j), *ROW_SUM.bases, coeff=-1, over=(ell,))),
)


def test_a_row_scalar_is_named():
    names = PartNames({"s", "u"})
    (section,), step = name_parts(CENTRED, names, NAMES)
    assert section.equation.lhs == at("r", i)
    assert section.target is None
    assert step.rule is Rule.NAME
    assert step.after[1] == term(at("A", i, j), at("r", i), coeff=-1)


def test_the_same_part_is_not_named_twice():
    names = PartNames(set())
    name_parts(CENTRED, names, NAMES)
    again, step = name_parts(CENTRED, names, NAMES)
    assert again == ()
    assert tensors_of(step.after) == ("A", "D", "r")


def test_the_part_of_another_row_has_another_key():
    names = PartNames(set())
    name_parts(CENTRED, names, NAMES)
    other = term(at("A", j, ell), at("D", j, ell), at("A", i, j), over=(ell,))
    sections, step = name_parts(Equation(at("F", i, j), (term(at("D", i, j)), other)), names, NAMES)
    names_read = tensors_of(step.after)
    entries = {base for t in step.after for base in t.bases}
    assert at("r", i) not in entries
    assert len(sections) == 1 or at("r", j) in entries
    assert "A" in names_read


def test_names_that_are_taken_are_passed_over():
    names = PartNames(set(islice(part_names(), 13)) - {"m"})
    assert names.fresh() == "m"
    assert names.fresh() == "r2"


@pytest.mark.parametrize(
    ("body", "narrow"),
    [
        (ROW_SUM, True),
        (term(at("A", i, j)), False),
        (term(at("A", i, ell), at("B", ell, j), over=(ell,)), False),
        (term(at("A", ell, ell), over=(ell,)), True),
    ],
)
def test_a_part_sums_and_has_fewer_indices(body, narrow):
    assert is_narrow(CENTRED, body.powers, body.summed, 2) is narrow


def test_the_whole_of_an_equation_is_no_part():
    assert not is_narrow(Equation(at("y", i, j), (ROW_SUM,)), ROW_SUM.powers, ROW_SUM.summed, 1)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(expressions())
def test_naming_keeps_the_value(drawn):
    terms, tensors = drawn
    slots = tuple(dict.fromkeys((*free_indices(terms), ROWS[0], COLUMNS[0])))
    sections, step = name_parts(Equation(at("Y", *slots), terms), PartNames(set()), Nomenclature({}, (*ROWS, *COLUMNS)))
    if step is None:
        return
    values = random_tensors(tensors)
    for section in sections:
        equation = section.equation
        values[equation.name] = np.asarray(evaluate(equation.terms, equation.lhs.slots, values, SIZES))
    assert_same_value(step.before, step.after, slots, values)
