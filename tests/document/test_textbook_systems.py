"""Pages with systems, determinants, second derivatives, windows and lookups as textbooks write them, right and broken.

Every relation that claims something is proved or confirmed as it stands; with one error in it, it is refuted at its
line.
"""

from __future__ import annotations

import pytest

from indexcalc.document import Verdict, check

HOLDS = (Verdict.PROVED, Verdict.CONFIRMED)
NEUTRAL = (Verdict.DEFINITION, Verdict.DECLARATION, Verdict.CONDITION)

PAGES = {
    "gauss": r"""
# Gaussian log-likelihood

Let $x_n \in \mathbb{R}^D$ be samples, $\mu \in \mathbb{R}^D$ the mean,
$\Sigma \in \mathbb{R}^{D \times D}$ a symmetric positive definite covariance.

$$\mathcal{L} = -\frac{N}{2} \log\det\Sigma - \frac{1}{2} \sum_{n=1}^N (x_n - \mu)^T \Sigma^{-1} (x_n - \mu)$$

$$\nabla_\mu \mathcal{L} = \sum_{n=1}^N \Sigma^{-1} (x_n - \mu)$$

$$\frac{\partial \mathcal{L}}{\partial \Sigma}
= -\frac{N}{2} \Sigma^{-1} + \frac{1}{2} \sum_{n=1}^N \Sigma^{-1} (x_n - \mu)(x_n - \mu)^T \Sigma^{-1}$$
""",
    "ridge": r"""
# Ridge regression

Let $X \in \mathbb{R}^{N \times D}$, $y \in \mathbb{R}^N$, $w \in \mathbb{R}^D$ and $\lambda > 0$.

$$L(w) = \frac{1}{2} \|X w - y\|^2 + \frac{\lambda}{2} \|w\|^2$$

$$\nabla L = X^T (X w - y) + \lambda w$$

$$\nabla^2 L = X^T X + \lambda I$$

The minimum is

$$\hat{w} = (X^T X + \lambda I)^{-1} X^T y$$

and there

$$X^T X \hat{w} + \lambda \hat{w} = X^T y$$
""",
    "gp": r"""
# Marginal likelihood of a Gaussian process

Let $y \in \mathbb{R}^N$ be observations and $K \in \mathbb{R}^{N \times N}$ a symmetric positive definite matrix.

$$\mathcal{L} = -\frac{1}{2} y^T K^{-1} y - \frac{1}{2} \log |K| - \frac{N}{2} \log 2\pi$$

With $\alpha = K^{-1} y$,

$$\frac{\partial \mathcal{L}}{\partial K} = \frac{1}{2} \left( \alpha \alpha^T - K^{-1} \right)$$
""",
    "det": r"""
# Determinants and inverses

Let $A \in \mathbb{R}^{n \times n}$ be invertible, and $B \in \mathbb{R}^{n \times n}$.

$$\frac{\partial \log\det A}{\partial A} = A^{-T}$$

$$\frac{\partial \det A}{\partial A} = \det(A) A^{-T}$$

$$\frac{\partial \operatorname{tr}(A^{-1} B)}{\partial A} = -A^{-T} B^T A^{-T}$$

$$\frac{\partial \log |A|}{\partial A_{ij}} = (A^{-1})_{ji}$$

$$\operatorname{tr}(A B) = \operatorname{tr}(B A)$$

$$(A B)^{-1} = B^{-1} A^{-1}$$

$$\det(A B) = \det(A) \det(B)$$
""",
    "newton": r"""
# Newton step for logistic regression

Let $X \in \mathbb{R}^{N \times D}$ be inputs, $y \in \mathbb{R}^N$ labels, $w \in \mathbb{R}^D$ weights.

$$z_n = \sum_f X_{nf} w_f, \quad p_n = \sigma(z_n)$$

$$L(w) = \sum_n \left( \log(1 + e^{z_n}) - y_n z_n \right)$$

$$\frac{\partial L}{\partial w_f} = \sum_n X_{nf} (p_n - y_n)$$

$$\frac{\partial^2 L}{\partial w_f \partial w_g} = \sum_n p_n (1 - p_n) X_{nf} X_{ng}$$

$$\frac{\partial^2 L}{\partial z_n \partial z_m} = \delta_{nm} p_n (1 - p_n)$$

In matrix notation, with $S = \operatorname{diag}(p \odot (1 - p))$,

$$\nabla^2 L = X^T S X$$
""",
    "conv": r"""
# Convolution

Let $x \in \mathbb{R}^N$, $w \in \mathbb{R}^K$ and $y \in \mathbb{R}^{N-K+1}$.

$$y_i = \sum_{k=0}^{K-1} w_k x_{i+k}$$

$$\frac{\partial L}{\partial w_k} = \sum_{i=0}^{N-K} \frac{\partial L}{\partial y_i} x_{i+k}$$
""",
    "emb": r"""
# Embedding

Let $E \in \mathbb{R}^{V \times M}$ be an embedding, and $y_n \in \{1, \dots, V\}$ tokens.

$$X_{nm} = E_{y_n, m}$$

$$\frac{\partial L}{\partial E_{vm}} = \sum_n \delta_{v, y_n} \frac{\partial L}{\partial X_{nm}}$$
""",
    "ce": r"""
# Cross-entropy with labels

Let $z \in \mathbb{R}^{N \times C}$ be scores and $y_n \in \{1, \dots, C\}$ labels.

$$p_{nc} = \frac{e^{z_{nc}}}{\sum_d e^{z_{nd}}}$$

$$L = -\sum_n \log p_{n, y_n}$$

$$\frac{\partial L}{\partial z_{nc}} = p_{nc} - \delta_{c, y_n}$$
""",
}

ERRORS = [
    ("gauss", r"= \sum_{n=1}^N \Sigma^{-1} (x_n", r"= -\sum_{n=1}^N \Sigma^{-1} (x_n"),
    ("gauss", r"= -\frac{N}{2} \Sigma^{-1} +", r"= -N \Sigma^{-1} +"),
    ("ridge", r"X^T X + \lambda I$$", r"X^T X + 2 \lambda I$$"),
    ("ridge", r"+ \lambda \hat{w} =", r"- \lambda \hat{w} ="),
    ("ridge", r"y) + \lambda w$$", r"y) + 2 \lambda w$$"),
    ("gp", r"\alpha^T - K^{-1}", r"\alpha^T + K^{-1}"),
    ("det", r"= \det(A) A^{-T}", r"= A^{-T}"),
    ("det", r"= -A^{-T} B^T A^{-T}", r"= A^{-T} B^T A^{-T}"),
    ("det", r"(A^{-1})_{ji}", r"(A^{-1})_{ij}"),
    ("det", r"= B^{-1} A^{-1}", r"= A^{-1} B^{-1}"),
    ("det", r"= \det(A) \det(B)", r"= \det(A) + \det(B)"),
    ("det", r"\operatorname{tr}(B A)", r"\operatorname{tr}(B A^T)"),
    ("newton", r"= \sum_n p_n (1 - p_n)", r"= \sum_n p_n (1 + p_n)"),
    ("newton", r"= \delta_{nm} p_n (1 - p_n)", r"= p_n (1 - p_m)"),
    ("newton", r"= X^T S X", r"= -X^T S X"),
    ("newton", r"(p_n - y_n)", r"(p_n + y_n)"),
    ("conv", r"_i} x_{i+k}", r"_i} x_{i}"),
    ("emb", r"\delta_{v, y_n} \frac", r"\frac"),
    ("ce", r"p_{nc} - \delta", r"p_{nc} + \delta"),
]


@pytest.mark.parametrize("name", PAGES)
def test_a_right_page_is_judged_and_holds(name):
    claims = check(PAGES[name], name).claims
    claiming = [claim for claim in claims if claim.verdict not in NEUTRAL]
    assert claiming
    assert [claim for claim in claiming if claim.verdict not in HOLDS] == []


@pytest.mark.parametrize(("name", "right", "wrong"), ERRORS)
def test_an_error_is_refuted_at_its_line(name, right, wrong):
    page = PAGES[name]
    assert page.count(right) == 1
    line = page[: page.index(right)].count("\n") + 1
    claims = check(page.replace(right, wrong), name).claims
    assert [claim.line for claim in claims if claim.verdict is Verdict.REFUTED] == [line]


def test_a_nabla_of_a_function_without_its_argument_says_how_it_is_read():
    page = PAGES["ridge"].replace("L(w) =", "L =")
    reasons = [claim.reason for claim in check(page, "ridge").claims if claim.verdict is Verdict.UNCLEAR]
    assert any("\\nabla_w" in reason for reason in reasons)
