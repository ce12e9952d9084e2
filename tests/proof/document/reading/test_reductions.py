from __future__ import annotations

import pytest

from indexcalc.proof.document import Verdict, check

NOTE = r"""
Let $X \in \mathbb{R}^{M \times N}$ and $Z \in \mathbb{R}^{M \times N}$.

$$a_i = \sum_j X_{ij} Z_{ij}$$

$$m_j = \frac{1}{M} \sum_i X_{ij}$$

$$C_{ij} = X_{ij} - Z_{ij} a_i$$
"""


def judged(claim, context=""):
    return check(f"{NOTE}\n\n$${claim}$$\n", "note.md", context).claims[-1]


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        (r"a = sum(X . Z, dim=1)", Verdict.PROVED),
        (r"a = \text{sum}(X \odot Z, \text{axis}=-1)", Verdict.PROVED),
        (r"a = sum(X . Z, dim=0)", Verdict.REFUTED),
        (r"m = \operatorname{mean}(X, axis=0)", Verdict.PROVED),
        (r"m = \operatorname{mean}(X, axis=1)", Verdict.REFUTED),
        (r"C = X - Z sum(X * Z, dim=1, keepdim=True)", Verdict.PROVED),
        (r"C = X - Z sum(X * Z, dim=0, keepdim=True)", Verdict.REFUTED),
        (r"C = X - Z sum(X * Z, dim=2)", Verdict.UNCLEAR),
        (r"C = X - Z sum(X * Z, dtype=1)", Verdict.UNCLEAR),
    ],
)
def test_sums_along_an_axis(claim, verdict):
    assert judged(claim).verdict is verdict


SOFTMAX = r"""
$f$ is a loss, and $df$ its gradient by the probabilities.

Let $X \in \mathbb{R}^{M \times N}$.

$$softmax(x_{ij}) = \frac{e^{x_{ij}}}{\sum_k e^{x_{ik}}}$$

$$\frac{\partial f(softmax(X))}{\partial X} = softmax(X)(df - sum(df . softmax(X), dim=1, keepdim=True))$$
"""

CONTEXT = """
alias softmax(x) = P
alias softmax(X) = P
alias f(P) = L
adjoint df = dL/dP
"""


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        ("dim=1", "dim=1", Verdict.PROVED),
        ("dim=1", "dim=0", Verdict.REFUTED),
        ("df - sum", "df + sum", Verdict.REFUTED),
    ],
)
def test_a_context_names_what_a_note_writes_out(old, new, verdict):
    assert check(SOFTMAX.replace(old, new), "note.md", CONTEXT).claims[-1].verdict is verdict
    assert not check(SOFTMAX.replace(old, new), "note.md").refuted


def test_a_vector_may_be_meant_for_each_row_of_a_matrix():
    start = r"Let $X \in \mathbb{R}^{N \times D}$ and $\gamma \in \mathbb{R}^{1 \times D}$. $$Y = \gamma \odot X$$ "
    claim = check(start + r"$$\frac{\partial J}{\partial X} = \gamma \cdot \frac{\partial J}{\partial Y}$$").claims[-1]
    assert claim.verdict is Verdict.UNCLEAR


def test_a_matrix_with_its_wrong_side_to_a_vector_is_refuted():
    start = r"Let $W \in \mathbb{R}^{N \times D}$, $x \in \mathbb{R}^D$ and $y \in \mathbb{R}^N$. $$y = W x$$ "
    claim = check(start + r"$$\frac{\partial J}{\partial x} = W \frac{\partial J}{\partial y}$$").claims[-1]
    assert claim.verdict is Verdict.REFUTED
    assert claim.correction
