"""Extents found by unification: every slot and every index has a size, and equations say which agree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import sympy as sp

EXACT_LIMIT = 6
"""The largest declared extent that is taken as the number it is; a larger one is tried with a few entries."""


class ShapeError(Exception):
    """Two sizes that the document declares as different would have to be equal."""


class OrientationError(ShapeError):
    """A row would have to be equal to a column."""


class SizeError(ShapeError):
    """Two sizes meet that the document declares under two names, or that are two numbers."""


@dataclass(frozen=True, slots=True)
class Ix:
    """One index variable: a letter of one equation, a dummy of one sum, or an axis of a matrix.

    Attributes:
        key: what tells it from all others.
        name: its letter, if it has one.
        fixed: the one value that it has, from 1, in a numbered entry; 0 if it varies.
    """

    key: int
    name: str = ""
    fixed: int = 0

    def __hash__(self) -> int:
        return self.key

    def __repr__(self) -> str:
        return f"{self.name}#{self.key}"


@dataclass
class Sizes:
    """Classes of index variables of equal size; a class may bear the name of a declared extent.

    Attributes:
        parent: the union-find forest.
        names: the declared extent of a class, by its root.
        count: how many variables there are.
        exact: the length of a class that is a number, by its root.
        parts: the variables whose sizes add up to that of a class, by its root.
        formulas: the sizes of classes as expressions of others, which bear names, by their roots.
        compared: pairs of indices that are compared, until all is read.
    """

    parent: dict[Ix, Ix] = field(default_factory=dict)
    names: dict[Ix, str] = field(default_factory=dict)
    owners: dict[str, Ix] = field(default_factory=dict)
    declared: set[str] = field(default_factory=set)
    count: int = 0
    exact: dict[Ix, int] = field(default_factory=dict)
    parts: dict[Ix, tuple[Ix, ...]] = field(default_factory=dict)
    formulas: dict[Ix, sp.Expr] = field(default_factory=dict)
    compared: list[tuple[Ix, Ix]] = field(default_factory=list)

    def copy(self) -> Sizes:
        """An independent copy: what is unified there stays there."""
        return Sizes(
            dict(self.parent),
            dict(self.names),
            dict(self.owners),
            set(self.declared),
            self.count,
            dict(self.exact),
            dict(self.parts),
            dict(self.formulas),
            list(self.compared),
        )

    def fresh(self, name: str = "", fixed: int = 0) -> Ix:
        """A new index variable of unknown size."""
        self.count += 1
        index = Ix(self.count, name, fixed)
        self.parent[index] = index
        return index

    def like(self, slot: Ix) -> Ix:
        """A new index variable of the same size."""
        index = self.fresh(slot.name)
        self.unify(index, slot)
        return index

    def find(self, index: Ix) -> Ix:
        """The representative of a variable's class."""
        parent, root = self.parent, index
        while (above := parent[root]) is not root:
            root = above
        while (above := parent[index]) is not root:
            parent[index], index = root, above
        return root

    def unify(self, left: Ix, right: Ix) -> None:
        """Say that two variables have one size.

        Raises:
            SizeError: if the document declares the two sizes under two names.
            ShapeError: if they are sums of other numbers of sizes, or one is a part of the other.
        """
        a, b = self.find(left), self.find(right)
        if a == b:
            return
        one, other = self.names.get(a), self.names.get(b)
        if one is not None and other is not None and one != other and {one, other} <= self.declared:
            raise SizeError(f"a size {one} meets a size {other}")
        lengths = {self.exact[root] for root in (a, b) if root in self.exact}
        if len(lengths) > 1:
            raise SizeError(f"a size {min(lengths)} meets a size {max(lengths)}")
        if b.key < a.key:
            a, b = b, a
        self.parent[b] = a
        if lengths:
            self.exact[a] = min(lengths)
        name = one if one in self.declared else other or one
        if name is not None:
            self.names[a] = name
        if (formula := self.formulas.pop(b, None)) is not None:
            self.formulas.setdefault(a, formula)
        self.unify_parts(a, b)

    def unify_parts(self, kept: Ix, merged: Ix) -> None:
        """Say that the sizes which add up to a class are one by one those which add up to the class merged with it."""
        other = self.parts.pop(merged, ())
        own = self.parts.setdefault(kept, other) if other else self.parts.get(kept, ())
        if other and len(own) != len(other):
            raise ShapeError("arrays in other numbers of blocks meet")
        if self.is_within(kept, own):
            del self.parts[kept]
            raise ShapeError("an array is as large as one of its blocks")
        for one, another in zip(own, other, strict=True) if other else ():
            self.fit(one, another)

    def compute(self, index: Ix, formula: sp.Expr) -> None:
        """Say that the size of a variable is an expression of sizes that bear names."""
        self.formulas[self.find(index)] = formula
        for symbol in sorted(formula.free_symbols, key=str):
            self.named(symbol.name)

    def formula_of(self, index: Ix) -> sp.Expr | None:
        """The size of a variable as an expression of others; None if it is none."""
        return self.formulas.get(self.find(index))

    def differ(self, left: Ix, right: Ix) -> bool:
        """Whether the size of one variable is an expression with that of the other, as N - 1 and N are."""
        formulas = self.formula_of(left), self.formula_of(right)
        return any(
            formula is not None and other is None and self.name_of(index) in {s.name for s in formula.free_symbols}
            for formula, other, index in ((*formulas, right), (*reversed(formulas), left))
        )

    def equate(self, left: Ix, right: Ix) -> None:
        """Say of two indices that may be equal that they have one size, unless the document declares two."""
        named = {self.names.get(self.find(index)) for index in (left, right)} & self.declared
        exact = {self.exact[root] for root in map(self.find, (left, right)) if root in self.exact}
        if len(named) < 2 and len(exact) < 2 and not self.differ(left, right):
            self.unify(left, right)

    def compare(self, left: Ix, right: Ix) -> None:
        """Note two indices of which one may be greater: they have one size unless something says both."""
        self.compared.append((left, right))

    def settle(self) -> None:
        """Say that indices which are compared have one size where nothing that was read says both."""
        for left, right in self.compared:
            if (self.is_unknown(left) or self.is_unknown(right)) and not self.differ(left, right):
                self.unify(left, right)
        self.compared.clear()

    def fit(self, left: Ix, right: Ix) -> None:
        """Say that two variables have one size, of which nothing but the place of blocks says so.

        Raises:
            ShapeError: if the document declares the two sizes under two names.
        """
        try:
            self.unify(left, right)
        except SizeError as error:
            raise ShapeError(str(error)) from None

    def parts_of(self, index: Ix) -> tuple[Ix, ...]:
        """The variables whose sizes add up to that of a variable; none if it is no such sum."""
        return self.parts.get(self.find(index), ())

    def is_within(self, root: Ix, parts: tuple[Ix, ...]) -> bool:
        """Whether a class is among parts, or the parts of these."""
        return any(self.find(part) == root or self.is_within(root, self.parts_of(part)) for part in parts)

    def parts_within(self, roots: Iterable[Ix]) -> Iterator[Ix]:
        """The classes whose sizes add up to those of some classes, and the parts of these."""
        for root in roots:
            parts = tuple(self.find(part) for part in self.parts_of(root))
            yield from parts
            yield from self.parts_within(parts)

    def length(self, index: Ix, lengths: Mapping[Ix, int]) -> int:
        """The length of a variable, where classes have these: that of a sum is the sum."""
        root = self.find(index)
        return sum(self.length(part, lengths) for part in self.parts_of(root)) or lengths[root]

    def joined(self, parts: Sequence[Ix]) -> Ix:
        """A new index variable as long as some variables together."""
        lengths = [self.exact.get(self.find(part), 0) for part in parts]
        if all(lengths):
            return self.measured(sum(lengths))
        index = self.fresh()
        self.parts[index] = tuple(parts)
        return index

    def lonely(self, index: Ix) -> bool:
        """Whether no other variable has the size of this one."""
        root = self.find(index)
        return sum(self.find(other) == root for other in self.parent) == 1

    def is_unknown(self, index: Ix) -> bool:
        """Whether nothing says how long an axis is: it has no name, no number, no formula and no parts."""
        root = self.find(index)
        return not any(root in said for said in (self.names, self.exact, self.formulas, self.parts))

    def is_one(self, index: Ix) -> bool:
        """Whether an axis is said to have one entry."""
        return self.exact.get(self.find(index)) == 1

    def named(self, name: str, *, declared: bool = False) -> Ix:
        """The class that bears the name of an extent."""
        if name not in self.owners:
            index = self.fresh(name)
            self.owners[name] = index
            self.names[index] = name
            if name.isdecimal() and len(name) == 1 and 0 < int(name) <= EXACT_LIMIT:
                self.exact[index] = int(name)
        if declared:
            self.declared.add(name)
            self.names[self.find(self.owners[name])] = name
        return self.owners[name]

    def measured(self, length: int) -> Ix:
        """A new index variable whose size is a number."""
        index = self.fresh()
        self.exact[index] = length
        return index

    def name_of(self, index: Ix) -> str:
        """The declared name of a size, or a question mark."""
        return self.names.get(self.find(index), "?")
