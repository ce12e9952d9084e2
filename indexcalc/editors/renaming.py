"""A name that is changed everywhere it has the same meaning, and nowhere else."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from indexcalc.editors.names import OWN, SpecNames
from indexcalc.editors.occurrences import Kind, Occurrence
from indexcalc.errors import IndexCalcError
from indexcalc.language.syntax import At


class RenamingError(IndexCalcError):
    """A name that can't be changed, or can't be the new one."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A text in place of what stands between two offsets."""

    start: int
    end: int
    text: str


def renamable(names: SpecNames, offset: int) -> Occurrence:
    """The name at an offset, if the text itself declares it.

    Raises:
        RenamingError: if nothing there can be renamed; the message says why.
    """
    found = names.at(offset)
    if found is None or found.kind not in OWN:
        raise RenamingError("there is no tensor, index, extent or parameter here that could be renamed")
    if (found.kind, found.name) not in names.declared:
        raise RenamingError(
            f"this text does not declare the {found.kind} {found.name}; if a `use` line makes it, write `giving` there"
        )
    return found


def renamed(names: SpecNames, offset: int, new: str) -> tuple[Edit, ...]:
    """The edits that give the name at an offset another one.

    The text is read again with these edits: every name in it must mean what it did before.

    Raises:
        RenamingError: if the new name is none, is taken, or would be read as something else.
    """
    one = renamable(names, offset)
    if not new.isidentifier() or unicodedata.normalize("NFKC", new) != new:
        raise RenamingError(f"{new!r} is not a name: use letters, digits and _, a letter first")
    if new == one.name:
        return ()
    if names.unread:
        line = at_of(names.text, names.unread[0].start).line
        raise RenamingError(f"line {line} can't be read; mend it first, or a name in it may be missed")
    taken = next((other for other in names.found if other.name == new and other.kind is not Kind.FOREIGN), None)
    if taken is not None:
        raise RenamingError(f"{new} is taken: it names the {taken.kind} here")
    edits = tuple(edit(other, new) for other in names.all_of(one))
    check(names, SpecNames(applied(names.text, edits)), one, new)
    return edits


def edit(one: Occurrence, new: str) -> Edit:
    """The new name in place of the old one; where another spec's name must stay, behind it."""
    return Edit(one.end, one.end, f" as {new}") if one.kept else Edit(one.start, one.end, new)


def applied(text: str, edits: Sequence[Edit]) -> str:
    """The text after edits that don't overlap."""
    for one in sorted(edits, key=lambda edit: edit.start, reverse=True):
        text = text[: one.start] + one.text + text[one.end :]
    return text


def check(before: SpecNames, after: SpecNames, one: Occurrence, new: str) -> None:
    """Compare what all names mean before and after.

    Raises:
        RenamingError: if a name means something else.
    """
    expected = []
    for other in before.found:
        same = (other.kind, other.name) == (one.kind, one.name)
        if same and other.kept:
            expected.append((Kind.FOREIGN, other.name, False))
        expected.append((other.kind, new if same else other.name, other.declares))
    if [(other.kind, other.name, other.declares) for other in after.found] != expected:
        raise RenamingError(f"{new} would be read as something else in one of its places; choose another name")


def at_of(text: str, offset: int) -> At:
    """The line and the column of an offset, from 1."""
    return At(text.count("\n", 0, offset) + 1, offset - (text.rfind("\n", 0, offset) + 1) + 1)
