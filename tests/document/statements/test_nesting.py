"""Brackets and scripts among tokens."""

from __future__ import annotations

import pytest

from indexcalc.document.statements.nesting import BRACES, BRACKETS, after_script, after_scripts, end_of, kinds_outside
from indexcalc.language.latex.tokens import tokenize


@pytest.mark.parametrize(
    ("text", "start", "pairs", "end"),
    [
        ("{a {b} c} d", 0, BRACES, 7),
        ("{a {b} c} d", 2, BRACES, 5),
        ("(a [b] (c)) d", 0, BRACKETS, 9),
        ("x (a) b", 1, BRACKETS, 4),
    ],
)
def test_a_bracket_ends_where_all_in_it_have_ended(text, start, pairs, end):
    tokens = tokenize(text)
    assert end_of(tokens, start, pairs) == end
    assert end_of(tokens[: end - 1], start, pairs) == 0


@pytest.mark.parametrize(("text", "one", "every"), [("a_i b", 3, 3), ("a_{i j} b", 6, 6), ("a_i^{2} b", 3, 7)])
def test_scripts_end_behind_their_braces(text, one, every):
    tokens = tokenize(text)
    assert after_script(tokens, 1) == one
    assert after_scripts(tokens, 1) == every
    assert after_scripts(tokens, every) == every


def test_what_stands_in_no_bracket():
    tokens = tokenize("a, f(b, c), d")
    assert kinds_outside(tokens, BRACKETS).count("COMMA") == 2
    assert kinds_outside(tokens).count("COMMA") == 3
