"""The verdict on the engine for one program: its code in every style against the campaign's own oracle."""

from __future__ import annotations

import signal
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any

import numpy as np

import indexcalc as ic
from tests.campaign.case import COUNTED, REFUSED
from tests.campaign.formulas import Program, spec_text
from tests.campaign.oracle import Evaluate, Point, Truth, evaluator, sample, truth
from tests.campaign.pipeline import FAST, STYLES, Module, Results, Way, writers

PATIENCE = 20.0
"""The most seconds of processor time that each thing may take: deriving, a note, a module in one style, a check."""

EPS = float(np.finfo(float).eps)

ROUNDING = 1e4
"""How many times what rounding explains an error may be: other forms of a formula round in other places."""

RELATIVE = 1e-9
"""The part of the largest entry that an error may be anyway."""

BLURRED = 2e-6
"""A point at which rounding, with that room, may move a result by more of itself is no test: noise goes round in it."""

LEAST = 1e-13
"""What an error may be anyway."""

VAST = 1e100
"""A point with a larger value or gradient is no test: its cube does not fit in float64, nor in any code's formula."""

SIZES = (2, 3, 4, 5)
"""Sizes of extents, all different; 1 comes besides."""

POINTS = 6
"""How many points are drawn until one is a test."""


class Slow(BaseException):
    """The patience is at its end; no ``except Exception`` on the way takes it."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise `Slow` after so many seconds of processor time; only the main thread can."""

    def ring(_number: int, _frame: FrameType | None) -> None:
        raise Slow

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)


def judged(program: Program, styles: Sequence[str] = STYLES, seed: int = 0) -> str:
    """What is wrong with the engine on a program, a line for each finding; nothing if all is right.

    A line names the style, what kind of finding it is (`wrong`, `traceback`, `error`, `warning`, `slow`, `refused`),
    and the rest. The last says at how many points code was compared, since a program without any is no test.
    """
    found: list[str] = []
    modules = written_out(spec_text(program), styles, found)
    points = compare(program, modules, seed, found) if modules else 0
    if modules and "check" in styles and modules[0].style == "numpy":
        check(modules[0], found)
    return "\n".join([*found, f"{COUNTED}points: {points}"])


def written(style: str, action: Callable[[], Any], found: list[str]) -> Any:
    """The result of an action within the patience, or None and a finding."""
    try:
        with limited(PATIENCE):
            return tried(style, action, found)
    except Slow:
        found.append(f"{style}: slow: more than {PATIENCE:.0f} s")
    return None


def tried(style: str, action: Callable[[], Any], found: list[str]) -> Any:
    """The result of an action, or None and a finding."""
    try:
        return action()
    except (ic.LimitError, ic.UnsupportedError) as error:
        found.append(f"{REFUSED}{style}: {type(error).__name__}: {first_line(error)}")
    except ic.IndexCalcError as error:
        found.append(f"{style}: error: {type(error).__name__}: {first_line(error)}")
    except Exception as error:  # the engine may fail in any way, and that is a finding
        found.append(f"{style}: traceback: {type(error).__name__}: {first_line(error)} ({place(error)})")
    return None


def first_line(error: BaseException) -> str:
    """The first line of what an error says."""
    return (str(error).splitlines() or [""])[0][:200]


def place(error: BaseException) -> str:
    """Where an error was raised: the last line of the engine, or of its code, on the way."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "/indexcalc/" in frame.filename or "generated" in frame.filename]
    frame = (own or list(frames))[-1]
    if "generated" in frame.filename:
        return f"in {frame.name}"
    return f"{frame.filename.split('/indexcalc/')[-1]}:{frame.lineno} {frame.name}"


def written_out(text: str, styles: Sequence[str], found: list[str]) -> list[Module]:
    """The problem of a spec read and derived, the note written, and the modules of all styles."""
    derivation = written("derive", lambda: ic.derive(ic.read_problem(text)), found)
    if derivation is None:
        return []
    if "note" in styles:
        written("note", lambda: (ic.markdown_note(derivation), ic.latex_note(derivation)), found)
    # Each by its own, so that what fails in one style is no failure of the others.
    modules = [written(style, write, found) for style, write in writers(derivation, styles)]
    return [module for module in modules if module is not None]


def compare(program: Program, modules: Sequence[Module], seed: int, found: list[str]) -> int:
    """All modules in all ways at several sizes, until the first finding of each; gives the number of points."""
    evaluate, points = evaluator(), 0
    done: set[str] = set()
    usual: dict[str, float] = {}
    for sizes in size_sets(program, seed):
        point, right = fit_point(program, sizes, evaluate, seed)
        if right is None:
            continue
        points += 1
        for name in right.spread:
            usual[name] = max(usual.get(name, 0.0), largest(right, name))
        at = ", ".join(f"{name}={size}" for name, size in sizes.items()) or "no sizes"
        for module in modules:
            for label, way in module.ways:
                if label not in done and (finding := ran(label, way, module, Expected(program, point, right, usual))):
                    done.add(label)
                    found.append(f"{finding} at {at}")
    return points


def size_sets(program: Program, seed: int) -> list[dict[str, int]]:
    """All sizes different, then one of them 1, then all."""
    rng = np.random.default_rng([5, seed])
    names = list(program.sizes)
    options = [int(size) for size in rng.permutation(SIZES)]
    different = {name: options[place % len(options)] for place, name in enumerate(names)}
    if max((sum(map(len, axes)) for axes in program.axes.values()), default=0) > 4:
        different = {name: 2 + size % 2 for name, size in different.items()}
    if not names:
        return [{}]
    return [different, {**different, str(rng.choice(names)): 1}, dict.fromkeys(names, 1)]


def fit_point(program: Program, sizes: Mapping[str, int], evaluate: Evaluate, seed: int) -> tuple[Point, Truth | None]:
    """A point at which rounding and kinks don't decide, and what is right there; None if none is found."""
    rng = np.random.default_rng([9, seed])
    for _ in range(POINTS):
        point = sample(program, sizes, rng)
        right = truth(program, point, evaluate)
        if right is not None and right.steady and all(fits(right, name) for name in right.spread):
            return point, right
    return point, None


def largest(right: Truth, name: str) -> float:
    """The largest entry of a value, or of a gradient under ``d X``."""
    array = right.gradients[name[2:]] if name.startswith("d ") else right.values[name]
    return float(np.max(np.abs(array), initial=0.0))


def fits(right: Truth, name: str) -> bool:
    """Whether a result is no larger than what is compared, and rounding leaves enough of it."""
    size = largest(right, name)
    return size <= VAST and EPS * ROUNDING * right.spread[name] <= BLURRED * max(1.0, size)


@dataclass(frozen=True)
class Expected:
    """What a program must give at a point.

    Attributes:
        program: the program.
        point: where.
        right: what is right there.
        usual: how large values and gradients were at this point and those before.
    """

    program: Program
    point: Point
    right: Truth
    usual: Mapping[str, float]

    def bound(self, name: str) -> float:
        """How far a result may be off: by a part of itself, and by so many roundings of what it is made of.

        The logarithm of a softmax of one entry is zero, however its operations move, and code that multiplies out is
        off by a rounding of the terms. So what vanishes at some sizes may be off by roundings of what it is at others.
        """
        size, spread = largest(self.right, name), self.right.spread[name]
        return RELATIVE * size + EPS * ROUNDING * (spread + self.usual[name]) + LEAST


def ran(label: str, way: Way, module: Module, expected: Expected) -> str:
    """The finding of one way to run a module at a point, or nothing."""
    return tried_at(label, way, expected.point, lambda results: mistakes(module, results, expected))


def tried_at(label: str, way: Way, point: Point, mistakes: Callable[[Results], Iterator[str]]) -> str:
    """The finding of one way to run a module at a point, by what its results have wrong, or nothing."""
    failed: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        results = tried(label, lambda: way(point), failed)
    if results is None:
        return failed[0]
    wrong = next(mistakes(results), "")
    if wrong:
        return f"{label}: wrong: {wrong}"
    loud = [str(one.message) for one in caught if issubclass(one.category, RuntimeWarning)]
    return f"{label}: warning: {loud[0]}" if loud else ""


def mistakes(module: Module, results: Results, expected: Expected) -> Iterator[str]:
    """What differs: what is missing, shapes, entries that are no numbers, and numbers beyond their bound."""
    program, right = expected.program, expected.right
    for name, array in results.values.items():
        # A sum that got a name of the engine's own is no tensor of the program.
        if name in right.values:
            yield from difference(name, np.asarray(array), right.values[name], expected.bound(name))
    for name in module.fields:
        if name in results.gradients:
            array, limit = np.asarray(results.gradients[name]), expected.bound(f"d {name}")
            yield from difference(f"d{name}", array, right.gradients[name], limit)
    inputs = {tensor.name for tensor in program.inputs}
    wanted = [name for name in program.targets if module.style not in FAST or name in inputs]
    yield from (f"d{name} is not returned" for name in wanted if name not in module.fields)
    outputs = {of for _, of in program.upstream} | ({program.loss} if program.loss else set())
    yield from (f"{name} is not returned" for name in sorted(outputs - set(results.values)))


def difference(name: str, array: np.ndarray, expected: np.ndarray, limit: float) -> Iterator[str]:
    """What is wrong with one array."""
    if array.shape != expected.shape:
        yield f"{name} has shape {array.shape}, expected {expected.shape}"
    elif not np.all(np.isfinite(array)):
        yield f"{name} is not finite"
    elif (error := float(np.max(np.abs(array - expected), initial=0.0))) > limit:
        size = float(np.max(np.abs(expected), initial=0.0))
        yield f"{name} is off by {error:.1e} of {size:.1e}, allowed {limit:.1e}"


def check(module: Module, found: list[str]) -> None:
    """The engine's own check must accept what is right."""
    derivation = module.derivation
    report = written("check", lambda: ic.validate(derivation, ic.numpy_module(derivation)), found)
    if report is not None and not report.ok:
        worst = report.failures[0] if report.failures else "nothing was compared"
        found.append(f"check: rejects: {worst}")
