"""The hostile points of a problem with the truth there: what code is then held against, without any code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

import numpy as np
import sympy as sp

from indexcalc.errors import UnsupportedError
from indexcalc.problem import Problem
from indexcalc.program import CheckedRange, Extreme, Program
from indexcalc.proof.evaluate import numbers_of
from indexcalc.proof.extents import Sizes
from indexcalc.proof.hostile.admission import InadmissibleError, Rule, rules_of
from indexcalc.proof.hostile.explained import FORMATS
from indexcalc.proof.hostile.kinks import kink_points
from indexcalc.proof.hostile.nodes import Call
from indexcalc.proof.hostile.oracle import BEYOND, Truth, truth
from indexcalc.proof.hostile.passes import Asked, UndeterminedError
from indexcalc.proof.hostile.points import EVERYTHING, Hostile, hostile_points
from indexcalc.proof.hostile.report import ALLOWED
from indexcalc.proof.hostile.unrolled import Unrolled, unrolled
from indexcalc.proof.numeric import Array
from indexcalc.proof.oracles import Point
from indexcalc.proof.orders import closest, fixed_inputs
from indexcalc.proof.sampling import sample_point, size_sets, weights_for

WORK, CALLS = 40_000, 3_000
"""The scalars of all points together, and the functions among them, each of which takes as long as ten sums.

A point takes the oracle some dozen runs through its program.
"""

FEWEST, MOST = 4, 80
"""The least and largest number of points that are tried, whatever the size of the program."""


@dataclass(frozen=True)
class Case:
    """A hostile point with the truth there.

    Attributes:
        point: how the inputs came about.
        inputs: the entries of each input, of float32.
        weights: the upstream gradients by output, of float32.
        truth: what is right.
    """

    point: Hostile
    inputs: Mapping[str, Array]
    weights: Mapping[str, Array]
    truth: Truth

    @property
    def name(self) -> str:
        """The point in words."""
        return str(self.point)

    @property
    def poles(self) -> tuple[str, ...]:
        """The tensors and gradients of which some entries have no value here."""
        gradients = {f"d{name}": numbers for name, numbers in self.truth.gradients.items()}
        every = {**self.truth.values, **gradients}
        return tuple(name for name, numbers in every.items() if any(number.is_nan() for number in numbers))

    @property
    def blurred(self) -> tuple[str, ...]:
        """The tensors and gradients of which rounding to float32 may leave entries without a value."""
        values, gradients = self.truth.explained[FORMATS[0].name].whole
        sides = ((values, self.truth.values, ""), (gradients, self.truth.gradients, "d"))
        return tuple(
            prefix + name
            for explained, right, prefix in sides
            for name, errors in explained.items()
            if any(np.isinf(e) and number.is_finite() for e, number in zip(errors, right[name], strict=True))
        )


@dataclass
class Trial:
    """All points of a problem, as found by the oracle alone.

    Attributes:
        problem: what is checked.
        graph: its scalars.
        sizes: the extents.
        parameters: the scalar constants.
        cases: the points.
        reduced: points that were made milder, with what they became and why.
        left: points without an answer, with the reason.
        untried: how many more points there are beyond the bound on work.
    """

    problem: Problem
    graph: Unrolled
    sizes: Sizes
    parameters: Mapping[sp.Symbol, float]
    cases: list[Case] = field(default_factory=list)
    reduced: list[tuple[Hostile, Hostile, str]] = field(default_factory=list)
    left: dict[str, str] = field(default_factory=dict)
    untried: int = 0


def hostile_trial(problem: Problem, *, seed: int = 0) -> Trial:
    """The hostile points of a problem, made milder where what the author asked for exceeds float32.

    Raises:
        UnsupportedError: if no mild inputs are found.
        LimitError: if the program has too many scalars even at small sizes.
    """
    rng = np.random.default_rng(seed)
    program = problem.program
    sizes, parameters, mild = mild_point(problem, rng, small_sizes(program))
    graph = unrolled(program, exact(sizes, parameters), whole_inputs(program, mild))
    if len(graph.nodes) * FEWEST > WORK:
        sizes, parameters, mild = mild_point(problem, rng, dict.fromkeys(program.extents, 2))
        graph = unrolled(program, exact(sizes, parameters), whole_inputs(program, mild))
    trial = Trial(problem, graph, sizes, parameters)
    weights = {name: np.asarray(w, dtype=np.float32) for name, w in weights_for(problem, mild, rng).items()}
    inputs = {tensor.name: mild.values[tensor.name] for tensor in program.inputs}
    zero = {unknown.residual for unknown in program.unknowns}
    written = [eq.name for eq in program.equations if not eq.hoisted and eq.name not in zero]
    written += [unknown.name for unknown in program.unknowns if not unknown.hoisted]
    asked = Asked(graph, tuple(written), problem.targets, loss_weights(graph, weights), seed)
    search = Search(trial, asked, inputs, weights, rules_of(program, numbers_of(sizes, parameters)))
    points = distinct([*hostile_points(problem, graph.shapes), *kink_points(graph, inputs)], inputs, search.rules)
    chosen = spread(points, room_of(graph))
    trial.untried = len(points) - len(chosen)
    for point in chosen:
        search.try_point(point)
    return trial


def whole_inputs(program: Program, mild: Point) -> dict[str, Array]:
    """The inputs of whole numbers, which are the same at all points."""
    return {tensor.name: mild.values[tensor.name] for tensor in program.inputs if tensor.values is not None}


def room_of(graph: Unrolled) -> int:
    """How many points there is time for: fewer for a larger program, from the most telling families."""
    calls = sum(isinstance(node, Call) for node in graph.nodes)
    return min(MOST, max(FEWEST, min(WORK // max(1, len(graph.nodes)), CALLS // max(1, calls))))


def mild_point(
    problem: Problem, rng: np.random.Generator, smallest: Sizes
) -> tuple[Sizes, Mapping[sp.Symbol, float], Point]:
    """The smallest sizes at which the program is defined, or other small ones, with constants and mild inputs there.

    Raises:
        UnsupportedError: if no mild inputs are found.
    """
    program = problem.program
    defaults = {p.symbol: rounded(float(p.default)) for p in program.parameters if p.default is not None}
    failure: UnsupportedError | None = None
    for sizes in (smallest, *size_sets(program, rng)):
        try:
            point = sample_point(program, sizes, rng, defaults, closest(problem), held=fixed_inputs(problem))
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


def distinct(points: Iterable[Hostile], mild: Mapping[str, Array], rules: Mapping[str, Rule]) -> list[Hostile]:
    """The points with inputs of their own: of two alike the one whose change no domain undoes, or the first."""
    found: dict[object, Hostile] = {}
    usual: dict[str, bytes] = {}
    for point in points:
        told = point.within(mild, rules)
        key: object = str(told)
        try:
            altered = told.altered(mild, rules)
            usual |= {name: rules[name].admitted(mild[name]).tobytes() for name in altered if name not in usual}
            key = frozenset((n, array.tobytes()) for n, array in altered.items() if array.tobytes() != usual[n])
        except InadmissibleError:
            pass  # to be left out with its reason
        if key not in found or (found[key].cut and not told.cut):
            found[key] = told
    return list(found.values())


def spread(points: list[Hostile], room: int) -> list[Hostile]:
    """At most so many points: from each family in turn, and in a family one of each input before a second of any."""
    families: dict[str, list[Hostile]] = {}
    for point in points:
        families.setdefault(point.family, []).append(point)
    chosen: set[int] = set()
    queues = [in_turns(family) for family in families.values()]
    while queues and len(chosen) < room:
        for queue in queues:
            if len(chosen) < room:
                chosen.add(id(queue.pop(0)))
        queues = [queue for queue in queues if queue]
    return [point for point in points if id(point) in chosen]


def in_turns(points: Iterable[Hostile]) -> list[Hostile]:
    """The first point of each subject, then the second of each, and so on."""
    seen = Counter[str]()
    turns: list[tuple[int, Hostile]] = []
    for point in points:
        turns.append((seen[point.subject], point))
        seen[point.subject] += 1
    return [point for _, point in sorted(turns, key=lambda turn: turn[0])]


@dataclass(frozen=True)
class Search:
    """What the oracle needs at every point, and where the points found go."""

    trial: Trial
    asked: Asked
    mild: Mapping[str, Array]
    weights: Mapping[str, Array]
    rules: Mapping[str, Rule]

    def try_point(self, point: Hostile) -> None:
        """Add a point to the trial, milder if it must be; say why if it can't be used."""
        current: Hostile | None = point
        reason = ""
        while current is not None:
            try:
                inputs = current.inputs(self.mild, self.rules)
                found = truth(self.asked, wide_entries(inputs))
            except InadmissibleError as why:
                self.trial.left[str(point)] = str(why)
                return
            except UndeterminedError as why:
                reason = reason or str(why)
                milder = current.weaker() if current.strength > 1 else None
                current = milder.within(self.mild, self.rules) if milder is not None else None
                continue
            if current is point or not any(same_inputs(inputs, case.inputs) for case in self.trial.cases):
                self.trial.cases.append(Case(current, inputs, self.weights, found))
            if current is not point:
                self.trial.reduced.append((point, current, reason))
            return
        self.trial.left[str(point)] = reason


def same_inputs(one: Mapping[str, Array], other: Mapping[str, Array]) -> bool:
    """Whether all inputs are the same numbers."""
    return all(np.array_equal(array, other[name]) for name, array in one.items())


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


def checked_range(trial: Trial) -> CheckedRange:
    """What a note says of the points."""
    families = dict.fromkeys(case.point.family for case in trial.cases)
    # Of each input, the largest factor of either sign says where the range ends.
    beyond = [used for _, used, reason in trial.reduced if used.family in ("scale", "turned") and reason == BEYOND]
    factors = sorted(beyond, key=lambda used: used.strength)
    limits = alone(list({(used.subject, used.words): used for used in factors}.values()))
    poles = alone([case.point for case in trial.cases if case.poles])
    blurred = alone([case.point for case in trial.cases if case.blurred])
    subjects = {case.point.subject for case in trial.cases}
    several = len(trial.problem.program.inputs) > 1
    return CheckedRange(
        len(trial.cases),
        int(ALLOWED),
        tuple(families),
        limits,
        poles,
        blurred,
        trial.untried,
        single=several and bool(subjects - {"", EVERYTHING}),
        together=EVERYTHING in subjects,
    )


def alone(points: list[Hostile]) -> tuple[Extreme, ...]:
    """The points for a note: those of single inputs, or else of all."""
    single = [point for point in points if point.subject != EVERYTHING]
    return tuple(extreme(point) for point in single or points)


def extreme(point: Hostile) -> Extreme:
    """A point for a note; all inputs have no name."""
    subject = "" if point.subject == EVERYTHING else point.subject
    return Extreme(subject, point.said)
