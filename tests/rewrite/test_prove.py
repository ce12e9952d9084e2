"""Identities: true ones are proved, false ones never are."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
import sympy as sp
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

from indexcalc.algebra.build import access, product
from indexcalc.algebra.terms import Access, free_indices
from indexcalc.errors import UnsupportedError
from indexcalc.language import read_problem
from indexcalc.program import Identity
from indexcalc.proof.oracles import relative_error
from indexcalc.proof.steps import check_derivation, context_of, value_of
from indexcalc.proof.variants import wrong_variants
from indexcalc.rewrite.derive import derive
from tests.support.programs import problems
from tests.support.values import SIZES

ATTENTION = """
index i, j, l : T
index k : d
index p : v
input Q[i,k], K[j,k], V[j,p]
S[i,j] = 1/sqrt(d) * sum[k](Q[i,k] * K[j,k])
A[i,j] = exp(S[i,j]) / sum[l](exp(S[i,l]))
O[i,p] = sum[j](A[i,j] * V[j,p])
upstream G[i,p] = dL/dO[i,p]
derive V, A, S, Q, K
"""
NORM = """
index n : N
index h : H
param eps = 1e-5
input X[n,h], g[h], b[h]
mu[n] = mean[h](X[n,h])
v[n] = mean[h]((X[n,h] - mu[n])^2)
xh[n,h] = (X[n,h] - mu[n]) / sqrt(v[n] + eps)
Y[n,h] = g[h] * xh[n,h] + b[h]
upstream G[n,h] = dL/dY[n,h]
derive X, g, b
"""


def outcome(spec: str, claim: str):
    derivation = derive(read_problem(f"{spec}prove {claim}\n"))
    assert check_derivation(derivation) == []
    return not derivation.unproved


@pytest.mark.parametrize(
    ("spec", "claim"),
    [
        (ATTENTION, "sum[j](dL/dS[i,j]) = 0"),
        (ATTENTION, "sum[j](A[i,j] * dL/dA[i,j]) = sum[p](G[i,p] * O[i,p])"),
        (ATTENTION, "sum[i,k](Q[i,k] * dL/dQ[i,k]) = sum[j,k](K[j,k] * dL/dK[j,k])"),
        (ATTENTION, "sum[j,p](V[j,p] * dL/dV[j,p]) = sum[i,p](G[i,p] * O[i,p])"),
        (NORM, "sum[h](dL/dX[n,h]) = 0"),
        (NORM, "sum[h](xh[n,h]) = 0"),
        (NORM, "sum[h](xh[n,h]^2) = H * v[n] / (v[n] + eps)"),
        (NORM, "sum[h](g[h] * dL/dg[h]) = sum[n,h](G[n,h] * (Y[n,h] - b[h]))"),
    ],
)
def test_a_true_claim_is_proved_and_every_step_keeps_the_value(spec, claim):
    assert outcome(spec, claim)


@pytest.mark.parametrize(
    ("spec", "claim"),
    [
        (ATTENTION, "sum[i](dL/dS[i,j]) = 0"),
        (ATTENTION, "sum[j](A[i,j] * dL/dA[i,j]) = 2 * sum[p](G[i,p] * O[i,p])"),
        (ATTENTION, "sum[j](A[j,i] * dL/dA[i,j]) = sum[p](G[i,p] * O[i,p])"),
        (ATTENTION, "sum[i](A[i,j]) = 1"),
        (ATTENTION, "sum[j](A[i,j]^2) = 1"),
        (ATTENTION, "sum[j](S[i,j]) = 0"),
        (ATTENTION, "sum[i,k](Q[i,k] * dL/dQ[i,k]) = -sum[j,k](K[j,k] * dL/dK[j,k])"),
        (NORM, "sum[n](dL/dX[n,h]) = 0"),
        (NORM, "sum[h](xh[n,h]^2) = H"),
        (NORM, "sum[h](xh[n,h] * dL/dX[n,h]) = 0"),
        (NORM, "sum[h](X[n,h]) = 0"),
        (NORM, "sum[h](g[h] * dL/dg[h]) = sum[n,h](G[n,h] * Y[n,h])"),
    ],
)
def test_a_false_claim_is_not_proved(spec, claim):
    assert not outcome(spec, claim)


def claims_about(problem, chooser):
    """True definitions, wrong variants of them, and sums of tensors and gradients that may or may not vanish."""
    program = problem.program
    claims = []
    for equation in program.equations:
        here = (access(equation.name, *equation.lhs.slots),)
        claims.append(Identity(here, equation.terms))
        variants = list(islice(wrong_variants(equation, program.tensors), 40))
        claims.extend(Identity(here, chooser.choice(variants)[1].terms) for _ in range(3) if variants)
        for slot in equation.lhs.slots:
            claims.append(Identity((product(1, here[0].powers, (slot,)),), (product(1),)))
    for target in problem.targets:
        slots = program.tensors[target].slots
        gradient, entry = ((Access(name, slots), sp.S.One) for name in (problem.gradient_names[target], target))
        claims.extend(Identity((product(1, (gradient, entry), (slot,)),), ()) for slot in slots)
    return tuple(claims)


@settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(problems(), st.randoms(use_true_random=False))
def test_whatever_is_proved_of_a_random_program_is_true(problem, chooser):
    derivation = derive(replace(problem, claims=claims_about(problem, chooser)))
    with np.errstate(all="ignore"):
        try:
            context = context_of(derivation, SIZES, np.random.default_rng(0))
        except UnsupportedError:
            reject()
        for proof in (*derivation.lemmas, *derivation.proofs):
            left, right = proof.identity.left, proof.identity.right
            free = free_indices((*left, *right))
            values = [value_of(side, free, context.named, context.point) for side in (left, right)]
            if all(np.all(np.isfinite(value)) for value in values):
                assert relative_error(*values, 1e-3) < 1e-6, proof.identity
