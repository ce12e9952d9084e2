"""What makes a program well formed: names, slots, the order of equations, recurrences and systems.

A program can be built from anything; `check_program` says what is wrong with it, in the order of its equations.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping

import sympy as sp

from indexcalc.algebra.ranges import in_range, is_compound
from indexcalc.algebra.slots import slot_text
from indexcalc.algebra.terms import (
    Access,
    Base,
    Index,
    Terms,
    free_indices,
    own_lookups,
    own_slots,
    scalars_of,
    walk,
)
from indexcalc.errors import LimitError, ProgramError, placed
from indexcalc.program import Equation, Program, Tensor, Unknown, read_in
from indexcalc.recurrence import Unordered, is_recurrent, recurrence_of


def check_program(program: Program) -> None:
    """Return if the program is well formed.

    Raises:
        ProgramError: for a name assigned twice, a tensor read before it is defined, a wrong number of
            slots, extents that clash, a free index missing on one side, an unknown scalar, or an
            output that nothing defines.
    """
    known: dict[str, Tensor] = {}
    for tensor in program.inputs:
        if tensor.name in known:
            raise ProgramError(f"the input {tensor.name} is declared twice")
        check_slots(tensor.name, tensor.slots)
        known[tensor.name] = tensor
    scalars = set(program.extents) | {parameter.symbol for parameter in program.parameters}
    check_recurrences(program)
    check_systems(program)
    together = {name: one.axes for one in program.recurrences for name in one.axes}
    starts = {block[0].name: program.determined_by(block) for block in program.blocks}
    for equation in program.equations:
        for unknown in starts.get(equation.name, ()):
            if unknown.name in known:
                raise ProgramError(f"{unknown.name} is assigned twice")
            known[unknown.name] = unknown.tensor
        if equation.name in known:
            raise ProgramError(f"{equation.name} is assigned twice")
        check_slots(equation.name, equation.slots)
        stepping = {name: program.tensors[name] for name in together.get(equation.name, ())}
        check_equation(equation, {**known, **stepping} if stepping else known, scalars)
        known[equation.name] = Tensor(equation.name, equation.slots, equation.doc)
    for name in program.outputs:
        if name not in known:
            raise ProgramError(f"the output {name} is not defined")
    for name, groups in program.layouts.items():
        if name in known and (sum(groups) != len(known[name].slots) or min(groups, default=1) < 1):
            raise ProgramError(f"the layout {groups} of {name} does not fit its {len(known[name].slots)} slots")


def check_recurrences(program: Program) -> None:
    """Reject equations that read one another in no order of steps, or that do not stand together in this order."""
    if not program.is_recurrent:
        return
    order: list[str] = []
    for group in (group for block in program.blocks for group in program.steps_of(block)):
        found = recurrence_of(group) if is_recurrent(group) else None
        if isinstance(found, Unordered):
            read = found.entry
            raise ProgramError(
                f"{read.tensor} is read before it is defined, in the equation of {found.reader}: "
                f"[{','.join(map(slot_text, read.slots))}] is not shown to be an earlier step"
            )
        order += [*found.axes] if found is not None else [equation.name for equation in group]
    if order != [equation.name for equation in program.equations]:
        raise ProgramError("the equations of a recurrence stand together, each after what it reads at its own step")


def check_systems(program: Program) -> None:
    """Reject systems that do not determine their unknown, or whose equations do not stand together in an order.

    As many equations as entries are necessary for one solution, not sufficient: whether there is one depends on the
    values.
    """
    for unknown in program.unknowns:
        residual = program.definitions.get(unknown.residual)
        with placed(None if residual is None else residual.place):
            check_system(program, unknown, residual)
    places = program.positions
    for block in program.systems.values():
        here = [places[equation.name] for equation in block]
        if here != list(range(here[0], here[0] + len(here))):
            raise ProgramError(f"the equations of the system with {block[0].name} do not stand together")


def check_system(program: Program, unknown: Unknown, residual: Equation | None) -> None:
    """Reject a system that does not read its unknown, or has too few or too many equations."""
    name = unknown.name
    check_slots(name, unknown.tensor.slots)
    if residual is None:
        raise ProgramError(f"{unknown.residual}, the residual of the system for {name}, is not defined")
    block = program.systems[name]
    together = program.determined_by(block)
    if name not in read_in(block):
        raise ProgramError(f"the system for {name} does not read {name}, and so cannot determine it")
    rows = [one.slots for one in program.residuals_in(block)]
    entries, count = (
        sum((sp.prod(slot.extent for slot in one) for one in several), sp.S.Zero)
        for several in ([one.tensor.slots for one in together], rows)
    )
    if sp.expand(entries - count) == 0:
        return
    names = " and ".join(one.name for one in together)
    if len(together) > 1:
        raise ProgramError(
            f"the system for {names} has {sp.expand(count)} equations in all but {names} have {sp.expand(entries)} "
            "entries; a system determines as many entries as it has equations"
        )
    over = f", one for each {' and '.join(slot.name for slot in residual.slots)}," if residual.slots else ""
    noun = "equation" if count == 1 else "equations"
    raise ProgramError(
        f"the system for {name} has {count} {noun}{over} but {name} has {entries} entries; "
        "a system determines as many entries as it has equations"
    )


def may_meet(index: Index, slot: Index) -> bool:
    """Whether an index may stand in a slot of another extent: it lies inside, or brackets say where it does.

    Extents with names of their own clash; ``N`` and ``N - K + 1`` may meet, and what is outside reads as zero.
    """
    return is_compound(index.extent) or is_compound(slot.extent) or in_range(index, slot.extent)


def check_slots(name: str, slots: tuple[Index, ...]) -> None:
    """Reject a definition such as ``A[i,i] = ...``, which leaves other entries undefined."""
    names = [slot.name for slot in slots]
    repeated = sorted({n for n in names if names.count(n) > 1})
    if repeated:
        raise ProgramError(f"{name} is defined with the index {repeated[0]} in two slots; use two names")


def check_equation(equation: Equation, known: Mapping[str, Tensor], scalars: set[sp.Symbol]) -> None:
    """Reject reads of unknown tensors, clashing extents, and free indices that the left side lacks."""
    where = f"in the equation of {equation.name}"
    check_numbers(equation.terms, f"{where}: ")
    guarded = any(not isinstance(slot, Index) for base in walk(equation.terms) for slot in own_slots(base))
    for base in walk(equation.terms):
        check_lookups(base, known, where)
        if isinstance(base, Access):
            check_access(base, known, where, guarded=guarded)
    extents = {slot.name: slot.extent for slot in equation.slots}
    for term in equation.terms:
        unknown = sorted(str(s) for s in term.coeff.free_symbols if s not in scalars)
        if unknown:
            raise ProgramError(f"{where}: the scalar {unknown[0]} is neither an extent nor a parameter")
        bound = {index.name: index.extent for index in term.summed}
        for index in (*free_indices(term), *term.summed):
            expected = bound.get(index.name, extents.get(index.name))
            if expected is None:
                raise ProgramError(f"{where}: the index {index.name} is free on the right, but not on the left")
            if expected != index.extent:
                raise ProgramError(
                    f"{where}: the index {index.name} has extent {index.extent} in one place, {expected} in another"
                )


def check_numbers(terms: Terms, where: str = "") -> None:
    """Reject numbers that no float holds: they would be infinite, or zero, in every computation.

    Raises:
        LimitError: for the first such number.
    """
    least, largest = sp.Float(sys.float_info.min), sp.Float(sys.float_info.max)
    for number in dict.fromkeys(n for scalar in scalars_of(terms) for n in scalar.atoms(sp.Number)):
        if number != 0 and not least <= abs(number) <= largest:
            raise LimitError(
                f"{where}the number {sp.Float(number, 3)} is beyond floats, which hold "
                f"{sys.float_info.min:.1e} to {sys.float_info.max:.1e}; scale what it multiplies"
            )


def check_lookups(base: Base, known: Mapping[str, Tensor], where: str) -> None:
    """Reject a lookup in what is no tensor of whole numbers, or has other slots or values than it is read with."""
    for lookup in own_lookups(base):
        tensor = known.get(lookup.tensor)
        if tensor is None or tensor.values != lookup.extent or len(tensor.slots) != len(lookup.slots):
            raise ProgramError(f"{where}: {lookup.name} is no entry of an input of whole numbers below {lookup.extent}")


def check_access(base: Access, known: Mapping[str, Tensor], where: str, *, guarded: bool) -> None:
    """Reject an access whose tensor is unknown, or whose slots differ in number or extent.

    In a `guarded` equation, with brackets of expressions, an index may run beyond a slot: what is outside reads zero.
    """
    if base.tensor not in known:
        raise ProgramError(f"{where}: {base.tensor} is read before it is defined")
    declared = known[base.tensor].slots
    if known[base.tensor].values is not None:
        raise ProgramError(
            f"{where}: {base.tensor} holds whole numbers; it is looked up in a slot, E[{base.tensor}[...]]"
        )
    if len(declared) != len(base.slots):
        raise ProgramError(f"{where}: {base.tensor} has {len(declared)} slots, but is read with {len(base.slots)}")
    for index, slot in zip(base.slots, declared, strict=True):
        if isinstance(index, Index) and index.extent != slot.extent and not (guarded or may_meet(index, slot)):
            raise ProgramError(
                f"{where}: {base.tensor} has extent {slot.extent} in the slot {slot.name}, "
                f"but the index {index.name} there has extent {index.extent}"
            )
