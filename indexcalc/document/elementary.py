r"""Elementary functions by those of the algebra: tangents, hyperbolic functions, logarithms to any base.

Also how far one without a bracket reaches, and a slash: ``\sin 2x`` is the sine of all that follows, ``\log x y``
may be the logarithm of it, and ``x/2y`` may be divided by it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import sympy as sp

from indexcalc.document.choices import Kind, Option, choice
from indexcalc.document.meaning.nodes import HALF, ONE, Applied, Meaning, Number, Plus, Raised, negated, over, times
from indexcalc.document.meaning.symbols import NotUnderstoodError
from indexcalc.document.meaning.typed import Typed
from indexcalc.document.page import Page
from indexcalc.document.statements.scripts import Named
from indexcalc.document.statements.trees import without_scripts
from indexcalc.document.table import Table
from indexcalc.language.latex.tree import Atom, Group, Node, Root
from indexcalc.language.latex.vocabulary import ELEMENTARY, FUNCTIONS, STRUCTURAL


def sine(x: Meaning) -> Meaning:
    """The sine."""
    return Applied("sin", x)


def cosine(x: Meaning) -> Meaning:
    """The cosine."""
    return Applied("cos", x)


def hyperbolic_sine(x: Meaning) -> Meaning:
    """``(exp(x) - exp(-x)) / 2``."""
    return times(HALF, Plus((Applied("exp", x), negated(Applied("exp", negated(x))))))


def hyperbolic_cosine(x: Meaning) -> Meaning:
    """``(exp(x) + exp(-x)) / 2``."""
    return times(HALF, Plus((Applied("exp", x), Applied("exp", negated(x)))))


def inverse_hyperbolic_sine(x: Meaning) -> Meaning:
    """``log(x + sqrt(x^2 + 1))``."""
    return Applied("log", Plus((x, Raised(Plus((times(x, x), ONE)), HALF))))


COMPOSED: Mapping[str, Callable[[Meaning], Meaning]] = {
    "tan": lambda x: times(sine(x), over(cosine(x))),
    "cot": lambda x: times(cosine(x), over(sine(x))),
    "sec": lambda x: over(cosine(x)),
    "csc": lambda x: over(sine(x)),
    "sinh": hyperbolic_sine,
    "cosh": hyperbolic_cosine,
    "coth": lambda x: over(Applied("tanh", x)),
    "sech": lambda x: over(hyperbolic_cosine(x)),
    "csch": lambda x: over(hyperbolic_sine(x)),
    "lg": lambda x: to_base(Applied("log", x), 10),
    "logit": lambda x: Plus((Applied("log", x), negated(Applied("log", Plus((ONE, negated(x))))))),
    "arcsinh": inverse_hyperbolic_sine,
    "asinh": inverse_hyperbolic_sine,
}
"""Functions that work entry by entry, and are made of known ones."""

OPAQUE = ELEMENTARY - COMPOSED.keys()
"""Functions of which nothing is read but their names."""

CIRCULAR = frozenset({"sin", "cos", "tanh", "arctan", "atan", *COMPOSED}) - {"lg", "logit", "arcsinh", "asinh"}
"""Functions of which an exponent -1 before the argument may say the inverse."""

NO_FACTORS = frozenset({*FUNCTIONS, *STRUCTURAL, "d"})
"""Names that are no factors: functions, and the sign of a differential."""

LOGARITHMS = ("log", "ln")

LOGARITHM = choice(
    Kind.BASE,
    "log",
    Option("natural", 0.0, "log is the natural logarithm"),
    *(Option(str(base), 0.1, f"log is the logarithm to the base {base}", free=True) for base in (2, 10)),
)
"""What log is on a page that has ln too."""

DIVISOR = choice(
    Kind.APPLICATION,
    "a slash before several factors",
    Option("one", 0.0, "a slash divides by the one factor behind it", free=True),
    Option("row", 0.1, "a slash divides by all factors behind it", free=True),
)
r"""What ``x/2\sigma^2`` and ``t/RC`` are divided by."""


def base_marks(found: Named) -> str:
    """What stands below the name of a logarithm, be it taken for an index or for a label."""
    word, _, label = found.name.partition("_")
    return "".join((label, *(found.parts or ()))) if word in LOGARITHMS else ""


def base_of(marks: str) -> int | None:
    """The base of a logarithm with these marks below it, a number; None for the natural one.

    Raises:
        NotUnderstoodError: for another one.
    """
    if marks == "e":
        return None
    if not marks.isdigit() or int(marks) < 2:
        raise NotUnderstoodError(f"a logarithm with the mark {marks}")
    return int(marks)


def to_base(logarithm: Meaning, base: int | None) -> Meaning:
    """A natural logarithm as one to another base."""
    return logarithm if base is None else times(logarithm, over(Applied("log", Number(sp.Integer(base)))))


def logarithm(table: Table, argument: Typed, marks: str) -> Typed:
    """The logarithm of an array, entry by entry, to the base that its marks say; without marks log may have another."""
    if marks:
        base = base_of(marks)
    else:
        taken = table.asking(LOGARITHM).name
        base = int(taken) if taken.isdigit() else None
    return replace(argument, node=to_base(Applied("log", argument.node), base))


def reach(page: Page, items: Sequence[Node], position: int) -> int:
    """Where the row of numbers and names ends that begins behind a function without a bracket."""
    end = position
    while end < len(items) and is_plain(page, items[end]):
        following = without_scripts(items[end + 1]) if end + 1 < len(items) else None
        if isinstance(following, Group) and following.bracket in ("(", "["):
            break
        end += 1
    return end


def is_plain(page: Page, item: Node) -> bool:
    """Whether an item is a number, a root or a name, and no function or sign of a differential."""
    if is_number(item) or isinstance(without_scripts(item), Root):
        return True
    if not isinstance(without_scripts(item), Atom):
        return False
    found = page.survey.name(item)
    word = found.name.partition("_")[0] if found is not None else ""
    return found is not None and word not in NO_FACTORS


def is_number(item: Node) -> bool:
    """Whether an item is a number, with scripts or without."""
    base = without_scripts(item)
    return isinstance(base, Atom) and base.kind == "NUM"


def of_row(table: Table, first: Node) -> bool:
    """Whether a function without a bracket is that of all numbers and names that follow it, not of the first alone."""
    what = "number" if is_number(first) else "name"
    row, one = (0.0, 0.1) if is_number(first) else (0.1, 0.0)
    question = choice(
        Kind.APPLICATION,
        f"a function before a {what} and other factors",
        Option("row", row, f"a function before a {what} is that of all factors that follow", free=True),
        Option("one", one, f"a function before a {what} is that of the {what} alone", free=True),
    )
    return table.asking(question).name == "row"
