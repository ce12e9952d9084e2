"""The options that say how generated code is written: for reading, for speed in blocks, or with few steps kept."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import TYPE_CHECKING

import sympy as sp

from indexcalc.cost import SizesError, checked_sizes, read_sizes
from indexcalc.errors import IndexCalcError

if TYPE_CHECKING:
    from indexcalc.codegen.fast.module import FastOptions

UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
"""What may stand behind a number of bytes."""

MAX_CACHE = 1 << 40
"""The most bytes that a block may be allowed to take."""


LEAST_MEMORY = 4 << 20
"""The fewest bytes that a call may be kept to: the check runs with them too, on small arrays."""


class Style(StrEnum):
    """How code is written."""

    einsum = "einsum"
    fast = "fast"
    checkpoints = "checkpoints"


class StyleError(IndexCalcError):
    """An option about blocks that is misspelt, or given for code without blocks."""


def fast_options(
    style: Style, at: list[str] | None, block: str, cache: str, *, memory: str, extents: Iterable[sp.Symbol]
) -> FastOptions | None:
    """How code made for speed is to cut its work into blocks; None where no such code is asked for.

    Args:
        style: of the code.
        at: sizes such as ``T=4096,d=64``.
        block: an index and a length, such as ``i=256``.
        cache: bytes, with K, M or G behind the number.
        memory: the same, for what a call may take beside given arrays and results.
        extents: those of the derivation.

    Raises:
        StyleError: if an option is misspelt, or blocks are spoken of for code that has none.
        SizesError: for sizes that are not right.
    """
    options = (("--at", at), ("--block", block), ("--cache", cache), ("--memory", memory))
    given = [name for name, value in options if value]
    if style is not Style.fast:
        if given:
            raise StyleError(f"{given[0]} is about blocks, which only --style fast has; add --style fast")
        return None
    # Code for reading is written without the passes that make code for speed.
    from indexcalc.codegen.fast.module import FastOptions  # noqa: PLC0415

    sizes = {}
    if at:
        try:
            sizes = {symbol.name: size for symbol, size in checked_sizes(read_sizes(at), extents).items()}
        except SizesError as error:
            raise SizesError(f"--at: {error}") from error
    return FastOptions(
        sizes,
        read_block(block) if block else None,
        read_bytes(cache, "--cache") if cache else None,
        read_bytes(memory, "--memory", LEAST_MEMORY) if memory else None,
    )


def read_block(text: str) -> tuple[str, int]:
    """The index and the length in ``i=256``."""
    name, _, length = (part.strip() for part in text.partition("="))
    if not (name and length.isascii() and length.isdecimal() and len(length) < 10 and int(length) > 0):
        raise StyleError(f"--block: {text!r} is not INDEX=LENGTH with a positive length, such as i=256")
    return name, int(length)


def read_bytes(text: str, option: str, least: int = 1) -> int:
    """The number of bytes in ``262144``, ``512K`` or ``1M``."""
    number, unit = (text[:-1], text[-1].upper()) if text[-1:].isalpha() else (text, "")
    fine = number.isascii() and number.isdecimal() and unit in UNITS and len(number) < 16
    if not fine or not 0 < int(number) * UNITS[unit] <= MAX_CACHE:
        raise StyleError(f"{option}: {text!r} is not a number of bytes, such as 262144, 512K or 1M")
    if int(number) * UNITS[unit] < least:
        raise StyleError(f"{option}: {text} is too little; {least >> 20}M is the least")
    return int(number) * UNITS[unit]
