"""A network of two units in the notations people use: each line right, and wrong in one figure."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from indexcalc.checking import check, model_from
from indexcalc.document import CheckReport, Verdict
from indexcalc.figures import Model, check_figures

SPEC = Path(__file__).with_name("neuron.ixc")
CONTEXT = "alias x = X\nalias w = W1\n"
FIRST = "Inputs: $x_1 = 0.5$, $x_2 = -1$.\n\n"


@cache
def model() -> Model:
    return model_from(SPEC)


def checked(text: str) -> CheckReport:
    return check_figures(FIRST + text, model(), "sheet.md", CONTEXT)


PAIRS = [
    (r"$$z_1 = w_{11} x_1 + w_{12} x_2 + 0.1 = 0.2 \cdot 0.5 + 0.4 \cdot (-1) + 0.1 = -0.2$$", "= -0.2$", "= 0.2$"),
    (r"$$z_1 = w_{11} x_1 + w_{12} x_2 + 0.1 = 0.2 \cdot 0.5 + 0.4 \cdot (-1) + 0.1 = -0.2$$", "w_{12}", "w_{21}"),
    (r"and $z_2 = -0.3 \times 0.5 + 0.1 \times (-1) - 0.2 = -0.45$.", "0.1", "0.2"),
    (
        r"\begin{align} a_1 &= \frac{1}{1 + e^{0.2}} \approx 0.450 \\ a_2 &= \sigma(-0.45) = 0.389 \end{align}",
        "389",
        "398",
    ),
    ("| quantity | value |\n| --- | --- |\n| y | 0.1704 |\n| `E` | 0.344 |", "0.1704", "0.1740"),
    ("- **E** = 0.5 * (0.1704 - 1)^2 = 0.344", "0.344", "0.688"),
    ("The prediction is y = 0.170, since y = 0.7 × 0.450 − 0.5 × 0.389 + 0.05 = 0.1705", "0.1705", "0.1765"),
    (r"$\frac{\partial E}{\partial y} = 0.1704 - 1 = -0.8296$", "-0.8296", "0.8296"),
    (r"$$\frac{\partial E}{\partial W_2} = \begin{bmatrix} -0.3734 & -0.3230 \end{bmatrix}$$", "0.3230", "0.3320"),
    (r"$$\nabla_{W_1} E = \begin{bmatrix} -0.0719 & 0.1437 \\ 0.0493 & -0.0986 \end{bmatrix}$$", "0.0493", "0.0439"),
    ("```\ndE/dW1 = [[-0.07187  0.1437 ]\n          [ 0.04931 -0.09862]]\n```", "0.04931", "0.05931"),
    ("```\ndE/dz = [-0.1437, 0.0986]\n```", "0.0986", "0.986"),
    ("dE/dz = [-1.437e-01, 9.862 × 10^-2]", "9.862", "9.826"),
    ("$$b_2' = 0.05 - 0.5 \\cdot (-0.8296) = 0.4648$$", "0.4648", "0.4684"),
    ("W2_new = [0.8867, -0.3385]", "0.8867", "0.5133"),
    ("Learning rate: η = 0.5", "0.5", "0.1"),
    ("**Prediction:** 0.1704", "0.1704", "0.1604"),
    ("grad_W2 = [-0.3734, -0.3230] and db2 = -0.830", "-0.830", "-0.803"),
    ("The scale k = √2 / 2 = 0.707 is another matter", "0.707", "0.717"),
    ("E = 34.4%", "34.4", "43.4"),
]


@pytest.mark.parametrize(("right", "old", "new"), PAIRS)
def test_right_lines_are_not_accused(right: str, old: str, new: str) -> None:
    found = checked(right)
    assert not found.refuted, [claim.reason for claim in found.refuted]
    assert not found.unclear, [(claim.latex, claim.reason) for claim in found.unclear]
    assert len(found.claims) >= 3


@pytest.mark.parametrize(("right", "old", "new"), PAIRS)
def test_wrong_lines_are_refuted(right: str, old: str, new: str) -> None:
    assert right.count(old) >= 1
    assert checked(new.join(right.rsplit(old, 1))).refuted


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("dE/dy = 0.8296", "the sign is wrong"),
        ("E = 0.688", "twice too large"),
        ("dE/dz = [-0.1437, 0.9862]", "0.0986"),
        ("dE/dW1 = [[-0.07187, 0.04931], [0.1437, -0.09862]]", "this is the transpose"),
        ("dE/dW1 = [[-0.07187, 0.04931, 0.1], [0.1437, -0.09862, 0.1]]", "2×2, but 2×3"),
        ("0.7 × 0.4502 = 0.3251", "the figures shown give"),
    ],
)
def test_what_is_wrong_is_said(text: str, reason: str) -> None:
    (claim,) = checked(text).refuted
    assert reason in claim.reason


def test_what_has_no_name_in_the_model_is_said_and_not_accused() -> None:
    (claim,) = checked("q = [0.5, 0.25]").unclear
    assert "no q" in claim.reason


def test_entries_may_be_numbered_from_nought() -> None:
    assert not check_figures("z[0] = -0.2 and z[1] = -0.45", model()).refuted
    assert not check_figures("z[1] = -0.2 and z[2] = -0.45", model()).refuted
    (claim,) = check_figures("z[1] = -0.2", model()).unclear
    assert "numbered" in claim.reason


def test_code_is_not_read() -> None:
    assert not checked("```python\nE = 0.7\n```\n<!-- E = 0.7 -->").refuted


def test_places_are_kept() -> None:
    (claim,) = check_figures("# Sheet\n\nSo **E** = 0.9\n", model()).refuted
    assert (claim.line, claim.column) == (3, 12)


def test_a_wrong_figure_is_told_from_what_follows_from_it() -> None:
    found = checked("dE/dy = -0.9\n\ndE/db2 = dE/dy = -0.9\n")
    assert [claim.verdict for claim in found.claims[2:]] == [Verdict.REFUTED, Verdict.CONFIRMED, Verdict.FOLLOWS]


def test_the_front_takes_a_spec_with_its_values() -> None:
    assert check("E = 0.344", against=SPEC).ok
    assert not check("E = 0.434", against=SPEC, values=SPEC.with_name("values.toml")).ok
