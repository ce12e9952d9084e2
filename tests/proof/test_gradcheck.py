from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest
import sympy as sp

from indexcalc.errors import UnsupportedError
from indexcalc.language import read_problem
from indexcalc.problem import Problem, Upstream
from indexcalc.program import Equation, Parameter, Program, Tensor
from indexcalc.proof.gradcheck import check_backward, check_module
from indexcalc.rewrite.derive import derive
from tests.support.build import D, N, add, at, attention, fn, i, k, softmax_in_numpy, term


class Values(NamedTuple):
    Q: np.ndarray
    K: np.ndarray
    V: np.ndarray
    A: np.ndarray
    O: np.ndarray  # noqa: E741


class Gradients(NamedTuple):
    dV: np.ndarray
    dA: np.ndarray
    dS: np.ndarray
    dQ: np.ndarray
    dK: np.ndarray


def forward(Q, K, V):
    A = softmax_in_numpy(Q @ K.T / np.sqrt(Q.shape[1]))
    return Values(Q, K, V, A, A @ V)


def backward(values, G):
    Q, K, V, A, _ = values
    dA = G @ V.T
    dS = A * (dA - (A * dA).sum(axis=1, keepdims=True))
    scale = np.sqrt(Q.shape[1])
    return Gradients(A.T @ G, dA, dS, dS @ K / scale, dS.T @ Q / scale)


def module(forward=forward, backward=backward):
    return SimpleNamespace(forward=forward, backward=backward)


def test_right_code_passes_at_every_size():
    report = check_module(attention(), module())
    assert report.ok
    assert [c.tensor for c in report.comparisons] == ["A", "O", "dV", "dA", "dS", "dQ", "dK"]
    assert {c.method for c in report.comparisons} == {"naive evaluation", "complex step"}
    assert len(report.sizes) == 7
    assert report.worst < 1e-10


def test_the_report_is_plain_json():
    found = json.loads(json.dumps(check_module(attention(), module()).to_json()))
    assert found["ok"] is True
    assert found["checks"][2]["tensor"] == "dV"
    assert found["checks"][2]["bound"] == 1e-9
    assert found["sizes"][6] == {"N": 1, "D": 1, "P": 1}


@pytest.mark.parametrize("field", Gradients._fields)
def test_each_wrong_gradient_is_caught_and_named(field):
    def wrong(values, G):
        right = backward(values, G)
        return right._replace(**{field: getattr(right, field) * (1 + 1e-7)})

    report = check_module(attention(), module(backward=wrong))
    assert [failure.tensor for failure in report.failures] == [field]
    assert report.to_json()["ok"] is False


def test_a_missing_broadcast_is_caught():
    def wrong(values, G):
        right = backward(values, G)
        return right._replace(dS=right.dS[:, :1])

    (failure,) = check_module(attention(), module(backward=wrong)).failures
    assert failure.tensor == "dS"
    assert "it has shape" in str(failure)


def test_a_wrong_forward_pass_is_caught():
    report = check_module(attention(), module(forward=lambda Q, K, V: forward(Q, K, V)._replace(O=2 * Q @ Q.T @ V)))
    assert [failure.tensor for failure in report.failures] == ["O"]


def test_code_that_raises_or_returns_nan_is_a_failure_not_a_traceback():
    def raises(values, G):
        raise IndexError("too many indices")

    report = check_module(attention(), module(backward=raises))
    assert not report.ok
    assert "it raised IndexError: too many indices" in str(report.failures[0])
    report = check_module(
        attention(), module(backward=lambda v, G: backward(v, G)._replace(dQ=np.full_like(v.Q, np.nan)))
    )
    assert "not finite" in str(report.failures[0])
    assert report.to_json()["checks"][5]["relative_error"] is None


def test_inputs_are_copies():
    def careless(Q, K, V):
        result = forward(Q.copy(), K.copy(), V.copy())
        Q *= 0
        return result

    assert check_module(attention(), module(forward=careless)).ok


def test_parameters_and_names_are_passed_on():
    eps = sp.Symbol("lambda", positive=True)
    guarded = (add(term((at("X", i, k), 2)), term(coeff=eps)), sp.Rational(1, 2))
    program = Program(
        "guard",
        (Tensor("X", (i, k)),),
        (Equation(at("Y", i), (term(guarded, over=(k,)),)),),
        ("Y",),
        (i, k),
        parameters=(Parameter(eps),),
    )
    problem = Problem(program, (Upstream("G", "Y"),), ("X",))

    def run(X, *, lambda_):
        return SimpleNamespace(Y_=np.sqrt(X**2 + lambda_).sum(axis=1))

    def back(values, G, *, lambda_):
        return SimpleNamespace(dX=np.zeros(()))

    code = SimpleNamespace(forward=run, backward=back)
    report = check_module(problem, code, names={"Y": "Y_"}, symbols={"lambda": "lambda_"})
    assert [c.ok for c in report.comparisons] == [True, False]


def test_a_backward_program_is_checked_as_well():
    derivation = derive(attention())
    assert check_backward(attention(), derivation.backward).ok
    last = derivation.backward.equations[-1]
    wrong = replace(last, terms=tuple(replace(t, coeff=t.coeff * D) for t in last.terms))
    equations = (*derivation.backward.equations[:-1], wrong)
    assert not check_backward(attention(), replace(derivation.backward, equations=equations)).ok


def test_sizes_at_which_the_program_is_undefined_are_reported_as_skipped():
    centred = add(term(at("X", i)), term(at("mu"), coeff=-1))
    program = Program(
        "spread",
        (Tensor("X", (i,)),),
        (
            Equation(at("mu"), (term(at("X", i), coeff=1 / N, over=(i,)),)),
            Equation(at("L"), (term(fn("log", term((centred, 2))), over=(i,)),)),
        ),
        ("L",),
        (i,),
    )
    problem = Problem(program, (), ("X",), loss="L")
    report = check_backward(problem, derive(problem).backward)
    assert report.ok
    assert [dict(sizes) for sizes, _ in report.skipped] == [{"N": 1}]
    nowhere = replace(
        program, equations=(Equation(at("L"), (term(fn("log", term(coeff=-1)), at("X", i), over=(i,)),)),)
    )
    with pytest.raises(UnsupportedError, match="argument of log"):
        check_backward(replace(problem, program=nowhere), derive(problem).backward)


def test_nothing_compared_is_not_a_pass():
    assert not check_module(attention(), module(), sizes=[]).ok


class FusedValues(NamedTuple):
    x: np.ndarray
    Y: np.ndarray


class FusedGradients(NamedTuple):
    dx: np.ndarray


def test_modules_see_arrays_as_they_are_stored():
    spec = "index n : N\nindex h : H\nindex k : D\ninput x[n,(h,k)]\nY[(k,n),h] = x[n,(h,k)]^2\nupstream G = dL/dY"

    def forward(x, *, H):
        n, width = x.shape
        return FusedValues(x, (x**2).reshape(n, H, width // H).transpose(2, 0, 1).reshape(-1, H))

    def backward(values, G, *, H):
        n, width = values.x.shape
        return FusedGradients(2 * values.x * G.reshape(width // H, n, H).transpose(1, 2, 0).reshape(n, width))

    problem = read_problem(spec)
    report = check_module(problem, module(forward, backward))
    assert report.ok
    assert [c.tensor for c in report.comparisons] == ["Y", "dx"]

    def in_slots(values, G, *, H):
        dx = backward(values, G, H=H).dx
        return FusedGradients(dx.reshape(len(dx), H, -1))

    (failure,) = check_module(problem, module(forward, in_slots)).failures
    assert "it has shape" in failure.note
