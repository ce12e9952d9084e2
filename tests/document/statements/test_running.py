"""Products with dots, letters as signs, and rows of dots."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexcalc.document.statements.running import with_products, with_signs, without_gaps
from indexcalc.language.latex.tokens import tokenize


def texts(tokens) -> list[tuple[str, str]]:
    return [(token.kind, token.text) for token in tokens]


ENDS = ("1", "2", "i+1", "s")


@given(st.sampled_from(ENDS), st.integers(1, 3), st.sampled_from([r"\ldots", r"\cdots", r"\dots"]))
def test_factors_down_to_a_last_one_are_a_product(last, count, dots):
    first = " ".join(f"a_{{t-{n}}}" if n else "a_t" for n in range(count))
    found = with_products(tokenize(f"2 {first} {dots} a_{{{last}}} x"))
    down = count > 1 or last.isdigit()
    lowest, highest = (last, "t") if down else ("t", last)
    expected = texts(tokenize(rf"2 (\prod_{{j={lowest}}}^{{{highest}}} a_{{j}}) x"))
    assert [text for _, text in texts(found)] == [
        "prod from the last" if down and text == "prod" else text for _, text in expected
    ]


def test_factors_up_to_a_last_one_are_a_product():
    found = with_products(tokenize(r"a_1 a_2 \cdots a_n"))
    assert texts(found) == texts(tokenize(r"(\prod_{j=1}^{n} a_{j})"))


@pytest.mark.parametrize(
    "text",
    [r"a_1 b_2 \cdots a_n", r"a_1 a_3 a_4 \cdots a_n", r"u_i v_j \cdots w_k", r"a_t \cdots a_{t-1}", r"a \cdots a_1"],
)
def test_what_is_no_run_stays_as_it_is(text):
    assert texts(with_products(tokenize(text))) == texts(tokenize(text))


def test_a_capital_with_both_limits_is_a_sign():
    assert texts(with_signs(tokenize(r"\Pi_{j=1}^{n} x_j"))) == texts(tokenize(r"\prod_{j=1}^{n} x_j"))
    for text in (r"\Sigma_{i} x_i", r"\Sigma^{-1}", r"\Pi_{ij}^{n}", r"\Sigma_{j=1} x_j"):
        assert texts(with_signs(tokenize(text))) == texts(tokenize(text))


def test_a_row_of_dots_between_equations_is_left_out_and_one_in_a_matrix_is_kept():
    chain = r"\begin{aligned} x &= y \\ &\ \ \vdots \\ &= z \end{aligned}"
    assert "DOTS" not in [token.kind for token in without_gaps(tokenize(chain))]
    matrix = r"\begin{pmatrix} x \\ \vdots \\ z \end{pmatrix}"
    assert texts(without_gaps(tokenize(matrix))) == texts(tokenize(matrix))
