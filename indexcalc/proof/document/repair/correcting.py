"""The correct formula for a refuted one: the author's own with one mistake taken back, if that is enough."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from indexcalc.language.latex.tree import Fraction, Sum, nodes_of
from indexcalc.proof.document.judging.diagnosis import DIFFER
from indexcalc.proof.document.judging.findings import Finding
from indexcalc.proof.document.judging.judge import Judge
from indexcalc.proof.document.judging.members import Members
from indexcalc.proof.document.judging.verdicts import Verdict
from indexcalc.proof.document.repair.attempts import Attempts
from indexcalc.proof.document.repair.deriving import Deriver
from indexcalc.proof.document.repair.edits import repairs
from indexcalc.proof.document.repair.indices import relettered
from indexcalc.proof.document.repair.places import is_rate
from indexcalc.proof.document.repair.spelling import Spelling, UnspelledError
from indexcalc.proof.document.repair.vocabulary import Vocabulary, vocabulary_of
from indexcalc.proof.document.written.outline import Statement
from indexcalc.proof.document.written.roles import head_of, names_of_tree

MEMBER_LIMIT = 1500
"""The most formulas that are tried in place of one member."""

EFFORT = 60_000
"""The most tokens of all formulas that are tried in place of one member: fewer are tried where they are long."""

NOTE_LIMIT = 6000
"""The most formulas that are tried for one document."""


DERIVATION_LIMIT = 30
"""The most formulas that are derived for one document."""


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
        derivations: how many formulas may still be derived.
    """

    spelling: Spelling
    left: int = NOTE_LIMIT
    derivations: int = DERIVATION_LIMIT

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
        """The member with one mistake taken back; else a formula that the engine derives."""
        tree = attempts.statement.sides[attempts.number].tree
        if tree is None or attempts.before.head is None:
            return None
        words = vocabulary_of(attempts.judge.roles, attempts.statement, attempts.number)
        length = len(attempts.statement.sides[attempts.number].tokens)
        for repair in repairs(tree, words):
            if attempts.tried >= min(self.left, MEMBER_LIMIT, EFFORT // length):
                break
            if attempts.agrees(repair.tree):
                latex = self.written(repair.tree)
                if latex and attempts.judged(latex):
                    return Correction(latex, repair.words)
        attempts.trials = 0
        return next(
            (Correction(latex, "") for latex in self.formulas(attempts, words, tree) if attempts.judged(latex)), None
        )

    def formulas(self, attempts: Attempts, words: Vocabulary, tree: Sum) -> Iterator[str]:
        """What the note itself says of the head, then what the engine derives."""
        yield from restated(attempts, self.spelling)
        if self.derivations:
            self.derivations -= 1
            yield from Deriver(attempts, words, self.spelling, gradients_in(tree, attempts)).formulas()

    def written(self, tree: Sum) -> str:
        """The formula in LaTeX; empty if it cannot be written."""
        try:
            return self.spelling.sum(tree)
        except UnspelledError:
            return ""


def gradients_in(tree: Sum, attempts: Attempts) -> frozenset[str]:
    """The tensors by which a formula differentiates, written out or under the name of a gradient."""
    roles = attempts.judge.roles
    below = [node.denominator for node in nodes_of(tree) if isinstance(node, Fraction) and is_rate(node)]
    written = (roles.symbols.resolve(found.name) for part in below for found in names_of_tree(roles, part))
    named = (roles.symbols.adjoints.get(roles.symbols.resolve(found.name)) for found in names_of_tree(roles, tree))
    return frozenset((*written, *(name for name in named if name is not None)))


def restated(attempts: Attempts, spelling: Spelling) -> Iterator[str]:
    """The definition of the head, as the document writes it, in the letters of the head."""
    roles, statement = attempts.judge.roles, attempts.statement
    own = head_of(roles, statement)
    if own is None:
        return
    for number, name in roles.defining.items():
        defining = roles.statements[number]
        other = head_of(roles, defining)
        if name != roles.symbols.resolve(own.name) or other is None or defining is statement:
            continue
        letters = dict(zip(other.parts or (), own.parts or (), strict=False))
        for side in defining.sides[1:]:
            if side.tree is not None and side.relation in ("=", ":="):
                with suppress(UnspelledError):
                    yield spelling.sum(relettered(side.tree, letters, roles.survey))


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
