"""What the functions and brackets of a note stand for: one line for each that occurs, for readers new to it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from indexcalc.algebra.terms import Base, Fn, Iverson, walk
from indexcalc.calculus.pointwise import TABLE
from indexcalc.calculus.steps import Derivation
from indexcalc.notes.blocks import Block, Items, Paragraph, Sign, Spans
from indexcalc.notes.prose import say

NAMED = re.compile(r"\\operatorname\{(\w+)\}")


def function_blocks(derivation: Derivation) -> Iterator[Block]:
    """The definitions of the functions in use that have one in the table, and what a bracket is."""
    bases = tuple(dict.fromkeys(occurring(derivation)))
    items = tuple(map(definition, explained(base.name for base in bases if isinstance(base, Fn))))
    bracket = next((base for base in bases if isinstance(base, Iverson)), None)
    if items:
        yield Paragraph(say("functions"))
        yield Items(items)
    if bracket is not None or any("[" in span.latex for item in items for span in item if isinstance(span, Sign)):
        yield Paragraph(say("brackets", bracket=bracket or Sign("[x > 0]")))


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


def definition(name: str) -> Spans:
    """One function by what it is equal to."""
    return (Sign(rf"\operatorname{{{name}}}(x) = {TABLE[name].definition}"),)
