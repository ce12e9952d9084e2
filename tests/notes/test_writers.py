"""What an author wrote in words does no harm in Markdown or LaTeX, and the LaTeX compiles."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
import sympy as sp

from indexcalc.algebra.build import access, product
from indexcalc.algebra.terms import Access, Fn, Index, Term
from indexcalc.language.read import load_problem
from indexcalc.notes import formula_text, latex_note, markdown_note
from indexcalc.notes.markdown import plain as markdown_plain
from indexcalc.notes.tex import plain as tex_plain
from indexcalc.problem import Problem, Upstream
from indexcalc.program import Equation, Program, Tensor
from indexcalc.rewrite.derive import derive
from tests.notes.problems import PROBLEMS, attention

ONE = sp.S.One
LSTM = Path(__file__).resolve().parents[2] / "derivations" / "lstm" / "lstm.ixc"
STARTS, ENDS = (r"\[", r"\begin{gather*}"), (r"\]", r"\end{gather*}")
NASTY = "50% of $x_1$ & *more* #1 <b> {\\x} ~ ^ | `q` \"z\" é ß µ λ 漢 \u200b 'a' – …"


def nasty_problem() -> Problem:
    """Names of every kind: Greek, keywords, underscores, digits, letters that TeX lacks, long index names."""
    tok, unit = Index("tok_1", sp.Symbol("n_tok", positive=True)), Index("λ", sp.Symbol("漢", positive=True))
    size = Fn("abs", ((access("lambda", tok, unit),),))
    score = Term(ONE, ((Access("W_in", (tok, unit)), ONE), (size, ONE)), (unit,))
    program = Program(
        NASTY,
        (Tensor("W_in", (tok, unit), NASTY), Tensor("lambda", (tok, unit), "a_b")),
        (
            Equation(Access("é_1", (tok,)), (score,), NASTY),
            Equation(Access("O", ()), (Term(ONE, ((Access("é_1", (tok,)), sp.Integer(2)),), (tok,)),)),
        ),
        ("O",),
        (tok, unit),
        {"tok_1": NASTY},
    )
    return Problem(program, (Upstream("G", "O", NASTY),), ("W_in", "lambda"))


def test_markdown_specials_are_escaped() -> None:
    assert markdown_plain("a_b *c* | $x$ <b>") == r"a\_b \*c\* \| \$x\$ \<b\>"


def test_tex_specials_are_escaped_and_ascii_is_all_there_is() -> None:
    assert tex_plain("50% a_b & é ß μ") == r"50\% a\_b \& \'{e} \ss{} \(\mu\)"
    assert tex_plain(NASTY).isascii()
    assert tex_plain("漢") == "[U+6F22]"


def test_a_bar_in_a_formula_does_not_end_a_table_cell() -> None:
    lines = markdown_note(derive(nasty_problem())).splitlines()
    rows = [line for line in lines if line.startswith("| ")]
    assert rows
    assert {line.replace(r"\|", "").count("|") for line in rows} == {4, 5}


def test_every_formula_of_the_markdown_is_closed() -> None:
    text = markdown_note(derive(nasty_problem()))
    fences = [line for line in text.splitlines() if line.startswith("```")]
    assert set(fences[::2]) == {"```math", "```mermaid"}
    assert fences[1::2] == ["```"] * (len(fences) // 2)
    assert text.count("$`") == text.count("`$")


def test_braces_and_environments_are_balanced() -> None:
    for name, problem in {**PROBLEMS, "nasty": nasty_problem}.items():
        text = latex_note(derive(problem()))
        bare = text.replace(r"\{", "").replace(r"\}", "")
        assert bare.count("{") == bare.count("}"), name
        assert text.count(r"\begin{") == text.count(r"\end{"), name
        assert text.isascii(), name


def test_a_partly_given_gradient_is_said_to_be_partial() -> None:
    problem = attention()
    i, p = problem.program.tensors["O"].slots
    square = product(1, ((Access("O", (i, p)), sp.Integer(2)),), (p,))
    equations = (*problem.program.equations, Equation(Access("E", (i,)), (square,)))
    program = replace(problem.program, equations=equations, outputs=("O", "E"))
    both = replace(problem, program=program, upstream=(Upstream("G", "O"), Upstream("H", "E")), targets=("V",))
    text = markdown_note(derive(both))
    assert ", the part of" in text
    assert "which is one path from" in text
    assert "To this is added" in text


def test_fused_slots_are_one_axis_of_the_shape() -> None:
    problem = attention()
    fused = replace(problem, program=replace(problem.program, layouts={"V": (2,)}))
    text = markdown_note(derive(fused))
    assert r"\mathbb{R}^{T \, d_{v}}" in text
    assert "V_{(jp)}" in text
    assert r"\frac{\partial L}{\partial V_{(jp)}}" in text
    assert "V_{jp}" not in text


def test_fused_slots_stand_in_parentheses_in_text() -> None:
    problem = attention()
    fused = derive(replace(problem, program=replace(problem.program, layouts={"V": (2,)})))
    assert formula_text(fused.backward.definitions["dV"], fused).startswith("dL/dV[(j,p)] = ")


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
@pytest.mark.parametrize("name", [*sorted(PROBLEMS), "nasty"])
def test_the_latex_compiles_without_an_overfull_line(name: str, tmp_path: Path) -> None:
    problem = nasty_problem() if name == "nasty" else PROBLEMS[name]()
    (tmp_path / "note.tex").write_text(latex_note(derive(problem)))
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "note.tex"]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace", check=False)
    assert found.returncode == 0, found.stdout[-2000:]
    assert "Overfull" not in found.stdout


def test_results_stand_side_by_side_in_latex_and_displays_that_follow_one_another_are_one() -> None:
    lines = latex_note(derive(load_problem(LSTM))).splitlines()
    assert any(line.count(r"\boxed") == 3 for line in lines)
    assert not any(before in ENDS and line in STARTS for before, line in pairwise(lines))
