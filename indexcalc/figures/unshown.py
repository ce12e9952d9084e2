"""A figure that is off and stands without its arithmetic: may it come from figures above it?"""

from __future__ import annotations

from indexcalc.document.report import Verdict
from indexcalc.figures.heads import Head
from indexcalc.figures.intervals import hull
from indexcalc.figures.naming import Names
from indexcalc.figures.nodes import Figure
from indexcalc.figures.operands import Ledger, Stated, close, shown, signed

WRONG = (Verdict.REFUTED, Verdict.FOLLOWS)


def explained(figure: Figure, head: Head, position: int, names: Names, ledger: Ledger) -> tuple[Verdict, str]:
    """``(verdict, reason)``: a repetition of a figure above, or the entry's equation with the figures stated above.

    Args:
        figure: a figure that is off.
        head: what it is stated of.
        position: which entry of the head it is.
        names: what names mean.
        ledger: the figures above.
    """
    if head.meaning is None:
        return Verdict.REFUTED, ""
    key, flat = head.meaning.quantity.key, int(head.meaning.flats.reshape(-1)[position])
    exact = float(head.meaning.values.reshape(-1)[position])
    before = ledger.entries.get((key, flat))
    if before is not None and shown(before.figure) == shown(figure) and before.verdict is not Verdict.CONFIRMED:
        wrong = before.verdict in WRONG
        return (Verdict.FOLLOWS if wrong else before.verdict), f"repeats line {before.line}"
    for stated in ledger.like(figure):
        if stated.exact is not None and close(signed(stated, figure), exact) and stated.verdict is Verdict.ROUNDED:
            return Verdict.ROUNDED, f"repeats line {stated.line}"
    return recomputed(figure, head, position, names, ledger)


def recomputed(figure: Figure, head: Head, position: int, names: Names, ledger: Ledger) -> tuple[Verdict, str]:
    """Whether the equation of an entry gives the figure if it reads the figures stated above."""
    assert head.meaning is not None
    flat = int(head.meaning.flats.reshape(-1)[position])
    exact = float(head.meaning.values.reshape(-1)[position])
    model = names.model
    target = model.name_of(head.meaning.quantity.key)
    if target is None or target in model.values.inputs:
        return Verdict.REFUTED, ""
    stated = {(name, place): found for (name, place), found in by_name(names, ledger).items() if name != target}
    good = {place: found for place, found in stated.items() if found.verdict not in WRONG}
    for chosen, verdict in ((good, Verdict.ROUNDED), (stated, Verdict.FOLLOWS)):
        value = float(model.with_stated(table(chosen), target).reshape(-1)[flat])
        if figure.digits.meets(hull([exact, value])):
            wrong = [found for (name, _), found in chosen.items() if found.verdict in WRONG]
            direct = [f for (name, _), f in chosen.items() if f.verdict in WRONG and name in model.sources(target)]
            line = (direct or wrong)[-1].line if wrong else 0
            return verdict, f"follows from line {line}, which is wrong"
    return Verdict.REFUTED, ""


def by_name(names: Names, ledger: Ledger) -> dict[tuple[str, int], Stated]:
    """The figures above by the programs' names."""
    found: dict[tuple[str, int], Stated] = {}
    for (key, flat), stated in ledger.entries.items():
        name = names.model.name_of(key)
        if name is not None:
            found[name, flat] = stated
    return found


def table(stated: dict[tuple[str, int], Stated]) -> dict[str, dict[int, float]]:
    """The figures of each tensor by flat position."""
    found: dict[str, dict[int, float]] = {}
    for (name, flat), entry in stated.items():
        found.setdefault(name, {})[flat] = entry.figure.value
    return found
