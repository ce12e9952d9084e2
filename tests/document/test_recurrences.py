"""Tensors that are computed step by step, one axis counting the steps: their gradients, and wrong variants of them."""

from __future__ import annotations

import pytest

from indexcalc.document.check import check
from indexcalc.document.report import TRUE, Verdict
from tests.support.pages import ROOT

RNN = r"""
$$a_{ti} := \sum_j W_{ij} h_{t-1,j} + b_i$$

$$h_{ti} = \delta_{t,0} s_i + [1 \le t] \tanh(a_{ti})$$

An entry outside of its tensor counts as zero.
"""

RIGHT = {
    "entries are variables": r"\frac{\partial a_{ui}}{\partial h_{tj}} = \delta_{u-1,t} W_{ij}",
    "a step is local": r"\frac{\partial h_{uk}}{\partial a_{ti}} = [1 \le u] (1 - h_{uk}^2) \delta_{ut} \delta_{ki}",
    "through all steps behind": (
        r"\frac{\partial L}{\partial a_{ti}} = [1 \le t] \frac{\partial L}{\partial h_{ti}} (1 - h_{ti}^2)"
    ),
    "shared weights": r"\frac{\partial L}{\partial W_{ij}} = \sum_t \frac{\partial L}{\partial a_{ti}} h_{t-1,j}",
    "shared biases": (
        r"\frac{\partial L}{\partial b_i} = \sum_t \frac{\partial L}{\partial h_{ti}} [1 \le t] (1 - h_{ti}^2)"
    ),
    "the first state": r"\frac{\partial L}{\partial s_i} = \frac{\partial L}{\partial h_{0,i}}",
}

WRONG = {
    "the step before": r"\frac{\partial a_{ui}}{\partial h_{tj}} = \delta_{u+1,t} W_{ij}",
    "weights transposed": r"\frac{\partial a_{ui}}{\partial h_{tj}} = \delta_{u-1,t} W_{ji}",
    "another slope": r"\frac{\partial h_{uk}}{\partial a_{ti}} = [1 \le u] (1 - h_{uk}) \delta_{ut} \delta_{ki}",
    "the first step counted": r"\frac{\partial L}{\partial a_{ti}} = \frac{\partial L}{\partial h_{ti}} (1 - h_{ti}^2)",
    "the same step": r"\frac{\partial L}{\partial W_{ij}} = \sum_t \frac{\partial L}{\partial a_{ti}} h_{tj}",
    "half of it": (
        r"\frac{\partial L}{\partial b_i} = \frac12 \sum_t \frac{\partial L}{\partial h_{ti}} [1 \le t] (1 - h_{ti}^2)"
    ),
    "the second state": r"\frac{\partial L}{\partial s_i} = \frac{\partial L}{\partial h_{1,i}}",
}


def verdict_on(claim: str, page: str = RNN) -> Verdict:
    """What is said of a claim at the end of a page."""
    return check(f"{page}\n$${claim}$$\n", "note.md").claims[-1].verdict


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_gradient_of_a_recurrence_is_true(name):
    assert verdict_on(RIGHT[name]) in TRUE


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_gradient_of_a_recurrence_is_refuted(name):
    assert verdict_on(WRONG[name]) is Verdict.REFUTED


@pytest.mark.parametrize("letters", ["tij", "nab", "mpq"])
def test_other_letters_say_the_same(letters):
    # Command words are set aside, so that only indices change their letters.
    words = {r"\partial": "@", r"\frac": "#", r"\sum": "%", r"\delta": "~", r"\tanh": "!", r"\le": "<"}

    def written(text: str) -> str:
        for word, sign in words.items():
            text = text.replace(word, sign)
        text = text.translate(str.maketrans("tij", letters))
        for word, sign in words.items():
            text = text.replace(sign, word)
        return text

    equations = RNN.partition("An entry")[0]
    for claim in (RIGHT["shared weights"], WRONG["the same step"]):
        page = f"{written(equations)}Outside of an array, its entries are zero.\n"
        assert verdict_on(written(claim), page) == verdict_on(claim)


def test_what_has_no_value_outside_decides_nothing():
    page = RNN.replace("An entry outside of its tensor counts as zero.", "")
    assert verdict_on(RIGHT["shared weights"], page) is Verdict.UNCLEAR
    assert verdict_on(RIGHT["through all steps behind"], page) in TRUE


MEMORY_CELL = r"""
$$f_{ti} = \operatorname{sigmoid}\Bigl(\sum_j W_{ij} h_{t-1,j}\Bigr)$$

$$c_{ti} = \delta_{t,0} s_i + [1 \le t] f_{ti} c_{t-1,i} + [1 \le t] x_{ti}$$

$$h_{ti} = \tanh(c_{ti})$$

Here $x \in \mathbb{R}^{T \times N}$, and an entry outside of its tensor counts as zero.
"""
"""Two tensors that a step hands on, of which one is made from itself."""

HELD = r"\left.\frac{\partial c_{ui}}{\partial c_{tj}}\right|_{c, f \text{ held}}"

OF_CELL = {
    "from the next step, and through the output": (
        r"\frac{\partial L}{\partial c_{ti}} = [t + 1 < T] \frac{\partial L}{\partial c_{t+1,i}} f_{t+1,i}"
        r" + \frac{\partial L}{\partial h_{ti}} (1 - h_{ti}^2)"
    ),
    "other entries held": rf"{HELD} = [1 \le u] f_{{ui}} \delta_{{u-1,t}} \delta_{{ij}}",
    "the part through itself": (
        r"\left.\frac{\partial L}{\partial c_{ti}}\right|_{\text{via } c}"
        r" = [t + 1 < T] \frac{\partial L}{\partial c_{t+1,i}} f_{t+1,i}"
    ),
    "another one held": (
        r"\left.\frac{\partial c_{ui}}{\partial f_{tj}}\right|_{c \text{ held}}"
        r" = [1 \le u] c_{u-1,i} \delta_{ut} \delta_{ij}"
    ),
    "shared weights": r"\frac{\partial L}{\partial x_{ti}} = [1 \le t] \frac{\partial L}{\partial c_{ti}}",
}

NOT_OF_CELL = {
    "without the output": (
        r"\frac{\partial L}{\partial c_{ti}} = [t + 1 < T] \frac{\partial L}{\partial c_{t+1,i}} f_{t+1,i}"
    ),
    "the gate of another step": rf"{HELD} = [1 \le u] f_{{ti}} \delta_{{u-1,t}} \delta_{{ij}}",
    "the part through itself twice": (
        r"\left.\frac{\partial L}{\partial c_{ti}}\right|_{\text{via } c}"
        r" = 2 [t + 1 < T] \frac{\partial L}{\partial c_{t+1,i}} f_{t+1,i}"
    ),
    "the state of this step": (
        r"\left.\frac{\partial c_{ui}}{\partial f_{tj}}\right|_{c \text{ held}}"
        r" = [1 \le u] c_{ui} \delta_{ut} \delta_{ij}"
    ),
    "the first step too": r"\frac{\partial L}{\partial x_{ti}} = \frac{\partial L}{\partial c_{ti}}",
}


@pytest.mark.parametrize("name", OF_CELL)
def test_a_right_derivative_of_a_tensor_that_is_made_from_itself_is_true(name):
    assert verdict_on(OF_CELL[name], MEMORY_CELL) in TRUE


@pytest.mark.parametrize("name", NOT_OF_CELL)
def test_a_wrong_derivative_of_a_tensor_that_is_made_from_itself_is_refuted(name):
    assert verdict_on(NOT_OF_CELL[name], MEMORY_CELL) is Verdict.REFUTED


CIRCLE = r"""
$$y_i = \sum_j W_{ij} x_j$$

$$x_j = \sum_i V_{ji} y_i$$
"""


def test_equations_that_lead_back_to_the_same_entries_are_no_recurrence():
    claim = r"\frac{\partial L}{\partial x_j} = \sum_i W_{ij} \frac{\partial L}{\partial y_i}"
    (judged,) = check(f"{CIRCLE}\n$${claim}$$\n", "note.md").claims[-1:]
    assert judged.verdict is Verdict.UNCLEAR
    assert "leads back" in judged.reason


@pytest.mark.parametrize(("name", "share"), [("rnn", 0.9), ("hmm_forward", 0.95)])
def test_our_notes_on_recurrences_are_judged(name, share):
    report = check((ROOT / "derivations" / name / f"{name}.md").read_text(encoding="utf-8"), f"{name}.md")
    true = sum(claim.verdict in TRUE for claim in report.claims)
    open_claims = sum(claim.verdict in (Verdict.UNCLEAR, Verdict.STEP) for claim in report.claims)
    assert not report.refuted
    assert true >= share * (true + open_claims)


def test_a_first_step_that_the_page_does_not_write_may_be_zero() -> None:
    """The closed form of a running mean leaves the first value out."""
    page = r"""$$m_t = b m_{t-1} + (1 - b) g_t$$

$$m_t = (1 - b) \sum_{i=1}^t b^{t-i} g_i$$
"""
    assert check(page).claims[-1].verdict is Verdict.UNCLEAR
    assert check("Start with $m_0 = 0$.\n\n" + page).claims[-1].verdict in (Verdict.PROVED, Verdict.CONFIRMED)
