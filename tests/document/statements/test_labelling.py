"""Names that say which array they belong to: weights below, ``W_{xf}``, and means above, ``\\mu^x_i``."""

from __future__ import annotations

import pytest

from indexcalc.document.check import check
from indexcalc.document.page import page_of
from indexcalc.document.report import Verdict
from indexcalc.document.statements.context import read_context
from indexcalc.document.statements.layer_marks import PLAIN
from indexcalc.language.document import read_document

GATES = "".join(
    rf"$${gate}_t = \tanh(W_{{x{gate}}} x_t + W_{{h{gate}}} h_{{t-1}} + b_{gate})$$" + "\n\n" for gate in "fio"
)
"""Three gates of a step."""


def labels(text):
    return page_of(read_document(text, "note.md"), read_context([""])).survey.labels


def test_arrays_name_weights():
    assert {("W", "xf"), ("W", "ho"), ("b", "i")} <= labels(GATES)


def test_a_slip_is_a_label_too():
    assert {("W", "xf"), ("W", "xc")} <= labels(GATES + "$$V = W_{xc}$$")


def test_several_subscripts_that_name_no_array_are_no_slips():
    assert ("W", "xf") not in labels(GATES + "$$V = W_{xc} + W_{xd}$$")


def test_a_letter_that_a_sum_binds_is_an_index():
    assert ("W", "xf") not in labels(GATES + r"$$s = \sum_f W_{xf}$$")


def test_an_index_is_no_parameter_of_a_factor_before_a_bracket():
    constraint = r"$$y_i (w x_i + b) \geq 1, \quad i = 1, \dots, N$$"
    assert ("y", "i") not in labels(constraint + "\n\n" + r"$$w = \sum_{i=1}^N a_i y_i x_i$$")
    assert ("h", "w") in labels(r"$$h_w(x) = w x$$")


def marks(text):
    return page_of(read_document(text, "note.md"), read_context([""])).survey.marks


def test_a_mean_is_named_after_its_array():
    text = r"$$\mu^x_i = \frac{1}{N} \sum_j x_{ij}$$" + "\n\n" + r"$$y_{ij} = x_{ij} - \mu^x_i$$"
    assert ("mu", "x") in marks(text)
    assert ("mu", "y") not in marks(text)


def test_a_name_without_an_index_needs_an_array_that_never_stands_alone():
    text = r"$$m^x = \frac{1}{N} \sum_j x_j$$"
    assert ("m", "x") in marks(text)
    assert ("m", "x") not in marks(text + "\n\n" + "$$y = x + 1$$")


def test_a_power_is_no_name():
    text = r"$$f = p^x (1 - p)^{1 - x}$$" + "\n\n" + r"$$L = \prod_i p^{x_i} (1 - p)^{1 - x_i}$$"
    assert not marks(text)


def test_a_square_that_is_defined_is_a_name():
    assert ("s", "2") in marks(r"$$s^2 = \frac{1}{N} \sum_j x_j$$")
    assert ("s", "2") not in marks(r"$$s = \sum_j x_j$$" + "\n\n" + r"$$s^2 = 2$$")


def test_the_number_of_values_below_a_mean_is_a_label_and_no_last_entry():
    mean = r"$$\sum_{i=1}^n (x_i - \bar x_n)(y_i - \bar y_n) = \sum_{i=1}^n x_i y_i - n \bar x_n \bar y_n$$"
    assert {("bar x", "n"), ("bar y", "n")} <= labels(mean)
    entries = r"$$L = \sum_{i=1}^n a_i \bar x_i$$" + "\n\n" + r"$$d = \bar x_n - \bar x_1$$"
    assert ("bar x", "n") not in labels(entries)


BLOCKS = r"$$\Sigma = \begin{pmatrix} \Sigma_{aa} & \Sigma_{ab} \\ \Sigma_{ba} & \Sigma_{bb}. \end{pmatrix}.$$" + "\n\n"
"""A matrix of four blocks, at the end of a sentence."""


def test_pairs_of_letters_that_write_out_a_matrix_are_labels_of_blocks():
    assert {("Sigma", "ab"), ("x", "a"), ("K", "bb")} <= labels(BLOCKS + r"$$y = x_a + K_{bb} x_b$$")
    assert ("x", "c") not in labels(BLOCKS + r"$$y = x_a + x_c + z_c$$")


def test_a_letter_that_a_sum_binds_is_none_of_a_block():
    assert ("x", "a") not in labels(BLOCKS + r"$$y = \sum_a x_a z_a$$")


def test_letters_in_another_order_are_entries():
    assert ("S", "ab") not in labels(
        r"$$S = \begin{pmatrix} S_{aa} & S_{ba} \\ S_{ab} & S_{bb} \end{pmatrix} + T_{ab}$$"
    )


def test_a_part_that_is_inverted_is_a_block():
    literal = r"$$A = \begin{pmatrix} A_{11} & A_{12} \\ A_{21} & A_{22} \end{pmatrix}$$" + "\n\n"
    assert ("A", "21") in labels(literal + r"$$S = A_{22} - A_{21} A_{11}^{-1} A_{12}$$")
    assert ("A", "21") not in labels(literal + r"$$\det A = A_{11} A_{22} - A_{12} A_{21}$$")
    lower = literal.replace("A", "a")
    assert ("a", "21") not in labels(lower + r"$$s = a_{22} - a_{21} a_{11}^{-1} a_{12}$$")


def test_what_stands_below_an_identity_alone_is_a_size():
    assert ("I", "k") in labels(r"$$A = I_k + B$$")
    assert ("I", "k") not in labels(r"$$A = I_k + B_k$$")
    assert ("I", "k") not in labels(r"$$A = \sum_k I_k$$")


JOINT = r"$$C = (x - m)(x - m)^T + z z^T$$" + "\n\n" + r"$$\Sigma_{xz} = A C$$" + "\n\n" + r"$$\Sigma_{zz} = C B$$"
"""Covariances of vectors that bear no index, but are transposed, or stand in what is."""


def test_vectors_that_are_transposed_name_their_covariances():
    assert {("Sigma", "xz"), ("Sigma", "zz")} <= labels(JOINT)
    assert ("Sigma", "xz") not in labels(JOINT + "\n\n" + r"$$s = \sum_x \Sigma_{xz}$$")


def test_entries_beside_them_are_none():
    entries = labels(JOINT + "\n\n" + r"$$s = \sum_j \Sigma_{jj}$$")
    assert {("Sigma", "xz"), ("Sigma", "zz")} <= entries
    assert ("Sigma", "jj") not in entries


def test_a_value_that_is_only_written_makes_no_index_of_a_vector():
    assert ("Sigma", "zz") in labels(JOINT + "\n\n" + r"$$p(x \mid z) = \mathcal{N}(m_z, \Sigma_{zz})$$")


@pytest.mark.parametrize(
    ("text", "is_mark"),
    [(r"\tanh(\mathbf{f} x)", True), (r"f(\tanh(x))", True), (r"\tanh(f x)", False), (r"\tanh(f + \mathbf{a})", False)],
)
def test_a_vector_or_a_function_above_names_is_no_exponent(text, is_mark):
    (statement, *_) = page_of(
        read_document(rf"$$y = {text}$$" + "\n\n" + r"$$S_k^f = P_k^f + P_k^a$$", "note.md"), read_context([""])
    ).statements
    assert (("f", PLAIN) in statement.families.layers) is is_mark


def test_a_size_at_which_a_sum_ends_keeps_its_label_beside_an_index():
    scores = r"$$S_{ij} = \frac{1}{\sqrt{d_k}} \sum_{a=1}^{d_k} Q_{ia} K_{ja}$$" + "\n\n"
    slope = r"$$\frac{\partial S_{ij}}{\partial Q_{kl}} = \frac{1}{\sqrt{d_k}} \delta_{ik} K_{jl}$$"
    assert ("d", "k") in labels(scores + slope)
    assert ("d", "k") not in labels(slope)  # nothing says that it is no vector
    assert ("n", "i") not in labels(r"$$s_i = \sum_{j=1}^{n_i} x_{ij}$$")
    assert ("n", "i") not in labels(r"$$s = \sum_i \sum_{j=1}^{n_i} x_j$$")
    assert check(scores + slope).claims[-1].verdict is Verdict.PROVED


PRODUCT = r"$$O^{ib} = A^{ij} V^{jb}$$" + "\n\n"
UPPER = PRODUCT + r"$$\frac{\partial L}{\partial V^{jb}} = %s \frac{\partial L}{\partial O^{ib}}$$"


@pytest.mark.parametrize("script", "_^")
def test_letters_together_above_a_name_are_indices(script):
    text = UPPER.replace("^", script)
    assert check(text % f"A{script}{{ij}}").claims[-1].verdict is Verdict.PROVED
    assert check(text % f"2 A{script}{{ij}}").claims[-1].verdict is Verdict.UNCLEAR  # no sign says that it sums


def test_a_size_with_a_label_takes_nothing_from_the_letter_of_an_index():
    sizes = "Let $Q$ have $n_q$ rows.\n\n"
    slope = r"$$\frac{\partial O^{ib}}{\partial V^{mn}} = A^{im} \delta^{bn}$$"
    claim = check(sizes + PRODUCT + slope).claims[-1]
    assert claim.verdict is Verdict.PROVED
    assert claim.latex.endswith(r"\delta^{bn}")


@pytest.mark.parametrize(
    ("given", "claim"),
    [
        (r"S = X W^{qk} X^\top", r"\frac{\partial L}{\partial W^{qk}} = X^\top \frac{\partial L}{\partial S} X"),
        (r"E = k^{aa} x^2 + k^{ab} x y + k^{bb} y^2", r"\frac{\partial E}{\partial x} = 2 k^{aa} x + k^{ab} y"),
        (r"F^{ab} = \sum_i m_i v_i^{ab}", r"\frac{\partial F^{ab}}{\partial v_k^{ab}} = m_k"),
    ],
)
def test_letters_above_one_name_alone_are_labels(given, claim):
    assert check(f"$${given}$$\n\n$${claim}$$").claims[-1].verdict in (Verdict.PROVED, Verdict.CONFIRMED)
