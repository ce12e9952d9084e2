"""What statements say about slots: which indices stand against which axes of which tensors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from indexcalc.language.lines import ClaimLine, EquationLine, InputLine, NameLine, SolveLine, Statement, UpstreamLine
from indexcalc.language.syntax import At, Bracket, Entry, Expression, Gradient, Slot, axes_of, nodes_in, written


@dataclass(frozen=True, slots=True)
class AxisNode:
    """One axis of a tensor, wherever the tensor is read."""

    tensor: str
    position: int


@dataclass(frozen=True, slots=True)
class IndexNode:
    """One index within one statement, by the statement's number."""

    statement: int
    name: str


Node = AxisNode | IndexNode


@dataclass(frozen=True, slots=True)
class Definition:
    """A tensor where it is defined: the number of the statement, and the general entry."""

    statement: int
    entry: Entry

    @property
    def general(self) -> str:
        """The general entry as the author wrote it."""
        return written(self.entry.name, (slot.name for slot in self.entry.slots or ()), self.entry.layout)


@dataclass(frozen=True, slots=True)
class Meeting:
    """Two lists of nodes that number the same entries: the parts of one are those of the other.

    Attributes:
        left: what stands here.
        right: the axes of the tensor as it was defined, or the other index of a delta.
        what: the slot as it is written here.
        general: what it stands against, as it was defined.
        at: the place.
        there: the place of the definition.
    """

    left: tuple[Node, ...]
    right: tuple[Node, ...]
    what: str
    general: str
    at: At | None
    there: At | None


def definitions_of(lines: tuple[Statement, ...]) -> dict[str, Definition]:
    """Every tensor with its defining statement, the first if there are several."""
    found: dict[str, Definition] = {}
    for number, line in enumerate(lines):
        match line:
            case InputLine(entry=entry) | EquationLine(left=entry):
                found.setdefault(entry.name, Definition(number, entry))
            case SolveLine(parts=parts):
                for part in parts:
                    found.setdefault(part.unknown.name, Definition(number, part.unknown))
    return found


def gradient_tensors(lines: tuple[Statement, ...]) -> dict[str, str]:
    """The tensor to which a gradient of this name belongs."""
    found: dict[str, str] = {}
    for line in lines:
        match line:
            case UpstreamLine(given=Entry(name=name), gradient=gradient) | NameLine(name=name, gradient=gradient):
                found.setdefault(name, gradient.of)
    return found


def expressions_of(line: Statement) -> tuple[Expression, ...]:
    """The expressions of a statement, left sides of definitions not among them."""
    match line:
        case EquationLine(right=right):
            return (right,)
        case ClaimLine(left=left, right=right):
            return (left, right)
        case UpstreamLine(given=given, gradient=gradient):
            return (given, gradient)
        case NameLine(gradient=gradient):
            return (gradient,)
        case _:
            return ()


def meetings_of(lines: tuple[Statement, ...], definitions: Mapping[str, Definition]) -> Iterator[Meeting]:
    """Everything that the statements say about slots, in authored order."""
    alias = gradient_tensors(lines)
    for number, line in enumerate(lines):
        match line:
            case InputLine(entry=entry) | EquationLine(left=entry):
                yield from read_as(number, entry, definitions.get(entry.name))
        for node in chain.from_iterable(nodes_in(expression) for expression in expressions_of(line)):
            match node:
                case Entry(name="delta", slots=(Slot() as one, Slot() as other), layout=()) if (
                    "delta" not in definitions
                ):
                    yield joined(number, one, other, node.at)
                case Bracket(left=one, relation="==", right=other):
                    yield joined(number, one, other, node.at)
                case Entry(name=name):
                    yield from read_as(number, node, definitions.get(name) or definitions.get(alias.get(name, "")))
                case Gradient(of=name):
                    yield from read_as(number, node, definitions.get(name))


def joined(number: int, one: Slot, other: Slot, at: At | None) -> Meeting:
    """A delta joins two indices of the same parts."""
    return Meeting((IndexNode(number, one.name),), (IndexNode(number, other.name),), one.name, other.name, at, at)


def read_as(number: int, node: Entry | Gradient, definition: Definition | None) -> Iterator[Meeting]:
    """The slots of an entry against those of the definition; nothing where their numbers can't be brought together.

    Axes stand against axes. Where their numbers differ, an array may be read under other axes, slot
    by slot: ``W[m,h,k]`` for ``W[m,(h,k)]``, or ``X[(b,s),m]`` for ``X[b,s,m]``.
    """
    if definition is None:
        return
    here, there = axes_of(node), axes_of(definition.entry)
    axes = tuple((AxisNode(definition.entry.name, position),) for position in range(len(there)))
    pairs: list[tuple[tuple[Slot, ...], tuple[Node, ...]]]
    if len(here) == len(there):
        pairs = list(zip(here, axes, strict=True))
    elif len(node.slots or ()) == len(there):
        pairs = [((slot,), axis) for slot, axis in zip(node.slots or (), axes, strict=True)]
    elif len(here) == len(definition.entry.slots or ()):
        slots = definition.entry.slots or ()
        own = tuple((IndexNode(definition.statement, slot.name),) for slot in slots)
        pairs = [(axis, slot) for axis, slot in zip(here, own, strict=True)]
    else:
        return
    for slots, against in pairs:
        what = slots[0].name if len(slots) == 1 else f"({','.join(slot.name for slot in slots)})"
        left = tuple(IndexNode(number, slot.name) for slot in slots)
        yield Meeting(left, against, what, definition.general, slots[0].at, definition.entry.at)
