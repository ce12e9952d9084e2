"""Macros written out in a text: the same tokens as where the tokenizer expands them itself."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexcalc.errors import LimitError
from indexcalc.language.latex.macros import Macro, expanded
from indexcalc.language.latex.tokens import tokenize

MACROS = {
    "x": Macro(0, r"\mathbf{x}"),
    "pd": Macro(2, r"\frac{\partial #1}{\partial #2}"),
    "e": Macro(0, r"\exp"),
    "n": Macro(1, r"\left\|#1\right\|", "2"),
    "two": Macro(1, r"\pd{#1}{\x}"),
    "nothing": Macro(0, ""),
}
PIECES = (
    r"\x",
    r"\pd{L}{\x}",
    r"\pd L y",
    r"\e x",
    r"\e(x)",
    r"\n[1]",
    r"\n",
    r"\two{a}",
    r"\nothing",
    "a",
    "+",
    r"\\",
    "{b}",
    "=",
)


@given(st.lists(st.sampled_from(PIECES), max_size=12))
def test_what_is_written_out_has_the_same_tokens(pieces):
    text = " ".join(pieces)
    whole = [(token.kind, token.text) for token in tokenize(text, MACROS)]
    assert [(token.kind, token.text) for token in tokenize(expanded(text, MACROS))] == whole


def test_a_name_keeps_apart_from_the_letter_behind_it():
    assert expanded(r"\e{}x \e1", {"e": Macro(0, r"\exp")}) == r"\exp{}x \exp1"
    assert expanded(r"\pd{a}b", {"pd": Macro(1, r"#1\cdot")}) == r"a\cdot b"


@pytest.mark.parametrize("body", [r"\a", r"\a\a", r"x\a x"])
def test_macros_without_end_are_refused(body):
    with pytest.raises(LimitError):
        expanded(r"\a", {"a": Macro(0, body)})


def test_macros_that_grow_too_long_are_refused():
    doubling = {chr(97 + n): Macro(0, rf"\{chr(98 + n)}\{chr(98 + n)}") for n in range(11)} | {
        "l": Macro(0, "x" * 5_000)
    }
    with pytest.raises(LimitError):
        expanded(r"\a", doubling)
