"""Expressions as data: text that is taken apart keeps all of its parts."""

from __future__ import annotations

import ast

import pytest

from indexcalc.codegen.source import Atom, flat, signed_sum, split_call


@pytest.mark.parametrize("text", ["f(a, g(b, c)[0], (1, 2))", "f(a).T", "f(a, (b, c))[:, None].T", "np.f()"])
def test_a_call_that_is_text_keeps_what_follows(text):
    assert flat(split_call(text)) == text


@pytest.mark.parametrize("count", [3, 64, 65, 1000, 5000])
def test_a_sum_of_any_length_is_written(count):
    parts = [(number % 3 == 1, Atom(f"x{number}")) for number in range(count)]
    values = {f"x{number}": float(number**2 % 17) for number in range(count)}
    expected = sum(-value if negative else value for (negative, _), value in zip(parts, values.values(), strict=True))
    assert value_of(ast.parse(flat(signed_sum(parts)), mode="eval").body, values) == expected


def value_of(node, values):
    """The value of a sum of names, by its syntax tree."""
    if isinstance(node, ast.Name):
        return values[node.id]
    if isinstance(node, ast.UnaryOp):
        return -value_of(node.operand, values)
    left, right = value_of(node.left, values), value_of(node.right, values)
    return left + right if isinstance(node.op, ast.Add) else left - right
