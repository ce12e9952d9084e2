"""Short spellings for tests: products of bases, accesses, and a few well-known programs."""

from __future__ import annotations

import numpy as np
import sympy as sp

from indexcalc.algebra.build import product
from indexcalc.algebra.terms import Access, Add, Base, Fn, Index, Term
from indexcalc.problem import Problem, Upstream
from indexcalc.program import Equation, Program, Tensor

N, M, D, P = sp.symbols("N M D P", positive=True, integer=True)


i, j, ell, i2 = Index("i", N), Index("j", N), Index("l", N), Index("i2", N)
k, k2 = Index("k", D), Index("k2", D)
m = Index("m", M)
p = Index("p", P)


def at(tensor: str, *slots: Index) -> Access:
    """A base: one entry."""
    return Access(tensor, slots)


def term(*factors: Base | tuple[Base, object], coeff: object = 1, over: tuple[Index, ...] = ()) -> Term:
    """A product of factors, each a base or ``(base, exponent)``, summed over `over`."""
    powers = [(f[0], sp.sympify(f[1])) if isinstance(f, tuple) else (f, sp.S.One) for f in factors]
    return product(sp.sympify(coeff), powers, over)


def fn(name: str, *terms: Term) -> Fn:
    """A pointwise function of a sum-free sum."""
    return Fn(name, (terms,))


def add(*terms: Term) -> Add:
    """A bracket."""
    return Add(terms)


def attention() -> Problem:
    """Scaled dot-product attention, its normaliser hoisted."""
    equations = (
        Equation(at("S", i, j), (term(at("Q", i, k), at("K", j, k), coeff=1 / sp.sqrt(D), over=(k,)),)),
        Equation(at("Z", i), (term(fn("exp", term(at("S", i, ell))), over=(ell,)),), hoisted=True),
        Equation(at("A", i, j), (term(fn("exp", term(at("S", i, j))), (at("Z", i), -1)),)),
        Equation(at("O", i, p), (term(at("A", i, j), at("V", j, p), over=(j,)),)),
    )
    inputs = (Tensor("Q", (i, k)), Tensor("K", (j, k)), Tensor("V", (j, p)))
    program = Program("attention", inputs, equations, ("O",), (i, j, ell, k, p))
    return Problem(program, (Upstream("G", "O"),), ("V", "A", "S", "Q", "K"))


def softmax_in_numpy(scores):
    """Rows that sum to one."""
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)
