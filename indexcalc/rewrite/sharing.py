"""One gradient, one name: an equation that contains another's right side reads its name.

``i = sigmoid(u + v + b)`` has one gradient of its argument: ``du``. Then ``dv`` is ``du``, and ``db`` its sum.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from indexcalc.algebra.terms import Terms, accesses_of, tensors_of
from indexcalc.calculus.steps import Rule, Section, Step, Used
from indexcalc.program import Equation
from indexcalc.recurrence import NO_SYSTEMS, groups_of
from indexcalc.rewrite.cost import Sizes, written_cost
from indexcalc.rewrite.gather import gathered
from indexcalc.rewrite.naming import extended

ROUNDS = 8
"""The most names put into one equation."""


def with_shared_gradients(
    sections: Sequence[Section], kept: Collection[str], sizes: Sizes, residuals: Mapping[str, str] = NO_SYSTEMS
) -> tuple[Section, ...]:
    """The sections with every gradient under one name, each after those it reads.

    Args:
        sections: gradients in an order that works.
        kept: the gradients that stay, as they are asked for or have an author's name.
        sizes: nominal sizes: a name is put in where the form that is written in the end gets cheaper.
        residuals: for every adjoint variable the sum that it makes zero, which is no gradient to be read.
    """
    library = Library({section.equation.name: number for number, section in enumerate(sections)})
    sums = frozenset(residuals.values())
    for section in sections:
        library.put(section, shown=section.equation.name not in sums)
    for name in library.order:
        for _ in range(ROUNDS):
            found = folded(library, name, kept, sizes)
            if found is None:
                break
            library.put(found)
    return in_reading_order(library.sections, residuals)


@dataclass
class Library:
    """Sections by name, found again by what they read: with hundreds of them, most have nothing in common.

    Attributes:
        order: the place of each section.
        sections: what they are now, in that order.
        tensors: what the equation of each reads.
        shelves: for every tensor, the sections whose equations read it first of all; for "", those that read none.
    """

    order: Mapping[str, int]
    sections: dict[str, Section] = field(default_factory=dict)
    tensors: dict[str, tuple[str, ...]] = field(default_factory=dict)
    shelves: dict[str, set[str]] = field(default_factory=dict)

    def put(self, section: Section, *, shown: bool = True) -> None:
        """Add a section, or put it in the place of what it was; one that is not `shown` others don't read."""
        name = section.equation.name
        if name in self.tensors:
            shown = name in self.shelf(name)
            self.shelf(name).discard(name)
        self.sections[name] = section
        self.tensors[name] = tensors_of(section.equation.terms)
        if shown:
            self.shelf(name).add(name)

    def shelf(self, name: str) -> set[str]:
        """Where a section stands."""
        return self.shelves.setdefault(next(iter(self.tensors[name]), ""), set())

    def reading_parts_of(self, name: str) -> list[Section]:
        """The other sections that read nothing but what a section reads, in order."""
        present = frozenset(self.tensors[name])
        found = [other for tensor in (*present, "") for other in self.shelves.get(tensor, ())]
        parts = [other for other in found if other != name and present.issuperset(self.tensors[other])]
        return [self.sections[other] for other in sorted(parts, key=self.order.__getitem__)]


def folded(library: Library, name: str, kept: Collection[str], sizes: Sizes) -> Section | None:
    """A section with the largest other equation that it contains under its name; None if it contains none."""
    order, section = library.order, library.sections[name]
    slots = section.equation.slots
    cost = written_cost(section.equation.terms, slots, sizes)
    for other in candidates(library, name):
        terms = gathered(section.equation.terms, other)
        if terms is None or reads_a_diagonal(terms, other.name) or reads(library, other.name, name):
            continue
        if written_cost(terms, slots, sizes) >= cost:
            continue
        whole = len(terms) == 1 and len(terms[0].powers) == 1 and not terms[0].summed
        if not whole and other.name in kept and not any(term.summed for term in other.terms):
            continue  # a product beside others that are asked for: to read it saves little, and hides what cancels
        if whole and (order[other.name] > order[name] if (name in kept) == (other.name in kept) else name in kept):
            continue
        before = section.equation.terms
        return extended(section, Step(Rule.FOLD, section.equation.lhs, before, terms, Used((other.name,))))
    return None


def reads_a_diagonal(terms: Terms, name: str) -> bool:
    """Whether terms read entries of a tensor with an index in two slots: a part of an array that is larger than it."""
    return any(len(set(entry.slots)) < len(entry.slots) for entry in accesses_of(terms, name))


def candidates(library: Library, name: str) -> Iterator[Equation]:
    """The equations that another may contain, the largest first: they read a part of what it reads."""
    parts = [section.equation for section in library.reading_parts_of(name)]
    found = [equation for equation in parts if not is_trivial(equation)]
    yield from sorted(found, key=lambda equation: -sum(len(term.powers) for term in equation.terms))


def is_trivial(equation: Equation) -> bool:
    """Whether an equation is a multiple of one factor, not worth looking for."""
    return len(equation.terms) == 0 or (
        len(equation.terms) == 1 and len(equation.terms[0].powers) <= 1 and not equation.terms[0].summed
    )


def reads(library: Library, name: str, other: str) -> bool:
    """Whether a gradient depends on another, directly or through others."""
    pending, seen = [name], {name}
    while pending:
        for read in library.tensors[pending.pop()]:
            if read == other:
                return True
            if read in library.tensors and read not in seen:
                seen.add(read)
                pending.append(read)
    return False


def in_reading_order(current: Mapping[str, Section], residuals: Mapping[str, str]) -> tuple[Section, ...]:
    """The sections in their order, but each after those it reads; those of a recurrence or system stay together."""
    groups = groups_of([section.equation for section in current.values()], residuals)
    return tuple(current[equation.name] for group in groups for equation in group)
