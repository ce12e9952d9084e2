"""What authors know from other languages and a spec hasn't: each with what to write instead."""

from __future__ import annotations

import re

NO_MATRICES = (
    "a formula speaks of entries: write a product of matrices as sum[k](A[i,k] * B[k,j]), a transpose as A[j,i]"
)
NO_IF = "there is no if: write where(x > 0, a, b), which is a where x > 0, and b elsewhere"
NO_LOOP = "there are no loops: an equation holds for every value of its free indices, or for t in 1 .. T-1"
NO_CONDITIONS = "there are no conditions: factors join them, [i <= j] * [j <= k], and 1 - [...] denies one"
NO_INTEGRAL = "there are no integrals and no derivatives in formulas: write the value, or a sum[k](...) over points"
NO_RUNNING = "a running sum is a sum with a bracket: sum[j]([j <= i] * x[j])"
NO_PLACE = "the place of the largest entry has no gradient; the entry itself is max[k](...)"
NO_ORDER = (
    "entries are picked by their ranks: where r[i] = sum[j]([x[j] > x[i]]), the sum of the three largest is "
    "sum[i]([r[i] < 3] * x[i])"
)
NO_SOLVER = (
    "of whole matrices there are systems, as in solve x[j] : sum[j](A[i,j]*x[j]) = b[i], inverse[i,j](A[i,j]), "
    "trace[i,j](A[i,j]), det[i,j](A[i,j]), logdet[i,j](A[i,j]) and cholesky[i,j](A[i,j])"
)
NO_FACTORS = (
    "matrices are factored by cholesky[i,j](A[i,j]) alone: give other factors as inputs, as in "
    "A[i,j] = sum[k](R[i,k] * R[j,k])"
)
NO_STEPS = "its gradient is zero wherever there is one: give the rounded values as an input"

FUNCTIONS = {
    **dict.fromkeys(("if", "ifelse", "cond", "piecewise", "select", "heaviside"), NO_IF),
    **dict.fromkeys(("dot", "matmul", "mm", "bmm", "einsum", "transpose", "outer"), NO_MATRICES),
    **dict.fromkeys(("inv", "solve"), NO_SOLVER),
    "pinv": "write the normal equations, as in solve x[j] : sum[n,j](A[n,i]*A[n,j]*x[j]) = sum[n](A[n,i]*b[n])",
    "chol": "the entry of a Cholesky factor in the row i and the column j is cholesky[i,j](A[i,j])",
    **dict.fromkeys(("qr", "svd", "eig", "eigh"), NO_FACTORS),
    **dict.fromkeys(("tr", "Tr"), "the trace of a matrix with the rows i and the columns j is trace[i,j](A[i,j])"),
    "determinant": "the determinant of a matrix with the rows i and the columns j is det[i,j](A[i,j])",
    **dict.fromkeys(("slogdet", "logabsdet"), "the logarithm of the size of a determinant is logdet[i,j](A[i,j])"),
    **dict.fromkeys(("int", "integral", "integrate", "diff", "grad", "derivative"), NO_INTEGRAL),
    **dict.fromkeys(("cumsum", "cumprod", "scan"), NO_RUNNING),
    **dict.fromkeys(("argmax", "argmin"), NO_PLACE),
    **dict.fromkeys(("argsort", "sort", "topk", "top_k", "top", "sum_top", "median"), NO_ORDER),
    **dict.fromkeys(("floor", "ceil", "round", "mod"), NO_STEPS),
    **dict.fromkeys(("prod", "product"), "there are no products over an index: write exp(sum[k](log(x[k]))) for x > 0"),
    "clamp": "write clip(x, low, high)",
    **dict.fromkeys(("norm", "norm1"), "write sqrt(norm2[k](x[k])) for lengths, sum[k](abs(x[k])) for sums of sizes"),
    **dict.fromkeys(("std", "stddev"), "write sqrt(var[k](x[k]))"),
    "power": "write x^y",
    "ln": "write log(x), the natural logarithm",
    "log2": "write log(x) / log(2)",
    "log10": "write log(x) / log(10)",
    "log1p": "write log(1 + x)",
    "expm1": "write exp(x) - 1",
    "square": "write x^2",
    "rsqrt": "write 1/sqrt(x)",
    "reciprocal": "write 1/x",
    "tan": "write sin(x)/cos(x)",
    "cosh": "write (exp(x) + exp(-x))/2",
    "sinh": "write (exp(x) - exp(-x))/2",
    "relu6": "write min(relu(x), 6)",
    "leaky_relu": "write max(x, 0) + a * min(x, 0) with a number or parameter a",
    "logsigmoid": "write -softplus(-x)",
    "swish": "write silu(x)",
    "avg": "write mean[k](...)",
    "average": "write mean[k](...)",
}
"""Functions and reductions by the names that other languages give them."""

WORDS = {
    **dict.fromkeys(("if", "else", "then", "elif", "when", "otherwise"), NO_IF),
    **dict.fromkeys(("for", "while", "forall", "loop"), NO_LOOP),
    **dict.fromkeys(
        ("and", "or", "not"),
        NO_CONDITIONS,
    ),
    "lambda": "there are no functions of one's own: give the formula a name by an equation",
    "def": "there are no functions of one's own: give the formula a name by an equation",
    "in": "an index runs over its whole extent: multiply by a bracket such as [j <= i] to leave entries out",
}
"""Words that mean something in other languages, met where a formula can't have a name."""

CHARACTERS = {
    "@": NO_MATRICES,
    "%": NO_STEPS,
    "|": "absolute values are abs(x)",
    "!": "there are no factorials; a number can be written out",
    "&": NO_CONDITIONS,
    "∫": NO_INTEGRAL,
    "∂": NO_INTEGRAL,
    "∏": FUNCTIONS["prod"],
    "\\": "formulas are plain text, not LaTeX: sum[k](x[i,k]), exp(x), sqrt(x), a/b",
    "$": "formulas are plain text, not LaTeX: sum[k](x[i,k]), exp(x), sqrt(x), a/b",
    "?": NO_IF,
    ";": "statements stand on lines of their own, and a comma separates names",
    "~": "there is no sampling: give the random numbers as an input",
}
"""Characters that start nothing in the language, by what they mean elsewhere."""

COMPARED = "a comparison is 1 or 0 in square brackets, [a > b], [i <= j], and chooses in where(a > b, x, y)"
EQUALITY = "that two indices are equal is delta[i,j], and that one has a value delta[i,0]"
INDICES_ONLY = "square brackets compare two indices, as in [i <= j], or two values, as in [a > b]"
SLOT = {
    "arithmetic": "a slot adds up indices with whole coefficients, as in 2*i+k-1: it has no powers and no parentheses",
    "range": "a slot holds the name of an index, not a range: each axis has an index that runs over all of it",
    "condition": "a reduction runs over whole indices: write the condition as a factor, sum[k]([k < i] * x[k])",
}
"""What can stand in a slot elsewhere."""


def instead(kind: str, text: str, inside: str) -> str:
    """What to write instead of something that does not fit where it stands; empty if it means nothing elsewhere.

    Args:
        kind: the terminal of the grammar.
        text: what was found.
        inside: the innermost open bracket: `slots`, `reduction`, `relation`, `parentheses`, or nothing.
    """
    if kind == "SEMICOLON":
        return CHARACTERS[text]
    if inside in ("slots", "reduction"):
        return in_slots(kind, text)
    if inside == "relation" and kind == "EQUAL":
        return EQUALITY
    if inside == "relation" and kind != "RELATION" and text not in ("]", ","):
        return INDICES_ONLY
    if kind == "RELATION":
        return COMPARED
    if kind == "NAME":
        return WORDS.get(text, "")
    return ""


def in_slots(kind: str, text: str) -> str:
    """What to write instead of something that is no index in a slot."""
    if kind in ("SIGN", "OPERATOR", "POWER", "LPAR"):
        return SLOT["arithmetic"]
    if kind == "COLON":
        return SLOT["range"]
    if kind in ("RELATION", "EQUAL") or text == "in":
        return SLOT["condition"]
    return ""


def character_instead(before: str, character: str, after: str) -> str:
    """What to write instead of a character that starts nothing, by what stands around it on its line."""
    if character == "." and re.match(r"T\b|t\(|transpose", after):
        return NO_MATRICES
    if character == "." and re.search(r"\w$", before):
        return "names have no parts after a dot: functions stand alone, exp(x), and axes are indices, x[i,k]"
    if character == "'" and re.search(r"[\w\])]$", before):
        return "names have no primes: a transpose swaps indices, A[j,i], and another tensor needs another name"
    return CHARACTERS.get(character, "")
