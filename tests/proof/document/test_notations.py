"""Notations: a small true note for each, and wrong twins that must be refuted."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from indexcalc.proof.document import Verdict, check
from indexcalc.proof.document.judging.verdicts import TRUE


@dataclass(frozen=True)
class Notation:
    """What a note says first, and claims after it: true ones, and wrong ones."""

    setting: str
    true: tuple[str, ...]
    wrong: tuple[str, ...] = ()


NOTATIONS: dict[str, Notation] = {
    "norms": Notation(
        r"Let $A \in \mathbb{R}^{m \times n}$, $b \in \mathbb{R}^m$, $x \in \mathbb{R}^n$."
        r" $$f = \frac12 \|A x - b\|^2$$ $$g = \lVert x \rVert_2$$ $$h = ||A||_F^2$$",
        (
            r"\frac{\partial f}{\partial x} = A^\top (A x - b)",
            r"\frac{\partial g}{\partial x} = \frac{x}{\left\| x \right\|}",
            r"\frac{\partial h}{\partial A} = 2 A",
            r"\|x\|^2 = x^\top x",
            r"\|x\|_1 = \sum_i |x_i|",
        ),
        (
            r"\frac{\partial f}{\partial x} = 2 A^\top (A x - b)",
            r"\frac{\partial g}{\partial x} = \frac{x}{\|x\|^2}",
            r"\frac{\partial h}{\partial A} = A",
            r"\|x\|_2 = x^\top x",
            r"\|x\|_1 = \sum_i x_i^2",
        ),
    ),
    "nabla": Notation(
        r"Let $A \in \mathbb{R}^{n \times n}$, $b \in \mathbb{R}^n$, $x \in \mathbb{R}^n$."
        r" $$f(x) = \frac12 x^\top A x - b^\top x$$",
        (
            r"\nabla f(x) = \frac12 (A + A^\top) x - b",
            r"\nabla_x f = \frac12 (A + A^\top) x - b",
            r"\nabla_b f = -x",
            r"\nabla^2 f(x) = \frac12 (A + A^\top)",
            r"\nabla_x^2 f = \frac12 (A + A^\top)",
        ),
        (
            r"\nabla f(x) = A x - b",
            r"\nabla_b f = x",
            r"\nabla^2 f(x) = A",
        ),
    ),
    "second derivatives": Notation(
        r"Let $A \in \mathbb{R}^{n \times n}$, $x \in \mathbb{R}^n$."
        r" $$f(x) = x^\top A x$$ $$h(u) = e^{3u}$$ $$\mathbf{g} = \nabla f(x)$$",
        (
            r"\frac{\partial^2 f}{\partial x_i \partial x_j} = A_{ij} + A_{ji}",
            r"\frac{\partial^2 f}{\partial x \partial x^\top} = A + A^\top",
            r"\frac{\partial^2 f}{\partial x^2} = A + A^\top",
            r"\frac{d^2 h}{du^2} = 9 h(u)",
            r"\frac{\partial g_i}{\partial x_j} = A_{ij} + A_{ji}",
        ),
        (
            r"\frac{\partial^2 f}{\partial x_i \partial x_j} = 2 A_{ij}",
            r"\frac{d^2 h}{du^2} = 3 h(u)",
            r"\frac{\partial g_i}{\partial x_j} = A_{ij}",
        ),
    ),
    "rows of a matrix, sigma": Notation(
        r"The samples are the rows of $\mathbf{X}$. $$J(\mathbf{w}) = -\sum_{i=1}^n"
        r" [ y_i \log \sigma(\mathbf{w}^\top \mathbf{x}_i)"
        r" + (1 - y_i) \log(1 - \sigma(\mathbf{w}^\top \mathbf{x}_i)) ] + \frac{\lambda}{2} \|\mathbf{w}\|^2$$",
        (
            r"\nabla J(\mathbf{w}) = \mathbf{X}^\top (\sigma(\mathbf{X} \mathbf{w}) - \mathbf{y}) + \lambda \mathbf{w}",
            r"\nabla J(\mathbf{w}) = \sum_i (\sigma(\mathbf{w}^\top \mathbf{x}_i) - y_i) \mathbf{x}_i"
            r" + \lambda \mathbf{w}",
            r"\nabla^2 J(\mathbf{w}) = \sum_i \sigma(\mathbf{w}^\top \mathbf{x}_i)"
            r"(1 - \sigma(\mathbf{w}^\top \mathbf{x}_i)) \mathbf{x}_i \mathbf{x}_i^\top + \lambda I",
        ),
        (
            r"\nabla J(\mathbf{w}) = \mathbf{X}^\top (\mathbf{y} - \sigma(\mathbf{X} \mathbf{w})) + \lambda \mathbf{w}",
            r"\nabla J(\mathbf{w}) = \sum_i (\sigma(\mathbf{w}^\top \mathbf{x}_i) - y_i) \mathbf{x}_i",
            r"\nabla^2 J(\mathbf{w}) = \sum_i \sigma(\mathbf{w}^\top \mathbf{x}_i)"
            r" \mathbf{x}_i \mathbf{x}_i^\top + \lambda I",
        ),
    ),
    "cases on indices": Notation(
        r"$$z_i = x_i^3$$ $$p_i = \frac{e^{x_i}}{\sum_k e^{x_k}}$$",
        (
            r"\frac{\partial z_i}{\partial x_j} = \begin{cases} 3 x_i^2 & \text{if } i = j"
            r" \\ 0 & \text{otherwise} \end{cases}",
            r"\frac{\partial z_i}{\partial x_j} = \begin{cases} 3 x_i^2, & i = j \\ 0, & i \neq j \end{cases}",
            r"\frac{\partial p_i}{\partial x_j} = \begin{cases}"
            r" p_i (1 - p_j) & \text{if $i = j$} \\ -p_i p_j & \text{if $i \ne j$} \end{cases}",
        ),
        (
            r"\frac{\partial z_i}{\partial x_j} = \begin{cases} 2 x_i^2 & i = j \\ 0 & i \neq j \end{cases}",
            r"\frac{\partial z_i}{\partial x_j} = \begin{cases} 3 x_i^2 & i = j \\ 1 & \text{otherwise} \end{cases}",
            r"\frac{\partial p_i}{\partial x_j} = \begin{cases}"
            r" p_i (1 - p_j) & \text{if $i = j$} \\ p_i p_j & \text{if $i \ne j$} \end{cases}",
        ),
    ),
    "cases on values": Notation(
        r"$$r_i = \max(u_i, 0)$$ $$h(t) = \max(t, 0)$$",
        (
            r"r_i = \begin{cases} u_i & u_i > 0 \\ 0 & \text{otherwise} \end{cases}",
            r"\frac{dh}{dt} = \begin{cases} 1 & \text{if } t > 0 \\ 0 & \text{if } t < 0 \end{cases}",
        ),
        (
            r"r_i = \begin{cases} u_i & u_i > 0 \\ 1 & \text{otherwise} \end{cases}",
            r"\frac{dh}{dt} = \begin{cases} 1 & \text{if } t > 0 \\ -1 & \text{if } t < 0 \end{cases}",
        ),
    ),
    "a sum without an index": Notation(
        r"$$t = \sum x_i^2$$ $$s_i = \sum a_{ij} b_j$$",
        (
            r"\frac{\partial t}{\partial x_i} = 2 x_i",
            r"\frac{\partial s_i}{\partial b_j} = a_{ij}",
            r"s_i = \sum_j a_{ij} b_j",
        ),
        (
            r"\frac{\partial t}{\partial x_i} = 2 \sum x_k",
            r"s_i = \sum a_{ij} b_i",
        ),
    ),
    "numbered entries": Notation(
        r"Let $x \in \mathbb{R}^2$ and $A \in \mathbb{R}^{2 \times 2}$. $$y_i = \sum_k A_{ik} x_k$$ $$z_i = x_i^2$$",
        (
            r"y_1 = A_{11} x_1 + A_{12} x_2",
            r"\frac{\partial y_1}{\partial x_2} = A_{12}",
            r"\frac{\partial z_1}{\partial x_1} = 2 x_1",
            r"\frac{\partial z_1}{\partial x_2} = 0",
        ),
        (
            r"y_1 = A_{11} x_1 + A_{21} x_2",
            r"\frac{\partial y_1}{\partial x_2} = A_{21}",
            r"\frac{\partial z_1}{\partial x_2} = 2 x_1",
        ),
    ),
    "matrices written out": Notation(
        r"Let $x \in \mathbb{R}^2$ and $A \in \mathbb{R}^{2 \times 2}$. $$y = A x$$",
        (
            r"y = \begin{bmatrix} A_{11} x_1 + A_{12} x_2 \\ A_{21} x_1 + A_{22} x_2 \end{bmatrix}",
            r"x x^\top = \begin{pmatrix} x_1^2 & x_1 x_2 \\ x_2 x_1 & x_2^2 \end{pmatrix}",
            r"A^\top x = \begin{bmatrix} A_{11} & A_{21} \\ A_{12} & A_{22} \end{bmatrix}"
            r" \begin{bmatrix} x_1 \\ x_2 \end{bmatrix}",
        ),
        (
            r"y = \begin{bmatrix} A_{11} x_1 + A_{21} x_2 \\ A_{12} x_1 + A_{22} x_2 \end{bmatrix}",
            r"x x^\top = \begin{pmatrix} x_1^2 & x_1 x_2 \\ x_2 x_1 & x_1^2 \end{pmatrix}",
            r"A^\top x = \begin{bmatrix} A_{11} & A_{12} \\ A_{21} & A_{22} \end{bmatrix}"
            r" \begin{bmatrix} x_1 \\ x_2 \end{bmatrix}",
        ),
    ),
    "chain rules by products": Notation(
        r"Let $W \in \mathbb{R}^{n \times m}$, $x \in \mathbb{R}^m$. $$z = W x$$"
        r" $$\delta = \frac{\partial J}{\partial z}$$",
        (
            r"\frac{\partial J}{\partial W} = \frac{\partial J}{\partial z} \frac{\partial z}{\partial W}"
            r" = \delta x^\top",
            r"\frac{\partial J}{\partial x} = \frac{\partial J}{\partial z} \frac{\partial z}{\partial x}"
            r" = W^\top \delta",
            r"\frac{\partial J}{\partial W_{ij}} = \delta \frac{\partial z}{\partial W_{ij}} = \delta_i x_j",
        ),
        (
            r"\frac{\partial J}{\partial W} = \frac{\partial J}{\partial z} \frac{\partial z}{\partial W}"
            r" = x \delta^\top",
            r"\frac{\partial J}{\partial W} = \frac{\partial J}{\partial x} \frac{\partial z}{\partial W}",
        ),
    ),
    "primes": Notation(
        r"$$a_i = \tanh(z_i)$$ $$f(u) = u^3 + 2 u$$ $$b_i = f(z_i)$$",
        (
            r"\frac{\partial a_i}{\partial z_i} = \tanh'(z_i)",
            r"\tanh'(z_i) = 1 - a_i^2",
            r"f'(u) = 3 u^2 + 2",
            r"\frac{\partial b_i}{\partial z_j} = f'(z_i) \delta_{ij}",
        ),
        (
            r"\tanh'(z_i) = 1 - a_i",
            r"f'(u) = 3 u^2",
            r"\frac{\partial b_i}{\partial z_j} = f(z_i) \delta_{ij}",
        ),
    ),
}


def last(notation: Notation, claim: str) -> Verdict:
    """The verdict of a claim after the setting."""
    return check(f"{notation.setting}\n\n$${claim}$$\n").claims[-1].verdict


TRUE_CLAIMS = [(name, claim) for name, notation in NOTATIONS.items() for claim in notation.true]
WRONG_CLAIMS = [(name, claim) for name, notation in NOTATIONS.items() for claim in notation.wrong]


@pytest.mark.parametrize(("name", "claim"), TRUE_CLAIMS)
def test_a_true_claim_is_confirmed(name, claim):
    assert last(NOTATIONS[name], claim) in TRUE


@pytest.mark.parametrize(("name", "claim"), WRONG_CLAIMS)
def test_its_wrong_twin_is_refuted(name, claim):
    assert last(NOTATIONS[name], claim) is Verdict.REFUTED


def test_what_a_definition_reads_besides_an_unclear_member_refutes_nothing():
    text = r"""
$$S = Q K^\top$$
$$O = \sigma(S - M) V = D V$$
$$\frac{\partial O_{ij}}{\partial S_{ij}} = D_{ij} V_{ij}$$
"""
    assert Verdict.REFUTED not in {claim.verdict for claim in check(text).claims}


@pytest.mark.parametrize(
    "layout",
    [
        r"x = [x_1, x_2, \dots, x_N]^\top",
        r"x = \begin{pmatrix} x_1 \\ \vdots \\ x_N \end{pmatrix}",
        r"\frac{\partial L}{\partial x} ="
        r" \begin{bmatrix} \frac{\partial L}{\partial x_1} & .. & \frac{\partial L}{\partial x_N} \end{bmatrix}",
    ],
)
def test_ellipses_declare_a_layout(layout):
    assert last(Notation(r"$$y_i = x_i^2$$", ()), layout) is Verdict.DECLARATION


@pytest.mark.parametrize("claim", [r"s = \sum a_{ij} b_j", r"s_i = \sum a_{jk} b_j"])
def test_a_sum_without_an_index_that_could_be_several_is_not_understood(claim):
    assert last(Notation(r"$$s_i = \sum_j a_{ij} b_j$$", ()), claim) in (Verdict.UNCLEAR, Verdict.REFUTED)
    assert last(Notation(r"$$t_{ij} = a_{ij} b_j$$", ()), claim) is Verdict.UNCLEAR


@pytest.mark.parametrize(
    ("mask", "verdict"),
    [
        (r"dY \odot (X > 0)", "proved"),
        (r"(X \ge 0) \odot dY", "proved"),
        (r"dY * (X > 0)", "proved"),
        (r"dY \odot (X < 0)", "refuted"),
        (r"dY \odot (X = 0)", "not understood"),
    ],
)
def test_a_mask_beside_a_product_by_entries_is_an_indicator(mask, verdict):
    note = rf"$$Y = \mathrm{{ReLU}}(X)$$ $$dX = {mask}$$"
    assert [str(claim.verdict) for claim in check(note).claims][1] == verdict
