"""Numbers for people: ``2.15 G`` operations, ``64.0 MiB``."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

DECIMAL = ("", "k", "M", "G", "T", "P", "E", "Z", "Y")
BINARY = ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB")


def si_text(number: int) -> str:
    """``2.15 G``: three digits and the prefix for a power of 1000."""
    return scaled(number, 1000, DECIMAL)


def bytes_text(number: int) -> str:
    """``64.0 MiB``: three digits or four, and the unit for a power of 1024."""
    return scaled(number, 1024, BINARY)


def scaled(number: int, base: int, units: Sequence[str]) -> str:
    """The number in the largest unit of which there is at least one; past all units, as a power of ten in the first."""
    value, place = Decimal(number), 0
    # From half below the base on it would be rounded up to the base itself.
    while value >= Decimal(base) - Decimal("0.5") and place < len(units) - 1:
        value, place = value / base, place + 1
    if not place:
        return f"{number} {units[0]}".rstrip()
    if value >= base:
        return f"{Decimal(number):.2e} {units[0]}".rstrip()
    digits = 2 if value < Decimal("9.995") else 1 if value < Decimal("99.95") else 0
    return f"{value:.{digits}f} {units[place]}"
