"""The checks on an expression before it is lowered: every name means something, every index is free where it should be.

They look at what the author wrote, sugar and all, so that each error points to a place in it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from indexcalc.algebra.terms import Index
from indexcalc.language.lines import EquationLine
from indexcalc.language.scope import ARGUMENTS, FUNCTIONS, REDUCTIONS, Scope
from indexcalc.language.source import suggestion
from indexcalc.language.sugar import EXTREMES, MATRICES, keeps_indices
from indexcalc.language.syntax import (
    At,
    Bracket,
    Call,
    Entry,
    Expression,
    Gradient,
    Reduce,
    Scalar,
    Slot,
    beyond_limits,
    children,
    names_in_slot,
    written,
)
from indexcalc.language.unsupported import FUNCTIONS as ELSEWHERE

FreeIndices = Mapping[str, At | None]
"""The names of the free indices, each with the place where it first occurs."""


def is_delta(node: Entry, scope: Scope) -> bool:
    """Whether ``delta[i,j]`` is Kronecker's: it is, unless the spec has a tensor of that name."""
    return node.name == "delta" and node.slots is not None and "delta" not in {*scope.tensors, *scope.later}


def check_expression(node: Expression, scope: Scope) -> FreeIndices:
    """The free indices of a well-formed expression.

    Raises:
        SpecError: at the place of the first mistake.
    """
    beyond = beyond_limits(node)
    if beyond is not None:
        where, what = beyond
        raise scope.source.error(f"{what}; give a part of it a name by an equation", where.at)
    return free_in(node, scope)


def free_in(node: Expression, scope: Scope) -> FreeIndices:
    """The free indices, after a look at every name on the way."""
    match node:
        case Entry(slots=None):
            scope.scalar(node)
            return {}
        case Entry(slots=slots) if slots is not None:
            check_entry(node, slots, scope)
            return places_in(slots, scope)
        case Gradient(slots=slots):
            scope.gradient(node)
            return places_in(slots or (), scope)
        case Bracket(left=left, relation=relation, right=right, at=at):
            if relation == "==":
                check_pair((left, right), scope, at)
            scope.slot(left)
            scope.slot(right)
            return places_in((left, right), scope)
        case Reduce():
            return free_in_reduce(node, scope)
        case Scalar(value=value, at=at):
            scope.own_symbols(value, at)
            return {}
        case Call():
            check_call(node, scope)
    found: dict[str, At | None] = {}
    for child in children(node):
        for name, at in free_in(child, scope).items():
            found.setdefault(name, at)
    return found


def check_entry(node: Entry, slots: tuple[Slot, ...], scope: Scope) -> None:
    """A known tensor with its slots, or a delta."""
    if not is_delta(node, scope):
        scope.entry(scope.tensor(node.name, node.at), node, node.name)
    elif node.layout:
        raise scope.source.error("delta joins two indices, one in each slot", node.at)
    else:
        check_pair(slots, scope, node.at)


def places_in(slots: tuple[Slot, ...], scope: Scope) -> FreeIndices:
    """Each index in some slots with its first place."""
    names = [name for slot in slots for name in names_in_slot(slot) if name.name in scope.indices]
    return {name.name: name.at for name in reversed(names)}


def check_pair(slots: tuple[Slot, ...], scope: Scope, at: At | None) -> None:
    """A delta joins two indices of one extent."""
    if len(slots) != 2:
        raise scope.source.error(f"delta has two slots, but is written with {len(slots)}", at)
    left, right = (scope.slot(slot) for slot in slots)
    if isinstance(left, Index) and isinstance(right, Index) and left.extent != right.extent:
        raise scope.source.error(
            f"a delta joins indices of one extent, but {left.name} has extent {left.extent}{scope.index_line(left)} "
            f"and {right.name} has extent {right.extent}{scope.index_line(right)}",
            slots[1].at,
        )


def check_call(node: Call, scope: Scope) -> None:
    """A known function with the right number of arguments."""
    if node.function not in FUNCTIONS:
        along = "i,j" if node.function in MATRICES else "k"
        is_reduction = node.function in REDUCTIONS
        hint = f"; write {node.function}[{along}](...)" if is_reduction else unknown(node.function, FUNCTIONS)
        raise scope.source.error(f"the function {node.function} is not known{hint}", node.at)
    expected = ARGUMENTS.get(node.function, 1)
    several = node.function in ("max", "min") and len(node.args) > expected
    if len(node.args) != expected and not several:
        count = "one argument" if expected == 1 else f"{expected} arguments"
        along = ""
        if node.function in EXTREMES:
            count, along = f"{count} or more", f"; along an index it is {node.function}[k](...)"
        found = f"{node.function} takes {count}, but is written with {len(node.args)}{along}"
        raise scope.source.error(found, node.at)


def unknown(name: str, known: Collection[str]) -> str:
    """What to write instead of a function that other languages have, else what is meant or known."""
    if name in ELSEWHERE:
        return f"; {ELSEWHERE[name]}"
    stem = name.partition("_")[0]
    if stem in REDUCTIONS and stem != name:
        return f"; indices stand in square brackets: {stem}[k](...)"
    return suggestion(name, known) or f"; known are {', '.join(sorted(known))}"


def free_in_reduce(node: Reduce, scope: Scope) -> FreeIndices:
    """The free indices of the body, without those that the sum binds."""
    if node.operator not in REDUCTIONS:
        hint = unknown(node.operator, REDUCTIONS)
        if node.operator in scope.tensors:
            hint = "; a product is written with *"
        elif node.operator in FUNCTIONS:
            hint = f"; {node.operator} takes one entry: write {node.operator}(...)"
        raise scope.source.error(f"{node.operator}[...](...) is not known{hint}", node.at)
    if node.operator in MATRICES and not node.inverse:
        message = f"{node.operator} stands in equations; give it a name there, and use the name here"
        raise scope.source.error(message, node.at)
    inner = free_in(node.body, scope)
    seen: set[str] = set()
    for slot in node.indices:
        if slot.expression is not None:
            raise scope.source.error(f"{node.operator} runs over indices, not over {slot.name}", slot.at)
        scope.index(slot)
        if slot.name in seen:
            raise scope.source.error(f"{node.operator} has the index {slot.name} twice", slot.at)
        if slot.name not in inner:
            raise scope.source.error(
                f"{node.operator} over {slot.name}, but {slot.name} does not occur inside", slot.at
            )
        seen.add(slot.name)
    for slot, extent in zip(node.indices, node.extents, strict=False):
        declared = scope.index(slot).extent
        if scope.own_symbols(extent, node.at) != declared:
            raise scope.source.error(
                f"this sum over {slot.name} has {extent} terms, but {slot.name} has extent {declared}", node.at
            )
    if keeps_indices(node.operator):
        return inner
    return {name: at for name, at in inner.items() if name not in seen}


def check_left_side(left: Entry, scope: Scope) -> None:
    """The slots of a definition are declared, and distinct."""
    seen: set[str] = set()
    for slot in left.slots or ():
        if slot.expression is not None:
            raise scope.source.error(
                f"a definition has an index in each slot, not {slot.name}; "
                f"a delta says where the entry goes: write {left.name}[a] = sum[...](... * delta[a,{slot.name}])",
                slot.at,
            )
        scope.index(slot)
        if slot.name in seen:
            raise scope.source.error(
                f"{left.name} is defined with the index {slot.name} in two slots; "
                "use two names, and delta[i,j] for a diagonal",
                slot.at,
            )
        seen.add(slot.name)


def check_equation_line(line: EquationLine, scope: Scope) -> None:
    """Both sides have the same free indices; a single term may lack some that another term has."""
    left, right = line.left, check_free(line, scope)
    for slot in left.slots or ():
        if slot.name not in right:
            raise scope.source.error(
                f"the index {slot.name} stands on the left, but is free nowhere on the right: "
                "leave it out on the left, or use it on the right",
                slot.at,
            )


def check_piece(line: EquationLine, scope: Scope) -> None:
    """The right side of a line for some steps has no free index that the left side lacks; other lines may have more."""
    check_free(line, scope)


def check_free(line: EquationLine, scope: Scope) -> FreeIndices:
    """The free indices of the right side, all of which stand on the left."""
    left, right = line.left, check_expression(line.right, scope)
    names = [slot.name for slot in left.slots or ()]
    for name, at in right.items():
        if name not in names:
            whole = written(left.name, [*names, name], (*left.layout, 1) if left.layout else ())
            raise scope.source.error(
                f"the index {name} is free on the right, but not on the left: "
                f"sum over it, sum[{name}](...), or define {whole}",
                at,
            )
    return right
