"""What a program moves between memory and arithmetic, and what it holds at once.

Equations run one after the other: each reads every tensor that it names once and writes its own once.
What is inside an equation is neither moved nor held.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from indexcalc.algebra.terms import Index, accesses_of, tensors_of
from indexcalc.cost.counts import Count, span, total
from indexcalc.program import Equation, Program
from indexcalc.rewrite.cost import Sizes, size_of


def entries_read(equation: Equation, sizes: Sizes) -> Count:
    """The entries that an equation reads: every tensor once, of ``A[i,i]`` the diagonal."""
    return total(span(indices_read(equation, name, sizes)) for name in tensors_of(equation.terms))


def indices_read(equation: Equation, name: str, sizes: Sizes) -> tuple[Index, ...]:
    """The distinct indices of the access that touches most entries of a tensor."""
    distinct = [tuple(dict.fromkeys(entry.slots)) for entry in accesses_of(equation.terms, name)]
    return max(distinct, key=lambda indices: size_of(indices, sizes))


def entries_written(equation: Equation) -> Count:
    """The entries of an equation's left side."""
    return span(equation.lhs.slots)


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

    An intermediate lives from the equation that makes it to the last one that reads it, both included.

    Args:
        passes: programs that share their tensors by name; a later one may make a tensor again.
        results: the tensors that the caller gets, and holds beside the inputs.
    """
    equations = [equation for program in passes for equation in program.equations]
    reads = [frozenset(tensors_of(equation.terms)) for equation in equations]
    lives = [
        (start, last_use(equations, reads, start), equation.lhs)
        for start, equation in enumerate(equations)
        if equation.name not in results
    ]
    found = []
    for place, equation in enumerate(equations):
        held = [entry for start, end, entry in lives if start <= place <= end]
        size = total(span(entry.slots) for entry in held)
        found.append(Moment(equation.name, tuple(entry.tensor for entry in held), size))
    return found


def last_use(equations: Sequence[Equation], reads: Sequence[Collection[str]], start: int) -> int:
    """The place of the last equation that reads what the one at `start` makes, before it is made again."""
    name, last = equations[start].name, start
    for place in range(start + 1, len(equations)):
        if equations[place].name == name:
            break
        if name in reads[place]:
            last = place
    return last


def largest(found: Sequence[Moment]) -> tuple[Moment, ...]:
    """The moments of which one holds most, whatever the sizes: those that no other one covers."""
    distinct: dict[Count, Moment] = {}
    for moment in found:
        distinct.setdefault(moment.entries, moment)
    counts = tuple(distinct)
    return tuple(
        moment for size, moment in distinct.items() if not any(size != other and other.covers(size) for other in counts)
    )
