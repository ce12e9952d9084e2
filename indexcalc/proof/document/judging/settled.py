"""Whether ``∂Y/∂X`` is total or local (other named tensors held): settled for a pair and a section by all its claims.

A claim that is true of one of the two and false of the other tells them apart. Otherwise every dropped term that
passes through another tensor would be saved by reading that one derivative as local.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from indexcalc.language.latex.tokens import Token
from indexcalc.proof.document.meaning.symbols import Pair
from indexcalc.proof.document.written.outline import Statement
from indexcalc.proof.document.written.roles import Roles, prose_before

MAJORITY = 2
"""So many claims settle a pair within a section; fewer are counted with those of the section around it."""

HOLDING = re.compile(
    r"\b(?:treat|regard|holding\b|(?:keep|hold)(?:s|ing)?\b[^.:]*\b(?:fixed|constant)|"
    r"direct\b|directly|local|explicit|ignor)",
    re.IGNORECASE,
)
"""Words that say that a derivative is meant otherwise here."""


class Telling(Protocol):
    """What is asked of a judge: whether a statement holds if its pairs are read in one way, and which pairs it has."""

    def pairs(self, statement: Statement) -> tuple[Pair, ...]:
        """The pairs whose derivatives are total or local in a statement."""

    def stands(self, statement: Statement, reading: Mapping[Pair, bool]) -> bool:
        """Whether nothing in a statement is false if pairs are local or total as said."""


@dataclass(frozen=True, slots=True)
class Vote:
    """A claim that tells the readings of a pair apart: its section, from the outermost on, and whether it is local."""

    path: tuple[int, ...]
    local: bool


@dataclass
class Settled:
    """What the claims of a document say of each pair; counted when it is first asked.

    Attributes:
        roles: the document's roles.
        judge: reads and judges statements.
        votes: the claims that tell readings apart, by pair; None before they are counted.
    """

    roles: Roles
    judge: Telling
    votes: dict[Pair, list[Vote]] | None = field(default=None)

    def of(self, statement: Statement, pairs: tuple[Pair, ...]) -> dict[Pair, bool]:
        """Which of these pairs are settled where a statement stands, each with whether it is local there."""
        if self.roles.symbols.marks_held:
            return dict.fromkeys(pairs, False)
        if not pairs or HOLDING.search(prose_before(self.roles, statement)):
            return {}
        if self.votes is None:
            self.votes = {}
            for other in self.roles.statements:
                for pair, vote in self.counted(other):
                    self.votes.setdefault(pair, []).append(vote)
        path = self.path(statement)
        found = {pair: majority(self.votes.get(pair, []), path) for pair in pairs}
        return {pair: local for pair, local in found.items() if local is not None}

    def counted(self, statement: Statement) -> list[tuple[Pair, Vote]]:
        """The votes of a statement; none where its definitions lead back to themselves or do not fit each other."""
        try:
            return list(self.told(statement))
        except (ValueError, LookupError, RecursionError):
            return []

    def told(self, statement: Statement) -> Iterator[tuple[Pair, Vote]]:
        """The pairs whose readings a statement tells apart."""
        if len(statement.sides) < 2 or not any(differentiates(side.tokens) for side in statement.sides):
            return
        pairs = self.judge.pairs(statement)
        path = self.path(statement)
        for local in (False, True) if pairs else ():
            same = dict.fromkeys(pairs, local)
            if self.judge.stands(statement, same):
                for pair in pairs:
                    if not self.judge.stands(statement, {**same, pair: not local}):
                        yield pair, Vote(path, local)
                return

    def path(self, statement: Statement) -> tuple[int, ...]:
        """The places of the sections in which a statement stands, the outermost first."""
        stack: list[tuple[int, int]] = []
        for section in self.roles.document.sections:
            if section.start > statement.span.start:
                break
            while stack and stack[-1][0] >= section.level:
                stack.pop()
            stack.append((section.level, section.start))
        return tuple(start for _, start in stack)


def differentiates(tokens: Sequence[Token]) -> bool:
    """Whether the sign of a derivative stands in a member."""
    return any(token.kind == "PARTIAL" or token.text == "d" for token in tokens)


def majority(votes: list[Vote], path: tuple[int, ...]) -> bool | None:
    """What most claims say of a pair, in the narrowest section with enough of them; None if none says anything.

    Where as many say one thing as the other, the first claim of the narrowest section settles it.
    """
    near: list[Vote] = []
    for depth in range(len(path), -1, -1):
        inside = [vote for vote in votes if vote.path[:depth] == path[:depth]]
        near = near or inside
        local = sum(vote.local for vote in inside)
        if max(local, len(inside) - local) >= MAJORITY and 2 * local != len(inside):
            return 2 * local > len(inside)
    return near[0].local if near else None
