"""Jacobians, second derivatives and products with them as blocks: how they are found, and which structure they have."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import chain, count, groupby, product

import sympy as sp

from indexcalc.algebra.renaming import substitute
from indexcalc.algebra.terms import Access, Delta, Index, Partial, Term, Terms, own_indices, tensors_of
from indexcalc.calculus.steps import Derivation, LocalDerivative, Order, Rule, Section, Step, Used
from indexcalc.cost.streams import divides
from indexcalc.notes.blocks import (
    Block,
    Display,
    Displays,
    Equality,
    Gradient,
    Heading,
    Items,
    Loss,
    Match,
    MatrixDisplays,
    Paragraph,
    Scalar,
    Span,
    Spans,
    Symbol,
)
from indexcalc.notes.differentiation import Local
from indexcalc.notes.matrix import Matrix, Whole, slice_of
from indexcalc.notes.matrix_form import NoMatrixFormError, convert
from indexcalc.notes.narration import steps_blocks, tensor_of
from indexcalc.notes.parts import Parts, named_parts
from indexcalc.notes.prose import listed, say, sentence_case
from indexcalc.notes.sections import boxed_result, forward_of, part_blocks
from indexcalc.notes.structure import common_deltas, entries_in, kinds_of, stored_entries
from indexcalc.notes.systems import tangent_intro, tangent_result
from indexcalc.problem import Kind
from indexcalc.program import Program


def order_blocks(derivation: Derivation) -> Iterator[Block]:
    """The derivations of all derivatives that are no gradients."""
    for along, group in groupby(derivation.orders, lambda order: order.result.along):
        if along:
            yield from along_blocks(derivation, tuple(group))
        else:
            for order in group:
                middle = order.result.kind is Kind.GAUSS_NEWTON
                yield from (middle_blocks if middle else total_blocks)(derivation, order)


def whole_of(order: Order, derivation: Derivation) -> Partial:
    """The derivative as one between whole tensors."""
    result = order.result
    name = result.of if result.kind is Kind.JACOBIAN else derivation.problem.gradient_names[result.of]
    return Partial(Access(name), Access(result.by[0]))


def total_blocks(derivation: Derivation, order: Order) -> Iterator[Block]:
    """A Jacobian or a second derivative: each local derivative, the result, its structure."""
    parts, section = named_parts(derivation), order.sections[-1]
    (path,) = section.paths
    *before, own = path.locals
    entry = section.equation.lhs
    key = "jacobian" if order.result.kind is Kind.JACOBIAN else "hessian"
    yield Heading(2, say(f"{key}.heading", whole=whole_of(order, derivation)))
    yield from author_says(order)
    names: dict[str, Span | list[Span]] = {"entry": entry, "derivative": own.partial, "loss": Loss()}
    yield Paragraph(say(f"{key}.intro", **names))
    yield Display(entry, (single(own.partial),), defines=True)
    if before:
        through = listed(Symbol(tensor_of(local.partial)) for local in before)
        target = Symbol(own.partial.wrt.tensor)
        read = tensors_of(order.program.definitions[tensor_of(own.partial)].terms)
        key = "total.through.also" if own.partial.wrt.tensor in read else "total.through"
        yield Paragraph(say(key, of=Symbol(tensor_of(own.partial)), target=target, through=through))
    for local in path.locals:
        if before:
            yield Heading(3, say("statistic.heading", statistic=Symbol(tensor_of(local.partial))))
        yield from local_derivative_blocks(local, parts, frozenset())
    blocks = [*steps_blocks(path.steps, parts), *array_blocks(section.steps, parts)]
    yield from boxed_result(blocks or [Paragraph(say("total.result"))], section)
    for array in order.sections[:-1]:
        if array.steps:
            yield from part_blocks(derivation, array)
    yield from structure_blocks(order)


def author_says(order: Order) -> Iterator[Block]:
    """The author's words about a derivative that is asked for."""
    if order.equation.doc:
        yield Paragraph((*sentence_case((order.equation.doc,)), "."))


def middle_blocks(derivation: Derivation, order: Order) -> Iterator[Block]:
    """The Gauss-Newton part: the derivatives that it is made of, then their product."""
    parts, section, result = named_parts(derivation), order.sections[-1], order.result
    left, within, right = section.paths
    entry, through = section.equation.lhs, Symbol(result.through)
    yield Heading(2, say("middle.heading", entry=Symbol(result.name)))
    yield from author_says(order)
    yield Paragraph(say("middle.intro", entry=entry, loss=Loss(), through=through))
    (start, *rest) = section.steps
    yield Display(entry, (start.after,), defines=True)
    same = left.locals[-1].partial.wrt.tensor == right.locals[-1].partial.wrt.tensor
    for path in (left, within) if same else (left, within, right):
        for local in path.locals:
            yield Heading(3, say("middle.part", partial=local.partial))
            yield from local_derivative_blocks(local, parts, frozenset())
    if same:
        yield Paragraph(say("middle.again", partial=right.locals[-1].partial))
        yield Display(right.locals[-1].partial, (right.locals[-1].result,))
    yield Heading(3, say("middle.product"))
    yield from boxed_result([*array_blocks(tuple(rest), parts)], section)
    for array in order.sections[:-1]:
        if array.steps:
            yield from part_blocks(derivation, array)
    yield from structure_blocks(order)


def array_blocks(steps: tuple[Step, ...], parts: Parts) -> Iterator[Block]:
    """The steps after which a derivative is made of arrays, each with what it stands for."""
    for step in steps:
        if step.rule is not Rule.NAME or not isinstance(step.detail, Used):
            yield from steps_blocks((step,), parts)
            continue
        definitions = tuple(parts[name].definition for name in step.detail.tensors)
        yield Paragraph(say("total.arrays"))
        yield Displays(definitions) if len(definitions) > 1 else definitions[0]
        yield Display(step.subject, (step.after,))


def single(partial: Partial) -> Terms:
    """A derivative as an expression."""
    return (Term(sp.S.One, ((partial, sp.S.One),)),)


def local_derivative_blocks(
    local: LocalDerivative, parts: Parts, held: frozenset[str] | None = None
) -> Iterator[Block]:
    """One derivative, step by step; where it goes through all that depends on the target, nothing is `held`."""
    yield from steps_blocks(local.steps, parts, Local(local.partial, forward_of(local), held))


def along_blocks(derivation: Derivation, orders: Sequence[Order]) -> Iterator[Block]:
    """Products with directions: the derivative along them of each tensor, forward through both passes."""
    parts, result = named_parts(derivation), orders[0].result
    directions = listed(Symbol(one.name) for one in result.along)
    key = "jacobian" if result.kind is Kind.JACOBIAN else "hessian"
    every: list[Span] = [Symbol(o.result.of) if key == "jacobian" else Gradient(Access(o.result.of)) for o in orders]
    yield Heading(2, say(f"{key}.product", of=listed(every), directions=directions))
    letter = letter_beside(derivation.problem.program)
    moved = [span for one in result.along for span in (", ", *moving(one.of, one.name, letter))][1:]
    results = listed(Symbol(order.result.name) for order in orders)
    start = Equality((Term(letter),), ())
    names: dict[str, Span | list[Span]] = {"of": listed(every), "result": results, "letter": Scalar(letter)}
    yield Paragraph(say(f"{key}.along", moved=moved, start=start, **names))
    sections = [section for order in orders for section in order.sections]
    for section in sections:
        if section.paths or not section.equation.terms:
            yield from tangent_blocks(derivation, section, parts)
        else:
            yield from part_blocks(derivation, section)


def letter_beside(program: Program) -> sp.Symbol:
    """How far tensors move along a direction: t, or another letter that is no name of the program."""
    numbered = (f"t{number}" for number in count(1))
    return sp.Symbol(next(name for name in chain("tusq", numbered) if name not in program.names), real=True)


def moving(tensor: str, direction: str, letter: sp.Symbol) -> tuple[Span, ...]:
    """``w to w + t s``: how a tensor moves."""
    start = Term(sp.S.One, ((Access(tensor), sp.S.One),))
    step = Term(letter, ((Access(direction), sp.S.One),))
    return Symbol(tensor), " to ", (start, step)


def tangent_blocks(derivation: Derivation, section: Section, parts: Parts) -> Iterator[Block]:
    """The derivative of one tensor along the directions."""
    equation = section.equation
    unknown = next((one for one in derivation.backward.unknowns if one.residual == equation.name), None)
    yield Heading(3, say("along.heading", entry=equation.lhs if unknown is None else unknown.tensor.entry))
    if unknown is not None:
        yield from tangent_intro(derivation, unknown)
    for path in section.paths:
        for local in path.locals:
            yield from local_derivative_blocks(local, parts)
    blocks = [*steps_blocks(section.steps, parts)]
    if unknown is not None:
        yield from blocks
        yield from tangent_result(equation)
        return
    yield from boxed_result(blocks or [Paragraph(say("along.zero"))], section)


def structure_blocks(order: Order) -> Iterator[Block]:
    """Where entries are zero, what each term is, how many numbers hold all entries, and the form with matrices."""
    equation = order.equation
    rows = order.rows
    if not equation.terms:
        yield Paragraph(say("structure.zero", entry=equation.lhs))
        return
    items: list[Spans] = []
    heading: list[Block] = [Heading(3, ("Structure",))]
    deltas = common_deltas(equation.terms)
    if deltas and not order.whole:
        kept = listed(delta.left for delta in deltas)
        matches = listed(Match(delta.left, delta.right) for delta in deltas)
        key = "structure.blocks" if len(deltas) == 1 else "structure.blocks.many"
        if len(deltas) == rows == len(equation.lhs.slots) - rows:
            key = "structure.all"
        heading.append(Paragraph(say(key, deltas=listed(deltas), matches=matches, indices=kept)))
    if not order.whole:
        kinds = {term: kinds_of(term, equation.lhs, rows, deltas) for term in equation.terms}
        if not deltas and len(kinds) > 1 and set(kinds.values()) == {"full"}:
            heading.append(Paragraph(say("structure.sum")))
            kinds = {}
        for term in kinds if len(deltas) < rows or not deltas else ():
            items.append(say(f"structure.{kinds[term]}", term=(without(term, deltas),)))
        stored, whole = stored_entries(order), entries_in(equation.slots)
        # Parts that take as much room as the whole are no reason to keep them.
        if not any(divides(whole, part) for part in sp.Add.make_args(stored)):
            items.append(say("structure.size", stored=Scalar(stored), whole=Scalar(whole)))
    if order.symmetries:
        identity = order.symmetries[0].identity
        items.append(say("structure.symmetric", identity=Equality(identity.left, identity.right)))
    if items:
        yield from heading
        yield Items(tuple(items))
    yield from matrix_of(order)


def without(term: Term, deltas: tuple[Delta, ...]) -> Term:
    """A term without the deltas that all terms share."""
    return Term(term.coeff, tuple(power for power in term.powers if power[0] not in deltas), term.summed)


def matrix_of(order: Order) -> Iterator[Block]:
    """The derivative between whole arrays; where it falls into blocks, one of them."""
    lhs, terms = order.equation.lhs, order.spelled
    deltas = common_deltas(terms)
    if order.whole or not terms or not all(delta.is_plain for delta in deltas):
        return  # a whole one stands among the equations of the backward pass
    ends = {index for delta in deltas for index in own_indices(delta)}
    last = set(lhs.indices[order.rows :])
    renamed = joined_to_first(deltas, lhs.indices)
    block = Access(lhs.tensor, tuple(renamed.get(slot, slot) for slot in lhs.indices))
    # A term may have either of two indices that a delta joins.
    found = block_form(block, substitute(tuple(without(term, deltas) for term in terms), renamed), ends, last)
    if found is not None:
        yield Paragraph(say("structure.matrix" if not found[0].fixed else "structure.matrix.block"))
        yield MatrixDisplays((found,))


def joined_to_first(deltas: Sequence[Delta], order: Sequence[Index]) -> dict[Index, Index]:
    """For every index that deltas join to one before it in some order, the first of them."""
    first: dict[Index, Index] = {}
    for delta in deltas:
        one, other = sorted((first.get(index, index) for index in own_indices(delta)), key=order.index)
        if one != other:
            first = {index: one if end == other else end for index, end in first.items()} | {other: one}
    return first


def block_form(
    block: Access, terms: Terms, fixed: Collection[Index], last: Collection[Index]
) -> tuple[Whole, Matrix] | None:
    """The matrix over one index of the rows and one of the columns, the others fixed; None without such a form."""
    free = [slot for slot in block.indices if slot not in fixed]
    for row, column in product([s for s in free if s not in last], [s for s in reversed(free) if s in last]):
        held = tuple(slot for slot in block.indices if slot not in (row, column))
        if len(free) > 2 and row.extent != column.extent:
            continue
        try:
            return slice_of(block.tensor, block.indices, held), convert(terms, (row, column), frozenset(held))
        except NoMatrixFormError:
            continue
    return None
