"""What single statements say: to what they give a meaning, which shapes they declare, and what is no claim."""

from __future__ import annotations

import pytest

from indexcalc.document.page import page_of
from indexcalc.document.statements.context import Context
from indexcalc.document.statements.heads import FunctionHead, function_head, head_of
from indexcalc.document.statements.kinds import bounds, is_about_one_name, sets, symmetric_by
from indexcalc.document.statements.letters import free_letters, order_of_entry
from indexcalc.document.statements.limits import bound_in, limits_in
from indexcalc.document.statements.shapes import declarations
from indexcalc.document.statements.survey import Survey
from indexcalc.language.document import read_document


def said(formula):
    """A survey that knows of no labels, and the statement that a formula is."""
    page = page_of(read_document(f"$${formula}$$\n", "note.md"), Context())
    return Survey(frozenset(), frozenset(), {}), page.statements[0]


@pytest.mark.parametrize(
    ("formula", "name"),
    [("y = 2 x", "y"), ("y_i = 2 x_i", "y"), ("y_{ii} = 2", None), ("y_1 = 2", None), ("y x = 2", None)],
)
def test_a_head_is_a_name_bare_or_at_distinct_letters(formula, name):
    found = head_of(*said(formula))
    assert (found.name if found is not None else None) == name


@pytest.mark.parametrize(
    ("formula", "head"),
    [
        ("f(x) = x y", FunctionHead("f", ("x",))),
        ("f(x)_i = 2 x_i", FunctionHead("f", ("x",), ("i",))),
        ("f(2 x) = x", None),
        ("f(x) = 2", None),
    ],
)
def test_a_function_is_defined_by_the_names_in_its_bracket(formula, head):
    assert function_head(*said(formula)) == head


@pytest.mark.parametrize(
    ("formula", "shapes"),
    [
        (r"A, b \in \mathbb{R}^{n \times d}", {"A": ("n", "d"), "b": ("n", "d")}),
        (r"x_i \in \mathbb{R}^d", {}),
        (r"W_{ij} \in \mathbb{R}^{m \times n}", {"W": ("m", "n")}),
        (r"A \in S", {}),
    ],
)
def test_shapes_are_declared_by_sets_of_arrays(formula, shapes):
    survey, statement = said(formula)
    assert {one.name: one.sizes for one in declarations(statement, survey, 0)} == shapes


def test_the_context_declares_every_entry():
    survey, statement = said(r"x_i \in \mathbb{R}^d")
    assert [one.sizes for one in declarations(statement, survey, -1)] == [("d",)]


def test_a_law_is_about_one_name():
    assert symmetric_by(*said("J_{ij} = J_{ji}")) == "J"
    assert symmetric_by(*said(r"A = A^\top")) == "A"
    assert symmetric_by(*said("J_{ij} = J_{ij}")) == ""
    assert is_about_one_name(*said(r"U^\top U = I"))
    assert not is_about_one_name(*said("A = B"))


def test_bounds_and_values_are_no_claims():
    assert bounds(*said(r"0 \le p_i"), 1)
    assert not bounds(*said(r"0 \le p_i + q_i"), 1)
    assert sets(*said("a = b = 3"))
    assert sets(*said("a = 10^{-5}"))
    assert sets(*said("a = 8/5"))
    assert sets(*said(r"a = \frac{1}{2} (3 + \sqrt{33})"))
    assert not sets(*said("a = 1/8 = 0.125"))
    assert not sets(*said("a = 8 b"))
    assert not sets(*said("a + b = 8/5"))
    assert not sets(*said("a = b"))


def test_letters_are_free_or_bound_by_sums():
    survey, statement = said(r"c_{ik} = \sum_{j=1}^{n} a_{ij} b_{jk}")
    assert free_letters(survey, statement) == {"i", "k"}
    assert order_of_entry(survey, statement) == ("i", "k")
    assert list(bound_in(statement.trees[1])) == ["j"]
    assert list(limits_in(statement.trees[1])) == ["n"]
