"""Problems built by hand, so that the tests of notes depend on no reader."""

from __future__ import annotations

import sympy as sp

from indexcalc.algebra.build import access, product, sum_over
from indexcalc.algebra.terms import Access, Add, Fn, Index, Term
from indexcalc.problem import Problem, Upstream
from indexcalc.program import Equation, Parameter, Program, Tensor

ONE = sp.S.One
T, D, DV, N, H = sp.symbols("T d d_v N H", integer=True, positive=True)


def linear() -> Problem:
    n, m, h = Index("n", N), Index("m", sp.Symbol("M", integer=True, positive=True)), Index("h", H)
    (terms,) = sum_over((product(1, ((Access("X", (n, m)), ONE), (Access("W", (h, m)), ONE))),), (m,))
    program = Program(
        "Linear layer",
        (Tensor("X", (n, m), "inputs"), Tensor("W", (h, m), "weights"), Tensor("b", (h,), "bias")),
        (Equation(Access("Y", (n, h)), (terms, access("b", h)), "outputs"),),
        ("Y",),
        (n, m, h),
        {"n": "examples"},
    )
    return Problem(program, (Upstream("G", "Y"),), ("X", "W", "b"), slug="linear")


def attention() -> Problem:
    i, j, m = Index("i", T), Index("j", T), Index("l", T)
    k, p = Index("k", D), Index("p", DV)
    score = Term(1 / sp.sqrt(D), ((Access("Q", (i, k)), ONE), (Access("K", (j, k)), ONE)), (k,))
    exp_ij = Fn("exp", ((access("S", i, j),),))
    exp_il = Fn("exp", ((access("S", i, m),),))
    program = Program(
        "Scaled dot-product attention",
        (Tensor("Q", (i, k), "queries"), Tensor("K", (j, k), "keys"), Tensor("V", (j, p), "values")),
        (
            Equation(Access("S", (i, j)), (score,), "scaled scores"),
            Equation(Access("Z", (i,)), (Term(ONE, ((exp_il, ONE),), (m,)),), hoisted=True),
            Equation(Access("A", (i, j)), (product(1, ((exp_ij, ONE), (Access("Z", (i,)), -ONE))),), "weights"),
            Equation(Access("O", (i, p)), (Term(ONE, ((Access("A", (i, j)), ONE), (Access("V", (j, p)), ONE)), (j,)),)),
        ),
        ("O",),
        (i, j, m, k, p),
        {"i": "token positions", "j": "token positions", "l": "token positions", "k": "head", "p": "value dimension"},
    )
    return Problem(program, (Upstream("G", "O"),), ("V", "A", "S", "Q", "K"), names={"A": "D"}, slug="attention")


def layer_norm() -> Problem:
    n, h, g = Index("n", N), Index("h", H), Index("g", H)
    eps = sp.Symbol("eps", positive=True)
    centred = Add((access("X", n, h), product(-1, ((Access("mu", (n,)), ONE),))))
    centred_g = Add((access("X", n, g), product(-1, ((Access("mu", (n,)), ONE),))))
    program = Program(
        "Layer normalisation",
        (Tensor("X", (n, h), "inputs"), Tensor("gamma", (h,), "gain"), Tensor("beta", (h,), "bias")),
        (
            Equation(Access("mu", (n,)), (Term(1 / H, ((Access("X", (n, g)), ONE),), (g,)),), "mean"),
            Equation(Access("var", (n,)), (Term(1 / H, ((centred_g, sp.Integer(2)),), (g,)),), "variance"),
            Equation(
                Access("rs", (n,)), (Term(ONE, ((Add((access("var", n), Term(eps))), -sp.S.Half),)),), "inverse scale"
            ),
            Equation(Access("xh", (n, h)), (product(1, ((centred, ONE), (Access("rs", (n,)), ONE))),), "normalised"),
            Equation(
                Access("Y", (n, h)),
                (product(1, ((Access("gamma", (h,)), ONE), (Access("xh", (n, h)), ONE))), access("beta", h)),
            ),
        ),
        ("Y",),
        (n, h, g),
        parameters=(Parameter(eps, "keeps the root away from zero", sp.Float("1e-5")),),
    )
    return Problem(program, (Upstream("G", "Y"),), ("gamma", "beta", "xh", "X"), slug="layer_norm")


PROBLEMS = {"linear": linear, "attention": attention, "layer_norm": layer_norm}
