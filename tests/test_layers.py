"""Imports only go down: the floors of the package, held by reading every import."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "indexcalc"

FLOORS = {
    "algebra": 0,
    "errors": 0,
    "program": 1,
    "problem": 1,
    "calculus": 2,
    "rewrite": 3,
    "cost": 4,
    "language": 4,
    "codegen": 5,
    "notes": 5,
    "proof": 6,
    "worksheet": 6,
    "checking": 7,
    "library": 7,
    "generation": 7,
    "writing": 7,
    "document": 7,
    "pytest_plugin": 7,
    "cli": 7,
    "__main__": 8,
    "__init__": 8,
}
"""The package's own front (`__init__`) may gather from all floors, and nothing below may import it."""

CHECKER_FLOORS = {
    "meaning": 0,
    "layers": 1,
    "written": 1,
    "numerics": 2,
    "reading": 3,
    "names": 4,
    "judging": 5,
    "repair": 6,
    "check": 7,
    "formats": 7,
    "collecting": 8,
}
"""The floors of the checker of documents, from what formulas mean up to its reports."""

DOCUMENT_FLOORS = {
    "choices": 0,
    "literals": 0,
    "memory": 0,
    "rates": 0,
    "page": 1,
    "table": 2,
    "applications": 3,
    "differentials": 3,
    "gradients": 3,
    "reader": 4,
    "outcomes": 5,
    "search": 6,
    "evidence": 7,
    "deciding": 8,
}
"""The floors of the check by choices, from what notation leaves open up to verdicts."""

STABLE_FLOORS = {
    "exponents": 0,
    "logistic": 0,
    "bounds": 1,
    "differences": 1,
    "divisors": 1,
    "forms": 1,
    "means": 1,
    "sums": 1,
    "fronts": 2,
    "carriers": 3,
    "rewriting": 4,
    "rewritten": 5,
    "assembly": 6,
    "passes": 7,
}
"""The floors of stable code, from single exponentials up to both passes."""

APART = (("codegen", "notes"), ("notes", "codegen"), ("algebra", "program"), ("errors", "algebra"))
"""Neighbours that must not know each other: printers, and what is below them all."""

ORACLES = (
    *("numeric", "evaluate", "oracles", "domain", "sampling"),
    *(f"hostile/{name}" for name in ("unrolled", "wide", "sweep", "oracle", "points", "kinks")),
)
"""The modules of `proof` that must stay independent of what they check."""

TERMINAL = {"typer", "rich", "click"}
FRAMEWORKS = {"torch", "jax", "tensorflow", "dask", "scipy", "hypothesis", "pytest"}
PLUGIN = ROOT / "proof" / "document" / "collecting.py"
"""The one module that may import pytest: a running pytest imports it, and nothing else does."""
MODULES = {"markdown_it_py": "markdown_it"}
"""The import name of a dependency, where it is not the name it is installed by."""

FILES = sorted(ROOT.rglob("*.py"))


def part_of(path: Path) -> str:
    """The folder or module of the package that a file belongs to."""
    first = path.relative_to(ROOT).parts[0]
    return first.removesuffix(".py")


def imports_of(source: str, package: tuple[str, ...]) -> Iterator[str]:
    """The dotted names that a module imports, at any depth, relative ones resolved."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join((*base, *([node.module] if node.module else [])))
            for alias in node.names:
                yield f"{module}.{alias.name}"


def own_imports(path: Path) -> set[str]:
    """The parts of the package that a file imports."""
    package = ("indexcalc", *path.relative_to(ROOT).parts[:-1])
    names = (name.split(".") for name in imports_of(path.read_text(encoding="utf-8"), package))
    return {name[1] if len(name) > 1 and name[1] in FLOORS else "__init__" for name in names if name[0] == "indexcalc"}


def outside_imports(path: Path) -> set[str]:
    """The top-level packages from elsewhere that a file imports."""
    return {name.split(".")[0] for name in imports_of(path.read_text(encoding="utf-8"), ("indexcalc",))}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_down(path):
    here = part_of(path)
    assert here in FLOORS, f"{here} has no floor"
    upward = [other for other in own_imports(path) if FLOORS[other] > FLOORS[here]]
    assert not upward, f"floor {FLOORS[here]} imports {upward} from above"
    assert not [other for other in own_imports(path) if (here, other) in APART]


CHECKER = ROOT / "proof" / "document"


@pytest.mark.parametrize("path", sorted(CHECKER.rglob("*.py")), ids=lambda path: str(path.relative_to(CHECKER)))
def test_imports_of_the_checker_go_down(path):
    here = path.relative_to(CHECKER).parts[0].removesuffix(".py")
    if here == "__init__":
        return
    assert here in CHECKER_FLOORS, f"{here} has no floor"
    tree = ast.parse(path.read_text(encoding="utf-8"))
    typing = [node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    running = ast.unparse(ast.Module([node for node in tree.body if node not in typing], []))
    names = (name.split(".") for name in imports_of(running, ()))
    others = {name[3] for name in names if name[:3] == ["indexcalc", "proof", "document"]} & set(CHECKER_FLOORS)
    assert not [other for other in others if CHECKER_FLOORS[other] > CHECKER_FLOORS[here]]


@pytest.mark.parametrize("path", sorted((ROOT / "document").glob("*.py")), ids=lambda path: path.name)
def test_imports_of_the_check_by_choices_go_down(path):
    if path.name == "__init__.py":
        return
    names = (name.split(".") for name in imports_of(path.read_text(encoding="utf-8"), ()))
    others = {name[2] for name in names if name[:2] == ["indexcalc", "document"]}
    assert not [other for other in others if DOCUMENT_FLOORS[other] >= DOCUMENT_FLOORS[path.stem]]


@pytest.mark.parametrize("path", sorted((ROOT / "codegen" / "stable").glob("*.py")), ids=lambda path: path.name)
def test_imports_of_stable_code_go_down(path):
    if path.name == "__init__.py":
        return
    names = (name.split(".") for name in imports_of(path.read_text(encoding="utf-8"), ()))
    others = {name[3] for name in names if name[:3] == ["indexcalc", "codegen", "stable"]}
    assert not [other for other in others if STABLE_FLOORS[other] >= STABLE_FLOORS[path.stem]]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_only_the_command_line_knows_the_terminal_and_nobody_a_framework(path):
    outside = outside_imports(path)
    if part_of(path) not in {"cli", "__main__"}:
        assert not outside & TERMINAL
    assert not outside & (FRAMEWORKS - {"pytest"} if path == PLUGIN else FRAMEWORKS)


def test_nothing_imports_what_only_pytest_may():
    importing = [path for path in FILES if "proof.document.collecting" in path.read_text(encoding="utf-8")]
    assert [path.name for path in importing] == ["pytest_plugin.py"]
    assert "import_module" in importing[0].read_text(encoding="utf-8")


def declared_modules() -> set[str]:
    """The packages that the project's metadata require, extras left out, by import name."""
    metadata = tomllib.loads((ROOT.parent / "pyproject.toml").read_text(encoding="utf-8"))
    required = (re.split(r"[<>=!~\[; ]", line)[0].replace("-", "_") for line in metadata["project"]["dependencies"])
    return {MODULES.get(name, name) for name in required}


def test_only_declared_dependencies_are_imported():
    everything = set().union(*(outside_imports(path) for path in FILES if path != PLUGIN))
    assert everything - set(sys.stdlib_module_names) - {"indexcalc"} <= declared_modules()


@pytest.mark.parametrize("name", ORACLES)
def test_oracles_know_neither_the_calculus_nor_code_generation(name):
    assert not own_imports(ROOT / "proof" / f"{name}.py") & {"calculus", "rewrite", "language", "codegen", "notes"}


def test_nothing_is_evaluated_from_text():
    for path in FILES:
        called = {
            node.func.id
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        assert not called & {"eval", "exec", "compile", "__import__"}, path


def test_the_reader_of_imports_sees_all_ways_to_import():
    source = "import a.b\nfrom c import d\ndef f():\n    from . import e\n    from ..g import h\n"
    assert list(imports_of(source, ("indexcalc", "proof"))) == ["a.b", "c.d", "indexcalc.proof.e", "indexcalc.g.h"]


def test_an_upward_import_would_be_seen(tmp_path, monkeypatch):
    monkeypatch.setattr(f"{__name__}.ROOT", tmp_path)
    (tmp_path / "algebra").mkdir()
    wrong = tmp_path / "algebra" / "build.py"
    wrong.write_text("def f():\n    from indexcalc.calculus import contract\n")
    with pytest.raises(AssertionError, match="from above"):
        test_imports_go_down(wrong)
