"""Ways of writing met in notes: small true ones, which are understood, and wrong twins, which are refuted."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from indexcalc.proof.document import Verdict, check
from indexcalc.proof.document.judging.verdicts import TRUE


@dataclass(frozen=True)
class Way:
    """How a note begins, and claims after it: true ones, and wrong ones."""

    start: str
    true: tuple[str, ...]
    wrong: tuple[str, ...] = ()


WAYS: dict[str, Way] = {
    "one letter is the loss and a length": Way(
        r"$$y_i = w_i x_i + b_i$$ $$s_i = \sum_{t=1}^{L} u_{ti}$$",
        (r"\frac{\partial L}{\partial w_i} = \frac{\partial L}{\partial y_i} x_i",),
        (r"\frac{\partial L}{\partial w_i} = \frac{\partial L}{\partial y_i} w_i",),
    ),
    "one equation to a line of a fence": Way(
        "```math\ns = \\sum_j x_j^2\ny_i = x_i s\n```\n\n```math\n"
        "\\frac{\\partial L}{\\partial s} = \\sum_j x_j \\frac{\\partial L}{\\partial y_j}\n"
        "\\frac{\\partial L}{\\partial x_i} = s \\frac{\\partial L}{\\partial y_i}"
        " + 2 x_i \\frac{\\partial L}{\\partial s}\n```",
        (r"\frac{\partial s}{\partial x_i} = 2 x_i",),
        (r"\frac{\partial s}{\partial x_i} = x_i",),
    ),
    "a chain rule over two lines": Way(
        r"$$y_i = x_i^3$$",
        (
            "\\frac{\\partial L}{\\partial x_i} = \\frac{\\partial L}{\\partial y_i}\n"
            "\\frac{\\partial y_i}{\\partial x_i} = 3 x_i^2 \\frac{\\partial L}{\\partial y_i}",
        ),
    ),
    "an upright or bold d before a name": Way(
        r"$$S = Q K^{\mathrm T}$$ $$\mathrm{d}{Q} = \mathrm{d}{S} K$$ $$u_t = \exp(v_t)$$",
        (
            r"\mathrm{d}K = \mathrm{d}{S}^{\mathrm T} Q",
            r"\mathrm{d} K = \left(\frac{\partial L}{\partial S}\right)^{\mathrm T} Q",
            r"\mathbf{d}u_t = \mathbf{d}v_t / u_t",
        ),
        (r"\mathrm{d}{K} = \mathrm{d}{S} Q", r"\mathrm{d}{Q} = 2 \mathrm{d}{S} K"),
    ),
    "deltas before names": Way(
        r"$$Y = F \odot B + H \odot G$$ $$\delta F = \delta Y \odot B$$",
        (r"\delta H = \delta Y \odot G", r"\delta B = \delta Y \odot F"),
        (r"\delta H = \delta Y \odot B",),
    ),
    "words for functions and sums": Way(
        r"$$P = \mathrm{softmax}_{\text{row}}(S)$$ $$O = P V$$ $$D = \mathrm{rowsum}(dO \odot O)$$ $$dV = P^\top dO$$",
        (r"\mathrm{rowsum}(dP \odot P) = D", r"dS_{ij} = P_{ij} (dP_{ij} - D_i)"),
        (r"\mathrm{rowsum}(dP \odot S) = D", r"dS_{ij} = P_{ij} (dP_{ij} + D_i)"),
    ),
    "words between formulas": Way(
        r"$$\text{since}\space y_i = x_i^2, \quad \text{where}\; s = \sum_i y_i$$",
        (r"\text{therefore}\space \frac{\partial s}{\partial x_i} = 2 x_i", r"\text{and because } y_i = x_i^2"),
        (r"\text{hence}\space \frac{\partial s}{\partial x_i} = x_i",),
    ),
    "letters in a row": Way(
        r"$$RMS(x) = \sqrt{\frac1N \sum_{i=1}^{N} x_i^2}$$ $$y_i = \frac{x_i}{RMS(x)}$$ $$logits_i = 3 y_i$$",
        (r"\frac{\partial L}{\partial y_i} = 3 \frac{\partial L}{\partial logits_i}",),
        (r"\frac{\partial L}{\partial y_i} = \frac{\partial L}{\partial logits_i}",),
    ),
    "rows that are slices": Way(
        r"The row $P_{i:}$ is a column vector. Let $S, P \in \mathbb{R}^{n \times m}$. $$P = \mathrm{softmax}(S)$$"
        r" $$dS = P \odot (dP - c \mathbf{1}^\top)$$",
        (
            r"dS_{i:} = (\mathrm{diag}(P_{i:}) - P_{i:} P_{i:}^\top) dP_{i:}",
            r"P_{i:} \odot dP_{i:} - P_{i:} (P_{i:}^\top dP_{i:}) = dS_{i:}",
        ),
        (r"dS_{i:} = (\mathrm{diag}(P_{i:}) + P_{i:} P_{i:}^\top) dP_{i:}",),
    ),
    "labels in the limits of sums": Way(
        r"Let $h \in \mathbb{R}^{n_{\text{heads}}}$. $$s = \sum_{i=1}^{n_{\text{heads}}} h_i^2$$",
        (r"\frac{\partial s}{\partial h_i} = 2 h_i", r"s = \sum_{j=0}^{n_{\text{heads}}-1} h_j h_j"),
        (r"\frac{\partial s}{\partial h_i} = h_i",),
    ),
    "functions of one vector": Way(
        r"$$y = \sigma(W^\top x)$$ $$z = \tanh(x)$$",
        (r"\exp(x) (1 - \tanh(x)) = \exp(x) - \tanh(x) \exp(x)",),
    ),
    "a name whose parts are defined later": Way(
        r"$$h = \tanh(a) \odot b$$ $$a = W x$$ $$b = V x$$",
        (r"\frac{\partial L}{\partial b} = \frac{\partial L}{\partial h} \odot \tanh(a)",),
        (r"\frac{\partial L}{\partial b} = \frac{\partial L}{\partial h} \odot a",),
    ),
    "an equality that goes on after a condition": Way(
        r"$$p_i = \frac{e^{z_i}}{\sum_l e^{z_l}}$$",
        (
            "\\frac{\\partial p_i}{\\partial z_j} =$$\n\nIn the case $i = j$ this is\n\n"
            "$$= \\frac{e^{z_i} \\sum_l e^{z_l} - e^{z_i} e^{z_j}}{(\\sum_l e^{z_l})^2}$$\n\n$$= p_i (1 - p_j)",
        ),
    ),
    "a diagonal entry where sums are not written": Way(
        r"$$e_{ij} = r_{ij} - s_{ij}$$ $$s_{ij} = u_{ik} v_{jk}$$ $$t_i = e_{ij} w_j$$ $$q_i = r_{ij} w_j$$",
        (r"\frac{\partial e_{ij}}{\partial s_{ij}} = -1", r"\frac{\partial t_i}{\partial w_j} = e_{ij}"),
        (r"\frac{\partial e_{ij}}{\partial s_{ij}} = 1",),
    ),
    "sizes with several labels": Way(
        r"$$S = \frac{Q K^\top}{\sqrt{d_k}}$$ $$(B, T, d_k) \times (B, T, d_v)$$",
        (r"\frac{\partial L}{\partial Q} = \frac{1}{\sqrt{d_k}} \frac{\partial L}{\partial S} K",),
        (r"\frac{\partial L}{\partial Q} = \frac{\partial L}{\partial S} K",),
    ),
    "one feature of many": Way(
        r"Let $\mu, v, \gamma, x \in \mathbb{R}^d$."
        r" $$\mu = \frac1m \sum_{i=1}^m x_i$$ $$v = \frac1m \sum_i (x_i - \mu)^2$$"
        r" $$n_i = \frac{x_i - \mu}{\sqrt{v + \epsilon}}$$ $$y_i = \gamma n_i$$",
        (
            r"\frac{\partial L}{\partial \gamma} = \sum_i \frac{\partial L}{\partial y_i} n_i",
            r"\frac{\partial v}{\partial x_i} = \frac{2}{m} (x_i - \mu)",
        ),
        (r"\frac{\partial v}{\partial x_i} = \frac{1}{m} (x_i - \mu)",),
    ),
    "vectors that a matrix joins": Way(
        r"Let $W \in \mathbb{R}^{n \times d}$, $b \in \mathbb{R}^n$, $x \in \mathbb{R}^d$."
        r" $$y = W x + b$$ $$z_i = y_i - b_i$$",
        (r"\frac{\partial L}{\partial W} = \frac{\partial L}{\partial y} x^\top",),
        (r"\frac{\partial L}{\partial W} = x \frac{\partial L}{\partial y}^\top",),
    ),
    "a system of equations in braces": Way(
        r"$$\begin{cases} u_i = x_i^2 \\ y_i = \sin(u_i) \end{cases}$$",
        (r"\frac{\partial L}{\partial x_i} = 2 x_i \cos(u_i) \frac{\partial L}{\partial y_i}",),
        (r"\frac{\partial L}{\partial x_i} = 2 x_i \sin(u_i) \frac{\partial L}{\partial y_i}",),
    ),
}


def last(way, claim):
    return check(f"{way.start}\n\n$${claim}$$\n").claims[-1].verdict


@pytest.mark.parametrize(("name", "claim"), [(name, claim) for name, way in WAYS.items() for claim in way.true])
def test_a_true_claim_is_understood(name, claim):
    assert last(WAYS[name], claim) in TRUE


@pytest.mark.parametrize(("name", "claim"), [(name, claim) for name, way in WAYS.items() for claim in way.wrong])
def test_its_wrong_twin_is_refuted(name, claim):
    assert last(WAYS[name], claim) is Verdict.REFUTED


def test_the_options_of_a_directive_are_no_mathematics():
    claims = check(
        "```{math}\n:label: forward\ny_i = x_i^2\n```\n\n$$\\frac{\\partial y_i}{\\partial x_i} = x_i$$\n"
    ).claims
    assert [claim.verdict for claim in claims] == [Verdict.DEFINITION, Verdict.REFUTED]


def test_each_line_of_a_fence_is_judged():
    every = check(WAYS["one equation to a line of a fence"].start).claims
    assert [claim.verdict for claim in every] == [Verdict.DEFINITION] * 2 + [Verdict.PROVED] * 2


@pytest.mark.parametrize(
    "claim",
    [
        r"\frac{\partial L}{\partial b} = 7 \frac{\partial L}{\partial c}",
        r"\frac{\partial L}{\partial u_i} = 2 v_i \frac{\partial L}{\partial y_i} + \frac{\partial L}{\partial t_i}",
    ],
)
def test_gradients_that_are_zero_for_want_of_a_connection_prove_nothing(claim):
    start = r"$$y_i = x_i^2$$ $$\frac{\partial L}{\partial x_i} = 2 x_i \frac{\partial L}{\partial y_i}$$"
    assert last(Way(start, ()), claim) is Verdict.UNCLEAR


def test_a_word_that_is_applied_is_no_factor():
    text = r"$$S = \mathrm{mask}(Q K^\top)$$ $$O = S V$$"
    text += r"$$\frac{\partial L}{\partial Q} = \frac{\partial L}{\partial S} K$$"
    assert Verdict.REFUTED not in {claim.verdict for claim in check(text).claims}


def test_indices_that_make_a_word_stay_indices():
    text = r"$$u_{nr} = \sum_o g_{no} B_{or}$$ $$\frac{\partial u_{nr}}{\partial g_{no}} = B_{or}$$"
    assert check(text).claims[-1].verdict is Verdict.PROVED


@pytest.mark.parametrize(
    "claim",
    [
        r"Y = X (W + A B)",
        r"dX = dX - dA",
    ],
)
def test_restatements_that_may_be_meant_otherwise_are_not_accused(claim):
    start = (
        r"Let $A \in \mathbb{R}^{n \times r}$. $$Y = X W$$"
        r" $$\frac{\partial L}{\partial W} = X^\top \frac{\partial L}{\partial Y}$$ $$dX = dY W^\top$$"
    )
    assert last(Way(start, ()), claim) is Verdict.UNCLEAR


def test_a_restatement_with_what_was_met_before_is_refuted():
    start = r"$$Y = X W$$ $$Z = Y + B$$"
    assert last(Way(start, ()), r"Y = X W + B") is Verdict.REFUTED


def test_a_true_member_behind_a_wrong_one_is_not_accused_where_no_head_is_read():
    text = "$$\\int f = x_i^2 + x_i = x_i (x_i + 2) = x_i (x_i + 1)$$"
    start = "$$y_i = x_i$$\n\n"
    assert Verdict.REFUTED not in {check(start + text).claims[-1].verdict}


def test_a_sum_along_an_axis_without_a_letter_is_not_refuted():
    start = (
        r"$$A = \mathrm{softmax}(S)$$ $$O = A V$$"
        r" $$\frac{\partial L}{\partial A} = \frac{\partial L}{\partial O} V^\top$$"
    )
    claim = (
        r"\frac{\partial L}{\partial S} = A \odot"
        r" (\frac{\partial L}{\partial A} - \sum_k A \odot \frac{\partial L}{\partial A})"
    )
    assert last(Way(start, ()), claim) is Verdict.UNCLEAR


def test_a_shape_of_sizes_that_nothing_else_names_is_a_declaration():
    assert check(r"$$S = Q K^\top \in \mathbb{R}^{n \times n}$$").claims[-1].verdict is Verdict.DECLARATION


@pytest.mark.parametrize(
    "claim", [r"\frac{\partial L}{\partial r} = g r (1 - r) = (0.34)(0.25) = 0.085", r"r (1 - r) = 0.21"]
)
def test_the_numbers_of_one_case_refute_nothing(claim):
    start = r"$$r = \tanh(a)$$ $$y = r^2$$ $$g = \frac{\partial L}{\partial y}$$"
    every = check(f"{start}\n\n$${claim}$$\n").claims
    assert every[-1].verdict is not Verdict.REFUTED


def test_a_bold_d_is_no_size():
    start = r"Let $a, b \in \mathbb{R}^{n \times d}$. $$\mathbf{da}_i = \frac{\partial L}{\partial a_i}$$"
    assert last(Way(start, ()), r"\mathbf{d\log a}_i = \mathbf{da}_i \odot a_i") is Verdict.UNCLEAR


def test_one_line_of_differentials_leaves_gradients_what_they_are():
    start = r"$$O = P V$$ $$dO = P \, dV$$"
    way = Way(start, ())
    assert last(way, r"\frac{\partial L}{\partial V} = P^\top dO") in TRUE
    assert last(way, r"\frac{\partial L}{\partial P} = dO V^\top") in TRUE


def test_a_document_that_names_gradients_so_is_not_refuted_as_one_of_differentials():
    start = r"$$b_i = \log a_i$$ $$da_i = \frac{\partial L}{\partial a_i}$$ $$y_i = a_i x_i$$ $$dy_i = da_i \, x_i$$"
    assert Verdict.REFUTED not in {claim.verdict for claim in check(start + r"$$d(\log a_i) = da_i \, a_i$$").claims}
