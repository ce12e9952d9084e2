"""The outcome of a numerical check: what was compared, how, at which sizes, with which error."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from indexcalc.presentation import presenter
from indexcalc.proof.hostile.report import HostileReport

FORWARD_METHOD = "naive evaluation"
"""How a forward tensor is checked; gradients have `complex step` or `central differences`."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """One tensor against its oracle.

    Attributes:
        tensor: the forward tensor, or the gradient.
        method: `naive evaluation`, `complex step` or `central differences`.
        error: the worst relative error over all sizes; infinite for a wrong shape, a NaN or an exception.
        bound: the error at which the tensor counts as wrong.
        sizes: the extents at which the worst error was seen.
        note: what went wrong, if it is more than a number, or why it holds all the same.
    """

    tensor: str
    method: str
    error: float
    bound: float
    sizes: Mapping[str, int]
    note: str = ""

    @property
    def ok(self) -> bool:
        """Whether the error is within the bound."""
        return self.error <= self.bound

    def __str__(self) -> str:
        sizes = ", ".join(f"{extent}={size}" for extent, size in self.sizes.items())
        verdict = "ok" if self.ok else "WRONG"
        note = f": {self.note}" if self.note else ""
        return f"{self.tensor}: {verdict}, relative error {self.error:.1e} ({self.method}, worst at {sizes}){note}"


@dataclass(frozen=True)
class Report:
    """What was checked, how, at which sizes, with which error.

    Attributes:
        subject: the slug of the derivation.
        seed: of all random numbers.
        sizes: the extents tried.
        skipped: the extents at which the program itself is undefined, with the reason.
        comparisons: one for each tensor: the worst over all sizes.
        hostile: what was found at hostile inputs, if that was checked.
        stand_ins: the literal extents in whose place small sizes were tried, by the name of what stood for them.
        own_sizes: whether the code was compared at these literal extents too.
    """

    subject: str
    seed: int
    sizes: tuple[Mapping[str, int], ...]
    skipped: tuple[tuple[Mapping[str, int], str], ...]
    comparisons: tuple[Comparison, ...]
    hostile: HostileReport | None = None
    stand_ins: Mapping[str, int] = field(default_factory=dict)
    own_sizes: bool = True

    def __repr__(self) -> str:
        verdict, count = "ok" if self.ok else "WRONG", len(self.comparisons)
        compared = f"{count} comparison{'' if count == 1 else 's'}"
        return f"<Report {self.subject}: {verdict}, {compared}, worst error {self.worst:.1e}>"

    def _repr_markdown_(self) -> str:
        return presenter().markdown(self)

    def _repr_html_(self) -> str:
        return presenter().html(self)

    @property
    def ok(self) -> bool:
        """Whether every tensor is within its bound (and anything was compared at all), at hostile inputs too."""
        compared = bool(self.comparisons) and all(comparison.ok for comparison in self.comparisons)
        return compared and (self.hostile is None or self.hostile.ok)

    @property
    def failures(self) -> tuple[Comparison, ...]:
        """The comparisons that exceed their bound."""
        return tuple(comparison for comparison in self.comparisons if not comparison.ok)

    @property
    def worst(self) -> float:
        """The largest relative error of all gradients."""
        return max((c.error for c in self.comparisons if c.method != FORWARD_METHOD), default=0.0)

    def to_json(self) -> dict[str, Any]:
        """The report as plain lists, dictionaries, numbers and text; an infinite error becomes null."""
        return {
            "derivation": self.subject,
            "ok": self.ok,
            "seed": self.seed,
            "sizes": [dict(sizes) for sizes in self.sizes],
            "skipped": [{"sizes": dict(sizes), "reason": reason} for sizes, reason in self.skipped],
            **(
                {"stand_ins": dict(self.stand_ins), "compared_at_literal_extents": self.own_sizes}
                if self.stand_ins
                else {}
            ),
            "checks": [
                {
                    "tensor": c.tensor,
                    "method": c.method,
                    "ok": c.ok,
                    "relative_error": c.error if math.isfinite(c.error) else None,
                    "bound": c.bound,
                    "worst_sizes": dict(c.sizes),
                    **({"note": c.note} if c.note else {}),
                }
                for c in self.comparisons
            ],
            **({"hostile_inputs": self.hostile.to_json()} if self.hostile is not None else {}),
        }
