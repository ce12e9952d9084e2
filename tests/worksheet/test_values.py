"""Values in TOML: what is read, and what is said of mistakes."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

from indexcalc.language import read_problem
from indexcalc.rewrite.derive import derive
from indexcalc.worksheet import ValuesError, load_values, read_values, worksheet

SPEC = """title "Scaled heads"
index n : N
index m : M
index h : H
index k : K
param eps = 0.5
input X[n,m], W[m,(h,k)]
Y[n,(h,k)] = sum[m](X[n,m] * W[m,(h,k)]) + eps
upstream G[n,(h,k)] = dL/dY[n,(h,k)]
derive W, X
"""
PROBLEM = read_problem(SPEC, "heads.ixc")
GOOD = """
[inputs]
X = [[1, 2, 3]]
W = [[1, 0, 0, 1], [0, 1, 1, 0], [1, 1, 1, 1]]
[upstream]
G = [[1, -1, 2, 0.5]]
[sizes]
H = 2
[update]
lr = 0.1
"""


def test_arrays_have_an_axis_for_each_slot() -> None:
    values = read_values(GOOD, PROBLEM)
    assert values.inputs["W"].shape == (3, 2, 2)
    assert values.upstream["G"].shape == (1, 2, 2)
    assert {str(extent): size for extent, size in values.sizes.items()} == {"N": 1, "M": 3, "H": 2, "K": 2}
    assert values.parameters == {parameter.symbol: 0.5 for parameter in PROBLEM.program.parameters}
    assert values.updated == ("X", "W")
    assert all(isinstance(symbol, sp.Symbol) for symbol in values.sizes)


def test_the_sheet_shows_fused_entries_and_the_parameter() -> None:
    sheet = worksheet(derive(PROBLEM), read_values(GOOD, PROBLEM))
    entry = sheet[sheet.index("Y[0,(1,0)] = ") :].split("Y[0,(1,1)]")[0]
    assert " ".join(entry.split()).endswith("1 × 0 + 2 × 1 + 3 × 1 + 0.5 = 5.5")
    assert "dL/dW[0,(1,1)] = G[0,(1,1)] × X[0,0] = 0.5 × 1 = 0.5" in sheet
    assert "and 4 more entries in the same way" in sheet
    assert np.isclose(read_values(GOOD, PROBLEM).rate or 0, 0.1)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[inputs]", "[input]", r"unknown section \[input\]"),
        ("lr = 0.1", "rate = 0.1", r"\[update\]: rate is unknown here; expected lr, parameters"),
        ("lr = 0.1", 'lr = "fast"', "found 'fast', expected a number"),
        ("lr = 0.1", 'lr = 0.1\nparameters = ["Y"]', "'Y' is no input with a gradient; these are X, W"),
        ("X = [[1, 2, 3]]", "", r"\[inputs\]: X is missing"),
        ("X = [[1, 2, 3]]", "X = [[1, 2, 3]]\nZ = 1", "Z is unknown here; expected X, W"),
        ("X = [[1, 2, 3]]", "X = [1, 2, 3]", r"\[inputs\] X has 1 levels of lists, expected 2: N x M"),
        ("X = [[1, 2, 3]]", "X = [[1, 2]]", r"axis 0 has length 3, expected M = 2 \(M = 2 from \[inputs\] X, axis 1\)"),
        ("X = [[1, 2, 3]]", "X = [[1, 2, 3], [1]]", "do not have equal lengths"),
        ("X = [[1, 2, 3]]", 'X = [[1, "a", 3]]', r"X\[0\]\[1\]: found 'a', expected a number"),
        ("X = [[1, 2, 3]]", "X = [[1, nan, 3]]", r"X\[0\]\[1\]: found nan"),
        ("X = [[1, 2, 3]]", "X = []", "an empty list"),
        ("H = 2", "H = 0", "expected a whole number, at least 1"),
        ("H = 2", "H = 3", "cannot be|expected H"),
        ("[sizes]\nH = 2", "", "no shape says how large H is"),
        ("[update]", "[update", "is not TOML: .* line"),
    ],
)
def test_a_mistake_is_said_with_its_place(old: str, new: str, message: str) -> None:
    assert old in GOOD
    with pytest.raises(ValuesError, match=message):
        read_values(GOOD.replace(old, new), PROBLEM, "v.toml")


def test_a_missing_file_is_a_mistake(tmp_path) -> None:
    with pytest.raises(ValuesError, match="cannot read the values"):
        load_values(tmp_path / "none.toml", PROBLEM)
