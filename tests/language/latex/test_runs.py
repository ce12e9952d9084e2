"""Letters in a row: one name, or factors."""

from __future__ import annotations

import pytest

from indexcalc.language.latex.runs import with_runs
from indexcalc.language.latex.tokens import tokenize


def names(*pieces: str) -> list[str]:
    """The names in the last of some pieces of mathematics."""
    tokens = with_runs([tokenize(piece) for piece in pieces])[-1]
    return [token.text for token in tokens if token.kind == "NAME"]


NAMED = (r"\mathbf{A} + \mathbf{B} + \mathbf{C}",)


@pytest.mark.parametrize("font", ["mathbf", "boldsymbol", "bm"])
def test_bold_capitals_that_are_names_are_factors(font: str) -> None:
    assert names(*NAMED, rf"\{font}{{CAB}}") == ["C", "A", "B"]


def test_bold_capitals_of_which_one_is_no_name_are_one_name() -> None:
    assert names(*NAMED, r"\mathbf{ABD}") == ["ABD"]


@pytest.mark.parametrize("head", [r"\mathbf{AB} = x", r"[\mathbf{AB}] = x", r"y = z \\ \mathbf{AB} &= x"])
def test_bold_capitals_that_an_equation_begins_with_are_one_name(head: str) -> None:
    assert names(*NAMED, head, r"2 \mathbf{AB}") == ["AB"]


@pytest.mark.parametrize(
    "other", [r"\mathbf{C} \mathbf{AB} = x", r"x = 2 \mathbf{AB}", r"(\mathbf{AB}) \mathbf{C} = x"]
)
def test_what_is_more_than_a_name_begins_no_equation(other: str) -> None:
    assert names(*NAMED, other, r"2 \mathbf{AB}") == ["A", "B"]


@pytest.mark.parametrize("turned", [r"\mathbf{BA}", r"\mathbf{CBA} x"])
def test_they_are_factors_if_two_of_them_stand_the_other_way_round(turned: str) -> None:
    assert names(*NAMED, r"\mathbf{AB} = x", turned, r"2 \mathbf{AB}") == ["A", "B"]


def test_a_capital_and_small_letters_are_factors_if_all_are_names_in_bold() -> None:
    assert names(r"\mathbf{A} \mathbf{x}", r"\mathbf{Ax} + \mathbf{A}") == ["A", "x", "A"]
    assert names(r"\mathbf{A} x", r"\mathbf{Ax}") == ["Ax"]
    assert names(r"\mathbf{T} + \mathbf{r}", r"\mathbf{Tr} = 1", r"2 \mathbf{Tr}") == ["Tr"]


def test_small_bold_letters_are_one_name() -> None:
    assert names(r"\mathbf{d} + \mathbf{z}", r"\mathbf{dz}") == ["dz"]


@pytest.mark.parametrize("word", ["norm", "measure", "max", "old"])
def test_words_in_scripts_are_labels(word: str) -> None:
    assert names(rf"x_{{k,{word}}} = y_k")[:3] == ["x", "k", word]


@pytest.mark.parametrize("indices", ["ijk", "ijkl", "eij", "edf"])
def test_letters_in_scripts_that_stand_there_in_other_company_are_indices(indices: str) -> None:
    pieces = tuple(rf"a_{letter} = b_{letter}" for letter in indices)
    assert names(*pieces, rf"C_{{{indices}}} = 0") == ["C", *indices]
