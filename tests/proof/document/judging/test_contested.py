"""A chain that defines a name and contradicts itself: what else the document says settles which member is wrong."""

from __future__ import annotations

import pytest

from indexcalc.proof.document import check

START = r"$$y_i = x_i^2 + w_i$$"
PLUS, MINUS = r"\sum_i (y_i^2 + y_i)", r"\sum_i y_i^2 - \sum_i y_i"
BY_Y, BY_X = (
    r"$$\frac{\partial L}{\partial y_i} = 2 y_i SIGN 1$$",
    r"$$\frac{\partial L}{\partial x_i} = 2 x_i (2 y_i SIGN 1)$$",
)
D, P, R, U, F = "definition", "proved", "refuted", "not understood", "follows from a wrong line"


def verdicts(*parts: str) -> list[str]:
    """The verdicts of a note, but for that of its first equation."""
    return [str(claim.verdict) for claim in check("\n\n".join((START, *parts))).claims][1:]


@pytest.mark.parametrize(
    ("chain", "uses", "expected"),
    [
        (f"{PLUS} = {MINUS}", "++", [D, R, P, P]),
        (f"{PLUS} = {MINUS}", "--", [R, D, P, P]),
        (f"{MINUS} = {PLUS}", "++", [R, D, P, P]),
        (f"{PLUS} = {MINUS}", "", [D, R]),
        (f"{PLUS} = {MINUS}", "+-", [D, U, P, U]),
        (rf"{PLUS} = {MINUS} = \sum_i y_i (y_i - 1)", "+", [D, R, F, P]),
        (rf"{PLUS} = {MINUS} = \sum_i y_i (y_i - 1)", "-", [R, D, P, P]),
        (rf"{PLUS} = \sum_i y_i^2 + \sum_i y_i", "+-", [D, P, P, R]),
    ],
)
def test_the_member_that_more_of_the_document_agrees_with_defines(chain, uses, expected):
    claims = [claim.replace("SIGN", sign) for claim, sign in zip((BY_Y, BY_X), uses, strict=False)]
    assert verdicts(f"$$L = {chain}$$", *claims) == expected


def test_the_correction_of_a_wrong_first_member_is_made_of_it():
    claims = check(f"{START} $$L = {PLUS} = {MINUS}$$ {BY_Y.replace('SIGN', '-')}").claims
    assert claims[1].correction == r"\sum_{i} (y_{i}^{2} - y_{i})"


def test_a_transposed_operand_in_a_definition_accuses_no_gradient():
    chain = r"$$S_{ij} = \sum_k Q_{ik} K_{kj} = \sum_k Q_{ik} K_{jk}$$"
    use = r"$$\frac{\partial L}{\partial Q_{ik}} = \sum_j \frac{\partial L}{\partial S_{ij}} K_{jk}$$"
    assert verdicts(chain, use) == [R, D, P]
