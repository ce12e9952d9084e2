"""The correct formula for a refuted one: the author's own with one mistake taken back, if that is enough."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

from indexcalc.document.choices import Interpretation
from indexcalc.document.diagnosis import Diagnosis, Difference
from indexcalc.document.outcomes import Relation
from indexcalc.document.page import Page, text_of
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
    """The correct formula, the mistake in words, and whether it is a factor that is missing or too much."""

    latex: str
    words: str = ""
    of_factor: bool = False

    def explained(self, found: Diagnosis) -> str:
        """What is wrong, with the mistake: in place of a diagnosis that says nothing, beside one that says less.

        A wrong sign is the whole mistake, and a factor is not named twice.
        """
        said = found.kind is Difference.SIGN or (found.kind is Difference.FACTOR and self.of_factor)
        if said or not self.words:
            return found.words
        return self.words if found.kind is Difference.ANY else f"{found.words}; {self.words}"


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
                    return Correction(latex, repair.words, repair.of_factor)
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
    written = (found.name for part in below for found in page.survey.names(part))
    named = (page.gradient_target(found.name) for found in page.survey.names(tree))
    return frozenset((*written, *(name for name in named if name is not None)))


def restated(attempts: Attempts, spelling: Spelling) -> Iterator[str]:
    """The definition of the head, as the document writes it, in the letters of the head."""
    page = attempts.page
    own = page.heads[attempts.relation.number]
    if own is None or attempts.relation.against:
        return
    for number in page.defining.get(own.name, ()):
        defining = page.statements[number]
        other = page.heads[number]
        if other is None or number == attempts.relation.number:
            continue
        letters = dict(zip(other.parts or (), own.parts or (), strict=False))
        for side in defining.sides[1:]:
            if side.tree is not None and side.relation in ("=", ":="):
                with suppress(UnspelledError):
                    yield spelling.sum(relettered(side.tree, letters, page.survey))
