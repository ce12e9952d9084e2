"""What a function within a bound of memory has besides: its room, what blocks need, results in given arrays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count

import sympy as sp

from indexcalc.codegen.fast.footprint import ITEM, PARTS, Footprint
from indexcalc.codegen.fast.names import Bounded, Names
from indexcalc.codegen.layout import INDENT, WIDTH, assignment, call_or_wrap
from indexcalc.codegen.scalars import scalar_node
from indexcalc.codegen.source import flat
from indexcalc.codegen.storage import axis_sizes, is_fused


def known(names: Names) -> Bounded:
    """What a bounded function needs to know."""
    assert names.bounded is not None
    return names.bounded


def room_lines(names: Names, given: Sequence[str], results: Sequence[str], others: Sequence[str]) -> list[str]:
    """``room = _Room(memory, out, dtype, results, others, *given)``.

    Args:
        names: the Python names.
        given: the variables of the arrays that the function is given.
        results: the tensors that it returns.
        others: those that are there in full besides, and may be given too.
    """
    own = names.own
    called = [tuple_of([f'"{known(names).stored[name][0]}"' for name in group]) for group in (results, others)]
    dtype = own["dtype"] if given else "np.dtype(float)"
    arguments = [own["memory"], own["out"], dtype, *called, *(name for name in given if "." not in name)]
    return [part for line in call_or_wrap(f"{own['room']} = _Room", arguments) for part in narrowed(line)]


def narrowed(line: str) -> list[str]:
    """A tuple that is too long for its line, with a line for each entry."""
    if len(line) + INDENT <= WIDTH:
        return [line]
    before = line[: len(line) - len(line.lstrip())]
    entries = line.strip().removeprefix("(").removesuffix("),").split(", ")
    return [f"{before}(", *(f"{before}    {entry}," for entry in entries), f"{before}),"]


def array_lines(name: str, maker: str, names: Names) -> list[str]:
    """``O = room.empty("O", (T, d_v))``; one axis for each slot where some are fused."""
    called, axes = known(names).stored[name]
    sizes = tuple_of(axis_sizes(axes, names.scope.scalars))
    lines = call_or_wrap(f"{names.scope.tensors[name]} = {names.own['room']}.{maker}", [f'"{called}"', sizes])
    if not is_fused(axes):
        return lines
    split = ", ".join(flat(scalar_node(slot.extent, names.scope.scalars)) for axis in axes for slot in axis)
    array = names.scope.tensors[name]
    return [*lines, f"{array} = {array}.reshape({split})"]


def held_lines(footprint: Footprint, names: Names) -> Iterator[str]:
    """``room.held["K"] = ...``: the bytes of what is there in full."""
    yield from entry_lines(f"{names.own['room']}.held", footprint, names, {}, 1)


def need_lines(number: int, footprint: Footprint, steps: Sequence[sp.Symbol], names: Names) -> Iterator[str]:
    """A function from the lengths of a block to the bytes that each tensor takes in it."""
    own = names.own
    yield ""
    yield f"def {own['need']}_{number}({own['steps']}):"
    yield f"    {own['need']} = {{}}"
    lengths = {symbol: f"{own['steps']}[{place}]" for place, symbol in enumerate(steps)}
    for line in entry_lines(own["need"], footprint, names, lengths, 2):
        yield f"    {line}"
    yield f"    return {own['need']}"
    yield ""


def check_line(names: Names, number: int = 0, dimensions: int = 0) -> str:
    """``room.check(need_1((1,)))``: refuse a bound that a block of one entry does not keep, before work begins.

    Args:
        names: the Python names.
        number: of the loop; 0 where there are none.
        dimensions: of the loop.
    """
    ones = tuple_of(["1"] * dimensions)
    need = f"{names.own['need']}_{number}({ones})" if number else "{}"
    return f"{names.own['room']}.check({need})"


def entry_lines(
    target: str, footprint: Footprint, names: Names, lengths: Mapping[sp.Symbol, str], depth: int
) -> Iterator[str]:
    """An assignment for each tensor."""
    scalars = {**names.scope.scalars, ITEM: f"{names.own['dtype']}.itemsize", **lengths}
    spare = (f"{names.own['part']}_{number}" for number in count(1))
    for name, value in footprint.items():
        own = name.removeprefix(PARTS.format(""))
        called = name.replace(own, known(names).stored[own][0]) if own in known(names).stored else name
        text = scalar_node(sp.collect(sp.expand(value), ITEM), scalars)
        yield from assignment(f'{target}["{called}"]', text, spare, depth)


def put_lines(names: Iterable[str], every: Names) -> Iterator[str]:
    """``Y = room.put("Y", Y)``: results that were computed outside of blocks, in the arrays that are given for them."""
    for name in names:
        called = known(every).stored[name][0]
        yield f'{called} = {every.own["room"]}.put("{called}", {called})'


def tuple_of(parts: Sequence[str]) -> str:
    """The parts as a Python tuple."""
    return f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(parts)})"
