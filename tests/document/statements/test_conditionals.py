r"""Values of a step given what is known up to another, ``x_{k|k-1}``: the equations of a filter, and labels."""

from __future__ import annotations

import pytest

from indexcalc.document.check import check
from indexcalc.document.report import Verdict
from indexcalc.document.statements.conditionals import with_conditionals
from indexcalc.language.latex.tokens import tokenize
from tests.support.verdicts import judged

TRUE = (Verdict.PROVED, Verdict.CONFIRMED)


def last(page):
    return judged(check(page).claims[-1])


@pytest.mark.parametrize(
    ("formula", "written"),
    [
        ("P_{k|k-1}", "P_·|·-1 _ { k }"),
        ("P_{k+1|k}", "P_·|·-1 _ { k + 1 }"),
        ("x_{t|t} + y", "x_·|· _ { t } + y"),
        ("x_{t-1|T}", "x_·|T _ { t - 1 }"),
        (r"\hat{x}_{k \mid k-2}", "hat x_·|·-2 _ { k }"),
        ("P_{a|b}", "P _ { a | b }"),
        ("A_{22|1}", "A _ { 22 | 1 }"),
        ("p(x_k|y)", "p ( x _ k | y )"),
        ("|x_{k}|", "| x _ { k } |"),
    ],
)
def test_how_far_the_steps_are_apart_belongs_to_the_name(formula, written):
    assert " ".join(token.text for token in with_conditionals(tokenize(formula))) == written


FILTER = "\n\n".join(
    f"$${line}$$"
    for line in (
        r"P_{t|t-1} = A P_{t-1|t-1} A^\top + Q",
        r"S_t = H P_{t|t-1} H^\top + R",
        r"K_t = P_{t|t-1} H^\top S_t^{-1}",
        r"P_{t|t} = (I - K_t H) P_{t|t-1}",
        "",
    )
).removesuffix("$$$$")

GAIN = r"$$P_{t|t} = P_{t|t-1} - K_t S_t K_t^\top$$"
"""What holds of covariances alone."""


def test_the_equations_of_a_filter():
    assert last(FILTER + r"$$P_{t|t} = P_{t|t-1} - P_{t|t-1} H^\top S_t^{-1} H P_{t|t-1}$$") in TRUE
    assert last(FILTER + r"$$P_{t|t} = P_{t|t-1} + P_{t|t-1} H^\top S_t^{-1} H P_{t|t-1}$$") is Verdict.REFUTED
    after = FILTER + r"$$P_{t+1|t} = A P_{t|t} A^\top + Q$$" + "\n\n"
    assert last(after + r"$$P_{t+1|t} = A (I - K_t H) P_{t|t-1} A^\top + Q$$") in TRUE
    assert last(after + r"$$P_{t+1|t} = A (I + K_t H) P_{t|t-1} A^\top + Q$$") is Verdict.REFUTED


def test_covariances_are_symmetric_together():
    words = r"With the covariance matrices $P_{t|t}$, $Q$ and $R$:" + "\n\n"
    found = check(words + FILTER + GAIN).claims[-1]
    assert judged(found) is Verdict.CONFIRMED
    assert sum("is symmetric" in one for one in found.assumptions) == 3  # and not A, which is square, too
    without = check(FILTER + GAIN).claims[-1]
    assert judged(without) is Verdict.UNCLEAR
    assert "R is symmetric" in without.reason
    assert last(words + FILTER + GAIN.replace("- K_t S_t", "- 2 K_t S_t")) is Verdict.REFUTED


@pytest.mark.parametrize("label", ["22|1", "a|b", "+", "-"])
def test_a_label_is_a_part_of_the_name(label):
    page = f"$$C_{{{label}}} = A - B D^{{-1}} B^\\top$$\n\n$$B D^{{-1}} B^\\top x = (A - C_{{{label}}}) x$$\n\n"
    assert last(page + f"$$C_{{{label}}} x = A x - B D^{{-1}} B^\\top x$$") in TRUE
    assert last(page + f"$$C_{{{label}}} x = A x + B D^{{-1}} B^\\top x$$") is Verdict.REFUTED
