"""``%%indexcalc``: what a cell shows, what it binds, and what it says of a mistake."""

from __future__ import annotations

from contextlib import redirect_stderr
from io import StringIO

import pytest

import indexcalc as ic
from tests.support.notebooks import shell_in, shown

SPEC = "index i : N\ninput x[i]\ny[i] = tanh(x[i])\n"


@pytest.fixture
def shell(tmp_path):
    with shell_in(tmp_path) as found:
        assert shown(found, "%load_ext indexcalc") == []
        yield found


def complaint(shell, cell):
    """What the shell says of a cell that fails."""
    with redirect_stderr(StringIO()) as said:
        assert not shell.run_cell(cell).success
    return said.getvalue()


def markdown(outputs):
    (output,) = outputs
    return "".join(output["data"]["text/markdown"])


def test_a_cell_shows_the_note_and_binds_the_derivation(shell):
    text = markdown(shown(shell, f"%%indexcalc squash\n{SPEC}"))
    derivation = shell.user_ns["squash"]
    assert isinstance(derivation, ic.Derivation)
    assert derivation.problem == ic.read_problem(SPEC, slug="squash")
    assert text == derivation.markdown()._repr_markdown_()
    assert "$$\n" in text


def test_results_alone_and_the_name_that_is_bound_without_one(shell):
    text = markdown(shown(shell, f"%%indexcalc --results\n{SPEC}"))
    assert text == shell.user_ns["derivation"]._repr_markdown_()


def test_a_brief_note(shell):
    text = markdown(shown(shell, f"%%indexcalc --brief\n{SPEC}"))
    derivation = shell.user_ns["derivation"]
    assert text == derivation.markdown(detail="brief")._repr_markdown_()
    assert len(text) < len(derivation.markdown())
    with pytest.raises(ic.ProgramError, match="there are brief, full"):
        derivation.markdown(detail="long")


def test_a_mistake_is_shown_at_its_line_of_the_cell_without_a_traceback(shell):
    said = complaint(shell, "%%indexcalc squash\nindex i : N\ninput x[i]\ny[i] = tanh(x[q])\n")
    assert said.startswith("UsageError: <cell>:4:15: the index q is not declared; known are i\n  y[i] = tanh(x[q])\n")
    assert "Traceback" not in said
    assert "squash" not in shell.user_ns


@pytest.mark.parametrize("line", ["a b", "1a", "class", "--all"])
def test_what_stands_behind_the_magic_is_one_name(shell, line):
    said = complaint(shell, f"%%indexcalc {line}\n{SPEC}")
    assert said.startswith(f"UsageError: {line} is not a name; write %%indexcalc NAME")


def test_text_of_a_cell_is_never_evaluated(shell):
    said = complaint(shell, "%%indexcalc\nindex i : N\ninput x[i]\ny[i] = __import__('os')\n")
    assert "UsageError: <cell>:4" in said


def test_the_extension_can_be_unloaded(shell):
    shown(shell, "%unload_ext indexcalc")
    assert "not found" in complaint(shell, f"%%indexcalc\n{SPEC}")
