"""The author's words stand in sentences where they are noun phrases, and nowhere else."""

from __future__ import annotations

import pytest

from indexcalc.language import read_problem
from indexcalc.notes import markdown_note
from indexcalc.notes.meanings import Phrase, index_phrase, phrase_of, tensor_phrase
from indexcalc.rewrite.derive import derive


@pytest.mark.parametrize(
    ("doc", "words", "plural"),
    [
        ("queries", "queries", True),
        ("attention weights, softmax over keys", "attention weights", True),
        ("rows of the batch", "rows of the batch", True),
        ("dimension of a head", "dimension of a head", False),
        ("the loss", "loss", False),
        ("bias", "bias", False),
        ("value dimension", "value dimension", False),
        ("pairs; an image's own text has its number", "pairs", True),
        ("update gate: bias", None, False),
        ("deviations, multiplied by the inverse covariance", None, False),
        ("input gate, of inputs", None, False),
        ("1 where a rating is observed, else 0", None, False),
        ("where it ends", None, False),
        ("of states", None, False),
        ("what attention reads", None, False),
        ("", None, False),
        ("every third $x$", None, False),
    ],
)
def test_a_description_is_a_phrase_or_none(doc, words, plural):
    assert phrase_of(doc) == (None if words is None else Phrase(words, plural))


SHARED = """
title "t"
index i, j : T "positions"
input Q[i] "queries", K[j] "keys"
S[i,j] = Q[i]*K[j]
upstream G[i,j] = dL/dS[i,j]
derive Q
"""


def test_letters_of_one_description_are_told_apart_by_their_inputs():
    program = read_problem(SHARED).program
    found = [index_phrase(program, index) for index in program.indices]
    assert found == [Phrase("positions of the queries", True), Phrase("positions of the keys", True)]


def test_letters_that_no_input_tells_apart_are_not():
    program = read_problem(
        SHARED.replace('K[j] "keys"', 'K[j] "keys", M[i,j]').replace("*K[j]", "*K[j]*M[i,j]")
    ).program
    assert {index_phrase(program, index) for index in program.indices} == {Phrase("positions", True)}


def test_a_reading_names_who_contributes():
    note = markdown_note(derive(read_problem(SHARED)))
    said = "all positions of the keys ($`j`$) contribute to the gradient of the queries, each with the factor $`K_{j}`$"
    assert said in note


def test_nobody_is_said_to_contribute_where_some_are_left_out():
    masked = SHARED.replace("Q[i]*K[j]", "[j <= i]*Q[i]*K[j]")
    note = markdown_note(derive(read_problem(masked)))
    assert "The sum over $`j`$ survives" in note
    assert "contribute" not in note


def test_the_beginning_of_a_description_names_no_tensor_where_another_begins_alike():
    source = """
index n : N
input x[n] "covariance, one step ahead", y[n] "gain, of the filter", z[n] "noise, white"
w[n] = x[n] * z[n] "covariance"
L = sum[n](w[n] * y[n])
loss L
derive x
"""
    program = read_problem(source).program
    phrases = {name: tensor_phrase(program, name) for name in "xwz"}
    assert phrases == {"x": None, "w": Phrase("covariance", False), "z": Phrase("noise", False)}


def test_pairs_belong_to_no_one():
    text = SHARED.replace('"positions"', '"pairs"')
    program = read_problem(text).program
    assert index_phrase(program, program.indices[0]) == Phrase("pairs", True)
