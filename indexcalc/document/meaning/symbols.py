"""The symbols of a document: what each name stands for, and the sizes of its slots."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from indexcalc.document.meaning.nodes import Derivative, Meaning, names_of, walk
from indexcalc.document.meaning.sizes import Ix, Sizes
from indexcalc.language.latex.tree import Sum

Pair = tuple[tuple[str, ...], str]
"""What a local derivative holds, and the tensor by which it is taken."""

FIRST = 1
"""The value of an index that has but one, as the class in ``-log p_y``."""


class NotUnderstoodError(Exception):
    """A formula that cannot be read without a guess; the message says why."""


class OrientationError(NotUnderstoodError):
    """A product of vectors that fits only if one of them lies the other way."""


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


@dataclass(frozen=True, slots=True)
class Function:
    """A function that the document defines for one argument, or for the entry of one at `letters`."""

    parameter: str
    body: Sum
    letters: tuple[str, ...] = ()


@dataclass
class Symbols:
    """All names of a document.

    Attributes:
        sizes: the sizes of slots.
        slots: the slots of each tensor; a scalar has none.
        definitions: what tensors are equal to.
        functions: functions that the document defines.
        aliases: capital names of tensors that are indexed under a small letter, and others.
        adjoints: names that stand for the loss's gradient by a tensor, such as ``dQ``.
        loss: the name of the scalar that is differentiated, if it has no definition.
        outputs: the tensors on which an unknown loss depends.
        given: the inputs: names that definitions read or that are declared.
        einstein: whether repeated indices are summed.
        positive: names whose values must be positive.
        simplex: names whose entries sum to one, with the places of the slots that are summed.
        one_hot: those of them with one entry of one, and zeros.
        chosen: letters that stand for one given entry, such as that of the right class.
        assumed: index letters whose size bears a name.
        writes_chain_sums: whether the document writes the sums of its chain rules.
        marks_held: whether the document marks derivatives that hold a tensor, so that the others are total.
        told: names of which words say what no equation says: diagonal matrices, eigenvalues.
        one_set: whether all sums over a set that is named are over the same one.
        determinants: whether bars around a matrix are its determinant.
        orthonormal: inputs whose columns are orthonormal, and vectors of length one.
        symmetric: matrices that are equal to their transposes.
        exchanged: those of them of which an equation of their entries says so, ``J_ij = J_ji``.
        words: functions named by a context, such as sigma for softmax.
        orientation: that of vectors of which nothing is declared.
        orientations: those of vectors declared as rows or columns.
        rows: names whose entries are rows of the matrix of the same letter.
        unknown: functions that the document applies and never defines.
        entrywise: those that are applied to arrays entry by entry.
        units: whether the words call ``e_i`` a unit vector; None if it is none.
        classes: index letters with one value, as in ``-log p_y``.
        scalar_sigma: whether sigma is applied to a scalar somewhere, so that it is no softmax.
        unsure: names that a definition reads only in a later member, while its first one is not understood.
        unread: names with an equation of their own that could not be read as a definition.
        redefined: functions that the document defines more than once.
        applied: functions whose own equation is not understood.
        mixed: whether the document has vectors of both kinds.
        columns: whether the document says that its vectors are columns.
        differentials: whether names such as ``dX`` may be differentials, not gradients.
        beyond: losses as unknown functions of layers by which the document does not define them.
        shared: inputs that all layers, steps or heads read, with the letter of these.
        varied: the tensors of which a document with differentials has short names that begin with d.
        layout: how a context says that derivatives by arrays are laid out; empty if it says nothing.
    """

    sizes: Sizes = field(default_factory=Sizes)
    slots: dict[str, tuple[Ix, ...]] = field(default_factory=dict)
    definitions: dict[str, Definition] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    adjoints: dict[str, str] = field(default_factory=dict)
    losses: set[str] = field(default_factory=set)
    outputs: tuple[str, ...] = ()
    given: set[str] = field(default_factory=set)
    einstein: bool = False
    simplex: dict[str, tuple[int, ...]] = field(default_factory=dict)
    one_hot: frozenset[str] = frozenset()
    chosen: set[str] = field(default_factory=set)
    words: dict[str, str] = field(default_factory=dict)
    orientation: str = "column"
    orientations: dict[str, str] = field(default_factory=dict)
    rows: set[str] = field(default_factory=set)
    unknown: frozenset[str] = frozenset()
    entrywise: frozenset[str] = frozenset()
    units: bool | None = None
    classes: frozenset[str] = frozenset()
    scalar_sigma: bool = False
    unsure: set[str] = field(default_factory=set)
    unread: set[str] = field(default_factory=set)
    redefined: set[str] = field(default_factory=set)
    applied: set[str] = field(default_factory=set)
    mixed: bool = False
    layout: str = ""
    columns: bool = False
    differentials: bool = False
    varied: frozenset[str] = frozenset()
    beyond: set[str] = field(default_factory=set)
    shared: dict[str, str] = field(default_factory=dict)
    assumed: dict[str, str] = field(default_factory=dict)
    writes_chain_sums: bool = False
    marks_held: bool = False
    determinants: bool = False
    one_set: bool = False
    told: frozenset[str] = frozenset()
    symmetric: frozenset[str] = frozenset()
    exchanged: frozenset[str] = frozenset()
    orthonormal: frozenset[str] = frozenset()

    def resolve(self, name: str) -> str:
        """The name under which a tensor is known."""
        return self.aliases.get(name, name)

    def is_loss(self, name: str) -> bool:
        """Whether a name is a loss that the document does not define, or not for the layers in question."""
        if name in self.beyond:
            return True
        return name in self.losses and name not in self.definitions and name not in self.functions


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
