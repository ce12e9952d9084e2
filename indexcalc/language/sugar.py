"""The table of composites: each is written out in sums and pointwise functions, and has no derivative of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import sympy as sp

from indexcalc.language.syntax import Call, Expression, ExtentOf, Negate, Over, Plus, Raise, Reduce, Scalar, Times

Expansion = Callable[[Reduce], Expression]

EXTREMES = {"max": 1, "min": -1}
"""The reductions that compare entries with each other, and the sign under which the larger one wins.

``max[j](x)`` counts the entries above each one, ``c[j] = sum[l](step(x[l] - x[j]))``, marks the
largest, ``w[j] = 1 - step(c[j])``, and is their mean, ``sum[j](w*x) / sum[j](w)``: entries that are
equally large share the gradient evenly. It is lowered, not expanded, since it needs a second index.
"""


MATRICES = {
    "cholesky": "the entry of the matrix's Cholesky factor in the row i and the column j",
    "det": "the determinant of the matrix",
    "inverse": "the entry of the inverse matrix in the row j and the column i",
    "logdet": "the logarithm of the absolute determinant of the matrix",
    "trace": "the trace of the matrix",
}
"""The reductions of matrices, over the indices of their rows and columns, by what they are."""


def total(node: Reduce, body: Expression) -> Reduce:
    """``sum[...](body)`` over the indices of `node`."""
    return Reduce("sum", node.indices, body, node.at)


def square(body: Expression) -> Raise:
    """``body^2``."""
    return Raise(body, Scalar(sp.Integer(2), body.at), body.at)


def mean(node: Reduce) -> Expression:
    """``1/extent * sum[h](x)``."""
    extents = tuple(Over(ExtentOf(index, node.at), node.at) for index in node.indices)
    return Times((Scalar(sp.S.One, node.at), *extents, total(node, node.body)), node.at)


def variance(node: Reduce) -> Expression:
    """``mean[h]((x - mean[h](x))^2)``."""
    centre = Negate(Reduce("mean", node.indices, node.body, node.at), node.at)
    return Reduce("mean", node.indices, square(Plus((node.body, centre), node.at)), node.at)


def softmax(node: Reduce) -> Expression:
    """``exp(x) / sum[j](exp(x))``."""
    numerator = Call("exp", (node.body,), node.at)
    return Times((numerator, Over(total(node, numerator), node.at)), node.at)


def logsumexp(node: Reduce) -> Expression:
    """``log(sum[j](exp(x)))``."""
    return Call("log", (total(node, Call("exp", (node.body,), node.at)),), node.at)


def logsoftmax(node: Reduce) -> Expression:
    """``x - log(sum[j](exp(x)))``."""
    return Plus((node.body, Negate(logsumexp(node), node.at)), node.at)


def norm2(node: Reduce) -> Expression:
    """``sum[i](x^2)``."""
    return total(node, square(node.body))


@dataclass(frozen=True, slots=True)
class Sugar:
    """One row.

    Attributes:
        name: as it is written before the square brackets.
        meaning: what ``name[j](x)`` stands for.
        expand: writes it out.
        word: what generated names call it.
        keeps: whether the result still has the index, as a softmax over j does.
        linear: whether it is a plain sum, so that as a term among others it needs no name.
    """

    name: str
    meaning: str
    expand: Expansion
    word: str
    keeps: bool = False
    linear: bool = False


ROWS: tuple[Sugar, ...] = (
    Sugar("mean", "1/extent(j) * sum[j](x)", mean, "mean", linear=True),
    Sugar("var", "mean[j]((x - mean[j](x))^2), divided by the extent, not by one less", variance, "var", linear=True),
    Sugar("softmax", "exp(x) / sum[j](exp(x))", softmax, "softmax", keeps=True),
    Sugar("logsoftmax", "x - log(sum[j](exp(x)))", logsoftmax, "logsoftmax", keeps=True),
    Sugar("logsumexp", "log(sum[j](exp(x)))", logsumexp, "lse"),
    Sugar("norm2", "sum[j](x^2)", norm2, "sq", linear=True),
)

TABLE = {row.name: row for row in ROWS}

LINEAR = frozenset(row.name for row in ROWS if row.linear)
"""The composites that are plain sums."""

COMPOSITES: Mapping[str, str] = {
    **{row.name: row.word for row in ROWS},
    **{name: name for name in EXTREMES},
}
"""Every composite, with the word that generated names call it by."""


def keeps_indices(operator: str) -> bool:
    """Whether a reduction still has the indices that it runs over: it is an entry of what it is made from them."""
    return operator == "cholesky" or (operator in TABLE and TABLE[operator].keeps)


def expand_sugar(node: Reduce) -> Expression:
    """A composite written out by one step; a plain sum is left as it is."""
    return TABLE[node.operator].expand(node) if node.operator in TABLE else node
