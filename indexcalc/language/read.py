"""Spec texts and spec files to problems."""

from __future__ import annotations

from pathlib import Path

from indexcalc.language.files import source_of
from indexcalc.language.lower import lower
from indexcalc.language.paths import file_text, shipped_text
from indexcalc.language.reader import parse
from indexcalc.language.use import Resolve
from indexcalc.problem import Problem


def read_problem(
    text: str, file: str = "<text>", slug: str = "derivation", *, resolve: Resolve = shipped_text
) -> Problem:
    """The problem that a spec text poses.

    Args:
        text: the spec.
        file: the name under which errors speak of it; specs that it uses by path lie beside this file.
        slug: the short name of the derivation.
        resolve: the spec text of a derivation that is used by name; by default those shipped.

    Raises:
        SpecError: for the first mistake, with file, line, column, the line itself, and what would be right.
    """
    source = source_of(text, file)
    return lower(parse(source), source, slug, resolve)


def load_problem(path: str | Path, *, resolve: Resolve = shipped_text) -> Problem:
    """The problem in a spec file; its short name is the file's name without the ending.

    Raises:
        SpecError: also for a file that is missing, too long, or not a text in UTF-8.
    """
    path = Path(path)
    return read_problem(file_text(path), str(path), path.stem, resolve=resolve)
