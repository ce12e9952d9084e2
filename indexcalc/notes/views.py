"""Further views of a backward pass: row by row, one entry in one formula, what to store."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

import sympy as sp

from indexcalc.algebra.build import power
from indexcalc.algebra.canonical import collect
from indexcalc.algebra.factor import factor
from indexcalc.algebra.terms import Terms, tensors_of, walk
from indexcalc.calculus.adjoint import nomenclature
from indexcalc.calculus.relabel import relabel
from indexcalc.calculus.steps import Derivation
from indexcalc.cost.streams import extent_product
from indexcalc.errors import LimitError
from indexcalc.notes.blocks import (
    Block,
    Display,
    Heading,
    MatrixDisplays,
    Order,
    Paragraph,
    Scalar,
    Span,
    Spans,
    Symbol,
    Table,
)
from indexcalc.notes.cost import dominant, equation_cost
from indexcalc.notes.matrix import Matrix, Whole, slice_of
from indexcalc.notes.matrix_form import NoMatrixFormError, convert
from indexcalc.notes.prose import listed, say
from indexcalc.program import BlockedLoop, Equation, Program
from indexcalc.rewrite.normal import unfold_factors

FACTOR_LIMIT = 24
"""The most factors, at all depths, of an entry that is written in one formula."""

FEW = 4
"""The most readers of a tensor that are listed."""

VIEWS = ("rows", "entries")
"""The views of single gradients that may be asked for."""


def view_blocks(derivation: Derivation, views: Collection[str] = ()) -> Iterator[Block]:
    """Rows and entries of gradients: those that a named part ties together, or all where a view is asked for."""
    gradients = [eq for eq in derivation.derived if eq.name in derivation.gradients]
    tied = [equation for equation in gradients if reads_part(equation, derivation)]
    rows = [(eq, form) for eq in (gradients if "rows" in views else tied) if (form := row_form(eq)) is not None]
    if rows:
        yield Heading(2, ("Row by row",))
        yield Paragraph(say("rows"))
        yield MatrixDisplays(tuple(form for _, form in rows))
    entries = [
        (eq, terms)
        for eq in (gradients if "entries" in views else tied)
        if (terms := in_one_formula(eq, derivation)) is not None
    ]
    if entries:
        yield Heading(2, ("One entry in one formula",))
        yield Paragraph(say("entries"))
        for equation, terms in entries:
            yield Display(equation.lhs, (terms,), spelled=True)


def reads_part(equation: Equation, derivation: Derivation) -> bool:
    """Whether an entry-by-entry equation reads a part that was named, such as the inner product of a row."""
    parts = {eq.name for eq in derivation.derived} - set(derivation.gradients)
    return not any(term.summed for term in equation.terms) and bool(parts & set(tensors_of(equation.terms)))


def row_form(equation: Equation) -> tuple[Whole, Matrix] | None:
    """The equation with all slots but the last one fixed, between column vectors; None where there is no such form."""
    slots = equation.slots
    if len(slots) < 2:
        return None
    fixed = slots[:-1]
    try:
        return slice_of(equation.name, slots, fixed), convert(equation.terms, slots[-1:], frozenset(fixed))
    except NoMatrixFormError:
        return None


def in_one_formula(equation: Equation, derivation: Derivation) -> Terms | None:
    """One entry from forward tensors and given gradients alone; None if nothing changes, or it grows too long."""
    terms = equation.terms
    try:
        for definition in reversed(derivation.derived):
            if definition.name in tensors_of(terms):
                # Only parentheses that hold the name are multiplied out.
                terms = collect(unfold_factors(terms, in_one_term(definition)))
                # What is too long already is only made longer by what is put in next.
                if len(terms) > FACTOR_LIMIT:
                    return None
    except LimitError:
        return None
    made = {equation.name for equation in derivation.derived}
    if set(tensors_of(terms)) & {*made, *(unknown.name for unknown in derivation.backward.unknowns)}:
        return None
    steps = relabel(equation.lhs, terms, nomenclature(derivation.problem))
    terms = factor(steps[-1].after if steps else terms)
    return terms if terms != equation.terms and len(tuple(walk(terms))) <= FACTOR_LIMIT else None


def in_one_term(equation: Equation) -> Equation:
    """The equation with its right side in a parenthesis, where that can be: a parenthesis holds no sums."""
    terms = equation.terms
    if len(terms) < 2 or any(term.summed for term in terms):
        return equation
    return replace(equation, terms=(power(terms, sp.S.One),))


def storage_blocks(derivation: Derivation) -> Iterator[Block]:
    """Which forward tensors the backward pass reads, how large they are, and which may be computed again."""
    program, backward = derivation.problem.program, derivation.backward
    read = [tensor for tensor in backward.inputs if tensor.name in program.tensors]
    if not read:
        return
    yield Heading(2, ("What to store",))
    kept = frozenset(tensor.name for tensor in program.inputs) | frozenset(program.outputs)
    names = frozenset(tensor.name for tensor in read)
    advice = [(tensor, storage_advice(program, tensor.name, kept, names)) for tensor in read]
    advice.extend((program.tensors[e.name], recompute_advice(program, e.name, names)) for e in derivation.recomputed)
    again = [words for _, words in advice if any(isinstance(span, Order) for span in words)]
    yield Paragraph(say("store.many" if len(again) > 1 else "store"))
    rows: dict[tuple[Spans, Spans, Spans], list[Span]] = {}
    for tensor, words in advice:
        key = ((Scalar(extent_product(tensor.slots)),), read_by(derivation, tensor.name), words)
        rows.setdefault(key, []).append(Symbol(tensor.name))
    yield Table(
        ("Tensor", "Entries", "Read by", "Keep or recompute"),
        tuple((tuple(listed(symbols)), *row) for row, symbols in rows.items()),
    )


def read_by(derivation: Derivation, name: str) -> Spans:
    """What the backward pass computes from a tensor, or keeps it for; of many equations how many they are."""
    backward = derivation.backward
    solved = {residual: unknown for unknown, residual in backward.residuals.items()}
    readers = [solved.get(reader, reader) for reader in backward.consumers[name]]
    readers += [order.result.name for order in derivation.orders if not order.whole and name in order.arrays]
    if len(readers) > FEW:
        return (f"{len(readers)} equations",)
    return tuple(listed(Symbol(reader) for reader in readers)) or ("none",)


def loop_blocks(loops: Sequence[BlockedLoop]) -> Iterator[Block]:
    """Which tensors code that runs in blocks never holds in full."""
    told = [loop for loop in loops if loop.tensors]
    if told:
        yield Heading(2, ("What is never there in full",))
    for loop in told:
        yield Paragraph(
            say("store.blocks", indices=listed(loop.indices), tensors=listed(Symbol(name) for name in loop.tensors))
        )


def recompute_advice(program: Program, name: str, kept: frozenset[str]) -> Spans:
    """What a tensor that is not kept is computed from, and what that costs."""
    needed, ends = recomputed(program, name, kept)
    cost = dominant([equation_cost(program.definitions[other]) for other in needed])
    return say("recompute.cost", sources=listed(Symbol(end) for end in ends), cost=Order(cost))


def storage_advice(program: Program, name: str, kept: frozenset[str], read: frozenset[str]) -> Spans:
    """Whether a tensor is there anyway, cheap to compute again, or to be kept."""
    if name not in program.definitions:
        return ("what a system determines: keep",) if name in program.residuals else ("an input, there anyway",)
    cheap = program.definitions[name]
    sources = tensors_of(cheap.terms)
    if name in program.outputs:
        return ("an output, there anyway",)
    if name not in sources and not any(term.summed for term in cheap.terms) and set(sources) <= (kept | read):
        return say("store.cheap", sources=listed(Symbol(source) for source in sources))
    needed, ends = recomputed(program, name, kept | (read - {name}))
    if name in {source for other in needed for source in tensors_of(program.definitions[other].terms)}:
        return ("what a recurrence computes step by step: keep",)
    cost = dominant([equation_cost(program.definitions[other]) for other in needed])
    spans: list[Span] = [*say("store.keep", sources=listed(Symbol(end) for end in ends), cost=Order(cost))]
    return tuple(spans)


def recomputed(program: Program, name: str, kept: frozenset[str]) -> tuple[list[str], list[str]]:
    """The equations to run for a tensor, and the kept tensors that they start from."""
    needed, ends = [name], []
    for other in needed:
        for source in tensors_of(program.definitions[other].terms):
            if source in kept or source in program.residuals:
                ends.extend([source] if source not in ends else [])
            elif source not in needed:
                needed.append(source)
    order = list(program.tensors)
    return needed, sorted(ends, key=order.index)
