"""The wheel holds what the package reads at run time, and runs from an empty folder."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytest.importorskip("hatchling")

ROOT = Path(__file__).parents[1]
RUN = """
import sys
sys.path.insert(0, sys.argv.pop(1))
import indexcalc.cli
print(indexcalc.__file__)
indexcalc.cli.main()
"""
NEEDED = (".py", ".lark", ".jinja2", ".ixc", ".typed", ".html", ".css", ".js", ".svg")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT,
        check=True,
        capture_output=True,
        timeout=120,
    )
    (path,) = folder.glob("*.whl")
    return path


def test_the_wheel_holds_every_file_of_the_package(wheel):
    held = set(zipfile.ZipFile(wheel).namelist())
    package = {path.relative_to(ROOT) for path in (ROOT / "indexcalc").rglob("*") if path.suffix in NEEDED}
    shipped = {"indexcalc" / path.relative_to(ROOT) for path in (ROOT / "derivations").rglob("*.ixc")}
    assert package
    assert shipped
    assert {path.as_posix() for path in package | shipped} <= held


def test_the_wheel_holds_nothing_else(wheel):
    tops = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert tops == {"indexcalc", "indexcalc-0.1.0.dist-info"}


def test_the_command_runs_from_the_unpacked_wheel(wheel, tmp_path):
    site, here = tmp_path / "site", tmp_path / "here"
    here.mkdir()
    zipfile.ZipFile(wheel).extractall(site)
    result = subprocess.run(
        [sys.executable, "-c", RUN, str(site), "derive", "attention"],
        cwd=here,
        check=False,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        env={**os.environ, "PYTHONUTF8": "1"},
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith(str(site))
    assert (here / "out" / "attention" / "attention.py").is_file()
