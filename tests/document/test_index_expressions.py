"""Indices that are expressions: entries at places, lookups, deltas and brackets, and sizes at which they lie inside."""

from __future__ import annotations

import numpy as np
import pytest

from indexcalc.document import Verdict, check
from indexcalc.document.meaning.nodes import Entry, Gathered, Number, Plus, Relation, Total, Value, times
from indexcalc.document.meaning.sizes import Sizes
from indexcalc.document.meaning.symbols import Symbols
from indexcalc.document.numerics.numbers import Point
from indexcalc.document.statements.index_expressions import Expression
from indexcalc.document.statements.scripts import subscript
from indexcalc.language.latex.grammar import parse
from indexcalc.language.latex.tokens import tokenize
from tests.support.verdicts import judged

CONFIRMED, REFUTED, OPEN = Verdict.CONFIRMED, Verdict.REFUTED, Verdict.UNCLEAR


def last(*displays: str) -> Verdict:
    """The verdict on the last relation."""
    return judged(check("\n\n".join(f"$${text}$$" for text in displays)).claims[-1])


@pytest.mark.parametrize(
    ("text", "parts", "expressions"),
    [
        ("i + k", ["i+k"], 1),
        ("b, c, 2 i + k - 1", ["b", "c", "2i+k-1"], 1),
        ("b,(g,c),n - k", ["b", "g", "c", "n-k"], 1),
        ("K - 1 - k", ["K-1-k"], 1),
        (r"\mathrm{tok}_{bt}, d", ["tok_{bt}", "d"], 1),
        ("N_{L} - 1, i", ["N_{L}-1", "i"], 1),
        ("i j k", ["i", "j", "k"], 0),
        ("i, j", ["i", "j"], 0),
    ],
)
def test_the_parts_of_a_subscript(text: str, parts: list[str], expressions: int) -> None:
    found = subscript(tokenize(text)).parts
    assert [part.replace("mathrm", "") for part in found] == parts
    assert sum(isinstance(part, Expression) for part in found) == expressions


@pytest.mark.parametrize("text", ["-i", "ij + 1", "i - 1/2", "i +", "w_i", r"\phi_l"])
def test_what_is_no_index(text: str) -> None:
    assert not any(isinstance(part, Expression) for part in subscript(tokenize(text)).parts)


CONVOLUTION = (
    r"y_i = \sum_k x_{i+k} w_k",
    r"G_i = \frac{\partial L}{\partial y_i}",
)


def test_the_gradient_of_a_convolution() -> None:
    assert last(*CONVOLUTION, r"\frac{\partial L}{\partial w_k} = \sum_i G_i x_{i+k}") is CONFIRMED
    assert last(*CONVOLUTION, r"\frac{\partial L}{\partial w_k} = \sum_i G_i x_{i+k+1}") is not CONFIRMED
    assert last(*CONVOLUTION, r"\frac{\partial L}{\partial w_k} = 2 \sum_i G_i x_{i+k}") is REFUTED
    assert last(*CONVOLUTION, r"\frac{\partial L}{\partial x_n} = \sum_{i, k} G_i w_k \delta_{i+k,n}") is CONFIRMED
    assert last(*CONVOLUTION, r"\frac{\partial L}{\partial x_n} = \sum_{i, k} G_i w_k \delta_{i-k,n}") is REFUTED


TABLE = "| index | values |\n| --- | --- |\n| $n$ | $N$ |\n| $k$ | $K$ |\n| $i$ | $N - K + 1$ |\n\n"
SHAPES = r"$x \in \mathbb{R}^N$, $w \in \mathbb{R}^K$." + "\n\n"


@pytest.mark.parametrize(
    ("bracket", "verdict"),
    [
        (r"[0 \le n - k < N - K + 1]", CONFIRMED),
        (r"[0 \le n - k < N - K]", REFUTED),
        (r"[0 < n - k < N - K + 1]", REFUTED),
        ("", OPEN),
    ],
)
def test_brackets_hide_what_lies_outside_and_nothing_else_does(bracket: str, verdict: Verdict) -> None:
    claim = rf"\frac{{\partial L}}{{\partial x_n}} = \sum_k G_{{n-k}} w_k {bracket}"
    text = TABLE + SHAPES + "\n\n".join(f"$${one}$$" for one in (*CONVOLUTION, claim))
    assert judged(check(text).claims[-1]) is verdict


def test_a_lookup_is_an_entry_at_a_place() -> None:
    rows = r"Y_{n,d} = E_{\mathrm{tok}_{n},d}"
    assert (
        last(rows, r"\frac{\partial Y_{n,d}}{\partial E_{v,m}} = \delta_{\mathrm{tok}_{n},v} \delta_{dm}") is CONFIRMED
    )
    assert (
        last(rows, r"\frac{\partial Y_{n,d}}{\partial E_{v,m}} = 2 \delta_{\mathrm{tok}_{n},v} \delta_{dm}") is REFUTED
    )


def test_indices_count_from_zero_or_from_one() -> None:
    """Both `x_{i+k}` and `x_{i+k-1}` are windows of a signal, as one counts."""
    for window in ("i+k", "i+k-1"):
        definition = rf"y_i = \sum_k x_{{{window}}} w_k"
        claim = rf"\frac{{\partial L}}{{\partial w_k}} = \sum_i \frac{{\partial L}}{{\partial y_i}} x_{{{window}}}"
        assert last(definition, claim) is CONFIRMED


@pytest.mark.parametrize(
    "claim",
    [
        r"x_{t+1} = x_t - \eta g_t",
        r"\frac{\partial h_{t+1}}{\partial h_t} = W",
    ],
)
def test_steps_are_not_refuted(claim: str) -> None:
    assert last(r"h_{t+1} = \tanh(W h_t + U x_t)", claim) is not REFUTED


def test_an_entry_outside_has_no_value_unless_a_condition_hides_it() -> None:
    sizes = Sizes()
    axis, index = sizes.fresh("n"), sizes.fresh("i")
    sizes.unify(axis, index)
    inner = Gathered(Entry("x", (axis,)), (axis,), (Plus((Value(index), Number(1))),))
    signal = np.array([1.0, 2.0, 4.0])
    point = Point(Symbols(sizes, {"x": (axis,)}), sizes, {sizes.find(axis): 3}, {"x": signal}, {})
    assert np.array_equal(point.value(inner, (index,)), [2.0, 4.0, np.nan], equal_nan=True)
    hidden = times(Relation(Value(index), "<", Number(2)), inner)
    assert np.array_equal(point.value(hidden, (index,)), [2.0, 4.0, 0.0])
    assert point.value(Total((index,), hidden), ()) == 6.0


def test_a_bracket_of_two_relations_is_the_product_of_two() -> None:
    (group,) = parse(tokenize(r"[0 \le i < N]")).only.items
    assert [truth.relation for truth in group.members[0].only.items] == ["<=", "<"]
