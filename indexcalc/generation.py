"""From a problem to everything that is written about it: the note twice, the code, and the check of the code."""

from __future__ import annotations

import importlib.util
import json
import sys
import tempfile
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType

from indexcalc.calculus.steps import Derivation
from indexcalc.codegen import module_names, module_symbols, numpy_module
from indexcalc.errors import IndexCalcError
from indexcalc.notes import latex_note, markdown_note
from indexcalc.proof.claims import check_claims
from indexcalc.proof.gradcheck import check_module
from indexcalc.proof.paths import check_paths
from indexcalc.proof.report import Report


class BrokenCodeError(IndexCalcError):
    """Generated code that cannot even be imported: a mistake of this package, not of the user."""


VALIDATION_FILE = "validation.json"
"""The file that holds the report."""


@dataclass(frozen=True, slots=True)
class Texts:
    """The rendered derivation: the note in Markdown and in LaTeX, and the NumPy module."""

    markdown: str
    latex: str
    code: str


@dataclass(frozen=True, slots=True)
class Outputs:
    """The texts of a derivation, and the report of the numerical check of its code."""

    slug: str
    texts: Texts
    report: Report

    @property
    def files(self) -> Mapping[str, str]:
        """The text of every file, by the name of the file."""
        validation = json.dumps(self.report.to_json(), indent=2, ensure_ascii=False, allow_nan=False)
        return {**rendered_files(self.slug, self.texts), VALIDATION_FILE: validation + "\n"}


def rendered_files(slug: str, texts: Texts) -> Mapping[str, str]:
    """The files that follow from the derivation alone, without random numbers."""
    return {f"{slug}.md": texts.markdown, f"{slug}.tex": texts.latex, f"{slug}.py": texts.code}


def render(derivation: Derivation, views: Collection[str] = ()) -> Texts:
    """The note and the code of a derivation; `views` asks for rows or entries of all gradients in the note."""
    return Texts(markdown_note(derivation, views), latex_note(derivation, views), numpy_module(derivation))


def validate(derivation: Derivation, code: str, *, seed: int = 0) -> Report:
    """Run the generated code against the oracles, check each path on its own, evaluate what is to be proved.

    Args:
        derivation: what the code was generated from.
        code: the source of the module.
        seed: of the random inputs and upstream gradients.

    Raises:
        BrokenCodeError: if the code cannot be imported.
        UnsupportedError: if no random inputs satisfy the program's assumptions and domains.
    """
    module = loaded(code)
    names, symbols = module_names(derivation), module_symbols(derivation)
    report = check_module(derivation.problem, module, names=names, symbols=symbols, seed=seed)
    paths = check_paths(derivation, seed=seed)
    claims = check_claims(derivation.problem, seed=seed)
    return replace(report, comparisons=(*report.comparisons, *paths, *claims))


def loaded(code: str) -> ModuleType:
    """A generated module, imported from a file of its own that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="indexcalc-") as folder:
        path = Path(folder) / "generated.py"
        path.write_text(code, encoding="utf-8")
        spec = importlib.util.spec_from_file_location("generated", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        compiles = sys.dont_write_bytecode
        sys.dont_write_bytecode = True
        try:
            spec.loader.exec_module(module)
        except Exception as error:
            raise BrokenCodeError(f"the generated module cannot be imported: {error!r}") from error
        finally:
            sys.dont_write_bytecode = compiles
    return module


def generate(derivation: Derivation, *, seed: int = 0) -> Outputs:
    """All texts of a derivation, with the report of the check; a check that fails is in the report.

    Raises:
        BrokenCodeError: if the code cannot be imported.
        UnsupportedError: if the code cannot be written, or cannot be checked, in this version.
    """
    texts = render(derivation)
    return Outputs(derivation.problem.slug, texts, validate(derivation, texts.code, seed=seed))
