"""Sections that reuse letters are read on their own; a wrong restatement is still refuted."""

from __future__ import annotations

import pytest

from indexcalc.proof.document import Verdict, check
from indexcalc.proof.document.names import understanding
from indexcalc.proof.document.names.understanding import roles_of


def verdicts(text: str, name: str = "note.md") -> list[str]:
    """The verdicts of all claims, in order."""
    return [str(claim.verdict) for claim in check(text, name).claims]


COLLECTED = r"""
## Scale
$$y_{ni} = a \, x_{ni}$$
$$\frac{\partial L}{\partial x_{ni}} = a \frac{\partial L}{\partial y_{ni}}$$

## Square
$$y_{ni} = x_{ni}^2$$
$$\frac{\partial L}{\partial x_{ni}} = 2 x_{ni} \frac{\partial L}{\partial y_{ni}}$$

## Cube
$$y_{ni} = x_{ni}^3$$
$$\frac{\partial L}{\partial x_{ni}} = FACTOR x_{ni}^2 \frac{\partial L}{\partial y_{ni}}$$
"""


def test_each_section_of_a_collection_has_its_own_letters():
    assert verdicts(COLLECTED.replace("FACTOR", "3")) == ["definition", "proved"] * 3


def test_a_wrong_gradient_is_refuted_within_its_section():
    assert verdicts(COLLECTED.replace("FACTOR", "2")) == ["definition", "proved"] * 2 + ["definition", "refuted"]


def test_a_single_wrong_restatement_is_no_new_meaning():
    text = r"""
## Forward
$$S_{ij} = \frac{1}{\sqrt{d}} \sum_{k=1}^{d} Q_{ik} K_{jk}$$
$$P_{ij} = S_{ij}^3$$
## Recall
$$S_{ij} = \sum_k Q_{ik} K_{jk}$$
$$\frac{\partial P_{ij}}{\partial S_{ij}} = 3 S_{ij}^2$$
"""
    assert verdicts(text) == ["definition", "definition", "refuted", "proved"]


def test_numbered_items_reuse_letters():
    text = r"""
\section{Identities}
\begin{enumerate}
\item $z_i = \sum_k W_{ik} x_k$ gives $\frac{\partial z_i}{\partial x_j} = W_{ij}$.
\item $z_j = \sum_k x_k W_{kj}$ gives $\frac{\partial z_j}{\partial x_i} = W_{ij}$.
\item $z_i = x_i^2$ gives $\frac{\partial z_i}{\partial x_j} = 2 x_i \delta_{ij}$.
\end{enumerate}
"""
    assert verdicts(text, "note.tex") == ["definition", "proved"] * 3


def test_a_name_from_another_section_refutes_nothing():
    text = (
        COLLECTED.replace("FACTOR", "3") + "\n## Sum\n$$y_{ni} = 1$$\n$$w_n = \\sum_i z_{ni}$$\n$$x_{ni} = z_{ni}$$\n"
    )
    report = check(text + "\n## Use\n$$w_n = \\sum_i x_{ni}^2$$\n")
    assert report.counts[str(Verdict.REFUTED)] == 0


def test_conditions_on_indices_are_no_restatements(monkeypatch):
    read = []
    monkeypatch.setattr(
        understanding,
        "roles_of",
        lambda document, statements, *rest: read.append(statements) or roles_of(document, statements, *rest),
    )
    section = "\n## Part {0}\n$$y_{{ni}} = a \\, x_{{ni}}$$\nOnly\n$$k = {0}$$\nis left.\n"
    text = r"$$z_n = \sum_k y_{nk}$$" + section.format("i") + section.format("j") + section.format("m")
    assert not check(text).refuted
    assert len(read) == 1


ROWS = r"""
| name | function | derivative |
| --- | --- | --- |
| logistic | $s(x) = \frac{1}{1 + e^{-x}}$ | $s'(x) = s(x) (1 - s(x))$ |
| hyperbolic | $f(x) = \tanh(x)$ | $f'(x) = 1 - f(x)^2$ |
| square | $f(x) = x^2$ | $\frac{df}{dx} = FACTOR x$ |
| logistic times | $f(x) = x \, s(x)$ | $f'(x) = f(x) + s(x) (1 - f(x))$ |
| bell | $f(x) = e^{-x^2}$ | $f'(x) = -2 x f(x)$ |
"""


def test_rows_of_a_table_define_their_own_functions():
    found = verdicts(ROWS.replace("FACTOR", "2"))
    assert found[::2] == ["definition"] * 5
    assert "refuted" not in found
    assert [found[place] in ("proved", "confirmed") for place in (1, 3, 5, 7, 9)] == [True] * 5


def test_a_row_takes_functions_from_rows_before_and_these_from_others():
    text = (
        ROWS.replace("FACTOR", "2")
        + r"| weighted | $t(x) = x \, s(x)$ | $t'(x) = s(x) + x \, s'(x)$ |"
        + "\n"
        + r"| half | $g(x) = t(x) / 2$ | $g'(x) = FACTOR (s(x) + x \, s(x) (1 - s(x)))$ |"
    )
    assert verdicts(text.replace("FACTOR", r"\frac{1}{2}"))[-1] in ("proved", "confirmed")
    assert verdicts(text.replace("FACTOR", "2"))[-1] == "refuted"


def test_a_wrong_derivative_is_refuted_within_its_row():
    assert verdicts(ROWS.replace("FACTOR", "3"))[5] == "refuted"


TWICE = r"""
$$s(x) = \frac{1}{1 + e^{-x}}$$

We have $s'(x) = s(x) (1 - s(x))$. Another form is

$$s(x) = \frac{e^x}{1 + e^x}$$

so that

$$CLAIM$$
"""


def test_a_function_with_two_equal_forms_has_one_meaning():
    assert verdicts(TWICE.replace("CLAIM", "s'(x) = s(x) (1 + s(x))"))[-1] == "refuted"
    assert verdicts(TWICE.replace("CLAIM", "s'(x) = s(x) (1 - s(x))"))[-1] in ("proved", "confirmed")


def test_a_function_with_two_meanings_in_one_section_refutes_nothing():
    text = TWICE.replace("e^x}{1 + e^x}", "x}{1 + x}").replace("CLAIM", r"\frac{ds}{dx} = \frac{1}{(1 + x)^2}")
    assert "refuted" not in verdicts(text)


LOGISTIC = r"""
## Logistic
$$y_{ni} = s(x_{ni})$$
$$s(t) = \frac{1}{1 + e^{-t}}$$

## Twice
$$y_{ni} = 2 s(x_{ni})$$
$$\frac{\partial y_{ni}}{\partial x_{ni}} = 2 s(x_{ni}) (1 - s(x_{ni}))$$
"""


def test_a_function_of_another_section_refutes_nothing():
    assert verdicts(COLLECTED.replace("FACTOR", "3") + LOGISTIC)[-1] != "refuted"


GRADIENTS = r"""
## Forward
Let $x, w \in \mathbb{R}^{N}$.
$$L = \sum_i x_i^2 + \sum_i w_i^3$$
## By x
$$L = \sum_k x_k^2 SIGN \sum_k w_k^3$$
$$\frac{\partial L}{\partial x_i} = 2 x_i$$
## By w
$$L = \sum_k x_k^2 + \sum_k w_k^3$$
$$\frac{\partial L}{\partial w_i} = FACTOR w_i^2$$
"""


@pytest.mark.parametrize(
    ("sign", "factor", "expected"),
    [
        ("+", "3", ["proved", "proved", "proved", "proved"]),
        ("-", "3", ["refuted", "proved", "proved", "proved"]),
        ("+", "2", ["proved", "proved", "proved", "refuted"]),
        ("-", "2", ["refuted", "proved", "proved", "refuted"]),
    ],
)
def test_a_wrong_restatement_of_the_only_definition_is_no_new_meaning(sign, factor, expected):
    found = verdicts(GRADIENTS.replace("SIGN", sign).replace("FACTOR", factor))
    assert found == ["declaration", "definition", *expected]


def test_a_restatement_with_which_the_section_agrees_is_a_new_meaning():
    note = GRADIENTS.replace("SIGN", "-").replace(
        r"= 2 x_i$$", r"= 2 x_i$$ $$\frac{\partial L}{\partial w_i} = -3 w_i^2$$"
    )
    assert "refuted" not in verdicts(note.replace("FACTOR", "3"))


SHEET = r"""
| layer | forward | backward |
| --- | --- | --- |
| affine | $Y = X W$ | $dX = dY W^\top$, $dW = X^\top dY$ |
| scaled | $Y = \alpha X$ | $dX = FACTOR \alpha \, dY$ |
| product | $Z = X \odot Y$ | $dX = dZ \odot Y$, $dY = dZ \odot X$ |
| turned | $Z = Y^\top$ | $dY = dZ^\top$ |
"""


def test_a_row_with_a_forward_pass_and_gradients_stands_alone():
    assert verdicts(SHEET.replace("FACTOR", "")) == [
        *("definition", "proved", "proved"),
        *("definition", "proved"),
        *("definition", "proved", "proved"),
        *("definition", "proved"),
    ]
    assert verdicts(SHEET.replace("FACTOR", "2"))[4] == "refuted"


STEPS = r"""
$\newcommand{\D}[1]{\frac{\partial L}{\partial #1}}$

| step | forward | backward |
| --- | --- | --- |
| first | $Z_{no} = \sum_i X_{ni} W_{io}$ | $\D{X_{ni}} = \sum_o \D{Z_{no}} W_{io}$ |
| second | $A_{no} = Z_{no}^2$ | $\D{Z_{no}} = FACTOR Z_{no} \D{A_{no}}$ |
| third | $Y_{no} = A_{no} G_{no}$ | $\D{A_{no}} = G_{no} \D{Y_{no}}$ |
"""


def test_rows_that_are_steps_of_one_pass_are_read_together():
    assert verdicts(STEPS.replace("FACTOR", "2")) == ["definition", "proved"] * 3
    assert verdicts(STEPS.replace("FACTOR", "3"))[3] == "refuted"
    total = r"| all | | $\D{X_{ni}} = 2 \sum_o \D{Y_{no}} G_{no} Z_{no} W_{io}$ |"
    assert verdicts(STEPS.replace("FACTOR", "2") + total)[-1] == "proved"


def test_a_wrong_function_in_a_restatement_is_no_new_meaning():
    text = r"""
## Forward
$$L = \sum_i a_i^2 + \sum_i \exp(b_i)$$
## The gradient by a
$$L = \sum_i a_i^2 + \sum_i \tanh(b_i)$$
$$\frac{\partial L}{\partial a_i} = 2 a_i$$
"""
    assert verdicts(text) == ["definition", "refuted", "proved"]


def test_an_item_that_uses_a_gradient_from_before_has_no_letters_of_its_own():
    text = r"""
Let $X, D \in \mathbb{R}^{n \times n}$, all vectors are columns.

## Backward
$$D_{ij} = X_{ij}^2$$
$$r_i = 2 \sum_j \frac{\partial L}{\partial D_{ij}}$$
## Steps
1. $\mathrm{dX} = 2 X \odot \mathrm{dD}$
2. $r = FACTOR \, \mathrm{dD} \, \mathbf{1}$
"""
    assert verdicts(text.replace("FACTOR", "2"))[-1] == "proved"
    assert verdicts(text.replace("FACTOR", "3"))[-1] == "refuted"
