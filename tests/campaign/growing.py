"""Whole programs: what is declared, equation after equation, and what is asked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from tests.campaign.arithmetic import Arithmetic
from tests.campaign.drawing import CELLS, LETTERS, LIMIT, ODD, PROBE, TENSORS, Drawing
from tests.campaign.evaluation import Evaluation
from tests.campaign.formulas import (
    Apply,
    Axis,
    Formula,
    Identity,
    Number,
    Over,
    Plus,
    Power,
    Program,
    Read,
    Statement,
    Symbol,
    Tensor,
    Times,
    Use,
    entry,
    free,
    nodes,
)
from tests.campaign.kinds import KINDS
from tests.campaign.oracle import sample
from tests.campaign.shipped import SHIPPED, Placed, used

TRIES = 12
"""How often an equation is drawn until its values are tame."""

LENGTHS = ((0.35, 1, 3), (0.45, 4, 10), (0.17, 11, 40), (0.03, 60, 300))
"""How many equations programs have: the share of programs, and the least and most."""


@dataclass(frozen=True)
class Wishes:
    """What is asked of a random program.

    Attributes:
        lengths: how many equations, as in `LENGTHS`.
        uses: whether shipped specs may be used.
    """

    lengths: tuple[tuple[float, int, int], ...] = LENGTHS
    uses: bool = True


ANY = Wishes()
"""Programs of all lengths."""


def program_of(seed: int, wishes: Wishes = ANY) -> Program:
    """The program of a seed."""
    rng = np.random.default_rng([77, seed])
    drawing = start(rng)
    shares = [share for share, _, _ in wishes.lengths]
    _, least, most = wishes.lengths[int(rng.choice(len(shares), p=np.asarray(shares) / sum(shares)))]
    count = int(rng.integers(least, most + 1))
    while len(drawing.lines) < count:
        if drawing.chance(0.08):
            given(drawing)
        line = use(drawing) if wishes.uses and drawing.chance(0.04) else None
        add(drawing, line or equation(drawing, shallow=count > 40))
    return asked(drawing, seed)


def start(rng: np.random.Generator) -> Drawing:
    """Indices, parameters, and the first inputs."""
    drawing = Drawing(rng, {}, {}, [], list(TENSORS))
    names = [name for name in LETTERS if drawing.chance(0.65)] or ["N"]
    for name in names:
        count = int(rng.integers(1, len(LETTERS[name]) + 1))
        for letter in LETTERS[name][:count]:
            drawing.indices[letter] = (name,)
    if drawing.chance(0.25):
        for letter in "αγ"[: int(rng.integers(1, 3))]:
            drawing.indices[letter] = (int(rng.integers(1, 4)),) if letter == "α" else (2,)
    if drawing.chance(0.2):
        one, other = (LETTERS[name][0] for name in rng.choice(names, 2))
        if drawing.indices[one] != drawing.indices[other]:
            drawing.indices["ω"] = drawing.indices[one] + drawing.indices[other]
    for name, value in (("eps", "0.1"), ("tau", "0.7"), ("power", "3")):
        if drawing.chance(0.3):
            drawing.parameters[name] = value
    drawing.kinds = [KINDS[int(place)] for place in rng.choice(len(KINDS), int(rng.integers(3, 9)), replace=False)]
    if drawing.chance(0.2):
        drawing.names = [*ODD, *drawing.names]
    drawing.names = [name for name in drawing.names if name not in drawing.indices]
    drawing.probed = Evaluation(
        Arithmetic(), drawing.indices, PROBE, {n: float(v) for n, v in drawing.parameters.items()}
    )
    for _ in range(int(rng.integers(1, 5))):
        given(drawing)
    return drawing


def new_name(drawing: Drawing) -> str:
    """A name that no tensor has: one of those given, and numbered ones after these."""
    options = [name for name in drawing.names if name not in drawing.tensors]
    return drawing.pick(options[:24]) if options else f"h_{len(drawing.tensors)}"


def given(drawing: Drawing, axes: tuple[Axis, ...] | None = None, kind: str = "") -> Tensor:
    """One more input."""
    if axes is None:
        count = int(drawing.rng.choice(8, p=[0.08, 0.27, 0.35, 0.16, 0.08, 0.03, 0.02, 0.01]))
        found: list[Axis] = []
        for _ in range(count):
            found += axis(drawing, {index for own in found for index in own})
        axes = tuple(found)
        while drawing.probed and size(drawing, axes) > CELLS // 10:
            axes = axes[:-1]
    kinds = ("any", "any", "any", "positive", "mask") + (("shares",) if axes else ())
    tensor = Tensor(new_name(drawing), axes, kind or drawing.pick(kinds))
    drawing.inputs.append(tensor)
    drawing.tensors[tensor.name] = axes
    assert drawing.probed is not None
    lone = Program(tuple(drawing.indices.items()), (), (tensor,), ())
    drawing.probed.tensors[tensor.name] = sample(lone, PROBE, drawing.rng).inputs[tensor.name]
    return tensor


def axis(drawing: Drawing, taken: set[str]) -> list[Axis]:
    """One index that is not taken, or two side by side; nothing where all are taken."""
    free_ones = [index for index in drawing.indices if index not in taken]
    plain = [index for index in free_ones if len(drawing.indices[index]) == 1]
    whole = [extent for extent in drawing.indices.values() if len(extent) > 1]
    if whole and drawing.chance(0.4):
        # One order for a product of extents: two ways to split an axis contradict each other.
        parts = [[index for index in plain if drawing.indices[index] == (part,)] for part in whole[0]]
        return [tuple(options[0] for options in parts)] if all(parts) and parts[0][0] != parts[1][0] else []
    if len(plain) > 1 and not whole and drawing.chance(0.06):
        one, other = (str(index) for index in drawing.rng.choice(plain, 2, replace=False))
        return [(one, other)]
    return [(drawing.pick(free_ones),)] if free_ones else []


def size(drawing: Drawing, axes: tuple[Axis, ...]) -> int:
    """How many entries a tensor has at the probing sizes."""
    assert drawing.probed is not None
    count = 1
    for own in axes:
        for index in own:
            count *= drawing.probed.length(index)
    return count


def equation(drawing: Drawing, shallow: bool) -> Statement:
    """A tame equation."""
    for _ in range(TRIES):
        found = attempt(drawing, shallow)
        if found is not None and (found.axes or drawing.chance(0.3)):
            return found
    name = drawing.pick(list(drawing.tensors))
    letters = [index for own in drawing.tensors[name] for index in own]
    body: Formula = Read(name, drawing.tensors[name])
    kept = tuple(dict.fromkeys(letters))
    return Statement(new_name(drawing), tuple((letter,) for letter in kept), Apply("tanh", body))


def attempt(drawing: Drawing, shallow: bool) -> Statement | None:
    """An equation, if its values are tame."""
    rng, indices = drawing.rng, list(drawing.indices)
    width = int(rng.choice(8, p=[0.04, 0.2, 0.3, 0.24, 0.12, 0.05, 0.03, 0.02]))
    drawing.frame = [str(index) for index in rng.choice(indices, min(width, len(indices)), replace=False)]
    drawing.depth = 1 if shallow and drawing.chance(0.7) else int(rng.choice(4, p=[0.35, 0.4, 0.2, 0.05])) + 1
    right = drawing.kinds[int(rng.integers(len(drawing.kinds)))](drawing)
    letters = list(free(right))
    # What an axis of several indices is read by must not be split in two ways in one formula.
    if drawing.chance(0.25) and letters:
        count = int(rng.integers(1, min(2, len(letters)) + 1))
        bound = tuple(str(letter) for letter in rng.choice(letters, count, replace=False))
        operator = drawing.pick(("sum", "sum", "sum", "mean", "norm2", "logsumexp"))
        right = Over(operator, bound, right)
        letters = list(free(right))
    left = tuple((str(letter),) for letter in rng.permutation(letters))
    if size(drawing, left) > CELLS // 8 or not any(isinstance(node, Read) for node in nodes(right)):
        return None
    if grid(drawing, right) > CELLS:
        return None
    assert drawing.probed is not None
    with np.errstate(all="ignore"):
        array = drawing.probed.stored(drawing.probed.value(right), left)
    if not np.all(np.isfinite(array)) or np.max(np.abs(array), initial=0.0) > LIMIT:
        return None
    if np.max(np.abs(array), initial=0.0) < 1e-3 and drawing.chance(0.9):
        return None
    doc = drawing.pick(("",) * 9 + ("what follows", "50 % of it, in $x_1$ & co."))
    return Statement(new_name(drawing), fused(drawing, left), right, doc)


def grid(drawing: Drawing, formula: Formula) -> int:
    """How many points all indices of a formula have together."""
    assert drawing.probed is not None
    letters = {letter for node in nodes(formula) for letter in free(node)}
    return int(np.prod([drawing.probed.length(letter) for letter in letters]))


def fused(drawing: Drawing, axes: tuple[Axis, ...]) -> tuple[Axis, ...]:
    """The axes, two of them side by side where their product is an extent, or now and then anyway."""
    products = {extent for extent in drawing.indices.values() if len(extent) > 1}
    for place, (one, other) in enumerate(pairwise(axes)):
        both = drawing.indices[one[0]] + drawing.indices[other[0]]
        if len(both) == 2 and (both in products or (not products and drawing.chance(0.03))):
            return (*axes[:place], (*one, *other), *axes[place + 2 :])
    return axes


def use(drawing: Drawing) -> Use | None:
    """A shipped spec on a tensor of this program, with new inputs for its other inputs."""
    rng = drawing.rng
    options = [
        name
        for name, axes in drawing.tensors.items()
        if len(axes) == 2
        and all(len(own) == 1 and len(drawing.indices[own[0]]) == 1 for own in axes)
        and drawing.indices[axes[0][0]] != drawing.indices[axes[1][0]]
    ]
    if not options:
        return None
    spec = SHIPPED[int(rng.integers(len(SHIPPED)))]
    name = drawing.pick(options)
    main = next(iter(spec.slots))
    letters = dict(zip(spec.slots[main], (own[0] for own in drawing.tensors[name]), strict=True))
    taken = {drawing.indices[index] for index in letters.values()}
    for slots in spec.slots.values():
        for letter in slots:
            if letter not in letters:
                spare = [i for i, e in drawing.indices.items() if e not in taken and len(e) == 1]
                if not spare:
                    return None
                letters[letter] = drawing.pick(spare)
                taken.add(drawing.indices[letters[letter]])
    if any(not isinstance(drawing.indices[index][0], str) for index in letters.values()):
        return None
    if "eps" in spec.parameters and "eps" not in drawing.parameters:
        return None
    inputs = {main: Read(name, tuple((letters[letter],) for letter in spec.slots[main]))}
    for other, slots in spec.slots.items():
        if other != main:
            tensor = given(drawing, tuple((letters[letter],) for letter in slots), "any")
            inputs[other] = Read(tensor.name, tensor.axes)
    extent = {letter: Symbol(str(drawing.indices[index][0])) for letter, index in letters.items()}
    prefix = f"u{sum(isinstance(line, Use) for line in drawing.lines) + 1}"
    return used(spec, Placed(inputs, letters, extent, prefix))


def add(drawing: Drawing, line: Statement | Use) -> None:
    """One more line, evaluated at once."""
    drawing.lines.append(line)
    assert drawing.probed is not None
    for made in line.statements if isinstance(line, Use) else (line,):
        with np.errstate(all="ignore"):
            drawing.probed.tensors[made.name] = drawing.probed.stored(drawing.probed.value(made.right), made.axes)
        drawing.tensors[made.name] = made.axes


def asked(drawing: Drawing, seed: int) -> Program:
    """The whole program with what is asked of it."""
    program = Program(
        tuple(drawing.indices.items()),
        tuple(drawing.parameters.items()),
        tuple(drawing.inputs),
        tuple(drawing.lines),
    )
    results = program.results
    if drawing.chance(0.45):
        return finished(drawing, with_loss(drawing, program, results), seed)
    # Now and then a tensor that others read is an output too.
    inner = [made.name for made in program.statements if made.name not in results]
    outputs = [*results]
    written = drawing.chance(0.7)
    if written and inner and drawing.chance(0.25):
        outputs.append(drawing.pick(inner))
    if written and len(results) > 1 and drawing.chance(0.2):
        outputs = outputs[:1]
    upstream = tuple((f"G_{name}", name) for name in outputs)
    return finished(drawing, replace(program, upstream=upstream, written=written), seed)


def with_loss(drawing: Drawing, program: Program, results: tuple[str, ...]) -> Program:
    """The program with a loss: a sum over some of its results."""
    parts: list[Formula] = []
    for name in results[-3:]:
        axes = program.axes[name]
        body: Formula = Read(name, axes)
        match int(drawing.rng.integers(3)):
            case 0:
                body = Power(body, Number("2"))
            case 1:
                body = Apply("tanh", body)
        letters = free(body)
        total = Over(drawing.pick(("sum", "sum", "mean")), letters, body) if letters else body
        parts.append(Times((drawing.scalar(), total)) if drawing.chance(0.4) else total)
    loss = Statement("L" if drawing.chance(0.8) else "J", (), Plus(tuple(parts)) if len(parts) > 1 else parts[0])
    return replace(program, lines=(*program.lines, loss), loss=loss.name)


def finished(drawing: Drawing, program: Program, seed: int) -> Program:
    """Targets, names, what is recomputed, assumptions and claims."""
    rng = drawing.rng
    names = [tensor.name for tensor in program.inputs]
    outputs = {of for _, of in program.upstream} | {program.loss}
    made = [made.name for made in program.statements if made.name not in outputs or made.name not in program.results]
    targets, written = names, program.written
    if program.written and drawing.chance(0.6):
        pool = names + [name for name in made if drawing.chance(0.3)]
        count = int(rng.integers(1, len(pool) + 1))
        targets = [str(name) for name in rng.choice(pool, count, replace=False)][:12]
    else:
        written = written and program.loss is None
    hidden = [name for name in made if name not in outputs and name not in program.results]
    recompute = tuple(name for name in hidden if drawing.chance(0.4)) if drawing.chance(0.2) else ()
    named = tuple((name, f"grad_{name}") for name in targets if drawing.chance(0.5)) if drawing.chance(0.15) else ()
    given_names = {of for _, of in program.upstream}
    named = tuple((of, name) for of, name in named if of not in given_names)
    assumed = []
    for tensor in program.inputs:
        last = tensor.axes[-1] if tensor.axes else ()
        letters = [index for own in tensor.axes for index in own]
        if tensor.kind == "shares" and len(set(letters)) == len(letters) and drawing.chance(0.7):
            text = f"sum[{','.join(last)}]({entry(tensor.name, tensor.axes)}) = 1"
            assumed.append(Identity(text, (tensor.name,)))
    return replace(
        program,
        title=f"Random program {seed}",
        targets=tuple(targets),
        written=written if program.written else False,
        names=named,
        recompute=recompute,
        assumed=tuple(assumed),
        claims=claims(program),
    )


def claims(program: Program) -> tuple[Identity, ...]:
    """What is true of equations that are a softmax or a centring, and no more."""
    found = []
    for made in program.statements:
        match made.right:
            case Over("softmax", indices, _) if not made.hidden:
                text = f"sum[{','.join(indices)}]({entry(made.name, made.axes)}) = 1"
                found.append(Identity(text, (made.name,)))
            case Over("var", indices, Read(tensor, axes)):
                mean = f"mean[{','.join(indices)}]({entry(tensor, axes)}^2)"
                text = f"{entry(made.name, made.axes)} = {mean} - mean[{','.join(indices)}]({entry(tensor, axes)})^2"
                found.append(Identity(text, (made.name, tensor)))
    return tuple(found)
