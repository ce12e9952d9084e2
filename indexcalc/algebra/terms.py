"""The types of the index algebra: indices, the factors of a product, and terms that own their sums.

A `Term` is ``coeff * product(base**exponent)`` summed over the indices it owns, and a tuple of terms
(`Terms`) is their sum. Only a top-level term binds indices: the terms inside `Add` and `Fn` are
sum-free, so binders never nest, and capture can happen only where a term's own sums meet new names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal

import sympy as sp

from indexcalc.algebra.slots import (
    Affine,
    Index,
    Lookup,
    Slot,
    are_plain,
    difference,
    indices_of_slot,
    lookups_of_slot,
    plain_slots,
)

__all__ = ["Affine", "Index", "Lookup", "Slot"]


class Compound:
    """What has parts; what it reads and its hash are found once, for both are asked for again and again."""

    __slots__ = ("_hash", "_indices", "_tensors")

    _hash: int
    _indices: tuple[Index, ...]
    _tensors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Access(Compound):
    """One entry of a named tensor: ``A[i,j]`` is ``Access("A", (i, j))``; a slot may hold an expression."""

    tensor: str
    slots: tuple[Slot, ...] = ()

    def __hash__(self) -> int:
        return remembered_hash(self, (self.tensor, self.slots))

    @property
    def indices(self) -> tuple[Index, ...]:
        """The slots of an entry that holds indices alone, such as the left side of a definition."""
        return plain_slots(self.slots)

    @property
    def is_plain(self) -> bool:
        """Whether all slots hold indices."""
        return are_plain(self.slots)


@dataclass(frozen=True, slots=True)
class Fn(Compound):
    """A pointwise function of sum-free arguments: ``exp(S[i,j])``, ``max(x[i], y[i])``, ``max(x[i], 0)``."""

    name: str
    args: tuple[Terms, ...]

    def __hash__(self) -> int:
        return remembered_hash(self, (Fn, self.name, self.args))

    @property
    def arg(self) -> Terms:
        """The argument of a function that has one, such as ``exp``."""
        (only,) = self.args
        return only


@dataclass(frozen=True, slots=True, eq=False)
class Delta:
    """Kronecker's delta: 1 where both sides are equal, else 0. Symmetric: delta_ij == delta_ji.

    Two deltas are equal if the differences of their sides are, up to sign: ``delta_{a,i+k} == delta_{a-i,k}``.
    """

    left: Slot
    right: Slot

    @property
    def is_plain(self) -> bool:
        """Whether both sides are indices."""
        return isinstance(self.left, Index) and isinstance(self.right, Index)

    @property
    def key(self) -> frozenset[Slot]:
        """What equal deltas share: the two indices, or the difference of the sides under both signs."""
        if self.is_plain:
            return frozenset((self.left, self.right))
        return frozenset((difference(self.left, self.right), difference(self.right, self.left)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Delta):
            return NotImplemented
        if self.is_plain and other.is_plain:
            return (self.left, self.right) in ((other.left, other.right), (other.right, other.left))
        return self.key == other.key

    def __hash__(self) -> int:
        return hash((Delta, self.key))

    def other(self, index: Slot) -> Slot:
        """The partner of `index` in this delta."""
        return self.right if index == self.left else self.left


@dataclass(frozen=True, slots=True)
class Iverson:
    """``[left relation right]``: 1 where the relation holds, else 0; relation is ``<``, ``<=`` or ``!=``."""

    left: Slot
    relation: str
    right: Slot

    @property
    def is_plain(self) -> bool:
        """Whether both sides are indices."""
        return isinstance(self.left, Index) and isinstance(self.right, Index)

    @property
    def slack(self) -> Slot:
        """For ``<`` and ``<=``, what is not negative where the relation holds; for ``!=``, what is not zero."""
        room = difference(self.right, self.left)
        return combined_with_number(room, -1) if self.relation == "<" else room


def combined_with_number(slot: Slot, number: int) -> Slot:
    """``slot + number``."""
    return difference(slot, Affine((), sp.Integer(-number)))


@dataclass(frozen=True, slots=True)
class Add(Compound):
    """A sum-free sum as one factor of a product: ``(X[n,h] - mu[n])``; at least two terms."""

    terms: Terms

    def __hash__(self) -> int:
        return remembered_hash(self, (Add, self.terms))


@dataclass(frozen=True, slots=True)
class MatrixFunction(Compound):
    """A number that is made from a whole matrix, of the matrices over the last two slots of a tensor.

    It has no entry of the matrix in any slot: what it reads is all of it.

    Attributes:
        tensor: what holds the matrices.
        slots: those of the tensor before the last two; of an entry, its row and its column after them.
        inverse: the tensor that holds the inverse matrices, which the derivative reads: of ``cholesky``, those of L.
        extent: the number of rows.
        word: what the language calls it. ``det`` is ``det A[n,:,:]``, ``logdet`` is ``log |det A[n,:,:]|``, and
            ``cholesky`` an entry of the lower triangle L with ``L L^T = A[n,:,:]`` and a positive diagonal, of a
            symmetric and positive definite matrix.
    """

    tensor: str
    slots: tuple[Slot, ...]
    inverse: str
    extent: sp.Expr
    word: Literal["det", "logdet", "cholesky"]

    def __hash__(self) -> int:
        return remembered_hash(self, (MatrixFunction, self.tensor, self.slots, self.inverse, self.word))

    @property
    def of_slots(self) -> tuple[Slot, ...]:
        """The slots that say which matrix it is made from."""
        return self.slots[:-2] if self.word == "cholesky" else self.slots

    @property
    def matrix(self) -> Access:
        """The entry of the matrix in any row and column."""
        return Access(self.tensor, (*self.of_slots, Index("@row", self.extent), Index("@column", self.extent)))

    def of(self, matrix: Access) -> MatrixFunction:
        """The same of other matrices, of which this is the entry in any row and column."""
        return replace(self, tensor=matrix.tensor, slots=(*matrix.slots[:-2], *self.slots[len(self.of_slots) :]))


@dataclass(frozen=True, slots=True)
class Partial:
    """An unevaluated derivative of one factor by one tensor entry: ``d base / d wrt``.

    Of two entries of one tensor it is a delta; with `step`, it is the derivative through the tensor's own equation, as
    of a state by the state before.
    """

    base: Base
    wrt: Access
    step: bool = False


ENTRIES = (Access, MatrixFunction)
"""What reads a tensor. (Python makes a union of types anew each time, and algebra asks for types all the time.)"""

GATES = (Delta, Iverson)
"""What is 1 or 0, by the values of indices."""

Base = Access | Fn | Delta | Iverson | Add | MatrixFunction | Partial
Power = tuple[Base, sp.Expr]


@dataclass(frozen=True, slots=True)
class Term(Compound):
    """``coeff * product(base**exponent)``, summed over `summed`; bases are distinct, in authored order."""

    coeff: sp.Expr
    powers: tuple[Power, ...] = ()
    summed: tuple[Index, ...] = ()

    def __hash__(self) -> int:
        return remembered_hash(self, (self.coeff, self.powers, self.summed))

    @property
    def bases(self) -> tuple[Base, ...]:
        """The factors without their exponents."""
        return tuple([base for base, _ in self.powers])


def remembered_hash(compound: Compound, content: tuple[object, ...]) -> int:
    """The hash of what a compound holds, computed when it is first asked for."""
    try:
        return compound._hash
    except AttributeError:
        object.__setattr__(compound, "_hash", hash(content))
        return compound._hash


Terms = tuple[Term, ...]
Expression = Base | Term | Terms

ZERO: Terms = ()
ONE: Terms = (Term(sp.S.One),)


def walk(expression: Expression) -> Iterator[Base]:
    """Every factor at every depth, outermost first, in authored order."""
    ahead: list[Expression] = [expression]
    while ahead:
        found = ahead.pop()
        if not isinstance(found, tuple | Term):
            yield found
        ahead.extend(reversed(parts_of(found)))


def scalars_of(terms: Terms) -> Iterator[sp.Expr]:
    """The coefficients, exponents and constants of functions, at every depth."""
    for term in terms:
        yield term.coeff
        for base, exponent in term.powers:
            yield exponent
            yield from scalars_of(inner_terms(base))


def own_slots(base: Base) -> tuple[Slot, ...]:
    """The slots written on this factor itself: those of an entry, the sides of a delta or bracket."""
    if isinstance(base, ENTRIES):
        return base.slots
    return (base.left, base.right) if isinstance(base, GATES) else ()


def own_indices(base: Base) -> tuple[Index, ...]:
    """The indices written on this factor itself, with repetition, not those of factors inside it."""
    return tuple(index for slot in own_slots(base) for index in indices_of_slot(slot))


def own_lookups(base: Base) -> tuple[Lookup, ...]:
    """The lookups in the slots of this factor itself."""
    return tuple(found for slot in own_slots(base) for found in lookups_of_slot(slot))


def occurring_indices(expression: Expression) -> tuple[Index, ...]:
    """Every index that occurs in a factor, free or summed, in order of first occurrence."""
    if isinstance(expression, Compound):
        try:
            return expression._indices
        except AttributeError:
            if isinstance(expression, ENTRIES):
                found = tuple(dict.fromkeys(own_indices(expression)))
            else:
                found = occurring_indices_in(parts_of(expression))
            object.__setattr__(expression, "_indices", found)
            return found
    if isinstance(expression, GATES):
        return tuple(dict.fromkeys(own_indices(expression)))
    return occurring_indices_in(parts_of(expression))


def occurring_indices_in(parts: Iterable[Expression]) -> tuple[Index, ...]:
    """The indices of several expressions, each once."""
    return tuple(dict.fromkeys(chain.from_iterable(map(occurring_indices, parts))))


def parts_of(expression: Expression) -> Sequence[Expression]:
    """What an expression is made of, one level down, in authored order; nothing for an entry, a delta or a bracket."""
    if isinstance(expression, tuple):
        return expression
    if isinstance(expression, Term):
        return expression.bases
    if isinstance(expression, Partial):
        return (expression.base, expression.wrt)
    return inner_terms(expression)


def inner_terms(base: Base) -> Terms:
    """The terms that a function or a parenthesis holds; nothing for other factors."""
    if isinstance(base, Fn):
        return base.args[0] if len(base.args) == 1 else tuple(chain.from_iterable(base.args))
    return base.terms if isinstance(base, Add) else ()


def with_inner_terms(base: Base, change: Callable[[Terms], Terms]) -> Base:
    """The factor with a change made to what it holds: to every argument of a function, or to a parenthesis."""
    if isinstance(base, Fn):
        return Fn(base.name, tuple(map(change, base.args)))
    return Add(change(base.terms)) if isinstance(base, Add) else base


def free_indices(expression: Expression) -> tuple[Index, ...]:
    """The indices that no sum binds, in order of first occurrence."""
    if isinstance(expression, tuple):
        return tuple(dict.fromkeys(index for term in expression for index in free_indices(term)))
    bound = frozenset(expression.summed) if isinstance(expression, Term) else frozenset()
    return tuple(index for index in occurring_indices(expression) if index not in bound)


def index_names(expression: Expression) -> frozenset[str]:
    """The names of all indices in use: occurring, or summed over."""
    names = {index.name for index in occurring_indices(expression)}
    if isinstance(expression, Term):
        names.update(index.name for index in expression.summed)
    elif isinstance(expression, tuple):
        names.update(index.name for term in expression for index in term.summed)
    return frozenset(names)


def tensors_of(expression: Expression) -> tuple[str, ...]:
    """The names of the tensors that are read, in order of first occurrence."""
    if isinstance(expression, Compound):
        try:
            return expression._tensors
        except AttributeError:
            found = own_tensors(expression) if isinstance(expression, ENTRIES) else tensors_in(parts_of(expression))
            object.__setattr__(expression, "_tensors", found)
            return found
    return own_tensors(expression) if isinstance(expression, GATES) else tensors_in(parts_of(expression))


def own_tensors(base: Access | MatrixFunction | Delta | Iverson) -> tuple[str, ...]:
    """The tensor of an entry, and those that its slots look up."""
    named = (base.tensor,) if isinstance(base, ENTRIES) else ()
    return tuple(dict.fromkeys((*named, *(lookup.tensor for lookup in own_lookups(base)))))


def tensors_in(parts: Iterable[Expression]) -> tuple[str, ...]:
    """The tensors that several expressions read, each once."""
    return tuple(dict.fromkeys(chain.from_iterable(map(tensors_of, parts))))


def accesses_of(expression: Expression, tensor: str) -> tuple[Access, ...]:
    """The distinct accesses of one tensor, in order of first occurrence."""
    found = (base for base in walk_reading(expression, tensor) if isinstance(base, Access) and base.tensor == tensor)
    return tuple(dict.fromkeys(found))


def walk_reading(expression: Expression, tensor: str) -> Iterator[Base]:
    """The factors at every depth, but for the insides of those that do not read the tensor."""
    if tensor in tensors_of(expression):
        if not isinstance(expression, tuple | Term):
            yield expression
        for part in parts_of(expression):
            yield from walk_reading(part, tensor)


def occurs_in(index: Index, expression: Expression) -> bool:
    """Whether some factor carries this index."""
    return index in occurring_indices(expression)
