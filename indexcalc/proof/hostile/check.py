"""Is generated code finite and accurate at hostile inputs? Every style and format against the oracle."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

import numpy as np
import sympy as sp

from indexcalc.errors import LimitError, UnsupportedError
from indexcalc.problem import Problem
from indexcalc.program import Program
from indexcalc.proof.evaluate import Numbers
from indexcalc.proof.hostile.kinks import kink_points
from indexcalc.proof.hostile.oracle import FORMATS, Asked, Truth, UndeterminedError, truth
from indexcalc.proof.hostile.points import Hostile, hostile_points, sums_assumed
from indexcalc.proof.hostile.report import ALLOWED, Finding, HostileReport
from indexcalc.proof.hostile.styles import CodeStyle
from indexcalc.proof.hostile.unrolled import Unrolled, unrolled
from indexcalc.proof.numeric import Array
from indexcalc.proof.oracles import Point
from indexcalc.proof.sampling import Sizes, sample_point, size_sets, weights_for

WORK = 40_000
"""The scalars of all points together; a point takes the oracle some dozen runs through its program."""

FEWEST, MOST = 12, 80
"""The least and largest number of points that are tried, whatever the size of the program."""

SHOWN = 3
"""How many failing points of one style and format are kept."""


@dataclass(frozen=True)
class Case:
    """A hostile point with the truth there.

    Attributes:
        name: the point in words.
        inputs: the entries of each input, of float32.
        weights: the upstream gradients by output, of float32.
        truth: what is right.
    """

    name: str
    inputs: Mapping[str, Array]
    weights: Mapping[str, Array]
    truth: Truth


@dataclass
class Trial:
    """All points of a problem, as found by the oracle alone.

    Attributes:
        problem: what is checked.
        graph: its scalars.
        sizes: the extents.
        parameters: the scalar constants.
        cases: the points.
        reduced: see `HostileReport`.
        poles: see `HostileReport`.
        left: see `HostileReport`.
        untried: see `HostileReport`.
    """

    problem: Problem
    graph: Unrolled
    sizes: Sizes
    parameters: Mapping[sp.Symbol, float]
    cases: list[Case] = field(default_factory=list)
    reduced: list[str] = field(default_factory=list)
    poles: dict[str, tuple[str, ...]] = field(default_factory=dict)
    left: dict[str, str] = field(default_factory=dict)
    untried: int = 0


def check_hostile(problem: Problem, styles: Sequence[CodeStyle], *, seed: int = 0) -> HostileReport:
    """Compare all styles with the oracle at hostile inputs, in float32 and float64.

    Args:
        problem: the forward program and the gradients asked for.
        styles: the code.
        seed: of the mild inputs, the upstream gradients and the roundings.
    """
    try:
        trial = hostile_trial(problem, seed=seed)
    except (UnsupportedError, LimitError) as error:
        return HostileReport({}, skipped=str(error))
    findings = [finding for style in styles for finding in style_findings(trial, style)]
    worst: dict[tuple[str, str], Finding] = {}
    failures: list[Finding] = []
    for finding in findings:
        key = (finding.style, finding.format)
        if key not in worst or finding.ratio > worst[key].ratio:
            worst[key] = finding
        if not finding.ok and sum((f.style, f.format) == key for f in failures) < SHOWN:
            failures.append(finding)
    return HostileReport(
        {str(extent): size for extent, size in trial.sizes.items()},
        tuple(case.name for case in trial.cases),
        tuple(trial.reduced),
        trial.poles,
        trial.left,
        max((case.truth.digits for case in trial.cases), default=0),
        trial.untried,
        tuple(worst.values()),
        tuple(failures),
    )


def hostile_trial(problem: Problem, *, seed: int = 0) -> Trial:
    """The hostile points of a problem, made milder where what the author asked for exceeds float32.

    Raises:
        UnsupportedError: if no mild inputs are found.
        LimitError: if the program has too many scalars even at small sizes.
    """
    rng = np.random.default_rng(seed)
    program = problem.program
    sizes, parameters, mild = mild_point(program, rng)
    graph = unrolled(program, exact(sizes, parameters))
    trial = Trial(problem, graph, sizes, parameters)
    weights = {name: np.asarray(w, dtype=np.float32) for name, w in weights_for(problem, mild, rng).items()}
    inputs = {tensor.name: mild.values[tensor.name] for tensor in program.inputs}
    written = tuple(equation.name for equation in program.equations if not equation.hoisted)
    asked = Asked(graph, written, problem.targets, loss_weights(graph, weights), seed)
    search = Search(trial, asked, inputs, weights, mild.numbers)
    points = [*hostile_points(problem, graph.shapes), *kink_points(graph, inputs)]
    room = min(MOST, max(FEWEST, WORK // max(1, len(graph.nodes))))
    chosen = spread(points, room)
    trial.untried = len(points) - len(chosen)
    for point in chosen:
        search.try_point(point)
    return trial


def mild_point(program: Program, rng: np.random.Generator) -> tuple[Sizes, Mapping[sp.Symbol, float], Point]:
    """Small sizes at which the program is defined, with constants and mild inputs there.

    Raises:
        UnsupportedError: if no mild inputs are found.
    """
    defaults = {p.symbol: rounded(float(p.default)) for p in program.parameters if p.default is not None}
    failure: UnsupportedError | None = None
    for sizes in (small_sizes(program), *size_sets(program, rng)):
        try:
            point = sample_point(program, sizes, rng, defaults)
        except UnsupportedError as error:
            failure = failure or error
            continue
        parameters = {symbol: rounded(value) for symbol, value in point.parameters.items()}
        return sizes, parameters, point
    assert failure is not None
    raise failure


def rounded(value: float) -> float:
    """A number as float32 holds it, so that every format sees the same."""
    return float(np.float32(value))


def small_sizes(program: Program) -> Sizes:
    """3 for every extent that is summed over, else 2: a softmax or a mean of two entries hides too much."""
    summed = {
        symbol
        for equation in program.equations
        for term in equation.terms
        for index in term.summed
        for symbol in index.extent.free_symbols
    }
    return {extent: 3 if extent in summed else 2 for extent in program.extents}


def exact(sizes: Sizes, parameters: Mapping[sp.Symbol, float]) -> dict[sp.Symbol, sp.Expr]:
    """Extents and constants as exact numbers."""
    return {
        **{extent: sp.Integer(size) for extent, size in sizes.items()},
        **{symbol: sp.Rational(*value.as_integer_ratio()) for symbol, value in parameters.items()},
    }


def spread(points: list[Hostile], room: int) -> list[Hostile]:
    """At most so many points: from each family in turn, in the order in which they were found."""
    families: dict[str, list[Hostile]] = {}
    for point in points:
        families.setdefault(point.family, []).append(point)
    chosen: set[int] = set()
    queues = list(families.values())
    while queues and len(chosen) < room:
        for queue in queues:
            if len(chosen) < room:
                chosen.add(id(queue.pop(0)))
        queues = [queue for queue in queues if queue]
    return [point for point in points if id(point) in chosen]


@dataclass(frozen=True)
class Search:
    """What the oracle needs at every point, and where the points found go."""

    trial: Trial
    asked: Asked
    mild: Mapping[str, Array]
    weights: Mapping[str, Array]
    numbers: Numbers

    def try_point(self, point: Hostile) -> None:
        """Add a point to the trial, milder if it must be; say why if it can't be used."""
        current: Hostile | None = point
        reason = ""
        while current is not None:
            inputs = current.inputs(self.mild, sums_assumed(self.trial.problem.program, self.numbers))
            try:
                found = truth(self.asked, wide_entries(inputs))
            except UndeterminedError as why:
                reason = reason or str(why)
                current = current.weaker() if current.strength > 1 else None
                continue
            if str(current) not in {case.name for case in self.trial.cases}:
                self.add(Case(str(current), inputs, self.weights, found))
            if current is not point:
                self.trial.reduced.append(f"{point} became {current}: {reason}")
            return
        self.trial.left[str(point)] = reason

    def add(self, case: Case) -> None:
        """Keep a point, and name what has no value there."""
        self.trial.cases.append(case)
        gradients = {f"d{name}": numbers for name, numbers in case.truth.gradients.items()}
        every = {**case.truth.values, **gradients}
        poles = tuple(name for name, numbers in every.items() if any(number.is_nan() for number in numbers))
        if poles:
            self.trial.poles[case.name] = poles


def wide_entries(inputs: Mapping[str, Array]) -> dict[str, list[Decimal]]:
    """The inputs as numbers of any precision; exact."""
    return {name: [Decimal(float(value)) for value in array.ravel()] for name, array in inputs.items()}


def loss_weights(graph: Unrolled, weights: Mapping[str, Array]) -> dict[int, Decimal]:
    """The weight of each node of an output."""
    return {
        node: Decimal(float(weight))
        for name, array in weights.items()
        for node, weight in zip(graph.entries[name], array.ravel(), strict=True)
    }


def style_findings(trial: Trial, style: CodeStyle) -> Iterator[Finding]:
    """For each format and point, the worst number of one style."""
    upstream = {up.of: up.name for up in trial.problem.upstream}
    for format in FORMATS:
        with style.precision(), np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for case in trial.cases:
                point = point_of(trial, case, format.name)
                given = {
                    upstream[name]: array.astype(format.name)
                    for name, array in case.weights.items()
                    if name in upstream
                }
                try:
                    found = style.candidate(point, given)
                except Exception as error:  # the code under test may fail in any way, and that is a finding
                    note = f"it raised {type(error).__name__}: {error}"
                    yield Finding(style.name, format.name, math.inf, point=case.name, note=note)
                    continue
                yield worst_number(trial, style, case, format.name, found)


def point_of(trial: Trial, case: Case, format: str) -> Point:
    """A point as arrays of one format."""
    shapes = trial.graph.shapes
    values = {name: np.zeros(shapes[name], format) for name in shapes}
    values.update({name: array.astype(format) for name, array in case.inputs.items()})
    return Point(values, trial.sizes, trial.parameters)


def worst_number(trial: Trial, style: CodeStyle, case: Case, format: str, found: Mapping[str, Array]) -> Finding:
    """The number of one style at one point whose error is the least explained."""
    values, gradients = case.truth.explained[format]
    names = trial.problem.gradient_names
    worst = Finding(style.name, format, 0.0, point=case.name)
    rows = [(name, name, case.truth.values[name], values[name]) for name in values if name in found]
    rows += [(names[name], f"d{name}", case.truth.gradients[name], gradients[name]) for name in style.gradients]
    for key, said, right, explained in rows:
        shape = trial.graph.shapes[said if key == said and said in trial.graph.shapes else said[1:]]
        if key not in found or np.shape(found[key]) != shape:
            note = f"{said} has not the shape {shape}"
            return Finding(style.name, format, math.inf, said, case.name, note=note)
        expected = np.array([float(value) for value in right])
        actual = np.asarray(found[key], dtype=float).ravel()
        ratios = unexplained(actual, expected, explained, case.truth.floor[format])
        if ratios.size and ratios.max() > worst.ratio:
            place = int(ratios.argmax())
            numbers = (float(actual[place]), float(expected[place]))
            worst = Finding(style.name, format, float(ratios.max()), said, case.name, *numbers)
    return worst


def unexplained(actual: Array, expected: Array, explained: Array, floor: float) -> Array:
    """The error of each number over what explains it; zero where nothing is asked.

    Nothing is asked where the truth is no number, or where roundings leave the domain. A number that is not
    finite where the truth is is infinitely wrong.
    """
    asked = np.isfinite(expected) & np.isfinite(explained)
    allowed = explained + floor / ALLOWED
    with np.errstate(all="ignore"):
        ratios = np.abs(actual - expected) / allowed
    ratios = np.where(actual == expected, 0.0, np.where(np.isfinite(actual), ratios, np.inf))
    return np.where(asked, ratios, 0.0)
