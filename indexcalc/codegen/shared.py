"""What a pass would compute twice is computed once, under a name: pointwise functions and masks.

A function that is applied to the same argument in several places, under whatever index names,
becomes a statement before its first use.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import sympy as sp

from indexcalc.algebra.build import product
from indexcalc.algebra.renaming import rename_base
from indexcalc.algebra.terms import (
    Access,
    Add,
    Base,
    Delta,
    Fn,
    Index,
    Iverson,
    Term,
    Terms,
    free_indices,
    inner_terms,
    tensors_of,
    with_inner_terms,
)
from indexcalc.codegen.names import unused
from indexcalc.codegen.source import Atom, Binary, Call, Method, Node, Prefix, Trailer, flat
from indexcalc.codegen.statements import Kind, Statement

ONE = sp.S.One
NOTHING: Mapping[str, str] = {}
MASKS = ("np.tri", "np.eye")
"""The functions that build masks."""


@dataclass(frozen=True, slots=True)
class Named:
    """A function that has a name: ``tensor[axes]`` is the function with its free indices in order."""

    tensor: str
    axes: tuple[Index, ...]


def share_functions(
    statements: Iterable[Statement], taken: set[str], maxima: Mapping[str, str] = NOTHING
) -> Iterator[Statement]:
    """The statements, with the functions that they repeat computed before their first use.

    Args:
        statements: of one pass, in order.
        taken: the names in use; new ones join.
        maxima: the tensors that a function is not called after, with what it is called after instead.
    """
    statements = list(statements)
    repeated = repeated_functions(statements)
    names: dict[Base, Named] = {}
    for statement in statements:
        whole = whole_function(statement)
        for fn in functions_of(statement):
            key = general(fn)
            if key in repeated and key not in names and fn != whole:
                value = (product(1, [(replaced(fn, names, inside=True), ONE)]),)
                names[key] = Named(fresh(fn, taken, maxima), axes_of(fn))
                yield Statement(names[key].tensor, axes_of(fn), value)
        if whole is not None and general(whole) not in names:
            yield replace(statement, terms=replaced_terms(statement.terms, names, inside=True))
            names[general(whole)] = Named(statement.name, axes_of(whole))
        elif shareable(statement):
            yield replace(statement, terms=replaced_terms(statement.terms, names))
        else:
            yield statement


def repeated_functions(statements: Iterable[Statement]) -> frozenset[Base]:
    """The functions, with numbered indices, that occur twice; what is inside a repeated one counts once."""
    counts: dict[Base, int] = {}

    def count(terms: Terms) -> None:
        for fn in outermost(terms):
            key = general(fn)
            counts[key] = counts.get(key, 0) + 1
            if counts[key] == 1:
                count(inner_terms(fn))

    for statement in statements:
        if shareable(statement):
            count(statement.terms)
    return frozenset(key for key, number in counts.items() if number > 1)


def shareable(statement: Statement) -> bool:
    """Whether functions may be taken out: not out of a block in which overflow is allowed."""
    return statement.kind is not Kind.HIDDEN and not statement.may_overflow


def functions_of(statement: Statement) -> Iterator[Fn]:
    """The functions of a statement that may get a name, inner ones first."""
    if shareable(statement):
        yield from inner_first(statement.terms)


def inner_first(terms: Terms) -> Iterator[Fn]:
    """All functions at every depth."""
    for fn in outermost(terms):
        yield from inner_first(inner_terms(fn))
        yield fn


def outermost(terms: Terms) -> Iterator[Fn]:
    """Functions of tensors that stand in no other; not one that a delta or bracket restricts: it may overflow."""
    for term in terms:
        masked = any(isinstance(base, Delta | Iverson) for base in term.bases)
        for base in term.bases:
            if isinstance(base, Add):
                yield from outermost(base.terms)
            elif isinstance(base, Fn) and not masked and axes_of(base):
                yield base


def whole_function(statement: Statement) -> Fn | None:
    """The function that a statement gives a name to, with its free indices in the order of the name's."""
    if not shareable(statement) or statement.kind is not Kind.ASSIGN or len(statement.terms) != 1:
        return None
    (term,) = statement.terms
    if term.coeff != 1 or term.summed or len(term.powers) != 1 or term.powers[0][1] != 1:
        return None
    base = term.powers[0][0]
    return base if isinstance(base, Fn) and axes_of(base) == statement.axes and statement.axes else None


def axes_of(base: Base) -> tuple[Index, ...]:
    """The free indices of a factor, in order of first occurrence."""
    return free_indices((Term(ONE, ((base, ONE),)),))


def general(fn: Fn) -> Base:
    """The function with its free indices numbered."""
    return rename_base(fn, {axis: Index(f"#{number}", axis.extent) for number, axis in enumerate(axes_of(fn))})


def fresh(fn: Fn, taken: set[str], maxima: Mapping[str, str]) -> str:
    """A name such as ``tanh_S``."""
    tensors = [name for tensor in tensors_of(fn) if (name := maxima.get(tensor, tensor))]
    return unused(f"{fn.name}_{tensors[0]}" if len(tensors) == 1 else fn.name, taken)


def replaced_terms(terms: Terms, names: Mapping[Base, Named], inside: bool = False) -> Terms:
    """The terms with every named function replaced by its name."""
    return tuple(
        product(term.coeff, [(replaced(base, names, inside), exponent) for base, exponent in term.powers], term.summed)
        for term in terms
    )


def replaced(base: Base, names: Mapping[Base, Named], inside: bool = False) -> Base:
    """A factor with every named function replaced, only below the factor itself if `inside`."""
    if isinstance(base, Fn):
        named = None if inside else names.get(general(base))
        if named is not None:
            return Access(named.tensor, axes_of(base))
    return with_inner_terms(base, lambda terms: replaced_terms(terms, names))


def masks_in(node: Node) -> Iterator[Node]:
    """The calls that build a mask, in reading order."""
    match node:
        case Call(function, arguments, keywords):
            if function in MASKS and "dtype=bool" in keywords:
                yield node
            for argument in arguments:
                yield from masks_in(argument)
        case Trailer(operand, _) | Method(operand, _, _, _) | Prefix(_, operand):
            yield from masks_in(operand)
        case Binary(_, left, right):
            yield from masks_in(left)
            yield from masks_in(right)


def with_masks_named(node: Node, names: Mapping[str, str]) -> Node:
    """The node with the masks that have a name replaced by it; keys are the text of a mask."""
    match node:
        case Call(function, arguments, keywords):
            if flat(node) in names:
                return Atom(names[flat(node)])
            return Call(function, tuple(with_masks_named(part, names) for part in arguments), keywords)
        case Trailer(operand, _) | Method(operand, _, _, _) | Prefix(_, operand):
            return replace(node, operand=with_masks_named(operand, names))
        case Binary(operator, left, right):
            return Binary(operator, with_masks_named(left, names), with_masks_named(right, names))
    return node
