"""Emission: random terms as NumPy source agree with the naive evaluator, whatever their shape."""

import warnings

import numpy as np
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from indexcalc.algebra.terms import Index, free_indices
from indexcalc.codegen import special
from indexcalc.codegen.layout import numbered
from indexcalc.codegen.operands import Scope
from indexcalc.codegen.plan import terms_node
from indexcalc.codegen.source import flat
from indexcalc.proof.evaluate import evaluate
from tests.support.programs import expressions, sizes

ROWS, COLUMNS = sp.symbols("N M", positive=True, integer=True)


def private_functions():
    space = {"np": np}
    for row in special.SPECIAL.values():
        exec(row.source, space)
    return space


PRIVATE = private_functions()


@settings(max_examples=250, deadline=None)
@given(expressions(), sizes(), st.randoms(use_true_random=False), st.booleans())
def test_random_terms_agree_with_the_evaluator(expression, extents, random, wider):
    terms, tensors = expression
    axes = list(free_indices(terms))
    if wider:
        axes.append(Index("extra", ROWS))
    random.shuffle(axes)
    rng = np.random.default_rng(random.randrange(2**32))
    arrays = {t.name: rng.uniform(0.5, 1.5, [extents[s.extent] for s in t.slots]) for t in tensors}
    scope = Scope({t.name: t.name for t in tensors}, {ROWS: "N", COLUMNS: "M"}, "float")
    node = terms_node(terms, tuple(axes), scope)
    space = {**PRIVATE, **arrays, "N": extents[ROWS], "M": extents[COLUMNS]}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = eval(flat(node), space)
        exec("\n".join(numbered("wrapped", node, set(space), 12)), space)
    expected = evaluate(terms, tuple(axes), arrays, extents)
    assert np.shape(found) == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(space["wrapped"], expected, rtol=1e-11, atol=1e-11)
