"""Comparisons of values in the functions of the table: ``[x[i] > y[i]]`` is ``step(x[i] - y[i])``.

A bracket compares places, ``[i <= j]``, or values: it does the latter where one of its sides reads a parameter, a
function, or a tensor that is no input of whole numbers. ``where([x > y], a, b)`` is a where x > y, else b.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import sympy as sp

from indexcalc.language.lines import ClaimLine, EquationLine, InputLine, ParameterLine, SolveLine, Statement
from indexcalc.language.syntax import (
    At,
    Bracket,
    Call,
    Entry,
    Expression,
    Gradient,
    Negate,
    Plus,
    Reduce,
    Scalar,
    Slot,
    Times,
    nodes_in,
    with_children,
)

VALUES = (Call, Gradient, Reduce)
"""What no expression of places holds."""


def with_comparisons(lines: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """The statements with every comparison of values, and every choice between two, as functions of the table."""
    values = {line.entry.name for line in lines if isinstance(line, InputLine) and line.values is None}
    values.update(line.name for line in lines if isinstance(line, ParameterLine))
    values.update(line.left.name for line in lines if isinstance(line, EquationLine))
    values.update(part.unknown.name for line in lines if isinstance(line, SolveLine) for part in line.parts)
    comparisons = Comparisons(frozenset(values))
    return tuple(map(comparisons.statement, lines))


@dataclass(frozen=True, slots=True)
class Comparisons:
    """Comparisons in a spec, whose parameters, and tensors with other than whole numbers, are `values`."""

    values: frozenset[str]

    def statement(self, line: Statement) -> Statement:
        """One statement."""
        match line:
            case EquationLine(right=right):
                return replace(line, right=self.written(right))
            case ClaimLine(left=left, right=right):
                return replace(line, left=self.written(left), right=self.written(right))
            case SolveLine():
                return line.mapped(
                    lambda part: replace(part, left=self.written(part.left), right=self.written(part.right))
                )
        return line

    def written(self, node: Expression) -> Expression:
        """An expression without comparisons of values; as it is where there are none."""
        found = any(isinstance(one, Bracket | Call) and self.is_written(one) for one in nodes_in(node))
        return self.rewritten(node) if found else node

    def is_written(self, node: Bracket | Call) -> bool:
        """Whether a node is written as another function."""
        return self.is_of_values(node) if isinstance(node, Bracket) else is_choice(node)

    def rewritten(self, node: Expression) -> Expression:
        """An expression that holds such a node."""
        match node:
            case Bracket() if self.is_of_values(node):
                return compared(self.side(node.left), node.relation, self.side(node.right), node.at)
            case Call(args=(condition, one, other)) if is_choice(node):
                return self.choice(condition, self.rewritten(one), self.rewritten(other), node.at)
        return with_children(node, self.rewritten)

    def side(self, slot: Slot) -> Expression:
        """A side of a bracket that compares values."""
        return self.rewritten(side(slot))

    def is_of_values(self, node: Bracket) -> bool:
        """Whether a bracket compares values."""
        inner = [one for slot in (node.left, node.right) for one in nodes_in(side(slot))]
        return any(map(self.is_value, inner))

    def choice(self, condition: Expression, one: Expression, other: Expression, at: At | None) -> Expression:
        """``where(condition, one, other)``; a condition on places alone is a bracket, a factor of each."""
        if isinstance(condition, Bracket) and self.is_of_values(condition):
            left, right = self.side(condition.left), self.side(condition.right)
            match condition.relation:
                case ">" | "<=":
                    gap = less(left, right, condition.at)
                case "<" | ">=":
                    gap = less(right, left, condition.at)
                case _:
                    gap = self.rewritten(condition)
            swapped = condition.relation in ("<=", ">=")
            return Call("where", (gap, other, one) if swapped else (gap, one, other), at)
        if all(self.is_of_places(inner) for inner in nodes_in(condition)):
            rest = less(Scalar(sp.S.One, at), condition, at)
            return Plus((Times((condition, one), at), Times((rest, other), at)), at)
        return Call("where", (self.rewritten(condition), one, other), at)

    def is_of_places(self, node: Expression) -> bool:
        """Whether a node of a condition reads no value."""
        return not self.is_of_values(node) if isinstance(node, Bracket) else not self.is_value(node)

    def is_value(self, node: Expression) -> bool:
        """Whether a node is no place: a tensor, a parameter or a function."""
        return isinstance(node, VALUES) or (isinstance(node, Entry) and node.name in self.values)


def is_choice(node: Call) -> bool:
    """Whether a call chooses between two values."""
    return node.function == "where" and len(node.args) == 3


def side(slot: Slot) -> Expression:
    """What a side of a bracket holds, as an expression."""
    return Entry(slot.name, None, slot.at) if slot.expression is None else slot.expression


def less(left: Expression, right: Expression, at: At | None) -> Expression:
    """``left - right``."""
    return Plus((left, Negate(right, at)), at)


def compared(left: Expression, relation: str, right: Expression, at: At | None) -> Expression:
    """A comparison of two values: 1 where it holds, else 0."""
    above, below = less(left, right, at), less(right, left, at)
    match relation:
        case ">":
            return Call("step", (above,), at)
        case "<":
            return Call("step", (below,), at)
        case ">=":
            return Call("reach", (above,), at)
        case "<=":
            return Call("reach", (below,), at)
        case "!=":
            return Plus((Call("step", (above,), at), Call("step", (below,), at)), at)
    return Times((Call("reach", (above,), at), Call("reach", (below,), at)), at)
