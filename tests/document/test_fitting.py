"""How many slots names have of which nothing says so: the numbers with which most statements fit."""

from __future__ import annotations

import pytest

from indexcalc.document import Verdict, check
from indexcalc.document.choices import Interpretation, Kind
from indexcalc.document.fitting import READINGS, Fit, Fitting, families, fitted_ranks
from indexcalc.document.page import page_of
from indexcalc.document.ranks import family_choice, rank_choice
from indexcalc.document.search import relations
from indexcalc.document.statements.context import read_context
from indexcalc.document.statements.survey import Usage
from indexcalc.language.document import read_document

LAYER = r"""
$$z = W x + b$$ $$\delta = \frac{\partial L}{\partial z}$$
$$\frac{\partial L}{\partial W} = \delta x^T$$ $$\frac{\partial L}{\partial x} = W^T \delta$$
"""

STEPS = r"$$h_t = A h_{t-1} + v_t$$ $$\hat{h}_t = A \hat{h}_{t-1}$$ $$s = h_t^T M h_t$$"

NUMBERED = r"$$x_1 = f(W_1 x_0)$$ $$x_2 = f(W_2 x_1)$$ $$s = x_2^T c$$"


def page(text):
    return page_of(read_document(text, "note.md"), read_context([""]))


def ranks(text):
    found = page(text)
    return {subject: int(name) for (kind, subject), name in fitted_ranks(found).items() if kind is Kind.RANK}


def fitting(text):
    found = page(text)
    every = tuple(r for n in range(len(found.statements)) for r in relations(found, n))
    return Fitting(found, every, families(found))


def test_vectors_are_known_by_what_stands_beside_them():
    found = ranks(LAYER)
    assert {name: found.get(name) for name in ("z", "b", "delta")} == {"z": 1, "b": 1, "delta": 1}


def test_a_name_has_one_rank_at_all_of_its_steps_and_with_an_accent():
    found = ranks(STEPS)
    assert {found.get(name, 1) for name in ("h_t", "h_t-1", "hat h_t", "hat h_t-1", "v_t")} == {1}


GATES = r"""
$$f_t = \tanh(W_{xf} x_t + W_{hf} h_{t-1} + b_f)$$ $$o_t = \tanh(W_{xo} x_t + W_{ho} h_{t-1} + b_o)$$
$$\tilde{C}_t = \tanh(W_{xC} x_t + W_{hC} h_{t-1} + b_C)$$ $$C_t = f_t * C_{t-1} + \tilde{C}_t$$
$$h_t = o_t * \tanh(C_t)$$
$$\frac{\partial L}{\partial W_{xC}} = \frac{\partial L}{\partial C_t} \cdot (1 - \tilde{C}_t^2) \cdot (x_t)^T$$
$$\frac{\partial L}{\partial W_{xf}} = \frac{\partial L}{\partial C_t} \cdot C_{t-1} \cdot (1 - f_t^2) \cdot (x_t)^T$$
"""


def test_a_capital_is_a_vector_at_all_steps_where_others_say_so():
    found = ranks(GATES)
    assert {found.get(name) for name in ("C_t", "C_t-1")} == {1}


def test_gates_are_multiplied_entry_by_entry():
    right = check(GATES, "note.md").claims[-1]
    assert right.verdict in (Verdict.PROVED, Verdict.CONFIRMED)
    for old, new in (("C_{t-1}", "C_t"), ("f_t^2", "f_t"), (r"\cdot (x_t)", r"\cdot (h_t)")):
        place = GATES.rindex(old)
        wrong = check(GATES[:place] + new + GATES[place + len(old) :], "note.md").claims[-1]
        assert wrong.verdict not in (Verdict.PROVED, Verdict.CONFIRMED), new


@pytest.mark.parametrize(("name", "rank"), [("x", "1"), ("h_t", "1"), ("alpha", "0"), ("X", "2"), ("dY", "0")])
def test_what_a_matrix_stands_before_may_be_a_vector(name, rank):
    assert rank_choice(name, Usage(behind=1), None, unknown=True).options[0].name == rank


@pytest.mark.parametrize(
    ("name", "numbered", "ranks"),
    [("W", True, "012"), ("W", False, "012"), ("Sigma", False, "012"), ("w", True, "012"), ("w", False, "01")],
)
def test_bold_capitals_and_numbered_names_may_be_matrices(name, numbered, ranks):
    asked = family_choice(name, 1, Usage(bold=True), numbered=numbered)
    assert {option.name for option in asked.options} == set(ranks)


def test_a_matrix_of_each_class_is_found():
    given, head = r"$$D = \sum_k \det \boldsymbol\Sigma_k$$", r"$$\frac{\partial}{\partial \boldsymbol\Sigma_k}"
    slope = r"\log \det \boldsymbol\Sigma_k = {} \boldsymbol\Sigma_k^{-\top}$$"
    right, wrong = (check(f"{given}\n{head} {slope.replace('{}', sign)}") for sign in ("", "-"))
    assert right.counts[str(Verdict.PROVED)] + right.counts[str(Verdict.CONFIRMED)] == 1
    assert wrong.counts[str(Verdict.PROVED)] + wrong.counts[str(Verdict.CONFIRMED)] == 0


@pytest.mark.parametrize("text", [LAYER, NUMBERED])
def test_no_statement_that_fitted_fits_no_more_and_more_fit(text):
    found = fitting(text)
    before = [one.fit for one in found.readings]
    found.improve()
    after = [one.fit for one in found.readings]
    assert after.count(Fit.FITS) > before.count(Fit.FITS)
    assert after.count(Fit.MISFITS) == 0


@pytest.mark.parametrize("text", [LAYER, STEPS, NUMBERED])
def test_what_is_kept_is_what_is_read(text):
    found = fitting(text)
    found.improve()
    fresh = Fitting(found.page, found.relations, found.families, ranks=Interpretation(dict(found.ranks.chosen)))
    assert [one.fit for one in fresh.readings] == [one.fit for one in found.readings]


def test_what_fits_as_is_usual_is_left_as_it_is():
    assert ranks(r"Let $x \in \mathbb{R}^n$, $A \in \mathbb{R}^{m \times n}$. $$y = A x$$ $$s = 3 t + u$$") == {"y": 1}


def test_other_letters_have_the_same_ranks():
    other = LAYER.replace("x", "u").replace("z", "v").replace("W", "K")
    assert sorted(ranks(other).values()) == sorted(ranks(LAYER).values())


def test_a_page_is_given_so_many_readings_and_no_more():
    text = "\n".join(rf"$$a_{{{n}}} = B_{{{n}}} c_{{{n}}} + d^T e_{{{n}}}$$" for n in range(200))
    found = fitting(text)
    found.improve()
    assert found.left > -READINGS / 10


def test_a_wrong_transpose_is_refuted_where_ranks_are_fitted():
    wrong = LAYER.replace(r"\delta x^T", r"x \delta^T")
    report = check(wrong)
    assert report.counts[str(Verdict.REFUTED)] + report.counts[str(Verdict.UNCLEAR)] == 1
    assert check(LAYER).counts[str(Verdict.PROVED)] == 2
