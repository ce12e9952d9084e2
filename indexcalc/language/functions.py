"""The functions of formulas by name: sums, composites, and the pointwise functions of the table."""

from __future__ import annotations

from indexcalc.algebra.terms import Index
from indexcalc.language.formulas import Formula, Operand, apply, over


def sum(body: Operand, *indices: Index) -> Formula:
    """``sum[indices](body)``."""
    return over("sum", body, *indices)


def mean(body: Operand, *indices: Index) -> Formula:
    """The sum divided by the extents."""
    return over("mean", body, *indices)


def var(body: Operand, *indices: Index) -> Formula:
    """The mean square distance from the mean: divided by the extent, not by one less."""
    return over("var", body, *indices)


def softmax(body: Operand, *indices: Index) -> Formula:
    """``exp(body)`` divided by its sum over the indices."""
    return over("softmax", body, *indices)


def logsoftmax(body: Operand, *indices: Index) -> Formula:
    """The logarithm of a softmax, as ``body - logsumexp``."""
    return over("logsoftmax", body, *indices)


def logsumexp(body: Operand, *indices: Index) -> Formula:
    """The logarithm of the sum of ``exp(body)``."""
    return over("logsumexp", body, *indices)


def norm2(body: Operand, *indices: Index) -> Formula:
    """The sum of squares."""
    return over("norm2", body, *indices)


def max(body: Operand, *indices: Index) -> Formula:
    """The largest entry along the indices; the larger of two values is ``apply("max", x, c)``."""
    return over("max", body, *indices)


def min(body: Operand, *indices: Index) -> Formula:
    """The smallest entry along the indices."""
    return over("min", body, *indices)


def exp(x: Operand) -> Formula:
    """e^x; see the pointwise table for this and those below."""
    return apply("exp", x)


def log(x: Operand) -> Formula:
    """The natural logarithm."""
    return apply("log", x)


def sqrt(x: Operand) -> Formula:
    """The square root."""
    return apply("sqrt", x)


def tanh(x: Operand) -> Formula:
    """The hyperbolic tangent."""
    return apply("tanh", x)


def sigmoid(x: Operand) -> Formula:
    """1 / (1 + e^-x)."""
    return apply("sigmoid", x)


def relu(x: Operand) -> Formula:
    """max(x, 0)."""
    return apply("relu", x)


def gelu(x: Operand) -> Formula:
    """X times the normal distribution function, exact."""
    return apply("gelu", x)


def silu(x: Operand) -> Formula:
    """X sigmoid(x)."""
    return apply("silu", x)


def softplus(x: Operand) -> Formula:
    """log(1 + e^x)."""
    return apply("softplus", x)
