"""What a note says of equations that are computed step by step."""

from __future__ import annotations

from collections.abc import Iterator

from indexcalc.algebra.slots import place
from indexcalc.notes.blocks import Block, Match, Paragraph, Symbol
from indexcalc.notes.prose import listed, say
from indexcalc.program import Program


def recurrence_blocks(program: Program) -> Iterator[Block]:
    """For each recurrence, its tensors, and the first and the last step."""
    for recurrence in program.recurrences:
        equation = program.definitions[next(iter(recurrence.axes))]
        step = recurrence.step(equation)
        ends = [place(0), place(step.extent - 1)]
        first, last = ends if recurrence.direction > 0 else reversed(ends)
        one = len(recurrence.axes) == 1
        yield Paragraph(
            say(
                "recurrence",
                names=listed(Symbol(name) for name in recurrence.axes),
                are="is" if one else "are",
                first=Match(step, first),
                last=Match(step, last),
            )
        )
