"""Densities of letters: the margins and conditionals of one joint density."""

from __future__ import annotations

import itertools

import pytest

from indexcalc.document import Verdict, check

HOLDS = (Verdict.PROVED, Verdict.CONFIRMED)
LETTERS = ("x", "y", "z")
SUMS = "Densities add up to one:\n\n$$\\sum_x p(x) = 1, \\quad \\sum_y p(y) = 1, \\quad \\sum_z p(z) = 1$$\n\n"


def holds(relation: str) -> bool:
    """Whether a relation is confirmed on a page on which sums run over three letters."""
    return check(f"{SUMS}$${relation}$$\n").claims[-1].verdict in HOLDS


@pytest.mark.parametrize(("x", "y", "z"), list(itertools.permutations(LETTERS)))
def test_laws_of_probability(x: str, y: str, z: str) -> None:
    """Margins, products, Bayes' rule and what follows from them, in all letters."""
    for law in (
        rf"p({x}) = \sum_{y} p({x}, {y})",
        rf"p({x}, {y}) = p({x}|{y}) p({y})",
        rf"p({x}|{y}) = \frac{{p({y}|{x}) p({x})}}{{p({y})}}",
        rf"p({x}|{y}) = \frac{{p({y}|{x}) p({x})}}{{\sum_{x} p({y}|{x}) p({x})}}",
        rf"p({x}|{y}) = \sum_{z} p({x}|{y}, {z}) p({z}|{y})",
        rf"p({x}, {y}, {z}) = p({x}|{y}, {z}) p({y}|{z}) p({z})",
        rf"\sum_{x} p({x}|{y}, {z}) = 1",
        rf"\frac{{p({x}, {y}|{z})}}{{p({y}|{z})}} = p({x}|{y}, {z})",
    ):
        assert holds(law), law


@pytest.mark.parametrize(("x", "y", "z"), list(itertools.permutations(LETTERS)))
def test_what_is_no_law_is_not_confirmed(x: str, y: str, z: str) -> None:
    """It may hold of the densities that a page has in mind, independent ones for one."""
    for wrong in (
        rf"p({x}, {y}) = p({x}) p({y})",
        rf"p({x}|{y}) = p({y}|{x})",
        rf"p({x}|{y}) = \frac{{p({y}|{x}) p({y})}}{{p({x})}}",
        rf"p({x}|{y}) = \sum_{z} p({x}|{z}) p({z}|{y})",
        rf"\sum_{y} p({x}|{y}) = 1",
        rf"p({x}) = \sum_{y} p({x}|{y})",
        rf"p({x}, {y}|{z}) = p({x}|{z}) p({y}|{z})",
    ):
        assert not holds(wrong), wrong


def test_an_equation_of_the_page_goes_before_the_laws() -> None:
    """A density that is given is that one, and what is said of it is judged by its equation."""
    page = SUMS + "$$p(x|z) = \\frac{e^{a_{xz}}}{\\sum_y e^{a_{yz}}}$$\n\n$$\\log p(x|z) = {}$$\n"
    right = r"a_{xz} - \log \sum_y e^{a_{yz}}"
    assert check(page.replace("{}", right)).claims[-1].verdict in HOLDS
    assert check(page.replace("{}", right.replace("-", "+"))).claims[-1].verdict not in HOLDS


def test_densities_of_other_names_are_others() -> None:
    """Nothing ties q to p."""
    assert not holds(r"q(x|y) q(y) = p(x, y)")
    assert not holds(r"q(x) = \sum_y p(x, y)")


def test_transitions_are_densities_of_the_next_state() -> None:
    """A letter that stands twice has no joint density, but sums to one."""
    page = "$$\\sum_{s'} p(s'|s, a) v(s') = v(s)$$\n\n$$\\sum_{s'} p(s'|s, a) c = {}$$\n"
    assert check(page.replace("{}", "c")).claims[-1].verdict in HOLDS
    assert check(page.replace("{}", "2 c")).claims[-1].verdict not in HOLDS
