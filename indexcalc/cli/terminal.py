"""What a person reads on the terminal: lines of styled text, never truncated, and progress that comes late."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType

from rich.console import Console
from rich.status import Status
from rich.text import Text

from indexcalc.calculus.steps import Derivation
from indexcalc.proof.claims import CLAIM_METHOD
from indexcalc.proof.hostile.report import HostileReport
from indexcalc.proof.oracles import BOUNDS
from indexcalc.proof.report import Report

PATIENCE = 1.0
"""Seconds before progress is shown."""


def printable(text: str) -> str:
    """The text with everything that could steer a terminal written as an escape; it may come from a stranger."""
    return "".join(c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode() for c in text)


def show(console: Console, *parts: str | tuple[str, str]) -> None:
    """Print one line of plain or ``(text, style)`` parts; the terminal wraps it, nothing cuts it."""
    line = Text()
    for part in parts:
        if isinstance(part, str):
            line.append(printable(part))
        else:
            line.append(printable(part[0]), style=part[1])
    console.print(line, soft_wrap=True, highlight=False)


def show_formula(console: Console, formula: str) -> None:
    """Print an equation with its left side made to stand out."""
    left, equals, right = formula.partition(" = ")
    show(console, "  ", (left, "bold cyan"), equals, right)


def show_table(console: Console, rows: Iterable[tuple[str, str]]) -> None:
    """Print two columns; the first is as wide as it needs to be."""
    rows = tuple(rows)
    width = max((len(name) for name, _ in rows), default=0)
    for name, text in rows:
        show(console, (name.ljust(width), "bold cyan"), "  ", text)


def show_error(console: Console, message: str) -> None:
    """Print an error; only its first line is the message, the rest is the place."""
    first, _, rest = message.partition("\n")
    show(console, ("error: ", "bold red"), first, *(["\n" + rest] if rest else []))


def sizes_text(sizes: Mapping[str, int]) -> str:
    """``T=3, d=5``."""
    return ", ".join(f"{extent}={size}" for extent, size in sizes.items())


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


def counted(number: int, noun: str) -> str:
    """``1 gradient``, ``5 gradients``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def show_claims(console: Console, derivation: Derivation, report: Report) -> None:
    """Print each claim of the spec: proved, or evaluated only, or false."""
    claims = [comparison for comparison in report.comparisons if comparison.method == CLAIM_METHOD]
    for identity, comparison in zip(derivation.problem.claims, claims, strict=True):
        if not comparison.ok:
            show_summary(console, "false", comparison.tensor, ok=False)
        elif any(identity is claim for claim in derivation.unproved):
            show_summary(console, "holds", f"{comparison.tensor} (no proof found; error {comparison.error:.1e})")
        else:
            show_summary(console, "proved", comparison.tensor)


def show_refutation(console: Console, report: Report, *, written: bool) -> None:
    """Print which tensors are wrong, by how much, at which sizes."""
    outcome = "the files were written all the same (--force)" if written else "nothing was written"
    what = "the generated code does not compute what it should"
    if not report.failures:
        what = "the generated code is not accurate at hostile inputs"
    elif all(comparison.method == CLAIM_METHOD for comparison in report.failures):
        what = "a claim of the spec is false"
    show_error(console, f"{what}; {outcome}")
    for comparison in report.failures:
        show(console, f"  {comparison}")
    for finding in report.hostile.failures if report.hostile is not None else ():
        show(console, f"  {finding}")


def paths_text(paths: Iterable[Path]) -> str:
    """The folder and the files in it."""
    paths = tuple(paths)
    return f"{paths[0].parent}: {', '.join(path.name for path in paths)}"


def show_summary(console: Console, label: str, text: str, *, ok: bool = True) -> None:
    """Print one line of the summary."""
    show(console, (f"{label:7} ", "bold green" if ok else "bold red"), text)


class Progress:
    """A line on the terminal that says what is going on, if it takes longer than `PATIENCE`."""

    def __init__(self, console: Console) -> None:
        self.status = Status("", console=console)
        self.timer = threading.Timer(PATIENCE, self.status.start)
        self.timer.daemon = True
        self.visible = console.is_terminal

    def __enter__(self) -> Progress:
        if self.visible:
            self.timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.visible:
            self.timer.cancel()
            self.timer.join()
            self.status.stop()

    def __call__(self, doing: str) -> None:
        """Say what is going on now."""
        self.status.update(doing)
