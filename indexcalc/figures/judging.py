"""The verdict on every member of a chain: against the exact numbers, and against what stands before it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from indexcalc.document.report import Verdict
from indexcalc.figures.chains import Chain, Member
from indexcalc.figures.evaluating import NotEvaluatedError, interval
from indexcalc.figures.formulas import another, judge_formula
from indexcalc.figures.heads import Head, head_of
from indexcalc.figures.intervals import Interval, hull, point
from indexcalc.figures.lists import judge_list
from indexcalc.figures.naming import Local, Names
from indexcalc.figures.nodes import Figure, Name, Node, Product, Rows, Sum, has_figures, names_in
from indexcalc.figures.operands import Ledger, Operands, Stated, close, rounded
from indexcalc.figures.progress import NOTHING, Finding, Progress, middle, spanned
from indexcalc.figures.unshown import explained


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
        before = self.implied(chain, head)
        progress = Progress(head, target=head.number, before=before, source=self.arithmetic(chain.head))
        findings: list[Finding | None] = []
        following = [member.node for member in chain.members[1:]]
        for member, line, ahead in zip(chain.members, lines, [*following, None], strict=True):
            if member.becomes:
                later = head.after(self.names)
                progress = Progress(later, target=later.number)
            findings.append(self.member(member, line, progress, ahead))
        self.remember(progress)
        return [replace(f, assumptions=head.assumptions) if f is not None else None for f in findings]

    def arithmetic(self, head: Node | None) -> Interval | None:
        """Where a head lies that is no name but an arithmetic of its own."""
        if head is None or isinstance(head, Name | Figure | Rows):
            return None
        try:
            found = interval(head, self.operands.interval, self.names)
        except NotEvaluatedError:
            return None
        return found if math.isfinite(found.high - found.low) else None

    def implied(self, chain: Chain, head: Head) -> Node | None:
        """The formula that an updated entry has before its first member: the old entry minus rate times slope."""
        if chain.head is not None and not isinstance(chain.head, Name):
            return chain.head
        place = head.place
        if place is None or place[0][0] != "new" or head.meaning is None:
            return None
        tensor = place[0][1]
        at = np.unravel_index(place[1], head.meaning.quantity.values.shape)
        places = tuple(int(number) + (self.names.first or 0) for number in at)
        text = f"[{','.join(map(str, places))}]" if places else ""
        old = Name(tensor, places=places, text=tensor + text)
        slope = Name(tensor, gradient=True, places=places, text=f"dL/d{tensor}{text}")
        rate = Name("learning_rate", text="the learning rate")
        return Sum(((1, old), (-1, Product(((1, rate), (1, slope))))))

    def member(self, member: Member, line: int, progress: Progress, following: Node | None) -> Finding | None:
        """The finding on one member."""
        node = member.node
        if node is None:
            progress.forget()
            unread = Finding(Verdict.UNCLEAR, "this cannot be read as an expression")
            return unread if member.unread_figures else None
        if isinstance(node, Rows):
            progress.forget()
            if not has_figures(node):
                return None
            return Finding(*judge_list(node, line, progress.head, self.names, self.ledger))
        if isinstance(node, Figure):
            finding = self.figure(node, line, progress)
        else:
            finding = judge_formula(node, line, progress, self.operands, following)
        if finding is not None and finding.verdict is not Verdict.UNCLEAR:
            progress.verdict = finding.verdict
            progress.origin = line if finding.verdict is Verdict.REFUTED else progress.origin
        return finding

    def figure(self, figure: Figure, line: int, progress: Progress) -> Finding | None:
        """The finding on a number, which is written down for what stands below."""
        head = progress.head
        if progress.target is None and progress.source is None and progress.before is None:
            if head.array is not None:
                return Finding(Verdict.UNCLEAR, f"one number is stated, but {head.text} is an array")
            progress.before, progress.source = figure, self.operands.interval(figure)
            return Finding(Verdict.UNCLEAR, head.problem) if head.problem else None
        finding, exact = self.number(figure, progress)
        # A figure may be right for what it was calculated from and stand beside another's name.
        own = exact is None or (
            progress.target is not None and (close(exact, progress.target) or exact == progress.target)
        )
        self.ledger.add(Stated(figure, exact, finding.verdict if own else Verdict.ROUNDED, line), None)
        if head.place is not None:
            self.ledger.entries[head.place] = Stated(figure, progress.target, finding.verdict, line)
        if finding.verdict is Verdict.REFUTED and progress.broken is not None:
            progress.line = line
        progress.before, progress.source = figure, hull_of(figure, exact)
        return finding

    def number(self, figure: Figure, progress: Progress) -> tuple[Finding, float | None]:
        """The finding on a number, and what it rounds if that is known."""
        target, source = progress.target, progress.source
        if target is None:
            return own_number(figure, source), None
        if figure.digits.holds(target):
            coarse = figure.value == 0 and abs(target) > NOTHING
            return Finding(Verdict.CONFIRMED, f"to the digits shown; it is {target:.4g}" if coarse else ""), target
        if source is None:
            return self.unshown(figure, progress)
        if figure.digits.meets(source):
            if not progress.wrong and source.holds(target):
                return Finding(
                    Verdict.ROUNDED, f"follows from rounded figures above; exactly {progress.off(figure)}"
                ), target
            if progress.broken is not None:
                return follows_broken(figure, progress), progress.broken
            if progress.wrong:
                where = f"line {progress.origin} is wrong: " if progress.origin else ""
                return Finding(Verdict.FOLLOWS, where + progress.off(figure), progress.right(figure)), target
        repeated = self.repeated(figure, progress)
        if repeated is not None:
            return repeated, target
        shown = "" if figure.digits.meets(source) else f"; the figures shown give {spanned(source, figure)}"
        progress.broken = None
        return Finding(Verdict.REFUTED, progress.off(figure) + shown, progress.right(figure)), None

    def repeated(self, figure: Figure, progress: Progress) -> Finding | None:
        """A number that is off because the sheet states it so above, of the entry that the member before names."""
        if not isinstance(progress.before, Name):
            return None
        operand = self.operands.standing_for(figure, 1, progress.before)
        if operand.verdict is Verdict.ROUNDED:
            return Finding(Verdict.ROUNDED, f"as rounded above; exactly {progress.off(figure)}")
        if operand.verdict is not Verdict.FOLLOWS or not operand.line:
            return None
        progress.origin = operand.line
        reason = f"line {operand.line} is wrong: {progress.off(figure)}"
        return Finding(Verdict.FOLLOWS, reason, progress.right(figure))

    def unshown(self, figure: Figure, progress: Progress) -> tuple[Finding, float | None]:
        """A number that is off, where no arithmetic is shown."""
        verdict, reason = explained(figure, progress.head, 0, self.names, self.ledger)
        off, right = progress.off(figure), progress.right(figure)
        if verdict is Verdict.ROUNDED:
            return Finding(verdict, f"follows from rounded figures above; exactly {off}"), progress.target
        if verdict is Verdict.FOLLOWS:
            return Finding(verdict, f"{reason}: {off}", right), None
        other = another(figure.digits, progress, self.operands)
        return Finding(Verdict.REFUTED, f"{off}; {other}" if other else off, right), progress.broken

    def remember(self, progress: Progress) -> None:
        """Give a name of the sheet's own what its chain found."""
        head = progress.head
        if head.name and head.meaning is None and progress.target is not None:
            self.names.locals.setdefault(head.name, Local(None, np.asarray(progress.target)))
        elif head.introduces and head.meaning is not None:
            self.names.locals.setdefault(head.introduces, Local(head.meaning))


def follows_broken(figure: Figure, progress: Progress) -> Finding:
    """A number that is what a wrong member gives."""
    assert progress.broken is not None
    progress.origin = progress.line
    exact = "" if figure.digits.holds(progress.broken) else f"; rounded, from {rounded(progress.broken, figure)}"
    reason = f"line {progress.line} is wrong: {progress.off(figure)}{exact}"
    return Finding(Verdict.FOLLOWS, reason, progress.right(figure))


def own_number(figure: Figure, source: Interval | None) -> Finding:
    """A number of which only the arithmetic before it is known."""
    if source is None:
        return Finding(Verdict.UNCLEAR, "the arithmetic before it cannot be followed")
    if not figure.digits.meets(source):
        return Finding(
            Verdict.REFUTED, f"the figures shown give {spanned(source, figure)}", rounded(middle(source), figure)
        )
    if abs(middle(source) - figure.value) <= figure.half * (1 + 1e-9):
        return Finding(Verdict.CONFIRMED, "follows from the figures shown")
    return Finding(Verdict.ROUNDED, f"admitted by the digits shown, which give {spanned(source, figure)}")


def is_statement(node: Node) -> bool:
    """Whether a member says something that numbers can refute: figures, or names without letters as indices."""
    return has_figures(node) or not any(name.symbolic for name in names_in(node))


def hull_of(figure: Figure, exact: float | None) -> Interval:
    """What a figure may have been before it was rounded."""
    return point(figure.value) if exact is None else hull([figure.value, exact])
