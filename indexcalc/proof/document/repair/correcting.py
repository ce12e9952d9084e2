"""The correct formula for a refuted one: the author's own with one mistake taken back, if that is enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from indexcalc.proof.document.diagnosis import DIFFER
from indexcalc.proof.document.findings import Finding
from indexcalc.proof.document.judge import Judge
from indexcalc.proof.document.members import Members
from indexcalc.proof.document.outline import Statement
from indexcalc.proof.document.repair.attempts import Attempts
from indexcalc.proof.document.repair.edits import repairs
from indexcalc.proof.document.repair.spelling import Spelling, UnspelledError
from indexcalc.proof.document.repair.vocabulary import vocabulary_of
from indexcalc.proof.document.verdicts import Verdict

MEMBER_LIMIT = 1500
"""The most formulas that are tried in place of one member."""

NOTE_LIMIT = 6000
"""The most formulas that are tried for one document."""


@dataclass(frozen=True)
class Correction:
    """The correct formula, and the mistake in words."""

    latex: str
    words: str


@dataclass
class Corrector:
    """Looks for corrections; the work for one document is bounded.

    Attributes:
        spelling: how the document writes its names.
        left: how many formulas may still be tried.
    """

    spelling: Spelling
    left: int = NOTE_LIMIT

    def corrected(self, judge: Judge, statement: Statement, findings: Sequence[Finding]) -> list[Finding]:
        """The findings on a statement, what is refuted with its correction and the mistake in words."""
        result = []
        for number, finding in enumerate(findings, 1):
            found = self.correction(judge, statement, number) if finding.verdict is Verdict.REFUTED else None
            if found is None:
                result.append(finding)
            else:
                reason = explained(finding.reason, found.words)
                result.append(replace(finding, reason=reason, correction=found.latex))
        return result

    def shape(self, judge: Judge, statement: Statement) -> Correction | None:
        """The set of the arrays of the right shape, for a claim that names another."""
        members = Members(judge.roles, statement, local=False, unwritten=False)
        if members.head is None:
            return None
        extents = [extent_latex(members.sizes.name_of(axis)) for axis in members.head.axes]
        product = r" \times ".join(extents)
        return Correction(rf"\mathbb{{R}}^{{{product}}}", "") if extents else None

    def correction(self, judge: Judge, statement: Statement, number: int) -> Correction | None:
        """A formula for a wrong member that the judge finds true in its place; None if none was found."""
        if statement.sides[number].relation == "in":
            return self.shape(judge, statement)
        for local in (False, True):
            attempts = Attempts(judge, statement, number, local)
            if local and not attempts.partial:
                break
            found = self.repaired(attempts)
            self.left -= attempts.tried
            if found is not None:
                return found
        return None

    def repaired(self, attempts: Attempts) -> Correction | None:
        """The member with one mistake taken back."""
        tree = attempts.statement.sides[attempts.number].tree
        if tree is None or attempts.before.head is None:
            return None
        words = vocabulary_of(attempts.judge.roles, attempts.statement, attempts.number)
        for repair in repairs(tree, words):
            if attempts.tried >= min(self.left, MEMBER_LIMIT):
                return None
            if attempts.agrees(repair.tree):
                try:
                    latex = self.spelling.sum(repair.tree)
                except UnspelledError:
                    continue
                if attempts.judged(latex):
                    return Correction(latex, repair.words)
        return None


def explained(reason: str, words: str) -> str:
    """The reason with the mistake in words: in place of a reason that says nothing, beside one that does."""
    said = reason.startswith("the right side is") and words.startswith("the factor")
    if not words or said or words in reason or reason == "the sign is wrong":
        return reason
    return words if reason == DIFFER else f"{reason}; {words}"


def extent_latex(name: str) -> str:
    """The name of an extent in LaTeX."""
    base, mark, label = name.partition("_")
    return f"{base}_{{{label}}}" if mark else base
