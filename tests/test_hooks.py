"""What the hook of pre-commit and the workflow of the docs run does what it says, on a right and on a wrong note."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tomllib

import pytest

from tests.support.pages import ROOT, blocks

RIGHT = r"""
$$Y_{no} = \sum_f X_{nf} W_{of}$$

$$\frac{\partial L}{\partial W_{of}} = \sum_n \frac{\partial L}{\partial Y_{no}} X_{nf}$$
"""
WRONG = RIGHT.replace(r"= \sum_n", r"= 2 \sum_n")

HOOKS = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
LOCAL, WORKFLOW = (block.text for block in blocks(ROOT / "docs" / "checking.md", "yaml"))


def field(text, name):
    (found,) = re.findall(rf"^\W*{name}: (.+)$", text, re.MULTILINE)
    return found


def run(command, folder):
    program, *rest = shlex.split(command)
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]
    assert program in scripts
    command = [sys.executable, "-m", program, *rest]
    wide = {**os.environ, "COLUMNS": "200"}
    return subprocess.run(command, cwd=folder, env=wide, capture_output=True, encoding="utf-8", check=False)


@pytest.mark.parametrize(("text", "code"), [(RIGHT, 0), (WRONG, 1)], ids=["right", "wrong"])
@pytest.mark.parametrize("hooks", [HOOKS, LOCAL], ids=["manifest", "docs"])
def test_the_hook_fails_for_a_wrong_note(tmp_path, hooks, text, code):
    (tmp_path / "a note.md").write_text(text, encoding="utf-8")
    done = run(f"{field(hooks, 'entry')} 'a note.md'", tmp_path)
    assert done.returncode == code, done.stderr
    assert ("the right side is 2 times the left" in done.stdout) == bool(code)
    assert f"a note.md 1 {'refuted' if code else 'proved'}, 1 definition" in done.stdout


@pytest.mark.parametrize("name", ["a.md", "b/c.tex", "d.html", "e.htm", "f.py", "g.md.bak", "md"])
def test_the_hook_is_for_what_can_be_read(name):
    assert field(HOOKS, "files") == field(LOCAL, "files")
    assert bool(re.search(field(HOOKS, "files"), name)) == name.endswith((".md", ".tex", ".html", ".htm"))


def test_the_hook_of_the_docs_is_that_of_the_manifest():
    for name in ("id", "name", "entry"):
        assert field(HOOKS, name) == field(LOCAL, name)


@pytest.mark.parametrize(("text", "code"), [(RIGHT, 0), (WRONG, 1)], ids=["right", "wrong"])
def test_the_workflow_annotates_the_line(tmp_path, text, code):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "note.md").write_text(text, encoding="utf-8")
    *_, install, check = re.findall(r"^ *- run: (.+)$", WORKFLOW, re.MULTILINE)
    assert install == "pip install indexcalc"
    done = run(check.replace("docs/*.md", "docs/note.md"), tmp_path)
    assert done.returncode == code, done.stderr
    assert bool(re.match(r"::error file=docs/note\.md,line=4,col=\d+::refuted: ", done.stdout)) == bool(code)
