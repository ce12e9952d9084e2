"""Bars behind derivatives: held tensors, parts of a gradient, and a loss that has one derivative."""

from __future__ import annotations

import pytest

from indexcalc.proof.document import Verdict, check

FORWARD = r"""
$$Z_i = \sum_j \exp(S_{ij})$$
$$L = \sum_i \log(Z_i) - \sum_i S_{ii} Z_i$$
"""
DIRECT = r"-\delta_{ij} Z_i"
THROUGH = r"\left(\frac{1}{Z_i} - S_{ii}\right) \exp(S_{ij})"


def verdict(left: str, right: str) -> Verdict:
    """The verdict on the last claim of a document."""
    return check(f"{FORWARD}\n$${left} = {right}$$", "note.md").claims[-1].verdict


def bar(foot: str, derivative: str = r"\frac{\partial L}{\partial S_{ij}}") -> str:
    """A derivative with a bar behind it."""
    return rf"\left.{derivative}\right|_{{{foot}}}"


@pytest.mark.parametrize("foot", [r"Z \text{ held}", r"Z \text{ fixed}", r"Z = \text{const}", r"Z"])
def test_a_tensor_is_held(foot):
    assert verdict(bar(foot), DIRECT) is Verdict.PROVED
    assert verdict(bar(foot), rf"2 {DIRECT}") is Verdict.REFUTED


@pytest.mark.parametrize("foot", [r"\text{via } Z", r"\text{through } Z", r"Z"])
def test_a_part_passes_through_a_tensor(foot):
    assert verdict(bar(foot), THROUGH) is Verdict.PROVED
    assert verdict(bar(foot), rf"{DIRECT} + {THROUGH}") is Verdict.REFUTED


def test_words_tell_the_two_apart():
    assert verdict(bar(r"Z \text{ held}"), THROUGH) is Verdict.REFUTED
    assert verdict(bar(r"\text{via } Z"), DIRECT) is Verdict.REFUTED


def test_an_operator_with_a_bar():
    operator = bar(r"Z \text{ held}", r"\frac{\partial}{\partial S_{ij}}")
    body = r"\Bigl[\sum_a \log(Z_a) - \sum_a S_{aa} Z_a\Bigr]"
    assert verdict(operator + body, DIRECT) is Verdict.PROVED
    assert verdict(operator + body, THROUGH) is Verdict.REFUTED


def test_the_derivative_of_a_computed_loss_is_total():
    plain = r"\frac{\partial L}{\partial S_{ij}}"
    assert verdict(plain, f"{DIRECT} + {THROUGH}") is Verdict.PROVED
    assert verdict(plain, DIRECT) is Verdict.REFUTED


def test_a_derivative_cannot_hold_its_own_target():
    assert verdict(bar(r"S \text{ held}"), "0") is Verdict.UNCLEAR
    assert verdict(bar(r"Z, S \text{ held}"), "0") is Verdict.UNCLEAR


def test_beside_a_straight_d_a_curly_one_may_hold_the_others():
    total = r"\frac{dL}{dS_{ij}}"
    partial = r"\frac{\partial L}{\partial S_{ij}}"
    rest = r"\sum_a \frac{\partial L}{\partial Z_a} \frac{\partial Z_a}{\partial S_{ij}}"
    assert verdict(total, f"{partial} + {rest}") is Verdict.PROVED
    assert verdict(total, f"{partial} + 2 {rest}") is Verdict.REFUTED
    assert verdict(total, DIRECT) is Verdict.REFUTED


def part_of_an_unknown_loss(right: str) -> Verdict:
    text = r"""
$$Y_{nf} = \sum_c X_{nc} W_{cf} + X_{nf}^3$$
$$G_{nf} := \frac{\partial L}{\partial Y_{nf}}$$
$$\left.\frac{\partial L}{\partial X_{nc}}\right|_{\text{via } Y} = """
    return check(f"{text}{right}$$", "note.md").claims[-1].verdict


def test_a_part_of_an_unknown_gradient_is_judged_by_what_stands_for_the_gradient():
    tail = r" + 3 X_{nc}^2 G_{nc}"
    assert part_of_an_unknown_loss(r"\sum_f G_{nf} W_{cf}" + tail) is Verdict.PROVED
    for wrong in (r"2 \sum_f G_{nf} W_{cf}", r"\sum_f G_{nf} W_{fc}", r"G_{nf} W_{cf}"):
        assert part_of_an_unknown_loss(wrong + tail) is Verdict.REFUTED
    assert part_of_an_unknown_loss(r"X_{nc}") is Verdict.UNCLEAR
