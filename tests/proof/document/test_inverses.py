"""Inverses and determinants, and what a document says of its matrices."""

from __future__ import annotations

import pytest

from indexcalc import check

SQUARE = r"Let $A, B, X \in \mathbb{R}^{n \times n}$, $x \in \mathbb{R}^n$. "

TRUE = {
    "log det": r"\frac{\partial}{\partial X} \log \det X = X^{-T}",
    "log of bars": r"\frac{\partial}{\partial X} \ln |X| = X^{-\top}",
    "det": r"\frac{\partial \det(X)}{\partial X} = \det(X) X^{-T}",
    "trace of an inverse": r"\frac{\partial}{\partial A} \mathrm{tr}(A^{-1} B) = -(A^{-1} B A^{-1})^T",
    "quadratic form": r"\frac{\partial x^T A^{-1} x}{\partial x} = (A^{-1} + A^{-T}) x",
    "inverse": r"A A^{-1} = I",
    "of a product": r"(AB)^{-1} = B^{-1} A^{-1}",
    "of a transpose": r"(A^T)^{-1} = (A^{-1})^T",
    "trace of a number": r"x^T A x = \mathrm{tr}(x^T A x) = \mathrm{tr}(A x x^T)",
}

FALSE = {
    "log det": r"\frac{\partial}{\partial X} \log \det X = X^{-1}",
    "det": r"\frac{\partial \det(X)}{\partial X} = X^{-T}",
    "trace of an inverse": r"\frac{\partial}{\partial A} \mathrm{tr}(A^{-1} B) = -A^{-1} B A^{-1}",
    "quadratic form": r"\frac{\partial x^T A^{-1} x}{\partial x} = 2 A^{-1} x",
    "of a product": r"(AB)^{-1} = A^{-1} B^{-1}",
}


def verdicts(text: str) -> list[str]:
    """The verdicts of a note, in order."""
    return [str(claim.verdict) for claim in check(text).claims]


@pytest.mark.parametrize("name", TRUE)
def test_true_identities(name: str) -> None:
    found = verdicts(f"{SQUARE} $${TRUE[name]}$$")[2:]
    assert set(found) <= {"proved", "confirmed"}
    assert found


@pytest.mark.parametrize("name", FALSE)
def test_false_identities(name: str) -> None:
    assert verdicts(f"{SQUARE} $${FALSE[name]}$$")[-1] == "refuted"


def test_symmetric_matrices() -> None:
    claim = r"$$\frac{\partial}{\partial S} \log \det S = S^{-1}$$ $$\frac{\partial x^T S x}{\partial x} = 2 S x$$"
    shape = r"Let $S \in \mathbb{R}^{d \times d}$ and $x \in \mathbb{R}^d$. "
    assert verdicts(shape + claim)[2:] == ["refuted", "refuted"]
    assert verdicts(f"{shape} As $S^T = S$, {claim}")[2:] == ["condition", "confirmed", "confirmed"]
    assert verdicts(f"{shape} Let $S$ be symmetric. {claim}")[2:] == ["confirmed", "confirmed"]


def test_orthogonal_matrices_and_vectors_of_length_one() -> None:
    shape = r"Let $U \in \mathbb{R}^{d \times d}$ and $x, w \in \mathbb{R}^d$. "
    claim = r"$$\|U x\|^2 = \|x\|^2$$ $$U^{-1} = U^T$$ $$x w^T w = x$$ $$\|U x\| = 2 \|x\|$$"
    found = verdicts(f"{shape} Here $U^T U = I$ and $w^T w = 1$. {claim}")[2:]
    assert found == ["condition", "condition", "confirmed", "confirmed", "confirmed", "refuted"]
    assert verdicts(shape + claim)[2:] == ["refuted"] * 4


def test_a_gaussian_by_its_rows() -> None:
    note = r"""
The log-likelihood of $N$ samples with the covariance $\Sigma$ is
$$J(\Sigma) = -\frac{N}{2} \log |\Sigma| - \frac{1}{2} \sum_{i=1}^N (x_i - \mu)^T \Sigma^{-1} (x_i - \mu)$$
$$J(\Sigma) = -\frac{N}{2} \log |\Sigma| - \frac{1}{2} \mathrm{tr}(\Sigma^{-1} S)$$
with $S = \sum_{i=1}^N (x_i - \mu)(x_i - \mu)^T$.
$$\frac{\partial J}{\partial \Sigma} = -\frac{N}{2} \Sigma^{-1} + \frac{1}{2} \Sigma^{-1} S \Sigma^{-1}$$
$$\frac{\partial J}{\partial \mu} = \sum_{i=1}^N \Sigma^{-1} (x_i - \mu)$$
$$\frac{\partial J}{\partial \mu} = \frac{1}{2} \sum_{i=1}^N \Sigma^{-1} (x_i - \mu)$$
"""
    assert verdicts(note) == ["definition", "proved", "definition", "confirmed", "confirmed", "refuted"]


def test_what_words_say_of_a_matrix_is_not_held_against_it() -> None:
    shape = r"Let $D \in \mathbb{R}^{k \times k}$ and $z \in \mathbb{R}^k$. "
    claim = r"$$z^T D z = \sum_{i=1}^k \lambda_i z_i^2$$ $$z^T D z = 2 z^T D z$$"
    told = r"Here $D$ is a diagonal matrix with entries $\lambda_1, \lambda_2, \dots, \lambda_k$. "
    assert verdicts(shape + told + claim)[2:] == ["not understood", "not understood"]
    assert verdicts(shape + claim)[-1] == "refuted"


def test_what_stands_on_a_diagonal_in_words() -> None:
    note = (
        r"By $A = P D P^T$, where $D$ is a diagonal matrix with entries $\lambda_1, \dots, \lambda_k$, "
        r"$$x^T A x = \sum_{i=1}^k \lambda_i x_i^2$$"
    )
    assert "refuted" not in verdicts(note)
