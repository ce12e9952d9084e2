"""What the functions and brackets of a note stand for: one line for each that occurs, for readers new to it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

import sympy as sp

from indexcalc.algebra.brackets import chained
from indexcalc.algebra.build import product
from indexcalc.algebra.terms import Base, Fn, Iverson, Power, Terms, inner_terms, walk
from indexcalc.calculus.pointwise import TABLE
from indexcalc.calculus.steps import Derivation
from indexcalc.notes.blocks import Block, Items, Paragraph, Sign, Spans
from indexcalc.notes.latex import applied_latex
from indexcalc.notes.prose import say

LETTERS = ("xyz", "uvw", "abc", "pqr")
"""What the arguments of a function are called in its definition."""

LETTER = re.compile(r"(?<![a-z\\])[xyz](?![a-z])")
"""One of them in the definition of a row."""

NAMED = re.compile(r"\\operatorname\{(\w+)\}")


def function_blocks(derivation: Derivation) -> Iterator[Block]:
    """The definitions of the functions in use that have one in the table, and what a bracket is."""
    bases = tuple(dict.fromkeys(occurring(derivation)))
    names = explained(base.name for base in bases if isinstance(base, Fn))
    items = tuple(definition(name, derivation.problem.program.tensors) for name in names)
    bracket = first_bracket(derivation)
    if items:
        yield Paragraph(say("functions"))
        yield Items(items)
    if bracket or any("[" in span.latex for item in items for span in item if isinstance(span, Sign)):
        yield Paragraph(say("brackets", bracket=bracket or Sign("[x > 0]")))


def first_bracket(derivation: Derivation) -> Terms:
    """The first bracket of the equations, or else of a step, with the one that bounds the same from above."""
    program, backward = derivation.problem.program, derivation.put_together
    equations = (equation.terms for equation in (*program.equations, *backward.equations))
    for terms in (*equations, *(step.after for step in derivation.all_steps())):
        for powers in products_in(terms):
            for (base, _), upper in chained(powers):
                if isinstance(base, Iverson):
                    return (product(1, ((one, sp.S.One) for one in (base, upper) if one is not None)),)
    return ()


def products_in(terms: Terms) -> Iterator[Sequence[Power]]:
    """The factors of each product, at all depths."""
    for term in terms:
        yield term.powers
        for base in walk(term):
            yield from (part.powers for part in inner_terms(base))


def occurring(derivation: Derivation) -> Iterator[Base]:
    """The functions and brackets of all that a note may show, in reading order."""
    program, backward = derivation.problem.program, derivation.put_together
    forward = [equation.terms for equation in program.equations]
    steps = [step.after for step in derivation.all_steps()]
    for terms in (*forward, *steps, *(equation.terms for equation in backward.equations)):
        yield from (base for base in walk(terms) if isinstance(base, Fn | Iverson))


def explained(names: Iterable[str]) -> list[str]:
    """The functions that have a definition, each with those that its definition names."""
    found = list(dict.fromkeys(names))
    for name in found:
        found.extend(other for other in NAMED.findall(TABLE[name].definition) if other not in found)
    return [name for name in found if TABLE[name].definition]


def definition(name: str, taken: Collection[str]) -> Spans:
    """One function by what it is equal to; of several arguments, which are named like no tensor of the note."""
    row = TABLE[name]
    count = len(row.derivatives)
    letters = "x" if count == 1 else next((some for some in LETTERS if set(some[:count]).isdisjoint(taken)), LETTERS[0])
    text = LETTER.sub(lambda found: letters["xyz".index(found[0])], row.definition)
    return (Sign(f"{applied_latex(name, letters[:count], raised=False)} = {text}"),)
