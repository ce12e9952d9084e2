"""Sizes for the extents of a report, checked before anything is computed from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

import sympy as sp

from indexcalc.errors import IndexCalcError


class SizesError(IndexCalcError):
    """Sizes that do not fit the extents: one that is unknown or missing, or no positive whole number."""


MAX_DIGITS = 40
"""The most digits of one size: past any memory, and far from where printing a number takes long."""

EXAMPLE = "T=4096,d=64"


def read_sizes(texts: Iterable[str]) -> dict[str, int]:
    """The sizes in texts such as ``T=4096,d=64``, by name.

    Raises:
        SizesError: for a piece that is not ``NAME=SIZE``, a name given twice, a size that is no whole number.
    """
    found: dict[str, int] = {}
    for piece in (piece.strip() for text in texts for piece in text.split(",")):
        name, equals, size = (part.strip() for part in piece.partition("="))
        if not (name and equals and size):
            raise SizesError(f"{piece!r} is not NAME=SIZE; write sizes like {EXAMPLE}")
        if name in found:
            raise SizesError(f"the size of {name} is given twice; once is enough")
        if not (size.isascii() and size.isdecimal()):
            raise SizesError(f"the size of {name} is {size!r}; a size is a positive whole number, like in {EXAMPLE}")
        if len(size) > MAX_DIGITS:
            raise SizesError(f"the size of {name} has {len(size)} digits; the limit is {MAX_DIGITS}")
        found[name] = int(size)
    return found


def checked_sizes(given: Mapping[str, int], extents: Iterable[sp.Symbol]) -> dict[sp.Symbol, int]:
    """The size of every extent.

    Raises:
        SizesError: if a name is no extent, an extent has no size, or a size is not positive.
    """
    symbols = {extent.name: extent for extent in extents}
    known = ", ".join(symbols) or "none"
    for name, size in given.items():
        if name not in symbols:
            near = get_close_matches(name, symbols, n=1, cutoff=0.5)
            hint = f"did you mean {near[0]}? " if near else ""
            raise SizesError(f"there is no extent {name!r}; {hint}The extents are: {known}")
        if size < 1:
            raise SizesError(f"the size of {name} is {size}; a size is a positive whole number")
    missing = [name for name in symbols if name not in given]
    if missing:
        more = ",".join(f"{name}=..." for name in missing)
        raise SizesError(f"no size is given for {', '.join(missing)}; add {more} (the extents are: {known})")
    return {symbol: given[name] for name, symbol in symbols.items()}
