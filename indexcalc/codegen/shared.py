"""A pointwise function that an equation applies twice to the same argument is computed once, under a name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

import sympy as sp

from indexcalc.algebra.build import product
from indexcalc.algebra.terms import Access, Add, Base, Fn, Term, Terms, free_indices, tensors_of, walk
from indexcalc.codegen.statements import Kind, Statement


def share_functions(statements: Iterable[Statement], taken: set[str]) -> Iterator[Statement]:
    """The statements, each with the functions that it repeats computed before it; new names join `taken`."""
    for statement in statements:
        if statement.kind is not Kind.ASSIGN:
            yield statement
            continue
        names: dict[Base, Access] = {}
        for fn in repeated(statement.terms):
            axes = free_indices((Term(sp.S.One, ((fn, sp.S.One),)),))
            # A function of dummies is left where it is: its array would have their axes.
            if not axes or not set(axes) <= set(statement.axes):
                continue
            value = (product(1, [(replaced(fn, names, inside=True), sp.S.One)]),)
            names[fn] = Access(fresh(fn, taken), axes)
            yield Statement(names[fn].tensor, axes, value)
        yield replace(statement, terms=replaced_terms(statement.terms, names)) if names else statement


def repeated(terms: Terms) -> list[Fn]:
    """The functions that occur more than once, inner ones first."""
    found = [base for base in walk(terms) if isinstance(base, Fn)]
    return [fn for fn in reversed(list(dict.fromkeys(reversed(found)))) if found.count(fn) > 1][::-1]


def fresh(fn: Fn, taken: set[str]) -> str:
    """A name such as ``tanh_S``."""
    tensors = tensors_of(fn.arg)
    stem = f"{fn.name}_{tensors[0]}" if len(tensors) == 1 else fn.name
    name, number = stem, 2
    while name in taken:
        name, number = f"{stem}_{number}", number + 1
    taken.add(name)
    return name


def replaced_terms(terms: Terms, names: Mapping[Base, Access]) -> Terms:
    """The terms with every named function replaced by its name."""
    return tuple(
        product(term.coeff, [(replaced(base, names), exponent) for base, exponent in term.powers], term.summed)
        for term in terms
    )


def replaced(base: Base, names: Mapping[Base, Access], inside: bool = False) -> Base:
    """A factor with every named function replaced, only below the factor itself if `inside`."""
    if base in names and not inside:
        return names[base]
    if isinstance(base, Fn):
        return Fn(base.name, replaced_terms(base.arg, names), base.params)
    return Add(replaced_terms(base.terms, names)) if isinstance(base, Add) else base
