"""What a module will hold, before it is text: statements, and the Python name of everything."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

import sympy as sp

from indexcalc.algebra.slots import constant_of
from indexcalc.algebra.terms import Access, Base, Index, Lookup, own_slots, walk
from indexcalc.calculus.steps import Derivation, Order
from indexcalc.codegen.checkpoints.alongside import with_courses
from indexcalc.codegen.dialect import NUMPY, Dialect
from indexcalc.codegen.gates import with_gates
from indexcalc.codegen.halves import halved
from indexcalc.codegen.names import python_name, python_names
from indexcalc.codegen.operands import EntryAt, Scope
from indexcalc.codegen.recurrences import At, Entries, reads_itself, with_loops
from indexcalc.codegen.roots import root_statement
from indexcalc.codegen.scalars import scalar_node
from indexcalc.codegen.shared import share_functions
from indexcalc.codegen.source import flat
from indexcalc.codegen.stable.assembly import Passes
from indexcalc.codegen.stable.passes import stable_passes
from indexcalc.codegen.statements import Statement
from indexcalc.codegen.storage import Array, Layout, is_fused, unshown
from indexcalc.codegen.systems import with_plain_operands, without_systems
from indexcalc.codegen.views import with_views
from indexcalc.errors import UnsupportedError
from indexcalc.program import Equation, Program, Tensor


@dataclass(frozen=True)
class Plan:
    """Everything that the template needs, before it is text.

    Attributes:
        forward: the statements of the forward pass.
        backward: the statements of the backward pass.
        kept: the tensors of `Values`, in order.
        added: the slots of those of them that are no tensors of the program: maxima and shifted sums.
        stored: Python names of all tensors, as they are given and returned.
        tensors: the variables that expressions use; another name where an array has fused axes.
        scalars: Python names of all extents and parameters.
        dialect: the array library that the module is for.
        steps: the variables of loops, by the number of the step.
        entries: the arrays at a step, such as ``h[t - 1]``, by their names.
        splits: over a mesh of devices, for every slot of a tensor the axes of the mesh over which it is split.
    """

    derivation: Derivation
    forward: tuple[Statement, ...]
    backward: tuple[Statement, ...]
    kept: tuple[str, ...]
    added: Mapping[str, tuple[Index, ...]]
    stored: Mapping[str, str]
    tensors: Mapping[str, str]
    scalars: Mapping[sp.Symbol, str]
    dialect: Dialect = NUMPY
    steps: Mapping[sp.Symbol, str] = field(default_factory=dict)
    entries: Mapping[str, EntryAt] = field(default_factory=dict)
    splits: Mapping[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)

    @property
    def program(self) -> Program:
        """The forward program."""
        return self.derivation.problem.program

    @property
    def unread(self) -> tuple[sp.Symbol, ...]:
        """The extents that no input's shape shows: keyword arguments."""
        return unshown(self.extents, [self.array(tensor.name) for tensor in self.program.inputs])

    @property
    def extents(self) -> tuple[sp.Symbol, ...]:
        """All extents, in order of first occurrence."""
        return tuple(dict.fromkeys((*self.program.extents, *self.derivation.backward.extents)))

    def axes(self, name: str) -> Layout:
        """The axes of the array that stores a tensor, an upstream gradient or a gradient."""
        for program in (self.program, self.derivation.backward):
            if name in program.tensors:
                return program.axes(name)
        if name in self.added:
            return tuple((slot,) for slot in self.added[name])
        return self.axes(next(up.of for up in self.derivation.problem.handed if up.name == name))

    @property
    def layouts(self) -> Mapping[str, tuple[int, ...]]:
        """How many slots each axis of a stored array holds, for arrays with fused axes."""
        return {**self.program.layouts, **self.derivation.backward.layouts}

    def array(self, name: str) -> Array:
        """The stored array of a tensor."""
        return Array(self.stored[name], self.axes(name))

    def is_fused(self, name: str) -> bool:
        """Whether the stored array has an axis for several slots."""
        return self.stored[name] != self.tensors[name]


def make_plan(derivation: Derivation, dialect: Dialect = NUMPY) -> Plan:
    """Statements and names, before they are text; remembered, as the module and its checks all read them."""
    return planned(derivation, dialect)


def origin_of(unknown: str, derivation: Derivation) -> tuple[str, str]:
    """The unknown of the forward pass that one of the backward pass comes from, and which system of that it has."""
    problem = derivation.problem
    adjoints = {problem.gradient_names[one.residual]: one.name for one in problem.program.unknowns}
    tangents = {name: of for order in derivation.orders for name, of in order.tangents.items()}
    of = tangents.get(unknown, unknown)
    kind = "adjoint" if of in adjoints else ""
    return adjoints.get(of, of), kind if of == unknown else f"{kind} differentiated".strip()


@lru_cache(maxsize=4)
def stable_of(derivation: Derivation) -> Passes:
    """The statements of both passes in their stable form, as if there were no loops and no moved entries."""
    program, backward = derivation.problem.program, derivation.backward
    every = {*program.tensors, *backward.tensors, *(given.name for given in derivation.problem.handed)}
    first, second = without_systems(program, every), without_systems(backward, every)
    for unknown in first.roots:
        block = program.systems[unknown.name]
        if read_expressions(block, program):
            raise UnsupportedError(
                f"the system for {unknown.name} is not linear in {unknown.name} and reads entries under expressions, "
                "and code for such systems reads entries under indices alone so far; give what it reads so a name "
                "of its own, above the system",
                program.definitions[unknown.residual].place,
            )
    if second.roots:
        (unknown, *_) = second.roots
        read, what = origin_of(unknown.name, derivation)
        raise UnsupportedError(
            f"the {what} system for {read} is too long to be written as one matrix; give a part of what its system "
            f"reads a name of its own, above the system for {read}",
            program.definitions[program.residuals[read]].place,
        )
    roots = [root_statement(unknown, program, every) for unknown in first.roots]
    solves = ((*first.solves, *roots), second.solves)
    passes = stable_passes(first.program, second.program, derivation.problem.recompute, solves)
    # The backward pass may read a right side in the place of the unknown that is a multiple of it.
    others = set(passes.kept) - {*program.tensors, *passes.added}
    sides = {name: first.program.tensors[name].slots for name in passes.kept if name in others}
    passes = replace(passes, added={**passes.added, **sides})
    if any(solves):
        forward, reverse = with_plain_operands(passes.forward), with_plain_operands(passes.backward)
        passes = replace(passes, forward=forward, backward=reverse)
    wild: set[str] = set()
    forward, reverse = (tuple(with_gates(one, wild)) for one in (passes.forward, passes.backward))
    passes = replace(passes, forward=forward, backward=reverse)
    names = [order.result.name for order in derivation.orders if order.whole and order.symmetries]
    if names:
        passes = replace(passes, backward=tuple(halved(passes.backward, names, (program, backward))))
    return passes


@lru_cache(maxsize=4)
def passes_of(
    derivation: Derivation, *, along: bool = False
) -> tuple[Passes, Mapping[str, tuple[str, tuple[At | None, ...]]]]:
    """The statements of both passes, made once for all libraries, and the arrays at a step that they read.

    Args:
        derivation: what was derived.
        along: whether loops over steps compute all that can go along with them.
    """
    program, backward, passes = derivation.problem.program, derivation.backward, stable_of(derivation)
    stepping = any(map(reads_itself, (passes.forward, passes.backward)))
    if not (stepping or has_expressions(program) or has_expressions(backward)):
        return passes, {}
    tensors = {**backward.tensors, **program.tensors}
    statements = (*passes.forward, *passes.backward)
    tensors.update({s.name: Tensor(s.name, s.axes) for s in statements if s.name not in tensors})
    tensors.update({up.name: Tensor(up.name, program.tensors[up.of].slots) for up in derivation.problem.handed})
    taken = {*tensors, *(up.name for up in derivation.problem.upstream)}
    forward, reverse = passes.forward, passes.backward
    entries = Entries(tensors, taken)
    if stepping:
        shared = [tuple(share_functions(one, taken, passes.maxima)) for one in (forward, reverse)]
        for one in shared:
            with_axes(one, tensors)
        looped = with_courses(shared, tensors, taken) if along else [with_loops(one, tensors, taken) for one in shared]
        forward, reverse = (tuple(entries.read(one)) for one in looped)
    forward, reverse = with_views((forward, reverse), tensors, taken, entries.found)
    return replace(passes, forward=forward, backward=reverse), entries.found


def with_axes(statements: Iterable[Statement], tensors: dict[str, Tensor]) -> None:
    """Let what statements assign join the tensors."""
    for statement in statements:
        tensors.setdefault(statement.name, Tensor(statement.name, statement.axes))


def has_expressions(program: Program) -> bool:
    """Whether some slot, delta or bracket of a program holds more than an index of the right extent."""
    return read_expressions(program.equations, program)


def read_expressions(equations: Iterable[Equation], program: Program) -> bool:
    """Whether some slot, delta or bracket of these equations does."""
    return any(
        not isinstance(slot, Index) or (isinstance(base, Access) and slot.extent != declared)
        for equation in equations
        for base in walk(equation.terms)
        for slot, declared in zip(own_slots(base), declared_extents(base, program), strict=True)
    )


def declared_extents(base: Base, program: Program) -> tuple[sp.Expr, ...]:
    """The extent of each slot of an entry's tensor; nothing to compare with for a delta or a bracket."""
    if isinstance(base, Access):
        return tuple(slot.extent for slot in program.tensors[base.tensor].slots)
    return (sp.S.Zero,) * len(own_slots(base))


@lru_cache(maxsize=8)
def planned(derivation: Derivation, dialect: Dialect) -> Plan:
    """The plan, made once for a derivation and a library, however they are handed over."""
    program, backward = derivation.problem.program, derivation.backward
    passes, at_steps = passes_of(derivation, along=dialect.along)
    taken = {*program.tensors, *backward.tensors, *(s.name for s in (*passes.forward, *passes.backward))}
    forward, reverse = passes.forward, passes.backward
    loops = [s.loop for s in (*forward, *reverse) if s.loop is not None]
    if not loops:
        forward = tuple(share_functions(forward, set(taken), passes.maxima))
        reverse = tuple(share_functions(reverse, set(taken), passes.maxima))
    statements = (*forward, *reverse)
    added = [statement.name for outer in statements for statement in (outer, *outer.inside)]
    upstream = [up.name for up in derivation.problem.handed]
    results = [result.name for result in derivation.problem.results]
    stored = python_names([*program.tensors, *upstream, *backward.tensors, *added, *results], dialect.reserved)
    tensors = dict(stored)
    for name in fused_tensors(derivation):
        tensors[name] = python_name(f"{stored[name]}_split", {*stored.values(), *tensors.values()})
    parameters = dict.fromkeys(p.symbol for p in (*program.parameters, *backward.parameters))
    symbols = [*parameters, *dict.fromkeys((*program.extents, *backward.extents))]
    scalars: dict[sp.Symbol, str] = {}
    for symbol in symbols:
        if symbol not in scalars:
            taken = {*stored.values(), *tensors.values(), *scalars.values(), *dialect.reserved}
            name = python_name(symbol.name)
            scalars[symbol] = python_name(f"{symbol.name}_size" if name in taken else symbol.name, taken)
    steps: dict[sp.Symbol, str] = {}
    for symbol in dict.fromkeys(loop.symbol for loop in loops):
        used = {*stored.values(), *tensors.values(), *scalars.values(), *steps.values(), *dialect.reserved}
        steps[symbol] = python_name(symbol.name.removeprefix("@"), used)
    words = {**scalars, **steps}
    entries = {name: entry_at(of, at, (tensors, words), dialect) for name, (of, at) in at_steps.items()}
    found = Plan(derivation, forward, reverse, passes.kept, passes.added, stored, tensors, scalars, dialect)
    return replace(found, steps=steps, entries=entries)


Words = tuple[Mapping[str, str], Mapping[sp.Symbol, str]]
"""What tensors and what scalars are called in code."""


def entry_at(tensor: str, places: Sequence[At | None], words: Words, dialect: Dialect) -> EntryAt:
    """An array at places along some of its axes."""
    return EntryAt(tensor, tuple(":" if at is None else place_text(at, words, dialect) for at in places))


def place_text(at: At, words: Words, dialect: Dialect) -> str:
    """A place along one axis."""
    tensors, scalars = words
    if isinstance(at.slot, Lookup):
        found = entry_at(at.slot.tensor, [At(slot) for slot in at.slot.slots], words, dialect)
        return found.text(tensors[at.slot.tensor])
    text = flat(scalar_node(constant_of(at.slot), scalars))
    if dialect.loop:
        # Steps are traced there, and a place outside reads some entry inside.
        return text
    if at.last is not None:
        text = f"min({text}, {flat(scalar_node(at.last, scalars))})"
    return f"max({text}, 0)" if at.first else text


def fused_tensors(derivation: Derivation) -> tuple[str, ...]:
    """The tensors whose arrays have an axis for several slots, upstream gradients included."""
    program, backward = derivation.problem.program, derivation.backward
    fused = [name for name in program.tensors if is_fused(program.axes(name))]
    reverse = [name for name in backward.tensors if name not in program.tensors and is_fused(backward.axes(name))]
    upstream = [up.name for up in derivation.problem.handed if up.of in fused]
    return tuple(dict.fromkeys((*fused, *upstream, *reverse)))


def forward_scope(plan: Plan) -> Scope:
    """Names as they are; arrays made from nothing take the dtype of the first input that isn't looked up."""
    first = first_of_numbers(plan)
    return scope_of(plan, f"{first}.dtype" if first else "float")


def backward_scope(plan: Plan) -> Scope:
    """Names as they are; arrays made from nothing take the dtype of the upstream gradient, or else as ahead."""
    upstream, first = plan.derivation.problem.handed, first_of_numbers(plan)
    given = plan.stored[upstream[0].name] if upstream else f"values.{first}" if first else ""
    dtype = f"{given}.dtype" if given else "float"
    return scope_of(plan, dtype)


def scope_of(plan: Plan, dtype: str) -> Scope:
    """The names of all tensors, arrays at a step, and scalars."""
    texts = {name: entry.text(plan.tensors[entry.tensor]) for name, entry in plan.entries.items()}
    scalars = {**plan.scalars, **plan.steps}
    return Scope({**plan.tensors, **texts}, scalars, dtype, plan.layouts, plan.dialect, plan.entries)


def first_of_numbers(plan: Plan) -> str:
    """The array of the first input that is not looked up with; empty if there is none."""
    return next((plan.stored[tensor.name] for tensor in plan.program.inputs if tensor.values is None), "")


def function_name(plan: Plan) -> str:
    """The name of the function that automatic differentiation calls: that of the derivation."""
    return python_name(plan.derivation.problem.slug, plan.dialect.reserved)


def module_names(derivation: Derivation, dialect: Dialect = NUMPY) -> Mapping[str, str]:
    """The field of `Values` for every tensor that is kept, the field of `Gradients` for every gradient asked for."""
    plan, problem = make_plan(derivation, dialect), derivation.problem
    gradients = {problem.gradient_names[target]: name for target, name in gradient_fields(derivation).items()}
    tensors = {name: plan.stored[name] for name in plan.kept if name not in plan.added}
    results = {order.result.name: name for name, order in result_fields(derivation).items()}
    return {**tensors, **gradients, **results}


def module_symbols(derivation: Derivation, dialect: Dialect = NUMPY) -> Mapping[str, str]:
    """The Python name of every parameter and extent, by its name."""
    return {symbol.name: name for symbol, name in make_plan(derivation, dialect).scalars.items()}


def gradient_fields(derivation: Derivation) -> Mapping[str, str]:
    """The field of `Gradients` that holds dL/dX, for every target X, in the order asked for."""
    targets = derivation.problem.targets
    names = python_names(["d" + target for target in targets])
    return {target: names["d" + target] for target in targets}


def result_fields(derivation: Derivation) -> Mapping[str, Order]:
    """The field of `Gradients` that holds a derivative of another kind, for each of them."""
    taken = set(gradient_fields(derivation).values())
    found: dict[str, Order] = {}
    for order in derivation.orders:
        found[python_name(order.result.name, {*taken, *found})] = order
    return found


def gradient_variables(plan: Plan) -> Mapping[str, str]:
    """For every field of `Gradients`, the variable with its value."""
    problem = plan.derivation.problem
    return {
        name: plan.stored[problem.gradient_names[target]] for target, name in gradient_fields(plan.derivation).items()
    }
