"""Random recurrences: drawn in a representation of their own, printed as specs, and run by a loop of PyTorch's.

A system has one to three tensors that step together, up or down. Each adds up products of what a step may read: itself
and the others at lags, what stands above it at the same step, inputs, and matrices times these. The oracle knows
nothing of the engine: it is a loop over the same draw, differentiated by PyTorch.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

FUNCTIONS = ("", "", "tanh", "sigmoid", "sin")


@dataclass(frozen=True)
class Factor:
    """``name`` at a lag; times a matrix where `matrix`; an input where the lag is None."""

    name: str
    lag: int | None
    matrix: str = ""


@dataclass(frozen=True)
class Line:
    """One tensor: ``f(sum of coefficient * product of factors)``, with as many base cases as its longest lag."""

    name: str
    function: str
    terms: tuple[tuple[float, tuple[Factor, ...]], ...]


@dataclass(frozen=True)
class System:
    """Lines in the order of a step; `lags` is how many base cases each tensor has, `up` whether steps go up.

    Attributes:
        bracketed: whether reads stand under brackets, instead of base cases; entries outside count as zero.
        batched: whether there is a slot of samples before that of the steps.
        last: whether the loss reads the last step alone.
    """

    lines: tuple[Line, ...]
    lags: int
    up: bool
    bracketed: bool
    batched: bool
    last: bool
    inputs: tuple[str, ...]
    matrices: tuple[str, ...]


def drawn(seed: int) -> System:
    """A random system."""
    rng = random.Random(seed)
    names = ("h", "c", "q")[: rng.randint(1, 3)]
    lags, bracketed = rng.randint(1, 2), rng.random() < 0.4
    inputs, matrices = ("x", "y")[: rng.randint(1, 2)], ("V", "W")[: rng.randint(1, 2)]
    lines: list[Line] = []
    for number, name in enumerate(names):
        terms = []
        for place in range(rng.randint(1, 3)):
            factors = []
            for _ in range(rng.randint(1, 2)):
                kind = "lag" if place == 0 and not factors else rng.choice(("lag", "lag", "same", "input"))
                if kind == "same" and number == 0:
                    kind = "input"
                if kind == "lag":
                    factor = Factor(rng.choice(names), rng.randint(1, lags))
                elif kind == "same":
                    factor = Factor(rng.choice(names[:number]), 0)
                else:
                    factor = Factor(rng.choice(inputs), None)
                if rng.random() < 0.4 and not any(other.matrix for other in factors):
                    factor = Factor(factor.name, factor.lag, rng.choice(matrices))
                factors.append(factor)
            terms.append((rng.choice((1.0, 0.5, -0.25)), tuple(factors)))
        lines.append(Line(name, rng.choice(FUNCTIONS), tuple(terms)))
    return System(
        tuple(lines), lags, rng.random() < 0.6, bracketed, rng.random() < 0.3, rng.random() < 0.3, inputs, matrices
    )


def entry(system: System, name: str, step: str, slot: str = "i") -> str:
    """``h[b,t-1,i]``."""
    return f"{name}[{'b,' if system.batched else ''}{step},{slot}]"


def factor_text(system: System, factor: Factor) -> str:
    """One factor of a product, with its bracket."""
    slot = "j" if factor.matrix else "i"
    lag, sign = factor.lag or 0, "-" if system.up else "+"
    text = entry(system, factor.name, f"t{sign}{lag}" if lag else "t", slot)
    if lag and system.bracketed:
        text = f"[{lag} <= t]*{text}" if system.up else f"[t+{lag} < T]*{text}"
    return f"sum[j]({factor.matrix}[i,j]*{text})" if factor.matrix else text


def spec_of(system: System) -> str:
    """The system as a spec."""
    lines = ['title "Random recurrence"', "index t : T", "index b : B", "index i, j : N"]
    lines += [f"input {entry(system, name, 't')}" for name in system.inputs]
    lines += [f"input {name}[i,j]" for name in system.matrices]
    batch = "b," if system.batched else ""
    bases = [f"{name}{lag}" for name in names_of(system) for lag in range(system.lags) if not system.bracketed]
    lines += [f"input {base}_0[{batch}i]" for base in bases]
    steps = f"    for t in {system.lags} .. T-1" if system.up else f"    for t in 0 .. T-{1 + system.lags}"
    for line in system.lines:
        sums = " + ".join(
            f"({number})*" + "*".join(f"({factor_text(system, factor)})" for factor in factors)
            for number, factors in line.terms
        )
        for lag in range(system.lags if not system.bracketed else 0):
            at = str(lag) if system.up else f"T-{1 + lag}"
            lines.append(f"{entry(system, line.name, at)} = {line.name}{lag}_0[{batch}i]")
        lines.append(f"{entry(system, line.name, 't')} = {line.function}({sums})" + ("" if system.bracketed else steps))
    end = "T-1" if system.up else "0"
    parts = [f"{entry(system, name, end if system.last else 't')}^2" for name in names_of(system)]
    over = ("b," if system.batched else "") + ("i" if system.last else "t,i")
    lines.append("L = " + " + ".join(f"sum[{over}]({part})" for part in parts))
    lines += ["loss L", f"derive {', '.join((*system.inputs, *system.matrices, *(f'{base}_0' for base in bases)))}"]
    text = "\n".join(lines) + "\n"
    return text if system.batched else text.replace("index b : B\n", "")


def names_of(system: System) -> tuple[str, ...]:
    """The tensors that step."""
    return tuple(line.name for line in system.lines)


def shapes_of(system: System, steps: int, samples: int, width: int) -> dict[str, tuple[int, ...]]:
    """The shape of each input."""
    batch = (samples,) if system.batched else ()
    shapes: dict[str, tuple[int, ...]] = dict.fromkeys(system.inputs, (*batch, steps, width))
    shapes |= dict.fromkeys(system.matrices, (width, width))
    if not system.bracketed:
        shapes |= {f"{name}{lag}_0": (*batch, width) for name in names_of(system) for lag in range(system.lags)}
    return shapes


def loss_of(system: System, given: dict[str, Any], torch: Any) -> Any:
    """The loss, by a loop over steps."""
    first = given[system.inputs[0]]
    steps = first.shape[-2]
    order = list(range(steps)) if system.up else list(reversed(range(steps)))
    zero = torch.zeros_like(first[..., 0, :])
    states: dict[tuple[str, int], Any] = {}
    apply = {"": lambda v: v, "tanh": torch.tanh, "sigmoid": torch.sigmoid, "sin": torch.sin}
    for count, step in enumerate(order):
        for line in system.lines:
            if not system.bracketed and count < system.lags:
                states[line.name, count] = given[f"{line.name}{count}_0"]
                continue
            total = zero
            for number, factors in line.terms:
                product = number
                for factor in factors:
                    if factor.lag is None:
                        value = given[factor.name][..., step, :]
                    else:
                        value = states.get((factor.name, count - factor.lag), zero)
                    product = product * (value @ given[factor.matrix].T if factor.matrix else value)
                total = total + product
            states[line.name, count] = apply[line.function](total)
    kept = range(steps - 1, steps) if system.last else range(steps)
    return sum((states[name, count] ** 2).sum() for name in names_of(system) for count in kept)


def features(system: System) -> set[str]:
    """What is in a system, for counting."""
    found = {"steps up" if system.up else "steps down", f"{system.lags} lags", f"{len(system.lines)} tensors step"}
    found.add("brackets" if system.bracketed else "base cases")
    found |= {word for word, there in (("samples", system.batched), ("last step only", system.last)) if there}
    return found
