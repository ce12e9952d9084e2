"""Results by name, and what a notebook shows of them."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from xml.etree import ElementTree

import pytest

import indexcalc as ic
from indexcalc.errors import ProgramError
from indexcalc.library import shipped_paths
from indexcalc.notebook.results import known_names
from indexcalc.notebook.texts import for_notebooks
from indexcalc.notes.colours import DARK, LIGHT, contrast
from indexcalc.notes.formula_reader import read_formula
from indexcalc.proof.report import Comparison, Report

SHIPPED = shipped_paths()
SOME = (
    "attention",
    "layer_norm",
    "lstm",
    "ridge_closed_form",
    "deep_equilibrium",
    "cross_entropy_hessian",
    "softmax_cross_entropy",
)


@cache
def derived(name):
    return ic.derive(ic.load_problem(SHIPPED[name]))


def formulas(text):
    """The formulas of what a notebook shows; what is left must hold no sign of one."""
    found = re.findall(r"\$\$\n(.*?)\n\$\$", text, re.DOTALL)
    rest = re.sub(r"\$\$\n.*?\n\$\$", "", text, flags=re.DOTALL)
    found += re.findall(r"(?<!\\)\$([^$\n]+)\$", rest)
    rest = re.sub(r"(?<!\\)\$[^$\n]+\$", "", rest)
    assert not re.search(r"(?<!\\)\$|```math|\\frac|\\sum", rest), rest
    return found


@pytest.mark.parametrize("name", SOME)
def test_latex_of_every_result_stands_in_the_note(name):
    derivation = derived(name)
    note = ic.markdown_note(derivation)
    gradients = 0
    for result in known_names(derivation):
        text = derivation.latex(result)
        right = text.partition("=")[2].strip()
        assert right in note, (result, text)
        assert text._repr_latex_() == f"$$\n{text}\n$$"
        gradients += rf"\partial {result}_" in text or rf"\partial {result}}}" in text
    assert set(derivation.problem.targets) <= set(known_names(derivation))


def test_latex_goes_by_the_tensor_the_gradient_and_the_part():
    attention = derived("attention")
    assert (
        attention.latex("A")
        == attention.latex("D")
        == r"D_{ij} := \frac{\partial L}{\partial A_{ij}} = \sum_{p} G_{ip} \, V_{jp}"
    )
    assert attention.latex("S") == attention.latex("dS")
    assert attention.latex("r") == r"r_{i} = \sum_{p} G_{ip} \, O_{ip}"
    assert attention.latex("O") == r"G_{ip} := \frac{\partial L}{\partial O_{ip}}"
    assert derived("cross_entropy_hessian").latex("H").startswith("H_{")


def test_what_was_not_derived_is_named():
    with pytest.raises(ProgramError, match="no gradient or part Z was derived; there are O, V, A"):
        derived("attention").latex("Z")
    with pytest.raises(ProgramError, match="no section on Z; it has some on V, A"):
        derived("attention").markdown("Z")


@pytest.mark.parametrize("name", SOME)
def test_the_note_is_the_file_and_a_section_is_a_part_of_it(name):
    derivation = derived(name)
    note = derivation.markdown()
    assert note == ic.markdown_note(derivation)
    first = derivation.problem.targets[0]
    section = derivation.markdown(first)
    heading, *rest = section.split("\n\n")
    assert heading.startswith("## ")
    assert heading in note
    # A citation of an earlier path is written out, so not every block needs to be the note's own.
    assert any(block in note for block in rest)
    assert "```math" in section
    assert "```math" not in section._repr_markdown_()


@pytest.mark.parametrize("name", SOME)
def test_notebooks_show_formulas_that_can_be_read(name):
    derivation = derived(name)
    program = derivation.problem.program
    shown = [derivation, derivation.problem, program, derivation.backward]
    for result in shown:
        text = result._repr_markdown_()
        found = formulas(text)
        assert found
        for formula in found:
            read_formula(formula)
        assert len(repr(result)) < 400
        assert "\n" not in repr(result)
    for equation in program.equations:
        read_formula(equation._repr_latex_().strip("$\n"))
        assert repr(equation).startswith(f"<Equation {equation.name}")
    for section in derivation.sections:
        assert repr(section).startswith(f"<Section {repr(section.equation)[len('<Equation ') : -1]}: ")
        assert all(repr(path).startswith(f"<Path through {path.consumer.tensor}: ") for path in section.paths)


def test_what_is_shown_of_a_derivation_says_all_that_was_derived():
    text = derived("attention")._repr_markdown_()
    for equation in derived("attention").derived:
        assert derived("attention").latex(equation.name).partition("=")[2] in text
    assert text.startswith("**Scaled dot-product attention**\n")
    assert r"Proved: $\sum_{j} \partial L/\partial S_{ij} = 0$." in text


def test_a_claim_without_a_proof_is_not_called_proved():
    text = "index i : N\ninput x[i]\ny[i] = exp(x[i])\nL = sum[i](y[i])\nloss L\nprove dL/dx[i] = tanh(x[i])\n"
    shown = ic.derive(ic.read_problem(text))._repr_markdown_()
    assert "No proof was found" in shown
    assert "Proved" not in shown


def test_words_of_an_author_are_no_markup():
    problem = ic.read_problem('title "a*b* <b>|</b> $x$"\nindex i : N\ninput x[i]\ny[i] = x[i]^2  "_y_ & <i>"\n')
    for result in (problem, problem.program, ic.derive(problem)):
        text = result._repr_markdown_()
        assert r"a\*b\* \<b\>\|\</b\> \$x\$" in text
        assert "<i>" not in text.replace(r"\<i\>", "")


def test_a_report_shows_every_comparison_wrong_ones_first():
    good = Comparison("dX", "complex step", 1e-15, 1e-9, {"N": 3})
    bad = Comparison("dY", "complex step", 0.5, 1e-9, {"N": 4}, "shape (3,) | expected (4,)")
    report = Report("mine", 0, (), (), (good, bad))
    text = report._repr_markdown_()
    assert text.index("`dY`") < text.index("`dX`")
    assert "something is wrong" in text
    assert r"shape (3,) \| expected (4,)" in text
    assert repr(report) == "<Report mine: WRONG, 2 comparisons, worst error 5.0e-01>"
    fine = replace(report, comparisons=(good,))
    assert "every tensor is right" in fine._repr_markdown_()
    assert repr(fine) == "<Report mine: ok, 1 comparison, worst error 1.0e-15>"


def test_a_check_shows_every_relation_wrong_ones_first():
    page = (
        "$`y_i = 2 x_i`$ and $`z_i = y_i + 1`$, so\n\n```math\nz_i = 2 x_i + 1\n```\n\n```math\nz_i = 3 x_i + 1\n```\n"
    )
    report = ic.check(page, "a`b.md")
    text = report._repr_markdown_()
    assert text.count("\n| ") == len(report.claims) + 2
    assert text.index("refuted") < text.index("definition") < text.index("proved")
    assert "3 x_i + 1" in text
    assert repr(report) == "<CheckReport a`b.md: 1 proved, 1 refuted, 2 definition>"


def test_outputs_show_their_files_and_their_report():
    outputs = ic.generate(derived("softmax_cross_entropy"))
    text = outputs._repr_markdown_()
    assert "`softmax_cross_entropy.py`" in text
    assert "every tensor is right" in text
    assert repr(outputs).startswith("<Outputs softmax_cross_entropy: softmax_cross_entropy.md, ")


def test_formulas_of_a_note_stand_between_dollar_signs():
    text = "a $`x_{i}`$ b\n\n```math\ny\n= z\n```\n\n```mermaid\n$`q`\n```\n"
    assert for_notebooks(text) == "a $x_{i}$ b\n\n$$\ny\n= z\n$$\n\n```mermaid\n$`q`\n```\n"


def elements(text):
    """What a notebook shows as HTML; it must be well formed, and hold its own style and nothing from elsewhere."""
    root = ElementTree.fromstring(text.replace("&nbsp;", " "))
    assert root.get("class") == "indexcalc"
    assert "http" not in text
    return root


@pytest.mark.parametrize("name", SOME)
def test_every_result_is_shown_as_html_too(name):
    derivation = derived(name)
    for result in (derivation, derivation.problem, derivation.problem.program, derivation.backward):
        root = elements(result._repr_html_())
        formulas = len(list(root.iter("math")))
        assert formulas >= result._repr_markdown_().count("$$") // 2
    for equation in derivation.backward.equations:
        (formula,) = elements(equation._repr_html_()).iter("math")
        assert formula.get("display") == "block"


def test_indices_have_colours_that_can_be_read_on_both_papers():
    text = derived("attention")._repr_html_()
    colours = dict(re.findall(r"\.indexcalc \.(i\d+)\{color:(#\w{6})\}", text))
    assert set(re.findall(r'class="index (i\d+)"', text)) <= colours.keys()
    for found in colours.values():
        rgb = tuple(int(found[n : n + 2], 16) / 255 for n in (1, 3, 5))
        assert min(contrast(rgb, LIGHT), contrast(rgb, DARK)) > 3.9


def test_titles_and_names_are_escaped_in_html():
    problem = ic.read_problem('title "a <b>|</b> & $x$"\nindex i : N\ninput x[i]\ny[i] = x[i]^2  "_y_ & <i>"\n')
    for result in (problem, problem.program, ic.derive(problem)):
        text = result._repr_html_()
        assert "a &lt;b&gt;|&lt;/b&gt; &amp;" in text
        assert "<i>" not in text


def test_reports_are_tables_in_html():
    good = Comparison("dX", "complex step", 1e-15, 1e-9, {"N": 3})
    bad = Comparison("dY", "complex step", 0.5, 1e-9, {"N": 4}, "shape (3,) | expected <4>")
    root = elements(Report("mine", 0, (), (), (good, bad))._repr_html_())
    assert [cell.text for cell in root.iter("code")] == ["mine", "dY", "dX"]
    assert "shape (3,) | expected <4>" in [cell.text for cell in root.iter("td")]
    report = ic.check(
        "$`y_i = 2 x_i`$ so\n\n```math\ny_i = 3 x_i\n```\n\n```math\ny_i + 1 = 2 x_i + 1\n```\n", "a<b.md"
    )
    root = elements(report._repr_html_())
    assert len(list(root.iter("tr"))) == len(report.claims) + 1
    outputs = ic.generate(derived("softmax_cross_entropy"))
    assert "softmax_cross_entropy.py" in [cell.text for cell in elements(outputs._repr_html_()).iter("code")]
