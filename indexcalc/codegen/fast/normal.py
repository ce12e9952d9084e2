"""Statements in normal form: pointwise ones without sums, and sums of at most two named factors.

Every sum gets a statement of its own, a product of several factors is cut into products of two by the
order that costs least, and what is computed twice under other index names is computed once. The
normal form is what blocks are made of: it says of every statement whether it is work for BLAS, for
memory, or for one row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import opt_einsum
import sympy as sp

from indexcalc.algebra.build import is_negative, product
from indexcalc.algebra.canonical import components
from indexcalc.algebra.renaming import rename_base, rename_bound, substitute
from indexcalc.algebra.slots import plain_slots
from indexcalc.algebra.terms import (
    Access,
    Add,
    Base,
    Delta,
    Index,
    Iverson,
    MatrixFunction,
    Power,
    Term,
    Terms,
    free_indices,
    with_inner_terms,
)
from indexcalc.codegen.formula import base_text
from indexcalc.codegen.names import python_name
from indexcalc.codegen.plan import distributed, without_inner_deltas
from indexcalc.codegen.stable.exponents import is_exponential
from indexcalc.codegen.statements import Kind, Statement
from indexcalc.errors import UnsupportedError

ONE = sp.S.One
NOMINAL_SIZE = 64
"""The size that an extent is taken to have where the order of a long product is chosen, if it is not known."""
NO_SIZES: Mapping[sp.Symbol, int] = {}


@dataclass
class Normaliser:
    """Collects statements in normal form.

    Attributes:
        taken: the names in use; new ones join.
        done: the statements so far.
        wanted: the results; each is a tensor of its own, even if another one is equal.
        known: the tensor that holds a value, by the value with its indices numbered.
        aliases: a tensor that holds the same entries as one before it, and where that one has its slots.
        hidden: the tensors that have another meaning where a statement has statements inside.
        sizes: the extents, where they are known.
    """

    taken: set[str]
    wanted: frozenset[str]
    done: list[Statement] = field(default_factory=list)
    known: dict[object, str] = field(default_factory=dict)
    aliases: dict[str, tuple[str, tuple[int, ...]]] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()
    sizes: Mapping[sp.Symbol, int] = field(default_factory=dict)

    def add(self, statement: Statement) -> None:
        """Append a statement with what it needs before it."""
        own = whole_function(statement)
        if own is not None and own.tensor not in self.hidden and (own.word, own.tensor) not in self.known:
            self.of_matrix(own, statement.name)
            return
        statement = self.under_first_names(statement)
        if statement.kind in (Kind.MAXIMUM, Kind.MINIMUM, Kind.LARGEST, Kind.HIDDEN):
            self.settle(statement)
            return
        if statement.kind is not Kind.ASSIGN:
            self.done.append(statement)
            return
        terms = tuple(
            without_inner_deltas(part) for whole in statement.terms for part in distributed(without_inner_deltas(whole))
        )
        if len(terms) == 1 and is_one_sum(terms[0]):
            terms = (self.two_factors(terms[0], statement),)
        else:
            terms = tuple(self.without_sums(term, statement) for term in terms)
        self.settle(replace(statement, terms=terms, may_overflow=False))

    def under_first_names(self, statement: Statement) -> Statement:
        """The statement with every tensor that it reads under its first name, and functions of matrices under names."""
        if statement.kind is Kind.JOINT:
            # It has its axes by their places, and where a tensor has another's name they may stand in other ones.
            terms = tuple(self.as_it_stands(entry) for term in statement.terms for entry in term.bases)
            return replace(statement, terms=terms)
        own = frozenset(inner.name for inner in statement.inside)
        aliases = {name: it for name, it in self.aliases.items() if name not in own}
        outside = replace(self, aliases=aliases, hidden=own)
        inside = tuple(
            replace(inner, terms=outside.renamed(inner.terms), guards=tuple(map(outside.base, inner.guards)))
            for inner in statement.inside
        )
        guards = tuple(self.base(guard) for guard in statement.guards)
        return replace(statement, terms=self.renamed(statement.terms), guards=guards, inside=inside)

    def as_it_stands(self, entry: Base) -> Term:
        """A tensor as an operand with its own axes in order, a copy if it is another's under its name."""
        assert isinstance(entry, Access)
        first = self.base(entry)
        assert isinstance(first, Access)
        if first.slots == entry.slots:
            return product(1, [(first, ONE)])
        if not any(statement.name == entry.tensor for statement in self.done):
            self.done.append(Statement(entry.tensor, entry.indices, (product(1, [(first, ONE)]),)))
        return product(1, [(entry, ONE)])

    def settle(self, statement: Statement) -> None:
        """Append a statement in normal form, unless its value has a name already."""
        source = copied(statement)
        key = numbered(statement)
        if source is not None:
            self.aliases[statement.name] = source.tensor, tuple(statement.axes.index(slot) for slot in source.slots)
        elif key in self.known:
            self.aliases[statement.name] = self.known[key], tuple(range(len(statement.axes)))
        else:
            self.known[key] = statement.name
        if statement.name not in self.aliases or statement.name in self.wanted:
            self.done.append(statement)

    def renamed(self, terms: Terms) -> Terms:
        """The terms with every tensor under its first name."""
        return tuple(
            Term(term.coeff, tuple((self.base(base), e) for base, e in term.powers), term.summed) for term in terms
        )

    def base(self, base: Base) -> Base:
        """A factor with every tensor under its first name."""
        if isinstance(base, Access):
            # A tensor may have the name of another, which holds what one before it does.
            while base.tensor in self.aliases:
                name, places = self.aliases[base.tensor]
                base = Access(name, tuple(base.slots[place] for place in places))
            return base
        if isinstance(base, MatrixFunction) and base.tensor not in self.hidden:
            return self.of_matrix(base)
        return with_inner_terms(base, self.renamed)

    def of_matrix(self, base: MatrixFunction, own: str = "") -> Access:
        """A function of a matrix under its own name or a new one."""
        key = base.word, base.tensor
        slots = tuple(slot for slot in base.slots if isinstance(slot, Index))
        if len(set(slots)) < len(base.slots):
            raise UnsupportedError(
                f"code for speed takes {base.word} of {base.tensor} under indices that differ, and not of "
                f"{base_text(base)}; give these matrices a name"
            )
        if key not in self.known:
            self.known[key] = name = own or python_name(f"{base.tensor}_{base.word}", self.taken)
            self.taken.add(name)
            matrix, rows_and_columns = base.matrix, plain_slots(base.matrix.slots[-2:])
            terms = self.renamed((product(1, [(matrix, ONE)]),))
            note = f"{base_text(Access(name, slots))} = {base_text(base)}"
            self.done.append(Statement(name, slots, terms, Kind.MATRIX, rows_and_columns, note=note, word=base.word))
        return Access(self.known[key], slots)

    def without_sums(self, term: Term, owner: Statement) -> Term:
        """The term with every sum in it under a name; a scalar before a lone sum goes in, to its smallest factor."""
        groups = components(term)
        coeff, inside = term.coeff, ONE
        if len(groups) == 1 and groups[0][1]:
            coeff, inside = (-ONE, -coeff) if is_negative(coeff) else (ONE, coeff)
        powers: list[Power] = []
        for group, summed in groups:
            if summed:
                powers.append((self.named((Term(inside, group, summed),), owner), ONE))
            else:
                powers += group
        return product(coeff, powers)

    def named(self, terms: Terms, owner: Statement) -> Access:
        """A tensor that holds the terms."""
        free = free_indices(terms)
        axes = (*(axis for axis in owner.axes if axis in free), *(axis for axis in free if axis not in owner.axes))
        name = unused(owner.name, self.taken)
        self.add(Statement(name, axes, terms))
        named = self.base(Access(name, axes))
        assert isinstance(named, Access)
        return named

    def two_factors(self, term: Term, owner: Statement) -> Term:
        """One sum, of one or two accesses; everything else about it gets names."""
        factors = self.accesses(term, owner)
        while len(factors) > 2 or any(own_sums(n, factors, term.summed) for n in range(len(factors)) if factors[1:]):
            lonely = next((n for n in range(len(factors)) if own_sums(n, factors, term.summed)), None)
            chosen = [lonely] if lonely is not None else list(cheapest_pair(factors, term, self.sizes))
            rest = [factor for n, factor in enumerate(factors) if n not in chosen]
            outside = {axis for factor in rest for axis in factor.slots}
            inside = {axis for n in chosen for axis in factors[n].slots}
            summed = [axis for axis in term.summed if axis in inside and axis not in outside]
            part = product(1, [(factors[n], ONE) for n in chosen], summed)
            factors = [self.named((part,), owner), *rest]
        left = {axis for factor in factors for axis in factor.slots}
        return product(term.coeff, [(factor, ONE) for factor in factors], [s for s in term.summed if s in left])

    def accesses(self, term: Term, owner: Statement) -> list[Access]:
        """The factors of a sum as plain accesses, what stands over the same indices together."""
        plain: list[Access] = []
        others: list[Power] = []
        for base, exponent in term.powers:
            count = int(exponent) if exponent in (1, 2) else 0
            if isinstance(base, Access) and count and len(set(base.slots)) == len(base.slots):
                plain += [base] * count
            elif count == 2 and isinstance(base, Add):
                plain += [self.named((product(1, [(base, ONE)]),), owner)] * 2
            else:
                others.append((base, exponent))
        for group in nested(others, plain):
            plain.append(self.named((product(1, group),), owner))
        return plain


def normal_form(
    statements: Iterable[Statement],
    wanted: Iterable[str],
    taken: set[str],
    names: Mapping[str, str] | None = None,
    sizes: Mapping[sp.Symbol, int] = NO_SIZES,
) -> tuple[Statement, ...]:
    """The statements in normal form.

    Args:
        statements: one for each tensor.
        wanted: the tensors that are results.
        taken: the names in use; new ones join.
        names: other names for some of the tensors.
        sizes: the extents, where they are known: they decide in which order long products are multiplied.
    """
    normaliser = Normaliser(taken, frozenset(wanted), sizes=sizes)
    for statement in statements:
        name = (names or {}).get(statement.name, statement.name)
        if name != statement.name:
            normaliser.aliases[statement.name] = name, tuple(range(len(statement.axes)))
        normaliser.add(replace(statement, name=name))
    return tuple(normaliser.done)


def whole_function(statement: Statement) -> MatrixFunction | None:
    """The functions of matrices that a statement is, with their axes in the same order."""
    base = only_factor(statement)
    return base if isinstance(base, MatrixFunction) and base.slots == statement.axes else None


def copied(statement: Statement) -> Access | None:
    """The tensor of which a statement is a copy, with its axes in whatever order."""
    base = only_factor(statement)
    whole = (
        isinstance(base, Access) and set(base.slots) == set(statement.axes) and len(base.slots) == len(statement.axes)
    )
    return base if whole and isinstance(base, Access) else None


def is_one_sum(term: Term) -> bool:
    """Whether a term is one sum, with nothing but a coefficient before it."""
    groups = components(term)
    return len(groups) == 1 and bool(groups[0][1])


def nested(powers: list[Power], plain: list[Access]) -> Iterator[list[Power]]:
    """The factors that are no accesses, in groups: masks and factors that lie within the indices of another.

    An access that a mask restricts is taken out of `plain`, so that zero times infinity cannot arise. For the same
    reason a bracket stands in each group with an exponential of its indices.
    """
    groups: list[list[Power]] = []
    wide = sorted(powers, key=lambda power: -len(axes_of(power)))
    for power in wide:
        host = next((group for group in groups if axes_of(power) <= axes_of(group[0])), None)
        if host is None:
            groups.append([power])
        else:
            host.append(power)
    for group in groups:
        if any(isinstance(base, Delta | Iverson) for base, _ in group):
            taken = [access for access in plain if axes_of(group[0]) <= set(access.slots)]
            for access in taken[:1]:
                plain.remove(access)
                group.append((access, ONE))
        yield [*group, *(power for power in powers if hides(power, group))]


def hides(power: Power, group: Sequence[Power]) -> bool:
    """Whether a factor is a bracket that is to stand beside the exponentials of a group, and does not yet."""
    if not isinstance(power[0], Iverson) or power in group:
        return False
    return any(is_exponential(base) and axes_of(power) <= axes_of((base, ONE)) for base, _ in group)


def axes_of(power: Power) -> set[Index]:
    """The indices of a factor."""
    return set(free_indices((Term(ONE, (power,)),)))


def own_sums(number: int, factors: list[Access], summed: Iterable[Index]) -> tuple[Index, ...]:
    """The summed indices that one factor alone has."""
    others = {axis for place, factor in enumerate(factors) if place != number for axis in factor.slots}
    return tuple(axis for axis in summed if axis in factors[number].slots and axis not in others)


def cheapest_pair(factors: list[Access], term: Term, sizes: Mapping[sp.Symbol, int]) -> tuple[int, int]:
    """The two factors that the cheapest order of the whole product multiplies first."""
    letters: dict[Index, str] = {}
    for factor in factors:
        for axis in factor.indices:
            letters.setdefault(axis, opt_einsum.get_symbol(len(letters)))
    inputs = ["".join(letters[axis] for axis in factor.indices) for factor in factors]
    out = "".join(letter for axis, letter in letters.items() if axis not in term.summed)
    shapes = [tuple(nominal(axis.extent, sizes) for axis in factor.indices) for factor in factors]
    optimize = "optimal" if len(factors) <= 6 else "greedy"
    path, _ = opt_einsum.contract_path(",".join(inputs) + "->" + out, *shapes, shapes=True, optimize=optimize)
    first, second = sorted(path[0])[:2]
    return first, second


def nominal(extent: sp.Expr, sizes: Mapping[sp.Symbol, int]) -> int:
    """The size of an extent, if all that it is made of is known."""
    known = extent.subs(sizes)
    return int(known) if known.is_Integer and sizes else NOMINAL_SIZE


def unused(stem: str, taken: set[str]) -> str:
    """A name such as ``dX_1``; it counts as taken from now on."""
    number = 1
    while f"{stem}_{number}" in taken:
        number += 1
    taken.add(f"{stem}_{number}")
    return f"{stem}_{number}"


def only_factor(statement: Statement) -> Base | None:
    """The one factor that a statement assigns, without a coefficient, a power or a sum."""
    if statement.kind is not Kind.ASSIGN or len(statement.terms) != 1:
        return None
    (term,) = statement.terms
    if term.coeff != 1 or term.summed or len(term.powers) != 1 or term.powers[0][1] != 1:
        return None
    return term.powers[0][0]


def numbered(statement: Statement) -> object:
    """What a statement computes, with its indices numbered in order: equal for equal values under other names."""
    places = {axis: Index(f"#{number}", axis.extent) for number, axis in enumerate((*statement.axes, *statement.over))}
    terms = []
    for term in substitute(statement.terms, places):
        sums = {axis: Index(f"+{number}", axis.extent) for number, axis in enumerate(term.summed)}
        renamed = rename_bound(term, sums)
        terms.append((renamed.coeff, frozenset(renamed.powers), renamed.summed))
    guards = frozenset(rename_base(guard, places) for guard in statement.guards)
    extents = (tuple(axis.extent for axis in several) for several in (statement.axes, statement.over))
    return statement.kind, *extents, guards, tuple(terms)
