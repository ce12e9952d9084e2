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


def max(body: Operand, *others: Operand) -> Formula:
    """The largest entry along indices; of expressions, ``max(x, y)``, ``max(x, 0)``, the largest one."""
    return largest("max", body, others)


def min(body: Operand, *others: Operand) -> Formula:
    """The smallest entry along indices; of expressions, ``min(x, y)``, ``min(x, 0)``, the smallest one."""
    return largest("min", body, others)


def largest(word: str, body: Operand, others: tuple[Operand, ...]) -> Formula:
    """``max[j](x)``, or ``max(x, y)`` where no index follows."""
    if others and not any(isinstance(other, Index) for other in others):
        return apply(word, body, *others)
    return over(word, body, *others)


def inverse(body: Operand, row: Index, column: Index) -> Formula:
    """``inverse[row,column](body)``: the entry of the inverse matrix in the row `column` and the column `row`."""
    return over("inverse", body, row, column)


def trace(body: Operand, row: Index, column: Index) -> Formula:
    """``trace[row,column](body)``: the sum of the diagonal entries of the matrix with these rows."""
    return over("trace", body, row, column)


def cholesky(body: Operand, row: Index, column: Index) -> Formula:
    """``cholesky[row,column](body)``: the entry in this row and column of the matrix's Cholesky factor."""
    return over("cholesky", body, row, column)


def det(body: Operand, row: Index, column: Index) -> Formula:
    """``det[row,column](body)``: the determinant of the matrix with these rows."""
    return over("det", body, row, column)


def logdet(body: Operand, row: Index, column: Index) -> Formula:
    """``logdet[row,column](body)``: the logarithm of the absolute determinant of the matrix with these rows."""
    return over("logdet", body, row, column)


def exp(x: Operand) -> Formula:
    """e^x; see the pointwise table for this and those below."""
    return apply("exp", x)


def log(x: Operand) -> Formula:
    """The natural logarithm."""
    return apply("log", x)


def sqrt(x: Operand) -> Formula:
    """The square root."""
    return apply("sqrt", x)


def sin(x: Operand) -> Formula:
    """The sine."""
    return apply("sin", x)


def cos(x: Operand) -> Formula:
    """The cosine."""
    return apply("cos", x)


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


def clip(x: Operand, low: Operand, high: Operand) -> Formula:
    """The entry itself within bounds, else the nearer bound."""
    return apply("clip", x, low, high)


def where(condition: Operand, x: Operand, y: Operand) -> Formula:
    """`x` where the condition holds, such as ``u > v`` or ``bracket(j, "<=", i)``, or is positive; else `y`."""
    return apply("where", condition, x, y)


def pow(x: Operand, y: Operand) -> Formula:
    """``x ** y`` for positive x, if y is no scalar."""
    return apply("pow", x, y)


def atan(x: Operand) -> Formula:
    """The angle whose tangent is x."""
    return apply("atan", x)


def atan2(y: Operand, x: Operand) -> Formula:
    """The angle of the point (x, y)."""
    return apply("atan2", y, x)


def erf(x: Operand) -> Formula:
    """The error function."""
    return apply("erf", x)


def abs(x: Operand) -> Formula:
    """The absolute value."""
    return apply("abs", x)


def step(x: Operand) -> Formula:
    """1 where x > 0, else 0."""
    return apply("step", x)


def reach(x: Operand) -> Formula:
    """1 where x >= 0, else 0."""
    return apply("reach", x)


def sign(x: Operand) -> Formula:
    """-1, 0 or 1."""
    return apply("sign", x)
