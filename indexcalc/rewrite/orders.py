"""Jacobians, second derivatives and their products, with their structure: derivations like those of gradients.

A derivative of one tensor by another goes through all that stands between them; the second derivative of a loss is that
of its gradient, in the program of both passes. What is left of the deltas says where entries are zero, so it stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

import sympy as sp

from indexcalc.algebra.build import expand
from indexcalc.algebra.canonical import same
from indexcalc.algebra.factor import factor, factor_in_parts
from indexcalc.algebra.renaming import fresh_indices
from indexcalc.algebra.terms import Access, Add, Index, Term, Terms, free_indices
from indexcalc.calculus.adjoint import nomenclature
from indexcalc.calculus.along import tangent_sections
from indexcalc.calculus.contract import contract
from indexcalc.calculus.differentiate import Wanted, insert, local_derivative
from indexcalc.calculus.relabel import other_indices, relabel
from indexcalc.calculus.statistics import reachable, reaching
from indexcalc.calculus.steps import Derivation, LocalDerivative, Order, Path, Proof, Rule, Section, Step
from indexcalc.consistency import check_program
from indexcalc.errors import LimitError, ProgramError
from indexcalc.problem import Kind, Problem, Result, Upstream
from indexcalc.program import Equation, Program, Tensor
from indexcalc.rewrite.adjoints import symmetric_inverses
from indexcalc.rewrite.backward import backward_program, joined
from indexcalc.rewrite.compact import compacted, in_reading_order, is_one_array
from indexcalc.rewrite.cost import live_equations
from indexcalc.rewrite.naming import PartNaming, extended
from indexcalc.rewrite.support import with_needed_brackets
from indexcalc.rewrite.symmetry import Symmetries, is_kept, symmetry_proof
from indexcalc.rewrite.tidy import Simplifier

ENTRY_LIMIT = 60
"""The most terms of a derivative kept in parts, multiplied out."""


def with_orders(first: Derivation, alone: Sequence[Derivation], problem: Problem) -> Derivation:
    """The derivation of the gradients with the other derivatives that are asked for.

    Args:
        first: of all gradients.
        alone: of those that second derivatives start from, in programs in which these tensors are inputs.
        problem: what is asked.

    Raises:
        LimitError: if a derivative has too many terms.
        ProgramError: if a gradient among others is written with what the tensor was computed from.
    """
    if any(name in problem.program.definitions for name in problem.second):
        for one in alone:
            if any(name in problem.program.definitions for name in one.problem.targets):
                check_agreement(first, one)
    maker = Maker(problem, joined(replace(first, problem=problem)))
    maker.taken |= {section.equation.name for section in first.sections}
    orders: list[Order] = []
    for _, results in groupby(problem.results, lambda one: one.along):
        orders.extend(maker.orders(tuple(results)))
    sections = (*first.sections, *(section for order in orders for section in order.sections))
    names = tuple(dict.fromkeys(name for order in orders for name in order.arrays))
    unknowns = tuple(unknown for order in orders for unknown in order.unknowns)
    backward = backward_program(problem, sections, names, unknowns)
    check_program(backward)
    return replace(first, problem=problem, sections=sections, backward=backward, orders=tuple(orders))


def check_agreement(first: Derivation, alone: Derivation) -> None:
    """Reject a gradient that other gradients have changed: it may read what its tensor was computed from."""
    found = first.backward.definitions
    for equation in alone.derived:
        own = found.get(equation.name)
        if own is None or not same(own.terms, equation.terms):
            names = ", ".join(alone.problem.targets)
            raise ProgramError(
                f"the gradient by {names} takes another form beside the gradients asked for; "
                "ask for these and for the second derivative in specs of their own"
            )


class Maker:
    """What all derivatives of one problem share: the program of both passes, and the names that are taken."""

    def __init__(self, problem: Problem, program: Program) -> None:
        self.problem = problem
        self.program = program
        given = problem.handed
        self.taken = {*program.names, *(result.name for result in problem.results), *(one.name for one in given)}
        self.simplifier = Simplifier(program.explicit, symmetric_inverses(program))

    def orders(self, results: tuple[Result, ...]) -> tuple[Order, ...]:
        """Derivatives with the same directions, or without."""
        if results[0].along:
            return self.products(results)
        return tuple(self.middle(one) if one.kind is Kind.GAUSS_NEWTON else self.block(one) for one in results)

    def differentiated(self, result: Result) -> str:
        """The tensor of the program whose derivative it is: for a second derivative, a gradient."""
        return self.problem.gradient_names[result.of] if result.kind is Kind.HESSIAN else result.of

    def block(self, result: Result) -> Order:
        """The derivative of a tensor by one other, in the parts that are not zero."""
        name, (wrt_name,) = self.differentiated(result), result.by
        rows = self.program.tensors[name].slots
        columns = other_indices(self.program.tensors[wrt_name].slots, rows, self.program)
        wrt = Access(wrt_name, columns)
        entry = Access(result.name, (*rows, *columns))
        found = self.total_derivative(Access(name, rows), wrt)
        section = self.opened(entry, found, result)
        return self.kept_in_parts(result, section, section.paths[0].result, rows)

    def kept_in_parts(self, result: Result, section: Section, spelled: Terms, rows: Sequence[Index]) -> Order:
        """A derivative with its arrays named, and its symmetry."""
        entry = section.equation.lhs
        order = nomenclature(Problem(self.with_directions(), (), ()))
        section, arrays = compacted(section, rows, self.taken, self.simplifier, order)
        naming = self.naming(arrays)
        arrays = tuple(self.finished(array, naming) for array in naming.run(arrays))
        if not arrays and is_one_array(section.equation, self.simplifier):
            section = self.finished(section, naming)
        whole = not arrays and is_one_array(section.equation, self.simplifier)
        proofs = self.transposed(Equation(entry, spelled), len(rows), self.simplifier.symmetries)
        statistics = frozenset(self.program.definitions)
        sections = (*arrays, section)
        return Order(result, self.program, sections, section.equation, whole, len(rows), statistics, proofs, spelled)

    def middle(self, result: Result) -> Order:
        """The Gauss-Newton part: ``sum_ab dz_a/dw_f d2L/dz_a dz_b dz_b/dw_e``."""
        program, through, (by,) = self.program, result.through, result.by
        rows = program.tensors[result.of].slots
        columns = other_indices(program.tensors[by].slots, rows, program)
        slots = program.tensors[through].slots
        used = {*self.taken, *(index.name for index in (*rows, *columns))}
        first = fresh_indices(slots, used)
        second = fresh_indices(slots, used | {index.name for index in first})
        gradient = self.problem.gradient_names[through]
        left = self.total_derivative(Access(through, first), Access(result.of, rows))
        within = self.total_derivative(Access(gradient, first), Access(through, second))
        right = self.total_derivative(Access(through, second), Access(by, columns))
        factors = [found[-1] for found in (left, within, right)]
        entry = Access(result.name, (*rows, *columns))
        here = (Term(sp.S.One, ((entry, sp.S.One),)),)
        powers = tuple((one.partial, sp.S.One) for one in factors)
        chain: Terms = (Term(sp.S.One, powers, (*first, *second)),)
        terms = chain
        for one in factors:
            terms = insert(terms, one.partial, one.result)
        steps = [Step(Rule.GAUSS_NEWTON, entry, here, chain), Step(Rule.SUBSTITUTE, entry, chain, terms)]
        steps.extend(contract(entry, terms))
        steps.extend(self.simplifier(entry, steps[-1].after))
        if not is_one_array(Equation(entry, steps[-1].after), self.simplifier):
            terms = expand(steps[-1].after, ENTRY_LIMIT)
            if terms != steps[-1].after:
                steps.append(Step(Rule.EXPAND, entry, steps[-1].after, terms))
                steps.extend(self.simplifier(entry, terms))
        paths = tuple(Path(found[-1].partial.wrt, found, (), found[-1].result) for found in (left, within, right))
        section = Section(Equation(entry, steps[-1].after, said_of(result)), None, paths, tuple(steps))
        return self.kept_in_parts(result, section, steps[-1].after, rows)

    def total_derivative(self, entry: Access, wrt: Access) -> tuple[LocalDerivative, ...]:
        """``d entry / d wrt`` through all tensors between them: theirs first, that of the entry last."""
        avoid = frozenset(self.taken) | {slot.name for slot in (*entry.indices, *wrt.indices)}
        between = reachable(self.program, {wrt.tensor}) & reaching(self.program, {entry.tensor})
        known: dict[str, LocalDerivative] = {}
        for equation in self.program.equations:
            if equation.name in between and equation.name not in (entry.tensor, wrt.tensor):
                inner = Access(equation.name, fresh_indices(equation.slots, avoid))
                wanted = Wanted(wrt, dict(known), avoid | {slot.name for slot in inner.indices})
                known[equation.name] = local_derivative(equation, inner, wanted, self.simplifier)
        own = local_derivative(
            self.program.definitions[entry.tensor], entry, Wanted(wrt, known, avoid), self.simplifier
        )
        return (*known.values(), own)

    def opened(self, entry: Access, found: tuple[LocalDerivative, ...], result: Result) -> Section:
        """The section of a derivative, multiplied out where its terms have different deltas."""
        *_, own = found
        assert isinstance(own.partial.base, Access)
        steps = []
        if is_one_array(Equation(entry, own.result), self.simplifier):
            path = Path(own.partial.base, found, (), own.result)
            return Section(Equation(entry, own.result, said_of(result)), None, (path,), ())
        try:
            terms = expand(own.result, ENTRY_LIMIT)
        except LimitError:
            raise LimitError(
                f"the derivative of {own.partial.base.tensor} by {own.partial.wrt.tensor} has more than {ENTRY_LIMIT} "
                "terms, multiplied out; ask for a product with it, or for the derivative by a tensor between them"
            ) from None
        if terms != own.result:
            steps.append(Step(Rule.EXPAND, own.partial, own.result, terms))
            steps.extend(self.simplifier(own.partial, terms))
        terms = steps[-1].after if steps else terms
        path = Path(own.partial.base, found, tuple(steps), terms)
        return Section(Equation(entry, terms, said_of(result)), None, (path,), ())

    def products(self, results: Sequence[Result]) -> tuple[Order, ...]:
        """Products with the same directions: derivatives along them, forward through both passes."""
        asked = tuple(Upstream(one.name, self.differentiated(one)) for one in results)
        problem = Problem(self.program, asked, results[0].by)
        directions = {one.of: one.name for one in results[0].along}
        found = tangent_sections(problem, directions, self.taken, self.simplifier)
        systems = {one.name: one.residual for one in found.unknowns}
        self.taken |= {*systems, *(section.equation.name for section in found.sections)}
        naming = self.naming(found.sections, frozenset(systems.values()))
        named = with_needed_brackets(naming.run(found.sections))
        left = {section.equation.name: self.finished(section, naming) for section in named}
        places = {name: place for place, name in enumerate(left)}
        orders = []
        for result in sorted(results, key=lambda one: places[one.name]):
            # What stands below a result may be read by it: a recurrence, or a system, has several tensors.
            equations = [section.equation for section in left.values()]
            live = [one.name for one in live_equations(equations, (result.name,), systems) if one.name != result.name]
            own = (*(left.pop(name) for name in live), left.pop(result.name))
            unknowns = tuple(one for one in found.unknowns if one.residual in live)
            equation, program = own[-1].equation, self.with_directions()
            rows = len(equation.lhs.slots)
            orders.append(Order(result, program, own, equation, True, rows, found.statistics, unknowns=unknowns))
        return tuple(orders)

    def with_directions(self) -> Program:
        """The program with directions as further inputs."""
        tensors = self.program.tensors
        given = (Tensor(one.name, tensors[one.of].slots, one.doc) for one in self.problem.directions)
        return replace(self.program, inputs=(*self.program.inputs, *given))

    def naming(self, sections: Sequence[Section], residuals: frozenset[str] = frozenset()) -> PartNaming:
        """The pass that names narrow parts; not those of systems, of which the `residuals` are."""
        own = {section.equation.name for section in sections}
        problem = Problem(self.with_directions(), (), ())
        return PartNaming(problem, self.simplifier, frozenset(self.taken | own), residuals)

    def finished(self, section: Section, naming: PartNaming) -> Section:
        """The section with authors' names for its dummies and common factors taken out."""
        self.taken.add(section.equation.name)
        lhs = section.equation.lhs
        steps = relabel(lhs, section.equation.terms, naming.order)
        section = extended(section, *(replace(step, after=in_reading_order(lhs, step.after)) for step in steps))
        terms = factor(section.equation.terms, symbolic=True)
        # Sums stay apart where each is a product of matrices; the sum of their summands is none.
        if sum(bool(term.summed) for term in section.equation.terms) > 1:
            # A coefficient that all share joins products of different matrices; their parts alone do not.
            tried = (factor_in_parts(one, symbolic=True) for one in (terms, section.equation.terms))
            fewer = (one for one in tried if len(one) < len(section.equation.terms) and all(map(is_weighted, one)))
            terms = next(fewer, section.equation.terms)
        if terms != section.equation.terms:
            section = extended(section, Step(Rule.FACTOR, lhs, section.equation.terms, terms))
        return section

    def transposed(self, equation: Equation, rows: int, known: Symmetries) -> tuple[Proof, ...]:
        """The proof that rows and columns may change places, if they may."""
        slots = equation.slots
        order = (*range(rows, len(slots)), *range(rows))
        fits = 2 * rows == len(slots) and rows > 0
        if not fits or any(slots[a].extent != slots[b].extent for a, b in enumerate(order)):
            return ()
        if not is_kept(equation, order, known):
            return ()
        symmetric = known.extended(equation.lhs, (order,))
        return (symmetry_proof(equation, symmetric.identity(equation.name, order)),)


def is_weighted(term: Term) -> bool:
    """Whether each sum of arrays in a term is a weight of another factor: it has no index that this factor lacks.

    So ``sum[n] (p_n - p_n^2) X_nf X_ng`` is one product of matrices still.
    """
    if not term.summed:
        return True
    arrays = [frozenset(free_indices(base)) for base in term.bases if isinstance(base, Access)]
    sums = [frozenset(free_indices(base.terms)) for base in term.bases if isinstance(base, Add)]
    return all(any(one <= array for array in arrays) for one in sums)


def said_of(result: Result) -> str:
    """What a derivative is, in a few words."""
    (by,) = result.by
    if result.kind is Kind.JACOBIAN:
        return f"derivative of {result.of} by {by}"
    if result.kind is Kind.GAUSS_NEWTON:
        return (
            f"Gauss-Newton part of the second derivative of the loss by {result.of} and {by}, through {result.through}"
        )
    return f"second derivative of the loss by {result.of} and {by}"
