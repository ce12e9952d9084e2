"""Files written all or none: a failure leaves the folder as it was."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from indexcalc.errors import IndexCalcError


class OutputError(IndexCalcError):
    """A folder or file that cannot be written."""


def write(files: Mapping[str, str], folder: str | Path) -> tuple[Path, ...]:
    """Write all files into a folder, which is made if need be; either all are new, or nothing has changed.

    Args:
        files: the text of each file, by its plain name.
        folder: where they go; files of these names are replaced, others are left alone.

    Returns:
        The paths, in the order of `files`.

    Raises:
        OutputError: if the folder or a file cannot be written, or a name is not a plain file name.
    """
    target = Path(folder)
    for name in files:
        if not is_plain(name):
            raise OutputError(f"{name!r} is not a plain file name; choose another name for the derivation")
    made: list[Path] = []
    try:
        make_folder(target, made)
        with tempfile.TemporaryDirectory(prefix=".indexcalc-", dir=target) as staging:
            return replace_all(files, target, Path(staging))
    except OSError as error:
        remove_empty(made)
        raise OutputError(f"cannot write to {target}: {error.strerror or error}; choose another folder") from error
    except BaseException:
        remove_empty(made)
        raise


def is_plain(name: str) -> bool:
    """Whether a name is a file name and no path."""
    return bool(name) and name not in (".", "..") and not any(sign in name for sign in ("/", "\\", "\0"))


def make_folder(folder: Path, made: list[Path]) -> None:
    """Make a folder and those above it; `made` lists the new ones, outermost first."""
    missing = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for path in reversed(missing):
        path.mkdir()
        made.append(path)


def replace_all(files: Mapping[str, str], target: Path, staging: Path) -> tuple[Path, ...]:
    """Stage every file, then move all into place; what was moved is moved back if one move fails."""
    new, old = staging / "new", staging / "old"
    new.mkdir()
    old.mkdir()
    for name, text in files.items():
        if (target / name).is_dir():
            raise OutputError(f"cannot write {target / name}: it is a folder; choose another folder for the results")
        (new / name).write_text(text, encoding="utf-8", newline="\n")
    placed: list[str] = []
    try:
        for name in files:
            if os.path.lexists(target / name):
                shutil.copy2(target / name, old / name, follow_symlinks=False)
            placed.append(name)
            os.replace(new / name, target / name)
    except BaseException:
        for name in placed:
            restore(target / name, old / name)
        raise
    return tuple(target / name for name in files)


def restore(path: Path, saved: Path) -> None:
    """Put a saved file back; remove the path if there was none."""
    if os.path.lexists(saved):
        os.replace(saved, path)
    else:
        path.unlink(missing_ok=True)


def remove_empty(made: list[Path]) -> None:
    """Remove the folders that were made for nothing."""
    for path in reversed(made):
        try:
            path.rmdir()
        except OSError:
            return
