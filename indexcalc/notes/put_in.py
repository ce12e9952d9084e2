"""A result once more, with what stands for a product put in, so that a reader sees what it is made of."""

from __future__ import annotations

from collections.abc import Iterator

from indexcalc.algebra.build import product
from indexcalc.algebra.renaming import substitute
from indexcalc.algebra.terms import Access, Power, Term, Terms, tensors_of, walk
from indexcalc.calculus.steps import Derivation, Section
from indexcalc.notes.blocks import Block, Display, Paragraph, Symbol
from indexcalc.notes.prose import listed, say
from indexcalc.program import Equation

SHORT = 8
"""The most factors, at all depths, of a formula that is written out inside another one."""


def put_in(derivation: Derivation, section: Section) -> Iterator[Block]:
    """The result once more, with gradients above it written out where they are products without sums."""
    equation, used = section.equation, []
    terms = equation.terms
    for name in tensors_of(terms):
        source = derivation.backward.definitions.get(name)
        if name in derivation.gradients and source is not None and is_bare_product(source.terms):
            before, terms = terms, tuple(written_out(term, source) for term in terms)
            used.extend([source.lhs] if terms != before else [])
    if used:
        gradients = listed([Symbol(entry.tensor) for entry in used])
        yield Paragraph(say("unfolded", gradients=gradients))
        yield Display(equation.lhs, (terms,))


def is_bare_product(terms: Terms) -> bool:
    """Whether there is one term, without sums, that is not just a name, and short enough to read inside another."""
    if len(terms) != 1 or terms[0].summed:
        return False
    (term,) = terms
    named = term.coeff == 1 and len(term.powers) == 1 and isinstance(term.bases[0], Access) and term.powers[0][1] == 1
    return bool(term.powers) and not named and len(tuple(walk(terms))) <= SHORT


def written_out(term: Term, source: Equation) -> Term:
    """The term with every entry of a tensor that stands as a factor replaced by its definition."""
    powers: list[Power] = []
    coeff = term.coeff
    for base, exponent in term.powers:
        if isinstance(base, Access) and base.tensor == source.name and exponent == 1 and source.holds_at(base):
            (value,) = substitute(source.terms, dict(zip(source.slots, base.slots, strict=True)))
            coeff *= value.coeff
            powers.extend(value.powers)
        else:
            powers.append((base, exponent))
    return product(coeff, powers, term.summed)
