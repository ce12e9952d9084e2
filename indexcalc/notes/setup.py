"""The opening of a note: indices, inputs, the upstream gradient, the forward pass, the convention."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import sympy as sp

from indexcalc.algebra.build import access
from indexcalc.algebra.terms import Access, Fn, Index, Partial, tensors_of
from indexcalc.calculus.pointwise import row_of
from indexcalc.calculus.steps import Derivation, Rule, ThroughConsumer
from indexcalc.notes.blocks import (
    Block,
    Code,
    Display,
    Displays,
    Gradient,
    Heading,
    Items,
    Loss,
    Paragraph,
    Scalar,
    Shape,
    Span,
    Spans,
    Symbol,
    Table,
    Within,
)
from indexcalc.notes.functions import function_blocks
from indexcalc.notes.held import barred_tensors, held_in
from indexcalc.notes.prose import CONVENTION, figures, fill, listed, say, sentence_case
from indexcalc.notes.recurrences import recurrence_blocks
from indexcalc.notes.sides import Spelled
from indexcalc.notes.systems import determined_blocks
from indexcalc.problem import Problem, Upstream
from indexcalc.program import Equation, Program, Tensor


def setup_blocks(derivation: Derivation) -> list[Block]:
    """Everything that a reader must know before the first derivative."""
    problem, program = derivation.problem, derivation.problem.program
    blocks: list[Block] = [Heading(2, ("Setup",)), index_table(program), *input_blocks(program)]
    blocks.extend(parameter_blocks(program))
    blocks.extend(upstream_blocks(problem))
    blocks.extend(direction_blocks(problem))
    blocks.append(Heading(3, ("Forward pass",)))
    blocks.extend(forward_blocks(program))
    blocks.extend(recompute_blocks(derivation))
    blocks.extend(kink_blocks(derivation))
    blocks.extend(assumption_blocks(program))
    blocks.append(Heading(2, ("Index convention",)))
    by = (*problem.targets, *(name for result in problem.results for name in result.by))
    wanted = program.tensors[by[0]] if by else program.inputs[0]
    blocks.append(Paragraph(fill(CONVENTION, entry=wanted.entry)))
    blocks.extend(bar_blocks(derivation))
    blocks.extend(function_blocks(derivation))
    return blocks


def bar_blocks(derivation: Derivation) -> Iterator[Block]:
    """What a bar behind a derivative says, of each kind that the note has, with the first one as its example."""
    subjects = [step.subject for section in derivation.sections for step in section.all_steps()]
    held = barred_tensors(derivation)
    direct = {(derivation.problem.loss, target) for _, target in held}
    shares = [subject for subject in subjects if isinstance(subject, ThroughConsumer)]
    share = next((s for s in shares if (s.consumer, s.wrt.tensor) not in direct), None)
    partial = next((s for s in subjects if isinstance(s, Partial) and held_in(s, held)), None)
    spans: list[Span] = []
    if share is not None:
        spans.extend(say("bar.via", share=share))
    if partial is not None:
        spans.extend([" "] if spans else [])
        spans.extend(say("bar.held", partial=partial, target=Symbol(partial.wrt.tensor)))
        itself = next((name for pair, names in held.items() for name in pair if name in names), None)
        if itself is not None:
            spans.extend([" ", *say("bar.held.itself", itself=Symbol(itself))])
    if spans:
        yield Paragraph(tuple(spans))


def index_table(program: Program) -> Table:
    """The declared indices, those of one extent and one meaning in one row."""
    groups: dict[tuple[sp.Expr, str], list[Index]] = {}
    for index in declared_indices(program):
        groups.setdefault((index.extent, program.index_docs.get(index.name, "")), []).append(index)
    rows = tuple(
        (tuple(comma_separated(indices)), (Scalar(extent),), (doc,)) for (extent, doc), indices in groups.items()
    )
    return documented(Table(("Index", "Number of values", "Meaning"), rows))


def documented(table: Table) -> Table:
    """The table without its last column, the authors' words, if there are none."""
    if any(row[-1] != ("",) for row in table.rows):
        return table
    return Table(table.header[:-1], tuple(row[:-1] for row in table.rows))


def comma_separated(spans: Sequence[Span]) -> list[Span]:
    """Spans with commas between them."""
    joined: list[Span] = []
    for span in spans:
        joined.extend([", ", span] if joined else [span])
    return joined


def declared_indices(program: Program) -> tuple[Index, ...]:
    """The declared indices; those that occur, where a program declares none."""
    if program.indices:
        return program.indices
    slots = [slot for tensor in program.tensors.values() for slot in tensor.slots]
    bound = [index for equation in program.equations for term in equation.terms for index in term.summed]
    return tuple(dict.fromkeys((*slots, *bound)))


def input_blocks(program: Program) -> Iterator[Block]:
    """The inputs with their shapes, and the domains of their entries."""
    rows = tuple((entry_span(tensor), shape_span(program, tensor), (tensor.doc,)) for tensor in program.inputs)
    if rows:
        yield documented(Table(("Input", "Shape", "Meaning"), rows))
    for extent in dict.fromkeys(tensor.values for tensor in program.inputs if tensor.values is not None):
        entries = listed(tensor.entry for tensor in program.inputs if tensor.values == extent)
        yield Paragraph(say("whole", entries=entries, extent=Scalar(extent)))
    restricted = [Within(tensor.entry, tensor.domain) for tensor in program.inputs if tensor.domain is not None]
    if restricted:
        yield Paragraph(say("domains", entries=listed(restricted)))


def entry_span(tensor: Tensor) -> Spans:
    """A tensor's general entry."""
    return (tensor.entry,)


def shape_span(program: Program, tensor: Tensor) -> Spans:
    """The shape of the array that stores a tensor."""
    if not tensor.slots:
        return ("scalar",)
    axes = tuple(tuple(slot.extent for slot in axis) for axis in program.axes(tensor.name))
    return (Shape(axes, "N" if tensor.values is not None else "R"),)


def parameter_blocks(program: Program) -> Iterator[Block]:
    """The scalar constants."""
    if program.parameters:
        rows = tuple(
            ((Scalar(p.symbol),), (default_span(p.default),) if p.default is not None else ("none",), (p.doc,))
            for p in program.parameters
        )
        yield documented(Table(("Constant", "Default", "Meaning"), rows))


def default_span(value: sp.Expr) -> Span:
    """A default as an author writes it: a decimal where it is a short one, a power of ten where it is small."""
    if value.is_Rational and not value.is_Integer and sp.Rational(repr(float(value))) == value:
        return figures(repr(float(value)))
    return Scalar(value)


def upstream_blocks(problem: Problem) -> Iterator[Block]:
    """What is known of the loss."""
    if problem.loss is not None:
        yield Paragraph(
            ("The loss ", Loss(), " is computed by the forward pass itself, and its derivative by itself is 1.")
        )
    if not problem.upstream:
        return
    ends = [Symbol(upstream.of) for upstream in problem.upstream]
    whole = [upstream for upstream in problem.upstream if upstream.of in problem.given]
    intro: list[Span] = [Loss(), " is a scalar loss that depends on the inputs through ", *listed(ends), "."]
    if whole:
        docs = [f"{upstream.name}: {upstream.doc}" for upstream in whole if upstream.doc]
        about = f" ({'; '.join(docs)})" if docs else ""
        verb = "is" if len(whole) == 1 else "are"
        yield Paragraph((*intro, f" Given {verb}{about}"))
        displays = tuple(given_gradient(problem, upstream) for upstream in whole)
        yield displays[0] if len(displays) == 1 else Displays(displays)
    else:
        yield Paragraph(tuple(intro))
    for upstream in problem.upstream:
        if upstream not in whole:
            yield partial_gradient(problem, upstream)


def direction_blocks(problem: Problem) -> Iterator[Block]:
    """What derivatives are multiplied by."""
    for one in problem.directions:
        slots = problem.program.tensors[one.of].slots
        yield Paragraph(say("direction", direction=Access(one.name, slots), target=Symbol(one.of)))


def given_gradient(problem: Problem, upstream: Upstream) -> Display:
    """The definition of a gradient that is given as a whole."""
    slots = problem.program.tensors[upstream.of].slots
    return Display(Access(upstream.name, slots), (Spelled((access(upstream.name, *slots),)),), defines=True)


def partial_gradient(problem: Problem, upstream: Upstream) -> Paragraph:
    """What a given gradient means that is only a part of the whole."""
    slots = problem.program.tensors[upstream.of].slots
    own = upstream.of in problem.program.recurrence_by_name
    others = "its own other steps or through other tensors" if own else "other tensors"
    return Paragraph(
        (
            "Given is ",
            Access(upstream.name, slots),
            f" ({upstream.doc})" if upstream.doc else "",
            ", the part of ",
            Gradient(Access(upstream.of, slots)),
            f" that does not pass through {others} of the program.",
        )
    )


def forward_blocks(program: Program) -> Iterator[Block]:
    """The equations in authored order; what the reader named is a definition."""
    solved = set(program.residuals.values())
    told: set[str] = set()
    for number, equation in enumerate(program.equations):
        if equation.name in solved:
            block = next(block for block in program.systems.values() if equation in block)
            if told.isdisjoint(one.name for one in block):
                yield from determined_blocks(program, program.determined_by(block))
            told.add(equation.name)
            continue
        if equation.doc:
            yield Paragraph((*sentence_case((equation.doc,)), ":"))
        elif equation.hoisted:
            readers = program.consumers[equation.name]
            following = [other.name for other in program.equations[number + 1 : number + 2]]
            key = "hoisted" if is_one_sum(equation) else "hoisted.part"
            key += ".next" if list(readers) == following else ""
            yield Paragraph(say(key, readers=listed(Symbol(name) for name in readers)))
        yield forward_display(equation)
    yield from recurrence_blocks(program)


def is_one_sum(equation: Equation) -> bool:
    """Whether the equation holds one sum and nothing else."""
    return len(equation.terms) == 1 and bool(equation.terms[0].summed)


def recompute_blocks(derivation: Derivation) -> Iterator[Block]:
    """What is not kept between the passes, and what is computed again."""
    made = {equation.name for equation in derivation.recomputed}
    names = derivation.problem.recompute
    for key, chosen in (
        ("recompute", [name for name in names if name in made]),
        ("recompute.unread", [name for name in names if name not in made]),
    ):
        if chosen:
            one = len(chosen) == 1
            words = {"are": "is" if one else "are", "again": "it" if one else "them"}
            sources = listed(Symbol(name) for name in recompute_sources(derivation))
            yield Paragraph(say(key, names=listed(Symbol(name) for name in chosen), sources=sources, **words))


def recompute_sources(derivation: Derivation) -> list[str]:
    """The kept tensors that the recomputed ones are made from, in program order."""
    read = {name for equation in derivation.recomputed for name in tensors_of(equation.terms)}
    return [tensor.name for tensor in derivation.backward.inputs if tensor.name in read]


def forward_display(equation: Equation) -> Display:
    """One equation of the forward pass."""
    return Display(equation.lhs, (equation.terms,), defines=equation.hoisted)


def kink_blocks(derivation: Derivation) -> Iterator[Block]:
    """The conventions at kinks of the functions that are differentiated."""
    names = dict.fromkeys(
        step.subject.base.name
        for step in derivation.all_steps()
        if step.rule is Rule.POINTWISE and isinstance(step.subject, Partial) and isinstance(step.subject.base, Fn)
    )
    rows = [row_of(name) for name in names]
    conventions = tuple((Code(row.name), f": {row.kink}.") for row in rows if row.kink)
    if conventions:
        yield Paragraph(("Conventions where a function has no derivative:",))
        yield Items(conventions)


def assumption_blocks(program: Program) -> Iterator[Block]:
    """The identities that the author vouches for."""
    if program.assumptions:
        yield Paragraph(("Assumed to hold, as stated by the author:",))
        yield Displays(tuple(Display(identity.left, (identity.right,)) for identity in program.assumptions))
    given = {tensor.name for tensor in program.inputs}
    for one in program.assumptions:
        entries = [side[0].bases[0] for side in (one.left, one.right)] if one.definite else []
        match entries:
            case [Access(name, slots), Access(_, others)] if name in given:
                moved = [slot for slot, other in zip(slots, others, strict=True) if slot != other]
                key = "definite" if len(moved) == len(slots) else "definite.over"
                yield Paragraph(say(key, name=Symbol(name), over=listed(moved)))
