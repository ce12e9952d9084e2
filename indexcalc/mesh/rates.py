"""How fast a device computes, reads and sends: what times are estimated from."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace

from indexcalc.errors import IndexCalcError


class RatesError(IndexCalcError):
    """Rates that are misspelt."""


@dataclass(frozen=True, slots=True)
class Rates:
    """What one device does in a second, and can hold; no machine in particular, of the size of today's accelerators.

    Attributes:
        flops: operations.
        memory: bytes between memory and arithmetic.
        link: bytes that it sends to other devices.
        latency: seconds before something sent arrives; a collective of n devices waits for log2(n) of them.
        room: bytes that it can hold.
    """

    flops: float = 2e14
    memory: float = 2e12
    link: float = 1e11
    latency: float = 1e-6
    room: float = 8e10

    def __str__(self) -> str:
        return ",".join(f"{one.name}={getattr(self, one.name):g}" for one in fields(self))


def read_rates(texts: Iterable[str]) -> Rates:
    """The rates in texts such as ``flops=2e14,link=1e11``; what is not said stays.

    Raises:
        RatesError: for an unknown name, or a rate that is no positive number.
    """
    rates, known = Rates(), [one.name for one in fields(Rates)]
    for piece in (piece.strip() for text in texts for piece in text.split(",")):
        name, equals, number = (part.strip() for part in piece.partition("="))
        if name not in known or not equals:
            raise RatesError(f"{piece!r} is no rate; write rates like {rates} (there are {', '.join(known)})")
        try:
            value = float(number)
        except ValueError:
            value = math.nan
        if not (math.isfinite(value) and (value > 0 or (name == "latency" and value == 0))):
            raise RatesError(f"the rate {name} is {number!r}; a rate is a positive number, like in {rates}")
        rates = replace(rates, **{name: value})
    return rates
