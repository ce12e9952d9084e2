"""The cell magic ``%%indexcalc``: a cell that is a spec.

IPython hands itself over when it loads the extension, and is imported here alone: for the error that it shows without
a traceback.
"""

from __future__ import annotations

import keyword
from importlib import import_module
from typing import Any

from indexcalc.calculus.steps import Derivation
from indexcalc.errors import IndexCalcError
from indexcalc.language import read_problem
from indexcalc.notebook.markdown import derivation_markdown
from indexcalc.notebook.texts import Markdown
from indexcalc.rewrite.derive import derive

MAGIC = "indexcalc"

DEFAULT = "derivation"
"""What the derivation is bound to if the line names nothing."""

BRIEF = "--brief"
"""Shows the brief note."""

RESULTS = "--results"
"""Shows the results alone, without the steps."""

USAGE = (
    f"write %%{MAGIC} NAME, a name for the derivation, with {BRIEF} for the brief note, or {RESULTS} for the results "
    "without the steps"
)


def load_ipython_extension(shell: Any) -> None:
    """Register ``%%indexcalc``; IPython calls this for ``%load_ext indexcalc``."""

    def cell(line: str, text: str) -> Markdown:
        """Derive the spec in the cell, bind the derivation to a name, and show its note."""
        try:
            name, shown = options(line)
            derivation = derived(text, name)
        except IndexCalcError as error:
            raise usage_error(str(error)) from None
        shell.push({name: derivation})
        if shown == RESULTS:
            return Markdown(derivation_markdown(derivation))
        return Markdown(derivation.markdown(detail="brief" if shown == BRIEF else "full"))

    shell.register_magic_function(cell, magic_kind="cell", magic_name=MAGIC)


def unload_ipython_extension(shell: Any) -> None:
    """Forget ``%%indexcalc``."""
    shell.magics_manager.magics["cell"].pop(MAGIC, None)


def options(line: str) -> tuple[str, str]:
    """The name in the line behind the magic, and which option stands there; the last of several.

    Raises:
        IndexCalcError: for anything else that stands there.
    """
    words = line.split()
    names = [word for word in words if word not in (BRIEF, RESULTS)]
    if len(names) > 1 or any(not name.isidentifier() or keyword.iskeyword(name) for name in names):
        raise IndexCalcError(f"{' '.join(names)} is not a name; {USAGE}")
    asked = [word for word in words if word in (BRIEF, RESULTS)]
    return (names[0] if names else DEFAULT), (asked[-1] if asked else "")


def derived(text: str, name: str) -> Derivation:
    """The derivation of a cell; places in errors count the lines of the cell from the magic on.

    Raises:
        IndexCalcError: for the first mistake in the spec.
    """
    return derive(read_problem("\n" + text, "<cell>", name))


def usage_error(message: str) -> Exception:
    """A mistake that IPython shows without a traceback."""
    found: Exception = import_module("IPython.core.error").UsageError(message)
    return found
