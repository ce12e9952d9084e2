"""Statements to a `Problem`: one lowering for spec texts and for programs built in Python."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from indexcalc.algebra.terms import Access, Terms
from indexcalc.language.checks import check_equation_line, check_expression, check_left_side
from indexcalc.language.declarations import Declarations, check_new_tensor, declare, every_name
from indexcalc.language.expressions import Lowering
from indexcalc.language.hoist import SumNames
from indexcalc.language.lines import ClaimLine, DerivativeLine, DeriveLine, EquationLine, NameLine, Statement
from indexcalc.language.paths import shipped_text
from indexcalc.language.ranges import check_ranges
from indexcalc.language.refine import refine
from indexcalc.language.scope import Scope
from indexcalc.language.source import Source, line_of
from indexcalc.language.syntax import At, Expression
from indexcalc.language.targets import read_requests
from indexcalc.language.use import Resolve, Uses
from indexcalc.problem import Problem
from indexcalc.program import Equation, Identity, Program, Tensor, check_numbers, check_program

EQUATION_LIMIT = 2_000
"""The most equations of one program."""


def lower(statements: Iterable[Statement], source: Source, slug: str, resolve: Resolve = shipped_text) -> Problem:
    """The problem that the statements pose.

    Args:
        statements: what the author wrote.
        source: the text it stands in, for errors.
        slug: the short name of the derivation.
        resolve: finds the specs that are used by name.

    Raises:
        SpecError: for the first mistake, at its place.
    """
    uses = Uses(resolve, lambda lines, inner: lower_plain(lines, inner, slug))
    return lower_plain(uses.expand(tuple(statements), source), source, slug)


def lower_plain(statements: tuple[Statement, ...], source: Source, slug: str) -> Problem:
    """The problem of statements without ``use`` lines."""
    lines = refine(statements, source)
    found = declare(lines, source)
    names = SumNames(every_name(lines, found), asked=asked_names(lines))
    equations = lower_equations([line for line in lines if isinstance(line, EquationLine)], found, names)
    equations = names.without_unread(equations)
    program = Program(
        title=found.title if found.title is not None else slug,
        inputs=tuple(found.inputs.values()),
        equations=equations,
        outputs=(),
        indices=tuple(found.indices.values()),
        index_docs=found.index_docs,
        parameters=tuple(found.parameters.values()),
        layouts=found.layouts,
    )
    scope = replace(found.scope(), tensors=program.tensors)
    asked = read_requests(lines, program, scope, names.taken)
    results = (asked.loss,) if asked.loss is not None else tuple(up.of for up in asked.upstream)
    if asked.derivatives:
        # What nothing reads is asked for too: nothing else says why it is computed.
        last = (eq.name for eq in equations if not eq.hoisted and not program.consumers[eq.name])
        results = tuple(dict.fromkeys((*results, *(derivative.of for derivative in asked.derivatives), *last)))
    program = replace(program, outputs=results)
    problem = Problem(
        program,
        asked.upstream,
        asked.targets,
        asked.loss,
        asked.names,
        recompute=asked.recompute,
        slug=slug,
        derivatives=asked.derivatives,
    )
    problem = with_claims(problem, [line for line in lines if isinstance(line, ClaimLine)], scope, names)
    with source.located(None):
        check_program(problem.program)
    return problem


def asked_names(lines: Iterable[Statement]) -> frozenset[str]:
    """The tensors whose gradients the author asks for, or gives a name."""
    derived = (slot.name for line in lines if isinstance(line, DeriveLine) for slot in line.names)
    named = (line.gradient.of for line in lines if isinstance(line, NameLine))
    others = (slot.name for line in lines if isinstance(line, DerivativeLine) for slot in (line.of, *line.by))
    return frozenset((*derived, *named, *others))


def lower_equations(lines: list[EquationLine], found: Declarations, names: SumNames) -> tuple[Equation, ...]:
    """Every equation in order, each after the sums that got a name on its behalf."""
    source = found.source
    if not lines:
        raise source.error("there is no equation; write one such as Y[i] = exp(X[i])", last_place(source))
    if len(lines) > EQUATION_LIMIT:
        raise source.error(f"more than {EQUATION_LIMIT} equations", lines[EQUATION_LIMIT].at)
    tensors = dict(found.inputs)
    later = {line.left.name: line.at for line in reversed(lines)}
    scope = replace(found.scope(), tensors=tensors, later=later)
    equations: list[Equation] = []
    for line in lines:
        name = line.left.name
        check_assigned_once(name, line.at, found)
        for equation in lower_equation(line, scope, names):
            tensors[equation.name] = Tensor(equation.name, equation.slots, equation.doc)
            equations.append(equation)
        found.add_layout(line.left)
    return tuple(equations)


def check_assigned_once(name: str, at: At | None, found: Declarations) -> None:
    """A tensor has one definition, and an input has none."""
    if name in found.inputs:
        where = line_of(found.places[name])
        raise found.source.error(f"{name} is an input{where}; an equation defines a new tensor", at)
    if name in found.places:
        where = line_of(found.places[name])
        raise found.source.error(f"{name} is defined already{where}; each tensor is assigned once", at)
    found.places[name] = at
    check_new_tensor(name, at, found)


def lower_equation(line: EquationLine, scope: Scope, names: SumNames) -> tuple[Equation, ...]:
    """One line as its equation, with the equations of its named sums before it."""
    with scope.source.within(f"the equation of {line.left.name}"), scope.source.located(line.at):
        check_left_side(line.left, scope)
        check_equation_line(line, scope)
        slots = tuple(scope.index(slot) for slot in line.left.slots or ())
        names.order, names.owner = slots, line.left.name
        lowering = Lowering(scope, names)
        terms = lowering.side(line.right)
        own = {slot.name for slot in slots}
        terms = tuple(lowering.apart(term, own) for term in terms)
        check_numbers(terms)
        hoisted = names.take()
        for found in (*(one.terms for one in hoisted), terms):
            check_ranges(found, scope.tensors, scope, (line.right,))
    place = None if line.at is None else scope.source.place(line.at)
    equation = Equation(Access(line.left.name, slots), terms, line.doc, place=place)
    hoisted = tuple(replace(one, place=place) for one in hoisted)
    if equation.name not in names.asked:
        names.learn(equation)
    return (*hoisted, equation)


def with_claims(problem: Problem, lines: list[ClaimLine], scope: Scope, names: SumNames) -> Problem:
    """The problem with its assumptions and the identities to prove."""
    names.frozen = True
    for equation in problem.program.equations:
        names.learn(equation)
    assumed = tuple(lower_claim(line, scope, names) for line in lines if line.assumed)
    gradients = problem.gradient_names
    tensors, layouts = dict(scope.tensors), dict(scope.layouts)
    for tensor, name in (*((up.of, up.name) for up in problem.upstream), *problem.names.items()):
        tensors[name] = Tensor(name, scope.tensors[tensor].slots)
        if tensor in layouts:
            layouts[name] = layouts[tensor]
    proving = replace(scope, tensors=tensors, layouts=layouts, gradients=gradients)
    claims = tuple(lower_claim(line, proving, names) for line in lines if not line.assumed)
    return replace(problem, program=replace(problem.program, assumptions=assumed), claims=claims)


def lower_claim(line: ClaimLine, scope: Scope, names: SumNames) -> Identity:
    """Both sides of an identity, for all values of their free indices."""
    word = "assume" if line.assumed else "prove"
    with scope.source.within(f"{word} {line.doc or 'without a text'}"), scope.source.located(line.at):
        lowering = Lowering(scope, names)
        left, right = (claim_side(side, lowering, scope) for side in (line.left, line.right))
        check_ranges((*left, *right), scope.tensors, scope, (line.left, line.right))
    return Identity(left, right, line.doc, None if line.at is None else scope.source.place(line.at))


def claim_side(side: Expression, lowering: Lowering, scope: Scope) -> Terms:
    """One side of an identity; its free indices may differ from those of the other."""
    check_expression(side, scope)
    return lowering.side(side)


def last_place(source: Source) -> At | None:
    """The end of the text, if there is a text."""
    return At(len(source.lines), 1) if source.lines else None
