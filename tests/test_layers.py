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
    "presentation": 0,
    "recurrence": 1,
    "program": 1,
    "consistency": 1,
    "problem": 1,
    "calculus": 2,
    "rewrite": 3,
    "cost": 4,
    "language": 4,
    "codegen": 5,
    "notes": 5,
    "proof": 6,
    "mesh": 6,
    "worksheet": 6,
    "library": 7,
    "generation": 7,
    "writing": 7,
    "document": 7,
    "figures": 8,
    "notebook": 8,
    "workers": 8,
    "checking": 9,
    "pytest_plugin": 9,
    "playground": 9,
    "editors": 9,
    "cli": 9,
    "__main__": 10,
    "__init__": 10,
}
"""The package's own front (`__init__`) may gather from all floors, and nothing below may import it."""

DOCUMENT_FLOORS = {
    "choices": 0,
    "meaning": 0,
    "report": 0,
    "statements": 0,
    "marked": 1,
    "numerics": 1,
    "ranks": 1,
    "sections": 1,
    "steps": 1,
    "systems": 1,
    "diagnosis": 2,
    "formats": 2,
    "memory": 2,
    "proving": 2,
    "writing": 2,
    "page": 3,
    "remedies": 4,
    "runs": 4,
    "view": 4,
    "table": 5,
    "applications": 6,
    "expectations": 6,
    "gradients": 6,
    "literals": 6,
    "rounding": 6,
    "means": 6,
    "mirrors": 6,
    "multipliers": 6,
    "rows": 6,
    "scope": 6,
    "units": 6,
    "values": 6,
    "densities": 7,
    "divergences": 7,
    "normals": 7,
    "wedges": 6,
    "derivatives": 7,
    "bars": 8,
    "differentials": 8,
    "elementary": 7,
    "fields": 8,
    "functions": 8,
    "lists": 8,
    "places": 8,
    "products": 8,
    "sums": 9,
    "unknowns": 8,
    "chain_rules": 9,
    "spreads": 7,
    "names": 9,
    "rates": 10,
    "reader": 11,
    "outcomes": 12,
    "findings": 13,
    "paths": 13,
    "repair": 13,
    "search": 13,
    "claimed_shapes": 14,
    "constraints": 14,
    "evidence": 14,
    "fitting": 14,
    "explanation": 15,
    "modes": 15,
    "new_meanings": 15,
    "claims": 16,
    "restated": 16,
    "deciding": 17,
    "second_equations": 18,
    "solutions": 18,
    "check": 19,
    "collecting": 20,
}
"""The floors of the checker of documents, from what is written and what it means up to its reports."""

STABLE_FLOORS = {
    "exponents": 0,
    "bounds": 1,
    "brackets": 1,
    "differences": 1,
    "divisors": 1,
    "forms": 1,
    "logistic": 1,
    "gaps": 2,
    "means": 1,
    "pairs": 2,
    "sums": 2,
    "fronts": 3,
    "carriers": 4,
    "rewriting": 5,
    "rewritten": 6,
    "assembly": 7,
    "passes": 8,
}
"""The floors of stable code, from single exponentials up to both passes."""

APART = (("codegen", "notes"), ("notes", "codegen"), ("algebra", "program"), ("errors", "algebra"))
"""Neighbours that must not know each other: printers, and what is below them all."""

ORACLES = (
    *("numeric", "evaluate", "oracles", "orders", "domain", "sampling"),
    *(f"hostile/{name}" for name in ("unrolled", "nodes", "wide", "runs", "sweep", "adjoints", "matrices", "oracle")),
    *(f"hostile/{name}" for name in ("points", "admission", "kinks", "trial")),
)
"""The modules of `proof` that must stay independent of what they check."""

TERMINAL = {"typer", "rich", "click"}
FRAMEWORKS = {"torch", "jax", "tensorflow", "dask", "scipy", "hypothesis", "pytest"}
PLUGIN = ROOT / "document" / "collecting.py"
"""The one module that may import pytest: a running pytest imports it, and nothing else does."""
EXTRAS = {"playground": {"starlette", "uvicorn", "pypandoc"}, "editors": {"pygls", "lsprotocol"}}
"""What an extra brings, and the only part that may import it."""
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


CHECKER = ROOT / "document"


@pytest.mark.parametrize("path", sorted(CHECKER.rglob("*.py")), ids=lambda path: str(path.relative_to(CHECKER)))
def test_imports_of_the_checker_go_down(path):
    here = path.relative_to(CHECKER).parts[0].removesuffix(".py")
    if here == "__init__":
        return
    assert here in DOCUMENT_FLOORS, f"{here} has no floor"
    names = (name.split(".") for name in imports_of(path.read_text(encoding="utf-8"), ()))
    others = {name[2] for name in names if name[:2] == ["indexcalc", "document"]} - {here}
    assert not [other for other in others if DOCUMENT_FLOORS[other] >= DOCUMENT_FLOORS[here]]


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
    importing = [path for path in FILES if "document.collecting" in path.read_text(encoding="utf-8")]
    assert [path.name for path in importing] == ["pytest_plugin.py"]
    assert "import_module" in importing[0].read_text(encoding="utf-8")


def declared_modules() -> set[str]:
    """The packages that the project's metadata require, extras left out, by import name."""
    metadata = tomllib.loads((ROOT.parent / "pyproject.toml").read_text(encoding="utf-8"))
    required = (re.split(r"[<>=!~\[; ]", line)[0].replace("-", "_") for line in metadata["project"]["dependencies"])
    return {MODULES.get(name, name) for name in required}


def test_only_declared_dependencies_are_imported():
    everything = set().union(
        *(outside_imports(path) - EXTRAS.get(part_of(path), set()) for path in FILES if path != PLUGIN)
    )
    assert everything - set(sys.stdlib_module_names) - {"indexcalc"} <= declared_modules()


@pytest.mark.parametrize("name", ORACLES)
def test_oracles_know_neither_the_calculus_nor_code_generation(name):
    assert not own_imports(ROOT / "proof" / f"{name}.py") & {"calculus", "rewrite", "language", "codegen", "notes"}


CAMPAIGN = (
    *("arithmetic", "case", "drawing", "evaluation", "features", "formulas", "growing", "kinds", "many_digits"),
    *("oracle", "shipped"),
)
"""The modules of the campaign of random programs that draw programs and say what is right of them."""


@pytest.mark.parametrize("name", CAMPAIGN)
def test_the_campaign_shares_nothing_with_what_it_judges(name):
    source = (ROOT.parent / "tests" / "campaign" / f"{name}.py").read_text(encoding="utf-8")
    imported = [one.split(".") for one in imports_of(source, ("tests", "campaign"))]
    assert "indexcalc" not in {name[0] for name in imported}
    assert {name[2] for name in imported if name[0] == "tests"} <= set(CAMPAIGN)


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
