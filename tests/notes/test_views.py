"""The further views: assignments, rows, single entries, storage; each by structure."""

from __future__ import annotations

import numpy as np
import pytest

from indexcalc.algebra.terms import Add, walk
from indexcalc.calculus.steps import Derivation
from indexcalc.language import load_problem
from indexcalc.library import shipped_paths
from indexcalc.notes import latex_note, markdown_note
from indexcalc.notes.views import in_one_formula, row_form, storage_advice
from indexcalc.proof.evaluate import evaluate, run_program
from indexcalc.rewrite.derive import derive
from tests.notes.problems import PROBLEMS

DERIVED = {name: derive(problem()) for name, problem in PROBLEMS.items()}


def derived(name: str) -> Derivation:
    """One of the problems built by hand, or a shipped one."""
    if name not in DERIVED:
        DERIVED[name] = derive(load_problem(shipped_paths()[name]))
    return DERIVED[name]


@pytest.mark.parametrize(
    ("name", "gradient"),
    [
        ("attention", "dS"),
        ("attention", "dQ"),
        ("layer_norm", "dX"),
        ("gru_cell", "dr_arg"),
        ("two_token_model", "dSS"),
    ],
)
def test_an_entry_in_one_formula_has_the_value_of_the_gradient(name: str, gradient: str) -> None:
    derivation = derived(name)
    program, backward = derivation.problem.program, derivation.backward
    sizes = {extent: 2 + number for number, extent in enumerate(program.extents)}
    constants = {parameter.symbol: 1e-3 for parameter in program.parameters}
    rng = np.random.default_rng(3)

    def random(slots) -> np.ndarray:
        return rng.normal(size=[sizes[slot.extent] for slot in slots])

    forward = run_program(program, {t.name: random(t.slots) for t in program.inputs}, sizes, constants)
    values = {**forward, **{up.name: random(program.tensors[up.of].slots) for up in derivation.problem.upstream}}
    gradients = run_program(backward, {t.name: values[t.name] for t in backward.inputs}, sizes, constants)
    equation = backward.definitions[gradient]
    terms = in_one_formula(equation, derivation)
    assert terms is not None
    found = evaluate(terms, equation.lhs.slots, values, sizes, constants)
    assert np.allclose(found, gradients[gradient], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("name", "gradient"), [("gru_cell", "dr_arg"), ("two_token_model", "dSS")])
def test_differences_are_not_multiplied_out(name: str, gradient: str) -> None:
    terms = in_one_formula(derived(name).backward.definitions[gradient], derived(name))
    assert terms is not None
    widths = [len(base.terms) for base in walk(terms) if isinstance(base, Add)]
    assert len(terms) == 1
    assert set(widths) == {2}


def test_no_sum_takes_a_name_of_the_left_side() -> None:
    derivation = DERIVED["layer_norm"]
    equation = derivation.backward.definitions["dX"]
    terms = in_one_formula(equation, derivation) or ()
    assert not {index for term in terms for index in term.summed} & set(equation.lhs.slots)


def test_a_row_of_the_softmax_gradient_is_a_vector_formula() -> None:
    text = markdown_note(DERIVED["attention"])
    assert r"\frac{\partial L}{\partial S_{i}} = A_{i} \odot (D_{i} - r_{i} \, \mathbf{1})" in text
    assert row_form(DERIVED["attention"].backward.definitions["r"]) is None


def test_the_assignments_are_numbered_and_short() -> None:
    text = markdown_note(DERIVED["attention"])
    assert r"1. $`\mathrm{dV} \gets A^{\top} \, G`$" in text
    assert r"4. $`\mathrm{dS} \gets A \odot (D - r \, \mathbf{1}^{\top})`$" in text
    assert r"\item \(\mathrm{dV} \gets A^{\top} \, G\)" in latex_note(DERIVED["attention"])


def test_what_is_kept_and_what_is_cheap() -> None:
    program = DERIVED["layer_norm"].problem.program
    inputs = frozenset(tensor.name for tensor in program.inputs)
    cheap = storage_advice(program, "xh", inputs, frozenset({"mu", "rs", "xh"}))
    assert cheap[0] == "cheap to compute again, entry by entry, from "
    assert storage_advice(program, "xh", inputs, frozenset({"xh"}))[0] == "keep, or compute again from "
    assert storage_advice(program, "X", inputs, frozenset())[0].startswith("an input")


def test_views_can_be_asked_for() -> None:
    shown = markdown_note(DERIVED["linear"])
    assert "Row by row" not in shown
    assert "Row by row" in markdown_note(DERIVED["linear"], views=("rows",))
    assert "One entry in one formula" in markdown_note(DERIVED["attention"], views=("entries",))
