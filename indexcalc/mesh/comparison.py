"""What was predicted to be sent beside what a compiled program sends, and the causes of differences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import sympy as sp

from indexcalc.cost.mesh import together
from indexcalc.cost.traffic import Collective, Kind
from indexcalc.mesh.compiled import Compiled, totals

TOLERANCE = 0.1
"""By how much of what was predicted bytes may differ without a word."""

WORD = 8
"""Bytes that are no difference: rounding of what is smaller than an entry."""

NO_SCATTER = (
    "A reduce-scatter is written as a sum that every device keeps its block of. XLA's backend for processors makes no "
    "reduce-scatter of that: it adds up the whole array in an all-reduce, which sends twice as much."
)
DONE_ONCE = (
    "XLA does equal operations once. A copy that both passes need is sent once where both are one program, "
    "and held in between."
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Bytes that one device sends in operations of one kind.

    Attributes:
        kind: of the operations.
        predicted: by the report.
        compiled: in the compiled program.
        cause: of the difference, if there is one that is known.
    """

    kind: str
    predicted: float
    compiled: float
    cause: str = ""

    @property
    def agrees(self) -> bool:
        """Whether the two are alike."""
        return alike(self.predicted, self.compiled)

    @property
    def explained(self) -> bool:
        """Whether they are alike, or the cause is known."""
        return self.agrees or bool(self.cause)


def alike(predicted: float, compiled: float) -> bool:
    """Whether bytes differ by less than the tolerance; what is not there has no tolerance."""
    if not (predicted and compiled):
        return predicted == compiled
    return abs(predicted - compiled) <= max(TOLERANCE * predicted, WORD)


def compared(
    predicted: Sequence[Collective], compiled: Iterable[Compiled], sizes: Mapping[sp.Symbol, int], width: int
) -> tuple[Verdict, ...]:
    """For every kind of operation, what was predicted beside what was compiled.

    Args:
        predicted: the operations of the report.
        compiled: those of the program.
        sizes: the size of every extent and block.
        width: bytes an entry.
    """
    got, plain = totals(compiled), sent_by_kind(predicted, sizes, width)
    once = sent_by_kind(distinct(predicted), sizes, width)
    if lacking := plain.get(Kind.SCATTER, 0) and not got.get(Kind.SCATTER, 0):
        whole = with_whole_sums(predicted)
        plain_whole, once_whole = (sent_by_kind(every, sizes, width) for every in (whole, distinct(whole)))
    else:
        plain_whole, once_whole = plain, once
    verdicts = []
    for kind in dict.fromkeys((*plain, *got)):
        known, found = plain.get(kind, 0.0), got.get(kind, 0.0)
        causes = []
        if not alike(known, found):
            if lacking and kind in (Kind.SCATTER, Kind.REDUCE):
                causes = [NO_SCATTER]
            if not alike(plain_whole.get(kind, 0.0), found):
                causes = [*causes, DONE_ONCE] if alike(once_whole.get(kind, 0.0), found) else []
        verdicts.append(Verdict(str(kind), known, found, " ".join(causes)))
    return tuple(verdicts)


def sent_by_kind(predicted: Iterable[Collective], sizes: Mapping[sp.Symbol, int], width: int) -> dict[str, float]:
    """The bytes that one device sends, by the kind of operation."""
    table: dict[str, float] = {}
    for one in predicted:
        if one.devices > 1:
            table[one.kind.value] = table.get(one.kind.value, 0.0) + one.sent.at(sizes, width)
    return table


def distinct(predicted: Iterable[Collective]) -> list[Collective]:
    """The operations without copies of the same tensor that are made again."""
    found: dict[object, Collective] = {}
    for number, one in enumerate(predicted):
        copies = one.kind in (Kind.GATHER, Kind.PERMUTE)
        again = (one.kind, one.tensor, one.axis, one.entries) if copies else number
        found.setdefault(again, one)
    return list(found.values())


def with_whole_sums(predicted: Iterable[Collective]) -> list[Collective]:
    """The operations with an all-reduce for every reduce-scatter: one with that over other axes of the same sum."""
    found: list[Collective] = []
    for one in predicted:
        if one.kind is not Kind.SCATTER:
            found.append(one)
            continue
        same = (Kind.REDUCE, one.tensor, one.entries, one.reason)
        axes = one.axis.single
        last = found[-1] if found else None
        if last and (last.kind, last.tensor, last.entries, last.reason) == same and not {*last.axis.single} & {*axes}:
            axes = (*found.pop().axis.single, *axes)
        found.append(replace(one, kind=Kind.REDUCE, axis=together(axes) or one.axis))
    return found


def expected_differences(predicted: Sequence[Collective]) -> tuple[str, ...]:
    """The causes for which a compiled program may send otherwise than these operations."""
    scatters = any(one.kind is Kind.SCATTER and one.devices > 1 for one in predicted)
    again = len(distinct(predicted)) < len(predicted)
    return (*([NO_SCATTER] if scatters else []), *([DONE_ONCE] if again else []))
