"""Gradients that nobody asked for are put into the equations that read them, where that saves work.

The cost that counts is that of the gradient with all its readers, each in its best form: to put
``dp = -y / p`` into its reader looks worse for the reader alone, but `dp` dies, and then ``p`` cancels.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from indexcalc.algebra.build import expand
from indexcalc.algebra.canonical import collect
from indexcalc.algebra.factor import positive_first
from indexcalc.algebra.terms import Access, Base, Term, Terms, accesses_of, tensors_of
from indexcalc.calculus.contract import contract
from indexcalc.calculus.steps import Rule, Section, Step, Subject, Used
from indexcalc.errors import LimitError
from indexcalc.problem import Problem
from indexcalc.program import Equation
from indexcalc.rewrite.cost import Sizes, equation_cost, length, terms_cost, written_cost
from indexcalc.rewrite.normal import stands_elsewhere, unfold_everywhere, unfold_factors

TRIAL_LIMIT = 48
"""The most terms of an equation with a gradient put in; a larger one is no gain to a reader."""

LENGTH_LIMIT = 120
"""The most factors of such an equation, at all depths; the longest of those that are shipped has 41."""

READER_LIMIT = 4
"""The most readers of a gradient that is put into all of them; one that more read is hardly cheaper written out."""

LINK_LIMIT = 5
"""The most factors of a product that a gradient is put into for being a link: a chain of products keeps its names."""

Simplify = Callable[[Subject, Terms], tuple[Step, ...]]
Before = Callable[[Section], Sequence[Section]]
Improve = Callable[[Sequence[Section], Before], Sequence[Section]]
"""Sections, given those that come before each, in their best form: ``improve(group, before)``."""


@dataclass
class Backward:
    """The sections of a backward pass while gradients are inlined: by name, with what each reads.

    Attributes:
        by_name: the sections, in order.
        read_by: for each tensor, the names of the sections that read it.
    """

    by_name: dict[str, Section]
    read_by: dict[str, set[str]]
    places: Mapping[str, int]

    @classmethod
    def of(cls, sections: Sequence[Section]) -> Backward:
        """The sections as they are."""
        made = cls({}, {}, {section.equation.name: place for place, section in enumerate(sections)})
        made.put(sections)
        return made

    @property
    def sections(self) -> tuple[Section, ...]:
        """The sections in order."""
        return tuple(self.by_name.values())

    def put(self, sections: Sequence[Section]) -> None:
        """Sections in the place of those of the same names, or at the end."""
        for section in sections:
            name = section.equation.name
            if name in self.by_name:
                for read in tensors_of(self.by_name[name].equation.terms):
                    self.read_by[read].discard(name)
            self.by_name[name] = section
            for read in tensors_of(section.equation.terms):
                self.read_by.setdefault(read, set()).add(name)

    def readers(self, name: str) -> list[Section]:
        """The sections that read a tensor, in order."""
        return [self.by_name[reader] for reader in sorted(self.read_by.get(name, ()), key=self.places.__getitem__)]

    def before(self, section: Section) -> tuple[Section, ...]:
        """The sections that come before one."""
        return self.sections[: self.places.get(section.equation.name, 0)]


@dataclass(frozen=True)
class Inliner:
    """What the decisions to inline rest on.

    Attributes:
        problem: the program, and which gradients must stay.
        simplify: simplification of an expression.
        improve: the later passes, so that forms are compared as they will be.
        sizes: nominal sizes for the cost.
    """

    problem: Problem
    simplify: Simplify
    improve: Improve
    sizes: Sizes

    def run(self, sections: Sequence[Section]) -> tuple[Section, ...]:
        """Sections in which each unrequested gradient is inlined where its readers get cheaper by it."""
        kept = {self.problem.gradient_names[name] for name in (*self.problem.targets, *self.problem.names)}
        current = Backward.of(sections)
        for name in [s.equation.name for s in sections if s.equation.name not in kept]:
            current.put(self.decide(current, name))
        return current.sections

    def join(self, sections: Sequence[Section]) -> tuple[Section, ...]:
        """Sections in their last form in which each gradient that is only a link to one reader is put into it."""
        kept = {self.problem.gradient_names[name] for name in (*self.problem.targets, *self.problem.names)}
        current = Backward.of(sections)
        for name in [s.equation.name for s in sections if s.target is not None and s.equation.name not in kept]:
            own, readers = current.by_name[name], current.readers(name)
            if len(readers) != 1 or len(own.equation.terms) != 1:
                continue
            inlined = self.inline(readers[0], own.equation)
            if inlined is not None and self.is_link(own, readers[0], inlined):
                current.put([inlined])
        return current.sections

    def decide(self, current: Backward, name: str) -> Sequence[Section]:
        """The readers of one gradient with it inlined into all of them; nothing where it stays."""
        own, readers = current.by_name[name], current.readers(name)
        if len(readers) > READER_LIMIT and not is_multiple(own):
            return ()
        inlined = []
        for reader in readers:
            inlined.append(self.inline(reader, own.equation))
            if inlined[-1] is None:
                return ()
        changed = [section for section in inlined if section is not None]
        if not readers:
            return ()
        gain = self.cost([own, *readers], current) - self.cost(changed, current, without=name)
        wanted = gain > 0 or (gain == 0 and is_multiple(own))
        alone = len(readers) == 1 and (self.is_unnamed_reduction(own) or self.is_link(own, readers[0], changed[0]))
        return changed if wanted or alone else ()

    def is_unnamed_reduction(self, section: Section) -> bool:
        """Whether the tensor is a sum that the author wrote inside a formula, over indices of what it reads."""
        equation = self.problem.program.definitions.get(section.target or "")
        if equation is None or not equation.hoisted:
            return False
        free = frozenset(equation.slots)
        return all(free <= frozenset(entry.slots) for entry in entries(equation.terms))

    def is_link(self, own: Section, reader: Section, inlined: Section) -> bool:
        """Whether a gradient is one product on the way to its only reader, which is no dearer with it put in.

        A sum of products is put in where its name is a term of its own.
        """
        name = own.equation.name
        bare = all(term.bases == (base,) for term in reader.equation.terms for base in entries_of(term, name))
        if len(own.equation.terms) != 1:
            return False
        if not bare and any(term.summed for term in (*own.equation.terms, *reader.equation.terms)):
            return False
        if any(len(term.powers) > LINK_LIMIT for term in inlined.equation.terms):
            return False
        before = sum(written_cost(s.equation.terms, s.equation.slots, self.sizes) for s in (own, reader))
        return written_cost(inlined.equation.terms, inlined.equation.slots, self.sizes) <= before

    def cost(self, group: Sequence[Section], current: Backward, without: str = "") -> int:
        """The cost of a group of sections once the later passes have improved them."""

        def before(section: Section) -> Sequence[Section]:
            return [other for other in current.before(section) if other.equation.name != without]

        return sum(equation_cost(s.equation, self.sizes) for s in self.improve(group, before))

    def inline(self, section: Section, equation: Equation) -> Section | None:
        """One reader with the definition put in and simplified; None if that is not possible."""
        subject, terms = section.equation.lhs, section.equation.terms
        try:
            after = put_in(terms, equation)
            if after is None:
                return None
            steps = [Step(Rule.UNFOLD, subject, terms, after, Used((equation.name,)))]
            steps.extend(contract(subject, after))
            steps.extend(self.simplify(subject, steps[-1].after))
            steps.extend(self.multiplied_out(subject, steps[-1].after))
        except LimitError:
            return None
        steps[-1] = replace(steps[-1], after=positive_first(steps[-1].after))
        final = Equation(subject, steps[-1].after, section.equation.doc)
        return Section(final, section.target, section.paths, (*section.steps, *steps))

    def multiplied_out(self, subject: Access, terms: Terms) -> tuple[Step, ...]:
        """Products of sums multiplied out, where factors then cancel: the result is cheaper, and no longer.

        Cheaper alone would not do: moments, ``sum x^2 - 2 m sum x + n m^2``, take fewer operations than differences
        from a mean, and lose their digits.
        """
        try:
            expanded = expand(terms, TRIAL_LIMIT)
        except LimitError:
            return ()
        if expanded == terms or len(collect(expanded)) == len(expanded):
            return ()
        steps = (Step(Rule.EXPAND, subject, terms, expanded), *self.simplify(subject, expanded))
        gain = terms_cost(terms, subject.indices, self.sizes) - terms_cost(steps[-1].after, subject.indices, self.sizes)
        return steps if gain > 0 and length(steps[-1].after) <= length(terms) else ()


def is_multiple(section: Section) -> bool:
    """Whether a gradient is only a multiple of another tensor, not worth a name of its own."""
    terms = section.equation.terms
    return len(terms) == 1 and len(terms[0].powers) <= 1 and not terms[0].summed


def put_in(terms: Terms, equation: Equation) -> Terms | None:
    """The definition put in for its name; None if that is too long, or has sums where sums cannot stand."""
    if not equation.holds_in(terms):
        return None
    if not any(stands_elsewhere(equation.name, term) for term in terms):
        after = unfold_factors(terms, equation)
    elif any(term.summed for term in equation.terms):
        return None
    else:
        after = expand(tuple(unfold_everywhere(term, equation) for term in terms), TRIAL_LIMIT)
    return None if len(after) > TRIAL_LIMIT or length(after) > LENGTH_LIMIT else after


def entries_of(term: Term, name: str) -> Iterator[Base]:
    """Every factor of a term that is an entry of a tensor, or holds one."""
    return (base for base in term.bases if name in tensors_of(base))


def entries(terms: Terms) -> Collection[Access]:
    """Every tensor entry that the terms read."""
    return [entry for name in tensors_of(terms) for entry in accesses_of(terms, name)]
