"""Where spec texts come from: a file, or the shipped derivation of a name; and their titles, without reading more."""

from __future__ import annotations

import re
from pathlib import Path

from indexcalc.errors import SpecError

SUFFIX = ".ixc"
"""How the name of a spec file ends."""

SIZE_LIMIT = 200_000
"""The longest spec, in bytes of a file or characters of a text."""

PACKAGE = Path(__file__).resolve().parent.parent
"""The folder of the package."""

TITLE = re.compile(r'^[ \t]*title[ \t]+("(?:[^"\\\n]|\\.)*")', re.MULTILINE)
"""The statement that gives the title."""


def file_text(path: Path) -> str:
    """The text of a spec file.

    Raises:
        SpecError: for a file that is missing, too long, or not a text in UTF-8.
    """
    try:
        with path.open("rb") as stream:
            content = stream.read(SIZE_LIMIT + 1)
    except OSError as error:
        raise SpecError(f"cannot read {path}: {error.strerror or error}; give the path of a spec ({SUFFIX})") from error
    return decoded(content, str(path))


def decoded(content: bytes, file: str) -> str:
    """The text of a spec, under the name by which errors speak of it.

    Raises:
        SpecError: if it is too long, or not a text in UTF-8.
    """
    if len(content) > SIZE_LIMIT:
        raise SpecError(f"{file} is longer than {SIZE_LIMIT} bytes; a spec is a short text")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise SpecError(f"{file} is not a text in UTF-8 (byte {error.start}); a spec is plain text") from error


def derivations_folder(package: Path) -> Path | None:
    """The folder that holds one folder for each shipped derivation, if the installation has one."""
    # A wheel carries the folder inside the package; in a checkout it stands beside the package.
    folders = (package / "derivations", package.parent / "derivations")
    return next((folder for folder in folders if folder.is_dir()), None)


def specs_in(folder: Path) -> dict[str, Path]:
    """The spec of each derivation in a folder of derivations, by name, in alphabetical order."""
    return {path.stem: path for path in sorted(folder.glob(f"*/*{SUFFIX}")) if path.parent.name == path.stem}


def shipped_text(name: str) -> str | None:
    """The spec of the shipped derivation of this name; None if there is none."""
    folder = derivations_folder(PACKAGE)
    path = None if folder is None else specs_in(folder).get(name)
    return None if path is None else file_text(path)


def title_of(path: Path) -> str:
    """The title in a spec file, or its short name if it states none.

    Raises:
        SpecError: for a file that is missing, too long, or not a text in UTF-8.
    """
    found = TITLE.search(file_text(path))
    return path.stem if found is None else unquoted(found[1])


def unquoted(text: str) -> str:
    """What a string in quotation marks says."""
    return text[1:-1].replace('\\"', '"').replace("\\\\", "\\").strip()
