"""Shapes that words or subscripts give matrices, and which of several a name has where it stands."""

from __future__ import annotations

import pytest

from indexcalc.document.check import check
from indexcalc.document.report import Verdict
from tests.support.verdicts import judged

CONFIRMED, REFUTED, OPEN = Verdict.CONFIRMED, Verdict.REFUTED, Verdict.UNCLEAR


def last(page: str) -> Verdict:
    """The verdict on the last relation of a page."""
    return judged(check(page).claims[-1])


@pytest.mark.parametrize(
    "words",
    [
        r"Take an $m \times n$ matrix $A$ and an $n \times p$ real matrix $B$.",
        r"Let $A$ be an $m \times n$ matrix, and $B$ is an $n \times p$ dense matrix.",
        r"Here $A$ is $m \times n$ matrix data, and $B$ is an $n \times p$ array.",
        r"For the matrices $A_{m \times n}$ and $B_{n \times p}$ this is so.",
        r"For $A_{m\times n}, B_{n\times p}$ this is so.",
        r"若$A$为$m\times n$矩阵, $B$均为$n\times p$矩阵",
        r"设$m\times n$矩阵$A$和$n\times p$矩阵$B$。",
    ],
)
def test_words_and_subscripts_give_shapes(words):
    assert last(words + "\n\n" + r"$$A B \in \mathbb{R}^{m \times p}$$") is CONFIRMED
    assert last(words + "\n\n" + r"$$A B \in \mathbb{R}^{p \times m}$$") is REFUTED


def test_several_names_have_the_shape_of_their_words():
    page = r"Let $P$ and $Q$ be $k \times l$ matrices." + "\n\n"
    assert last(page + r"$$P^\top Q \in \mathbb{R}^{l \times l}$$") is CONFIRMED
    assert last(page + r"$$P^\top Q \in \mathbb{R}^{k \times k}$$") is REFUTED


def test_what_the_words_say_of_another_thing_gives_no_shape():
    page = r"The inverse of an $n \times n$ matrix costs more than $A$ does." + "\n\n"
    assert last(page + r"$$A A^\top \in \mathbb{R}^{m \times m}$$") is not REFUTED


SETUP = "## A layer\n\nIts weights are $W \\in \\mathbb{R}^{m \\times d}$, and $y = W x$.\n\n"


def test_a_section_that_gives_a_name_anew_gives_it_its_shape_too():
    own = r"Let $Q, K \in \mathbb{R}^{n \times h}$ and $$W = Q K^\top$$ "
    assert last(SETUP + "## Scores\n\n" + own + r"$$W^\top W \in \mathbb{R}^{n \times n}$$") is CONFIRMED
    assert last(SETUP + r"$$W^\top W \in \mathbb{R}^{m \times m}$$") is REFUTED


def test_of_several_shapes_the_one_right_before_is_meant():
    items = r"1. For $A_{m \times n}$ and $B_{n \times m}$: $$A B \in \mathbb{R}^{m \times m}$$" + "\n\n"
    again = r"2. For $A_{p \times q}$ and $B_{q \times p}$: $$A B \in \mathbb{R}^{p \times p}$$" + "\n\n"
    assert [judged(claim) for claim in check(items + again).claims][-1] is CONFIRMED
    wrong = again.replace(r"\mathbb{R}^{p \times p}", r"\mathbb{R}^{q \times q}")
    assert last(items + wrong) is REFUTED


def test_a_name_with_a_number_may_be_its_own_beside_one_without():
    page = (
        r"With $W \in \mathbb{R}^{n \times m}$ and $X_1 \in \mathbb{R}^{m \times n}$: $$Y_1 = W X_1$$"
        "\n\nElsewhere let $X \\in \\mathbb{R}^{n \\times m}$ and $Y = X + X$, with $Y_{ij} = 2 X_{ij}$.\n\n"
    )
    assert last(page + r"$$\frac{\partial L}{\partial X_1} = W^\top \frac{\partial L}{\partial Y_1}$$") is not REFUTED


def test_sizes_below_a_capital_make_a_matrix_of_its_own():
    page = r"Let $A$ be an $m \times n$ matrix." + "\n\n"
    assert last(page + r"$$\mathrm{vec}(A^\top) = K_{mn} \mathrm{vec}(A)$$") is OPEN


def test_a_size_that_a_sentence_gives_a_number_is_no_number_elsewhere():
    page = r"Let $A$ be an $n \times n$ matrix and $c$ a number. We recur until $n = 1$, where it is easy." + "\n\n"
    assert last(page + r"$$\det(c A) = c^n \det(A)$$") is CONFIRMED
    assert last(page + r"$$\det(c A) = c \det(A)$$") is REFUTED


def test_a_label_in_square_brackets_is_no_power():
    page = r"Let $A \in \mathbb{R}^{n \times n}$, and $A^{[1]} = X^\top$ with $W^{[2]} = X$." + "\n\n"
    assert last(page + r"$$(A^{[1]})^\top = X$$") is CONFIRMED


@pytest.mark.parametrize(
    "claim", [r"\operatorname{tr}(P + Q) = \operatorname{tr}(P) + \operatorname{tr}(Q)", "P - Q = Q"]
)
def test_what_has_no_meaning_in_the_shapes_said_is_no_claim_about_these(claim):
    """Where already the first member does not fit, the shapes are said of other matrices of these names."""
    page = r"Let $P \in \mathbb{R}^{k \times l}$ and $Q \in \mathbb{R}^{l \times k}$." + "\n\n"
    assert last(f"{page}$${claim}$$") is OPEN
    assert last(page + r"$$P Q = Q^\top P$$") is REFUTED


ROW = (
    r"Let $X \in \mathbb{R}^{N \times D}$, $b \in \mathbb{R}^{1 \times D}$ and $c \in \mathbb{R}^{N \times 1}$."
    + "\n\n"
)


@pytest.mark.parametrize(
    ("left", "right", "wrong"),
    [
        (r"b \odot (X - c)", r"b \odot X - c b", r"b \odot X + c b"),
        (r"2 (X + b) - b", r"2 X + b", r"2 X"),
        (r"(X + X b^\top b) / c", r"X / c + (X / c) b^\top b", r"X / c + X b^\top b"),
    ],
)
def test_a_matrix_of_one_row_stands_beside_each_row(left, right, wrong):
    assert last(f"{ROW}$${left} = {right}$$") in (Verdict.PROVED, CONFIRMED)
    assert last(f"{ROW}$${left} = {wrong}$$") not in (Verdict.PROVED, CONFIRMED)


def test_a_row_and_a_column_have_no_sum():
    assert last(ROW + "$$b + c = c + b$$") is not CONFIRMED
    assert last(ROW + r"$$X^\top c = c + b^\top$$") is REFUTED


@pytest.mark.parametrize(
    "words", [r"where $\mathbf{1}$ is a matrix of ones", r"with $\mathbf{1} \in \mathbb{R}^{N \times N}$"]
)
def test_a_one_in_bold_may_be_a_matrix(words):
    page = f"{ROW}Here {words}.\n\n" + r"$$(\mathbf{1} + I) X = \mathbf{1} X + X$$" + "\n\n"
    assert last(page + r"$$(I - \frac{1}{N} \mathbf{1}) X = X - \frac{1}{N} \mathbf{1} X$$") is CONFIRMED
    assert last(page + r"$$(I - \frac{1}{N} \mathbf{1}) X = X - \mathbf{1} X$$") is REFUTED
    assert last(page + r"$$\mathbf{1} \mathbf{1} X = N \mathbf{1} X$$") is CONFIRMED


COLUMNS = r"Let $X \in \mathbb{R}^{n \times m}$, $w \in \mathbb{R}^n$ and $a, b \in \mathbb{R}^m$." + "\n\n"


@pytest.mark.parametrize(
    ("expression", "right", "wrong"),
    [
        (r"X a", r"n \times 1", r"m \times 1"),
        (r"w^\top X", r"1 \times m", r"1 \times n"),
        (r"a^\top b", r"1 \times 1", r"m \times 1"),
        (r"a b^\top", r"m \times m", r"m \times 1"),
    ],
)
def test_a_column_a_row_and_a_number_may_be_said_to_be_matrices(expression, right, wrong):
    assert last(f"{COLUMNS}$${expression} \\in \\mathbb{{R}}^{{{right}}}$$") is CONFIRMED
    assert last(f"{COLUMNS}$${expression} \\in \\mathbb{{R}}^{{{wrong}}}$$") is not CONFIRMED


def test_a_formula_in_a_set_declares_none_of_its_names():
    """The last member of a chain is said to be in a set, and not the loss whose gradient it holds."""
    page = r"""$X \in \mathbb{R}^{M \times K}$, $W \in \mathbb{R}^{K \times N}$ and $b \in \mathbb{R}^N$.
$$Y = X W + \mathbf{1} b^T \in \mathbb{R}^{M \times N}$$
$$\nabla_X L = (\nabla_Y L) W^T \in \mathbb{R}^{M \times K}$$
$$\nabla_b L = \sum_{i=1}^M (\nabla_Y L)_{i, :} \in \mathbb{R}^N$$
"""
    verdicts = [claim.verdict for claim in check(page).claims[3:]]
    assert verdicts == [Verdict.DEFINITION, Verdict.CONFIRMED, *[Verdict.PROVED, Verdict.CONFIRMED] * 2]
