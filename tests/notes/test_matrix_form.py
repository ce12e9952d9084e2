"""Matrix forms have the value of the terms they translate."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product as grid
from typing import Any

import numpy as np
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from indexcalc.algebra.build import access, product
from indexcalc.algebra.terms import Access, Add, Base, Delta, Fn, Index, Iverson, Term, Terms
from indexcalc.language import read_problem
from indexcalc.notes import markdown_note
from indexcalc.notes.layout import solid
from indexcalc.notes.matrix import (
    Diagonal,
    DiagonalOf,
    EntryFunction,
    EntryPower,
    Hadamard,
    Identity,
    Matrix,
    NumberPower,
    Ones,
    Product,
    Scaled,
    Slices,
    Sum,
    Times,
    Transpose,
    Whole,
    slice_of,
)
from indexcalc.notes.matrix_form import matrix_form
from indexcalc.notes.matrix_latex import matrix_latex
from indexcalc.notes.names import notation_of
from indexcalc.rewrite.derive import derive
from tests.notes.problems import PROBLEMS

ONE = sp.S.One
M, N, K = sp.symbols("M N K", integer=True, positive=True)
SIZES = {M: 3, N: 4, K: 2}
R, J, A, B = Index("i", M), Index("j", N), Index("a", K), Index("b", K)
C, D = Index("c", N), Index("d", M)
TENSORS = {"T": (M, N, K), "X": (M, N), "Y": (N, K), "W": (M, K), "P": (K, K), "u": (M,), "v": (N,), "w": (K,), "s": ()}
AT = {R: 1, J: 2, A: 1}
FUNCTIONS = {"exp": np.exp, "tanh": np.tanh}

Arrays = dict[str, Any]


def arrays() -> Arrays:
    """Positive arrays, so that every power exists; vectors are columns."""
    rng = np.random.default_rng(7)
    return {name: rng.uniform(0.5, 1.5, [SIZES[e] for e in extents]) for name, extents in TENSORS.items()}


def value(matrix: Matrix, tensors: Arrays, at: Mapping[Index, int] = AT) -> Any:
    """The array of a matrix expression at the places of what is fixed: always two axes."""
    match matrix:
        case Slices(indices, of):
            points = grid(*(range(SIZES[index.extent]) for index in indices))
            return sum(value(of, tensors, {**at, **dict(zip(indices, point, strict=True))}) for point in points)
        case Whole(tensor, fixed):
            array = tensors[tensor][tuple(slice(None) if slot is None else at[slot] for slot in fixed)]
            return array.reshape(array.shape + (1,) * (2 - array.ndim))
        case Ones(extent):
            return np.ones((SIZES[extent], 1))
        case Identity(extent):
            return np.eye(SIZES[extent])
        case Transpose(of):
            return value(of, tensors, at).T
        case Product(factors):
            result = value(factors[0], tensors, at)
            for factor in factors[1:]:
                result = result @ value(factor, tensors, at)
            return result
        case Hadamard(factors):
            result = value(factors[0], tensors, at)
            for factor in factors[1:]:
                other = value(factor, tensors, at)
                assert other.shape == result.shape
                result = result * other
            return result
        case EntryPower(of, exponent) | NumberPower(of, exponent):
            return value(of, tensors, at) ** float(exponent)
        case EntryFunction(name, (of,)):
            return FUNCTIONS[name](value(of, tensors, at))
        case Diagonal(of):
            return np.diag(value(of, tensors, at)[:, 0])
        case DiagonalOf(of):
            return np.diag(value(of, tensors, at))[:, None]
        case Scaled(coeff, of):
            return float(coeff.subs(SIZES)) * value(of, tensors, at)
        case Times(scalar, of):
            (number,) = value(scalar, tensors, at).ravel()
            return number * value(of, tensors, at)
        case Sum(parts):
            values = [value(part, tensors, at) for part in parts]
            assert all(part.shape == values[0].shape for part in values)
            return sum(values)


def factor_value(base: Base, at: dict[Index, int], tensors: Arrays) -> float:
    """One factor at one point of the grid."""
    match base:
        case Access(tensor, slots):
            return float(tensors[tensor][tuple(at[slot] for slot in slots)])
        case Delta(left, right):
            return float(at[left] == at[right])
        case Iverson(left, "!=", right):
            return float(at[left] != at[right])
        case Fn(name, (arg,)):
            return float(FUNCTIONS[name](sum(body_value(term, at, tensors) for term in arg)))
        case Add(terms):
            return sum(body_value(term, at, tensors) for term in terms)
    raise AssertionError(base)


def body_value(term: Term, at: dict[Index, int], tensors: Arrays) -> float:
    """A sum-free product at one point of the grid."""
    result = float(term.coeff.subs(SIZES))
    for base, exponent in term.powers:
        result *= factor_value(base, at, tensors) ** float(exponent)
    return result


def naive(terms: Terms, slots: tuple[Index, ...], tensors: Arrays) -> Any:
    """The terms by loops over all indices."""
    shape = tuple(SIZES[slot.extent] for slot in slots)
    result = np.zeros(shape)
    for term in terms:
        every = (*slots, *term.summed)
        for point in grid(*(range(SIZES[index.extent]) for index in every)):
            at = dict(zip(every, point, strict=True))
            result[point[: len(slots)]] += body_value(term, at, tensors)
    return result


POOL = (R, J, C, D, A, B)


@st.composite
def factors(draw: st.DrawFn, depth: int = 1) -> tuple[Base, sp.Expr]:
    """A factor over the pool: an entry, a delta, a function or a sum of entries."""
    kind = draw(st.sampled_from(["entry", "entry", "entry", "delta", "unequal", "fn", "add"] if depth else ["entry"]))
    if kind == "delta":
        return draw(st.sampled_from([Delta(R, D), Delta(J, C), Delta(A, B)])), ONE
    if kind == "unequal":
        return draw(st.sampled_from([Iverson(R, "!=", D), Iverson(J, "!=", C)])), ONE
    if kind in {"fn", "add"}:
        inner = [draw(factors(depth=0)) for _ in range(2)]
        terms = tuple(product(draw(st.sampled_from([1, 2])), (power,)) for power in inner)
        if kind == "fn":
            return Fn("tanh", (terms,)), ONE
        return (Add(terms) if len(set(terms)) == 2 else inner[0][0]), ONE
    name = draw(st.sampled_from(sorted(TENSORS)))
    slots = tuple(draw(st.sampled_from([i for i in POOL if i.extent == e])) for e in TENSORS[name])
    return Access(name, slots), draw(st.sampled_from([ONE, ONE, sp.Integer(-1), sp.Integer(2)]))


@settings(max_examples=150, deadline=None)
@given(
    st.lists(factors(), min_size=1, max_size=4),
    st.sampled_from([(R, J), (J, R), (R, J, A), (R,), ()]),
    st.integers(0, 2),
)
def test_a_matrix_form_has_the_value_of_its_terms(
    powers: list[tuple[Base, sp.Expr]], slots: tuple[Index, ...], most: int
) -> None:
    term = product(sp.Rational(1, 2), powers, tuple(index for index in POOL if index not in slots))
    form = matrix_form(Access("OUT", slots), (term,), most)
    if form is not None:
        tensors = arrays()
        whole, matrix = form
        every = naive((term,), slots, tensors)
        np.testing.assert_allclose(value(matrix, tensors), value(whole, {"OUT": every}), rtol=1e-11)


def test_most_products_of_matrices_have_a_form() -> None:
    chain = product(1, ((Access("X", (R, C)), ONE), (Access("Y", (C, A)), ONE), (Access("W", (D, A)), ONE)), (C, A))
    form = matrix_form(Access("OUT", (D, R)), (chain,))
    assert form == (Whole("OUT"), Product((Whole("W"), Transpose(Whole("Y")), Transpose(Whole("X")))))


def test_a_sum_of_terms_of_different_width_is_broadcast_with_ones() -> None:
    terms = (access("X", R, J), product(-1, ((Access("u", (R,)), ONE),)))
    form = matrix_form(Access("OUT", (R, J)), terms)
    assert form == (Whole("OUT"), Sum((Whole("X"), Scaled(-ONE, Product((Whole("u"), Transpose(Ones(N))))))))


def test_entries_off_a_diagonal_are_those_of_ones_without_the_identity() -> None:
    term = product(1, ((Access("X", (R, J)), ONE), (Iverson(R, "!=", J), ONE)))
    form = matrix_form(Access("OUT", (R, J)), (term,))
    assert form is not None
    assert written(form[1]) == r"X \odot (\mathbf{1} \, \mathbf{1}^{\top} - \mathbf{I})"


def test_a_sum_over_slices_is_taken_where_nothing_else_is_possible() -> None:
    powers = ((Access("T", (R, J, A)), ONE), (Access("v", (J,)), ONE), (Access("w", (A,)), ONE))
    term = product(2, powers, (J, A))
    assert matrix_form(Access("OUT", (R,)), (term,)) is None
    form = matrix_form(Access("OUT", (R,)), (term,), 1)
    assert form == (Whole("OUT"), Scaled(sp.Integer(2), Slices((J,), form[1].of.of)))
    assert written(form[1]) == r"2 \sum_{j} v_{j} \, T_{\cdot j \cdot} \, w"
    flat = product(1, ((Access("X", (R, J)), ONE), (Access("v", (J,)), ONE)), (J,))
    assert matrix_form(Access("OUT", (R,)), (flat,), 2) == matrix_form(Access("OUT", (R,)), (flat,))


def written(matrix: Matrix) -> str:
    return solid(matrix_latex(matrix, notation_of(derive(PROBLEMS["attention"]()))))


def test_a_bracket_of_another_kind_has_no_form() -> None:
    term = product(1, ((Access("X", (R, J)), ONE), (Iverson(R, "<=", J), ONE)))
    assert matrix_form(Access("OUT", (R, J)), (term,)) is None


def test_a_sum_in_which_every_index_has_three_partners_has_no_form() -> None:
    edges = {"X": (R, C), "X2": (J, C), "Q": (R, A), "Q2": (J, A), "Y": (C, A), "T": (R, J)}
    term = product(1, ((Access(name, slots), ONE) for name, slots in edges.items()), (R, J, C, A))
    assert matrix_form(Access("OUT"), (term,)) is None


def test_a_slot_that_runs_before_a_fixed_one_is_marked() -> None:
    assert slice_of("P", (A, B), {B}).fixed == (None, B)
    assert slice_of("P", (A, B), {A}).fixed == (A,)


def test_a_batch_of_products_is_found_at_a_fixed_index() -> None:
    batch = Index("b", sp.Symbol("batch", positive=True))
    powers = ((Access("A3", (batch, R, C)), ONE), (Access("V3", (batch, C, A)), ONE), (Access("u", (R,)), ONE))
    form = matrix_form(Access("OUT", (batch, R, A)), (product(1, powers, (C,)),))
    left, right = Whole("OUT", (batch,)), (Diagonal(Whole("u")), Whole("A3", (batch,)), Whole("V3", (batch,)))
    assert form == (left, Product(right))


def test_the_forms_of_attention_read_as_on_a_whiteboard() -> None:
    derivation = derive(PROBLEMS["attention"]())
    notation = notation_of(derivation)
    written = {
        equation.name: solid(matrix_latex(form[1], notation))
        for equation in derivation.backward.equations
        if (form := matrix_form(equation.lhs, equation.terms)) is not None
    }
    assert written == {
        "dV": r"A^{\top} \, G",
        "D": r"G \, V^{\top}",
        "r": r"(G \odot O) \, \mathbf{1}",
        "dS": r"A \odot (D - r \, \mathbf{1}^{\top})",
        "dQ": r"\frac{1}{\sqrt{d}} \, \frac{\partial L}{\partial S} \, K",
        "dK": r"\frac{1}{\sqrt{d}} \, \Bigl(\frac{\partial L}{\partial S}\Bigr)^{\top} \, Q",
    }


def test_a_number_has_one_entry_and_is_its_own_transpose():
    """No power of every entry, and no transpose that a sum of all entries does not need."""
    text = "index i : N\nindex j : M\ninput x[i,j], a\ns = sum[i,j](x[i,j]^2)\n"
    text += "y[i,j] = x[i,j]/s\nL = sum[i,j](a*y[i,j]*x[i,j]^3)\nloss L\n"
    note = markdown_note(derive(read_problem(text)))
    form = note[note.index("## Matrix form") : note.index("## Implementation summary")]
    assert r"s^{\circ" not in form
    assert "^{\\top} \\, \\mathbf{1}" not in form.replace(r"\mathbf{1}^{\top} \, \mathbf{1}", "")
