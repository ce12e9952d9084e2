"""Proofs of claims: both sides as terms of the algebra, their difference in normal form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import sympy as sp

from indexcalc.algebra.build import expand, product
from indexcalc.algebra.canonical import collect
from indexcalc.algebra.terms import ONE, Access, Term, Terms, tensors_of
from indexcalc.document.meaning.nodes import Meaning
from indexcalc.document.meaning.sizes import Sizes
from indexcalc.document.meaning.slopes import refreshed
from indexcalc.document.meaning.symbols import Symbols
from indexcalc.document.numerics.deltas import contracted
from indexcalc.document.numerics.lowering import Lexicon, Lowering
from indexcalc.errors import IndexCalcError, LimitError
from indexcalc.program import Equation, Identity
from indexcalc.rewrite.normal import Knowledge, normal_form
from indexcalc.rewrite.rules import SumRule, lemma_rule
from indexcalc.rewrite.symmetry import NONE, Symmetries


def proves(left: Meaning, right: Meaning, symbols: Symbols, sizes: Sizes, lexicon: Lexicon) -> bool:
    """Whether the algebra shows the two sides equal; False says nothing."""
    if left == right:
        return True
    lowering = Lowering(symbols, sizes.copy(), lexicon)
    try:
        one, other = lowering.terms(refreshed(left, lowering.sizes)), lowering.terms(refreshed(right, lowering.sizes))
        difference = contracted((*one, *(Term(-term.coeff, term.powers, term.summed) for term in other)))
        return vanishes(collect(difference), lowering)
    except (IndexCalcError, RecursionError):
        return False


def vanishes(terms: Terms, lowering: Lowering) -> bool:
    """Whether a sum of terms has the normal form zero, unfolding little at first, then all."""
    known = Knowledge(lowering.equations, tuple(assumptions(lowering)), symmetries(lowering))
    start = finished(terms)
    named = frozenset(tensors_of(terms))
    return any(cancels(start, known, unfoldable) for unfoldable in stages(named, lowering.equations))


def cancels(terms: Terms, known: Knowledge, unfoldable: frozenset[str]) -> bool:
    """Whether a sum of terms is zero once these names are unfolded; False if it grows too long."""
    try:
        for _ in range(3):
            steps = normal_form(Identity(terms, ()), terms, known, unfoldable)
            reached = finished(steps[-1].after if steps else terms)
            if not reached or reached == terms:
                break
            terms = reached
    except LimitError:
        return False
    return not reached


def stages(named: frozenset[str], equations: Mapping[str, Equation]) -> Iterator[frozenset[str]]:
    """What to unfold for a claim, little at first, each set once.

    Before everything comes all but the lowest gradients that the claim names: where it says how a gradient follows
    from another, what that one is made of has no part in it.
    """
    every = frozenset(equations)
    gradients = frozenset(name for name in equations if "/d" in name)
    made = {name: made_of(name, equations) & gradients & named for name in gradients & named}
    lowest = frozenset(inner for inside in made.values() for inner in inside if not made[inner])
    above = (every - lowest,) if lowest else ()
    yield from dict.fromkeys((frozenset[str](), named & every, *above, (named & every) | gradients, every))


def made_of(name: str, equations: Mapping[str, Equation]) -> frozenset[str]:
    """The names that the equation of a name leads to."""
    found: set[str] = set()
    pending = [name]
    while pending:
        current = pending.pop()
        if current in equations:
            inner = set(tensors_of(equations[current].terms)) - found
            found |= inner
            pending.extend(sorted(inner))
    return frozenset(found)


def assumptions(lowering: Lowering) -> Iterator[SumRule]:
    """What is assumed of sums of inputs, as rules."""
    for name, places in lowering.symbols.simplex.items():
        slots = tuple(lowering.index(slot) for slot in lowering.symbols.slots[name])
        rule = lemma_rule(
            Identity((product(1, ((Access(name, slots), sp.S.One),), tuple(slots[place] for place in places)),), ONE)
        )
        if rule is not None:
            yield rule


def symmetries(lowering: Lowering) -> Symmetries:
    """Which inputs are equal to their transposes, as equations of their entries say."""
    known = NONE
    for name in sorted(lowering.symbols.symmetric):
        slots = lowering.symbols.slots[name]
        entry = Access(name, tuple(lowering.index(slot) for slot in slots))
        places = len(slots)
        if entry.indices[-1].extent == entry.indices[-2].extent:
            known = known.extended(entry, [(*range(places - 2), places - 1, places - 2)])
    return known


def finished(terms: Terms) -> Terms:
    """Multiplied out, deltas contracted, like terms combined."""
    return collect(contracted(expand(terms)))
