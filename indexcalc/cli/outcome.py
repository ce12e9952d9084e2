"""What the check of a derivation found, as lines of the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console

from indexcalc.calculus.steps import Derivation
from indexcalc.cli.terminal import counted, show, show_error, show_summary, sizes_text
from indexcalc.proof.claims import CLAIM_METHOD
from indexcalc.proof.hostile.report import HostileReport
from indexcalc.proof.oracles import BOUNDS
from indexcalc.proof.report import Comparison, Report


def check_text(report: Report) -> str:
    """How many gradients were checked, by which method, at how many sizes, and the worst relative error."""
    gradients = [c for c in report.comparisons if c.method in BOUNDS]
    if not gradients:
        return "nothing: no gradient was compared"
    methods = " and ".join(dict.fromkeys(c.method for c in gradients))
    worst = max(gradients, key=lambda c: c.error)
    at = f" at {sizes_text(worst.sizes)}" if worst.sizes else ""
    return (
        f"{counted(len(gradients), 'gradient')} by {methods} at {counted(len(report.sizes), 'set')} of sizes: "
        f"worst relative error {worst.error:.1e} ({worst.tensor}{at})"
    )


def stand_ins_text(report: Report) -> str:
    """Which literal extents small sizes stood for, and whether the code was compared at these too."""
    numbers = ", ".join(map(str, report.stand_ins.values()))
    own = "compared along random directions" if report.own_sizes else "not compared: too long, or no inputs"
    return f"small sizes stood in for {numbers}; at these themselves the code was {own}"


def target_text(report: Report, target: str) -> str:
    """What was checked of the code for another library; nothing if it was not."""
    ending = f", {target}"
    gradients = [c for c in report.comparisons if c.method.removesuffix(ending) in BOUNDS and c.method.endswith(ending)]
    if not gradients:
        return ""
    own = [c for c in report.comparisons if c.method.startswith(f"{target}.")]
    worst = max(c.error for c in gradients)
    verdict = "".join(f"; {c.method} {'agrees' if c.ok else 'does not agree'}" for c in own)
    return f"{target}: {counted(len(gradients), 'gradient')}, worst relative error {worst:.1e}{verdict}"


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
