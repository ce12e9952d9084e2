"""The derivations that ship with the package, found by name from a wheel, an editable install and a checkout."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from indexcalc.errors import IndexCalcError
from indexcalc.language.paths import SUFFIX, derivations_folder, specs_in, title_of


class LibraryError(IndexCalcError):
    """A derivation that is neither shipped nor a file."""


@dataclass(frozen=True, slots=True)
class Shipped:
    """A shipped derivation: its name, the title of its spec, and the spec file."""

    name: str
    title: str
    path: Path


def shipped_folder() -> Path:
    """The folder that holds one folder for each shipped derivation.

    Raises:
        LibraryError: if the installation holds none.
    """
    package = Path(__file__).resolve().parent
    folder = derivations_folder(package)
    if folder is None:
        raise LibraryError(f"no derivations are installed beside {package}; give the path of a spec ({SUFFIX})")
    return folder


def shipped_paths() -> dict[str, Path]:
    """The spec of each shipped derivation, by name, in alphabetical order."""
    return specs_in(shipped_folder())


def shipped() -> tuple[Shipped, ...]:
    """All shipped derivations, in alphabetical order."""
    return tuple(Shipped(name, title_of(path), path) for name, path in shipped_paths().items())


def find_spec(name_or_path: str | Path) -> Path:
    """The spec file of a shipped derivation, or the file itself if a path is given.

    What ends in `.ixc` or holds a path separator is a path; anything else is a name, and a file of
    that name is taken only if no shipped derivation has it.

    Raises:
        LibraryError: if there is no such derivation and no such file.
    """
    given = str(name_or_path)
    path = Path(given)
    if path.suffix == SUFFIX or len(path.parts) != 1 or path.is_absolute():
        return existing(path)
    known = shipped_paths()
    if given in known:
        return known[given]
    if path.is_file():
        return path
    raise LibraryError(f"there is no derivation called {given!r}{advice(given, path, tuple(known))}")


def existing(path: Path) -> Path:
    """The path, if it is a file."""
    if path.is_file():
        return path
    if path.is_dir():
        raise LibraryError(f"{path} is a folder; give the path of the spec file ({SUFFIX}) in it")
    near = get_close_matches(path.name, [p.name for p in siblings(path)], n=1)
    hint = f"; did you mean {path.parent / near[0]}?" if near else "; give the path of a spec, or a name from the list"
    raise LibraryError(f"there is no file {path}{hint}")


def siblings(path: Path) -> list[Path]:
    """The specs in the folder of a path, if it can be read."""
    try:
        return sorted(path.parent.glob(f"*{SUFFIX}"))
    except OSError:
        return []


def advice(given: str, path: Path, known: tuple[str, ...]) -> str:
    """The nearest shipped name, the spec that lies here, or where the names are."""
    spec = path.with_name(path.name + SUFFIX) if path.name else path
    if path.name and spec.is_file():
        return f"; did you mean the file {spec}?"
    near = get_close_matches(given.lower().replace("-", "_"), known, n=1)
    if near:
        return f"; did you mean {near[0]}?"
    return f"; `indexcalc list` names what is shipped, or give the path of a spec ({SUFFIX})"
