from __future__ import annotations

import pytest

from indexcalc.errors import SpecError
from indexcalc.language.latex.chains import chains_of
from indexcalc.language.latex.grammar import parse
from indexcalc.language.latex.tokens import tokenize


def members(latex):
    return [
        [member.relation + " ".join(token.text for token in member.tokens) for member in chain.members]
        for chain in chains_of(tokenize(latex))
    ]


@pytest.mark.parametrize(
    ("latex", "expected"),
    [
        ("a = b = c.", [["a", "=b", "=c"]]),
        (r"a = b, \quad c = d", [["a", "=b"], ["c", "=d"]]),
        (r"\begin{align} a &= b \\ &= c \end{align}", [["a", "=b", "=c"]]),
        (r"a &= b \\ & + c", [["a", "=b + c"]]),
        (r"a &= b \\ & \qquad c d", [["a", "=b c d"]]),
        (r"a &= b \\ & (1)", [["a", "=b"], ["( 1 )"]]),
        (r"a &= b \\ & \qquad c \\ &= d", [["a", "=b"], ["c", "=d"]]),
        (r"& a = b \\ & c \\ & d = e", [["a", "=b"], ["c"], ["d", "=e"]]),
        (r"a &= b \\ & \Downarrow \\ c &= d", [["a", "=b"], ["Downarrow"], ["c", "=d"]]),
        (r"a &= b \\ & c \text{ fixed}", [["a", "=b"], ["c fixed"]]),
        (r"a &= b, \\ & c d", [["a", "=b"], ["c d"]]),
        (r"a \\ & , \\ &= b", [["a"], ["", "=b"]]),
        (r"a &= b \\ c d", [["a", "=b"], ["c d"]]),
        (r"\boxed{a = b}", [["a", "=b"]]),
        (r"D := e", [["D", ":=e"]]),
        (r"A, B \in X", [["A , B", "inX"]]),
        (r"f = g, \quad i = j", [["f", "=g"], ["i", "=j"]]),
        (r"= c", [["", "=c"]]),
        (r"{[a]_{pq}} &= [b]_{pq}", [["{ [ a ] _ { p q } }", "=[ b ] _ { p q }"]]),
        (r"i == j", [["i", "=j"]]),
        (r"W: V = c", [["V", "=c"]]),
    ],
)
def test_chains(latex, expected):
    assert members(latex) == expected


@pytest.mark.parametrize(
    "latex",
    [
        r"\frac{\partial L}{\partial x_{ij}}",
        r"\sum_{k \neq i} y_k a_i^{-1/2}",
        r"e^{x} \left[ \frac{1}{2} \right]",
        r"(M)^T_{pq}",
        r"\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix} x",
        r"A[i,:] \odot (G - c_i)",
        r"|x|",
    ],
)
def test_expressions_are_parsed(latex):
    assert parse(tokenize(latex)).terms


@pytest.mark.parametrize(
    ("latex", "message"), [("a +", "stops too early"), ("", "no formula"), (r"a \oplus b", "not read")]
)
def test_what_is_no_expression_is_said(latex, message):
    with pytest.raises(SpecError, match=message):
        parse(tokenize(latex))
