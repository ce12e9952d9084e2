from __future__ import annotations

import numpy as np
import pytest

from indexcalc.language import load_problem, read_problem
from indexcalc.library import find_spec
from indexcalc.program import Equation, Program, Tensor
from indexcalc.proof import oracles
from indexcalc.proof.evaluate import closed_term
from indexcalc.proof.gradcheck import Reference, compare
from indexcalc.proof.oracles import (
    DIRECTIONS,
    METHODS,
    Point,
    along_directions,
    chained_gradients,
    gradients_by_entry,
    local_jacobian,
    relative_error,
    total_gradient,
)
from indexcalc.proof.sampling import sample_point, size_sets, weights_for
from tests.support.build import D, N, P, at, attention, fn, i, j, term

SIZES = {N: 3, D: 4, P: 5}


@pytest.fixture
def attended():
    rng = np.random.default_rng(3)
    point = sample_point(attention().program, SIZES, rng)
    return attention().program, point, rng.normal(size=(3, 5))


@pytest.mark.parametrize("method", sorted(METHODS))
def test_attention_has_the_gradients_of_the_textbook(attended, method):
    program, point, G = attended
    v = point.values
    D_ = G @ v["V"].T
    E = v["A"] * (D_ - (G * v["O"]).sum(axis=1, keepdims=True))
    expected = {
        "O": G,
        "V": v["A"].T @ G,
        "A": D_,
        "S": E,
        "Q": E @ v["K"] / 2,
        "K": E.T @ v["Q"] / 2,
        "Z": -(v["A"] * D_).sum(axis=1) / v["Z"],
    }
    for name, gradient in expected.items():
        found = total_gradient(program, point, {"O": G}, name, method=method)
        assert relative_error(found, gradient) < (1e-14 if method == "complex step" else 1e-9), name


def test_batches_change_nothing(attended, monkeypatch):
    program, point, G = attended
    whole = total_gradient(program, point, {"O": G}, "Q")
    monkeypatch.setattr(oracles, "LANE_POINTS", 1)
    np.testing.assert_allclose(total_gradient(program, point, {"O": G}, "Q"), whole, rtol=1e-13)


def test_a_local_jacobian_holds_what_is_not_passed_through(attended):
    program, point, _ = attended
    A, eye = point.values["A"], np.eye(3)
    held = local_jacobian(program, point, "A", "S", frozenset())
    np.testing.assert_allclose(held, np.einsum("ac,ai,ck->acik", A, eye, eye), atol=1e-15)
    through = local_jacobian(program, point, "A", "S", frozenset({"Z"}))
    expected = np.einsum("ac,ai,ck->acik", A, eye, eye) - np.einsum("ac,ak,ai->acik", A, A, eye)
    np.testing.assert_allclose(through, expected, atol=1e-15)


def test_entries_of_one_tensor_are_independent(attended):
    program, point, _ = attended
    np.testing.assert_array_equal(local_jacobian(program, point, "V", "V", frozenset()), np.eye(15).reshape(3, 5, 3, 5))
    np.testing.assert_array_equal(local_jacobian(program, point, "V", "Q", frozenset()), np.zeros((3, 5, 3, 4)))


def test_several_consumers_add_up():
    equations = (
        Equation(at("Y", i), (term((at("x", i), 2)),)),
        Equation(at("L"), (term(at("Y", i), at("x", i), over=(i,)), term(fn("abs", term(at("x", i))), over=(i,)))),
    )
    program = Program("cubic", (Tensor("x", (i,)),), equations, ("L",), (i, j))
    point = sample_point(program, {N: 4}, np.random.default_rng(0))
    x = point.values["x"]
    found = total_gradient(program, point, {"L": np.ones(())}, "x")
    np.testing.assert_allclose(found, 3 * x**2 + np.sign(x))
    np.testing.assert_allclose(total_gradient(program, point, {"L": np.ones(()), "Y": np.ones(4)}, "Y"), x + 1)


def test_relative_error_is_infinite_where_nothing_can_be_said():
    one = np.ones(3)
    assert relative_error(np.ones((3, 1)), one) == np.inf
    assert relative_error(np.array([1, 1, np.nan]), one) == np.inf
    assert relative_error(one, np.array([1, 1, np.inf])) == np.inf
    assert relative_error(one, 2 * one) == 0.5
    assert relative_error(one, 0 * one) == 1.0
    assert relative_error(1e-16 * one, 0 * one, floor=1e-4) == pytest.approx(1e-12)


def shipped_point(name):
    problem = load_problem(find_spec(name))
    rng = np.random.default_rng(3)
    point = sample_point(problem.program, size_sets(problem.program, rng)[0], rng)
    return problem, point, weights_for(problem, point, rng)


@pytest.mark.parametrize("name", ["attention", "layer_norm", "moe_gate", "mlp_relu", "tsne", "trace_identities"])
def test_gradients_chained_from_equation_to_equation_are_those_of_the_whole_program(name):
    problem, point, weights = shipped_point(name)
    chained = chained_gradients(problem.program, point, weights, problem.targets)
    for target in problem.targets:
        whole = total_gradient(problem.program, point, weights, target)
        assert relative_error(chained[target], whole, 1e-4) < 1e-7


@pytest.mark.parametrize("name", ["attention", "mlp_relu"])
def test_derivatives_along_directions_are_inner_products_with_the_gradient(name):
    problem, point, weights = shipped_point(name)
    for target in problem.targets:
        whole = total_gradient(problem.program, point, weights, target)
        directions = np.random.default_rng(0).normal(size=(3, *whole.shape))
        found = along_directions(problem.program, point, weights, target, directions)
        expected = np.tensordot(directions, whole, axes=whole.ndim)
        np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-7)


def test_one_wrong_entry_is_seen_along_random_directions():
    right = np.random.default_rng(1).normal(size=(30, 40))
    directions = np.random.default_rng(2).normal(size=(DIRECTIONS, 30, 40))
    products = np.tensordot(directions, right, axes=2)
    reference = Reference("dX", products, "complex step", 1e-9, directions)
    assert compare(reference, {"dX": right}, {}, "").ok
    wrong = right.copy()
    wrong[3, 7] *= 1 + 1e-4
    assert not compare(reference, {"dX": wrong}, {}, "").ok
    assert not compare(reference, {"dX": right.T}, {}, "").ok
    assert not compare(reference, {"dX": np.zeros((30, 40))}, {}, "").ok


def test_a_long_program_takes_evaluations_in_proportion_to_its_length(monkeypatch):
    calls = []
    plain = oracles.evaluate_lanes
    monkeypatch.setattr(oracles, "evaluate_lanes", lambda *given: calls.append(1) or plain(*given))
    counted = {}
    for length in (20, 80):
        lines = [f"input w{n}[i]\nx{n}[i] = w{n}[i] * tanh(x{n - 1}[i])" for n in range(1, length + 1)]
        text = "index i : N\ninput x0[i]\n" + "\n".join(lines) + f"\nupstream G[i] = dL/dx{length}[i]\n"
        problem = read_problem(text)
        rng = np.random.default_rng(0)
        point = sample_point(problem.program, {problem.program.extents[0]: 4}, rng)
        calls.clear()
        monkeypatch.setattr(oracles, "WORK_LIMIT", 10**9)
        assert gradients_by_entry(problem.program, point, weights_for(problem, point, rng), problem.targets)
        counted[length] = len(calls)
    assert counted[80] == 4 * counted[20]


def test_a_tensor_that_nothing_depends_on_is_not_perturbed(monkeypatch):
    program = read_problem("index n : N\ninput x[n], unread[n]\nL = sum[n](x[n]^2)\nloss L\n").program
    values = {"x": np.ones(3), "unread": np.ones(3), "L": np.array(3.0)}
    point = Point(values, {program.extents[0]: 3})
    monkeypatch.setattr(oracles, "differentiate", lambda *_: pytest.fail("evaluated again"))
    assert not total_gradient(program, point, {"L": np.array(1.0)}, "unread").any()


def test_a_batch_of_lanes_is_small_where_the_array_is_larger_than_what_is_made_of_it(monkeypatch):
    monkeypatch.setattr(oracles, "LANE_POINTS", 1_000)
    lanes = []

    def first_entry(batch):
        lanes.append(len(batch))
        return batch[:, :1]

    gradient = oracles.differentiate(first_entry, np.ones(100), "complex step", 1)
    assert gradient[:, 0].tolist() == [1.0] + [0.0] * 99
    assert max(lanes) == 10


def terms_evaluated(monkeypatch, count):
    """How many terms are evaluated for all gradients of a sum of so many products."""
    products = " + ".join(f"x{n}[i] * x{(n + 1) % count}[i]" for n in range(count))
    inputs = "\n".join(f"input x{n}[i]" for n in range(count))
    targets = ", ".join(f"x{n}" for n in range(count))
    problem = read_problem(f"index i : N\n{inputs}\ny[i] = {products}\nderive {targets}\n")
    rng = np.random.default_rng(0)
    point = sample_point(problem.program, size_sets(problem.program, rng)[0], rng)
    seen = []

    def counted(term, *rest):
        seen.append(term)
        return closed_term(term, *rest)

    monkeypatch.setattr("indexcalc.proof.evaluate.closed_term", counted)
    found = gradients_by_entry(problem.program, point, weights_for(problem, point, rng), problem.targets)
    monkeypatch.undo()
    assert set(found) == set(problem.targets)
    return len(seen)


def test_the_work_for_all_gradients_of_a_wide_sum_grows_with_its_width_alone(monkeypatch):
    assert terms_evaluated(monkeypatch, 40) == 2 * terms_evaluated(monkeypatch, 20)
