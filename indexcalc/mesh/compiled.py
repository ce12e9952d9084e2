"""The collective operations of a program that XLA compiled, read from its text (HLO)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from math import prod

from indexcalc.cost.traffic import Kind, sent_share
from indexcalc.errors import IndexCalcError

OPERATION = re.compile(
    r"= (?P<type>\(.*?\)|\S+) (?P<kind>all-reduce|all-gather|reduce-scatter|all-to-all|collective-permute)"
    r"(?P<start>-start)?\("
)
SHAPE = re.compile(r"\b(?P<type>pred|bf16|[fsuc]\d+)\[(?P<dims>[\d,]*)\]")
NAMED = re.compile(r"replica_groups=mesh\[(?P<axes>[^\]]*)\][^{]*\{(?P<used>[^}]*)\}")
NAMED_AXIS = re.compile(r"'(?P<name>[^']*)'=(?P<size>\d+)")
USED_AXIS = re.compile(r"'(?P<name>[^']*)'(?::\(\d+\)(?P<part>\d+))?")
IOTA = re.compile(r"replica_groups=\[\d+,(?P<size>\d+)\]<=")
LISTED = re.compile(r"replica_groups=\{\{(?P<first>[\d,]*)\}")


class CompiledError(IndexCalcError):
    """A collective operation whose text says too little."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """One collective operation of a compiled program.

    Attributes:
        kind: what is done, in XLA's words.
        arrays: the bytes of every array that one device gets; several are done in one.
        devices: how many devices take part.
    """

    kind: str
    arrays: tuple[int, ...]
    devices: int

    @property
    def sent(self) -> float:
        """The bytes that one device sends in a ring, by the same rule as predicted ones."""
        total = sum(self.arrays)
        whole = total * self.devices if self.kind == Kind.SCATTER else total
        return float(sent_share(Kind(self.kind), self.devices) * whole)


def collectives_in(text: str) -> list[Compiled]:
    """The collective operations in the text of a compiled program, in which more than one device takes part.

    Raises:
        CompiledError: if the text of one doesn't say which devices do.
    """
    found = []
    for line in text.splitlines():
        match = OPERATION.search(line)
        if match is None:
            continue
        kind = match["kind"]
        arrays = [array_bytes(shape["type"], shape["dims"]) for shape in SHAPE.finditer(match["type"])]
        if match["start"] and kind != Kind.REDUCE:
            # The type of what is started holds the operand, then the result.
            arrays = arrays[len(arrays) // 2 :]
        devices = 2 if kind == Kind.PERMUTE else group_size(line)
        # An exchange of n devices is written as n arrays, though it is one.
        if kind == Kind.EXCHANGE:
            arrays = [sum(arrays)]
        if devices > 1:
            found.append(Compiled(kind, tuple(arrays), devices))
    return found


def array_bytes(kind: str, dims: str) -> int:
    """The bytes of an array: ``f32``, ``4,8``."""
    bits = 8 if kind == "pred" else int(re.sub(r"\D", "", kind))
    return prod(int(size) for size in dims.split(",") if size) * bits // 8


def group_size(line: str) -> int:
    """How many devices take part in one operation."""
    if (named := NAMED.search(line)) is not None:
        sizes = {axis["name"]: int(axis["size"]) for axis in NAMED_AXIS.finditer(named["axes"])}
        return prod(int(one["part"] or sizes[one["name"]]) for one in USED_AXIS.finditer(named["used"]))
    if (iota := IOTA.search(line)) is not None:
        return int(iota["size"])
    if (listed := LISTED.search(line)) is not None:
        return len(listed["first"].split(","))
    raise CompiledError(f"the compiled program doesn't say between which devices: {line.strip()[:120]}")


def totals(found: Iterable[Compiled]) -> dict[str, float]:
    """The bytes that one device sends, by the kind of operation."""
    table: dict[str, float] = {}
    for one in found:
        table[one.kind] = table.get(one.kind, 0.0) + one.sent
    return table
