"""Wrong formulas, each with what must be said of it and the correction that must be given."""

from __future__ import annotations

import re

import pytest

from indexcalc.document import Verdict, check

ENTRIES = r"""
$Q, K \in \mathbb{R}^{T \times d}$, $V \in \mathbb{R}^{T \times v}$

$$S_{ij} = \frac{1}{\sqrt{d}} \sum_k Q_{ik} K_{jk}$$

$$Z_i = \sum_j e^{S_{ij}}, \qquad A_{ij} = \frac{e^{S_{ij}}}{Z_i}$$

$$O_{ip} = \sum_j A_{ij} V_{jp}$$

"""

ARRAYS = r"""
$X \in \mathbb{R}^{n \times d}$, $W, U \in \mathbb{R}^{d \times m}$, $Q, K \in \mathbb{R}^{n \times c}$

$$Y = X W, \qquad S = \frac{Q K^\top}{\sqrt{c}}, \qquad P = Q Q^\top$$

"""

POINTWISE = r"""
$$f_i = \tanh(x_i), \qquad g_i = \log(1 + e^{x_i}), \qquad q = \sum_i x_i^3$$

"""

WRONG = [
    (
        ENTRIES,
        r"∂A_{ij}",
        r"-\sum_p ∂O_{ip} V_{jp}",
        "the sign is wrong",
        r"\sum_{p} ∂O_{ip} V_{jp}",
    ),
    (
        ENTRIES,
        r"∂A_{ij}",
        r"\sum_p ∂O_{ip} V_{ip}",
        "V has the index i instead of j",
        r"\sum_{p} ∂O_{ip} V_{jp}",
    ),
    (
        ENTRIES,
        r"∂A_{ij}",
        r"\sum_p ∂O_{ip} V_{pj}",
        "shapes do not fit: a size v meets a size T; the indices of V are swapped",
        r"\sum_{p} ∂O_{ip} V_{jp}",
    ),
    (
        ENTRIES,
        r"∂A_{ij}",
        r"\sum_p ∂O_{up} V_{jp}",
        "the index u is free here, but not on the left side; O has the index u instead of i",
        r"\sum_{p} ∂O_{ip} V_{jp}",
    ),
    (
        ENTRIES,
        r"∂A_{ij}",
        r"\sum_k \sum_p ∂O_{ip} V_{jp}",
        "the right side is K times the left; the sum over k is too much",
        r"\sum_{p} ∂O_{ip} V_{jp}",
    ),
    (
        ENTRIES,
        r"∂Q_{ik}",
        r"\sum_j ∂S_{ij} K_{jk}",
        "the right side is √d times the left",
        r"\frac{1}{\sqrt{d}} \sum_{j} ∂S_{ij} K_{jk}",
    ),
    (
        ENTRIES,
        r"∂Q_{ik}",
        r"\frac{2}{\sqrt{d}} \sum_j ∂S_{ij} K_{jk}",
        "the right side is 2 times the left; 2 instead of 1",
        r"\frac{1}{\sqrt{d}} \sum_{j} ∂S_{ij} K_{jk}",
    ),
    (
        ENTRIES,
        r"∂Q_{ik}",
        r"\frac{1}{\sqrt{d}} \sum_j ∂S_{ji} K_{jk}",
        "the indices of S are swapped",
        r"\frac{1}{\sqrt{d}} \sum_{j} ∂S_{ij} K_{jk}",
    ),
    (
        ENTRIES,
        r"∂Q_{ik}",
        r"\frac{1}{\sqrt{d}} \sum_j ∂S_{ij} Q_{jk}",
        "Q instead of K",
        r"\frac{1}{\sqrt{d}} \sum_{j} ∂S_{ij} K_{jk}",
    ),
    (
        ENTRIES,
        r"∂S_{ij}",
        r"A_{ij} \left( ∂A_{ij} - \sum_l ∂A_{il} A_{jl} \right)",
        "A has the index j instead of i",
        r"A_{ij} \left( ∂A_{ij} - \sum_{l} ∂A_{il} A_{il} \right)",
    ),
    (
        ENTRIES,
        r"∂S_{ij}",
        r"A_{ij} \left( ∂A_{ij} + \sum_l ∂A_{il} A_{il} \right)",
        "the sign of a term is wrong",
        r"A_{ij} \left( ∂A_{ij} - \sum_{l} ∂A_{il} A_{il} \right)",
    ),
    (
        ENTRIES,
        r"∂S_{ij}",
        r"A_{ij} ∂A_{ij} - \sum_l ∂A_{il} A_{il}",
        "the factor A is missing",
        r"A_{ij} ∂A_{ij} - \sum_{l} ∂A_{il} A_{il} A_{ij}",
    ),
    (
        ENTRIES,
        r"∂S_{ij}",
        r"A_{ij} \left( ∂A_{ij} - \sum_j ∂A_{ij} \right)",
        "the factor A is missing",
        r"A_{ij} \left( ∂A_{ij} - \sum_{j} ∂A_{ij} A_{ij} \right)",
    ),
    (
        ENTRIES,
        r"\frac{\partial A_{ij}}{\partial S_{il}}",
        r"A_{ij} (\delta_{jl} + A_{il})",
        "the sign of a term is wrong",
        r"A_{ij} (\delta_{jl} - A_{il})",
    ),
    (
        ENTRIES,
        r"\frac{\partial A_{ij}}{\partial S_{il}}",
        r"A_{ij} (\delta_{jl} - A_{ij})",
        "A has the index j instead of l",
        r"A_{il} (\delta_{jl} - A_{ij})",
    ),
    (
        ENTRIES,
        r"∂K_{jk}",
        r"\frac{1}{\sqrt{d}} \sum_i ∂S_{ij} K_{ik}",
        "K instead of Q",
        r"\frac{1}{\sqrt{d}} \sum_{i} ∂S_{ij} Q_{ik}",
    ),
    (
        ENTRIES,
        r"∂V_{jp}",
        r"\sum_i \sum_l ∂O_{ip} A_{ij}",
        "the right side is L times the left; the sum over l is too much",
        r"\sum_{i} ∂O_{ip} A_{ij}",
    ),
    (
        ARRAYS,
        r"∂X",
        r"∂Y W",
        "shapes do not fit: a size m meets a size d; the transpose of W is missing",
        r"∂Y W^{\top}",
    ),
    (
        ARRAYS,
        r"∂W",
        r"X ∂Y",
        "shapes do not fit: a size d meets a size n; the transpose of X is missing",
        r"X^{\top} ∂Y",
    ),
    (
        ARRAYS,
        r"∂W",
        r"∂Y X^\top",
        "shapes do not fit: a size m meets a size d; two factors are in the wrong order",
        r"X^{\top} ∂Y",
    ),
    (
        ARRAYS,
        r"∂W",
        r"∂Y^\top X",
        "shapes do not fit: a size d meets a size m; order and transposes of two factors are wrong",
        r"X^{\top} ∂Y",
    ),
    (
        ARRAYS,
        r"∂Q",
        r"∂S K",
        "the right side is √c times the left",
        r"\frac{1}{\sqrt{c}} ∂S K",
    ),
    (
        ARRAYS,
        r"∂K",
        r"\frac{1}{\sqrt{c}} ∂S Q",
        "the transpose of the gradient by S is missing",
        r"\frac{1}{\sqrt{c}} ∂S^{\top} Q",
    ),
    (
        ARRAYS,
        r"∂K",
        r"\frac{1}{c} ∂S^\top Q",
        "the right side is 1/√c times the left; a root is missing",
        r"\frac{1}{\sqrt{c}} ∂S^{\top} Q",
    ),
    (
        POINTWISE,
        r"\frac{\partial f_i}{\partial x_i}",
        r"1 - f_i^3",
        "the power of f is 3 instead of 2",
        r"1 - f_{i}^{2}",
    ),
    (POINTWISE, r"\frac{\partial f_i}{\partial x_i}", r"1 + f_i^2", "the sign of a term is wrong", r"1 - f_{i}^{2}"),
    (POINTWISE, r"\frac{\partial f_i}{\partial x_i}", r"- f_i^2", "the term 1 is missing", r"1 - f_{i}^{2}"),
    (
        POINTWISE,
        r"\frac{\partial g_i}{\partial x_i}",
        r"\frac{e^{x_i}}{1 - e^{x_i}}",
        "the sign of a term is wrong",
        r"\frac{e^{x_i}}{1 + e^{x_i}}",
    ),
    (
        POINTWISE,
        r"\frac{\partial g_i}{\partial x_i}",
        r"\frac{e^{x_i}}{(1 + e^{x_i})^2}",
        "the power of the bracket is 2 instead of 1",
        r"\frac{e^{x_i}}{(1 + e^{x_i})}",
    ),
    (POINTWISE, r"\frac{\partial q}{\partial x_i}", r"3 x_i", "the power of x is 1 instead of 2", r"3 x_{i}^{2}"),
    (POINTWISE, r"\frac{\partial q}{\partial x_i}", r"3 x_i^3", "the power of x is 3 instead of 2", r"3 x_{i}^{2}"),
    (POINTWISE, r"\frac{\partial q}{\partial x_i}", r"x_i^2", "the right side is 1/3 times the left", r"3 x_{i}^{2}"),
    (POINTWISE, r"f_i", r"\exp(x_i)", "exp instead of tanh", r"\tanh (x_{i})"),
]
"""A note, the sides of a wrong claim in it, the diagnosis, and the correction; ``∂X`` is the loss's gradient by X."""


def spelled(text):
    return re.sub(r"∂([A-Za-z]+(?:_\{\w+\})?)", r"\\frac{\\partial L}{\\partial \1}", text)


def last_claim(note, left, right):
    return check(spelled(f"{note}$${left} = {right}$$\n")).claims[-1]


@pytest.mark.parametrize(("note", "left", "wrong", "reason", "correction"), WRONG)
def test_the_mistake_is_named_and_taken_back(note, left, wrong, reason, correction):
    claim = last_claim(note, left, wrong)
    assert claim.verdict is Verdict.REFUTED
    assert claim.reason == reason
    assert claim.correction == spelled(correction)


@pytest.mark.parametrize(("note", "left", "wrong", "reason", "correction"), WRONG[::4])
def test_the_correction_is_true_in_the_note(note, left, wrong, reason, correction):
    assert last_claim(note, left, correction).verdict in {Verdict.PROVED, Verdict.CONFIRMED}


def test_a_wrong_shape_is_corrected():
    claim = last_claim(ARRAYS, "∂W", r"X^\top ∂Y \in \mathbb{R}^{n \times m}")
    assert claim.verdict is Verdict.REFUTED
    assert claim.reason == "the shape is d x m, not n x m"
    assert claim.correction == r"\mathbb{R}^{d \times m}"


def test_the_author_s_own_spelling_is_kept():
    note = r"""
$$\boldsymbol{Y} = \boldsymbol X \mathbf{W}$$

$$\frac{\partial \ell}{\partial \mathbf{W}} = \boldsymbol X \frac{\partial \ell}{\partial \boldsymbol{Y}}$$
"""
    found = check(note).claims[-1].correction
    assert found == r"\boldsymbol X^{\top} \frac{\partial \ell}{\partial \boldsymbol{Y}}"


def test_a_macro_is_kept():
    note = r"""
$$\newcommand{\up}[1]{\frac{\partial L}{\partial #1}} \newcommand{\X}{\mathbf{X}}$$

$$Y = \X W$$

$$\up{W} = \X \up{Y}$$
"""
    assert check(note).claims[-1].correction == r"\X^{\top} \frac{\partial L}{\partial Y}"


def test_a_second_superscript_stands_on_braces():
    note = r"""
$$X \in \mathbb{R}^{n \times d}, \quad W^{Q} \in \mathbb{R}^{d \times m}$$

$$Y = X W^{Q}$$

$$\frac{\partial L}{\partial X} = \frac{\partial L}{\partial Y} W^{Q}$$
"""
    assert check(note).claims[-1].correction == r"\frac{\partial L}{\partial Y} {W^{Q}}^{\top}"


STRIDED = r"""
$$\begin{align}
O_{12} &= X_{12} F_{11} + X_{13} F_{12} + X_{22} F_{21} + X_{23} F_{22} \\
O_{22} &= X_{22} F_{11} + X_{23} F_{12} + X_{32} F_{21} + X_{33} F_{22}
\end{align}$$

$$\begin{align}
\frac{\partial{L}}{\partial{X_{13}}} &= \frac{\partial{L}}{\partial{O_{12}}} * F_{12} \\
\frac{\partial{L}}{\partial{X_{33}}} &= \frac{\partial{L}}{\partial{O_{22}}} * F_{22} \\
\frac{\partial{L}}{\partial{X_{23}}} &= \frac{\partial{L}}{\partial{O_{12}}} * F_{22}
  + \frac{\partial{L}}{\partial{O_{22}}} * F_{21}
\end{align}$$
"""


def test_no_correction_takes_an_argument_of_the_loss_away():
    claim = check(STRIDED).claims[-1]
    assert claim.verdict is Verdict.REFUTED
    assert re.sub(r"\s", "", claim.correction).endswith(r"\frac{\partial{L}}{\partial{O_{22}}}*F_{12}")
