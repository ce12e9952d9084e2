"""What the check of a derivation found, as lines of the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.console import Console

from indexcalc.calculus.steps import Derivation
from indexcalc.cli.terminal import counted, show, show_error, show_summary, sizes_text
from indexcalc.problem import Kind, Problem
from indexcalc.proof.claims import CLAIM_METHOD
from indexcalc.proof.gradcheck import TIMES
from indexcalc.proof.hostile.report import HostileReport
from indexcalc.proof.orders import METHODS
from indexcalc.proof.report import Comparison, Report

KINDS = {Kind.JACOBIAN: "Jacobian", Kind.HESSIAN: "Hessian", Kind.GAUSS_NEWTON: "Gauss-Newton part"}
"""What derivatives besides gradients are called."""


def check_text(report: Report, problem: Problem) -> str:
    """What was checked, by which method, at how many sizes, and the worst relative error of each kind."""
    found = [c for c in report.comparisons if c.method in METHODS]
    if not found:
        return "nothing: no derivative was compared"
    said: list[str] = []
    sizes = f" at {counted(len(report.sizes), 'set')} of sizes"
    for what, own in by_kind(found, problem):
        methods = " and ".join(dict.fromkeys(c.method for c in own))
        worst = max(own, key=lambda c: c.error)
        at = f" at {sizes_text(worst.sizes)}" if worst.sizes else ""
        where = sizes if not said else ""
        said.append(f"{what} by {methods}{where}: worst relative error {worst.error:.1e} ({worst.tensor}{at})")
    return "; ".join(said)


def by_kind(found: Iterable[Comparison], problem: Problem) -> list[tuple[str, list[Comparison]]]:
    """Comparisons with what their tensors are: ``2 gradients``, ``1 Hessian``, ``3 products with a Hessian``."""
    results = {result.name: result for result in problem.results}
    grouped: dict[tuple[str, str], list[Comparison]] = {}
    for comparison in found:
        result, product = results.get(comparison.tensor), False
        if result is None and (parts := next((r for r in results if TIMES.format(r) == comparison.tensor), None)):
            result, product = results[parts], True
        if result is None:
            kind = "gradient", ""
        elif result.along or product:
            kind = "product", f" with a {KINDS[result.kind]}"
        else:
            kind = KINDS[result.kind], ""
        grouped.setdefault(kind, []).append(comparison)
    return [(f"{counted(len(own), noun)}{ending}", own) for (noun, ending), own in grouped.items()]


def stand_ins_text(report: Report) -> str:
    """Which literal extents small sizes stood for, and whether the code was compared at these too."""
    numbers = ", ".join(map(str, report.stand_ins.values()))
    own = "compared along random directions" if report.own_sizes else "not compared: too long, or no inputs"
    return f"small sizes stood in for {numbers}; at these themselves the code was {own}"


def target_text(report: Report, problem: Problem, target: str) -> str:
    """What was checked of the code for another library; nothing if it was not."""
    ending = f", {target}"
    found = [c for c in report.comparisons if c.method.removesuffix(ending) in METHODS and c.method.endswith(ending)]
    if not found:
        return ""
    own = [c for c in report.comparisons if c.method.startswith(f"{target}.")]
    said = (f"{what}, worst relative error {max(c.error for c in some):.1e}" for what, some in by_kind(found, problem))
    verdict = "".join(f"; {c.method} {'agrees' if c.ok else 'does not agree'}" for c in own)
    return f"{target}: {'; '.join(said)}{verdict}"


def hostile_text(report: HostileReport) -> str:
    """At how many hostile inputs the code was checked, and how it did."""
    if report.skipped or not report.findings:
        return f"not checked at hostile inputs: {report.skipped or 'none respects what is assumed'}"
    worst = max(report.findings, key=lambda finding: finding.ratio)
    tried = f"{counted(len(report.points), 'point')} in float32 and float64"
    if not report.ok:
        return f"{tried}: {worst}"
    poles = f"; the function itself has no value at {', '.join(report.poles)}" if report.poles else ""
    return f"{tried}: finite, errors at most {worst.ratio:.1f} times what rounding explains{poles}"


def claims_of(derivation: Derivation, report: Report) -> Iterator[tuple[Comparison, str]]:
    """Each claim of the spec with its verdict: proved, or evaluated only, or false."""
    claims = [comparison for comparison in report.comparisons if comparison.method == CLAIM_METHOD]
    for identity, comparison in zip(derivation.problem.claims, claims, strict=True):
        unproved = any(identity is claim for claim in derivation.unproved)
        yield comparison, "false" if not comparison.ok else "holds" if unproved else "proved"


def show_claims(console: Console, derivation: Derivation, report: Report) -> None:
    """Print each claim of the spec with its verdict."""
    for comparison, verdict in claims_of(derivation, report):
        text = comparison.tensor
        if verdict == "holds":
            text += f" (no proof found; error {comparison.error:.1e})"
        show_summary(console, verdict, text, ok=verdict != "false")


def show_refutation(console: Console, report: Report, *, written: bool) -> None:
    """Print which tensors are wrong, by how much, at which sizes."""
    outcome = "the files were written all the same (--force)" if written else "nothing was written"
    what = "the generated code does not compute what it should"
    if not report.failures:
        what = "the generated code is not accurate at hostile inputs"
        outcome = outcome if written else f"{outcome}; --force writes the files all the same"
    elif all(comparison.method == CLAIM_METHOD for comparison in report.failures):
        what = "a claim of the spec is false"
    show_error(console, f"{what}; {outcome}")
    for comparison in report.failures:
        show(console, f"  {comparison}")
    for finding in report.hostile.failures if report.hostile is not None else ():
        show(console, f"  {finding}")
