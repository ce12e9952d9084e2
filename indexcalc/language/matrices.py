"""Traces, inverses, determinants and Cholesky factors of matrices, whose rows and columns are two indices.

An inverse is what a system determines: ``solve A_inv[n,j,k] : sum[j](A[n,i,j]*A_inv[n,j,k]) = delta[i,k]``, and
``inverse[i,j](A[n,i,j])`` is its entry ``A_inv[n,j,i]``. The derivative of a determinant reads the inverse too. It is
computed where something reads it alone. ``cholesky[i,j](A[n,i,j])`` is the entry of a tensor that holds the factors,
and its derivative reads their inverses. A trace is a sum: ``sum[i,j](delta[i,j]*A[n,i,j])``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from indexcalc.algebra.renaming import fresh_names
from indexcalc.language.extents import Extent
from indexcalc.language.lines import EquationLine, IndexLine, InputLine, SolveLine, Statement, Steps
from indexcalc.language.source import Source
from indexcalc.language.sugar import MATRICES
from indexcalc.language.syntax import (
    At,
    Entry,
    Expression,
    Reduce,
    Slot,
    Times,
    nodes_in,
    with_children,
)
from indexcalc.language.systems import free_names, names_of


def with_matrices(lines: tuple[Statement, ...], source: Source) -> tuple[Statement, ...]:
    """The statements, with an inverse, and a name where it has none, for each matrix that is inverted.

    Raises:
        SpecError: for a matrix over other than two indices of one extent.
    """
    sides = [side for line in lines for side in sides_of(line)]
    if not any(isinstance(node, Reduce) and node.operator in MATRICES for side in sides for node in nodes_in(side)):
        return lines
    extents = {slot.name: line.extent for line in lines if isinstance(line, IndexLine) for slot in line.names}
    declared = {entry.name: entry for line in lines for entry in declared_by(line)}
    tensors = {line.entry.name for line in lines if isinstance(line, InputLine)}
    return Matrices(source, extents, declared, {*names_of(lines), *tensors, *extents}).statements(lines)


def declared_by(line: Statement) -> tuple[Entry, ...]:
    """The tensors whose slots a statement says."""
    match line:
        case InputLine(entry=entry):
            return (entry,)
        case SolveLine():
            return tuple(part.unknown for part in line.parts)
        case EquationLine(left=entry) if not line.is_piece:
            return (entry,)
    return ()


def sides_of(line: Statement) -> tuple[Expression, ...]:
    """The expressions of a statement in which matrices may be inverted."""
    match line:
        case EquationLine(right=right):
            return (right,)
        case SolveLine(parts=parts):
            return tuple(side for part in parts for side in (part.left, part.right))
    return ()


@dataclass
class Matrices:
    """The matrices so far.

    Attributes:
        source: the text, for errors.
        extents: of every declared index.
        declared: the tensors as they are declared, each with its slots.
        taken: the names in use; new ones join.
        inverses: the name of the inverse of each matrix.
        factors: the name of the Cholesky factor of each matrix.
        steps: those for which the statement at hand holds, if not for all.
        added: the statements to stand before the one at hand.
        after: those to stand behind it.
        indices: the declarations of indices that inverses need.
    """

    source: Source
    extents: Mapping[str, Extent]
    declared: Mapping[str, Entry]
    taken: set[str]
    inverses: dict[str, str] = field(default_factory=dict)
    factors: dict[str, str] = field(default_factory=dict)
    steps: Steps | None = None
    added: list[Statement] = field(default_factory=list)
    after: list[Statement] = field(default_factory=list)
    indices: list[Statement] = field(default_factory=list)

    def statements(self, lines: Sequence[Statement]) -> tuple[Statement, ...]:
        """All statements, with those that inverses need before them."""
        found: list[Statement] = []
        for line in lines:
            written = self.statement(line)
            found += (*self.added, written, *self.after)
            self.added, self.after = [], []
        return (*self.indices, *found)

    def statement(self, line: Statement) -> Statement:
        """One statement."""
        match line:
            case EquationLine(right=Reduce(operator="cholesky") as right, steps=None) if self.is_factor(line):
                self.steps = None
                return self.factor_under(line.left, replace(right, body=self.written(right.body)), line)
            case EquationLine(right=right, steps=steps):
                self.steps = steps
                return replace(line, right=self.written(right))
            case SolveLine():
                self.steps = None
                return line.mapped(
                    lambda part: replace(part, left=self.written(part.left), right=self.written(part.right))
                )
        return line

    def written(self, node: Expression) -> Expression:
        """An expression in which every determinant is that of a tensor with an inverse, without other words."""
        node = with_children(node, self.written)
        match node:
            case Reduce(operator="trace", indices=(row, column)):
                self.check(node)
                return Reduce(
                    "sum", (row, column), Times((Entry("delta", (row, column), node.at), node.body), node.at), node.at
                )
            case Reduce(operator="inverse", indices=(row, column)):
                self.check(node)
                matrix = self.whole(node)
                inverse = self.inverted(matrix, node.at)
                return Entry(inverse, (*(matrix.slots or ())[:-2], column, row), node.at)
            case Reduce(operator="cholesky", indices=(row, column)):
                self.check(node)
                matrix = self.whole(node)
                if matrix.name not in self.factors:
                    self.added += self.factored(matrix, node)
                return Entry(self.factors[matrix.name], matrix.slots, node.at)
            case Reduce(operator=operator) if operator in MATRICES:
                self.check(node)
                matrix = self.whole(node)
                inverse = self.inverted(matrix, node.at)
                return replace(node, body=matrix, inverse=inverse)
        return node

    def check(self, node: Reduce) -> None:
        """Raise an error unless the rows and the columns are two indices of one extent."""
        names = [slot.name for slot in node.indices]
        unknown = next((slot for slot in node.indices if slot.name not in self.extents), None)
        if unknown is not None:
            raise self.source.error(f"the index {unknown.name} is not declared", unknown.at)
        if len(names) != 2 or names[0] == names[1] or self.extents[names[0]] != self.extents[names[1]]:
            word = node.operator
            message = f"{word} runs over two indices of one extent, those of the rows and of the columns"
            raise self.source.error(f"{message}: {word}[i,j](A[i,j])", node.at)

    def is_factor(self, line: EquationLine) -> bool:
        """Whether an equation gives Cholesky factors a name, the row and the column last."""
        slots = line.left.slots or ()
        return isinstance(line.right, Reduce) and [slot.name for slot in slots][-2:] == [
            slot.name for slot in line.right.indices
        ]

    def factor_under(self, left: Entry, node: Reduce, line: EquationLine) -> EquationLine:
        """The equation of Cholesky factors under a name that the author gave; their inverses stand behind it."""
        self.check(node)
        matrix = self.whole(node)
        names = [[slot.name for slot in entry.slots or ()] for entry in (left, matrix)]
        if names[0] != names[1]:
            return replace(line, right=self.written(node))
        self.factors.setdefault(matrix.name, left.name)
        self.after = self.inverse(left, node.at)
        return replace(line, right=replace(node, body=matrix, inverse=self.inverses[left.name]))

    def factored(self, matrix: Entry, node: Reduce) -> list[Statement]:
        """The Cholesky factors of a tensor of matrices under a new name, and their inverses."""
        factor = Entry(self.new(f"{matrix.name}_chol"), matrix.slots, node.at)
        self.factors[matrix.name] = factor.name
        after = self.inverse(factor, node.at)
        right = replace(node, body=matrix, inverse=self.inverses[factor.name])
        return [EquationLine(factor, right, f"Cholesky factor of {matrix.name}", at=node.at, hoisted=True), *after]

    def inverted(self, matrix: Entry, at: At | None) -> str:
        """The name of the inverse of a matrix."""
        if matrix.name not in self.inverses:
            self.added += self.inverse(matrix, at)
        return self.inverses[matrix.name]

    def whole(self, node: Reduce) -> Entry:
        """The matrix as a tensor whose last two slots are the rows and the columns."""
        body, names = node.body, [slot.name for slot in node.indices]
        written = [slot.name for slot in body.slots or ()] if isinstance(body, Entry) else []
        plain = isinstance(body, Entry) and not any(slot.expression for slot in body.slots or ()) and not body.layout
        whole = isinstance(body, Entry) and self.is_whole(body)
        if not plain or not whole or written[-2:] != names or len(set(written)) < len(written):
            free = [name for name in dict.fromkeys(free_names(body, self.extents)) if name not in names]
            slots = tuple(Slot(name, node.at) for name in (*free, *names))
            body = Entry(self.new(f"{body.name}_matrix" if isinstance(body, Entry) else "matrix"), slots, node.at)
            self.added.append(self.matrix(body, node))
        assert isinstance(body, Entry)
        return body

    def matrix(self, entry: Entry, node: Reduce) -> EquationLine:
        """The equation of a matrix; where its statement does not hold it is the identity, which has an inverse."""
        line = EquationLine(entry, node.body, at=node.at, hoisted=True)
        if self.steps is None or self.steps.index.name not in (slot.name for slot in entry.slots or ()):
            return line
        return replace(line, steps=self.steps, otherwise=Entry("delta", node.indices, node.at))

    def is_whole(self, entry: Entry) -> bool:
        """Whether an entry, over all its indices, is the whole of its tensor, and no part of it."""
        declared = self.declared.get(entry.name)
        if declared is None:
            return False
        lengths = [[self.extents.get(slot.name) for slot in one.slots or ()] for one in (entry, declared)]
        return lengths[0] == lengths[1]

    def inverse(self, matrix: Entry, at: At | None) -> list[Statement]:
        """The system that determines the inverse of a matrix, under a new name."""
        *outer, row, column = matrix.slots or ()
        extent = self.extents[row.name]
        used = {slot.name for slot in matrix.slots or ()}
        third = next((name for name, own in self.extents.items() if own == extent and name not in used), None)
        if third is None:
            third = next(fresh_names(self.taken))
            self.taken.add(third)
            self.indices.append(IndexLine((Slot(third, at),), extent, at=at))
        other = Slot(third, at)
        name = self.new(f"{matrix.name}_inv")
        unknown = Entry(name, (*outer, column, other), at)
        product = Reduce("sum", (column,), Times((matrix, unknown), at), at)
        identity = Entry("delta", (row, other), at)
        self.inverses[matrix.name] = name
        return [SolveLine(unknown, product, identity, f"inverse of {matrix.name}", at, hoisted=True)]

    def new(self, name: str) -> str:
        """A name that nothing has yet."""
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        return name
