"""The verdict on every member of a chain: against the exact numbers, and against what stands before it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from indexcalc.proof.document.verdicts import Verdict
from indexcalc.proof.figures.chains import Chain, Member
from indexcalc.proof.figures.evaluating import NotEvaluatedError, interval, readings
from indexcalc.proof.figures.heads import Head, head_of
from indexcalc.proof.figures.intervals import Interval, hull, point
from indexcalc.proof.figures.lists import judge_list
from indexcalc.proof.figures.naming import Local, Names
from indexcalc.proof.figures.nodes import Dots, Figure, Name, Node, Product, Rows, Sum, has_figures, names_in, walk
from indexcalc.proof.figures.operands import Ledger, Operands, Stated, close, inside, rounded
from indexcalc.proof.figures.unshown import explained
from indexcalc.proof.numeric import Array

CORNERS = 4
"""The most figures of a formula of arrays that are read at both ends."""


@dataclass(frozen=True)
class Finding:
    """A verdict on a member, with its reason."""

    verdict: Verdict
    reason: str = ""
    correction: str = ""
    assumptions: tuple[str, ...] = ()


@dataclass
class Progress:
    """What is known on the way along a chain.

    Attributes:
        head: what the chain is about.
        target: the exact number that every member should be; None if it is not known.
        broken: the number that a refuted member has instead.
        line: the line of that member.
        before: the member before.
        source: where the member before lies.
        verdict: the verdict on it.
        origin: the wrong line that it follows from.
    """

    head: Head
    target: float | None = None
    broken: float | None = None
    line: int = 0
    before: Node | None = None
    source: Interval | None = None
    verdict: Verdict = Verdict.CONFIRMED
    origin: int = 0


class Judge:
    """Judges the chains of one sheet in order; every figure that it reads may stand in an arithmetic below."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.ledger = Ledger()
        self.operands = Operands(names, self.ledger)

    def chain(self, chain: Chain, lines: Sequence[int], context: str) -> list[Finding | None]:
        """A finding for each member; None where a member states nothing that could be judged.

        Args:
            chain: what to judge.
            lines: the line of each member.
            context: the text of the section above it.
        """
        general = isinstance(chain.head, Name) and chain.head.symbolic
        if general or not any(member.node is None or is_statement(member.node) for member in chain.members):
            return [None] * len(chain.members)
        head = head_of(chain, self.names, context)
        progress = Progress(head, target=head.number, before=self.implied(chain, head))
        findings: list[Finding | None] = []
        for member, line in zip(chain.members, lines, strict=True):
            if member.becomes:
                progress = Progress(after := head.after(self.names), target=after.number)
            findings.append(self.member(member, line, progress))
        self.remember(chain, progress)
        return [self.with_readings(finding, head) for finding in findings]

    def with_readings(self, finding: Finding | None, head: Head) -> Finding | None:
        """The finding with what was read into the name of the head."""
        return replace(finding, assumptions=head.assumptions) if finding is not None else None

    def implied(self, chain: Chain, head: Head) -> Node | None:
        """The formula that an entry has before its first member: an update is the old entry minus rate times slope."""
        if chain.head is not None and not isinstance(chain.head, Name):
            return chain.head
        meaning = head.meaning
        if meaning is None or meaning.quantity.key[0] != "new" or meaning.values.shape != ():
            return None
        tensor = meaning.quantity.key[1]
        places = tuple(
            int(n) + self.names.first for n in np.unravel_index(int(meaning.flats), meaning.quantity.values.shape)
        )
        text = f"[{','.join(map(str, places))}]" if places else ""
        old = Name(tensor, places=places, text=f"{tensor}{text}")
        slope = Name(tensor, gradient=True, places=places, text=f"dL/d{tensor}{text}")
        rate = Name("learning_rate", text="the learning rate")
        return Sum(((1, old), (-1, Product(((1, rate), (1, slope))))))

    def member(self, member: Member, line: int, progress: Progress) -> Finding | None:
        """One member."""
        node = member.node
        if node is None:
            progress.before = progress.source = None
            return (
                None if not member.unread_figures else Finding(Verdict.UNCLEAR, "this cannot be read as an expression")
            )
        if isinstance(node, Rows):
            if not has_figures(node):
                return None
            finding = judge_list(node, line, progress.head, self.names, self.ledger)
            progress.before = progress.source = None
            return Finding(*finding)
        if isinstance(node, Figure):
            finding = self.figure(node, line, progress)
        else:
            finding = self.formula(node, line, progress)
        if finding is not None and finding.verdict is not Verdict.UNCLEAR:
            progress.verdict = finding.verdict
            progress.origin = line if finding.verdict is Verdict.REFUTED else progress.origin
        return finding

    # A formula or an arithmetic.

    def formula(self, node: Node, line: int, progress: Progress) -> Finding | None:
        """A member with names or operations in it."""
        if any(name.symbolic for name in names_in(node)):
            progress.before = progress.source = None
            return None
        if progress.before is not None:
            self.operands.tie(progress.before, node)
        progress.before = node
        figures = [figure for figure in inside(node) if figure.start]
        operands = [self.operands.of(figure) for figure in figures]
        bad = next((o for o in operands if o.verdict is Verdict.REFUTED and o.reason), None)
        try:
            source = interval(node, self.operands.interval, self.names)
        except NotEvaluatedError as error:
            progress.source = None
            if any(isinstance(inner, Dots) for inner in walk(node)):
                if bad is not None:
                    return Finding(Verdict.REFUTED, bad.reason)
                return Finding(Verdict.SCHEMATIC, "dots stand for some terms; those that are shown are compared")
            return self.of_arrays(node, progress, str(error))
        progress.source = source
        exact = self.operands.exact_value(node)
        if progress.target is None:
            return self.new_name(exact, bad, progress)
        target = progress.target
        if source.holds(target) or near_zero(source, target, operands):
            return self.admitted(operands, bad, progress)
        wrong = next((o for o in operands if o.verdict is Verdict.FOLLOWS), None)
        if progress.broken is not None and source.holds(progress.broken):
            progress.origin = progress.line
            return Finding(Verdict.FOLLOWS, f"equals the member before it, which is wrong (line {progress.line})")
        if bad is not None and progress.broken is None:
            return Finding(Verdict.REFUTED, self.off(source, progress, bad.reason))
        if wrong is not None:
            progress.origin = wrong.line
            return Finding(Verdict.FOLLOWS, self.off(source, progress, wrong.reason or f"see line {wrong.line}"))
        if progress.verdict in (Verdict.FOLLOWS, Verdict.REFUTED) and progress.broken is None and progress.origin:
            return Finding(Verdict.FOLLOWS, self.off(source, progress, f"see line {progress.origin}"))
        progress.broken, progress.line = exact if exact is not None else middle(source), line
        return Finding(Verdict.REFUTED, self.off(source, progress, self.other(source, progress)))

    def admitted(self, operands: Sequence[object], bad: object, progress: Progress) -> Finding:
        """A member whose figures admit the exact number."""
        from indexcalc.proof.figures.operands import Operand  # noqa: PLC0415

        listed = [operand for operand in operands if isinstance(operand, Operand)]
        wrong = next((operand for operand in listed if operand.verdict is Verdict.FOLLOWS and operand.reason), None)
        odd = bad if isinstance(bad, Operand) else wrong
        if odd is not None and progress.broken is not None:
            return Finding(Verdict.CONFIRMED, f"the figures are right, not the names: {odd.reason}")
        if isinstance(bad, Operand):
            progress.origin = bad.line
            return Finding(Verdict.REFUTED, bad.reason)
        if wrong is not None and operand_matters(wrong):
            progress.origin = wrong.line
            return Finding(Verdict.FOLLOWS, wrong.reason)
        if any(operand.verdict is Verdict.ROUNDED for operand in listed):
            return Finding(Verdict.ROUNDED, "its figures are rounded above")
        return Finding(Verdict.CONFIRMED)

    def new_name(self, exact: float | None, bad: object, progress: Progress) -> Finding | None:
        """The first formula of a name that the model does not have gives it a value."""
        if progress.head.array is not None:
            return Finding(Verdict.UNCLEAR, "a number is stated of an array")
        progress.target = exact
        if isinstance(bad, object) and bad is not None and hasattr(bad, "reason"):
            return Finding(Verdict.REFUTED, str(bad.reason))
        return Finding(Verdict.DEFINITION) if progress.head.meaning is None and progress.head.name else None

    def of_arrays(self, node: Node, progress: Progress, why: str) -> Finding | None:
        """A formula of whole arrays: exact, but for figures that nothing explains."""
        target = progress.head.array
        if target is None and progress.target is not None:
            target = np.asarray(progress.target)
        unknown = [figure for figure in inside(node) if self.operands.exact(figure) is None]
        try:
            corners = [readings(node, exact, self.names) for exact in self.choices(unknown)]
        except NotEvaluatedError as error:
            plain = not any(isinstance(inner, Figure) and not inner.whole for inner in walk(node))
            return None if plain else Finding(Verdict.UNCLEAR, str(error) or why)
        if target is None:
            return None
        found = list(zip(*corners, strict=False))
        if any(spans(arrays, target) for arrays in found):
            return Finding(Verdict.CONFIRMED)
        if isinstance(node, Name) or all(array.shape != target.shape for arrays in found for array in arrays):
            return None
        first = [arrays[0] for arrays in found]
        return Finding(Verdict.REFUTED, f"as named, this is not {progress.head.text}{self.other_array(first)}")

    def choices(self, unknown: Sequence[Figure]) -> Iterator[Callable[[Figure], float | None]]:
        """Ways to read the figures that nothing explains: at either end of what they show."""
        if len(unknown) > CORNERS:
            unknown = ()
        for ends in product((-1, 1), repeat=len(unknown)):
            chosen = {figure.start: figure.value + end * figure.half for figure, end in zip(unknown, ends, strict=True)}
            yield lambda figure, chosen=chosen: chosen.get(figure.start, self.operands.exact(figure))

    def other_array(self, found: Sequence[Array]) -> str:
        """Which quantity a formula gives instead."""
        for quantity in self.names.model.quantities.values():
            if any(same_array(array, quantity.values) for array in found):
                return f", but {quantity.text}"
        return ""

    # A single figure.

    def figure(self, figure: Figure, line: int, progress: Progress) -> Finding | None:
        """A member that is a number."""
        target, source = progress.target, progress.source
        head = progress.head
        if target is None and source is None and progress.before is None:
            if head.array is not None:
                return Finding(Verdict.UNCLEAR, f"one number is stated, but {head.text} is an array")
            progress.before, progress.source = figure, self.operands.interval(figure)
            return Finding(Verdict.UNCLEAR, head.problem) if head.problem else None
        finding, exact = self.number(figure, line, progress)
        place = head.place
        verdict = finding.verdict
        # What a figure rounds and what its line is worth are two things: a right number may stand beside a wrong name.
        self.ledger.add(
            Stated(figure, exact, verdict if exact is None or close_to(exact, target) else Verdict.ROUNDED, line), None
        )
        if place is not None:
            self.ledger.entries[place] = Stated(figure, target, verdict, line)
        progress.before, progress.source = figure, hull_of(figure, exact)
        return finding

    def number(self, figure: Figure, line: int, progress: Progress) -> tuple[Finding, float | None]:
        """The finding on a number, and what it rounds."""
        target, source = progress.target, progress.source
        if target is None:
            return self.own_number(figure, line, progress)
        if figure.digits.holds(target):
            return Finding(Verdict.CONFIRMED, self.coarse(figure, target)), target
        off = self.off_by(figure, target)
        if source is None:
            return self.unshown(figure, line, progress, off), self.unshown_exact(figure, progress)
        calculated = figure.digits.meets(source)
        if calculated and source.holds(target) and progress.verdict not in (Verdict.FOLLOWS, Verdict.REFUTED):
            return Finding(Verdict.ROUNDED, f"follows from rounded figures above; exactly {off}"), target
        if calculated and progress.broken is not None:
            progress.origin = progress.line
            remark = (
                "" if figure.digits.holds(progress.broken) else f"; rounded, from {rounded(progress.broken, figure)}"
            )
            return Finding(
                Verdict.FOLLOWS, f"line {progress.line} is wrong: {off}{remark}", self.right(target, figure)
            ), progress.broken
        if calculated and source.holds(target):
            return Finding(Verdict.ROUNDED, f"follows from rounded figures above; exactly {off}"), target
        if calculated and progress.verdict in (Verdict.FOLLOWS, Verdict.REFUTED):
            where = f"line {progress.origin} is wrong: " if progress.origin else ""
            return Finding(Verdict.FOLLOWS, f"{where}{off}", self.right(target, figure)), target
        shown = "" if calculated else f"; the figures shown give {spanned(source, figure)}"
        progress.broken, progress.line = None, line
        return Finding(Verdict.REFUTED, f"{off}{shown}", self.right(target, figure)), None

    def own_number(self, figure: Figure, line: int, progress: Progress) -> tuple[Finding, float | None]:
        """A number of which only the arithmetic before it is known."""
        source = progress.source
        if source is None:
            return Finding(Verdict.UNCLEAR, "the arithmetic before it cannot be followed"), None
        if not figure.digits.meets(source):
            return Finding(Verdict.REFUTED, f"the figures shown give {spanned(source, figure)}"), None
        if abs(middle(source) - figure.value) <= figure.half * (1 + 1e-9):
            return Finding(Verdict.CONFIRMED, "follows from the figures shown"), None
        return Finding(Verdict.ROUNDED, f"admitted by the digits shown, which give {spanned(source, figure)}"), None

    def unshown(self, figure: Figure, line: int, progress: Progress, off: str) -> Finding:
        """A number that is off, where no arithmetic is shown."""
        verdict, reason = explained(figure, progress.head, 0, self.names, self.ledger)
        if verdict is Verdict.ROUNDED:
            return Finding(verdict, f"follows from rounded figures above; exactly {off}")
        assert progress.target is not None
        right = self.right(progress.target, figure)
        if verdict is Verdict.FOLLOWS:
            return Finding(verdict, f"{reason}: {off}", right)
        return Finding(Verdict.REFUTED, off + self.other(figure.digits, progress), right)

    def unshown_exact(self, figure: Figure, progress: Progress) -> float | None:
        """What a number rounds, if it is explained."""
        verdict, _ = explained(figure, progress.head, 0, self.names, self.ledger)
        return progress.target if verdict is Verdict.ROUNDED else None

    # Words.

    def off_by(self, figure: Figure, target: float) -> str:
        """What would be right, and by how much a figure is off."""
        return f"{rounded(target, figure)} ({target:.6g}) is right, off by {abs(figure.value - target):.2g}"

    def right(self, target: float, figure: Figure) -> str:
        """The right number."""
        return rounded(target, figure)

    def coarse(self, figure: Figure, target: float) -> str:
        """That a zero is right only to the digits it shows."""
        return (
            f"to the digits shown; it is {target:.4g}"
            if figure.value == 0 and target != 0 and not close_to_zero(target)
            else ""
        )

    def off(self, source: Interval, progress: Progress, more: str) -> str:
        """What a formula gives, and what its head is."""
        assert progress.target is not None
        gives = f"this gives {middle(source):.4g}, but {progress.head.text or 'the head'} is {progress.target:.4g}"
        return f"{gives}; {more.removeprefix('; ')}" if more else gives

    def other(self, source: Interval, progress: Progress) -> str:
        """Which entry of another tensor of the same shape has this value, if there is one."""
        place = progress.head.place
        if place is None or source.holds(0.0):
            return ""
        own = self.names.model.quantities[place[0]]
        for quantity in self.names.model.quantities.values():
            same_kind = quantity.key[0] == own.key[0] and quantity.values.shape == own.values.shape
            if not same_kind or quantity.key == own.key:
                continue
            value = float(quantity.values.reshape(-1)[place[1]])
            if source.holds(value):
                progress.broken = value
                return f"; it is {quantity.entry(place[1])} = {value:.4g} of the model: the name or the formula is another's"
        return ""

    def remember(self, chain: Chain, progress: Progress) -> None:
        """Give a name of the sheet's own the value that its chain found."""
        head = progress.head
        if head.name and head.meaning is None and progress.target is not None:
            self.names.locals.setdefault(head.name, Local(None, np.asarray(progress.target)))
        elif head.introduces and head.meaning is not None:
            self.names.locals.setdefault(head.introduces, Local(head.meaning))


def is_statement(node: Node) -> bool:
    """Whether a member says something that numbers can refute: figures, or entries with numbers as indices."""
    return has_figures(node) or not any(name.symbolic for name in names_in(node))


def operand_matters(operand: object) -> bool:
    """Whether a wrong operand is to be told although the result admits the exact number."""
    return bool(getattr(operand, "line", 0))


def near_zero(source: Interval, target: float, operands: Sequence[object]) -> bool:
    """Whether both are zero but for the rounding of doubles."""
    return close_to_zero(target) and abs(source.low) < 1e-15 and abs(source.high) < 1e-15


def close_to_zero(value: float) -> bool:
    """Whether a computed number is zero but for the rounding of doubles."""
    return abs(value) < 1e-15


def middle(source: Interval) -> float:
    """The middle of an interval."""
    return source.low if source.low == source.high else (source.low + source.high) / 2


def close_to(exact: float, target: float | None) -> bool:
    """Whether a figure rounds what its name says."""
    return target is not None and (close(exact, target) or exact == target)


def hull_of(figure: Figure, exact: float | None) -> Interval:
    """What a figure may have been."""
    if exact is None:
        return point(figure.value)
    return hull([figure.value, exact])


def spanned(source: Interval, figure: Figure) -> str:
    """An interval at the precision of a figure."""
    low, high = rounded(source.low, figure), rounded(source.high, figure)
    return low if low == high else f"{low} to {high}"


def spans(arrays: Sequence[Array], target: Array) -> bool:
    """Whether a target lies between arrays, entry by entry."""
    if any(array.shape != target.shape for array in arrays):
        return False
    scale = 1e-9 * max(float(np.max(np.abs(target), initial=0.0)), 1e-300)
    low, high = np.min(arrays, axis=0), np.max(arrays, axis=0)
    return bool(np.all((low - scale <= target) & (target <= high + scale)))


def same_array(array: Array, target: Array) -> bool:
    """Whether two arrays are equal but for the rounding of doubles."""
    if array.shape != target.shape:
        return False
    scale = max(float(np.max(np.abs(target), initial=0.0)), 1e-300)
    return bool(np.max(np.abs(array - target), initial=0.0) <= 1e-9 * scale)
