"""The symbols of a document: what each name stands for, and the sizes of its slots."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from indexcalc.document.meaning.nodes import Derivative, Meaning, names_of, walk
from indexcalc.document.meaning.sizes import Ix, Sizes


class NotUnderstoodError(Exception):
    """A formula that cannot be read without a guess; the message says why."""


class BoundError(NotUnderstoodError):
    """A formula that is larger than what is read; the message names the bound."""


class RankError(NotUnderstoodError):
    """A formula whose arrays have numbers of axes that do not go together; with other ones it may be read."""


class CountError(NotUnderstoodError):
    """A sum over steps up to a letter, which is read once the letter has a number."""

    def __init__(self, letter: str) -> None:
        """For the letter that ends the sum."""
        super().__init__(f"a sum over steps up to {letter}")
        self.letter = letter


@dataclass(frozen=True)
class Definition:
    """What a tensor is equal to: its slots under their own variables, and the expression over them."""

    slots: tuple[Ix, ...]
    body: Meaning
    line: int = 0

    @cached_property
    def reads(self) -> tuple[str, ...]:
        """The tensors that the expression names."""
        return names_of(self.body)

    @cached_property
    def differentiates(self) -> bool:
        """Whether the expression has a derivative in it."""
        return any(isinstance(node, Derivative) for node in walk(self.body))


@dataclass
class Symbols:
    """What the names of one reading stand for.

    Attributes:
        sizes: the sizes of slots.
        slots: the slots of each tensor; a scalar has none.
        definitions: what tensors are equal to.
        losses: numbers that are differentiated and which the document does not define; each has a formula that stands
            for any function of the outputs.
        outputs: the tensors on which these depend.
        symmetric: matrices that are equal to their transposes.
        orthonormal: inputs whose columns are orthonormal, and vectors of length one.
        projections: symmetric matrices that are their own squares.
        simplex: names whose entries sum to one, with the places of the slots that are summed.
        one_hot: those of them of whose entries one is not zero, each with whether this is the first, which is given.
        whole: the inputs whose entries are whole numbers from 0, each with the axis that they are places of.
        recurring: tensors whose definitions lead back to them, at other places.
        zero_outside: whether an entry outside of its tensor counts as zero; else it has no value.
    """

    sizes: Sizes = field(default_factory=Sizes)
    slots: dict[str, tuple[Ix, ...]] = field(default_factory=dict)
    definitions: dict[str, Definition] = field(default_factory=dict)
    losses: set[str] = field(default_factory=set)
    outputs: tuple[str, ...] = ()
    symmetric: frozenset[str] = frozenset()
    orthonormal: frozenset[str] = frozenset()
    projections: frozenset[str] = frozenset()
    simplex: dict[str, tuple[int, ...]] = field(default_factory=dict)
    one_hot: dict[str, bool] = field(default_factory=dict)
    whole: dict[str, Ix] = field(default_factory=dict)
    recurring: frozenset[str] = frozenset()
    zero_outside: bool = False

    @cached_property
    def circles(self) -> Mapping[str, tuple[str, ...]]:
        """The tensors that are computed step by step together, in the order of a step, for each of them."""
        found: dict[str, tuple[str, ...]] = {}
        ordered = [name for name in self.definitions if name in self.recurring]
        rests_on = {name: all_read(self.definitions, self.definitions[name].body) for name in ordered}
        for name in ordered:
            if name not in found:
                own = tuple(one for one in ordered if one in rests_on[name] and name in rests_on[one])
                found.update(dict.fromkeys(own, own))
        return found

    def circle(self, name: str) -> tuple[str, ...]:
        """The tensors that are computed step by step together with one, itself too; none without steps."""
        return self.circles.get(name, ())

    def is_loss(self, name: str) -> bool:
        """Whether a name is a loss that the document does not define: its formula stands for any function."""
        return name in self.losses

    def is_backward(self, name: str) -> bool:
        """Whether a tensor is made from gradients; those never feed the forward pass."""
        pending, seen = [name], set()
        while pending:
            current = pending.pop()
            if current in seen or current not in self.definitions:
                continue
            if self.definitions[current].differentiates:
                return True
            seen.add(current)
            pending.extend(self.definitions[current].reads)
        return False


def depends_on(definitions: Mapping[str, Definition], name: str, other: str) -> bool:
    """Whether a tensor depends on another through definitions."""
    from_here, pending = set(), [name]
    while pending:
        current = pending.pop()
        if current == other:
            return True
        if current in from_here or current not in definitions:
            continue
        from_here.add(current)
        pending.extend(definitions[current].reads)
    return False


def all_read(definitions: Mapping[str, Definition], body: Meaning) -> set[str]:
    """The names in an expression, and all that they are made from."""
    found, pending = set[str](), list(names_of(body))
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            pending.extend(definitions[name].reads if name in definitions else ())
    return found
