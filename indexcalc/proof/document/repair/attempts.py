"""Trying out what may stand in place of a wrong member: quickly at two points, then by the judge."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from indexcalc.errors import IndexCalcError
from indexcalc.language.latex.grammar import parse
from indexcalc.language.latex.tokens import tokenize
from indexcalc.language.latex.tree import Sum
from indexcalc.proof.document.judging.judge import Judge
from indexcalc.proof.document.judging.members import Members
from indexcalc.proof.document.judging.verdicts import TRUE
from indexcalc.proof.document.layers.rewriting import with_layers
from indexcalc.proof.document.meaning.nodes import Derivative, Entry, Meaning, Total, children, free, indices_in, walk
from indexcalc.proof.document.meaning.sizes import Ix, ShapeError, Sizes
from indexcalc.proof.document.meaning.symbols import NotUnderstoodError
from indexcalc.proof.document.names.varying import variation_of
from indexcalc.proof.document.numerics.numbers import Point
from indexcalc.proof.document.numerics.trials import Failure, Trial, record, where_conditions_hold
from indexcalc.proof.document.written.brackets import with_brackets
from indexcalc.proof.document.written.differentials import joined
from indexcalc.proof.document.written.outline import Side, Statement
from indexcalc.proof.numeric import Array

POINTS = 2
"""How many points, of different sizes, a formula must pass before the judge is asked."""


GRID = 5_000
"""How many grid points of a formula's largest product count as one more formula that is tried."""

TRIALS = 8
"""How many formulas in place of one member are put before the judge; each may need a proof."""


@dataclass
class Attempts:
    """What may stand in place of one member of a statement.

    Attributes:
        judge: the judge of the place.
        statement: the statement with the wrong member.
        number: which member is wrong.
        local: whether derivatives of named tensors hold all other named tensors.
        tried: how many formulas have been tried, large ones counted for more.
        trials: how many have been put before the judge.
        before: the members before the wrong one.
        heads: values of the first member, by point.
    """

    judge: Judge
    statement: Statement
    number: int
    local: bool = False
    tried: int = 0
    trials: int = 0
    before: Members = field(init=False)
    heads: dict[object, Array] = field(default_factory=dict)

    def __post_init__(self) -> None:
        sides = replace(self.statement, sides=self.statement.sides[: self.number])
        variation = variation_of(self.judge.roles, self.statement)
        self.before = Members(self.judge.roles, sides, local=self.local, unwritten=False, variation=variation)

    @property
    def partial(self) -> bool:
        """Whether the head differentiates a named tensor, so that there are total and local derivatives."""
        head = self.before.head
        symbols = self.judge.roles.symbols
        return head is not None and any(
            isinstance(node, Derivative) and not (isinstance(node.body, Entry) and symbols.is_loss(node.body.name))
            for node in walk(head.node)
        )

    def agrees(self, tree: Sum) -> bool:
        """Whether a formula equals the head at a few points, without joining sizes that are apart."""
        self.tried += 1
        members = self.with_member()
        try:
            one, other = members.head, members.reader.sum(tree)
            if one is None or members.reader.guesses or any("binds nothing" in n for n in members.reader.notes):
                return False
            members.values.append(other)
            other = members.bound(self.number, other, members.outside())
            sizes = members.sizes.copy()
            a, b, letters = members.common(one, other, sizes)
            if any(index not in letters for index in free(b)) or self.joined(sizes):
                return False
            return self.equal(a, b, letters, sizes)
        except (IndexCalcError, NotUnderstoodError, ShapeError, ValueError, RecursionError):
            return False

    def with_member(self) -> Members:
        """The members before, ready to take one more."""
        members = copy.copy(self.before)
        members.sizes = self.before.sizes.copy()
        members.reader = replace(
            self.before.reader, sizes=members.sizes, letters=dict(self.before.reader.letters), notes=[], guesses=[]
        )
        members.values = list(self.before.values)
        return members

    def equal(self, a: Meaning, b: Meaning, letters: tuple[Ix, ...], sizes: Sizes) -> bool:
        """Whether both sides are equal at the points."""
        trial = Trial()
        for pattern, point in self.spread(sizes, [*letters, *indices_in(a), *indices_in(b)]):
            point.scale = 0.0
            self.tried += largest(b, math.prod(point.length(index) for index in letters), point) // GRID
            with np.errstate(all="ignore"):
                x, y = self.head_value(a, letters, point), point.value(b, letters)
            allowed = where_conditions_hold(x.shape, letters, self.statement.conditions)
            x, y = (x, y) if allowed.all() else (x[allowed], y[allowed])
            if x.size and np.all(np.isfinite(x)) and np.all(np.isfinite(y)):
                record(trial, Failure(pattern, point, x, y))
            if trial.failures or trial.agreed == POINTS:
                break
        return trial.agreed > 0 and not trial.failures

    def head_value(self, node: Meaning, letters: tuple[Ix, ...], point: Point) -> Array:
        """The value of the head at a point, computed once."""
        key = (node, letters, tuple(sorted((root.key, length) for root, length in point.lengths.items())))
        if key not in self.heads:
            self.heads[key] = point.value(node, letters)
        return self.heads[key]

    def spread(self, sizes: Sizes, every: list[Ix]) -> Iterator[tuple[int, Point]]:
        """Points of different sizes."""
        seen = set()
        for pattern, point in self.judge.points.at(sizes, every):
            if pattern not in seen:
                seen.add(pattern)
                yield pattern, point

    def joined(self, sizes: Sizes) -> bool:
        """Whether sizes that the definitions and the head keep apart have been made equal."""
        own = self.before.sizes
        roots: dict[Ix, Ix] = {}
        for slots in self.judge.roles.symbols.slots.values():
            for slot in slots:
                if roots.setdefault(sizes.find(slot), own.find(slot)) != own.find(slot):
                    return True
        return False

    @property
    def runs_together(self) -> bool:
        """Whether the document writes the names of gradients letter by letter, as in ``dX``."""
        roles = self.judge.roles
        tokens = (token for statement in roles.statements for side in statement.sides for token in side.tokens)
        source = roles.document.source
        return any(
            token.text in roles.symbols.adjoints and source.startswith(token.text, token.start) for token in tokens
        )

    def judged(self, latex: str) -> bool:
        """Whether the judge, given the formula as it is printed in place of the wrong member, finds it true."""
        self.trials += 1
        if self.trials > TRIALS:
            return False
        try:
            (tokens,) = with_brackets([tokenize(latex, self.judge.roles.document.macros)])
            tokens = joined(tokens) if self.runs_together else tokens
            tokens = with_layers(tokens, self.statement.families)
            tree = parse(tokens)
        except (IndexCalcError, RecursionError):
            return False
        old = self.statement.sides[self.number]
        side = Side(old.relation, tuple(tokens), tree, "", old.start, old.end)
        sides = [*self.statement.sides[: self.number], side, *self.statement.sides[self.number + 1 :]]
        changed = replace(self.statement, sides=sides)
        if variation_of(self.judge.roles, changed) != self.before.reader.variation:
            return False
        findings = self.judge.statement(0, changed, defines=False)
        return findings[self.number - 1].verdict in TRUE


def largest(node: Meaning, size: int, point: Point) -> int:
    """The grid points of the largest product inside, sums around it included."""
    if isinstance(node, Total):
        size *= math.prod(point.length(index) for index in node.indices)
    return max((largest(child, size, point) for child in children(node)), default=size)
