"""The verdict on a vector or a matrix: entry by entry, and its shape."""

from __future__ import annotations

from indexcalc.document.report import Verdict
from indexcalc.figures.heads import Head, squeezed
from indexcalc.figures.naming import Names, shape_text
from indexcalc.figures.nodes import Figure, Rows, figure_items, shape_of
from indexcalc.figures.operands import Ledger, Stated, rounded
from indexcalc.figures.unshown import explained
from indexcalc.proof.numeric import Array

TOLD = 4
"""The most entries that a reason names."""

NOTHING = 1e-15
"""Computed numbers below this are zero but for the rounding of doubles."""

ORDER = (Verdict.REFUTED, Verdict.FOLLOWS, Verdict.ROUNDED, Verdict.CONFIRMED)


def judge_list(node: Rows, line: int, head: Head, names: Names, ledger: Ledger) -> tuple[Verdict, str]:
    """``(verdict, reason)`` of a list of figures that is stated of a tensor."""
    if head.meaning is None:
        return Verdict.UNCLEAR, head.problem or "it is not said what this list is"
    values = head.meaning.values
    shape = shape_of(node)
    has_gap = any(isinstance(inner, Rows) and inner.gap is not None for inner in (node, *node.items))
    if shape is None:
        return Verdict.UNCLEAR, "not a list of numbers in rows of one length"
    if not has_gap and shape != values.shape:
        if squeezed(shape) != squeezed(values.shape):
            turned = "; that is the shape of its transpose" if shape == values.shape[::-1] else ""
            return (
                Verdict.REFUTED,
                f"{head.text} is {shape_text(values.shape)}, but {shape_text(shape)} is shown{turned}",
            )
        values = values.reshape(shape)
    if has_gap and len(shape) != values.ndim:
        return Verdict.UNCLEAR, f"{head.text} has {values.ndim} axes, but {len(shape)} are shown"
    if not has_gap and is_transpose(node, values):
        return Verdict.REFUTED, f"this is the transpose of {head.text}"
    flats = head.meaning.flats.reshape(values.shape)
    counted = dict(zip(flats.reshape(-1).tolist(), range(flats.size), strict=True))
    findings: list[tuple[Verdict, str]] = []
    for place, figure in figure_items(node):
        try:
            exact, flat = float(values[place]), int(flats[place])
        except IndexError:
            return Verdict.REFUTED, f"{head.text} is {shape_text(values.shape)}, but more is shown"
        entry = "".join(f"[{at % length + (names.first or 0)}]" for at, length in zip(place, values.shape, strict=True))
        verdict, reason = entry_verdict(figure, head, counted[flat], entry, (names, ledger))
        findings.append((verdict, reason))
        place_key = (head.meaning.quantity.key, flat)
        known = exact if verdict in (Verdict.CONFIRMED, Verdict.ROUNDED) else None
        ledger.add(Stated(figure, known, verdict, line), None)
        ledger.entries[place_key] = Stated(figure, exact, verdict, line)
    worst = min((verdict for verdict, _ in findings), key=ORDER.index, default=Verdict.CONFIRMED)
    told = [reason for verdict, reason in sorted(findings, key=lambda f: ORDER.index(f[0])) if reason]
    more = f"; and {len(told) - TOLD} more" if len(told) > TOLD else ""
    return worst, "; ".join(told[:TOLD]) + more


def is_transpose(node: Rows, values: Array) -> bool:
    """Whether a matrix is not what it should be, but its transpose is."""
    figures = list(figure_items(node))
    if values.ndim != 2 or values.shape[0] != values.shape[1]:
        return False
    if all(figure.digits.holds(float(values[place])) for place, figure in figures):
        return False
    return all(figure.digits.holds(float(values.T[place])) for place, figure in figures)


def entry_verdict(
    figure: Figure, head: Head, position: int, entry: str, known: tuple[Names, Ledger]
) -> tuple[Verdict, str]:
    """``(verdict, reason)`` of one entry."""
    assert head.meaning is not None
    exact = float(head.meaning.values.reshape(-1)[position])
    if figure.digits.holds(exact) or abs(exact - figure.value) < NOTHING:
        return Verdict.CONFIRMED, ""
    away = f"{figure.text} at {entry} is off by {abs(figure.value - exact):.2g}"
    off = f"{away}: {rounded(exact, figure)} ({exact:.6g}) is right"
    verdict, reason = explained(figure, head, position, *known)
    if verdict is Verdict.ROUNDED:
        return verdict, f"follows from rounded figures above: {off}"
    if verdict is Verdict.FOLLOWS:
        return verdict, f"{off} ({reason})"
    return Verdict.REFUTED, off
