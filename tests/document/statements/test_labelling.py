"""Weights that are named after arrays, ``W_{xf}``: a slip among several subscripts leaves them what they are."""

from __future__ import annotations

from indexcalc.document.page import page_of
from indexcalc.document.statements.context import read_context
from indexcalc.language.document import read_document

GATES = "".join(
    rf"$${gate}_t = \tanh(W_{{x{gate}}} x_t + W_{{h{gate}}} h_{{t-1}} + b_{gate})$$" + "\n\n" for gate in "fio"
)
"""Three gates of a step."""


def labels(text):
    return page_of(read_document(text, "note.md"), read_context([""])).survey.labels


def test_arrays_name_weights():
    assert {("W", "xf"), ("W", "ho"), ("b", "i")} <= labels(GATES)


def test_a_slip_is_a_label_too():
    assert {("W", "xf"), ("W", "xc")} <= labels(GATES + "$$V = W_{xc}$$")


def test_several_subscripts_that_name_no_array_are_no_slips():
    assert ("W", "xf") not in labels(GATES + "$$V = W_{xc} + W_{xd}$$")


def test_a_letter_that_a_sum_binds_is_an_index():
    assert ("W", "xf") not in labels(GATES + r"$$s = \sum_f W_{xf}$$")
