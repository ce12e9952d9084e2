"""What is emitted is what a person would write: axes as they are stored, no needless arrays, no needless signs."""

import re

from indexcalc.codegen import numpy_module
from indexcalc.language import read_problem
from indexcalc.rewrite.derive import derive

HEAD = """
title "t"
index n : N
index h, j, k : H
param a = 0.1
input X[n,h], Y[n,h], w[h], B[h,j], C[h,j]
"""


def lines_of(body, derive_line):
    source = numpy_module(derive(read_problem(f"{HEAD}{body}\nderive {derive_line}\n")))
    return [line.strip() for line in source.splitlines()]


def test_sums_run_over_axes_as_they_are_stored():
    lines = lines_of("v[h] = 1/N * sum[n]((X[n,h] - w[h])^2)\nupstream g[h] = dL/dv[h]", "w")
    assert "v = ((X - w) ** 2).sum(axis=0) / N" in lines


def test_products_along_equal_axes_look_for_no_order():
    lines = lines_of("v[h] = sum[n](X[n,h] * Y[n,h])\nL = sum[h](v[h] * w[h])\nloss L", "w")
    assert 'v = np.einsum("nh,nh->h", X, Y)' in lines
    assert "L = v @ w" in lines


def test_a_factor_is_multiplied_in_only_where_no_product_of_matrices_takes_its_sum():
    lines = lines_of("v[n] = sum[h,k](B[h,k] * X[n,h] * w[h] * w[k])\nupstream g[n] = dL/dv[n]", "X")
    assert "v = X @ (B @ w * w)" in lines


def test_a_minus_sign_keeps_the_product_that_it_stands_before():
    long = " + ".join(f"log(w[h]^2 + {number})" for number in range(2, 6))
    assert "L = -(w @ part)" in lines_of(f"L = -sum[h](w[h] * ({long}))\nloss L", "w")


def test_a_sum_of_outer_products_is_never_an_array():
    body = (
        "P[h,k] = sum[n](X[n,h] * Y[n,k])\nt[h,j] = sum[k,n](P[k,k] * X[n,k] * (B[h,j] * C[k,k] + B[j,h] * C[j,k]))\n"
        "upstream g[h,j] = dL/dt[h,j]"
    )
    source = "\n".join(lines_of(body, "X"))
    assert not re.search(r"\[[^\]]*None[^\]]*None[^\]]*\]", source)


def test_one_minus_a_parameter_is_written_so():
    lines = lines_of("v[n,h] = (1 - a) * X[n,h] + a * Y[n,h] / H\nupstream g[n,h] = dL/dv[n,h]", "X")
    assert "# v[n,h] = (1 - a) * X[n,h] + a/H * Y[n,h]" in lines
    assert "v = (1 - a) * X + a * Y / H" in lines


def test_a_delta_among_terms_is_an_identity_matrix():
    lines = lines_of("v[h,j] = B[h,j] - delta[h,j] / H\nupstream g[h,j] = dL/dv[h,j]", "B")
    assert "v = B - np.eye(H, dtype=X.dtype) / H" in lines
