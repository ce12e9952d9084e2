"""The members of a statement under one reading: what each means, over which letters, in which sizes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from indexcalc.errors import IndexCalcError
from indexcalc.proof.document.meaning.nodes import ZERO, Derivative, Meaning, free, occurrences, renamed, walk
from indexcalc.proof.document.meaning.sizes import Ix, ShapeError, Sizes
from indexcalc.proof.document.meaning.symbols import FIRST, NotUnderstoodError, OrientationError, Pair, Variation
from indexcalc.proof.document.meaning.typed import Typed
from indexcalc.proof.document.names.assumptions import summed_entry
from indexcalc.proof.document.names.definitions import letters_below, scalars_only
from indexcalc.proof.document.names.varying import variation_of
from indexcalc.proof.document.reading.einstein import bind_chain_rule, bind_repeated
from indexcalc.proof.document.reading.rates import is_mixed
from indexcalc.proof.document.reading.reader import Reader
from indexcalc.proof.document.reading.reductions import is_codelike
from indexcalc.proof.document.reading.scope import unknown_apart
from indexcalc.proof.document.written.context import JACOBIAN
from indexcalc.proof.document.written.outline import Statement
from indexcalc.proof.document.written.roles import Roles


class Members:
    """One reading of a statement.

    Attributes:
        roles: the document's roles.
        statement: the statement.
        unwritten: whether chain rules are summed although no sum is written.
        sizes: the sizes, as far as the statement says.
        reader: the reader of the members, with its letters, notes and guesses.
        values: the meaning of each member; None if it has none.
        troubles: why not.
        shape_errors: how the shapes within a member clash.
    """

    def __init__(
        self,
        roles: Roles,
        statement: Statement,
        *,
        local: bool,
        unwritten: bool,
        settled: Mapping[Pair, bool] | None = None,
        apart: Callable[[str, str], bool] = unknown_apart,
        variation: Variation | None = None,
    ) -> None:
        self.roles = roles
        self.statement = statement
        self.unwritten = unwritten
        self.sizes: Sizes = roles.symbols.sizes.copy()
        self.reader = Reader(roles.symbols, roles.survey, self.sizes, local=local, settled=settled or {}, apart=apart)
        self.reader.indices = letters_below(roles, statement)
        self.reader.scalars_only = scalars_only(roles, statement)
        self.reader.mixed = is_mixed(side.tree for side in statement.sides if side.tree is not None)
        self.reader.variation = variation or variation_of(roles, statement)
        self.reader.codelike = is_codelike(roles, statement.trees)
        self.values: list[Typed | None] = []
        self.troubles: list[str] = []
        self.shape_errors: list[str] = []
        self.read()
        self.bind()

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """The pairs whose derivatives are total or local; none where straight and curly signs tell them apart."""
        return () if self.reader.mixed else tuple(self.reader.pairs)

    @property
    def conditions(self) -> list[tuple[str, str, str]]:
        """The conditions on index letters, with the value of a letter that has but one."""
        classes = self.roles.symbols.classes
        values = dict.fromkeys(classes, str(FIRST))
        return [(values.get(a, a), relation, values.get(b, b)) for a, relation, b in self.statement.conditions]

    @property
    def head(self) -> Typed | None:
        """The first member's meaning."""
        return self.values[0]

    def read(self) -> None:
        """The meaning of every member."""
        for side in self.statement.sides:
            value: Typed | None = None
            trouble, shape = side.error, ""
            if side.tree is not None and side.relation != "in":
                before = self.sizes.copy()
                try:
                    value = self.reader.sum(side.tree)
                except ShapeError as error:
                    shape = str(error)
                    restore(self.sizes, before, self.reader.letters.values())
                except (NotUnderstoodError, IndexCalcError) as error:
                    trouble = str(error)
                    # Where a document says what its vectors are, they cannot lie the other way.
                    if isinstance(error, OrientationError) and self.roles.symbols.columns:
                        trouble, shape = "", trouble
                except RecursionError:
                    trouble = "nested too deeply"
            if not self.values:
                self.reader.head = dict(self.reader.letters)
            self.values.append(value)
            self.troubles.append(trouble)
            self.shape_errors.append(shape)

    def bind(self) -> None:
        """Sums that are not written, where the document leaves them out."""
        outside = self.outside()
        self.values = [value and self.bound(n, value, outside) for n, value in enumerate(self.values)]

    def outside(self) -> set[Ix]:
        """The letters that no member sums without saying so: free in all of them, or on the left side."""
        read = [value for value in self.values if value is not None]
        outside = set.intersection(*(set(letters_of(value)) for value in read)) if read else set()
        if self.head is not None:
            counts = Counter(occurrences(self.head.node))
            counts.subtract(index for node in walk(self.head.node) for index in on_diagonal(node))
            einstein = self.roles.symbols.einstein
            outside |= {index for index in letters_of(self.head) if counts[index] == 1 or not einstein}
        return outside

    def bound(self, n: int, value: Typed, outside: set[Ix]) -> Typed:
        """A member with its unwritten sums."""
        keep = {*outside, *value.axes}
        if self.roles.symbols.einstein:
            keep = keep if not n or outside else keep | self.chain_letters()
            return replace(value, node=bind_repeated(value.node, keep))
        return replace(value, node=bind_chain_rule(value.node, keep)) if self.unwritten else value

    def chain_letters(self) -> set[Ix]:
        """Where the head is a matrix: the letters of derivatives' denominators in the chain."""
        own = self.reader.letters.values()
        return {slot for node in self.derivatives() for slot in node.wrt.slots if slot in own}

    def derivatives(self) -> Iterator[Derivative]:
        """Every derivative in every member."""
        for value in self.values:
            for node in walk(value.node) if value is not None else ():
                if isinstance(node, Derivative):
                    yield node

    def common(self, left: Typed, right: Typed, sizes: Sizes) -> tuple[Meaning, Meaning, tuple[Ix, ...]]:
        """Two members over the same index variables, and these.

        Raises:
            NotUnderstoodError: if the axes of one cannot be told from the letters of the other.
            ShapeError: if their sizes clash.
        """
        a, b, axes = left.node, right.node, left.axes
        if left.axes and right.axes:
            if len(left.axes) != len(right.axes):
                raise NotUnderstoodError(f"{len(left.axes)} axes on one side, {len(right.axes)} on the other")
            for p, q in zip(left.axes, right.axes, strict=True):
                sizes.unify(p, q)
            b = renamed(b, dict(zip(right.axes, left.axes, strict=True)))
        elif left.axes and right.node == ZERO:
            return a, ZERO, tuple(dict.fromkeys((*axes, *(i for i in free(a) if i not in axes))))
        elif left.axes or right.axes:
            matrix, entries = (left, right) if left.axes else (right, left)
            axes = self.axes_as_letters(matrix, entries)
            names = dict(zip(matrix.axes, axes, strict=True))
            for axis, index in names.items():
                sizes.unify(axis, index)
            a, b = (renamed(a, names), b) if left.axes else (a, renamed(b, names))
        return a, b, tuple(dict.fromkeys((*axes, *(i for i in free(a) if i not in axes))))

    def axes_as_letters(self, matrix: Typed, entries: Typed) -> tuple[Ix, ...]:
        """The letters of a member written in entries, in the order of the axes of an array."""
        letters, fixed = letters_of(entries), letters_of(matrix)
        order = tuple(index for index in self.letter_order() if index in letters and index not in fixed)
        if len(order) != len(matrix.axes):
            raise NotUnderstoodError("an array on one side, entries on the other")
        return order

    def letter_order(self) -> list[Ix]:
        """The letters of the chain: those of derivatives' denominators first, then as they occur."""
        order: dict[Ix, None] = {}
        for node in self.derivatives():
            order.update(dict.fromkeys(node.wrt.slots[:: -1 if self.roles.symbols.layout == JACOBIAN else 1]))
        for value in self.values:
            if value is not None:
                order.update(dict.fromkeys(letters_of(value)))
        return list(order)

    def sums_written(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        """The tensors whose entries the statement sums up, each with the slots that are summed."""
        for value in self.values:
            for node in walk(value.node) if value is not None else ():
                found = summed_entry(node)
                if found is not None:
                    yield found


def letters_of(value: Typed) -> tuple[Ix, ...]:
    """The free letters of an expression, without its axes."""
    return tuple(index for index in free(value.node) if index not in value.axes)


def on_diagonal(node: Meaning) -> tuple[Ix, ...]:
    """The letters above and below in one derivative, ``dy_i/dx_i``: it is a diagonal entry, and no trace."""
    if not isinstance(node, Derivative):
        return ()
    above = free(node.body)
    return tuple(index for index in dict.fromkeys(node.wrt.slots) if index in above)


def restore(sizes: Sizes, before: Sizes, letters: Iterable[Ix]) -> None:
    """Undo what a member that does not fit has unified; letters that it brought in keep a size of their own."""
    sizes.parent, sizes.names, sizes.owners = before.parent, before.names, before.owners
    sizes.exact = before.exact
    for letter in letters:
        sizes.parent.setdefault(letter, letter)
