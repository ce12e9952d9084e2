"""Notes of random programs: every one can be written, and says what was derived."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings

from indexcalc.notes import displayed_equations, formula_text, latex_note, markdown_note
from indexcalc.problem import Problem
from indexcalc.rewrite.derive import derive
from tests.support.programs import problems


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(problems())
def test_a_note_can_be_written(problem: Problem) -> None:
    derivation = derive(problem)
    shown = displayed_equations(derivation)
    for equation in derivation.backward.equations:
        assert (equation.lhs, equation.terms) in shown
        assert "\n" not in formula_text(equation, derivation)
    text = latex_note(derivation)
    assert text.count("{") == text.count("}")
    assert text.count(r"\begin{") == text.count(r"\end{")
    assert "\x1e" not in text + markdown_note(derivation)
    assert "\x1f" not in text + markdown_note(derivation)
