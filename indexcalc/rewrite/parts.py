"""Parts that get a name: sums with fewer free indices than their equation, and sums of several equations.

``A_ij D_ij - A_ij sum_l A_il D_il`` holds a row scalar; it becomes ``r_i``, is computed once for a
row, and may have a cheaper form of its own. ``h_nj sum_k g_nk U_kj`` and ``r_nj sum_k g_nk U_kj``
hold one contraction, which is computed once for both.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sized
from dataclasses import dataclass, field

import sympy as sp

from indexcalc.algebra.build import is_divisor, is_negative, product
from indexcalc.algebra.canonical import components, term_key
from indexcalc.algebra.guards import guards_of, indices_of_guard
from indexcalc.algebra.terms import Access, Fn, Index, Power, Term, Terms, free_indices, inner_terms, walk
from indexcalc.calculus.pointwise import row_of
from indexcalc.calculus.relabel import Nomenclature, relabel
from indexcalc.calculus.steps import Rule, Section, Step, Used
from indexcalc.errors import LimitError
from indexcalc.program import Equation
from indexcalc.rewrite.search import Effort, Moves, cheaper_form

LETTERS = "rsuvwqmtcefgh"
"""Names for parts, in the order in which they are tried; then the same letters with a number."""


@dataclass(frozen=True, slots=True)
class Part:
    """A named part: ``entry = coeff * sum[summed] powers``; `key` is its canonical form without `coeff`."""

    key: str
    entry: Access
    coeff: sp.Expr


@dataclass
class PartNames:
    """The parts named so far in one derivation.

    Attributes:
        taken: the names that are taken.
        slots: those of each tensor.
        everywhere: the keys of the sums that some equation computes where no bracket hides them.
        parts: by key.
    """

    taken: set[str]
    slots: Mapping[str, tuple[Index, ...]] = field(default_factory=dict)
    everywhere: frozenset[str] = frozenset()
    parts: dict[str, Part] = field(default_factory=dict)

    def fresh(self) -> str:
        """The next free name."""
        name = next(name for name in part_names() if name not in self.taken)
        self.taken.add(name)
        return name


def part_names() -> Iterator[str]:
    """r, s, u, ..., then r2, s2, ..."""
    yield from LETTERS
    number = 2
    while True:
        yield from (f"{letter}{number}" for letter in LETTERS)
        number += 1


def shared_sums(equations: Iterable[Equation]) -> frozenset[str]:
    """The keys of the contractions beside other factors or terms that more than one equation computes."""
    found: dict[str, set[str]] = {}
    for equation in equations:
        for term in equation.terms:
            parts = components(term)
            if len(parts) == 1 and len(equation.terms) == 1:
                continue
            for body, bound in parts:
                if bound and len(body) > 1 and (key := key_of(body, bound)) is not None:
                    found.setdefault(key, set()).add(equation.name)
    return frozenset(key for key, readers in found.items() if len(readers) > 1)


def sums_without_brackets(equations: Iterable[Equation]) -> frozenset[str]:
    """The keys of the sums that stand beside no bracket: these are computed at all places; none if there is none."""
    terms = [term for equation in equations for term in equation.terms]
    open_ones = [term for term in terms if not guards_of(term)]
    parts = (part for term in open_ones if len(open_ones) < len(terms) for part in components(term))
    return frozenset(key for body, bound in parts if bound and (key := key_of(body, bound)) is not None)


def key_of(body: tuple[Power, ...], bound: tuple[Index, ...]) -> str | None:
    """The canonical form of a component; None if it is too large for one."""
    try:
        return term_key(Term(sp.S.One, body, bound))
    except LimitError:
        return None


def name_parts(
    equation: Equation, names: PartNames, order: Nomenclature, shared: Collection[str] = ()
) -> tuple[tuple[Section, ...], Step | None]:
    """Sections that define the parts of an equation, and the step that puts their names in.

    Parts are narrow sums, and those whose keys are `shared`: other equations compute them too.
    """
    sections: list[Section] = []
    after: list[Term] = []
    used: list[str] = []
    for term in equation.terms:
        coeff, powers, summed = term.coeff, list[Power](), list[Index]()
        parts = components(term)
        for body, bound in parts:
            part = None
            if is_narrow(equation, body, bound, len(parts)) or is_shared(equation, body, bound, parts, shared):
                whole = Term(coeff, body, bound)
                if key_of(body, bound) not in names.everywhere or reads_beyond(whole, names.slots):
                    whole = with_guards(whole, term, names.slots)
                part, new = find_part(equation, whole, names, order)
                sections.extend(new)
            if part is None:
                powers.extend(body)
                summed.extend(bound)
            else:
                powers.append((part.entry, sp.S.One))
                coeff = coeff / part.coeff
                used.append(part.entry.tensor)
        after.append(product(coeff, powers, summed))
    if not used:
        return (), None
    step = Step(Rule.NAME, equation.lhs, equation.terms, tuple(after), Used(tuple(dict.fromkeys(used))))
    return tuple(sections), step


def is_narrow(equation: Equation, body: tuple[Power, ...], bound: Collection[Index], count: int) -> bool:
    """Whether a component sums, and ranges over fewer indices than the equation."""
    free = frozenset(free_indices(Term(sp.S.One, body, tuple(bound))))
    wide = frozenset(equation.slots)
    return bool(bound) and free < wide and (count > 1 or len(equation.terms) > 1)


def is_shared(
    equation: Equation, body: tuple[Power, ...], bound: tuple[Index, ...], parts: Sized, shared: Collection[str]
) -> bool:
    """Whether a component is one that other equations compute too, and not all of this one."""
    if not shared or not bound or (len(parts) == 1 and len(equation.terms) == 1):
        return False
    return key_of(body, bound) in shared


def with_guards(component: Term, term: Term, slots: Mapping[str, tuple[Index, ...]]) -> Term:
    """A component with the brackets of its term that hide where an index leaves a tensor, or there is no value."""
    if is_total(component) and not reads_beyond(component, slots):
        return component
    free = set(free_indices(component))
    own = ((guard, sp.S.One) for guard in guards_of(term) if set(indices_of_guard(guard)) <= free)
    return Term(component.coeff, (*own, *component.powers), component.summed)


def reads_beyond(term: Term, slots: Mapping[str, tuple[Index, ...]]) -> bool:
    """Whether an entry is read under an index whose extent is not that of the slot."""
    return any(
        isinstance(index, Index) and index.extent != slot.extent
        for base in walk(term)
        if isinstance(base, Access)
        for index, slot in zip(base.slots, slots.get(base.tensor, ()), strict=False)
    )


def is_total(term: Term) -> bool:
    """Whether a term has a value at all numbers: nothing in it divides, or takes a root or a logarithm."""
    inner = [part for base in walk(term) for part in inner_terms(base)]
    functions = [row_of(base.name) for base in walk(term) if isinstance(base, Fn)]
    powers = [exponent for part in (term, *inner) for _, exponent in part.powers]
    return not any(row.positive for row in functions) and all(e.is_Integer and e.is_positive for e in powers)


def find_part(
    equation: Equation, component: Term, names: PartNames, order: Nomenclature
) -> tuple[Part | None, tuple[Section, ...]]:
    """The part that holds a component, and its section if it is new; the size of the coefficient goes in."""
    key = key_of(component.powers, component.summed)
    if key is None:
        return None, ()
    if key in names.parts:
        return names.parts[key], ()
    free = frozenset(free_indices(component))
    slots = tuple(slot for slot in equation.slots if slot in free)
    size = -component.coeff if is_negative(component.coeff) else component.coeff
    # Other equations divide by it to use the part.
    size = size if is_divisor(size) else sp.S.One
    part = Part(key, Access(names.fresh(), slots), size)
    names.parts[key] = part
    body: Terms = (Term(size, component.powers, component.summed),)
    steps = relabel(part.entry, body, order)
    final = steps[-1].after if steps else body
    doc = f"part of {equation.name}"
    return part, (Section(Equation(part.entry, final, doc), None, (), ()),)


def refold(section: Section, moves: Moves, order: Nomenclature, effort: Effort) -> Section:
    """The section of a part, in the cheapest form that the search finds, with the steps to it."""
    steps = cheaper_form(section.equation.lhs, section.equation.terms, moves, effort)
    if not steps:
        return section
    named = relabel(section.equation.lhs, steps[-1].after, order)
    steps = (*steps, *named)
    equation = Equation(section.equation.lhs, steps[-1].after, section.equation.doc)
    return Section(equation, None, (), (*section.steps, *steps))
