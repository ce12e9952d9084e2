"""What the figures in an arithmetic stand for: each is tied to the part of the formula before it that it replaces."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from indexcalc.document.report import Verdict
from indexcalc.figures.evaluating import NotEvaluatedError, interval, readings
from indexcalc.figures.intervals import Interval, hull, point
from indexcalc.figures.model import Key
from indexcalc.figures.naming import Names, UnknownNameError
from indexcalc.figures.nodes import Call, Figure, Name, Node, Power, Product, Sum, walk

SAME = 1e-9
"""Two exact values are the same number if they differ by less, relative to the larger."""


@dataclass(frozen=True)
class Stated:
    """A figure that the sheet states of an entry.

    Attributes:
        figure: as it is written.
        exact: the number that it rounds; None if that is not known.
        verdict: right, rounded, or wrong.
        line: where it stands.
    """

    figure: Figure
    exact: float | None
    verdict: Verdict
    line: int


@dataclass
class Ledger:
    """All figures stated so far.

    Attributes:
        entries: the latest figure of each entry.
        literals: the figures by what they show, without a sign.
        last: the latest figure of each name of the sheet's own.
    """

    entries: dict[tuple[Key, int], Stated] = field(default_factory=dict)
    literals: dict[str, list[Stated]] = field(default_factory=dict)

    def add(self, stated: Stated, place: tuple[Key, int] | None) -> None:
        """Write a figure down."""
        if place is not None:
            self.entries[place] = stated
        self.literals.setdefault(shown(stated.figure), []).append(stated)

    def like(self, figure: Figure) -> list[Stated]:
        """The figures above that show the same digits, signs apart."""
        return self.literals.get(shown(figure), [])


def shown(figure: Figure) -> str:
    """A figure by its digits."""
    return f"{abs(figure.value):.12g}±{figure.half:.3g}"


@dataclass(frozen=True)
class Operand:
    """A figure in an arithmetic.

    Attributes:
        interval: what it may have been before it was rounded.
        exact: what it rounds; None if that is not known.
        verdict: right, rounded, follows from a wrong line, or refuted if it is not what the formula says.
        reason: what it should be.
        line: the wrong line that it comes from.
    """

    interval: Interval
    exact: float | None
    verdict: Verdict = Verdict.CONFIRMED
    reason: str = ""
    line: int = 0


def tied(formula: Node, figures: Node, sign: int = 1) -> Iterator[tuple[Figure, int, Node]]:
    """``(figure, sign, part)`` for every figure that replaces a part of a formula of the same structure."""
    if isinstance(figures, Figure):
        yield figures, sign, formula
        return
    match formula, figures:
        case Sum(left), Sum(right) if len(left) == len(right):
            for (before, part), (after, number) in zip(left, right, strict=True):
                yield from tied(part, number, sign * before * after)
        case Product(above), Product(below) if [side for side, _ in above] == [side for side, _ in below]:
            for place, ((_, part), (_, number)) in enumerate(zip(above, below, strict=True)):
                yield from tied(part, number, 1 if place else sign)
        case Power(base, exponent), Power(other, raised) if sign > 0:
            yield from tied(base, other)
            yield from tied(exponent, raised)
        case Call(name, arguments), Call(same, others) if name == same and len(arguments) == len(others) and sign > 0:
            for part, number in zip(arguments, others, strict=True):
                yield from tied(part, number)


@dataclass
class Operands:
    """The operands of a sheet's arithmetic, by the place of each figure.

    Attributes:
        names: what names mean.
        ledger: the figures above.
        known: the operands found so far.
    """

    names: Names
    ledger: Ledger
    known: dict[int, Operand] = field(default_factory=dict)

    def interval(self, figure: Figure) -> Interval:
        """What a figure may have been before it was rounded."""
        return self.of(figure).interval

    def exact(self, figure: Figure) -> float | None:
        """What a figure rounds."""
        return self.of(figure).exact

    def of(self, figure: Figure) -> Operand:
        """The operand of a figure; by its digits alone if nothing says what it stands for."""
        if figure.start and figure.start in self.known:
            return self.known[figure.start]
        return self.note(figure, self.free(figure))

    def note(self, figure: Figure, operand: Operand) -> Operand:
        """Remember an operand."""
        if figure.start:
            self.known[figure.start] = operand
        return operand

    def free(self, figure: Figure) -> Operand:
        """A figure that nothing before it explains."""
        if figure.whole or abs(figure.value) in self.names.model.given or figure.value in self.names.model.given:
            return Operand(point(figure.value), figure.value)
        above = self.ledger.like(figure)
        known = [stated for stated in above if stated.exact is not None]
        good = [stated for stated in known if stated.verdict in (Verdict.CONFIRMED, Verdict.ROUNDED)]
        if good:
            exacts = [signed(stated, figure) for stated in good]
            worst = Verdict.ROUNDED if all(s.verdict is Verdict.ROUNDED for s in good) else Verdict.CONFIRMED
            single = exacts[-1] if all(close(exacts[-1], other) for other in exacts) else None
            return Operand(hull([figure.value, *exacts]), single, worst)
        wrong = [stated for stated in above if stated.verdict in (Verdict.REFUTED, Verdict.FOLLOWS)]
        if wrong:
            return Operand(figure.digits, None, Verdict.FOLLOWS, f"{figure.text} is wrong", wrong[-1].line)
        return Operand(figure.digits, None)

    def tie(self, formula: Node, figures: Node) -> None:
        """Find the operands of an arithmetic from the formula, or the arithmetic, before it."""
        for figure, sign, part in tied(formula, figures):
            self.note(figure, self.standing_for(figure, sign, part))

    def standing_for(self, figure: Figure, sign: int, part: Node) -> Operand:
        """A figure that replaces a part of a formula."""
        if isinstance(part, Figure):
            before = self.of(part)
            if part.value == sign * figure.value and part.half == figure.half:
                return before if sign > 0 else mirrored(before)
        try:
            source = interval(part, self.interval, self.names)
        except NotEvaluatedError:
            return self.free(figure)
        source = source if sign > 0 else Interval(-source.high, -source.low)
        exact = self.exact_value(part, sign)
        if exact is None:
            if figure.digits.meets(source):
                return Operand(hull([figure.value, source.low, source.high]), None)
            return self.refuted(figure, part, source, None)
        if figure.digits.holds(exact) or close(figure.value, exact):
            return Operand(hull([figure.value, exact]), exact)
        if not isinstance(part, Name) and figure.digits.meets(source) and source.holds(exact):
            return Operand(hull([figure.value, exact]), exact, Verdict.ROUNDED)
        return self.from_above(figure, sign, part, source, exact)

    def from_above(self, figure: Figure, sign: int, part: Node, source: Interval, exact: float) -> Operand:
        """A figure that is off what it stands for: as stated above, or wrong here."""
        same = [s for s in self.ledger.like(figure) if s.exact is not None and close(signed(s, figure), exact)]
        if any(stated.verdict is Verdict.ROUNDED for stated in same):
            return Operand(hull([figure.value, exact]), exact, Verdict.ROUNDED)
        stated = self.entry(part)
        if stated is not None and stated.figure.value == sign * figure.value and stated.figure.half == figure.half:
            if stated.verdict in (Verdict.REFUTED, Verdict.FOLLOWS):
                reason = f"{figure.text} is off on line {stated.line}: {written(part)} is {rounded(exact, figure)}"
                return Operand(self.free(figure).interval, exact, Verdict.FOLLOWS, reason, stated.line)
            return Operand(hull([figure.value, exact]), exact, Verdict.ROUNDED)
        return self.refuted(figure, part, source, exact)

    def refuted(self, figure: Figure, part: Node, source: Interval, exact: float | None) -> Operand:
        """A figure that is not what it stands for."""
        value = exact if exact is not None else (source.low + source.high) / 2
        reason = f"{figure.text} stands for {written(part)}, which is {rounded(value, figure)}"
        wrong = [operand for inner in inside(part) if (operand := self.of(inner)).line]
        if wrong and figure.digits.meets(source):
            return Operand(figure.digits, exact, Verdict.FOLLOWS, reason, wrong[0].line)
        loose = self.free(figure)
        return Operand(loose.interval, exact, Verdict.REFUTED, reason)

    def entry(self, part: Node) -> Stated | None:
        """What the sheet states above of the entry that a part names."""
        if not isinstance(part, Name):
            return None
        try:
            meaning = self.names.meaning(part)
        except UnknownNameError:
            return None
        if meaning.flats.size != 1:
            return None
        return self.ledger.entries.get((meaning.quantity.key, int(meaning.flats.reshape(()))))

    def exact_value(self, part: Node, sign: int = 1) -> float | None:
        """The exact value of a scalar expression, if all that stands in it is known exactly."""
        try:
            found = readings(part, self.exact, self.names)
        except NotEvaluatedError:
            return None
        scalars = [sign * float(value.reshape(())) for value in found if value.size == 1]
        return scalars[0] if len(scalars) == 1 and np.isfinite(scalars[0]) else None


def inside(node: Node) -> list[Figure]:
    """The figures in an expression."""
    return [inner for inner in walk(node) if isinstance(inner, Figure)]


def mirrored(operand: Operand) -> Operand:
    """The operand with the other sign."""
    exact = None if operand.exact is None else -operand.exact
    span = Interval(-operand.interval.high, -operand.interval.low)
    return Operand(span, exact, operand.verdict, operand.reason, operand.line)


def signed(stated: Stated, figure: Figure) -> float:
    """What a figure above rounds, with the sign of a figure here."""
    assert stated.exact is not None
    return stated.exact if (stated.figure.value < 0) == (figure.value < 0) else -stated.exact


def close(left: float, right: float) -> bool:
    """Whether two exact values are the same number."""
    return abs(left - right) <= SAME * max(abs(left), abs(right))


def rounded(value: float, figure: Figure) -> str:
    """A number at the precision of a figure; one in scientific notation with as many digits as the figure."""
    unit = 2 * figure.half
    if any(mark in figure.text for mark in ("e", "E", "10", "%")) and not figure.text.lstrip("-").startswith("10"):
        digits = max(1, math.floor(math.log10(abs(figure.value) / unit) + 1e-9) + 1) if figure.value else 3
        return f"{value:.{min(digits, 15)}g}"
    text = f"{value:.{max(0, round(-math.log10(unit)))}f}"
    return text if float(text) != 0 or value == 0 else f"{value:.4g}"


def written(node: Node) -> str:
    """An expression in words short enough for a reason."""
    match node:
        case Name():
            return node.text
        case Figure():
            return node.text
    return "the part it replaces"
