"""What a program moves between memory and arithmetic, and what it holds at once.

Equations run one after the other: each reads every tensor that it names once and writes its own once.
What is inside an equation is neither moved nor held.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from indexcalc.algebra.slots import indices_of_slot
from indexcalc.algebra.terms import (
    Access,
    Index,
    MatrixFunction,
    occurring_indices,
    own_lookups,
    tensors_of,
    walk,
)
from indexcalc.cost.counts import NOTHING, Count, less, span, total
from indexcalc.program import Equation, Program, Tensor
from indexcalc.rewrite.cost import Sizes, size_of

NO_TENSORS: Mapping[str, Tensor] = {}


def entries_read(equation: Equation, sizes: Sizes, tensors: Mapping[str, Tensor] = NO_TENSORS) -> Count:
    """The entries that an equation reads: every tensor once, of ``A[i,i]`` the diagonal.

    Windows overlap: of a tensor among `tensors`, no more entries are read than it has.
    """
    return total(map(span, indices_read(equation, sizes, tensors).values()))


def indices_read(
    equation: Equation, sizes: Sizes, tensors: Mapping[str, Tensor] = NO_TENSORS
) -> Mapping[str, tuple[Index, ...]]:
    """By tensor, the distinct indices of the access that touches most of its entries."""
    distinct: dict[str, list[tuple[Index, ...]]] = {name: [] for name in tensors_of(equation.terms)}
    windows = set[str]()
    for base in walk(equation.terms):
        if isinstance(base, Access):
            distinct[base.tensor].append(occurring_indices(base))
            windows.update(() if base.is_plain else (base.tensor,))
        elif isinstance(base, MatrixFunction):
            distinct[base.tensor].append(occurring_indices(base.matrix))
        for lookup in own_lookups(base):
            distinct[lookup.tensor].append(indices_of_slot(lookup))

    def size(indices: tuple[Index, ...]) -> int:
        return size_of(indices, sizes)

    found = {name: max(each, key=size) for name, each in distinct.items()}
    return {
        name: min(tensors[name].slots, most, key=size) if name in windows and name in tensors else most
        for name, most in found.items()
    }


def entries_written(equation: Equation) -> Count:
    """The entries of an equation's left side."""
    return span(equation.slots)


@dataclass(frozen=True, slots=True)
class Moment:
    """What is held while one equation runs, over inputs and results.

    Attributes:
        equation: the tensor that is being made.
        held: the intermediate tensors that are there, in the order in which they were made.
        entries: how many entries these have together.
    """

    equation: str
    held: tuple[str, ...]
    entries: Count


def moments(passes: Sequence[Program], results: Collection[str]) -> list[Moment]:
    """What is held while each equation of some passes runs, one pass after the other.

    An intermediate lives from the equation that makes it to the last one that reads it, both included. What a
    recurrence makes is there, in full, while any of its equations runs: they take turns, step by step.

    Args:
        passes: programs that share their tensors by name; a later one may make a tensor again.
        results: the tensors that the caller gets, and holds beside the inputs.
    """
    equations = [equation for program in passes for equation in program.computed]
    loops, before = list[range](), 0
    for program in passes:
        places = {equation.name: before + place for place, equation in enumerate(program.computed)}
        own = [[places[name] for name in one.axes if name in places] for one in program.recurrences]
        loops += [range(min(found), max(found) + 1) for found in own if found]
        before += len(program.computed)
    return moments_of(equations, results, loops)


def moments_of(equations: Sequence[Equation], results: Collection[str], loops: Iterable[range] = ()) -> list[Moment]:
    """What is held while each of some equations runs, one after the other; those of a loop run together."""
    loop_of = {place: loop for loop in loops for place in loop}
    lives: list[tuple[int, int, Access]] = []
    for place, (equation, last) in enumerate(zip(equations, last_uses(equations), strict=True)):
        loop = loop_of.get(place, range(place, place + 1))
        if equation.name not in results:
            lives.append((loop.start, max(last, loop.stop - 1), equation.lhs))
    begins, ends = dict[int, list[int]](), dict[int, list[int]]()
    for number, (start, end, _) in enumerate(lives):
        begins.setdefault(start, []).append(number)
        ends.setdefault(end, []).append(number)
    found, alive, size = [], dict[int, Access](), NOTHING
    for place, equation in enumerate(equations):
        for number in ends.get(place - 1, ()):
            size = less(size, span(alive.pop(number).indices))
        for number in begins.get(place, ()):
            alive[number] = lives[number][2]
            size = total((size, span(alive[number].indices)))
        held = alive.values()
        found.append(Moment(equation.name, tuple(entry.tensor for entry in held), size))
    return found


def last_uses(equations: Sequence[Equation]) -> list[int]:
    """For each equation the place of the last one that reads what it makes, before that is made again."""
    last, made = list(range(len(equations))), dict[str, int]()
    for place, equation in enumerate(equations):
        for name in tensors_of(equation.terms):
            if name in made and name != equation.name:
                last[made[name]] = place
        made[equation.name] = place
    return last


def largest(found: Sequence[Moment]) -> tuple[Moment, ...]:
    """The moments of which one holds most, whatever the sizes: those that no other one covers."""
    distinct: dict[Count, Moment] = {}
    for moment in found:
        distinct.setdefault(moment.entries, moment)
    best: list[Count] = []
    # A count that covers another is not smaller in its numbers, nor, where these are equal, in its degree.
    for size in sorted(distinct, key=weight, reverse=True):
        if not any(other.covers(size) for other in best):
            best.append(size)
    return tuple(moment for size, moment in distinct.items() if size in best)


def weight(count: Count) -> tuple[int, int]:
    """The sum of the numbers of a count, and that of its degrees."""
    return sum(number for _, number in count.terms), sum(number * len(monomial) for monomial, number in count.terms)
