"""Named parts across a whole backward pass: each narrow part named once, in its cheapest form, and reused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from indexcalc.algebra.canonical import collect
from indexcalc.algebra.terms import Index, tensors_of
from indexcalc.calculus.adjoint import nomenclature
from indexcalc.calculus.relabel import Nomenclature
from indexcalc.calculus.steps import Rule, Section, Step, Used
from indexcalc.problem import Problem
from indexcalc.program import Equation
from indexcalc.rewrite.cost import Sizes, nominal_sizes
from indexcalc.rewrite.normal import unfold_factors
from indexcalc.rewrite.parts import PartNames, name_parts, refold, shared_sums, sums_without_brackets
from indexcalc.rewrite.rules import RuleBook, SumRule, apply_rules, fold_rule
from indexcalc.rewrite.search import Effort, Moves
from indexcalc.rewrite.tidy import Simplifier


def nothing(section: Section) -> Sequence[Section]:
    """No sections come before."""
    return ()


@dataclass(frozen=True)
class PartNaming:
    """The pass that names parts: what it knows of the problem and of the forward pass.

    Attributes:
        problem: what is asked.
        simplifier: what the forward pass knows.
        reserved: further names that are taken.
        residuals: the equations of further systems.
    """

    problem: Problem
    simplifier: Simplifier
    reserved: frozenset[str] = frozenset()
    residuals: frozenset[str] = frozenset()

    def run(
        self, sections: Sequence[Section], before: Callable[[Section], Sequence[Section]] = nothing
    ) -> tuple[Section, ...]:
        """Every section preceded by those of its narrow parts, each part in its cheapest form.

        Args:
            sections: the sections to work on, in order.
            before: those of all sections that come before one, if `sections` are some of them; a part may
                use their equations.
        """
        order = self.order
        everywhere = sums_without_brackets(section.equation for section in sections)
        names = PartNames(set(self.taken_names), self.slots, everywhere)
        done: list[Section] = []
        named: list[SumRule] = []
        shared = shared_sums(section.equation for section in sections)
        sums = self.residuals | frozenset(self.problem.stationary.values())
        for original in sections:
            if original.equation.name in sums:
                # A system is read as it stands.
                done.append(original)
                continue
            section = with_folds(original, named)
            parts, step = name_parts(section.equation, names, order, shared)
            if step is not None:
                moves = self.moves((*before(section), *done))
                refolded = [refold(part, moves, order, self.effort) for part in parts]
                named.extend(rule for part in refolded for rule in self.rules_of(part))
                done.extend(refolded)
                section = without_trivial_parts(extended(section, step), done)
            done.append(section)
        return tuple(done)

    @cached_property
    def effort(self) -> Effort:
        """What is left of the effort for searches."""
        return Effort.of(len(self.problem.program.equations))

    @cached_property
    def order(self) -> Nomenclature:
        """The author's names for dummies."""
        return nomenclature(self.problem)

    @cached_property
    def taken_names(self) -> frozenset[str]:
        """The names that a part must not take: tensors, gradients, indices, extents, parameters."""
        program = self.problem.program
        scalars = (*program.extents, *(parameter.symbol for parameter in program.parameters))
        return self.reserved | frozenset(self.order.slots) | program.index_names | {str(symbol) for symbol in scalars}

    @cached_property
    def slots(self) -> dict[str, tuple[Index, ...]]:
        """The slots of every tensor that is given or computed forward, and of its gradient."""
        forward = {name: tensor.slots for name, tensor in self.problem.program.tensors.items()}
        given = {up.name: forward[up.of] for up in self.problem.handed}
        backward = {name: forward[of] for of, name in self.problem.gradient_names.items()}
        return {**backward, **given, **forward}

    @cached_property
    def sizes(self) -> Sizes:
        """Nominal sizes for the cost."""
        return nominal_sizes(self.problem.program)

    def rules_of(self, section: Section) -> tuple[SumRule, ...]:
        """The equation of a section as a rule from its sum to its name, if it is one sum."""
        # By identity: a pass asks for the rules of all earlier sections for each one that it works on.
        known = self.memory.get(id(section))
        if known is None:
            rule = fold_rule(section.equation)
            known = self.memory[id(section)] = (section, () if rule is None else (rule,))
        return known[1]

    @cached_property
    def memory(self) -> dict[int, tuple[Section, tuple[SumRule, ...]]]:
        """The rules of sections, each with its section, so that no other one takes its identity."""
        return {}

    def moves(self, earlier: Sequence[Section]) -> Moves:
        """What the search for a part's cheapest form may use, given the sections before it."""
        program = self.problem.program.explicit
        folds = tuple(rule for section in earlier for rule in self.rules_of(section))
        gradients = {section.equation.name: section.equation for section in earlier}
        inner = frozenset(name for name in program.definitions if name not in program.outputs)
        return Moves(
            {**program.definitions, **gradients},
            (*self.simplifier.rules, *folds),
            self.sizes,
            inner | frozenset(gradients),
        )


def with_folds(section: Section, rules: Sequence[SumRule]) -> Section:
    """The section with the parts that others named put in where their sums stand, all of them in one step."""
    before = terms = section.equation.terms
    names: list[str] = []
    for rule in RuleBook(tuple(rules)).relevant(before):
        terms, used = apply_rules(terms, (rule,))
        if used:
            names.append(rule.name)
    if not names:
        return section
    return extended(section, Step(Rule.FOLD, section.equation.lhs, before, terms, Used(tuple(names))))


def without_trivial_parts(section: Section, earlier: Sequence[Section]) -> Section:
    """The section with those parts put back that turned out to be a constant, or a multiple of another tensor."""
    read = tensors_of(section.equation.terms)
    for part in earlier:
        terms = part.equation.terms
        if part.target is None and part.equation.name in read and len(terms) <= 1 and not any(t.summed for t in terms):
            before = section.equation.terms
            after = collect(unfold_factors(before, part.equation))
            used = Used((part.equation.name,))
            section = extended(section, Step(Rule.UNFOLD, section.equation.lhs, before, after, used))
    return section


def extended(section: Section, *steps: Step) -> Section:
    """The section with more steps at its end."""
    if not steps:
        return section
    equation = Equation(section.equation.lhs, steps[-1].after, section.equation.doc)
    return Section(equation, section.target, section.paths, (*section.steps, *steps))
