"""The table of pointwise functions: one row each, and the only place where their derivatives are written.

A derivative is written in the arguments `X`, `Y`, `Z` and the output `F`, so that ``exp' = F`` and
``tanh' = 1 - F**2`` reuse what the forward pass computed; a function of several arguments has one for each.
Adding a function is adding a row. Square roots and constant powers are exponents of the algebra and need no row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sympy as sp

from indexcalc.algebra.build import STEPS, expand_term, multiplied, power, scalar, scalar_value
from indexcalc.algebra.canonical import collect
from indexcalc.algebra.terms import Fn, Term, Terms
from indexcalc.errors import UnsupportedError

X, Y, Z, F = sp.symbols("X Y Z F", real=True)
ARGUMENTS = (X, Y, Z)


def apply(name: str, argument: sp.Expr) -> sp.Expr:
    """A pointwise function of the table, applied inside a derivative."""
    return sp.Function(name)(argument)


@dataclass(frozen=True, slots=True)
class Pointwise:
    """One row.

    Attributes:
        name: as it is written in a spec.
        meaning: the definition in plain text.
        derivative: in `X` (the argument) and `F` (the output); of several arguments, one derivative by each.
        latex: with ``{x}``, ``{y}`` and ``{z}`` for the arguments.
        numpy: source with ``{x}``, ``{y}`` and ``{z}``; a call, so that it needs no parentheses.
        kink: the convention where the function has no derivative; empty for a smooth function.
        positive: whether the argument, or the first of several, must be positive.
        text: in plain text, with ``{x}`` and so on; empty for the name before the arguments.
        definition: what it is equal to, in LaTeX in x, y and z, where not all readers can know; else empty.
    """

    name: str
    meaning: str
    derivative: sp.Expr | tuple[sp.Expr, ...]
    latex: str
    numpy: str
    kink: str = ""
    positive: bool = False
    definition: str = ""
    text: str = ""

    @property
    def derivatives(self) -> tuple[sp.Expr, ...]:
        """The derivative by each argument."""
        return self.derivative if isinstance(self.derivative, tuple) else (self.derivative,)


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
        "the larger of x and y",
        (apply("step", X - Y), apply("reach", Y - X)),
        r"\max\left({x},\, {y}\right)",
        "np.maximum({x}, {y})",
        kink="where both are equal, the second counts as the larger one",
    ),
    Pointwise(
        "min",
        "the smaller of x and y",
        (apply("step", Y - X), apply("reach", X - Y)),
        r"\min\left({x},\, {y}\right)",
        "np.minimum({x}, {y})",
        kink="where both are equal, the second counts as the smaller one",
    ),
    Pointwise(
        "where",
        "y where x > 0, else z",
        (sp.S.Zero, apply("step", X), apply("reach", -X)),
        r"\operatorname{{where}}\left([{x} > 0],\, {y},\, {z}\right)",
        "np.where({x} > 0.0, {y}, {z})",
        text="where({x} > 0, {y}, {z})",
        kink="where the first argument is 0, the last one counts",
        definition=r"[x > 0] \, y + [x \le 0] \, z",
    ),
    Pointwise(
        "pow",
        "x^y",
        (F * Y / X, F * apply("log", X)),
        "{x}^{{{y}}}",
        "np.power({x}, {y})",
        positive=True,
    ),
    Pointwise("atan", "the angle whose tangent is x", 1 / (1 + X**2), r"\arctan {x}", "np.arctan({x})"),
    Pointwise(
        "atan2",
        "the angle of a point that lies x high and y to the right, from -pi to pi",
        (Y / (X**2 + Y**2), -X / (X**2 + Y**2)),
        r"\operatorname{{atan2}}\left({x},\, {y}\right)",
        "np.arctan2({x}, {y})",
        kink="there is none at the origin",
        definition=r"2 \arctan(x/(\sqrt{x^{2} + y^{2}} + y))",
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
        "reach",
        "1 for x >= 0, else 0",
        sp.S.Zero,
        r"\operatorname{{reach}} {x}",
        "np.heaviside({x}, 1.0)",
        kink="reach(0) = 1, reach' = 0",
        definition=r"[x \ge 0]",
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


def applied(name: str, args: tuple[Terms, ...]) -> Terms:
    """A function of the table of some terms; a step of a number whose sign is known is 0 or 1."""
    value = scalar_value(args[0]) if name in STEPS else None
    if value is not None:
        holds = value.is_positive if name == "step" else value.is_nonnegative
        if holds is not None:
            return scalar(int(holds))
    return (Term(sp.S.One, ((Fn(name, args), sp.S.One),)),)


def call_text(name: str, args: Sequence[str]) -> str:
    """A function applied to some texts, in plain text."""
    text = TABLE[name].text if name in TABLE else ""
    return text.format(**dict(zip("xyz", args, strict=False))) if text else f"{name}({', '.join(args)})"


def call_template(template: str) -> tuple[str, list[str]]:
    """The function that the source of a row calls, and its arguments."""
    function, _, rest = template.removesuffix(")").partition("(")
    return function, [part.strip() for part in rest.split(",")]


def derivatives_of(fn: Fn) -> tuple[Terms, ...]:
    """``df/du`` for each argument ``u`` of `fn`, in terms of the arguments and of `fn` itself."""
    return tuple(from_formula(formula, fn) for formula in row_of(fn.name).derivatives)


def from_formula(formula: sp.Expr, fn: Fn) -> Terms:
    """A formula in `X`, `Y`, `Z` and `F` as terms: the first ones are the arguments of `fn`, `F` is `fn` itself."""
    if formula in ARGUMENTS:
        return fn.args[ARGUMENTS.index(formula)]
    if formula == F:
        return (Term(sp.S.One, ((fn, sp.S.One),)),)
    if not formula.has(*ARGUMENTS, F):
        return scalar(formula)
    if isinstance(formula, sp.Add):
        return tuple(term for part in formula.args for term in from_formula(part, fn))
    if isinstance(formula, sp.Mul):
        factors = [from_formula(part, fn) for part in formula.args]
        if not all(factors):
            return ()
        result = multiplied(power(factor, sp.S.One) for factor in factors)
        # A scalar times a sum is distributed; a square of a sum stays, or the cube of one would be a hundred terms.
        return expand_term(result) if len(result.powers) == 1 and result.powers[0][1] == 1 else (result,)
    if isinstance(formula, sp.Pow):
        return (power(from_formula(formula.base, fn), formula.exp),)
    if isinstance(formula, sp.Function):
        (argument,) = formula.args
        return applied(formula.func.__name__, (collect(from_formula(argument, fn)),))
    raise UnsupportedError(f"the derivative {formula} of {fn.name} cannot be read")
