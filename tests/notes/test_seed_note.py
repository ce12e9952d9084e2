"""The attention note holds every displayed equation of a derivation by hand, up to names of indices.

The equations by hand are written in a small notation of their own: ``exp S[a,c]`` is a function of an
entry, ``/Z[a]`` a division, ``d[c,j]`` a delta, ``V[c,b]|V[j,p]`` a derivative, ``root`` is 1/sqrt(d).
"""

from __future__ import annotations

import re

import pytest
import sympy as sp

from indexcalc.algebra.build import expand, product
from indexcalc.algebra.canonical import same
from indexcalc.algebra.renaming import substitute
from indexcalc.algebra.terms import Access, Base, Delta, Fn, Index, Partial, Power, Term, Terms
from indexcalc.notes import displayed_equations
from indexcalc.rewrite.derive import derive
from tests.notes.problems import DV, D, T, attention

SHAPES = {
    **{"Q": (T, D), "K": (T, D), "V": (T, DV), "S": (T, T), "Z": (T,), "A": (T, T), "O": (T, DV), "G": (T, DV)},
    **{"D": (T, T), "r": (T,), "dV": (T, DV), "dS": (T, T), "dQ": (T, D), "dK": (T, D)},
}
FACTOR = re.compile(r"(/?)(exp )?(\w+)\[([\w,]+)\](?:\|(\w+)\[([\w,]+)\])?(\^2)?")


def entry(tensor: str, names: str) -> Access:
    """``A`` and ``i,j`` as an entry."""
    return Access(tensor, tuple(Index(n, e) for n, e in zip(names.split(","), SHAPES[tensor], strict=True)))


def power(match: re.Match[str], extents: dict[str, sp.Expr]) -> Power:
    """One factor."""
    division, exp, name, names, wrt, wrt_names, square = match.groups()
    base: Base
    if name == "d":
        left, right = names.split(",")
        extent = extents.get(left) or extents[right]
        return Delta(Index(left, extent), Index(right, extent)), sp.S.One
    base = entry(name, names)
    if exp:
        base = Fn("exp", ((Term(sp.S.One, ((base, sp.S.One),)),),))
    if wrt:
        base = Partial(base, entry(wrt, wrt_names))
    return base, sp.Integer((-1 if division else 1) * (2 if square else 1))


def read(text: str, left: Access | Partial) -> Terms:
    """``sum a,b: G[a,b] A[a,j] - ...`` as terms; a sum reaches to the end of its term."""
    terms = []
    entries = [left] if isinstance(left, Access) else [left.base, left.wrt]
    extents = {slot.name: slot.extent for e in entries if isinstance(e, Access) for slot in e.slots}
    for match in FACTOR.finditer(text):
        for name, names in ((match[3], match[4]), (match[5], match[6])):
            if name in SHAPES:
                extents.update(zip(names.split(","), SHAPES[name], strict=True))
    for sign, part in re.findall(r"([+-]?)\s*((?:[^+-])+)", text):
        bound = re.search(r"sum ([\w,]+):", part)
        summed = tuple(Index(n, extents[n]) for n in bound[1].split(",")) if bound else ()
        coeff = (-1 if sign == "-" else 1) * (1 / sp.sqrt(D) if "root" in part else sp.S.One)
        terms.append(product(coeff, [power(match, extents) for match in FACTOR.finditer(part)], summed))
    return tuple(terms)


def slots_of(left: Access | Partial) -> tuple[Index, ...]:
    """The indices of a left side, in order."""
    if isinstance(left, Access):
        return left.slots
    assert isinstance(left.base, Access)
    return (*left.base.slots, *left.wrt.slots)


def name_of(left: object) -> str:
    """What kind of left side this is: its tensors."""
    if isinstance(left, Partial):
        if isinstance(left.base, Fn):
            return "exp|" + left.wrt.tensor
        return f"{left.base.tensor}|{left.wrt.tensor}" if isinstance(left.base, Access) else ""
    return left.tensor if isinstance(left, Access) else ""


BY_HAND = [
    ("S[i,j]", "root sum k: Q[i,k] K[j,k]"),
    ("A[i,j]", "exp S[i,j] /Z[i]"),
    ("Z[i]", "sum l: exp S[i,l]"),
    ("O[i,p]", "sum j: A[i,j] V[j,p]"),
    ("dV[j,p]", "sum a,b: G[a,b] O[a,b]|V[j,p]"),
    ("O[a,b]", "sum c: A[a,c] V[c,b]"),
    ("O[a,b]|V[j,p]", "sum c: A[a,c] V[c,b]|V[j,p]"),
    ("V[c,b]|V[j,p]", "d[c,j] d[b,p]"),
    ("O[a,b]|V[j,p]", "sum c: A[a,c] d[c,j] d[b,p]"),
    ("O[a,b]|V[j,p]", "A[a,j] d[b,p]"),
    ("dV[j,p]", "sum a,b: G[a,b] A[a,j] d[b,p]"),
    ("dV[j,p]", "sum a: G[a,p] A[a,j]"),
    ("dV[j,p]", "sum i: G[i,p] A[i,j]"),
    ("O[a,b]|A[i,j]", "sum c: V[c,b] A[a,c]|A[i,j]"),
    ("A[a,c]|A[i,j]", "d[a,i] d[c,j]"),
    ("O[a,b]|A[i,j]", "sum c: V[c,b] d[a,i] d[c,j]"),
    ("O[a,b]|A[i,j]", "V[j,b] d[a,i]"),
    ("D[i,j]", "sum a,b: G[a,b] V[j,b] d[a,i]"),
    ("D[i,j]", "sum b: G[i,b] V[j,b]"),
    ("D[i,j]", "sum p: G[i,p] V[j,p]"),
    ("dS[i,k]", "sum a,c: D[a,c] A[a,c]|S[i,k]"),
    ("Z[a]|S[i,k]", "sum l: exp S[a,l] d[a,i] d[l,k]"),
    ("Z[a]|S[i,k]", "exp S[a,k] d[a,i]"),
    ("A[a,c]|S[i,k]", "exp S[a,c] d[a,i] d[c,k] Z[a] /Z[a]^2 - exp S[a,c] exp S[a,k] d[a,i] /Z[a]^2"),
    ("A[a,c]|S[i,k]", "d[a,i] A[a,c] d[c,k] - d[a,i] A[a,c] A[a,k]"),
    ("dS[i,k]", "sum a,c: D[a,c] d[a,i] A[a,c] d[c,k] - sum a,c: D[a,c] d[a,i] A[a,c] A[a,k]"),
    ("dS[i,k]", "sum c: D[i,c] A[i,c] d[c,k] - sum c: D[i,c] A[i,c] A[i,k]"),
    ("r[i]", "sum c: D[i,c] A[i,c]"),
    ("dS[i,k]", "A[i,k] D[i,k] - A[i,k] r[i]"),
    ("r[i]", "sum c,p: A[i,c] G[i,p] V[c,p]"),
    ("r[i]", "sum p: G[i,p] O[i,p]"),
    ("dQ[i,k]", "sum a,b: dS[a,b] S[a,b]|Q[i,k]"),
    ("S[a,b]|Q[i,k]", "root sum c: K[b,c] Q[a,c]|Q[i,k]"),
    ("Q[a,c]|Q[i,k]", "d[a,i] d[c,k]"),
    ("S[a,b]|Q[i,k]", "root sum c: K[b,c] d[a,i] d[c,k]"),
    ("S[a,b]|Q[i,k]", "root d[a,i] K[b,k]"),
    ("dQ[i,k]", "root sum a,b: dS[a,b] d[a,i] K[b,k]"),
    ("dQ[i,k]", "root sum b: dS[i,b] K[b,k]"),
    ("dQ[i,k]", "root sum j: A[i,j] D[i,j] K[j,k] - root sum j: A[i,j] r[i] K[j,k]"),
    ("S[a,b]|K[j,k]", "root sum c: Q[a,c] d[b,j] d[c,k]"),
    ("S[a,b]|K[j,k]", "root d[b,j] Q[a,k]"),
    ("dK[j,k]", "root sum a,b: dS[a,b] d[b,j] Q[a,k]"),
    ("dK[j,k]", "root sum a: dS[a,j] Q[a,k]"),
    ("dK[j,k]", "root sum i: A[i,j] D[i,j] Q[i,k] - root sum i: A[i,j] r[i] Q[i,k]"),
]

SHOWN = displayed_equations(derive(attention()))


def shows(left_text: str, right_text: str) -> bool:
    """Whether the note displays an equation, under some names of its indices."""
    (match,) = FACTOR.finditer(left_text)
    left = power(match, {})[0]
    assert isinstance(left, Access | Partial)
    right = expand(read(right_text, left))
    for found, terms in SHOWN:
        if isinstance(found, Access | Partial) and name_of(found) == name_of(left):
            names = dict(zip(slots_of(left), slots_of(found), strict=True))
            if same(substitute(right, names), expand(terms)):
                return True
    return False


@pytest.mark.parametrize(("left", "right"), BY_HAND, ids=[f"{left} = {right}" for left, right in BY_HAND])
def test_the_note_holds_the_equation(left: str, right: str) -> None:
    assert shows(left, right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("dV[j,p]", "sum i: G[i,p] A[j,i]"),
        ("dS[i,k]", "A[i,k] D[i,k] + A[i,k] r[i]"),
        ("O[a,b]|V[j,p]", "A[a,j]"),
        ("dQ[i,k]", "sum j: dS[i,j] K[j,k]"),
    ],
)
def test_it_holds_no_wrong_equation(left: str, right: str) -> None:
    assert not shows(left, right)


def test_the_note_holds_the_centring_identity() -> None:
    i, j = Index("i", T), Index("j", T)
    total = product(1, ((Access("dS", (i, j)), sp.S.One),), (j,))
    rows = [terms for left, terms in SHOWN if isinstance(left, tuple) and same(left, (total,))]
    chain = [terms for left, terms in SHOWN if getattr(left, "left", None) == (total,)] + rows
    assert () in chain
    split = read("sum k: A[i,k] D[i,k] - sum k: A[i,k] r[i]", Access("r", (i,)))
    assert any(same(expand(terms), split) for terms in chain)
