"""The body of one fast function: straight lines and loops over blocks, from a schedule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from indexcalc.algebra.terms import Index
from indexcalc.codegen.dialect import NUMPY
from indexcalc.codegen.fast.block import root_text, straight_text
from indexcalc.codegen.fast.blocking import Blocking, Loop, Schedule, parts_of
from indexcalc.codegen.fast.bounded import check_line, held_lines, known
from indexcalc.codegen.fast.conditions import Stack, Steps
from indexcalc.codegen.fast.footprint import Footprint, Measure
from indexcalc.codegen.fast.library import Body, Library, Setting
from indexcalc.codegen.fast.loops import loop_text
from indexcalc.codegen.fast.names import Names, with_steps
from indexcalc.codegen.fast.scheduling import scheduled
from indexcalc.codegen.fast.segments import Segments
from indexcalc.codegen.fast.stepping import StepsText
from indexcalc.codegen.layout import call_or_wrap
from indexcalc.codegen.special import BOUNDED, FAST
from indexcalc.codegen.statements import Kind, Statement


def function_body(problem: Blocking, names: Names, block: str | None = None, stem: str = "") -> Body:
    """The lines that compute the wanted tensors from the given ones; every tensor ends up under its own name."""
    return body_of(scheduled(problem, block), problem, names, block)


def dtype_lines(own: str, variables: Sequence[str]) -> list[str]:
    """The dtype of new arrays: what the given ones have in common, and never one of integers."""
    there = [name for name in variables if "." not in name] or list(variables)
    return call_or_wrap(f"{own} = np.result_type", [*there, "np.float32"])


IN_NUMPY = Library(
    dialect=NUMPY,
    template="fast_module.py.jinja2",
    setting=Setting("threads", "int | None = None", "how many threads work on blocks; by default one for each core."),
    body=function_body,
    like=lambda own: own["dtype"],
    dtype=lambda own: own["dtype"],
    like_lines=dtype_lines,
    ends=("{0} = {0}[()]",),
    decorators=(),
    variables=("memory", "out", "room", "need"),
    private={**NUMPY.private, **FAST, **BOUNDED},
    has_steps=True,
    copies_windows=True,
    has_bounds=True,
)
"""NumPy: blocks over threads, each in memory that is used again."""


def body_of(schedule: Schedule, problem: Blocking, names: Names, block: str | None) -> Body:
    """The lines of a schedule."""
    lines: list[str] = []
    # Where memory has a bound: what is there in full and what blocks need, before there is anything.
    held: Footprint = {}
    needs: list[str] = []
    arrays: list[str] = []
    whole: set[str] = set()
    loops = 0
    for last, part in parts_of(schedule):
        later = needed_after(problem, schedule, last)
        if isinstance(part, Loop):
            loops += 1
            whole.update(name for name in part.indices if name in later)
            text = loop_text(part, loops, later, names, problem.large, is_fixed=block is not None)
            lines += text.lines()
            if names.bounded is not None:
                held = {**held, **text.in_full(problem.wanted)}
                arrays += text.result_lines()
                needs += [*text.need_lines(), check_line(names, loops, len(part.extents))]
        elif part[0].kind is Kind.ROOT:
            lines += root_text(part[0], names)
        else:
            straight = straight_text(part, later, problem.wanted, names, problem.large)
            lines += straight.lines()
            if names.bounded is not None:
                about = known(names)
                measure = Measure(straight.block, straight.writer, about.slots, about.whole, results=problem.wanted)
                held = {**held, **measure.footprint()}
    before = (*held_lines(held, names), *(needs or [check_line(names)]), *arrays) if names.bounded is not None else ()
    return Body((*before, *lines), schedule, frozenset(whole))


def stepping_body(
    segments: Segments,
    problem: Blocking,
    given: Mapping[str, tuple[Index, ...]],
    names: Names,
    block: str | None = None,
) -> Body:
    """The lines of a pass with loops over steps; statements between the loops run in blocks where that is worth it.

    Args:
        segments: the pass.
        problem: what is known of sizes.
        given: the slots of the tensors that are there before.
        names: the Python names.
        block: the name of an index to cut into blocks.
    """
    there = dict(given)
    places = {name: axis for part in segments.parts if isinstance(part, Steps) for name, axis in part.places.items()}
    names = replace(names, steps={**names.steps, **places})
    lines: list[str] = []
    schedule: list[Statement | Loop] = []
    whole: set[str] = set()
    for stack in segments.stacks:
        lines += stack_lines(stack, names)
        there[stack.name] = stack.axes
    for number, part in enumerate(segments.parts):
        if isinstance(part, Steps):
            lines += StepsText(part, with_steps(names, segments.variables)).lines()
            schedule += [Statement(name, axes, ()) for name, axes, _ in part.arrays]
            there.update({name: axes for name, axes, _ in part.arrays})
            there.update({stack.name: stack.axes for stack, _ in part.stacks})
            continue
        later = {*segments.wanted, *segments.read_behind(number)}
        wanted = tuple(statement.name for statement in part if statement.name in later)
        local = Blocking(part, there, wanted, problem.sizes, problem.fused)
        # Blocks are worth their calls where something is too large to be there in full.
        order = scheduled(local, block) if local.large or block is not None else part
        body = body_of(order, local, replace(names, windows=local.windows), block)
        lines += body.lines
        schedule += body.schedule
        whole |= body.whole
        there.update({statement.name: statement.axes for statement in part})
    return Body(tuple(lines), tuple(schedule), frozenset(whole))


def stack_lines(stack: Stack, names: Names) -> list[str]:
    """The inputs of a stack put together."""
    tensors = names.scope.tensors
    members = ", ".join(tensors[member] for member in stack.members)
    axis = [f"axis={stack.place}"] if stack.place else []
    return call_or_wrap(f"{tensors[stack.name]} = np.stack", [f"[{members}]", *axis])


def needed_after(problem: Blocking, schedule: Schedule, number: int) -> frozenset[str]:
    """The tensors that are wanted, or read after an item of the schedule; windows that a loop shows itself are not."""
    found = set(problem.wanted)
    for item in schedule[number + 1 :]:
        statements = item.statements if isinstance(item, Loop) else (item,)
        shown = {s.name for s in statements if isinstance(item, Loop) and s.moves}
        found.update(name for s in statements for name in s.reads if name not in shown)
    return frozenset(found)
