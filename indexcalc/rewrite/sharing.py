"""One gradient, one name: an equation that contains another's right side reads its name.

``i = sigmoid(u + v + b)`` has one gradient of its argument: ``du``. Then ``dv`` is ``du``, and ``db`` its sum.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from indexcalc.algebra.terms import tensors_of
from indexcalc.calculus.steps import Rule, Section, Step, Used
from indexcalc.program import Equation
from indexcalc.rewrite.cost import Sizes, written_cost
from indexcalc.rewrite.gather import gathered
from indexcalc.rewrite.naming import extended

ROUNDS = 8
"""The most names put into one equation."""


def with_shared_gradients(sections: Sequence[Section], kept: Collection[str], sizes: Sizes) -> tuple[Section, ...]:
    """The sections with every gradient under one name, each after those it reads.

    Args:
        sections: gradients in an order that works.
        kept: the gradients that stay, as they are asked for or have an author's name.
        sizes: nominal sizes: a name is put in where the form that is written in the end gets cheaper.
    """
    current = {section.equation.name: section for section in sections}
    order = {name: number for number, name in enumerate(current)}
    for name in current:
        for _ in range(ROUNDS):
            section = folded(current, name, order, kept, sizes)
            if section is None:
                break
            current[name] = section
    return in_reading_order(current)


def folded(
    current: Mapping[str, Section], name: str, order: Mapping[str, int], kept: Collection[str], sizes: Sizes
) -> Section | None:
    """A section with the largest other equation that it contains under its name; None if it contains none."""
    section = current[name]
    slots = section.equation.lhs.slots
    cost = written_cost(section.equation.terms, slots, sizes)
    for other in candidates(current, name):
        terms = gathered(section.equation.terms, other)
        if terms is None or written_cost(terms, slots, sizes) >= cost or reads(current, other.name, name):
            continue
        whole = len(terms) == 1 and len(terms[0].powers) == 1 and not terms[0].summed
        if not whole and other.name in kept and not any(term.summed for term in other.terms):
            continue  # a product beside others that are asked for: to read it saves little, and hides what cancels
        if whole and (order[other.name] > order[name] if (name in kept) == (other.name in kept) else name in kept):
            continue
        before = section.equation.terms
        return extended(section, Step(Rule.FOLD, section.equation.lhs, before, terms, Used((other.name,))))
    return None


def candidates(current: Mapping[str, Section], name: str) -> Iterator[Equation]:
    """The equations that another may contain, the largest first: they read a part of what it reads."""
    present = frozenset(tensors_of(current[name].equation.terms))
    found = [
        section.equation
        for section in current.values()
        if section.equation.name != name
        and not is_trivial(section.equation)
        and present.issuperset(tensors_of(section.equation.terms))
    ]
    yield from sorted(found, key=lambda equation: -sum(len(term.powers) for term in equation.terms))


def is_trivial(equation: Equation) -> bool:
    """Whether an equation is a multiple of one factor, not worth looking for."""
    return len(equation.terms) == 0 or (
        len(equation.terms) == 1 and len(equation.terms[0].powers) <= 1 and not equation.terms[0].summed
    )


def reads(current: Mapping[str, Section], name: str, other: str) -> bool:
    """Whether a gradient depends on another, directly or through others."""
    pending, seen = [name], {name}
    while pending:
        for read in tensors_of(current[pending.pop()].equation.terms):
            if read == other:
                return True
            if read in current and read not in seen:
                seen.add(read)
                pending.append(read)
    return False


def in_reading_order(current: Mapping[str, Section]) -> tuple[Section, ...]:
    """The sections in their order, but each after those it reads."""
    done: dict[str, Section] = {}
    for name in current:
        pending = [name]
        while pending:
            top = pending[-1]
            missing = [n for n in tensors_of(current[top].equation.terms) if n in current and n not in done]
            if top in done:
                pending.pop()
            elif missing:
                pending.append(missing[0])
            else:
                done[pending.pop()] = current[top]
    return tuple(done.values())
