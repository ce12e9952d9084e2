"""Functions that a document applies and never defines: their derivatives, and what is true of usual ones only."""

from __future__ import annotations

import pytest

from indexcalc.proof.document import Verdict, check
from indexcalc.proof.document.judging.verdicts import TRUE
from tests.proof.document.twins import Twins, claimed, true_of, wrong_of

FUNCTIONS = {
    "entries": Twins(
        r"""The activation $f$ acts on each entry, with derivative $f'$.
$$z_j = \sum_i w_{ij} x_i + b_j, \qquad h_j = f(z_j)$$ $$y_k = \sum_j v_{jk} h_j$$
$$E = \frac12 \sum_k (y_k - t_k)^2$$""",
        (
            r"\frac{\partial h_j}{\partial z_j} = f'(z_j)",
            r"\frac{\partial h_j}{\partial z_i} = \delta_{ij} f'(z_j)",
            r"\frac{\partial E}{\partial z_j} = f'(z_j) \sum_k v_{jk} (y_k - t_k)",
            r"\frac{\partial E}{\partial w_{ij}} = \sum_k (y_k - t_k) v_{jk} f'(z_j) x_i",
            r"\frac{\partial E}{\partial x_i} = \sum_j w_{ij} f^{\prime}(z_j) \frac{\partial E}{\partial h_j}",
            r"\frac{\partial^2 h_j}{\partial z_j^2} = f''(z_j)",
        ),
        (
            r"\frac{\partial h_j}{\partial z_j} = f(z_j)",
            r"\frac{\partial E}{\partial z_j} = \sum_k v_{jk} (y_k - t_k)",
            r"\frac{\partial E}{\partial w_{ij}} = \sum_k (y_k - t_k) v_{jk} f'(x_i) x_i",
            r"\frac{\partial E}{\partial w_{ij}} = \sum_k (t_k - y_k) v_{jk} f'(z_j) x_i",
            r"\frac{\partial^2 h_j}{\partial z_j^2} = f'(z_j)^2",
        ),
    ),
    "vectors": Twins(
        r"""$$\mathbf{u} = W \mathbf{x} + \mathbf{b}, \quad \mathbf{h} = g(\mathbf{u})$$
$$s = \mathbf{v}^\top \mathbf{h}$$
$$\frac{\partial s}{\partial \mathbf{b}} = \mathbf{v} \odot g'(\mathbf{u})$$""",
        (
            r"\frac{\partial s}{\partial \mathbf{u}} = \mathbf{v} \odot g'(\mathbf{u})",
            r"\frac{\partial s}{\partial \mathbf{u}} = \mathrm{diag}(g'(\mathbf{u})) \mathbf{v}",
            r"\frac{\partial s}{\partial \mathbf{x}} = W^\top (\mathbf{v} \odot g'(W \mathbf{x} + \mathbf{b}))",
            r"\frac{\partial s}{\partial W} = (g'(\mathbf{u}) \odot \mathbf{v}) \mathbf{x}^\top",
        ),
        (
            r"\frac{\partial s}{\partial \mathbf{u}} = \mathbf{v} \odot g(\mathbf{u})",
            r"\frac{\partial s}{\partial \mathbf{x}} = W^\top (\mathbf{v} \odot g'(W \mathbf{x}))",
            r"\frac{\partial s}{\partial \mathbf{x}} = W (\mathbf{v} \odot g'(\mathbf{u}))",
        ),
    ),
    "matrices": Twins(
        r"$$Y = X W$$ $$H = \phi(Y)$$",
        (
            r"\frac{\partial L}{\partial W} = X^\top \left(\frac{\partial L}{\partial H} \odot \phi'(Y)\right)",
            r"\frac{\partial L}{\partial X} = \left(\frac{\partial L}{\partial H} \circ \phi'(X W)\right) W^\top",
        ),
        (
            r"\frac{\partial L}{\partial W} = X^\top \frac{\partial L}{\partial H} \odot \phi'(Y)",
            r"\frac{\partial L}{\partial X} = \left(\frac{\partial L}{\partial H} \odot \phi'(Y)\right) W",
        ),
    ),
    "one neuron": Twins(
        r"$$z = w^\top x + b, \quad a = \sigma(z)$$ $$E = \frac12 (a - t)^2$$",
        (
            r"\frac{\partial E}{\partial w} = (a - t) \sigma'(z) x",
            r"\frac{\partial E}{\partial b} = (a - t) \sigma'(z)",
        ),
        (
            r"\frac{\partial E}{\partial w} = (a - t) \sigma'(t) x",
            r"\frac{\partial E}{\partial b} = (t - a) \sigma'(z)",
        ),
    ),
}


@pytest.mark.parametrize(("setting", "claim"), true_of(FUNCTIONS))
def test_a_true_claim_is_confirmed(setting, claim):
    assert claimed(setting, claim).verdict in TRUE


@pytest.mark.parametrize(("setting", "claim"), wrong_of(FUNCTIONS))
def test_its_wrong_twin_is_refuted(setting, claim):
    assert claimed(setting, claim).verdict is Verdict.REFUTED


NEURON = r"$$z = w^\top x + b, \quad a = g(z)$$ $$\frac{\partial a}{\partial b} = g'(z)$$"


@pytest.mark.parametrize(
    ("claim", "verdict", "said"),
    [
        (r"g'(z) = 1 - g(z)^2", Verdict.UNCLEAR, "true only if g is tanh"),
        (r"\frac{\partial a}{\partial z} = a (1 - a)", Verdict.UNCLEAR, "true only if g is sigmoid"),
        (r"g'(z) = 1 - g(z)", Verdict.REFUTED, "the two sides differ"),
        (r"g'(z) = 1", Verdict.REFUTED, "the two sides differ"),
    ],
)
def test_what_is_true_of_a_usual_function_accuses_nobody(claim, verdict, said):
    found = claimed(NEURON, claim)
    assert (found.verdict, found.reason) == (verdict, said)


@pytest.mark.parametrize(
    ("words", "claim"),
    [
        (r"With $g = \tanh$ this is", r"g'(z) = 1 - g(z)^2"),
        ("For the logistic function,", r"\frac{\partial a}{\partial w} = a (1 - a) x"),
        ("For a linear unit,", r"g'(z) = 1"),
    ],
)
def test_words_may_say_which_function_is_meant(words, claim):
    found = claimed(f"{NEURON}\n\n{words}", claim)
    assert found.verdict is Verdict.CONFIRMED
    assert found.assumptions[-1].startswith("g is ")


def test_a_function_of_a_vector_need_not_act_on_each_entry():
    text = r"""Let $f:\mathbb{R}^n \to \mathbb{R}$, $A \in \mathbb{R}^{n \times m}$, $u \in \mathbb{R}^m$.
$$q = f(A u)$$ $$\frac{\partial q}{\partial u} = A^\top f'(A u)$$"""
    assert {claim.verdict for claim in check(text).claims[3:]} == {Verdict.UNCLEAR}


def test_a_factor_before_a_bracket_is_no_function():
    text = r"""Each loss is taken element-wise.
$$J = \lambda (w - v)^2$$ $$\frac{\partial J}{\partial w} = 2 \lambda (w - v)$$"""
    assert check(text).claims[-1].verdict is Verdict.PROVED
