"""The types of the index algebra: indices, the factors of a product, and terms that own their sums.

A `Term` is ``coeff * product(base**exponent)`` summed over the indices it owns, and a tuple of terms
(`Terms`) is their sum. Only a top-level term binds indices: the terms inside `Add` and `Fn` are
sum-free, so binders never nest, and capture can happen only where a term's own sums meet new names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import sympy as sp


@dataclass(frozen=True, slots=True, order=False)
class Index:
    """A named index that runs over ``0 .. extent-1``; the extent is a symbol or an integer."""

    name: str
    extent: sp.Expr

    def __hash__(self) -> int:
        # By name alone: terms are hashed all the time, and indices of one name rarely differ in extent.
        return hash(self.name)

    def __repr__(self) -> str:
        return f"{self.name}:{self.extent}"


class Compound:
    """What has parts; what it reads and its hash are found once, for both are asked for again and again."""

    __slots__ = ("_hash", "_indices", "_tensors")

    _hash: int
    _indices: tuple[Index, ...]
    _tensors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Access(Compound):
    """One entry of a named tensor: ``A[i,j]`` is ``Access("A", (i, j))``."""

    tensor: str
    slots: tuple[Index, ...] = ()

    def __hash__(self) -> int:
        return remembered_hash(self, (self.tensor, self.slots))


@dataclass(frozen=True, slots=True)
class Fn(Compound):
    """A pointwise function of a sum-free argument: ``exp(S[i,j])``; `params` are scalar constants."""

    name: str
    arg: Terms
    params: tuple[sp.Expr, ...] = ()

    def __hash__(self) -> int:
        return remembered_hash(self, (Fn, self.name, self.arg, self.params))


@dataclass(frozen=True, slots=True, eq=False)
class Delta:
    """Kronecker's delta: 1 where both indices are equal, else 0. Symmetric: delta_ij == delta_ji."""

    left: Index
    right: Index

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Delta):
            return NotImplemented
        return (self.left, self.right) in ((other.left, other.right), (other.right, other.left))

    def __hash__(self) -> int:
        return hash((Delta, frozenset((self.left, self.right))))

    def other(self, index: Index) -> Index:
        """The partner of `index` in this delta."""
        return self.right if index == self.left else self.left


@dataclass(frozen=True, slots=True)
class Iverson:
    """``[left relation right]``: 1 where the relation holds, else 0; relation is ``<``, ``<=`` or ``!=``."""

    left: Index
    relation: str
    right: Index


@dataclass(frozen=True, slots=True)
class Add(Compound):
    """A sum-free sum as one factor of a product: ``(X[n,h] - mu[n])``; at least two terms."""

    terms: Terms

    def __hash__(self) -> int:
        return remembered_hash(self, (Add, self.terms))


@dataclass(frozen=True, slots=True)
class Partial:
    """An unevaluated derivative of one factor by one tensor entry: ``d base / d wrt``."""

    base: Base
    wrt: Access


Base = Access | Fn | Delta | Iverson | Add | Partial
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
        return tuple(base for base, _ in self.powers)


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
    if isinstance(expression, tuple):
        for term in expression:
            yield from walk(term)
    elif isinstance(expression, Term):
        for base, _ in expression.powers:
            yield from walk(base)
    else:
        yield expression
        if isinstance(expression, Fn):
            yield from walk(expression.arg)
        elif isinstance(expression, Add):
            yield from walk(expression.terms)
        elif isinstance(expression, Partial):
            yield from walk(expression.base)
            yield from walk(expression.wrt)


def scalars_of(terms: Terms) -> Iterator[sp.Expr]:
    """The coefficients, exponents and constants of functions, at every depth."""
    for term in terms:
        yield term.coeff
        for base, exponent in term.powers:
            yield exponent
            if isinstance(base, Fn):
                yield from base.params
                yield from scalars_of(base.arg)
            elif isinstance(base, Add):
                yield from scalars_of(base.terms)


def own_indices(base: Base) -> tuple[Index, ...]:
    """The indices written on this factor itself, with repetition, not those of factors inside it."""
    if isinstance(base, Access):
        return base.slots
    if isinstance(base, Delta | Iverson):
        return (base.left, base.right)
    return ()


def occurring_indices(expression: Expression) -> tuple[Index, ...]:
    """Every index that occurs in a factor, free or summed, in order of first occurrence."""
    if isinstance(expression, Compound):
        try:
            return expression._indices
        except AttributeError:
            if isinstance(expression, Access):
                found = tuple(dict.fromkeys(expression.slots))
            else:
                found = occurring_indices_in(parts_of(expression))
            object.__setattr__(expression, "_indices", found)
            return found
    if isinstance(expression, tuple | Partial):
        return occurring_indices_in(parts_of(expression))
    return tuple(dict.fromkeys(own_indices(expression)))


def occurring_indices_in(parts: Iterable[Expression]) -> tuple[Index, ...]:
    """The indices of several expressions, each once."""
    return tuple(dict.fromkeys(index for part in parts for index in occurring_indices(part)))


def parts_of(expression: Expression) -> Iterable[Expression]:
    """What an expression is made of, one level down, in authored order; nothing for an entry, a delta or a bracket."""
    match expression:
        case tuple():
            return expression
        case Term():
            return expression.bases
        case Fn(_, arg):
            return arg
        case Add(terms):
            return terms
        case Partial(base, wrt):
            return (base, wrt)
    return ()


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
    if isinstance(expression, Access):
        return (expression.tensor,)
    if isinstance(expression, Compound):
        try:
            return expression._tensors
        except AttributeError:
            found = tensors_in(parts_of(expression))
            object.__setattr__(expression, "_tensors", found)
            return found
    return tensors_in(parts_of(expression))


def tensors_in(parts: Iterable[Expression]) -> tuple[str, ...]:
    """The tensors that several expressions read, each once."""
    return tuple(dict.fromkeys(name for part in parts for name in tensors_of(part)))


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
