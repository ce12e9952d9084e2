"""Chain rules between names without an equation: what holds for any functions holds, and nothing else is said to."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

from indexcalc.document.check import check
from indexcalc.document.report import Verdict

TRUE = (Verdict.PROVED, Verdict.CONFIRMED)
NAMES = ("a", "b", "c", "g", "h", "q", "u", "v", "z")


def verdicts(*displays):
    """The verdict on each relation of a page."""
    return [claim.verdict for claim in check("\n\n".join(f"$${text}$$" for text in displays)).claims]


def rate(above, below):
    return rf"\frac{{\partial {above}}}{{\partial {below}}}"


def along(path):
    """The product of the derivatives along a path of names."""
    return [rate(above, below) for above, below in pairwise(path)]


@pytest.mark.parametrize("seed", range(6))
def test_a_path_of_any_length(seed):
    random = Random(seed)
    path = ["L", *random.sample(NAMES, random.randint(1, 4)), "w"]
    left, factors = rate("L", "w"), along(path)
    assert verdicts(f"{left} = {' '.join(factors)}")[0] in TRUE
    for wrong in (factors[:-1], factors[1:], ["2", *factors], ["-", *factors], [*factors, factors[-1]]):
        assert verdicts(f"{left} = {' '.join(wrong)}")[0] not in TRUE


@pytest.mark.parametrize("seed", range(4))
def test_several_paths(seed):
    random = Random(seed)
    middle = random.sample(NAMES, random.randint(2, 3))
    left, terms = rate("L", "w"), [" ".join(along(["L", one, "w"])) for one in middle]
    assert verdicts(f"{left} = {' + '.join(terms)}")[0] in TRUE
    assert verdicts(f"{left} = {' - '.join(terms)}")[0] not in TRUE
    assert verdicts(f"{left} = {' + '.join([*terms, terms[0]])}")[0] not in TRUE


INDEXED = {
    "a vector between": (
        rf"{rate('L', 'x_i')} = \sum_j {rate('L', 'y_j')} {rate('y_j', 'x_i')}",
        rf"{rate('L', 'x_i')} = \sum_j {rate('L', 'y_j')} {rate('y_i', 'x_j')}",
    ),
    "by a matrix": (
        rf"{rate('E', 'W_{ij}')} = \sum_k {rate('E', 'h_k')} {rate('h_k', 'W_{ij}')}",
        rf"{rate('E', 'W_{ij}')} = \sum_k {rate('E', 'h_k')} {rate('h_k', 'W_{ji}')}",
    ),
    "of a vector": (
        rf"{rate('r_i', 'x_j')} = \sum_k {rate('r_i', 'p_k')} {rate('p_k', 'x_j')}",
        rf"{rate('r_i', 'x_j')} = \sum_k {rate('r_k', 'p_i')} {rate('p_k', 'x_j')}",
    ),
}
"""Chain rules with indices, each with one in which two of them are exchanged."""


@pytest.mark.parametrize("name", INDEXED)
def test_chain_rules_with_indices(name):
    right, wrong = INDEXED[name]
    assert verdicts(right)[0] in TRUE
    assert verdicts(wrong)[0] not in TRUE


def test_an_equation_of_a_link_is_kept():
    right = rf"{rate('L', 'z')} = {rate('L', 'a')} {rate('a', 'z')} = 2 z {rate('L', 'a')}"
    wrong = right.replace("2 z", "3 z")
    number = r"z \in \mathbb{R}"
    assert verdicts(number, "a = z^2", right)[-2:] == [Verdict.PROVED, Verdict.PROVED]
    assert verdicts(number, "a = z^2", wrong)[-1] is Verdict.REFUTED


def test_a_link_of_which_only_the_entries_have_names_is_a_function():
    parts = r"q = \begin{bmatrix} s_1 \\ s_2 \end{bmatrix}"
    right, wrong = (
        rf"{rate('E', 'x_i')} = \sum_k {rate('E', first)} {rate(second, 'x_i')}"
        for first, second in (("q_k", "q_k"), ("q_i", "q_k"))
    )
    assert verdicts(parts, right)[-1] in TRUE
    assert verdicts(parts, wrong)[-1] not in TRUE


def test_a_function_that_is_said_to_have_further_arguments_is_left_open():
    rule = rf"\frac{{df}}{{dt}} = {rate('f', 'u')} \frac{{du}}{{dt}}"
    assert verdicts(rule)[-1] in TRUE
    assert verdicts("f(t, u) = g(u) + t", rule)[-1] not in TRUE


def test_what_is_false_of_any_functions_may_hold_for_those_of_the_author():
    partial = rf"\frac{{df}}{{dt}} = {rate('f', 't')} + {rate('f', 'u')} \frac{{du}}{{dt}}"
    assert verdicts(partial) == [Verdict.UNCLEAR]
    missing = f"{rate('L', 'w')} = {rate('L', 'a')} {rate('a', 'z')} x"
    assert verdicts(missing) == [Verdict.UNCLEAR]


def test_a_reader_is_told_what_was_taken_for_a_function():
    (claim,) = check(f"$${rate('L', 'w')} = {' '.join(along('Lazw'))}$$", explain=[1]).claims
    sources = {one.name: one.source for one in claim.explanation.names}
    assert (sources["a"], sources["z"]) == ("any function of z", "any function of w")
