"""Notes with letters of layers, steps, heads and samples: true relations understood, wrong twins refuted."""

from __future__ import annotations

import pytest

from indexcalc.proof.document import check
from indexcalc.proof.document.judging.verdicts import Verdict
from indexcalc.proof.document.layers.labels import displayed
from tests.support.guards import Guard, assert_refuted, assert_true, claims_of, judged

DENSE = (
    r"$$z^l_j = \sum_k w^l_{jk} a^{l-1}_k + b^l_j, \qquad a^l_j = \tanh(z^l_j)$$ $$\delta^l_j = "
    r"\frac{\partial C}{\partial z^l_j}$$"
)
BRACKETS = r"$$Z^{[l]} = W^{[l]} A^{[l-1]}, \qquad A^{[l]} = \tanh(Z^{[l]})$$"
LAST = r"$$C = \frac{1}{2} \sum_j (y_j - a^L_j)^2$$"
RECURRENT = r"$$h_t = \tanh(u_t), \qquad u_t = W h_{t-1} + U x_t$$ $$o_t = V h_t$$"
STEPS = r"$$s_{t,j} = \lambda_j s_{t-1,j} + k_{t,j}$$ $$y_{t,j} = q_{t,j} s_{t,j}$$"
HEADS = (
    r"$$Q^{h}_{ik} = \sum_m X_{im} W^{Q,h}_{mk}, \quad K^{h}_{jk} = \sum_m X_{jm} W^{K,h}_{mk}$$ "
    r"$$S^{h}_{ij} = \sum_k Q^h_{ik} K^h_{jk}$$"
)
LOGISTIC = (
    r"$$z^{(i)} = w^T x^{(i)} + b, \quad p^{(i)} = \frac{1}{1 + e^{-z^{(i)}}}$$ $$J = \frac{1}{m} "
    r"\sum_{i=1}^m (p^{(i)} - y^{(i)})^2$$"
)
HYPOTHESIS = r"$$h_\theta(x) = \theta^T x$$ $$J(\theta) = \frac{1}{2} \sum_{i=1}^m (h_\theta(x^{(i)}) - y^{(i)})^2$$"

GUARDS = {
    "layers above names": Guard(
        DENSE,
        (
            r"\delta^l_j = \left(1 - (a^l_j)^2\right) \sum_k w^{l+1}_{kj} \delta^{l+1}_k",
            r"\frac{\partial C}{\partial w^l_{jk}} = \delta^l_j a^{l-1}_k",
            r"\frac{\partial z^{l+1}_k}{\partial z^l_j} = w^{l+1}_{kj} (1 - (a^l_j)^2)",
            r"\frac{\partial C}{\partial a^{l-1}_k} = \sum_j w^l_{jk} \delta^l_j",
        ),
        (
            r"\delta^l_j = \left(1 - (a^l_j)^2\right) \sum_k w^{l+1}_{jk} \delta^{l+1}_k",
            r"\delta^l_j = \left(1 - (a^l_j)^2\right) \sum_k w^{l}_{kj} \delta^{l+1}_k",
            r"\frac{\partial C}{\partial w^l_{jk}} = \delta^l_j a^{l}_k",
            r"\frac{\partial C}{\partial a^{l-1}_k} = \sum_j w^l_{kj} \delta^l_j",
        ),
    ),
    "layers above vectors, and in words": Guard(
        r"The error in layer $(l-1)$ of $L$, where $z_j$ is an input: "
        r"$$\delta^l_j = \frac{\partial C}{\partial z^l_j}$$ $$a^l = \tanh(z^l), \qquad z^l = W^l a^{l-1} + b^l$$",
        (
            r"\frac{\partial C}{\partial W^l} = \delta^l (a^{l-1})^T",
            r"\delta^l = ((W^{l+1})^T \delta^{l+1}) \odot (1 - a^l \odot a^l)",
        ),
        (r"\delta^l = (W^{l+1} \delta^{l+1}) \odot (1 - a^l \odot a^l)",),
    ),
    "a gradient by all that a layer gives": Guard(
        f"{DENSE} {LAST}",
        (r"\delta^L = \nabla_a C \odot (1 - a^L \odot a^L)",),
        (r"\delta^L = \nabla_a C \odot (1 - a^L)",),
    ),
    "a cost of all samples, and that of one": Guard(
        f"{DENSE} $$C = \\frac{{1}}{{2n}} \\sum_x \\|y(x) - a^L(x)\\|^2$$ For one: {LAST}",
        (r"\frac{\partial C}{\partial z^L_j} = (a^L_j - y_j) (1 - (a^L_j)^2)",),
        (r"\frac{\partial C}{\partial z^L_j} = (a^L_j - y_j) (1 - a^L_j)",),
    ),
    "the last layers alone": Guard(
        r"$$z^{(L)} = w^{(L)} a^{(L-1)} + b^{(L)}, \quad a^{(L)} = \tanh(z^{(L)}), \quad E = (a^{(L)} - y)^2$$",
        (r"\frac{\partial E}{\partial w^{(L)}} = 2 (a^{(L)} - y) (1 - (a^{(L)})^2) a^{(L-1)}",),
        (r"\frac{\partial E}{\partial w^{(L)}} = 2 (a^{(L)} - y) (1 - (a^{(L)})^2) a^{(L)}",),
    ),
    "layers in brackets, with transposes in one script": Guard(
        BRACKETS,
        (
            r"dZ^{[l]} = dA^{[l]} \odot (1 - A^{[l]} \odot A^{[l]})",
            r"dW^{[l]} = dZ^{[l]} A^{[l-1]T}",
            r"dA^{[l-1]} = W^{[l]\top} dZ^{[l]}",
        ),
        (r"dW^{[l]} = dZ^{[l]} A^{[l]T}", r"dA^{[l-1]} = W^{[l]} dZ^{[l]}"),
    ),
    "a loss that the last layer defines": Guard(
        f"{DENSE} {LAST}",
        (
            r"\frac{\partial C}{\partial z^L_j} = (a^L_j - y_j) (1 - (a^L_j)^2)",
            r"\frac{\partial C}{\partial b^l_j} = \delta^l_j",
        ),
        (
            r"\frac{\partial C}{\partial z^L_j} = (y_j - a^L_j) (1 - (a^L_j)^2)",
            r"\frac{\partial C}{\partial w^l_{jk}} = a^{l-1}_j \delta^l_k",
        ),
    ),
    "steps below names": Guard(
        RECURRENT,
        (
            r"\frac{\partial L}{\partial h_t} = V^T \frac{\partial L}{\partial o_t} + W^T \frac{\partial "
            r"L}{\partial u_{t+1}}",
            r"\frac{\partial L}{\partial u_t} = (1 - h_t^2) \odot \frac{\partial L}{\partial h_t}",
            r"\frac{\partial L}{\partial x_t} = U^T \frac{\partial L}{\partial u_t}",
        ),
        (
            r"\frac{\partial L}{\partial h_t} = V^T \frac{\partial L}{\partial o_t} + W \frac{\partial "
            r"L}{\partial u_{t+1}}",
            r"\frac{\partial L}{\partial u_t} = (1 - h_t) \odot \frac{\partial L}{\partial h_t}",
            r"\frac{\partial L}{\partial x_t} = U^T \frac{\partial L}{\partial u_{t+1}}",
        ),
    ),
    "steps beside indices": Guard(
        STEPS,
        (
            r"\frac{\partial L}{\partial s_{t,j}} = q_{t,j} \frac{\partial L}{\partial y_{t,j}} + \lambda_j "
            r"\frac{\partial L}{\partial s_{t+1,j}}",
            r"\frac{\partial L}{\partial k_{t,j}} = \frac{\partial L}{\partial s_{t,j}}",
        ),
        (
            r"\frac{\partial L}{\partial s_{t,j}} = q_{t,j} \frac{\partial L}{\partial y_{t,j}} + \lambda_j "
            r"\frac{\partial L}{\partial s_{t-1,j}}",
        ),
    ),
    "heads above names": Guard(
        HEADS,
        (
            r"\frac{\partial L}{\partial Q^h_{ik}} = \sum_j \frac{\partial L}{\partial S^h_{ij}} K^h_{jk}",
            r"\frac{\partial L}{\partial W^{Q,h}_{mk}} = \sum_i X_{im} \frac{\partial L}{\partial Q^h_{ik}}",
            r"\frac{\partial L}{\partial X_{im}} = \sum_h \sum_k W^{Q,h}_{mk} \frac{\partial L}{\partial "
            r"Q^h_{ik}} + \sum_h \sum_k W^{K,h}_{mk} \frac{\partial L}{\partial K^h_{ik}}",
        ),
        (r"\frac{\partial L}{\partial Q^h_{ik}} = \sum_j \frac{\partial L}{\partial S^h_{ji}} K^h_{jk}",),
    ),
    "heads of matrices, with a label below": Guard(
        r"$$Q^h = X W_Q^h, \quad K^h = X W_K^h$$ $$S^h = \frac{Q^h (K^h)^T}{\sqrt{d}}$$",
        (
            r"\frac{\partial L}{\partial Q^h} = \frac{1}{\sqrt{d}} \frac{\partial L}{\partial S^h} K^h",
            r"\frac{\partial L}{\partial W_Q^h} = X^T \frac{\partial L}{\partial Q^h}",
        ),
        (r"\frac{\partial L}{\partial Q^h} = \frac{\partial L}{\partial S^h} K^h",),
    ),
    "samples above vectors": Guard(
        LOGISTIC,
        (
            r"\frac{\partial J}{\partial p^{(i)}} = \frac{2}{m} (p^{(i)} - y^{(i)})",
            r"\frac{\partial J}{\partial w_j} = \frac{2}{m} \sum_{i=1}^m (p^{(i)} - y^{(i)}) p^{(i)} (1 - "
            r"p^{(i)}) x^{(i)}_j",
            r"\nabla_w J = \frac{2}{m} \sum_{i=1}^m (p^{(i)} - y^{(i)}) p^{(i)} (1 - p^{(i)}) x^{(i)}",
        ),
        (
            r"\frac{\partial J}{\partial p^{(i)}} = \frac{1}{m} (p^{(i)} - y^{(i)})",
            r"\frac{\partial J}{\partial w_j} = \frac{2}{m} \sum_{i=1}^m (p^{(i)} - y^{(i)}) x^{(i)}_j",
        ),
    ),
    "a function with its parameter below": Guard(
        HYPOTHESIS,
        (
            r"\frac{\partial}{\partial \theta_j} J(\theta) = \sum_{i=1}^m (h_\theta(x^{(i)}) - y^{(i)}) x_j^{(i)}",
            r"\nabla_\theta J(\theta) = \sum_{i=1}^m (h_\theta(x^{(i)}) - y^{(i)}) x^{(i)}",
        ),
        (r"\frac{\partial}{\partial \theta_j} J(\theta) = \sum_{i=1}^m (y^{(i)} - h_\theta(x^{(i)})) x_j^{(i)}",),
    ),
    "letters of sums that are numbers": Guard(
        r"$$q = \sum_{k=1}^n k x^k, \qquad u_i = 3 v_i$$",
        (r"\frac{\partial u_i}{\partial v_i} = 3",),
        open=(r"\sum_{k=1}^n k = \frac{n (n + 1)}{2}", r"\sum_{k=0}^n x^k = \frac{1 - x^{n+1}}{1 - x}"),
    ),
    "a letter with a label is no number of a sum over it": Guard(
        r"$$y_i = \frac{1}{\sqrt{d_k}} \sum_d a_{id} b_d$$",
        (r"\frac{\partial y_i}{\partial b_d} = \frac{1}{\sqrt{d_k}} a_{id}",),
        (r"\frac{\partial y_i}{\partial b_d} = a_{id}",),
    ),
    "powers stay powers": Guard(
        r"$$f(u) = u^n$$ $$y_i = \sum_k w_k x_i^k$$",
        (
            r"\frac{d f}{d u} = n u^{n-1}",
            r"\frac{\partial y_i}{\partial w_k} = x_i^k",
            r"\frac{\partial y_i}{\partial x_i} = \sum_k k w_k x_i^{k-1}",
        ),
        (r"\frac{d f}{d u} = n u^{n}", r"\frac{\partial y_i}{\partial x_i} = \sum_k 2 k w_k x_i^{k-1}"),
    ),
}


@pytest.mark.parametrize(("name", "claim"), claims_of(GUARDS, "true"))
def test_true_relations_are_understood(name: str, claim: str) -> None:
    assert_true(GUARDS[name], claim)


@pytest.mark.parametrize(("name", "claim"), claims_of(GUARDS, "open"))
def test_what_cannot_be_known_is_not_accused(name: str, claim: str) -> None:
    _, own = judged(GUARDS[name], claim)
    assert not [one for one in own if one.verdict in (Verdict.REFUTED, Verdict.FOLLOWS)]


@pytest.mark.parametrize(("name", "claim"), claims_of(GUARDS, "wrong"))
def test_wrong_twins_are_refuted(name: str, claim: str) -> None:
    assert_refuted(GUARDS[name], claim)


def test_nothing_is_said_of_a_shared_weight() -> None:
    """The steps and heads that a note names are not all there are."""
    note = (
        f"{RECURRENT} $$\\frac{{\\partial L}}{{\\partial h_t}} = V^T \\frac{{\\partial L}}{{\\partial "
        f"o_t}} + W^T \\frac{{\\partial L}}{{\\partial u_{{t+1}}}}$$"
    )
    note += (
        r" $$\frac{\partial L}{\partial V} = \frac{\partial L}{\partial o_t} h_t^T$$ $$\frac{\partial "
        r"L}{\partial W} = \frac{\partial L}{\partial u_t} h_{t-1}^T$$"
    )
    *_, by_v, by_w = check(note).claims
    assert by_v.verdict is by_w.verdict is Verdict.UNCLEAR
    assert "every t has a part" in by_w.reason


def test_zero_on_both_sides_proves_nothing() -> None:
    """Without the equation between them, a loss has no gradient by its inputs that anything could be said of."""
    note = (
        r"$$L = \sum_i y_i^2$$ $$\delta_j = \frac{\partial L}{\partial u_j}$$ $$\frac{\partial "
        r"L}{\partial u_j} = 7 \delta_j + \delta_j u_j$$"
    )
    (claim,) = [claim for claim in check(note).claims if "7" in claim.latex]
    assert claim.verdict is Verdict.UNCLEAR
    assert "known to depend on u" in claim.reason


def test_a_correction_is_spelled_with_layers_and_indices_above() -> None:
    note = f"{DENSE} $$\\frac{{\\partial C}}{{\\partial w^l_{{jk}}}} = \\delta^l_k a^{{l-1}}_j$$"
    (wrong,) = [claim for claim in check(note).claims if claim.verdict is Verdict.REFUTED]
    assert wrong.correction.replace(" ", "") == r"\delta^{l}_{j}a^{l-1}_{k}"
    note = f"{LOGISTIC} $$\\frac{{\\partial J}}{{\\partial p^{{(i)}}}} = \\frac{{2}}{{m}} (y^{{(i)}} - p^{{(i)}})$$"
    (wrong,) = [claim for claim in check(note).claims if claim.verdict is Verdict.REFUTED]
    assert "p^{(i)}" in wrong.correction


def test_nothing_is_said_of_a_matrix_that_is_to_be_orthogonal() -> None:
    note = (
        r"$$y = W x + b, \qquad u = W^T v$$ With orthogonal weights, $W W^T = I$, no length is lost: "
        r"$\|u\|^2 = \|v\|^2$ for a vector $\mathbf v$."
    )
    assert not [claim for claim in check(note).claims if claim.verdict is Verdict.REFUTED]


def test_a_letter_that_stands_for_the_last_layer_accuses_nothing_beyond_it() -> None:
    """The cost is written for the output of layer l, and the step from l + 1 to l for all others."""
    note = (
        r"$$z^{(l)} = W^{(l)} a^{(l-1)} + b^{(l)}$$ $$a^{(l)} = \sigma(z^{(l)})$$ $$C = \frac12 \|a^{(l)} - y\|^2$$ "
        r"$$\delta^{(l)} = \frac{\partial C}{\partial z^{(l)}}$$ "
        r"$$\delta^{(l)} = (W^{(l+1)})^T \delta^{(l+1)} \odot \sigma'(z^{(l)})$$"
    )
    assert not [claim for claim in check(note).claims if claim.verdict is Verdict.REFUTED]


def test_a_reason_names_layers_as_the_note_does() -> None:
    note = f"{DENSE} $$\\frac{{\\partial C}}{{\\partial w^l_{{jk}}}} = \\delta^l_k a^{{l-1}}_j$$"
    (wrong,) = [claim for claim in check(note).claims if claim.verdict is Verdict.REFUTED]
    assert "a^{l-1}" in wrong.reason
    assert displayed("x^(·) is a^l-1, and a^{l-1} stays, and h_t+1 too") == (
        "x is a^{l-1}, and a^{l-1} stays, and h_{t+1} too"
    )
