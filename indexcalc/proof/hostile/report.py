"""What the check at hostile inputs found."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

ALLOWED = 100.0
"""How many times the error that rounding explains a style may make."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The worst error of one style in one format.

    Attributes:
        style: the code.
        format: the format, such as ``float32``.
        ratio: the error over what rounding explains; infinite for what is not finite where the truth is.
        tensor: the tensor or gradient.
        point: the hostile inputs.
        found: the number that came out.
        expected: the right one.
        note: what went wrong, if it is more than a number.
    """

    style: str
    format: str
    ratio: float
    tensor: str = ""
    point: str = ""
    found: float = 0.0
    expected: float = 0.0
    note: str = ""

    @property
    def ok(self) -> bool:
        """Whether the error is allowed."""
        return self.ratio <= ALLOWED

    def __str__(self) -> str:
        if self.note:
            return f"{self.style}, {self.format}: {self.note} at {self.point}"
        times = "not finite" if math.isinf(self.ratio) else f"{self.ratio:.3g} times what rounding explains"
        return (
            f"{self.style}, {self.format}: {self.tensor} is {times} at {self.point} "
            f"({self.found:.6g}, expected {self.expected:.6g})"
        )


@dataclass(frozen=True)
class HostileReport:
    """What was tried, and the worst of each style and format.

    Attributes:
        sizes: the extents.
        points: the points that were checked, in words.
        reduced: points that were made milder, since what the author asked for exceeds float32.
        poles: points at which some entries have no value, with the tensors that lack them.
        blurred: points at which rounding may leave entries without a value, with their tensors; nothing is asked there.
        left: points without an answer, with the reason.
        digits: the most digits the oracle needed.
        untried: how many more points there are beyond the bound on work.
        findings: the worst of each style in each format.
        failures: the first points at which each fails.
        skipped: why nothing was checked, if nothing was.
    """

    sizes: Mapping[str, int]
    points: tuple[str, ...] = ()
    reduced: tuple[str, ...] = ()
    poles: Mapping[str, tuple[str, ...]] | None = None
    blurred: Mapping[str, tuple[str, ...]] | None = None
    left: Mapping[str, str] | None = None
    digits: int = 0
    untried: int = 0
    findings: tuple[Finding, ...] = ()
    failures: tuple[Finding, ...] = ()
    skipped: str = ""

    @property
    def ok(self) -> bool:
        """Whether every style is as accurate as rounding allows."""
        return all(finding.ok for finding in self.findings)

    def to_json(self) -> dict[str, Any]:
        """The report as plain data; an infinite ratio becomes null."""
        if self.skipped:
            return {"skipped": self.skipped}
        return {
            "ok": self.ok,
            "sizes": dict(self.sizes),
            "allowed": ALLOWED,
            "digits": self.digits,
            "points": list(self.points),
            "untried": self.untried,
            **({"reduced": list(self.reduced)} if self.reduced else {}),
            **({"poles": {point: list(names) for point, names in self.poles.items()}} if self.poles else {}),
            **({"blurred": {point: list(names) for point, names in self.blurred.items()}} if self.blurred else {}),
            **({"left_out": dict(self.left)} if self.left else {}),
            "worst": [finding_json(finding) for finding in self.findings],
            **({"failures": [finding_json(finding) for finding in self.failures]} if self.failures else {}),
        }


def finding_json(finding: Finding) -> dict[str, Any]:
    """One finding as plain data."""
    return {
        "style": finding.style,
        "format": finding.format,
        "ok": finding.ok,
        "error_over_explained": finding.ratio if math.isfinite(finding.ratio) else None,
        "tensor": finding.tensor,
        "point": finding.point,
        **({"note": finding.note} if finding.note else {}),
    }
