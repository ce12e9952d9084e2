"""What a command is given to read: shipped derivations by name, files by path, and standard input, `-`.

All commands read through here, so that `-` means the same wherever a file is read, and its text is given out once.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from indexcalc.errors import IndexCalcError
from indexcalc.language.paths import SIZE_LIMIT, decoded
from indexcalc.library import find_spec, shipped_paths

if TYPE_CHECKING:
    from indexcalc.problem import Problem
    from indexcalc.worksheet.values import Values

STANDARD_INPUT = "-"
GIVEN = "A shipped derivation, or the path of a spec; - is standard input."
"""What the help says of a spec."""

VALUES_FILE = "values.toml"
"""The values that lie beside a spec, taken if none are given."""


class Inputs:
    """What one call of a command reads."""

    def __init__(self) -> None:
        self.taken = ""

    def standard_input(self, purpose: str, limit: int = -1) -> bytes:
        """The bytes of standard input.

        Args:
            purpose: what they are, for the message if they are asked for again.
            limit: the most bytes that are read; -1 for all.

        Raises:
            IndexCalcError: if something else was read from it before.
        """
        if self.taken:
            raise IndexCalcError(
                f"standard input can be read once only, and is {self.taken} already; give {purpose} by a path"
            )
        self.taken = purpose
        return sys.stdin.buffer.read(limit)

    def problem(self, given: str) -> Problem:
        """The problem that a name, a path or standard input poses.

        Raises:
            IndexCalcError: if there is no such spec, or a mistake in it.
        """
        # Documents are checked without what reads specs.
        from indexcalc.language.read import load_problem, read_problem  # noqa: PLC0415

        if given != STANDARD_INPUT:
            return load_problem(find_spec(given))
        # One byte more than a spec may have tells a longer one.
        content = self.standard_input("the spec", SIZE_LIMIT + 1)
        return read_problem(decoded(content, "standard input"), "standard input")

    def document(self, path: Path, purpose: str = "a document") -> str:
        """The text of a document.

        Raises:
            IndexCalcError: if it cannot be read.
        """
        is_standard = str(path) == STANDARD_INPUT
        try:
            content = self.standard_input(purpose) if is_standard else path.read_bytes()
            return content.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
        except OSError as error:
            raise IndexCalcError(f"cannot read {path}: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise IndexCalcError(f"cannot read {name_of(path)}: it is not UTF-8 text") from error

    def values(self, path: Path | None, given: str, problem: Problem) -> Values:
        """The numbers of a derivation: those in a file, in standard input, or beside its spec.

        Raises:
            ValuesError: if there are none, or they do not fit the problem.
        """
        # Only worksheets need numbers.
        from indexcalc.worksheet.values import BYTES_LIMIT, ValuesError, load_values, read_values  # noqa: PLC0415

        if path is None and given == STANDARD_INPUT:
            raise ValuesError("no file of values lies beside standard input; give the numbers with --values FILE")
        if path is not None and str(path) == STANDARD_INPUT:
            content = self.standard_input("the values", BYTES_LIMIT + 1)
            if len(content) > BYTES_LIMIT:
                raise ValuesError(f"standard input has more bytes than the {BYTES_LIMIT} that values may have")
            try:
                return read_values(content.decode("utf-8"), problem, "standard input")
            except UnicodeDecodeError as error:
                raise ValuesError(f"standard input is not UTF-8 text: byte {error.start} cannot be read") from error
        source = find_spec(given).with_name(VALUES_FILE) if path is None else path
        if path is None and not source.is_file():
            raise ValuesError(
                f"there is no {VALUES_FILE} beside {find_spec(given)}; give the numbers with --values FILE, "
                f"or start from those that indexcalc worksheet {given} --draw writes"
            )
        return load_values(source, problem)


def name_of(path: Path) -> str:
    """The name under which reports speak of a document."""
    return "standard input" if str(path) == STANDARD_INPUT else str(path)


def shipped_names() -> list[str]:
    """The names of the shipped derivations, for completion."""
    return list(shipped_paths())
