"""Statements to a `Problem`: one lowering for spec texts and for programs built in Python."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial

from indexcalc.algebra.slots import Index, slot_text
from indexcalc.algebra.terms import Access, Term, Terms, tensors_of
from indexcalc.consistency import check_numbers, check_program
from indexcalc.errors import LimitError, SpecError, UnsupportedError
from indexcalc.language.checks import check_equation_line, check_expression, check_left_side, check_piece
from indexcalc.language.comparisons import with_comparisons
from indexcalc.language.declarations import Declarations, check_new_tensor, declare, every_name
from indexcalc.language.expressions import Lowering
from indexcalc.language.hoist import SumNames
from indexcalc.language.lines import (
    ClaimLine,
    DerivativeLine,
    DeriveLine,
    EquationLine,
    NameLine,
    SplitLine,
    Statement,
    UseLine,
)
from indexcalc.language.matrices import with_matrices
from indexcalc.language.paths import shipped_text
from indexcalc.language.pieces import Pieces, check_defined, pieces_of
from indexcalc.language.ranges import check_ranges
from indexcalc.language.refine import refine
from indexcalc.language.scope import Scope
from indexcalc.language.source import Source, line_of
from indexcalc.language.spec_text import spec_text
from indexcalc.language.splits import read_splits
from indexcalc.language.syntax import At, Bracket, Entry, Expression, nodes_in
from indexcalc.language.systems import unknowns_of, with_residuals
from indexcalc.language.targets import check_results, read_requests
from indexcalc.language.use import Resolve, Uses
from indexcalc.problem import Problem
from indexcalc.program import Equation, Identity, Program, Tensor
from indexcalc.recurrence import Unordered, groups_of, is_recurrent, recurrence_of

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
    lines = tuple(statements)
    plain = uses.expand(lines, source)
    problem = lower_plain(plain, source, slug)
    elsewhere = resolve is not shipped_text or any(isinstance(line, UseLine) and line.is_path for line in lines)
    object.__setattr__(problem, "spec", printed(plain if elsewhere else lines))
    return problem


def printed(statements: tuple[Statement, ...]) -> str:
    """The statements as a spec text; nothing where there is none that could be read again."""
    try:
        return spec_text(statements)
    except (LimitError, UnsupportedError):
        return ""


def lower_plain(statements: tuple[Statement, ...], source: Source, slug: str) -> Problem:
    """The problem of statements without ``use`` lines."""
    lines = refine(with_residuals(with_matrices(with_comparisons(statements), source), source), source)
    found = declare(lines, source)
    names = SumNames(every_name(lines, found), asked=asked_names(lines))
    unknowns = unknowns_of(lines, found.inputs)
    solved = {unknown.name: unknown.residual for unknown in unknowns}
    equations = lower_equations([line for line in lines if isinstance(line, EquationLine)], found, names, solved)
    equations = names.without_unread(equations)
    program = Program(
        title=found.title if found.title is not None else slug,
        inputs=tuple(tensor for name, tensor in found.inputs.items() if name not in solved),
        equations=equations,
        outputs=(),
        indices=tuple(found.indices.values()),
        index_docs=found.index_docs,
        parameters=tuple(found.parameters.values()),
        layouts=found.layouts,
        unknowns=unknowns,
    )
    scope = replace(found.scope(), tensors=program.tensors)
    asked = read_requests(lines, program, scope, names.taken)
    results = (asked.loss,) if asked.loss is not None else tuple(up.of for up in asked.upstream)
    if asked.derivatives:
        # What nothing reads is asked for too: nothing else says why it is computed.
        computed = [equation.name for equation in equations if not equation.hoisted]
        last = (n for n in computed if n not in program.residuals.values() and not program.readers[n])
        results = tuple(dict.fromkeys((*results, *(derivative.of for derivative in asked.derivatives), *last)))
    program = replace(program, outputs=results)
    problem = Problem(
        program,
        asked.upstream,
        asked.targets,
        asked.loss,
        asked.names,
        recompute=asked.recompute,
        splits=read_splits([line for line in lines if isinstance(line, SplitLine)], scope),
        slug=slug,
        derivatives=asked.derivatives,
    )
    problem = with_claims(problem, [line for line in lines if isinstance(line, ClaimLine)], scope, names)
    with source.located(None):
        check_program(problem.program)
    check_results(lines, asked, source)
    return problem


def asked_names(lines: Iterable[Statement]) -> frozenset[str]:
    """The tensors whose gradients the author asks for, or gives a name."""
    derived = (slot.name for line in lines if isinstance(line, DeriveLine) for slot in line.names)
    named = (line.gradient.of for line in lines if isinstance(line, NameLine))
    others = (slot.name for line in lines if isinstance(line, DerivativeLine) for slot in (line.of, *line.by))
    return frozenset((*derived, *named, *others))


def lower_equations(
    lines: list[EquationLine], found: Declarations, names: SumNames, residuals: Mapping[str, str]
) -> tuple[Equation, ...]:
    """Every equation in order, each after the sums that got a name on its behalf; those of a system together."""
    source = found.source
    if not lines:
        raise source.error("there is no equation; write one such as Y[i] = exp(X[i])", last_place(source))
    if len(lines) > EQUATION_LIMIT:
        raise source.error(f"more than {EQUATION_LIMIT} equations", lines[EQUATION_LIMIT].at)
    tensors = dict(found.inputs)
    divided = frozenset(line.left.name for line in lines if line.is_piece)
    # Lines that define parts of one tensor stand together, where the last of them does.
    later = {line.left.name: line.at for line in reversed(lines)}
    later.update((line.left.name, line.at) for line in lines if line.left.name in divided)
    scope = replace(found.scope(), tensors=tensors, later=later, divided=divided)
    equations: list[Equation] = []
    parts: dict[str, Pieces] = {}
    named: list[Equation] = []
    for group in lines_by_tensor(lines):
        name, first = group[0].left.name, group[0]
        check_assigned_once(name, first.at, found)
        ahead = tensors_ahead(lines, scope) if any(map(may_read_ahead, group)) else {}
        inner = replace(scope, ahead=ahead)
        if any(line.is_piece for line in group):
            parts[name] = pieces_of(group, inner)
            lowered = lower_pieces(parts[name], inner, names, named)
        else:
            lowered = lower_equation(first, inner, names)
        for equation in lowered:
            tensors[equation.name] = Tensor(equation.name, equation.slots, equation.doc)
            equations.append(equation)
        found.add_layout(first.left)
    ends = {name: (one.axis, *one.ends(scope)) for name, one in parts.items()}
    under = {equation.name: equation for equation in named}
    check_defined(
        [under.get(equation.name, equation) for equation in equations],
        ends,
        {name: one.step for name, one in parts.items()},
    )
    return in_steps(tuple(equations), scope, residuals)


def lines_by_tensor(lines: list[EquationLine]) -> list[list[EquationLine]]:
    """The lines in order; those that define parts of one tensor together, where the last of them stands."""
    divided = {line.left.name for line in lines if line.is_piece}
    together = {name: [line for line in lines if line.left.name == name] for name in divided}
    groups = []
    for line in lines:
        name = line.left.name
        if name not in divided:
            groups.append([line])
        elif line is together[name][-1]:
            groups.append(together[name])
    return groups


def may_read_ahead(line: EquationLine) -> bool:
    """Whether a line may read steps of what later lines define: it reads places, or holds for some steps."""
    return line.is_piece or any(
        isinstance(node, Bracket)
        or (isinstance(node, Entry) and any(slot.expression is not None for slot in node.slots or ()))
        for node in nodes_in(line.right)
    )


def tensors_ahead(lines: list[EquationLine], scope: Scope) -> dict[str, Tensor]:
    """The tensors that lines define, by the left sides that have an index in each slot."""
    found: dict[str, Tensor] = {}
    for line in lines:
        slots = line.left.slots or ()
        if line.left.name not in found and all(slot.name in scope.indices for slot in slots):
            found[line.left.name] = Tensor(line.left.name, tuple(scope.index(slot) for slot in slots), line.doc)
    return found


def in_steps(equations: tuple[Equation, ...], scope: Scope, residuals: Mapping[str, str]) -> tuple[Equation, ...]:
    """The equations with those of a recurrence together, each after what it reads at its own step.

    Those of a system stand together as well, the residual at the end.

    Raises:
        SpecError: for the first equation that reads what is not defined before, at an earlier step or above.
    """
    order: list[Equation] = []
    by_name = {equation.name: equation for equation in equations}
    for block in groups_of(equations, residuals):
        # In a system, unknowns are given to what stands between them and the residuals.
        is_system = any(equation.name in residuals.values() for equation in block)
        for group in groups_of(block) if is_system else (block,):
            found = recurrence_of(group) if is_recurrent(group) else None
            if isinstance(found, Unordered):
                raise SpecError(unordered(found, by_name, scope), by_name[found.reader].place)
            order += [by_name[name] for name in (found.axes if found is not None else (group[0].name,))]
    if not residuals and len(order) == len(equations) and not any(map(is_recurrent, groups_of(equations))):
        places = {equation.name: number for number, equation in enumerate(equations)}
        for number, equation in enumerate(equations):
            late = [name for name in tensors_of(equation.terms) if places.get(name, -1) > number]
            if late:
                raise SpecError(scope.too_early(late[0]), equation.place)
        return equations
    return tuple(order)


def unordered(found: Unordered, by_name: Mapping[str, Equation], scope: Scope) -> str:
    """Why equations that read one another can't be computed step by step."""
    entry, reader = found.entry, by_name[found.reader]
    text = f"{entry.tensor}[{','.join(map(slot_text, entry.slots))}]"
    if entry.slots == reader.lhs.slots and entry.tensor == found.reader:
        return f"{entry.tensor} is read in its own definition, at the same step: {text}; read an earlier step, as t-1"
    others = ", ".join(name for name in found.names if name != found.reader)
    loop = f", and {others} reads {found.reader} in turn" if others else ""
    return (
        f"{text} is read for {found.reader}[{','.join(slot.name for slot in reader.slots)}]{loop}, but is not shown to "
        "come before it; a recurrence reads steps before its own, as t-1, with base cases at 0, or steps after it, "
        "as t+1, with base cases at the end; a bracket such as [s < t] says so for a sum over steps"
    )


def check_assigned_once(name: str, at: At | None, found: Declarations) -> None:
    """A tensor has one definition, and an input has none."""
    if name in found.inputs:
        where = line_of(found.places[name])
        if name in found.solved:
            raise found.source.error(f"{name} is determined by a system{where}; it has no equation besides", at)
        raise found.source.error(f"{name} is an input{where}; an equation defines a new tensor", at)
    if name in found.places:
        where = line_of(found.places[name])
        raise found.source.error(f"{name} is defined already{where}; each tensor is assigned once", at)
    found.places[name] = at
    check_new_tensor(name, at, found)


def lower_equation(line: EquationLine, scope: Scope, names: SumNames) -> tuple[Equation, ...]:
    """One line as its equation, with the equations of its named sums before it."""
    where = f"the system for {line.solves}" if line.solves else f"the equation of {line.left.name}"
    with scope.source.within(where), scope.source.located(line.at):
        check_left_side(line.left, scope)
        check_equation_line(line, scope)
        slots = tuple(scope.index(slot) for slot in line.left.slots or ())
        hoisted, terms = lower_side(line, slots, scope, names, lambda found: found)
    return with_sums(Equation(Access(line.left.name, slots), terms, line.doc), hoisted, line, scope, names)


def lower_pieces(parts: Pieces, scope: Scope, names: SumNames, named: list[Equation]) -> tuple[Equation, ...]:
    """The lines of one tensor as its equation, each under the brackets that say where it holds.

    Sums that get names stand without these brackets, since what reads them has them: outside they read zeros. `named`
    collects them with the brackets, under which they read what is defined.
    """
    hoisted: list[Equation] = []
    total: list[Term] = []
    last = parts.pieces[-1].line
    for piece in parts.pieces:
        line = piece.line
        with scope.source.within(f"the equation of {line.left.name}"), scope.source.located(line.at):
            check_piece(line, scope)
            slots = tuple(slot for slot in piece.held if isinstance(slot, Index))
            more, terms = lower_side(line, slots, scope, names, partial(parts.guarded, piece=piece))
            hoisted += more
            named += (replace(one, terms=parts.guarded(one.terms, piece)) for one in more)
            total += terms
    doc = next((piece.line.doc for piece in parts.pieces if piece.line.doc), "")
    equation = Equation(Access(last.left.name, parts.slots), tuple(total), doc)
    return with_sums(equation, tuple(hoisted), last, scope, names)


def lower_side(
    line: EquationLine, slots: tuple[Index, ...], scope: Scope, names: SumNames, guarded: Callable[[Terms], Terms]
) -> tuple[tuple[Equation, ...], Terms]:
    """The equations of the named sums of a right side, and its value, zero where the line does not hold."""
    names.order, names.owner = slots, line.solves or line.left.name
    lowering = Lowering(scope, names)
    terms = lowering.side(line.right)
    own = {slot.name for slot in slots}
    terms = guarded(tuple(lowering.apart(term, own) for term in terms))
    check_numbers(terms)
    place = None if line.at is None else scope.source.place(line.at)
    hoisted = tuple(replace(one, place=place) for one in names.take())
    for found in (*(guarded(one.terms) for one in hoisted), terms):
        check_ranges(found, {**scope.tensors, **scope.ahead}, scope, (line.right,))
    return hoisted, terms


def with_sums(
    equation: Equation, hoisted: tuple[Equation, ...], line: EquationLine, scope: Scope, names: SumNames
) -> tuple[Equation, ...]:
    """An equation after those of its named sums, with the place where it stands."""
    equation = replace(equation, hoisted=line.hoisted, place=None if line.at is None else scope.source.place(line.at))
    if equation.name not in names.asked and not line.solves:
        names.learn(equation)
    return (*hoisted, equation)


def with_claims(problem: Problem, lines: list[ClaimLine], scope: Scope, names: SumNames) -> Problem:
    """The problem with its assumptions and the identities to prove."""
    names.frozen = True
    for equation in problem.program.explicit.equations:
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
    place = None if line.at is None else scope.source.place(line.at)
    return Identity(left, right, line.doc, place, line.definite)


def claim_side(side: Expression, lowering: Lowering, scope: Scope) -> Terms:
    """One side of an identity; its free indices may differ from those of the other."""
    check_expression(side, scope)
    return lowering.side(side)


def last_place(source: Source) -> At | None:
    """The end of the text, if there is a text."""
    return At(len(source.lines), 1) if source.lines else None
