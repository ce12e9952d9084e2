"""MathML says what LaTeX says, sign by sign, and is well formed."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings

from indexcalc.algebra.terms import Terms
from indexcalc.calculus.pointwise import ROWS
from indexcalc.notes.latex import terms_latex
from indexcalc.notes.layout import chain_latex
from indexcalc.notes.mathml import mathml
from indexcalc.notes.names import Notation
from indexcalc.program import Tensor
from tests.support.programs import expressions

PLAIN = Notation({}, {}, {}, {}, {}, "L")
ARITY = {"mfrac": 2, "msub": 2, "msup": 2, "munder": 2, "mover": 2, "mroot": 2, "msubsup": 3, "munderover": 3}
"""The number of children that MathML asks for."""

SPELLED = {
    **{"∑": r"\sum", "∂": r"\partial", "−": "-", "≤": r"\le", "≥": r"\ge", "≠": r"\neq", "δ": r"\delta"},
    **{"⋅": r"\cdot", "→": r"\to", "←": r"\gets", "μ": r"\mu", "λ": r"\lambda", "η": r"\eta", "ε": r"\varepsilon"},
}
"""TeX's commands of the signs that occur, written down here a second time."""


GROUP = r"\{[^{}]*\}"
for _ in range(4):
    GROUP = rf"\{{(?:[^{{}}]|{GROUP})*\}}"


def attributes(mark: str) -> str:
    return f'class="{mark.partition(":")[0]}"'


def elements(formula: str) -> ET.Element:
    return ET.fromstring(formula)


def signs_of_latex(latex: str) -> list[str]:
    """The visible signs of LaTeX in order; of structure it keeps fractions and roots."""
    # MathML has the subscript first.
    latex = re.sub(rf"\^({GROUP})_({GROUP})", r"_\2^\1", re.sub(r"\\mark\{[^{}]*\}", "", latex))
    text = re.sub(r"[\x1e\x1f]|\\[Bb]ig[lr]|\\left\b\.?|\\right\b\.?|\\(begin|end)\{aligned\}", " ", latex)
    text = re.sub(r"\\(mathrm|operatorname|mathtt|text|mathcal|mathbf)\b|\\[,q]\w*|\\\\|[&\s]|\\ ", " ", text)
    return re.findall(r"\\[A-Za-z]+|[^\s{}_^]", text.replace(r"\_", "UNDERSCORE"))


def signs_of_mathml(node: ET.Element) -> Iterator[str]:
    """The visible signs of MathML in order."""
    if node.tag == "mfrac":
        yield r"\frac"
    if node.tag in ("msqrt", "mroot"):
        yield r"\sqrt"
    for character in (node.text or "").replace("\u2061", "").replace("\u2062", ""):
        yield SPELLED.get(character, character)
    for child in node:
        yield from signs_of_mathml(child)


def same_signs(latex: str) -> None:
    root = elements(mathml(latex, attributes))
    shown = list(signs_of_mathml(root))
    functions = r"\\(exp|log|sin|cos|arctan|tanh|max|min)\b"
    wanted = signs_of_latex(re.sub(functions, lambda found: found[1], latex))
    assert "".join(shown) == "".join(wanted)
    for node in root.iter():
        assert len(node) == ARITY.get(node.tag, len(node)), node.tag


def without_marks(formula: str) -> bytes:
    """The formula without classes, and without the rows that only carry one."""
    root = elements(formula)
    for parent in list(root.iter()):
        for place, child in enumerate(parent):
            if child.get("class") in ("sum", "collapse"):
                (parent[place],) = child
    for node in root.iter():
        node.attrib.pop("class", None)
    return ET.tostring(root)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(expressions())
def test_both_printers_say_the_same(drawn: tuple[Terms, tuple[Tensor, ...]]) -> None:
    terms, _ = drawn
    for notation in (PLAIN, PLAIN.inline, replace(PLAIN, marked=True)):
        same_signs(terms_latex(terms, notation))
        same_signs(chain_latex("x", "=", [terms_latex(terms, notation)] * 2))


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(expressions())
def test_marks_change_no_formula(drawn: tuple[Terms, tuple[Tensor, ...]]) -> None:
    terms, _ = drawn
    marked = chain_latex("x", "=", [terms_latex(terms, replace(PLAIN, marked=True))])
    # A notation keeps the texts of equal factors, and two deltas are equal whichever index stands first.
    plain = chain_latex("x", "=", [terms_latex(terms, replace(PLAIN))])
    assert without_marks(mathml(marked, attributes)) == without_marks(mathml(plain, attributes))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_every_function_can_be_drawn(row) -> None:
    template = row.latex.removesuffix(" {x}") + "({x})" if row.latex.endswith(" {x}") else row.latex
    same_signs(template.format(x="A_{ij}", y="B_{ij}", z="c"))


def test_a_function_is_applied_to_its_argument() -> None:
    assert '<mi mathvariant="normal">log</mi><mo>&#x2061;</mo><mrow>' in mathml(r"\log(x)", attributes)


def test_a_name_cannot_be_markup() -> None:
    assert elements(mathml(r"a < b \text{ <b> }", attributes)).find(".//b") is None


def test_a_delta_of_kronecker_is_told_from_a_tensor() -> None:
    text = mathml(r"\mark{delta}{\delta}_{\mark{index:i}{i}j} \, \delta_{i}", attributes)
    root = elements(text)
    assert [node.text for node in root.iter() if node.get("class") == "delta"] == ["δ"]
    assert [node.text for node in root.iter() if node.get("class") == "index"] == ["i"]
