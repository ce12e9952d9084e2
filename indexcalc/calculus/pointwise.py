"""The table of pointwise functions: one row each, and the only place where their derivatives are written.

A derivative is written in the input `X`, the output `F` and the scalar constant `C`, so that
``exp' = F`` and ``tanh' = 1 - F**2`` reuse what the forward pass computed. Adding a function is
adding a row. Square roots and powers are exponents of the algebra and need no row.
"""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from indexcalc.algebra.build import expand_term, multiplied, power, scalar
from indexcalc.algebra.terms import Fn, Term, Terms
from indexcalc.errors import UnsupportedError

X, F, C = sp.symbols("X F C", real=True)


def apply(name: str, argument: sp.Expr) -> sp.Expr:
    """A pointwise function of the table, applied inside a derivative."""
    return sp.Function(name)(argument)


@dataclass(frozen=True, slots=True)
class Pointwise:
    """One row.

    Attributes:
        name: as it is written in a spec.
        meaning: the definition in plain text.
        derivative: in `X` (the input), `F` (the output) and `C` (the constant).
        latex: with ``{x}`` for the argument and ``{c}`` for the constant.
        numpy: source with ``{x}`` and ``{c}``; an atom or a call, so that it needs no parentheses.
        constants: how many scalar constants the function takes after its argument.
        kink: the convention where the function has no derivative; empty for a smooth function.
        positive: whether the argument must be positive.
        definition: what it is equal to, in LaTeX in x, where not all readers can know; empty where its symbol says it.
    """

    name: str
    meaning: str
    derivative: sp.Expr
    latex: str
    numpy: str
    constants: int = 0
    kink: str = ""
    positive: bool = False
    definition: str = ""


ROWS: tuple[Pointwise, ...] = (
    Pointwise("exp", "e^x", F, r"e^{{{x}}}", "np.exp({x})"),
    Pointwise("log", "natural logarithm", 1 / X, r"\log {x}", "np.log({x})", positive=True),
    Pointwise("sin", "sine", apply("cos", X), r"\sin {x}", "np.sin({x})"),
    Pointwise("cos", "cosine", -apply("sin", X), r"\cos {x}", "np.cos({x})"),
    Pointwise("tanh", "hyperbolic tangent", 1 - F**2, r"\tanh {x}", "np.tanh({x})"),
    Pointwise(
        "sigmoid",
        "1 / (1 + e^(-x))",
        F * (1 - F),
        r"\operatorname{{sigmoid}} {x}",
        "_sigmoid({x})",
        definition=r"1/(1 + \exp(-x))",
    ),
    Pointwise(
        "softplus",
        "log(1 + e^x)",
        apply("sigmoid", X),
        r"\operatorname{{softplus}} {x}",
        "np.logaddexp(0.0, {x})",
        definition=r"\log(1 + \exp(x))",
    ),
    Pointwise(
        "silu",
        "x sigmoid(x)",
        apply("sigmoid", X) * (1 + X - F),
        r"\operatorname{{silu}} {x}",
        "_silu({x})",
        definition=r"x \, \operatorname{sigmoid}(x)",
    ),
    Pointwise(
        "erf",
        "2/sqrt(pi) times the integral of e^(-t^2) from 0 to x",
        2 / sp.sqrt(sp.pi) * apply("exp", -(X**2)),
        r"\operatorname{{erf}} {x}",
        "_erf({x})",
        definition=r"(2/\sqrt{\pi}) \int_{0}^{x} \exp(-t^{2}) \, \mathrm{d}t",
    ),
    Pointwise(
        "gelu",
        "x (1 + erf(x / sqrt 2)) / 2",
        (1 + apply("erf", X / sp.sqrt(2))) / 2 + X * apply("exp", -(X**2) / 2) / sp.sqrt(2 * sp.pi),
        r"\operatorname{{gelu}} {x}",
        "_gelu({x})",
        definition=r"x \, (1 + \operatorname{erf}(x/\sqrt{2}))/2",
    ),
    Pointwise(
        "relu",
        "max(x, 0)",
        apply("step", X),
        r"\operatorname{{relu}} {x}",
        "np.maximum({x}, 0.0)",
        kink="relu'(0) = 0",
        definition=r"\max(x, 0)",
    ),
    Pointwise("abs", "|x|", apply("sign", X), r"\left|{x}\right|", "np.abs({x})", kink="abs'(0) = 0"),
    Pointwise(
        "max",
        "the larger of x and a constant c",
        apply("step", X - C),
        r"\max\left({x},\, {c}\right)",
        "np.maximum({x}, {c})",
        constants=1,
        kink="the derivative is 0 where the argument equals the constant",
    ),
    Pointwise(
        "min",
        "the smaller of x and a constant c",
        apply("step", C - X),
        r"\min\left({x},\, {c}\right)",
        "np.minimum({x}, {c})",
        constants=1,
        kink="the derivative is 0 where the argument equals the constant",
    ),
    Pointwise(
        "step",
        "1 for x > 0, else 0",
        sp.S.Zero,
        r"\operatorname{{step}} {x}",
        "np.heaviside({x}, 0.0)",
        kink="step(0) = 0, step' = 0",
        definition="[x > 0]",
    ),
    Pointwise(
        "sign",
        "-1, 0 or 1",
        sp.S.Zero,
        r"\operatorname{{sign}} {x}",
        "np.sign({x})",
        kink="sign(0) = 0, sign' = 0",
        definition="[x > 0] - [x < 0]",
    ),
)

TABLE = {row.name: row for row in ROWS}


def row_of(name: str) -> Pointwise:
    """The row of a function.

    Raises:
        UnsupportedError: if the table has no such row.
    """
    if name not in TABLE:
        raise UnsupportedError(f"the pointwise function {name} is not known; known are {', '.join(sorted(TABLE))}")
    return TABLE[name]


def derivative_of(fn: Fn) -> Terms:
    """``f'(u)`` at the argument of `fn`, in terms of the argument and of ``f(u)`` itself."""
    formula = row_of(fn.name).derivative
    if fn.params:
        formula = formula.subs(C, fn.params[0])
    return from_formula(formula, fn)


def from_formula(formula: sp.Expr, fn: Fn) -> Terms:
    """A formula in `X` and `F` as terms: `X` is the argument of `fn`, `F` is `fn` itself."""
    if formula == X:
        return fn.arg
    if formula == F:
        return (Term(sp.S.One, ((fn, sp.S.One),)),)
    if not formula.has(X, F):
        return scalar(formula)
    if isinstance(formula, sp.Add):
        return tuple(term for part in formula.args for term in from_formula(part, fn))
    if isinstance(formula, sp.Mul):
        result = multiplied(power(from_formula(part, fn), sp.S.One) for part in formula.args)
        # A scalar times a sum is distributed; a square of a sum stays, or the cube of one would be a hundred terms.
        return expand_term(result) if len(result.powers) == 1 and result.powers[0][1] == 1 else (result,)
    if isinstance(formula, sp.Pow):
        return (power(from_formula(formula.base, fn), formula.exp),)
    if isinstance(formula, sp.Function):
        (argument,) = formula.args
        return (Term(sp.S.One, ((Fn(formula.func.__name__, from_formula(argument, fn)), sp.S.One),)),)
    raise UnsupportedError(f"the derivative {formula} of {fn.name} cannot be read")
