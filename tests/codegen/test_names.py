"""Names: fit for Python, distinct, and the same every time."""

import keyword

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexcalc.codegen.names import python_name, python_names


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Q", "Q"),
        ("W_Q", "W_Q"),
        ("lambda", "lambda_"),
        ("class", "class_"),
        ("np", "np_"),
        ("sum", "sum_"),
        ("values", "values_"),
        ("Values", "Values_"),
        ("index", "index_"),
        ("μ", "mu"),
        ("µ", "mu"),  # the micro sign
        ("Σ", "Sigma"),
        ("λ", "lambda_"),
        ("σ2", "sigma2"),
        ("é", "e"),
        ("_x", "x"),
        ("2x", "x2x"),
    ],
)
def test_one_name(name, expected):
    assert python_name(name) == expected


def test_a_name_that_needs_no_change_keeps_it():
    assert python_names(["μ", "mu"]) == {"μ": "mu_2", "mu": "mu"}


def test_taken_names_are_avoided():
    assert python_names(["A", "μ"], taken={"A", "mu"}) == {"A": "A_2", "μ": "mu_2"}


identifiers = st.text(st.characters(categories=("L", "N", "Pc")), min_size=1, max_size=6).filter(str.isidentifier)


@given(st.lists(st.one_of(identifiers, st.sampled_from([*keyword.kwlist, "np", "μ", "mu", "lambda_"])), unique=True))
def test_distinct_names_become_distinct_identifiers(names):
    chosen = python_names(names)
    assert list(chosen) == names
    assert len(set(chosen.values())) == len(names)
    for name in chosen.values():
        assert name.isidentifier()
        assert name.isascii()
        assert not keyword.iskeyword(name)
        assert not name.startswith("_")
