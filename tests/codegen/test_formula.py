"""Formulas of comments: factors in front of sums, fused axes as they are stored."""

import pytest

from indexcalc.codegen.formula import equation_text, terms_text
from tests.support.build import at, i, j, k, term


@pytest.mark.parametrize(
    ("layouts", "text"),
    [({}, "W[i,j,k]"), ({"W": (1, 2)}, "W[i,(j,k)]"), ({"W": (3,)}, "W[(i,j,k)]"), ({"V": (1, 2)}, "W[i,j,k]")],
)
def test_fused_axes_stand_in_parentheses(layouts, text):
    assert equation_text(at("W", i, j, k), (term(at("W", i, j, k)),), layouts) == f"{text} = {text}"


def test_what_no_sum_needs_stands_in_front():
    scalar = term(at("g"), at("X", i), over=(i,), coeff=2)
    assert terms_text((scalar,)) == "2 * g * sum[i](X[i])"
    assert terms_text((term((at("g"), -1), at("X", i), over=(i,)),)) == "sum[i](X[i] / g)"
