"""A failing program made small: lines, requests and parts of formulas are left out as long as it still fails alike."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from tests.campaign.case import failures
from tests.campaign.formulas import (
    Formula,
    Number,
    Over,
    Plus,
    Program,
    Read,
    Statement,
    Symbol,
    Tensor,
    Times,
    Use,
    children,
    free,
    nodes,
    rebuilt,
)

Verdict = Callable[[Program], str]

PATIENCE = 120.0
"""The most seconds for one program."""


def kind_of(line: str) -> str:
    """What a finding is, without names, numbers and sizes: findings of one kind have one cause, as far as we know."""
    style, kind, *rest = line.split(": ", 2)
    if kind == "wrong":
        return f"{style}: {kind}"
    if kind == "warning":
        return f"{style}: {kind}: {rest[0].split(' at ')[0]}"
    return f"{style}: {kind}: {re.sub(r'[0-9]+|dL/d[^ ]+', '#', rest[0].split(' at ')[0])}" if rest else line


def smaller(program: Program, verdict: Verdict, patience: float = PATIENCE) -> Program:
    """A smaller program whose first finding is of the same kind.

    Args:
        program: a program with a finding.
        verdict: the findings on a program, a line each.
        patience: the most seconds to spend.
    """
    wanted = kind_of(failures(verdict(program))[0])
    end = time.monotonic() + patience
    progress = True
    while progress:
        progress = False
        for candidate in steps(program):
            if time.monotonic() > end:
                return program
            if candidate != program and any(kind_of(line) == wanted for line in failures(verdict(candidate))):
                program, progress = candidate, True
                break
    return program


def steps(program: Program) -> Iterator[Program]:
    """Programs that are a step smaller, the boldest steps first."""
    yield from halves(program)
    yield from without_requests(program)
    yield from without_lines(program)
    yield from without_inputs(program)
    yield from with_less_in_formulas(program)


def halves(program: Program) -> Iterator[Program]:
    """Only the late lines, what they read being given; only what one tensor needs; only the early lines."""
    count = len(program.lines)
    if count < 4:
        return
    for left_out in (count - 2, 7 * count // 8, 3 * count // 4, count // 2, count // 4, count // 8):
        if 0 < left_out < count:
            yield later(program, left_out)
    for name in reversed(program.results):
        yield cone(program, name)
    for kept in (count // 4, count // 2, 3 * count // 4, 7 * count // 8):
        if 0 < kept < count:
            yield asked_anew(replace(program, lines=program.lines[:kept]))


def reads(lines: Sequence[Statement | Use]) -> set[str]:
    """The tensors that the lines read."""
    made = [one for line in lines for one in (line.statements if isinstance(line, Use) else (line,))]
    return {node.tensor for one in made for node in nodes(one.right) if isinstance(node, Read)}


def later(program: Program, left_out: int) -> Program:
    """Without the first lines: what the others read of them is an input."""
    lines = program.lines[left_out:]
    early = replace(program, lines=program.lines[:left_out]).statements
    wanted = reads(lines)
    kept = tuple(tensor for tensor in program.inputs if tensor.name in wanted)
    more = tuple(Tensor(made.name, made.axes) for made in early if made.name in wanted)
    return asked_anew(replace(program, lines=lines, inputs=(*kept, *more)))


def cone(program: Program, name: str) -> Program:
    """Only the lines that a tensor needs."""
    lines: list[Statement | Use] = []
    needed = {name}
    for line in reversed(program.lines):
        made = {one.name for one in (line.statements if isinstance(line, Use) else (line,))}
        if made & needed:
            lines.insert(0, line)
            needed |= reads([line])
    kept = tuple(tensor for tensor in program.inputs if tensor.name in needed)
    return asked_anew(replace(program, lines=tuple(lines), inputs=kept))


def asked_anew(program: Program) -> Program:
    """The program with all of its results as outputs, and what else is asked as far as it still means something."""
    known = {made.name for made in program.statements}
    inputs = {tensor.name for tensor in program.inputs}
    results = program.results
    outputs = [of for _, of in program.upstream if of in known]
    outputs += [name for name in results if name not in outputs]
    if program.loss in known:
        outputs = []
    names = {of: name for name, of in program.upstream}
    everything = known | inputs
    ended = {name for name in outputs if name in results}
    targets = tuple(name for name in program.targets if name in everything - ended) or tuple(inputs)
    return replace(
        program,
        upstream=tuple((names.get(of, f"G_{of}"), of) for of in outputs),
        loss=program.loss if program.loss in known else None,
        targets=targets,
        written=True,
        names=tuple((of, name) for of, name in program.names if of in everything and of not in outputs),
        recompute=tuple(name for name in program.recompute if name in known - set(results) - set(outputs)),
        claims=tuple(one for one in program.claims if set(one.tensors) <= everything),
        assumed=tuple(one for one in program.assumed if set(one.tensors) <= inputs),
    )


def without_requests(program: Program) -> Iterator[Program]:
    """One request less."""
    if program.title:
        yield replace(program, title="")
    if any(isinstance(line, Statement) and line.doc for line in program.lines):
        plain = (replace(line, doc="") if isinstance(line, Statement) else line for line in program.lines)
        yield replace(program, lines=tuple(plain))
    for field in ("claims", "names", "recompute", "assumed"):
        held = getattr(program, field)
        if held:
            yield replace(program, **{field: ()})
        if len(held) > 1:
            for place in range(len(held)):
                yield replace(program, **{field: held[:place] + held[place + 1 :]})
    if len(program.targets) > 1:
        for name in program.targets:
            yield replace(program, targets=(name,), written=True)
        for place in range(len(program.targets)):
            yield replace(program, targets=program.targets[:place] + program.targets[place + 1 :], written=True)
    if len(program.upstream) > 1 and program.written:
        for place in range(len(program.upstream)):
            yield replace(program, upstream=program.upstream[:place] + program.upstream[place + 1 :])


def without_lines(program: Program) -> Iterator[Program]:
    """One equation less: what nobody reads is left out, the rest becomes an input; a use is written out."""
    read = {node.tensor for made in program.statements for node in nodes(made.right) if isinstance(node, Read)}
    for place in reversed(range(len(program.lines))):
        line = program.lines[place]
        before, after = program.lines[:place], program.lines[place + 1 :]
        if isinstance(line, Use):
            out = tuple(replace(made, hidden=False) for made in line.statements)
            yield asked_anew(replace(program, lines=(*before, *out, *after)))
            continue
        if len(program.lines) == 1:
            continue
        if line.name not in read:
            yield asked_anew(replace(program, lines=(*before, *after)))
        else:
            inputs = (*program.inputs, Tensor(line.name, line.axes, "positive"))
            yield asked_anew(replace(program, lines=(*before, *after), inputs=inputs))
            other = (*program.inputs, Tensor(line.name, line.axes))
            yield asked_anew(replace(program, lines=(*before, *after), inputs=other))


def without_inputs(program: Program) -> Iterator[Program]:
    """Without an input, an index or a parameter that nothing reads; with plain kinds of inputs."""
    read = {node.tensor for made in program.statements for node in nodes(made.right) if isinstance(node, Read)}
    used = {letter for made in program.statements for node in nodes(made.right) for letter in letters_of(node)}
    used |= {letter for axes in program.axes.values() for axis in axes for letter in axis}
    lines = any(isinstance(line, Use) for line in program.lines)
    spare = [tensor for tensor in program.inputs if tensor.name not in read]
    if spare and not lines:
        kept = tuple(tensor for tensor in program.inputs if tensor.name in read)
        yield asked_anew(replace(program, inputs=kept))
    kept_indices = tuple(pair for pair in program.indices if pair[0] in used)
    sizes = {part for _, extent in kept_indices for part in extent}
    if kept_indices != program.indices and named_sizes(program) <= sizes:
        yield replace(program, indices=kept_indices)
    for place, tensor in enumerate(program.inputs):
        if tensor.kind != "any":
            others = (*program.inputs[:place], replace(tensor, kind="any"), *program.inputs[place + 1 :])
            yield replace(program, inputs=others)
    if program.parameters and not lines:
        yield replace(program, parameters=program.parameters[:-1])


def named_sizes(program: Program) -> set[str]:
    """The extents that stand in formulas as numbers."""
    found = {node.name for made in program.statements for node in nodes(made.right) if isinstance(node, Symbol)}
    return found & set(program.sizes)


def letters_of(node: Formula) -> tuple[str, ...]:
    """The indices that a node speaks of itself."""
    return (*free(node), *(node.indices if isinstance(node, Over) else ()))


def with_less_in_formulas(program: Program) -> Iterator[Program]:
    """One formula smaller; an equation that others read keeps its indices."""
    read = reads(program.lines)
    for place in reversed(range(len(program.lines))):
        line = program.lines[place]
        if isinstance(line, Use):
            continue
        wanted = {letter for axis in line.axes for letter in axis}
        for right in reductions(line.right):
            changed = replace(line, right=right)
            if set(free(right)) != wanted:
                if line.name in read or line.name == program.loss:
                    continue
                changed = replace(changed, axes=tuple((letter,) for letter in free(right)))
            yield asked_anew(replace(program, lines=(*program.lines[:place], changed, *program.lines[place + 1 :])))


def reductions(formula: Formula) -> Iterator[Formula]:
    """Formulas that are a step smaller: a part in the place of the whole, a part left out, a part smaller."""
    inner = children(formula)
    yield from inner
    if isinstance(formula, Plus | Times) and len(inner) > 2:
        for place in range(len(inner)):
            yield rebuilt(formula, inner[:place] + inner[place + 1 :])
    if isinstance(formula, Over) and len(formula.indices) > 1:
        yield replace(formula, indices=formula.indices[:1])
    if inner and not isinstance(formula, Number):
        for place, child in enumerate(inner):
            for less in reductions(child):
                if isinstance(formula, Over) and not set(formula.indices) <= set(free(less)):
                    continue
                yield rebuilt(formula, (*inner[:place], less, *inner[place + 1 :]))
