"""Random inputs satisfy what is assumed of them: sums, symmetries of slots, domains, and several at once."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

from indexcalc.errors import UnsupportedError
from indexcalc.language import read_problem
from indexcalc.proof.gradcheck import check_backward
from indexcalc.proof.sampling import sample_point
from indexcalc.rewrite.derive import derive

HEAD = "index i, j, k, l : N\nindex c : C\n"
N, C = (sp.Symbol(name, positive=True, integer=True) for name in "NC")


def drawn(text: str, n: int = 4) -> dict[str, np.ndarray]:
    problem = read_problem(f"{HEAD}{text}\n")
    return sample_point(problem.program, {N: n, C: 3}, np.random.default_rng(3)).values


@pytest.mark.parametrize(
    ("assumed", "order", "sign"),
    [
        ("A[i,j,k,l] = A[j,i,k,l]", (1, 0, 2, 3), 1),
        ("A[i,j,k,l] = -A[j,i,k,l]", (1, 0, 2, 3), -1),
        ("A[i,j,k,l] + A[i,l,k,j] = 0", (0, 3, 2, 1), -1),
        ("2*A[i,j,k,l] - 2*A[i,l,k,j] = 0", (0, 3, 2, 1), 1),
        ("A[i,j,k,l] = A[k,l,i,j]", (2, 3, 0, 1), 1),
        ("A[i,j,k,l] = A[j,k,l,i]", (1, 2, 3, 0), 1),
        ("A[k,l,i,j] = A[l,i,j,k]", (1, 2, 3, 0), 1),
    ],
)
def test_slots_change_places(assumed: str, order: tuple[int, ...], sign: int) -> None:
    array = drawn(f"input A[i,j,k,l]\nassume {assumed}\nY[i] = sum[j,k,l](A[i,j,k,l])")["A"]
    for cell in np.ndindex(array.shape):
        # the entry that is read with the slots in the other order
        assert array[cell] == pytest.approx(sign * array[tuple(cell[position] for position in order)], abs=1e-12)
    assert np.max(np.abs(array)) > 0.1


def test_all_symmetries_of_one_tensor_hold_at_once() -> None:
    assumed = "assume R[i,j,k,l] = -R[j,i,k,l]\nassume R[i,j,k,l] = R[k,l,i,j]\n"
    array = drawn(f"input R[i,j,k,l]\n{assumed}Y[i] = sum[j,k,l](R[i,j,k,l])")["R"]
    np.testing.assert_allclose(array, -array.transpose(1, 0, 2, 3), atol=1e-12)
    np.testing.assert_allclose(array, -array.transpose(0, 1, 3, 2), atol=1e-12)
    np.testing.assert_allclose(array, array.transpose(2, 3, 0, 1), atol=1e-12)
    assert np.max(np.abs(array)) > 0.1


def test_a_symmetric_matrix_may_have_rows_that_sum_to_one() -> None:
    array = drawn("input P[i,j] in (0,1)\nassume P[i,j] = P[j,i]\nassume sum[j](P[i,j]) = 1\nY[i] = sum[j](P[i,j]^2)")[
        "P"
    ]
    np.testing.assert_allclose(array, array.T, atol=1e-9)
    np.testing.assert_allclose(array.sum(1), 1, atol=1e-9)
    assert np.all((array > 0) & (array < 1))


def test_symmetries_that_leave_only_zeros_are_refused() -> None:
    text = "input A[i,j]\nassume A[i,j] = A[j,i]\nassume A[i,j] = -A[j,i]\nY[i] = sum[j](A[i,j])"
    with pytest.raises(UnsupportedError, match="nothing but zeros"):
        drawn(text)
    cycle = "input A[i,j,k]\nassume A[i,j,k] = -A[j,k,i]\nY[i] = sum[j,k](A[i,j,k])"
    with pytest.raises(UnsupportedError, match="nothing but zeros"):
        drawn(cycle)


@pytest.mark.parametrize(
    ("domain", "low", "high"),
    [
        ("in (-1,1)", -1, 1),
        ("positive", 0, np.inf),
        ("in [5, inf)", 5, np.inf),
        ("in (-inf, -2)", -np.inf, -2),
        ("probability", 0, 1),
    ],
)
def test_entries_lie_in_the_domain(domain: str, low: float, high: float) -> None:
    array = drawn(f"input x[i,j,k,l] {domain}\nY[i] = sum[j,k,l](x[i,j,k,l])")["x"]
    assert np.all((array > low) & (array < high))
    assert np.ptp(array) > 0.5


def test_a_function_may_need_less_than_the_domain() -> None:
    array = drawn("input x[i,j,k,l] in (-1,1)\nY[i] = sum[j,k,l](log(x[i,j,k,l]))")["x"]
    assert np.all((array > 0) & (array < 1))


def test_a_domain_that_contradicts_an_assumption_is_named() -> None:
    with pytest.raises(UnsupportedError, match="B has entries outside its domain"):
        drawn("input B[i,j] positive\nassume B[i,j] = -B[j,i]\nY[i] = sum[j](B[i,j])")


def test_a_probability_is_drawn_as_one_for_every_extent() -> None:
    for n in (1, 2, 7):
        array = drawn("input p[c,i] probability over i, z[c,i]\nL[c] = sum[i](p[c,i] * log(p[c,i]))", n)["p"]
        np.testing.assert_allclose(array.sum(1), 1)
        assert np.all(array > 0)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_matrices_are_drawn_positive_definite(n: int) -> None:
    array = drawn("input A[i,c,j] spd over (i,j), x[i]\nY[c] = sum[i,j](A[i,c,j] * x[i] * x[j])", n)["A"]
    for matrix in np.moveaxis(array, 1, 0):
        np.testing.assert_array_equal(matrix, matrix.T)
        values = np.linalg.eigvalsh(matrix)
        assert values.min() > 0.05 * values.max()


def test_symmetric_matrices_alone_may_be_indefinite() -> None:
    array = drawn("input A[i,j] symmetric, x[i]\nY = sum[i,j](A[i,j] * x[i] * x[j])", 5)["A"]
    np.testing.assert_array_equal(array, array.T)
    assert np.linalg.eigvalsh(array).min() < 0


def test_a_definite_matrix_may_have_more_symmetries() -> None:
    text = "input A[i,j,k] spd over (i,j)\nassume sum[k](A[i,j,k]) = 0\nY = sum[i,j,k](A[i,j,k]^2)"
    with pytest.raises(UnsupportedError, match="an assumption does not hold"):
        drawn(text)  # of definite matrices that add up to zero there are none
    persymmetric = drawn(
        "input A[i,j,k,l] spd over (i,j)\nassume A[i,j,k,l] = A[i,j,l,k]\nY = sum[i,j,k,l](A[i,j,k,l])"
    )["A"]
    np.testing.assert_allclose(persymmetric, persymmetric.transpose(0, 1, 3, 2))
    assert np.linalg.eigvalsh(np.moveaxis(persymmetric, (0, 1), (-2, -1))).min() > 0


@pytest.mark.parametrize(
    "text",
    [
        "input A[i,j] spd, x[i]\nsolve y[j] : sum[j](A[i,j] * y[j]) = x[i]\n"
        "L = sum[i](x[i] * y[i]) + logdet[i,j](A[i,j])\nloss L",
        "input A[i,j], x[i]\nassume A[i,j] = A[j,i]\nL = sum[i,j](A[i,j] * x[i] * x[j])\nloss L",
        "input B[i,j], x[i], y[i]\nassume B[i,j] = -B[j,i]\nL = sum[i,j](B[i,j] * x[i] * tanh(y[j]))\nloss L",
        "input T[i,j,k], x[i]\nassume T[i,j,k] = T[j,i,k]\nassume T[i,j,k] = T[i,k,j]\n"
        "L = sum[i,j,k](T[i,j,k] * x[i] * x[j] * x[k])\nloss L",
    ],
)
def test_gradients_hold_where_entries_are_independent(text: str) -> None:
    problem = read_problem(HEAD + text)
    report = check_backward(problem, derive(problem).backward)
    assert report.ok, "\n".join(map(str, report.failures))
