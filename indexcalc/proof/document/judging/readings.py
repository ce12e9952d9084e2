"""A statement under one reading: its members compared with the head and with those before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexcalc.errors import IndexCalcError
from indexcalc.proof.document.judging.dead import dead
from indexcalc.proof.document.judging.diagnosis import counterexample, diagnosis
from indexcalc.proof.document.judging.findings import CONSTANT, VACUOUS, Finding
from indexcalc.proof.document.judging.grounds import Accusation, ungrounded, wrong_alone
from indexcalc.proof.document.judging.members import Members
from indexcalc.proof.document.judging.origins import all_names, loss_without
from indexcalc.proof.document.judging.proving import proves
from indexcalc.proof.document.judging.verdicts import TRUE, Verdict
from indexcalc.proof.document.meaning.nodes import ZERO, Meaning, free, names_of
from indexcalc.proof.document.meaning.sizes import Ix, ShapeError, Sizes
from indexcalc.proof.document.meaning.symbols import NotUnderstoodError
from indexcalc.proof.document.meaning.typed import TOO_MANY_AXES
from indexcalc.proof.document.names.declarations import extents_of
from indexcalc.proof.document.names.particular import ROUGHLY, has_decimals, unit_of
from indexcalc.proof.document.numerics.trials import TOLERANCE, Failure, lost_in_rounding, tried
from indexcalc.proof.document.reading.reductions import ranks
from indexcalc.proof.document.written.layouts import lays_out
from indexcalc.proof.document.written.outline import Side

if TYPE_CHECKING:
    from indexcalc.proof.document.judging.judge import Judge


UNJUDGED = {"~": "an approximation is not judged", "->": "an arrow is not judged"}
"""Relations that claim nothing that could be judged."""


Judged = tuple[Finding, bool | None]
"""A finding, and whether its member equals the head; None if that is not known."""


@dataclass
class Reading:
    """A statement under one reading, judged.

    Attributes:
        judge: the judge, with the points.
        members: the members and their meanings.
    """

    judge: Judge
    members: Members

    def findings(self, defines: bool) -> list[Finding]:
        """A finding for every relation."""
        findings: list[Finding] = []
        truth: bool | None = True
        for n, side in enumerate(self.members.statement.sides):
            if n:
                finding, truth = self.relation(n, side, defines, truth)
                findings.append(finding)
        return findings

    def relation(self, n: int, side: Side, defines: bool, truth: bool | None) -> Judged:
        """One relation; `truth` says whether the member before it equals the head."""
        if side.relation == "in":
            return self.membership(n, side), truth
        if side.relation not in ("=", ":="):
            reason = UNJUDGED.get(side.relation, f"the relation {side.relation} is not judged")
            return Finding(Verdict.UNCLEAR, reason), None
        if lays_out(side.tree):
            return Finding(Verdict.DECLARATION, "a layout written out"), truth
        if n == 1 and defines:
            return Finding(Verdict.DEFINITION), True
        if self.members.shape_errors[n]:
            return self.misshapen(n)
        if self.members.values[n] is None:
            layouts = self.schematic(n) and self.members.troubles[n] == TOO_MANY_AXES
            return Finding(Verdict.SCHEMATIC if layouts else Verdict.UNCLEAR, self.members.troubles[n]), None
        if self.schematic(n):
            chain = self.compare(0, n) if self.members.head is not None and not self.members.head.jacobian else None
            if chain is not None and chain.verdict in TRUE:
                return chain, True
            return Finding(Verdict.SCHEMATIC, "a product of derivatives of arrays by arrays"), None
        # A chain whose head cannot be read starts at its first member that can be.
        first = next((m for m in range(n - 1) if self.members.values[m] is not None), n - 1)
        head = self.compare(first, n) if first < n - 1 or self.members.head is not None else None
        if head is not None and head.verdict in TRUE:
            return head, True
        step = self.compare(n - 1, n) if n > 1 and self.members.values[n - 1] is not None else head
        return self.weighed(n, head, step, truth)

    def weighed(self, n: int, head: Finding | None, step: Finding | None, truth: bool | None) -> Judged:
        """The verdict from the comparisons with the head, which is not equal, and with the member before."""
        steps = step is not None and step.verdict in TRUE
        if head is None or head.verdict is Verdict.UNCLEAR:
            if step is not None and steps:
                return step, truth
            if step is None or (head is not None and head.reason):
                reason = (head.reason if head else "") or self.members.troubles[0] or self.members.troubles[n - 1]
                return Finding(Verdict.UNCLEAR, reason), None
            return step, (None if step.verdict is not Verdict.REFUTED else False)
        if step is not head and steps:
            if truth is False:
                side = self.members.statement.sides[n - 1]
                line = self.judge.roles.document.place(side.start)[0]
                return Finding(Verdict.FOLLOWS, f"follows from line {line}, which is wrong; {head.reason}"), False
            return Finding(Verdict.UNCLEAR, "equal to the member before it, but not to the head"), None
        return head, False

    def misshapen(self, n: int) -> Judged:
        """A member whose parts do not fit each other."""
        reason = f"shapes do not fit: {self.members.shape_errors[n]}"
        if not self.members.troubles[0] and not self.judge.generic and not self.repeats(n):
            finding = self.refuted(n, reason, alone=n == 1 and wrong_alone(self.members))
            if finding.verdict is Verdict.REFUTED:
                return finding, False
        return Finding(Verdict.UNCLEAR, reason), None

    def repeats(self, n: int) -> bool:
        """Whether a member may repeat a vector along an axis: in code, or with a dot where it is to be a matrix."""
        side, head = self.members.statement.sides[n], self.members.head
        dotted = any(token.kind == "TIMES" and token.text == "cdot" for token in side.tokens)
        repeating = self.members.reader.codelike or (dotted and head is not None and len(head.axes) == 2)
        return side.tree is not None and repeating and len(ranks(self.members.roles, side.tree)) > 1

    def schematic(self, n: int) -> bool:
        """Whether a member or the head is a derivative of an array by an array, in matrix notation."""
        values = (self.members.head, self.members.values[n])
        return any(value is not None and (value.jacobian or len(value.axes) > 2) for value in values)

    def membership(self, n: int, side: Side) -> Finding:
        """The claim that an expression has a shape."""
        extents = extents_of(side.tokens)
        value = next((v for v in (self.members.head, *reversed(self.members.values[:n])) if v is not None), None)
        if extents is None or value is None:
            return Finding(Verdict.UNCLEAR, "a set that is not read")
        wanted = [extent for extent in extents if extent != "1"] if len(extents) == 2 else extents
        sizes = self.members.sizes
        found = [sizes.name_of(axis) for axis in value.axes]
        wanted = [sizes.name_of(sizes.owners[extent]) if extent in sizes.owners else extent for extent in wanted]
        if len(wanted) != len(found):
            return Finding(Verdict.UNCLEAR, f"the shape is {' x '.join(found) or 'that of a scalar'}")
        if "?" in found and all(size in ("?", extent) for size, extent in zip(found, wanted, strict=True)):
            return Finding(Verdict.DECLARATION, "sizes that are not declared elsewhere")
        if "?" in found:
            return Finding(Verdict.UNCLEAR, "a size that is not declared")
        doubted = all_names(self.members.roles.symbols, value.node) & self.members.roles.symbols.unread
        if found != wanted and doubted:
            return Finding(Verdict.UNCLEAR, f"{min(doubted)} has another shape elsewhere")
        if found != wanted:
            return Finding(Verdict.REFUTED, f"the shape is {' x '.join(found)}, not {' x '.join(wanted)}")
        return Finding(Verdict.PROVED, "the shape")

    def compare(self, left: int, right: int) -> Finding:
        """Whether two members are equal."""
        one, other = self.members.values[left], self.members.values[right]
        assert one is not None
        assert other is not None
        sizes = self.members.sizes.copy()
        try:
            a, b, letters = self.members.common(one, other, sizes)
        except NotUnderstoodError as error:
            return Finding(Verdict.UNCLEAR, str(error))
        except ShapeError as error:
            if self.repeats(right):
                return Finding(Verdict.UNCLEAR, f"shapes do not fit: {error}")
            return self.refuted(right, f"shapes do not fit: {error}")
        if a == ZERO:
            letters = tuple(dict.fromkeys((*letters, *free(b))))
        extra = [index for index in free(b) if index not in letters]
        tied = [index for index in extra if any(equal_by(self.members.conditions, index, other) for other in letters)]
        letters, extra = (*letters, *tied), [index for index in extra if index not in tied]
        if extra and extra[0].name in self.judge.roles.symbols.chosen:
            return Finding(Verdict.UNCLEAR, f"{extra[0].name} stands for one given entry")
        if extra:
            return self.refuted(right, f"the index {extra[0].name or '?'} is free here, but not on the left side")
        try:
            return self.decided(a, b, letters, sizes, right)
        except (NotUnderstoodError, IndexCalcError) as error:
            return Finding(Verdict.UNCLEAR, str(error))

    def decided(self, left: Meaning, right: Meaning, letters: tuple[Ix, ...], sizes: Sizes, n: int) -> Finding:
        """Confirmed by numbers, and proved where the algebra can; refuted by numbers; or neither."""
        conditions = self.members.conditions
        trial = tried(self.judge.points, sizes, (left, right), letters, conditions)
        if trial.different and (near := self.nearly(trial.failures[0], right, n)) is not None:
            return near
        if trial.different and lost_in_rounding(trial.failures[0], (left, right), letters, conditions):
            if not conditions and self.proves(left, right, sizes):
                return Finding(Verdict.PROVED)
            return Finding(Verdict.UNCLEAR, "the difference is lost in rounding")
        if trial.different:
            found = self.refuted(n, "")
            if self.judge.brief or found.verdict is not Verdict.REFUTED:
                return found
            shown = counterexample(trial.failures[0], letters, sizes)
            return self.refuted(n, diagnosis(trial.failures, (left, right), sizes), shown)
        if not trial.equal:
            return Finding(Verdict.UNCLEAR, "too few points at which both sides are defined")
        if trial.vanish and (why := dead(self.judge.roles.symbols, left, right)) is not None:
            return Finding(Verdict.UNCLEAR, why)
        name = loss_without(self.judge.roles.symbols, (left, right))
        if name and left != right and ZERO not in (left, right):
            return Finding(Verdict.UNCLEAR, f"the loss is not known to depend on {name}")
        assumptions = tuple(dict.fromkeys(note for note in self.members.reader.notes if "binds nothing" not in note))
        if not conditions and not self.judge.brief and self.proves(left, right, sizes):
            return Finding(Verdict.PROVED, assumptions=assumptions)
        reason = VACUOUS if trial.vanish else CONSTANT.format(trial.constant) if trial.constant is not None else ""
        return Finding(Verdict.CONFIRMED, reason, assumptions=assumptions)

    def nearly(self, failure: Failure, right: Meaning, n: int) -> Finding | None:
        """The finding on a number that is shown to a few digits, or calculated from such; None for anything else."""
        tokens = self.members.statement.sides[n].tokens
        rounded = has_decimals(tokens) or has_decimals(self.members.statement.sides[n - 1].tokens)
        if failure.left.ndim or names_of(right) or not rounded:
            return None
        error, unit = abs(float(failure.left) - float(failure.right)), unit_of(tokens)
        if unit is not None and error <= unit * (1 + TOLERANCE):
            return Finding(Verdict.CONFIRMED, assumptions=("to the digits shown",))
        if error <= ROUGHLY * abs(float(failure.left)):
            return Finding(Verdict.UNCLEAR, "off by no more than its figures may be rounded")
        return None

    def proves(self, left: Meaning, right: Meaning, sizes: Sizes) -> bool:
        """Whether the algebra shows two members equal."""
        return proves(left, right, self.judge.roles.symbols, sizes, self.judge.points.lexicon(sizes))

    def refuted(self, n: int, diagnosed: str, shown: str = "", *, alone: bool = False) -> Finding:
        """Refuted, if the member is grounded: every accusation passes through here.

        Args:
            n: the place of the member.
            diagnosed: what is wrong.
            shown: values that show it.
            alone: whether it is wrong whatever the first member is equal to.
        """
        why = ungrounded(Accusation(self.members, n, self.judge.generic), alone=alone)
        if why is not None:
            return Finding(Verdict.UNCLEAR, why)
        vacuous = next((note for note in self.members.reader.notes if "binds nothing" in note), "")
        return Finding(Verdict.REFUTED, "; ".join(part for part in (diagnosed, vacuous) if part), shown)


def equal_by(conditions: Sequence[tuple[str, str, str]], index: Ix, other: Ix) -> bool:
    """Whether a condition says that two letters are equal."""
    return any(relation == "=" and {left, right} == {index.name, other.name} for left, relation, right in conditions)
