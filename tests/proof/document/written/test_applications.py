"""Functions of several arguments, names that a chain gives on its way, and parameters below functions."""

from __future__ import annotations

import pytest

from indexcalc import check
from tests.support.guards import Guard, assert_refuted, assert_true, claims_of

LOSS = r"$$L(a, y) = -(y \log a + (1 - y) \log (1 - a))$$ "

GUARDS = {
    "a loss of each sample": Guard(
        r"$$z^{(i)} = w^T x^{(i)} + b, \quad \hat y^{(i)} = a^{(i)} = \sigma(z^{(i)})$$ "
        + LOSS
        + r"$$J(w, b) = \frac1m \sum_{i=1}^m L(a^{(i)}, y^{(i)})$$",
        (
            r"\frac{\partial J}{\partial b} = \frac1m \sum_{i=1}^m (a^{(i)} - y^{(i)})",
            r"\frac{\partial J}{\partial w_j} = \frac1m \sum_{i=1}^m (\hat y^{(i)} - y^{(i)}) x^{(i)}_j",
        ),
        (
            r"\frac{\partial J}{\partial b} = \sum_{i=1}^m (a^{(i)} - y^{(i)})",
            r"\frac{\partial J}{\partial w_j} = \frac1m \sum_{i=1}^m (y^{(i)} - a^{(i)}) x^{(i)}_j",
        ),
    ),
    "a name that a chain gives on its way": Guard(
        r"For $z = w^T x + b$ and $\hat y = a = \sigma(z)$, " + LOSS,
        (r"\frac{d L}{d z} = a - y",),
        (r"\frac{d L}{d z} = y - a",),
    ),
    "parameters below a function": Guard(
        r"$$h_{w,b}(x) = w^T x + b$$ or $$h_\theta(x) = \theta^T x, \quad J(\theta) = \frac12 \sum_{i=1}^m "
        r"(h_\theta(x^{(i)}) - y^{(i)})^2$$",
        (r"\frac{\partial}{\partial \theta_j} J(\theta) = \sum_{i=1}^m (h_\theta(x^{(i)}) - y^{(i)}) x^{(i)}_j",),
        (r"\frac{\partial}{\partial \theta_j} J(\theta) = 2 \sum_{i=1}^m (h_\theta(x^{(i)}) - y^{(i)}) x^{(i)}_j",),
    ),
    "two matrices below one function": Guard(
        r"$$f(A, B) = \frac12 \|A B - C\|_F^2$$ $$J = f(U, V W)$$",
        (r"\frac{\partial J}{\partial U} = (U V W - C) (V W)^T",),
        (r"\frac{\partial J}{\partial U} = (U V W - C) V W",),
    ),
}


@pytest.mark.parametrize(("name", "claim"), claims_of(GUARDS, "true"))
def test_true_relations_are_understood(name: str, claim: str) -> None:
    assert_true(GUARDS[name], claim)


@pytest.mark.parametrize(("name", "claim"), claims_of(GUARDS, "wrong"))
def test_wrong_twins_are_refuted(name: str, claim: str) -> None:
    assert_refuted(GUARDS[name], claim)


def test_a_name_that_is_made_of_itself_is_defined_by_no_member() -> None:
    shape = r"Let $A, X \in \mathbb{R}^{n \times n}$. "
    note = (
        r"$$\frac{\partial}{\partial X} \mathrm{tr}(X A) = A_{ji} = A^T$$"
        r" $$\frac{\partial}{\partial X} \mathrm{tr}(A X) = A$$"
    )
    assert str(check(shape + note).claims[-1].verdict) == "refuted"
