"""The text of fast code: what a hand would have written."""

from functools import cache

import pytest

from indexcalc.codegen.fast.module import fast_module
from indexcalc.language import load_problem, read_problem
from indexcalc.rewrite.derive import derive
from tests.support.gradients import at_once

SHIPPED = at_once()


@cache
def source_of(name):
    return fast_module(derive(load_problem(SHIPPED[name]))).source


def function_of(source, name):
    """The lines of one function, without their indentation."""
    _, _, rest = source.partition(f"\ndef {name}(")
    return [line.strip() for line in rest.partition("\n\n\n")[0].splitlines()]


def written(text, name="value_and_grad"):
    return function_of(fast_module(derive(read_problem(text))).source, name)


def test_rows_stand_where_they_are_read():
    lines = function_of(source_of("layer_norm"), "value_and_grad")
    assert "mu = X_block.sum(axis=1) / H" in lines
    assert "rs = 1 / np.sqrt(var + eps)" in lines
    assert 's = np.einsum("nh,nh->n", dxh, xh) / H' in lines


def test_totals_grow_where_their_share_is_computed():
    lines = function_of(source_of("layer_norm"), "value_and_grad")
    assert "db += G_block.sum(axis=0)" in lines
    assert 'dg += np.einsum("nh,nh->h", G_block, xh)' in lines


def test_letters_are_the_authors():
    assert 'np.einsum("ii->i", S)' in source_of("info_nce")
    assert 'np.einsum("ip,ip->i", ' in source_of("attention")


def test_matrix_products_write_where_their_result_stands():
    lines = function_of(source_of("attention"), "value_and_grad")
    assert "O_block = np.matmul(A, V, out=O[i])" in lines
    assert "S = np.matmul(part_1, K.T, out=space_2[:size_1])" in lines


def test_pointwise_chains_stay_in_their_memory():
    lines = function_of(source_of("attention"), "value_and_grad")
    assert "exp_S = np.exp(S, out=S)" in lines
    assert "S -= S_max[:, None]" in lines


def test_every_statement_stands_under_its_formula():
    lines = function_of(source_of("attention"), "value_and_grad")
    place = lines.index("# dS[i,j] = A[i,j] * (D[i,j] - r[i])")
    assert lines[place + 1 : place + 3] == ["D -= r[:, None]", "dS = np.multiply(A, D, out=A)"]


def test_functions_say_what_is_never_there():
    assert "Never there in full: S, A [T, T]." in function_of(source_of("attention"), "forward")
    assert "Never there in full: S, A, D, dS [T, T]." in function_of(source_of("attention"), "value_and_grad")
    backward = function_of(source_of("attention"), "backward")
    assert "What is not kept is computed again. Never there in full: S, A, D, dS [T, T]." in backward
    assert "Never there" not in source_of("linear")


def test_what_is_kept_is_documented_by_its_formula():
    assert "S_max: np.ndarray  # [T] max[l](S[i,l])" in source_of("attention")


def test_a_block_of_an_input_that_is_read_once_has_no_name():
    lines = written("index i : N\nindex k : K\ninput X[i,k]\nY[i,k] = exp(X[i,k])\nderive X")
    assert "Y_block = np.exp(X[i], out=Y[i])" in lines or "Y_block = np.exp(X[i, k], out=Y[i, k])" in lines
    assert not any(line.startswith("X_block") for line in lines)


def test_straight_lines_use_operators():
    lines = written("index i : N\ninput x[i], y[i]\nz[i] = x[i] * exp(y[i]) + 2\nderive x, y", "forward")
    assert "z = x * np.exp(y) + 2" in lines


def test_a_positive_and_a_negative_part():
    lines = written("index i : N\ninput x[i], y[i]\nz[i] = -x[i] - y[i]\nderive x", "forward")
    assert "z = -(x + y)" in lines


@pytest.mark.parametrize("name", ["attention", "mha_block", "mlp_gelu", "layer_norm"])
def test_no_line_computes_what_nobody_reads(name):
    for function in ("forward", "backward", "value_and_grad"):
        lines = function_of(source_of(name), function)
        for number, line in enumerate(lines):
            target, equals, _ = line.partition(" = ")
            if equals and target.isidentifier():
                assert any(target in other for other in lines[number + 1 :]), line
