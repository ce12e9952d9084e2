"""Canonical forms: equal keys mean equal up to renaming of summed indices and order of factors.

Each term is split into components connected by summed indices. Within a component the summed
indices are coloured by how they occur, the colours refined until they are stable, and ties broken
by trying each index of the first tied class (individualisation). The work is bounded: a term too
symmetric for the bound raises `LimitError`, and the caller answers "unknown", never "different".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache

import sympy as sp

from indexcalc.algebra.build import power
from indexcalc.algebra.slots import Lookup, Slot, difference, parts_of_slot
from indexcalc.algebra.terms import (
    Access,
    Add,
    Base,
    Delta,
    Fn,
    Index,
    Iverson,
    MatrixFunction,
    Partial,
    Power,
    Term,
    Terms,
    occurring_indices,
    tensors_of,
)
from indexcalc.errors import LimitError

SEARCH_LIMIT = 60_000
"""The most factors written out to compare one component: each refinement writes every factor once an index."""

KEY_CACHE = 20_000
"""The number of terms whose keys are remembered: rewriting compares the same terms again and again."""

Colours = Mapping[Index, str]


@lru_cache(maxsize=KEY_CACHE)
def term_key(term: Term) -> str:
    """A text that two terms share exactly if they are equal up to dummies, factor order and coefficient.

    Raises:
        LimitError: if a component is too symmetric for `SEARCH_LIMIT`.
    """
    return " * ".join(sorted(component_key(powers, bound) for powers, bound in components(term)))


def components(term: Term) -> list[tuple[tuple[Power, ...], tuple[Index, ...]]]:
    """The factors grouped by the summed indices they share: ``(factors, their sums)``, in order."""
    bound = frozenset(term.summed)
    groups: list[tuple[set[int], set[Index]]] = []
    for number, (base, _) in enumerate(term.powers):
        members, indices = {number}, {index for index in occurring_indices(base) if index in bound}
        separate = []
        for group in groups:
            if group[1] & indices:
                members |= group[0]
                indices |= group[1]
            else:
                separate.append(group)
        groups = [*separate, (members, indices)]
    groups.sort(key=lambda group: min(group[0]))
    return [
        (
            tuple(term.powers[number] for number in sorted(members)),
            tuple(index for index in term.summed if index in indices),
        )
        for members, indices in groups
    ]


@lru_cache(maxsize=KEY_CACHE)
def component_key(powers: tuple[Power, ...], bound: tuple[Index, ...]) -> str:
    """The least serialisation of a connected component over the names its dummies may take."""
    if not bound:
        return serialise_product(powers, {})
    budget = [SEARCH_LIMIT]
    colours = refine(powers, {index: f"<{index.extent}>" for index in bound}, budget)
    return least_serialisation(powers, colours, budget)


def least_serialisation(powers: tuple[Power, ...], colours: Colours, budget: list[int]) -> str:
    """Individualise the first tied class, if there is one, and keep the least result.

    Two indices whose first leaves have one text change places under a symmetry of the product that keeps the colours.
    What is below one of them is then below the other too, and only one of them is followed.
    """
    tied = first_tie(colours)
    if not tied:
        return leaf_text(powers, colours)
    if all(interchangeable(powers, tied[0], twin) for twin in tied):
        return least_serialisation(powers, individualised(powers, colours, tied[0], budget), budget)
    results: dict[str, str] = {}
    for index in tied:
        chosen = individualised(powers, colours, index, budget)
        leaf = first_leaf(powers, chosen, budget)
        if leaf not in results:
            results[leaf] = least_serialisation(powers, chosen, budget)
    return min(results.values())


def first_tie(colours: Colours) -> list[Index]:
    """The indices of the first colour that several have; none if all colours differ."""
    classes: dict[str, list[Index]] = {}
    for index, colour in colours.items():
        classes.setdefault(colour, []).append(index)
    return next((classes[colour] for colour in sorted(classes) if len(classes[colour]) > 1), [])


def individualised(powers: tuple[Power, ...], colours: Colours, index: Index, budget: list[int]) -> dict[Index, str]:
    """The colours with one of its own for an index, made finer by what that tells of the others."""
    return refine(powers, {**colours, index: colours[index] + "!"}, budget)


def first_leaf(powers: tuple[Power, ...], colours: Colours, budget: list[int]) -> str:
    """The text that is reached by taking the first index of every tied class."""
    while tied := first_tie(colours):
        colours = individualised(powers, colours, tied[0], budget)
    return leaf_text(powers, colours)


def leaf_text(powers: tuple[Power, ...], colours: Colours) -> str:
    """The product written with its sums numbered in the order of their colours, which all differ."""
    names = {index: f"#{n}" for n, index in enumerate(sorted(colours, key=lambda i: colours[i]))}
    extents = ",".join(str(index.extent) for index in names)
    return f"sum<{extents}>({serialise_product(powers, names)})"


def interchangeable(powers: tuple[Power, ...], one: Index, other: Index) -> bool:
    """Whether swapping two summed indices leaves the product as it is."""
    if one == other:
        return True
    marks = {one: "\x01", other: "\x02"}
    swapped = {one: "\x02", other: "\x01"}
    return serialise_product(powers, marks) == serialise_product(powers, swapped)


def refine(powers: tuple[Power, ...], colours: Colours, budget: list[int]) -> dict[Index, str]:
    """Colours made finer by the places in which each index occurs, until the partition is stable."""
    current = rank(dict(colours))
    while True:
        budget[0] -= len(current) * len(powers)
        if budget[0] < 0:
            raise LimitError(f"a product too symmetric to compare by writing out {SEARCH_LIMIT} factors")
        refined = rank(marked(powers, current))
        if len(set(refined.values())) == len(set(current.values())):
            return refined
        current = refined


def marked(powers: tuple[Power, ...], colours: Colours) -> dict[Index, str]:
    """Each colour with the product in which the index is marked and the others have their colours.

    Factors in which an index does not occur are the same whichever of the others is marked: they are written once.
    """
    plain = [serialise_power(power, colours) for power in powers]
    places: dict[Index, list[int]] = {index: [] for index in colours}
    for place, (base, _) in enumerate(powers):
        for index in set(occurring_indices(base)) & colours.keys():
            places[index].append(place)
    found = {}
    for index, colour in colours.items():
        texts, names = list(plain), {**colours, index: "@"}
        for place in places[index]:
            texts[place] = serialise_power(powers[place], names)
        found[index] = f"{colour}|{'*'.join(sorted(texts))}"
    return found


def rank(colours: Mapping[Index, str]) -> dict[Index, str]:
    """Long colours replaced by short ones in the same order."""
    order = {colour: f"~{n:04d}" for n, colour in enumerate(sorted(set(colours.values())))}
    return {index: order[colour] for index, colour in colours.items()}


@lru_cache(maxsize=KEY_CACHE)
def scalar_key(scalar: sp.Expr) -> str:
    """A scalar as text."""
    return str(scalar)


@lru_cache(maxsize=KEY_CACHE)
def coefficient_key(coeff: sp.Expr) -> str:
    """A coefficient as text that does not depend on how it is factored."""
    return str(sp.expand(coeff))


def serialise_product(powers: Iterable[Power], names: Colours) -> str:
    """The factors in sorted order, each index under its name in `names` or, if free, its own."""
    return "*".join(sorted(serialise_power(power, names) for power in powers))


def serialise_power(power: Power, names: Colours) -> str:
    """One factor with its exponent as text."""
    base, exponent = power
    text = serialise_even(base, names) if exponent.is_even else serialise_base(base, names)
    return text if exponent == 1 else f"{text}^{scalar_key(exponent)}"


def serialise_base(base: Base, names: Colours) -> str:
    """One factor as text; a symmetric pair or a sum is sorted."""
    if names and isinstance(base, Fn | Add) and names.keys().isdisjoint(occurring_indices(base)):
        return free_text(base)
    return written(base, names)


@lru_cache(maxsize=KEY_CACHE)
def free_text(base: Fn | Add) -> str:
    """A factor as text in which all indices are free."""
    return written(base, {})


def written(base: Base, names: Colours) -> str:
    """One factor written out."""
    match base:
        case Access(tensor, slots):
            return f"{tensor}[{','.join(label(slot, names) for slot in slots)}]"
        case Delta(left, right) if not base.is_plain:
            sides = (difference(left, right), difference(right, left))
            return f"delta[{min(label(side, names) for side in sides)}]"
        case Iverson(_, relation, _) if not base.is_plain:
            if relation != "!=":
                return f"[0<={label(base.slack, names)}]"
            both = (difference(base.right, base.left), difference(base.left, base.right))
            return f"[0!={min(label(side, names) for side in both)}]"
        case Delta(left, right):
            return f"delta[{','.join(sorted((label(left, names), label(right, names))))}]"
        case Iverson(left, relation, right):
            pair = [label(left, names), label(right, names)]
            return f"[{relation.join(sorted(pair) if relation == '!=' else pair)}]"
        case Fn(name, args):
            return f"{name}({';'.join(serialise_sum(arg, names) for arg in args)})"
        case Add(terms):
            return f"({serialise_sum(terms, names)})"
        case MatrixFunction(tensor, slots):
            return f"{base.word}({tensor}[{','.join(label(slot, names) for slot in slots)}])"
        case Partial(of, wrt):
            return f"d({serialise_base(of, names)})/d({serialise_base(wrt, names)})"


def serialise_even(base: Base, names: Colours) -> str:
    """One factor to an even power as text: a sum and its negative have one square."""
    if not isinstance(base, Add):
        return serialise_base(base, names)
    if names and names.keys().isdisjoint(occurring_indices(base)):
        return even_text(base)
    return written_even(base, names)


@lru_cache(maxsize=KEY_CACHE)
def even_text(base: Add) -> str:
    """A sum to an even power as text in which all indices are free."""
    return written_even(base, {})


def written_even(base: Add, names: Colours) -> str:
    """A sum to an even power written out."""
    # The products are written once for both signs: twice at every level would be exponential in the depth.
    products = [(term.coeff, serialise_product(term.powers, names)) for term in base.terms]
    signs = ("+".join(sorted(f"{scalar_key(s * c)}*{text}" for c, text in products)) for s in (1, -1))
    return f"({min(signs)})"


def serialise_sum(terms: Terms, names: Colours) -> str:
    """Sum-free terms in sorted order, with their coefficients."""
    return "+".join(sorted(f"{scalar_key(term.coeff)}*{serialise_product(term.powers, names)}" for term in terms))


def label(slot: Slot, names: Colours) -> str:
    """What a slot holds in a serialisation; free indices carry a quote so that none can clash."""
    if isinstance(slot, Index):
        return names.get(slot) or f"'{slot.name}"
    if isinstance(slot, Lookup):
        return f"{slot.tensor}<{','.join(label(inner, names) for inner in slot.slots)}>"
    parts = sorted(f"{scalar_key(coeff)}*{label(atom, names)}" for atom, coeff in parts_of_slot(slot))
    return "+".join([*parts, scalar_key(slot.const)])


def collect(terms: Terms, key_of: Callable[[Term], str] = term_key) -> Terms:
    """Like terms combined, in order of first occurrence; terms that cancel are dropped.

    Terms too symmetric to compare are left as they are. Terms are alike if `key_of` says so, which is asked only of
    those that read the same tensors, by as many factors and sums: most stand alone.
    """
    order: list[str] = []
    groups: dict[str, list[Term]] = {}
    outlines = [(frozenset(tensors_of(term)), len(term.powers), len(term.summed)) for term in terms]
    counts = Counter(outlines)
    for number, (term, outline) in enumerate(zip(terms, outlines, strict=True)):
        try:
            key = key_of(term) if counts[outline] > 1 else f"?{number}"
        except LimitError:
            key = f"?{number}"
        if key not in groups:
            order.append(key)
        groups.setdefault(key, []).append(term)
    combined = []
    for key in order:
        members = groups[key]
        coeff = members[0].coeff if len(members) == 1 else simplify_sum([m.coeff for m in members])
        if coeff != 0:
            combined.append(Term(coeff, members[0].powers, members[0].summed))
    return tuple(combined)


def with_like_terms(factor: Power) -> Term:
    """The factor, where it is a sum with its like terms combined: ``x_i - x_j`` has become ``x_i - x_i = 0``."""
    base, exponent = factor
    if isinstance(base, Add) and exponent.is_positive:
        terms = collect(base.terms)
        if terms != base.terms:
            return power(terms, exponent)
    return Term(sp.S.One, (factor,))


def simplify_sum(coefficients: Iterable[sp.Expr]) -> sp.Expr:
    """The sum of scalars, zero if it is zero."""
    total = sp.Add(*coefficients)
    if isinstance(total, sp.Add):
        total = sp.factor_terms(sp.expand(total))
        if isinstance(total, sp.Add | sp.Mul) and sp.cancel(sp.together(total)) == 0:
            return sp.S.Zero
    return total


def sum_key(terms: Terms) -> str:
    """A key of a sum of terms: like terms combined, terms in sorted order, coefficients included.

    Raises:
        LimitError: if a term is too symmetric to compare.
    """
    return " + ".join(sorted(f"{coefficient_key(term.coeff)} {term_key(term)}" for term in collect(terms)))


def same(left: Terms, right: Terms) -> bool:
    """Whether two sums have the same canonical form: like terms cancel in their difference.

    Raises:
        LimitError: if a term is too symmetric to compare; the answer is then unknown.
    """
    for term in (*left, *right):
        term_key(term)
    return not collect((*left, *(Term(-t.coeff, t.powers, t.summed) for t in right)))


def surely_same(left: Terms, right: Terms) -> bool:
    """Whether two sums are known to be equal; no where that takes too long to see."""
    try:
        return same(left, right)
    except LimitError:
        return False
