"""The campaign at hostile inputs, in float32: what is finite must be computed so, as well as rounding allows.

A case is a short random program with one kind of hostile inputs. The oracle computes with as many digits as it needs.
Where the value of every equation, and every gradient, fits float32, code in every style must be finite, and its error
must be explained by the conditioning of the function as it is written.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tests.campaign.case import COUNTED, Case
from tests.campaign.features import features
from tests.campaign.formulas import Program, spec_text
from tests.campaign.growing import Wishes, program_of
from tests.campaign.judge import largest, tried, written_out
from tests.campaign.many_digits import exact_truth
from tests.campaign.oracle import Point, Truth, sample
from tests.campaign.pipeline import Module, Way
from tests.campaign.shrinking import smaller

STYLES = ("numpy", "fast", "torch", "torch fast")

WISHES = Wishes(lengths=((0.7, 1, 3), (0.3, 4, 6)), uses=True)

EPS = float(np.finfo(np.float32).eps)

ROUNDING = 100.0
"""How many times what the conditioning explains an error may be."""

FITS = 1e37
"""What fits float32, with room for one more factor."""

SIZES = (2, 3)

SCALES = (1000.0, 300.0, 100.0, 30.0, 10.0)
"""From the largest on, the first at which everything fits is taken."""

Change = Callable[[np.random.Generator, np.ndarray, float], np.ndarray]


def scaled(_rng: np.random.Generator, drawn: np.ndarray, scale: float) -> np.ndarray:
    """Everything larger."""
    return drawn * scale


def tiny(_rng: np.random.Generator, drawn: np.ndarray, scale: float) -> np.ndarray:
    """Everything smaller."""
    return drawn / scale


def shifted(_rng: np.random.Generator, drawn: np.ndarray, scale: float) -> np.ndarray:
    """Everything far from zero."""
    return drawn + scale / 3


def dominated(rng: np.random.Generator, drawn: np.ndarray, scale: float) -> np.ndarray:
    """One entry far larger than the others."""
    changed = drawn.copy()
    if changed.size:
        changed.flat[int(rng.integers(changed.size))] *= scale
    return changed


def tied(rng: np.random.Generator, drawn: np.ndarray, scale: float) -> np.ndarray:
    """Equal entries, large."""
    return np.sign(drawn) * scale if rng.random() < 0.5 else np.full_like(drawn, scale)


def with_zeros(rng: np.random.Generator, drawn: np.ndarray, scale: float) -> np.ndarray:
    """Exact zeros among large entries."""
    return np.where(rng.random(drawn.shape) < 0.5, 0.0, drawn * scale)


CHANGES: tuple[Change, ...] = (scaled, tiny, shifted, dominated, tied, with_zeros)


@dataclass(frozen=True)
class Stress:
    """A program and how its inputs are hostile."""

    program: Program
    change: Change


def cases(seed: int, count: int) -> Iterator[Case]:
    """So many programs, each with a kind of inputs."""
    for own in range(seed, seed + count):
        program = program_of(own, WISHES)
        change = CHANGES[own % len(CHANGES)]
        name = f"inputs {change.__name__}"
        yield Case(own, f"# {name}\n{spec_text(program)}", features(program) | {name}, Stress(program, change))


def verdict(case: Case, styles: Sequence[str] = STYLES) -> str:
    """In which styles the code is not finite, or not accurate."""
    return stressed(case.subject, styles, case.seed)


def stressed(subject: Stress, styles: Sequence[str], seed: int) -> str:
    """The findings on one program with hostile inputs, and whether there were any that it has values at."""
    found: list[str] = []
    point, right, scale = hostile_point(subject, seed)
    if right is None:
        return f"{COUNTED}points: 0"
    for module in written_out(spec_text(subject.program), styles, []):
        for label, way in module.ways:
            if finding := ran(label, way, module, point, right):
                found.append(f"{finding} at {subject.change.__name__} {scale:g}")
    return "\n".join([*found, f"{COUNTED}points: 1"])


def hostile_point(subject: Stress, seed: int) -> tuple[Point, Truth | None, float]:
    """Hostile inputs, as large as they fit, and what is right there; None if nothing fits."""
    program = subject.program
    sizes = {name: SIZES[place % 2] for place, name in enumerate(program.sizes)}
    for scale in SCALES:
        rng = np.random.default_rng([13, seed])
        point = sample(program, sizes, rng)
        inputs = {}
        for tensor in program.inputs:
            array = point.inputs[tensor.name]
            if tensor.kind == "any" or (tensor.kind == "positive" and subject.change in (scaled, tiny, shifted)):
                array = subject.change(rng, array, scale)
            inputs[tensor.name] = np.asarray(array, np.float32).astype(float)
        upstream = {name: np.asarray(array, np.float32).astype(float) for name, array in point.upstream.items()}
        hostile = replace(point, inputs=inputs, upstream=upstream)
        right = exact_truth(program, hostile)
        if right is not None and right.steady and all(largest(right, name) < FITS for name in right.spread):
            return hostile, right, scale
    return point, None, 0.0


def ran(label: str, way: Way, module: Module, point: Point, right: Truth) -> str:
    """The finding of one way to run a module in float32."""
    small = replace(
        point,
        inputs={name: array.astype(np.float32) for name, array in point.inputs.items()},
        upstream={name: array.astype(np.float32) for name, array in point.upstream.items()},
    )
    failed: list[str] = []
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        results = tried(label, lambda: way(small), failed)
    if results is None:
        return failed[0]
    worst = ""
    for name, array in results.values.items():
        if name in right.values:
            worst = worst or difference(label, name, name, np.asarray(array), right)
    for name in module.fields:
        if name in results.gradients:
            array = np.asarray(results.gradients[name])
            worst = worst or difference(label, f"d{name}", f"d {name}", array, right)
    return worst


def difference(label: str, said: str, name: str, array: np.ndarray, right: Truth) -> str:
    """What is wrong with one array."""
    expected = right.gradients[name[2:]] if name.startswith("d ") else right.values[name]
    if array.shape != expected.shape:
        return f"{label}: wrong: {said} has shape {array.shape}, expected {expected.shape}"
    # A bare number takes the dtype of what it meets.
    if array.ndim and array.dtype != np.float32:
        return f"{label}: wrong: {said} has dtype {array.dtype}"
    if not np.all(np.isfinite(array)):
        return f"{label}: not finite: {said}, which is {largest(right, name):.1e}"
    error = float(np.max(np.abs(array.astype(float) - expected), initial=0.0))
    allowed = ROUNDING * EPS * (right.spread[name] + largest(right, name)) + float(np.finfo(np.float32).tiny)
    if error > allowed:
        return f"{label}: inaccurate: {said} is off by {error:.1e} of {largest(right, name):.1e}, allowed {allowed:.1e}"
    return ""


def shrunk(case: Case, styles: Sequence[str] = STYLES) -> str:
    """The text of a smaller program that fails alike, and how."""
    subject: Stress = case.subject

    def again(program: Program) -> str:
        return stressed(replace(subject, program=program), styles, case.seed)

    program = smaller(subject.program, again)
    return spec_text(program) + again(program)
