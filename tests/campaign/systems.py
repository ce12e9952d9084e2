"""Random systems, linear or bent: drawn in a representation of their own, printed as specs, and solved by PyTorch.

An unknown has one to three slots. Each is its own row, so that each of its values has a system, or it is mixed:
a term sums it with a matrix, transposed or not, or leaves it in its row. Matrices are inputs, functions of inputs, or
symmetric products of one. A bent term has a function of the unknown in place of it. The oracle knows nothing of the
engine: it has the residual of one draw as sums of products, takes its slopes by autograd, solves the whole as one dense
system, round after round if it is bent, and differentiates through the last round.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

ROWS = {"j": "i", "l": "m", "n": "n"}
"""The row that belongs to each slot of an unknown; of a batch it is the slot itself."""

EXTENTS = {"i": "N", "j": "N", "k": "N", "l": "M", "m": "M", "o": "M", "n": "B"}

KINDS = ("plain", "tanh", "symmetric")
"""How a matrix is made of an input: it itself, a function of it, or ``Q Q^T``."""

BENDS = ("", "", "", "tanh", "sin")
"""The functions of the unknown in a term; most terms have none."""

ROUNDS = 60
"""The most rounds of the oracle."""

STEEPEST = 3.5
"""How steep the bent terms on the left may be in all, where the unknown stands 4 times beside them: with a slope below
4 there is one root, and every way to it ends there."""

FUNCTIONS = ("{0}", "tanh({0})", "{0}^2", "sin({0})")


@dataclass(frozen=True)
class Matrix:
    """``A[i,j]`` with a slot of the batch before; `kind` is one of `KINDS`."""

    name: str
    slot: str
    batched: bool
    kind: str


@dataclass(frozen=True)
class Part:
    """``number * matrices * x``: for each mixed slot a matrix, with whether it is transposed, or None.

    One that is bent has a function of the unknown in it.
    """

    number: float
    matrices: tuple[tuple[str, tuple[Matrix, bool] | None], ...]
    bend: str = ""


@dataclass(frozen=True)
class System:
    """One system; the right side is a function of an input, times a matrix of the left where `rotated` names one."""

    name: str
    slots: tuple[str, ...]
    parts: tuple[Part, ...]
    right: str
    rotated: Matrix | None
    reads: str


@dataclass(frozen=True)
class Draw:
    """One or two systems, the second with the first one's unknown in its right side; what the loss does with each."""

    systems: tuple[System, ...]
    losses: tuple[str, ...]


def drawn(seed: int) -> Draw:
    """A random program."""
    rng = random.Random(seed)
    systems: list[System] = []
    batched = rng.random() < 0.4
    for number in range(rng.choice((1, 1, 2))):
        mixed = systems[0].slots if systems else tuple(rng.sample(("j", "l"), rng.choice((1, 1, 2))))
        slots = mixed if systems else tuple(rng.sample((*mixed, *(("n",) if batched else ())), len(mixed) + batched))
        name = "xz"[number]
        pool = [
            Matrix(f"{'AC'[number]}{slot}{place}", slot, batched and rng.random() < 0.5, rng.choice(KINDS))
            for slot in slots
            if slot != "n"
            for place in range(rng.choice((1, 2)))
        ]
        parts = []
        for _ in range(rng.randint(1, 3)):
            chosen = []
            for slot in slots:
                if slot == "n":
                    continue
                own = [matrix for matrix in pool if matrix.slot == slot]
                use = rng.random() < 0.75
                chosen.append((slot, (rng.choice(own), rng.random() < 0.3) if use else None))
            parts.append(Part(rng.choice((1.0, 0.5, -0.25)), tuple(chosen), rng.choice(BENDS)))
        used = [one[0] for part in parts for _, one in part.matrices if one is not None]
        rotated = rng.choice(used) if used and rng.random() < 0.3 else None
        reads = systems[0].name if systems else ""
        systems.append(System(name, slots, tuple(parts), rng.choice(FUNCTIONS), rotated, reads))
    return Draw(tuple(systems), tuple(rng.choice(FUNCTIONS) for _ in systems))


def made(matrix: Matrix, row: str, column: str) -> str:
    """The entry of a matrix."""
    return f"{matrix.name}[{'n,' if matrix.batched else ''}{row},{column}]"


def entry(name: str, slots: tuple[str, ...], rows: dict[str, str]) -> str:
    """The entry of an unknown, or of what has its slots."""
    return f"{name}[{','.join(rows.get(slot, slot) for slot in slots)}]"


def part_text(system: System, part: Part) -> str:
    """One term of a left side."""
    factors, summed, rows = [str(part.number)], [], {}
    for slot, chosen in part.matrices:
        if chosen is None:
            rows[slot] = ROWS[slot]
            continue
        matrix, transposed = chosen
        pair = (slot, ROWS[slot]) if transposed else (ROWS[slot], slot)
        factors.append(made(matrix, *pair))
        summed.append(slot)
    unknown = entry(system.name, system.slots, rows)
    factors.append(f"{part.bend}({unknown})" if part.bend else unknown)
    product = "*".join(factors[1:])
    return f"({factors[0]})*" + (f"sum[{','.join(summed)}]({product})" if summed else product)


def right_text(system: System) -> str:
    """The right side."""
    slot = system.rotated.slot if system.rotated is not None else ""
    rows = {one: row for one, row in ROWS.items() if one != slot}
    right = system.right.format(entry(f"b{system.name}", system.slots, rows))
    if system.reads:
        right = f"{right} + {entry(system.reads, system.slots, rows)}"
    return right if system.rotated is None else f"sum[{slot}]({made(system.rotated, ROWS[slot], slot)}*({right}))"


def matrices_of(draw: Draw) -> list[Matrix]:
    """Every matrix that is read, once."""
    every = [one[0] for system in draw.systems for part in system.parts for _, one in part.matrices if one is not None]
    return list(dict.fromkeys(every))


def spec_of(draw: Draw) -> str:
    """The program as a spec; a multiple of the unknown on the left keeps matrices from being singular."""
    lines = ['title "Random systems"', "index i, j, k : N", "index l, m, o : M", "index n : B"]
    equations: list[str] = []
    inputs: list[str] = []
    for matrix in matrices_of(draw):
        row, column, other = (ROWS[matrix.slot], matrix.slot, {"j": "k", "l": "o"}[matrix.slot])
        inputs.append(f"{matrix.name}0")
        source = f"{matrix.name}0"
        lines.append(f"input {made(replace(matrix, name=source), row, column)}")
        left = made(matrix, row, column)
        if matrix.kind == "symmetric":
            product = "*".join(made(replace(matrix, name=source), one, other) for one in (row, column))
            equations.append(f"{left} = sum[{other}]({product})")
        else:
            value = made(replace(matrix, name=source), row, column)
            equations.append(f"{left} = " + (f"tanh({value})" if matrix.kind == "tanh" else value))
    for system in draw.systems:
        inputs.append(f"b{system.name}")
        lines.append(f"input {entry(f'b{system.name}', system.slots, ROWS)}")
        left = " + ".join(part_text(system, part) for part in system.parts)
        left += f" + 4*{entry(system.name, system.slots, ROWS)}"
        equations.append(f"solve {entry(system.name, system.slots, {})} : {left} = {right_text(system)}")
    parts = [
        f"sum[{','.join(system.slots)}]({loss.format(entry(system.name, system.slots, {}))})"
        for system, loss in zip(draw.systems, draw.losses, strict=True)
    ]
    equations.append("L = " + " + ".join(parts))
    return "\n".join((*lines, *equations, "loss L", f"derive {', '.join(inputs)}")) + "\n"


def shapes_of(draw: Draw, sizes: dict[str, int]) -> dict[str, tuple[int, ...]]:
    """The shape of each input, at sizes of B, M and N."""
    batch = (sizes["B"],)
    shapes = {}
    for matrix in matrices_of(draw):
        size = sizes[EXTENTS[matrix.slot]]
        shapes[f"{matrix.name}0"] = (*(batch if matrix.batched else ()), size, size)
    for system in draw.systems:
        shapes[f"b{system.name}"] = tuple(sizes[EXTENTS[slot]] for slot in system.slots)
    return shapes


def matrix_value(matrix: Matrix, given: dict[str, Any], torch: Any) -> Any:
    """A matrix, made of its input."""
    source = given[f"{matrix.name}0"]
    if matrix.kind == "symmetric":
        return source @ source.transpose(-1, -2)
    return torch.tanh(source) if matrix.kind == "tanh" else source


def steepness(system: System, given: Mapping[str, Any], torch: Any) -> float:
    """A bound on the slope of the terms on the left: no function of `BENDS` is steeper than 1."""
    total = 0.0
    for part in system.parts:
        values = [matrix_value(chosen[0], given, torch) for _, chosen in part.matrices if chosen is not None]
        norms = [float(torch.linalg.matrix_norm(value, ord=2).max()) for value in values]
        total += abs(part.number) * float(np.prod(norms))
    return total


def with_one_root(draw: Draw, arrays: Mapping[str, np.ndarray], torch: Any) -> dict[str, np.ndarray]:
    """The inputs, those of matrices made smaller until each bent system has one root."""
    found = dict(arrays)
    bent = [system for system in draw.systems if any(part.bend for part in system.parts)]
    sources = [f"{matrix.name}0" for matrix in matrices_of(draw)]
    while True:
        given = {name: torch.tensor(array) for name, array in found.items()}
        if all(steepness(system, given, torch) <= STEEPEST for system in bent):
            return found
        found |= {name: 0.8 * found[name] for name in sources}


def times(value: Any, slots: tuple[str, ...], slot: str, matrix: Any, matrix_batched: bool, torch: Any) -> Any:
    """The matrix times an array, along the axis of a slot."""
    letters = "".join(slots)
    head = "n" if matrix_batched else ""
    return torch.einsum(f"{head}{ROWS[slot]}{slot},{letters}->{letters.replace(slot, ROWS[slot])}", matrix, value)


def applied(function: str, value: Any, torch: Any) -> Any:
    """One of `FUNCTIONS`."""
    return {"{0}": value, "tanh({0})": torch.tanh(value), "{0}^2": value**2, "sin({0})": torch.sin(value)}[function]


def loss_of(draw: Draw, given: dict[str, Any], torch: Any) -> Any:
    """The loss, each system solved as one dense matrix."""
    found: dict[str, Any] = {}
    total = 0.0
    for system, loss in zip(draw.systems, draw.losses, strict=True):
        right = applied(system.right, given[f"b{system.name}"], torch)
        if system.reads:
            right = right + found[system.reads]
        if system.rotated is not None:
            value = matrix_value(system.rotated, given, torch)
            right = times(right, system.slots, system.rotated.slot, value, system.rotated.batched, torch)

        def left(unknown: Any, system: System = system) -> Any:
            result = 4 * unknown
            for part in system.parts:
                value = getattr(torch, part.bend)(unknown) if part.bend else unknown
                for slot, chosen in part.matrices:
                    if chosen is not None:
                        matrix, transposed = chosen
                        entries = matrix_value(matrix, given, torch)
                        entries = entries.transpose(-1, -2) if transposed else entries
                        value = times(value, system.slots, slot, entries, matrix.batched, torch)
                result = result + part.number * value
            return result

        def nearer(at: Any, right: Any = right, left: Any = left) -> Any:
            slopes = torch.autograd.functional.jacobian(left, at, create_graph=True)
            size = right.numel()
            rest = (right - left(at)).reshape(size)
            return at + torch.linalg.solve(slopes.reshape(size, size), rest).reshape(right.shape)

        root = torch.zeros_like(right).detach()
        for _ in range(ROUNDS if any(part.bend for part in system.parts) else 0):
            root = nearer(root).detach()
        # The last round differentiates: its derivative by the point that it starts from is zero at a root.
        solution = nearer(root)
        found[system.name] = solution
        total = total + applied(loss, solution, torch).sum()
    return total


def features(draw: Draw) -> set[str]:
    """What is in a program, for counting."""
    found = {f"{len(draw.systems)} systems", *(f"{len(system.slots)} slots" for system in draw.systems)}
    found |= {f"matrix {matrix.kind}" for matrix in matrices_of(draw)}
    found |= {"bent" for system in draw.systems for part in system.parts if part.bend}
    return found | {"right side times a matrix" for system in draw.systems if system.rotated is not None}
