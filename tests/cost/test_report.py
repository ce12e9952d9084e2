"""The report of a derivation: known formulas, both passes together, and a form before that is right."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import sympy as sp

import indexcalc.cost.report as module
from indexcalc.cost import cost_report
from indexcalc.cost.report import unsimplified
from indexcalc.errors import LimitError
from indexcalc.language import load_problem, read_problem
from indexcalc.proof.gradcheck import check_backward
from indexcalc.rewrite.derive import derive
from tests.support.gradients import of_gradients

PATHS = of_gradients()
every_derivation = pytest.mark.parametrize("name", PATHS)


@cache
def derivation_of(name):
    return derive(load_problem(PATHS[name]))


def test_attention():
    report = cost_report(derivation_of("attention"))
    backward = {row.equation.name: str(row.flops) for row in report.backward.equations}
    assert backward == {
        "dV": "2 T^2 d_v",
        "D": "2 T^2 d_v",
        "r": "2 T d_v",
        "dS": "2 T^2",
        "dQ": "2 T^2 d + T d",
        "dK": "2 T^2 d + T d",
    }
    assert str(report.forward.flops) == "2 T^2 d + 2 T^2 d_v + 4 T^2 + T d"
    assert str(report.both.flops.leading()) == "6 T^2 d + 6 T^2 d_v"
    assert str(report.ends) == "2 T^2 + 4 T d + 4 T d_v"
    assert str(report.peak) == "2 T^2 + T"
    assert report.peak.moments[0].held == ("S", "Z", "A")
    assert report.before is not None
    assert str(report.before.cost.flops) == "4 T^2 d + 4 T^2 d_v + 8 T^2 + 2 T d + 2 T"


def test_simplification_pays_where_a_row_is_normalised():
    for name, less in (("layer_norm", 0.65), ("softmax", 0.51), ("softmax_cross_entropy", 0.21), ("tsne", 0.7)):
        report = cost_report(derivation_of(name))
        sizes = dict.fromkeys(report.extents, 1000)
        assert report.before is not None
        assert report.backward.flops.at(sizes) <= less * report.before.cost.flops.at(sizes)


@every_derivation
def test_numbers_are_the_symbols_with_sizes_put_in(name):
    report = cost_report(derivation_of(name))
    rng = np.random.default_rng(1)
    sizes = {extent: int(rng.integers(1, 10**6)) for extent in report.extents}
    assert report.before is not None
    for cost in (report.forward, report.backward, report.both, report.before.cost):
        assert cost.flops.at(sizes) == cost.flops.expr.subs(sizes)
        assert cost.flops.at(sizes) == sum(row.flops.at(sizes) for row in cost.equations)
        assert cost.moved.at(sizes) == sum(row.read.at(sizes) + row.written.at(sizes) for row in cost.equations)
    assert report.peak.at(sizes) == max(moment.entries.expr.subs(sizes) for moment in report.peak.moments)
    assert all(isinstance(extent, sp.Symbol) for extent in report.extents)


@every_derivation
def test_the_form_before_gives_the_same_gradients(name):
    problem = derivation_of(name).problem
    report = check_backward(problem, unsimplified(problem))
    assert report.ok, "\n".join(map(str, report.failures))


@every_derivation
def test_every_equation_of_both_passes_has_a_row(name):
    derivation = derivation_of(name)
    report = cost_report(derivation)
    assert tuple(row.equation for row in report.forward.equations) == derivation.problem.program.computed
    assert tuple(row.equation for row in report.backward.equations) == derivation.backward.computed


def test_a_form_before_that_would_grow_too_long_is_left_out(monkeypatch):
    def too_long(problem):
        raise LimitError("multiplying out gives more than 2000 terms")

    monkeypatch.setattr(module, "derive_gradients", too_long)
    assert cost_report(derivation_of("softmax")).before is None


def test_extents_that_are_numbers_and_products():
    problem = read_problem(
        "index i : 3\nindex h : N_H\nindex k : D_h\nindex n : N\n"
        "input X[n,(h,k)], W[i,(h,k)]\nY[n,i] = sum[h,k](X[n,(h,k)] * W[i,(h,k)])\n"
        "upstream G[n,i] = dL/dY[n,i]\nderive X, W\n"
    )
    report = cost_report(derive(problem))
    assert str(report.forward.flops) == "6 D_h N N_H"
    assert [extent.name for extent in report.extents] == ["N", "N_H", "D_h"]
    assert str(report.peak) == "0"


def test_a_derivation_of_many_paths_is_not_compared_with_one_before_simplification(monkeypatch):
    derivation = derivation_of("attention")
    assert cost_report(derivation).before is not None
    monkeypatch.setattr(module, "PATHS_LIMIT", 2)
    assert cost_report(derivation).before is None
