r"""Members that are written to some decimals: ``1/3 = 0.333``, ``e^{-7} = 9.1 \times 10^{-4}``."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from indexcalc.document.choices import Kind, Option, choice
from indexcalc.language.latex.tree import Atom, Group, Matrix, Node, Scripted, Sum, sums_in

ROUNDED = choice(
    Kind.WORD,
    "figures",
    Option("exact", 0.0, "figures are exact"),
    Option("rounded", 0.1, "figures are rounded, or cut off", free=True),
)
"""Whether a number with decimals stands for those of which it has the figures."""


def unit_of(tree: Sum) -> float | None:
    """What the last decimal of a member counts, if it is a number with decimals, times a power of ten or not.

    Of a list or a matrix of numbers it is what that of the least exact one counts.
    """
    if isinstance(tree.lone, Matrix) or (isinstance(tree.lone, Group) and len(tree.lone.members) > 1):
        entries = sums_in(tree.lone) if isinstance(tree.lone, Matrix) else tree.lone.members
        return max((unit for entry in entries if (unit := unit_of(entry)) is not None), default=None)
    items: Sequence[Node] = tree.terms[0][1].items if len(tree.terms) == 1 else ()
    if len(items) == 3 and isinstance(items[1], Atom) and items[1].kind == "TIMES":
        items = (items[0], items[2])
    exponent = power_of_ten(items[1]) if len(items) == 2 else 0
    figure = items[0] if 1 <= len(items) <= 2 else None
    if not isinstance(figure, Atom) or figure.kind != "NUM" or "." not in figure.text or exponent is None:
        return None
    decimals = len(figure.text.partition(".")[2].partition("e")[0])
    return float(10.0 ** (exponent - decimals)) if "e" not in figure.text else None


def power_of_ten(node: Node) -> int | None:
    """The exponent of a power of ten; None for all else."""
    if not isinstance(node, Scripted) or not isinstance(node.base, Atom) or node.base.text != "10" or node.below:
        return None
    texts = "".join(token.text for token in node.above[0]) if len(node.above) == 1 else ""
    return int(texts) if texts.removeprefix("-").isdigit() and len(texts) < 4 else None


def agree_as_rounded(left: Sum, right: Sum, one: np.ndarray, other: np.ndarray) -> bool:
    """Whether one member is the other rounded to its last decimal, or cut off behind it: the second, or else the first.

    Args:
        left: the first member.
        right: the second one.
        one: the value of the first.
        other: that of the second.
    """
    unit = unit_of(right)
    value, figure = (one, other) if unit is not None else (other, one)
    unit = unit if unit is not None else unit_of(left)
    if unit is None:
        return False
    rounded = np.abs(value - figure) <= unit / 2 * (1 + 1e-9)
    cut_off = (figure * value >= 0) & (np.abs(figure) <= np.abs(value)) & (np.abs(value - figure) < unit * (1 - 1e-9))
    return bool(np.all(rounded | cut_off))
