"""What a fast module will hold, before it is text: statements in normal form, and the Python name of everything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import sympy as sp

from indexcalc.calculus.steps import Derivation
from indexcalc.codegen.fast.blocking import Blocking
from indexcalc.codegen.fast.body import IN_NUMPY
from indexcalc.codegen.fast.joining import both_passes
from indexcalc.codegen.fast.library import Library
from indexcalc.codegen.fast.names import Bounded, Names, letters_of, own_names
from indexcalc.codegen.fast.normal import normal_form
from indexcalc.codegen.fast.overlaps import Windows
from indexcalc.codegen.fast.segments import Segments, segments_of, source_of
from indexcalc.codegen.fast.storing import ancestors, kept_tensors
from indexcalc.codegen.names import python_name, python_names
from indexcalc.codegen.operands import Scope
from indexcalc.codegen.outline import Plan, gradient_fields, make_plan
from indexcalc.codegen.statements import Kind, Statement
from indexcalc.codegen.storage import Array
from indexcalc.errors import UnsupportedError


@dataclass(frozen=True)
class Fast:
    """Everything about the module, before it is text.

    Attributes:
        plan: the statements as they are for reading, and the names of everything.
        problem: the statements of both passes in normal form.
        names: the Python names.
        gradients: the tensor of every gradient that is returned, by its field.
        arrays: the tensors that derivatives of other kinds consist of, inputs left out.
        kept: the tensors that the forward pass keeps, besides inputs and outputs.
        block: the index to cut into blocks, if one is asked for.
        library: what the module is written for.
        passes: the segments of the forward and the backward pass, if one of them has loops over steps.
    """

    plan: Plan
    problem: Blocking
    names: Names
    gradients: Mapping[str, str]
    kept: tuple[str, ...]
    block: str | None
    library: Library
    arrays: tuple[str, ...] = ()
    passes: tuple[Segments, Segments] | None = None

    @property
    def results(self) -> tuple[str, ...]:
        """The tensors that the backward pass returns, whole or as parts."""
        return tuple(dict.fromkeys((*self.gradients.values(), *self.arrays)))


def outlined(
    derivation: Derivation,
    sizes: Mapping[str, int],
    block: str | None,
    library: Library = IN_NUMPY,
    *,
    is_bounded: bool = False,
) -> Fast:
    """The statements of both passes in normal form, and the names of everything.

    Args:
        derivation: what to write.
        sizes: the extents by name, where they are known.
        block: the name of an index to cut into blocks.
        library: what to write it for.
        is_bounded: whether functions are to keep within a bound of memory.

    Raises:
        UnsupportedError: for loops over steps where the library has none; for these and for systems where functions
            are to keep within a bound.
    """
    plan, problem = make_plan(derivation, library.dialect), derivation.problem
    unknowns = (*plan.program.unknowns, *derivation.backward.unknowns)
    if unknowns and is_bounded:
        raise UnsupportedError(
            f"{unknowns[0].name} is determined by a system, which is solved as a whole, in memory that libraries take; "
            "code for speed cannot keep within a bound of memory there: leave the bound out"
        )
    taken = names_in(plan)
    fields = {name: problem.gradient_names[target] for target, name in gradient_fields(derivation).items()}
    inputs = {tensor.name: tensor.slots for tensor in plan.program.inputs}
    own = {
        name: problem.gradient_names[target] for target, name in gradient_fields(derivation).items() if target in inputs
    }
    gradients = own or fields
    arrays = tuple(name for order in derivation.orders for name in order.arrays if name not in inputs)
    results = tuple(dict.fromkeys((*gradients.values(), *arrays)))
    steps = [s.name for s in (*plan.forward, *plan.backward) if s.loop is not None]
    if steps and is_bounded:
        raise UnsupportedError(
            f"{steps[0]} is computed step by step, and code for speed keeps all steps; "
            "it cannot keep within a bound of memory yet: leave the bound out"
        )
    if steps:
        return outlined_steps(plan, gradients, arrays, sizes=sizes, block=block, library=library)
    every = {statement.name: statement for statement in both_passes(plan.forward, plan.backward, taken)}
    wanted = tuple(dict.fromkeys((*plan.program.outputs, *results)))
    needed = ancestors(tuple(every.values()), wanted)
    aliases = shifted_names(plan, [every[name] for name in needed], taken)
    known = known_sizes(plan, sizes)
    statements = normal_form([every[name] for name in needed], wanted, taken, aliases, known)
    given = {**inputs, **{up.name: plan.program.tensors[up.of].slots for up in problem.handed}}
    windows: Windows | None = None if library.copies_windows else {}
    extents = known, fused_extents(plan)
    blocking = Blocking(statements, given, wanted, *extents, known_windows=windows, bounded=is_bounded)
    names = replace(all_names(plan, statements, library), windows=blocking.windows)
    forward = ancestors(statements, plan.program.outputs)
    kept = kept_tensors(blocking, forward, results)
    fast = Fast(plan, blocking, names, gradients, kept, block, library, arrays)
    return replace(fast, names=replace(names, bounded=bounded(fast))) if is_bounded else fast


def names_in(plan: Plan) -> set[str]:
    """The names of all tensors, those inside of roots among them."""
    statements = (*plan.forward, *plan.backward)
    every = (one.name for statement in statements for one in (statement, *statement.inside))
    return {*every, *plan.tensors, *plan.program.tensors}


def bounded(fast: Fast) -> Bounded:
    """What functions need to know that keep within a bound of memory."""
    slots = {**fast.problem.given, **{name: s.axes for name, s in fast.problem.by_name.items()}}
    whole = frozenset(tensor.name for tensor in fast.plan.program.inputs if tensor.values is not None)
    arrays = {name: array_of(fast, name) for name in fast.problem.by_name}
    return Bounded(slots, whole, {name: (array.variable, array.axes) for name, array in arrays.items()})


def outlined_steps(
    plan: Plan,
    gradients: Mapping[str, str],
    arrays: tuple[str, ...],
    *,
    sizes: Mapping[str, int],
    block: str | None,
    library: Library,
) -> Fast:
    """The segments of both passes, of which one has loops over steps, and the names of everything."""
    if not library.has_steps:
        steps = next(s.name for s in (*plan.forward, *plan.backward) if s.loop is not None)
        raise UnsupportedError(
            f"code for speed in {library.dialect.library} has no loops over steps yet, and {steps} is computed step by "
            "step; the module for reading has them"
        )
    problem = plan.derivation.problem
    taken = names_in(plan)
    named: dict[tuple[str, ...], str] = {}
    results = tuple(dict.fromkeys((*gradients.values(), *arrays)))
    backward = segments_of(plan.backward, plan, results, taken, named)
    there = {source_of(name, backward.entries) for s in backward.statements for name in s.reads} | {*backward.wanted}
    made = {statement.name for statement in plan.forward}
    kept = tuple(name for name in plan.kept if name in made and name in there and name not in backward.axes)
    forward = segments_of(plan.forward, plan, tuple(dict.fromkeys((*kept, *plan.program.outputs))), taken, named)
    given = {tensor.name: tensor.slots for tensor in plan.program.inputs}
    given |= {up.name: plan.program.tensors[up.of].slots for up in problem.handed}
    axes = {**forward.axes, **backward.axes}
    wanted = tuple(dict.fromkeys((*plan.program.outputs, *results)))
    statements = tuple(Statement(name, slots, ()) for name, slots in axes.items())
    blocking = Blocking(statements, given, wanted, known_sizes(plan, sizes), fused_extents(plan), frozenset(), {})
    every = (*forward.statements, *backward.statements)
    names = all_names(plan, [*every, *statements], library)
    entries = {**forward.entries, **backward.entries}
    texts = {name: entry.text(names.scope.tensors[entry.tensor]) for name, entry in entries.items()}
    names = replace(names, scope=replace(names.scope, tensors={**names.scope.tensors, **texts}))
    return Fast(plan, blocking, names, gradients, kept, block, library, arrays, (forward, backward))


def shifted_names(plan: Plan, statements: Sequence[Statement], taken: set[str]) -> dict[str, str]:
    """Other names for tensors that stand for something else in the stable form: sums of shifted exponentials."""
    found = {}
    for statement in statements:
        definition = plan.program.definitions.get(statement.name)
        if definition is not None and statement.name not in plan.kept and statement.terms != definition.terms:
            found[statement.name] = python_name(f"{statement.name}_shifted", taken)
            taken.add(found[statement.name])
    return found


def known_sizes(plan: Plan, sizes: Mapping[str, int]) -> Mapping[sp.Symbol, int]:
    """The extents by their symbols, if all are known."""
    found = {extent: sizes[extent.name] for extent in plan.extents if extent.name in sizes}
    return found if len(found) == len(plan.extents) else {}


def fused_extents(plan: Plan) -> tuple[frozenset[sp.Expr], ...]:
    """The extents that share an axis of some array."""
    groups = (axis for tensor in plan.program.tensors for axis in plan.program.axes(tensor) if len(axis) > 1)
    return tuple(dict.fromkeys(frozenset(slot.extent for slot in axis) for axis in groups))


def all_names(plan: Plan, statements: Sequence[Statement], library: Library) -> Names:
    """The Python names of all tensors, those that the normal form added among them."""
    taken = {*plan.stored.values(), *plan.tensors.values(), *plan.scalars.values()}
    added = python_names([s.name for s in statements if s.name not in plan.tensors], taken)
    tensors = {**plan.tensors, **added}
    own = own_names({*tensors.values(), *plan.stored.values(), *plan.scalars.values()}, library.variables)
    scope = Scope(tensors, plan.scalars, library.dtype(own), plan.layouts, library.dialect)
    largest = frozenset(s.name for s in statements if s.kind in (Kind.MAXIMUM, Kind.LARGEST))
    return Names(scope, own, letters_of(plan.program.indices), largest)


def inputs_of(plan: Plan) -> list[str]:
    """The inputs."""
    return [tensor.name for tensor in plan.program.inputs]


def is_fused(fast: Fast, name: str) -> bool:
    """Whether the stored array has an axis for several slots."""
    return name in fast.plan.stored and fast.plan.is_fused(name)


def stored_name(fast: Fast, name: str) -> str:
    """The variable of a tensor as it is given and returned."""
    return fast.plan.stored.get(name, fast.names.scope.tensors[name])


def array_of(fast: Fast, name: str) -> Array:
    """The stored array of a tensor; what stable and normal form added has one axis for each slot."""
    problem = fast.plan.derivation.problem
    named = {*fast.plan.program.tensors, *fast.plan.derivation.backward.tensors, *(up.name for up in problem.handed)}
    axes = fast.plan.axes(name) if name in named else tuple((slot,) for slot in fast.problem.by_name[name].axes)
    return Array(stored_name(fast, name), axes)


def scalars_of(fast: Fast) -> list[sp.Symbol]:
    """The parameters, and the extents that no input's shape shows: `Values` carries them."""
    return [*fast.plan.unread, *(parameter.symbol for parameter in fast.plan.program.parameters)]


def given_names(fast: Fast) -> list[str]:
    """The tensors that a function may be given."""
    return list(dict.fromkeys((*fast.problem.given, *fast.kept, *fast.plan.program.outputs)))
