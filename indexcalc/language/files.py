"""Where spec texts come from: a file, a text, or the shipped derivation of a name."""

from __future__ import annotations

import re
from pathlib import Path

from indexcalc.errors import SpecError
from indexcalc.language.source import Source
from indexcalc.language.syntax import At

SUFFIX = ".ixc"
"""How the name of a spec file ends."""

SIZE_LIMIT = 200_000
"""The longest spec, in bytes of a file or characters of a text."""

CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""Characters that no text holds, and that neither Python, LaTeX nor a terminal takes for text; tabs are welcome."""

PACKAGE = Path(__file__).resolve().parent.parent
"""The folder of the package."""


def source_of(text: str, file: str) -> Source:
    """The text by lines, under the name by which errors speak of it.

    Raises:
        SpecError: for a text that is too long or holds control characters.
    """
    if len(text) > SIZE_LIMIT:
        raise SpecError(f"{file} is longer than {SIZE_LIMIT} characters; a spec is a short text")
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    source = Source(file, tuple(lines))
    for number, line in enumerate(lines, start=1):
        if (found := CONTROL.search(line)) is not None:
            raise source.error(
                f"the character U+{ord(found.group()):04X} has no place in a spec: it is a control character",
                At(number, found.start() + 1),
            )
    return source


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
    if len(content) > SIZE_LIMIT:
        raise SpecError(f"{path} is longer than {SIZE_LIMIT} bytes; a spec is a short text")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise SpecError(f"{path} is not a text in UTF-8 (byte {error.start}); a spec is plain text") from error


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
