"""Choices as data: options by cost, interpretations that take one for each, and what was asked of them."""

from __future__ import annotations

from indexcalc.document.choices import Asking, Interpretation, Kind, Option, alternatives, choice

RANK = choice(
    Kind.RANK,
    "x",
    Option("2", 1.5, "x is a matrix"),
    Option("0", 0.0, "x is a number"),
    Option("1", 0.1, "x is a vector"),
)


def test_the_usual_option_comes_first():
    assert [option.name for option in RANK.options] == ["0", "1", "2"]
    assert Interpretation().option(RANK).name == "0"


def test_an_interpretation_keeps_its_options_and_another_differs_in_one():
    other = Interpretation().but(RANK, RANK.option("2"))
    assert other.option(RANK).name == "2"
    assert Interpretation().option(RANK).name == "0"
    assert other.chosen == {RANK.key: "2"}


def test_an_option_that_is_not_offered_here_leaves_the_usual_one():
    narrow = choice(Kind.RANK, "x", Option("0", 0.0, "x is a number"), Option("1", 0.1, "x is a vector"))
    assert Interpretation().but(RANK, RANK.option("2")).option(narrow).name == "0"


def test_what_is_asked_is_noted_once_and_is_what_alternatives_change():
    asking = Asking(Interpretation())
    assert asking(RANK).name == asking(RANK).name == "0"
    assert list(asking.asked) == [RANK.key]
    found = {(question.key, option.name, cost) for question, option, cost in alternatives(asking)}
    assert found == {(RANK.key, "1", 0.1), (RANK.key, "2", 1.5)}


def test_what_is_not_asked_has_no_alternatives():
    assert list(alternatives(Asking(Interpretation()))) == []


def test_what_a_context_says_is_no_choice_and_is_heard():
    asking = Asking(Interpretation(), {"x is a matrix", "y is a vector"})
    assert asking(RANK).name == "2"
    assert asking.asked == {}
    assert asking.heard == {"x is a matrix"}
