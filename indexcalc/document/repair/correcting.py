"""The correct formula for a refuted one: the author's own with one mistake taken back, if that is enough."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

from indexcalc.document.choices import Interpretation
from indexcalc.document.diagnosis import DIFFER, SIGN
from indexcalc.document.outcomes import Relation
from indexcalc.document.page import Page, head_of, names_in, text_of
from indexcalc.document.repair.attempts import Attempts
from indexcalc.document.repair.deriving import Deriver
from indexcalc.document.repair.edits import repairs
from indexcalc.document.repair.indices import relettered
from indexcalc.document.repair.places import is_rate
from indexcalc.document.repair.spelling import Spelling, UnspelledError, spelling_of
from indexcalc.document.repair.vocabulary import Vocabulary, vocabulary_of
from indexcalc.language.latex.tree import Fraction, Sum, nodes_of

MEMBER_LIMIT = 600
"""The most formulas that are tried in place of one member."""

EFFORT = 30_000
"""The most tokens of all formulas that are tried in place of one member: fewer are tried where they are long."""

NOTE_LIMIT = 3000
"""The most formulas that are tried for one document."""

DERIVATION_LIMIT = 30
"""The most formulas that are derived for one document."""


@dataclass(frozen=True)
class Correction:
    """The correct formula, and the mistake in words."""

    latex: str
    words: str = ""

    def explained(self, reason: str) -> str:
        """The reason with the mistake in words: in place of a reason that says nothing, beside one that does."""
        said = reason == SIGN or (reason.startswith("the right side is") and self.words.startswith("the factor"))
        if not self.words or said or self.words in reason:
            return reason
        return self.words if reason == DIFFER else f"{reason}; {self.words}"


@dataclass
class Corrector:
    """Looks for corrections; the work for one document is bounded.

    Attributes:
        page: the page.
        left: how many formulas may still be tried.
        derivations: how many formulas may still be derived.
    """

    page: Page
    left: int = NOTE_LIMIT
    derivations: int = DERIVATION_LIMIT

    @cached_property
    def spelling(self) -> Spelling:
        """How the document writes its names."""
        page = self.page
        spelling = spelling_of(page.document.source, page.statements[page.told :])
        spelling.learn_all(text_of(page.context), page.statements[: page.told])
        return spelling

    def correction(self, relation: Relation, interpretation: Interpretation) -> Correction | None:
        """A formula that is equal to the first member; None if none was found."""
        attempts = Attempts(self.page, relation, interpretation)
        found = self.repaired(attempts)
        self.left -= attempts.tried
        return found

    def repaired(self, attempts: Attempts) -> Correction | None:
        """The member with one mistake taken back; else what the document or the engine says of the first member."""
        tree = attempts.relation.right
        words = vocabulary_of(attempts)
        length = len(attempts.statement.sides[attempts.relation.member].tokens)
        for repair in repairs(tree, words):
            if attempts.tried >= min(self.left, MEMBER_LIMIT, EFFORT // max(length, 1)):
                break
            if attempts.agrees(repair.tree):
                latex = self.written(repair.tree)
                if latex and attempts.holds(latex):
                    return Correction(latex, repair.words)
        attempts.printed = 0
        found = (latex for latex in self.formulas(attempts, words, tree) if attempts.holds(latex))
        return next((Correction(latex) for latex in found), None)

    def formulas(self, attempts: Attempts, words: Vocabulary, tree: Sum) -> Iterator[str]:
        """What the note itself says of the head, then what the engine derives."""
        yield from restated(attempts, self.spelling)
        if self.derivations:
            self.derivations -= 1
            yield from Deriver(attempts, words, self.spelling, gradients_in(self.page, tree)).formulas()

    def written(self, tree: Sum) -> str:
        """The formula in LaTeX; empty if it cannot be written."""
        with suppress(UnspelledError):
            return self.spelling.sum(tree)
        return ""


def gradients_in(page: Page, tree: Sum) -> frozenset[str]:
    """The tensors by which a formula differentiates, written out or under the name of a gradient."""
    below = [node.denominator for node in nodes_of(tree) if isinstance(node, Fraction) and is_rate(node)]
    written = (found.name for part in below for found in names_in(page.survey, part))
    named = (page.gradient_target(found.name) for found in names_in(page.survey, tree))
    return frozenset((*written, *(name for name in named if name is not None)))


def restated(attempts: Attempts, spelling: Spelling) -> Iterator[str]:
    """The definition of the head, as the document writes it, in the letters of the head."""
    page, statement = attempts.page, attempts.statement
    own = head_of(page.survey, statement)
    if own is None or attempts.relation.against:
        return
    for number in page.defining.get(own.name, ()):
        defining = page.statements[number]
        other = head_of(page.survey, defining)
        if other is None or number == attempts.relation.number:
            continue
        letters = dict(zip(other.parts or (), own.parts or (), strict=False))
        for side in defining.sides[1:]:
            if side.tree is not None and side.relation in ("=", ":="):
                with suppress(UnspelledError):
                    yield spelling.sum(relettered(side.tree, letters, page.survey))
