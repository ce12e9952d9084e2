"""A derivative in the parts of it that are not zero: deltas and arrays, ``delta_nm (delta_cd a_nc - b_nc b_nd)``.

The deltas of a term say where it is zero. What stands beside them falls apart into factors that share no summed index;
factors whose indices are among those of another are one array with it, and what is left is a product of arrays:
a Kronecker product, or a matrix of rank one. Terms of one array each that have the same deltas are one array together.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

import sympy as sp

from indexcalc.algebra.build import is_negative, product
from indexcalc.algebra.canonical import components, surely_same
from indexcalc.algebra.renaming import substitute
from indexcalc.algebra.terms import Access, Add, Delta, Index, Power, Term, Terms, free_indices, own_indices, walk
from indexcalc.calculus.relabel import Nomenclature, relabel
from indexcalc.calculus.steps import Rule, Section, Step, Used
from indexcalc.program import Equation
from indexcalc.rewrite.naming import extended
from indexcalc.rewrite.tidy import Simplifier


@dataclass(frozen=True, slots=True)
class Group:
    """The factors of one array in one term: ``sum[summed] prod(powers)``."""

    powers: tuple[Power, ...]
    summed: tuple[Index, ...] = ()

    @property
    def term(self) -> Term:
        """The group as a term."""
        return Term(sp.S.One, self.powers, self.summed)

    @property
    def indices(self) -> frozenset[Index]:
        """The indices of the array."""
        return frozenset(free_indices(self.term))


@dataclass
class Arrays:
    """The arrays of one derivative, as they are named."""

    entry: Access
    rows: Collection[Index]
    taken: Collection[str]
    order: Nomenclature
    sections: list[Section] = field(default_factory=list)

    def named(self, terms: Terms, deltas: Collection[Delta]) -> Access:
        """The entry of the array that holds `terms`; one that is there already if it holds the same."""
        free = frozenset(free_indices(terms))
        slots = tuple(slot for slot in self.entry.indices if slot in free)
        for section in self.sections:
            known = section.equation
            if [slot.extent for slot in known.lhs.indices] == [slot.extent for slot in slots]:
                renamed = substitute(known.terms, dict(zip(known.lhs.indices, slots, strict=True)))
                if surely_same(renamed, terms):
                    return Access(known.name, slots)
        entry = Access(self.fresh(self.role(slots, deltas)), slots)
        named = relabel(entry, terms, self.order)
        terms = in_reading_order(entry, named[-1].after if named else terms)
        doc = f"part of {self.entry.tensor}"
        self.sections.append(Section(Equation(entry, terms, doc), None, (), ()))
        return entry

    def role(self, slots: Sequence[Index], deltas: Collection[Delta]) -> str:
        """What an array is in the derivative: all of it, a block of its diagonal, its diagonal, or a factor."""
        pinned = {index for delta in deltas for index in (delta.left, delta.right) if index not in slots}
        if len(slots) + len(pinned) < len(self.entry.slots):
            return "factor"
        if not deltas:
            return "full"
        return "diagonal" if 2 * len(pinned) >= len(self.entry.slots) else "block"

    def fresh(self, role: str) -> str:
        """A name that nothing has."""
        used = {*self.taken, *(section.equation.name for section in self.sections)}
        name, number = f"{self.entry.tensor}_{role}", 2
        while name in used:
            name, number = f"{self.entry.tensor}_{role}{number}", number + 1
        return name


def is_one_array(equation: Equation, simplifier: Simplifier) -> bool:
    """Whether no entry is known to be zero, no term is a product of smaller arrays, and its terms are not all there."""
    whole = frozenset(equation.lhs.slots)
    if len(equation.lhs.slots) > 1 and is_sum_of_entries(summands(equation.terms), simplifier):
        return False
    if any(isinstance(base, Delta) for base in walk(equation.terms)):
        return False
    return bool(equation.terms) and all(
        not deltas and len(groups) == 1 and groups[0].indices == whole
        for deltas, groups in map(taken_apart, equation.terms)
    )


def summands(terms: Terms) -> Terms:
    """The terms, or those in the brackets that are all there is."""
    if len(terms) == 1 and len(terms[0].powers) == 1 and terms[0].coeff.is_number:
        ((base, exponent),) = terms[0].powers
        if isinstance(base, Add) and exponent == 1 and not terms[0].summed:
            return base.terms
    return terms


def is_sum_of_entries(terms: Terms, simplifier: Simplifier) -> bool:
    """Whether several terms are entries of tensors that an author named, each with a number before it."""
    bare = (is_bare(Group(term.powers, term.summed), simplifier) and term.coeff.is_number for term in terms)
    return len(terms) > 1 and all(bare)


def compacted(
    section: Section, rows: Collection[Index], taken: Collection[str], simplifier: Simplifier, order: Nomenclature
) -> tuple[Section, tuple[Section, ...]]:
    """The section with its arrays named, and theirs; it is left as it is where it is one array.

    Args:
        section: of a derivative, its terms multiplied out.
        rows: the slots of what is differentiated.
        taken: names that no array may have.
        simplifier: knows which tensors the reader named.
        order: the author's names for dummies.
    """
    equation = section.equation
    if is_one_array(equation, simplifier):
        return section, ()
    arrays, after, used = Arrays(equation.lhs, rows, taken, order), list[Term](), list[str]()
    for deltas, terms in alike(equation.terms):
        for term in put_together(deltas, terms, arrays, simplifier):
            after.append(term)
            used.extend(base.tensor for base in term.bases if isinstance(base, Access))
    result = tuple(after)
    names = tuple(name for name in dict.fromkeys(used) if name not in simplifier.program.tensors)
    if not names:
        return section, ()
    step = Step(Rule.NAME, equation.lhs, equation.terms, result, Used(names))
    return extended(section, step), tuple(arrays.sections)


def in_reading_order(lhs: Access, terms: Terms) -> Terms:
    """The factors without a free index first, the others in the order of the slots."""
    places = {slot: place for place, slot in enumerate(lhs.slots, start=1)}

    def place(power: Power) -> int:
        return max((places.get(index, 0) for index in free_indices(power[0])), default=0)

    return tuple(Term(t.coeff, tuple(sorted(t.powers, key=place)), t.summed) for t in terms)


def taken_apart(term: Term) -> tuple[tuple[Delta, ...], tuple[Group, ...]]:
    """The deltas of a term, and its other factors as groups, none of whose indices are all among those of another."""
    deltas, groups = list[Delta](), list[Group]()
    for powers, summed in components(term):
        ((base, _), *rest) = powers
        if isinstance(base, Delta) and not rest and not summed:
            deltas.append(base)
        else:
            groups.append(Group(tuple(powers), tuple(summed)))
    merged: list[Group] = []
    for group in sorted(groups, key=lambda one: -len(one.indices)):
        places = [n for n, other in enumerate(merged) if group.indices <= other.indices]
        if not places:
            merged.append(group)
        # What two groups have in common is shared evenly: of e^x_c e^x_d / Z^2 each is e^x / Z, and no larger than one.
        whole = len(places) != 2 or not is_square(group)
        for place in places[:1] if whole else places:
            merged[place] = both(merged[place], group if whole else root(group))
    return tuple(deltas), tuple(in_order(merged, term))


def is_square(group: Group) -> bool:
    """Whether a group is the square of another."""
    return not group.summed and all(exponent.is_Integer and exponent % 2 == 0 for _, exponent in group.powers)


def root(group: Group) -> Group:
    """The group that a square is the square of."""
    return Group(tuple((base, exponent / 2) for base, exponent in group.powers))


def both(one: Group, other: Group) -> Group:
    """Two groups as one."""
    return Group((*one.powers, *other.powers), (*one.summed, *other.summed))


def sided(deltas: Sequence[Delta], groups: Sequence[Group], rows: Collection[Index]) -> tuple[Group, ...]:
    """The groups, those that have indices of the rows alone as one, and those that have no index of the rows alone.

    Where a delta joins a row to a column, its index belongs to both.
    """
    shared = frozenset(index for delta in deltas for index in own_indices(delta))
    found: list[Group] = []
    for group in groups:
        own = side_of(group, rows, shared)
        place = next((n for n, other in enumerate(found) if own and side_of(other, rows, shared) == own), None)
        if place is None:
            found.append(group)
        else:
            found[place] = both(found[place], group)
    return tuple(found)


def side_of(group: Group, rows: Collection[Index], shared: Collection[Index]) -> str:
    """Whether the indices of a group are all among the rows, or all among the columns; nothing if neither."""
    indices = group.indices
    if all(index in rows for index in indices):
        return "rows"
    return "columns" if all(index in shared or index not in rows for index in indices) else ""


def in_order(groups: Sequence[Group], term: Term) -> list[Group]:
    """The groups as their first factors stand in the term, and so the factors of each."""
    places = {base: number for number, base in enumerate(term.bases)}
    sorted_groups = [
        Group(tuple(sorted(group.powers, key=lambda power: places[power[0]])), group.summed) for group in groups
    ]
    return sorted(sorted_groups, key=lambda group: min(places[base] for base, _ in group.powers))


def alike(terms: Terms) -> Iterator[tuple[tuple[Delta, ...], Terms]]:
    """The terms, those of one array with the same deltas and indices together."""
    together: dict[object, list[Term]] = {}
    own: dict[object, tuple[Delta, ...]] = {}
    for number, term in enumerate(terms):
        deltas, groups = taken_apart(term)
        single = len(groups) <= 1
        key: object = (frozenset(deltas), groups[0].indices if groups else frozenset()) if single else number
        together.setdefault(key, []).append(term)
        own.setdefault(key, deltas)
    for key, found in together.items():
        yield own[key], tuple(found)


def put_together(deltas: tuple[Delta, ...], terms: Terms, arrays: Arrays, simplifier: Simplifier) -> Iterator[Term]:
    """One term of deltas and entries of arrays for terms that are one array, or for one that is several.

    What would be all of the derivative is not added up where its terms are there.
    """
    if not deltas and len(arrays.entry.slots) > 1 and is_sum_of_entries(terms, simplifier):
        yield from terms
        return
    if len(terms) > 1:
        body = tuple(Term(t.coeff, tuple(p for p in t.powers if p[0] not in deltas), t.summed) for t in terms)
        yield product(1, [*((delta, sp.S.One) for delta in deltas), (arrays.named(body, deltas), sp.S.One)])
        return
    (term,) = terms
    groups = sided(deltas, taken_apart(term)[1], arrays.rows)
    sign = -sp.S.One if is_negative(term.coeff) else sp.S.One
    size = sign * term.coeff
    bare = [is_bare(group, simplifier) for group in groups]
    holder = next((n for n, one in enumerate(bare) if not one), 0 if size.free_symbols else None)
    powers: list[Power] = [(delta, sp.S.One) for delta in deltas]
    if not groups and size.free_symbols:
        powers.append((arrays.named((Term(size),), deltas), sp.S.One))
        size = sp.S.One
    for number, group in enumerate(groups):
        if bare[number] and number != holder:
            powers.extend(group.powers)
            continue
        coeff = size if number == holder else sp.S.One
        powers.append((arrays.named((Term(coeff, group.powers, group.summed),), deltas), sp.S.One))
        size = size / coeff
    yield product(sign * size, powers)


def is_bare(group: Group, simplifier: Simplifier) -> bool:
    """Whether a group is the entry of a tensor that an author named, and no two of its slots are the same."""
    if len(group.powers) != 1 or group.summed:
        return False
    ((base, exponent),) = group.powers
    if not isinstance(base, Access) or exponent != 1 or len(set(base.slots)) < len(base.slots):
        return False
    definition = simplifier.program.definitions.get(base.tensor)
    return definition is None or not definition.hoisted
