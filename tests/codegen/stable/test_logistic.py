"""Logistic functions in products: what is turned around has the value it had, whatever the exponentials hold."""

from __future__ import annotations

from random import Random

import pytest
import sympy as sp

from indexcalc.algebra.build import product
from indexcalc.algebra.terms import Access, Add, Base, Fn, Index, Term, Terms
from indexcalc.codegen.stable.logistic import turned

N = sp.Symbol("N", integer=True, positive=True)
ROW = Index("i", N)
ONE = sp.S.One
NAMES = ("v", "w")
FUNCTIONS = {"exp": sp.exp, "log": sp.log, "sigmoid": lambda at: 1 / (1 + sp.exp(-at))}


def entry(name: str) -> Access:
    """The entry of a vector."""
    return Access(name, (ROW,))


def value(terms: Terms, at: dict[str, sp.Expr]) -> sp.Expr:
    """The value of terms where the vectors have these entries."""

    def of(base: Base) -> sp.Expr:
        if isinstance(base, Fn):
            return FUNCTIONS[base.name](value(base.arg, at))
        return value(base.terms, at) if isinstance(base, Add) else at[base.tensor]

    return sum(
        (term.coeff * sp.Mul(*(of(base) ** exponent for base, exponent in term.powers)) for term in terms), sp.S.Zero
    )


def argument(rng: Random) -> Terms:
    """A sum of multiples of entries, of logarithms and of constants; nothing at times."""
    parts: list[Term] = []
    for _ in range(rng.randint(0, 2)):
        coeff = sp.Rational(rng.choice((-2, -1, 1, 2)))
        inner = product(sp.Integer(rng.randint(1, 3)), ((entry(rng.choice(NAMES)), ONE),))
        kind = rng.choice(("entry", "logarithm", "constant"))
        powers = {"entry": inner.powers, "logarithm": ((Fn("log", ((inner,),)), ONE),), "constant": ()}[kind]
        parts.append(product(coeff, powers))
    return tuple(parts)


@pytest.mark.parametrize("seed", range(60))
def test_a_logistic_function_beside_exponentials_keeps_the_value(seed):
    rng = Random(seed)
    powers = []
    for _ in range(rng.randint(1, 2)):
        inside = argument(rng)
        below = tuple(Term(-term.coeff, term.powers) for term in inside)
        powers += [(Fn("sigmoid", (inside,)), ONE), (Fn("exp", (below,)), sp.Integer(rng.randint(0, 2)))]
    other = product(ONE, ((entry("w"), ONE),))
    powers += [(entry("v"), sp.Integer(rng.choice((-1, 1)))), (Fn("exp", ((other,),)), ONE)]
    term = product(ONE, [power for power in powers if power[1] != 0])
    at = {"v": sp.Float("0.7", 30), "w": sp.Float("1.3", 30)}
    before, after = value((term,), at), value((turned(term),), at)
    assert abs(sp.N(after / before, 25) - 1) < sp.Float("1e-15")
