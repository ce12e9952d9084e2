"""Second derivatives as they are written: a fraction with two signs of a derivative above, and below what it is by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from indexcalc.document.statements.trees import is_differential
from indexcalc.language.latex.tree import Fraction, Node, Scripted


@dataclass(frozen=True, slots=True)
class Twice:
    """A second derivative: of what, if that stands in the fraction, and by what first and second."""

    body: tuple[Node, ...]
    first: tuple[Node, ...]
    second: tuple[Node, ...]


def twice(item: Fraction) -> Twice | None:
    r"""The second derivative that a fraction is, as ``\frac{d^2 f}{dx^2}`` or ``\frac{d^2 f}{dx dy}``, or None."""
    above, below = item.numerator.only, item.denominator.only
    if above is None or below is None or not is_doubled(above.items[0]):
        return None
    signs = [place for place, node in enumerate(below.items) if is_differential(node)]
    if signs == [0] and len(below.items) == 2:
        target = without_square(below.items[1])
        return Twice(above.items[1:], (target,), (target,)) if target is not None else None
    if signs == [0, 2] and len(below.items) == 4:
        return Twice(above.items[1:], below.items[1:2], below.items[3:4])
    return None


def is_doubled(node: Node) -> bool:
    """Whether a node is the sign of a second derivative."""
    return isinstance(node, Scripted) and is_differential(node.base) and is_square(node.above)


def without_square(node: Node) -> Node | None:
    """What bears a square, without it; None if it bears none."""
    if not isinstance(node, Scripted) or not is_square(node.above[-1:]):
        return None
    rest = replace(node, above=node.above[:-1])
    return rest if rest.below or rest.above or rest.primes else rest.base


def is_square(above: Sequence[Sequence[object]]) -> bool:
    """Whether superscripts are one square."""
    return len(above) == 1 and [getattr(token, "text", "") for token in above[0]] == ["2"]
