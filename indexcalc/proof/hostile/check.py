"""Is generated code finite and accurate at hostile inputs? Every style and format against the oracle."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from indexcalc.errors import LimitError, UnsupportedError
from indexcalc.problem import Problem
from indexcalc.proof.hostile.explained import FORMATS
from indexcalc.proof.hostile.report import ALLOWED, Finding, HostileReport
from indexcalc.proof.hostile.styles import CodeStyle
from indexcalc.proof.hostile.trial import Case, Trial, hostile_trial
from indexcalc.proof.numeric import Array
from indexcalc.proof.oracles import Point

BLUR = 1e-2
"""The part of a tensor's largest entry by which rounding may move it, for errors to be held against an explanation."""

SHOWN = 3
"""How many failing points of one style and format are kept."""


def check_hostile(
    problem: Problem, styles: Sequence[CodeStyle], *, trial: Trial | None = None, seed: int = 0
) -> HostileReport:
    """Compare all styles with the oracle at hostile inputs, in float32 and float64.

    Args:
        problem: the forward program and the gradients asked for.
        styles: the code.
        trial: the points, if they are known already.
        seed: of the mild inputs, the upstream gradients and the roundings.
    """
    try:
        trial = hostile_trial(problem, seed=seed) if trial is None else trial
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
        tuple(f"{wanted} became {used}: {reason}" for wanted, used, reason in trial.reduced),
        {case.name: case.poles for case in trial.cases if case.poles},
        {case.name: case.blurred for case in trial.cases if case.blurred},
        trial.left,
        max((case.truth.digits for case in trial.cases), default=0),
        trial.untried,
        tuple(worst.values()),
        tuple(failures),
    )


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
    inputs = trial.problem.program.tensors
    values.update(
        {n: array.astype(np.int64 if inputs[n].values is not None else format) for n, array in case.inputs.items()}
    )
    return Point(values, trial.sizes, trial.parameters)


def worst_number(trial: Trial, style: CodeStyle, case: Case, format: str, found: Mapping[str, Array]) -> Finding:
    """The number of one style at one point whose error is the least explained."""
    values, gradients = case.truth.explained[format].whole
    names = trial.problem.gradient_names
    blurred = is_blurred(case, format)
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
        if blurred:
            ratios = np.where(np.isfinite(ratios), 0.0, ratios)
        if ratios.size and ratios.max() > worst.ratio:
            place = int(ratios.argmax())
            numbers = (float(actual[place]), float(expected[place]))
            worst = Finding(style.name, format, float(ratios.max()), said, case.name, *numbers)
    return worst


def is_blurred(case: Case, format: str) -> bool:
    """Whether rounding moves some tensor that the author named so far that what follows can't be foretold by it.

    Then an exponential may turn to another entry, and a few random roundings need not show it: only what is not
    finite counts.
    """
    values, _ = case.truth.explained[format].whole
    for name, explained in values.items():
        entries = np.abs(np.array([float(value) for value in case.truth.values[name]]))
        known = np.isfinite(entries) & np.isfinite(explained)
        if np.any(known) and np.max(explained[known]) > BLUR * np.max(entries[known]):
            return True
    return False


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
