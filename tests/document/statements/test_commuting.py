"""Names whose products change with their order are no numbers."""

from __future__ import annotations

import pytest

from indexcalc.document import Verdict, check


def verdicts(text: str) -> list[Verdict]:
    return [claim.verdict for claim in check(text).claims]


@pytest.mark.parametrize("said", [r"$$ij = -ji = k$$", r"$$ij = k, \quad -ji = ij$$", r"$$ij \neq ji$$"])
@pytest.mark.parametrize("claim", ["$$2ij + ji = ij$$", "$$(a + bi)(c + dj) = ac + adj + bci + bdji$$"])
def test_nothing_that_rests_on_the_order_of_their_factors_is_judged(said, claim):
    judged = {Verdict.REFUTED, Verdict.PROVED, Verdict.CONFIRMED}
    assert not judged & set(verdicts(f"{said}\n\n{claim}\n"))


def test_factors_of_which_no_page_says_so_are_numbers():
    given = "Let $u, v, w \\in \\mathbb{R}$.\n\n"
    assert verdicts(given + "$$2uv + vu = 3uv$$\n")[-1] is Verdict.PROVED
    assert verdicts(given + "$$2uv + vu = uv$$\n")[-1] is Verdict.REFUTED


def test_matrices_may_change_with_their_order():
    given = "Let $A, B \\in \\mathbb{R}^{n \\times n}$, where $AB = -BA$.\n\n"
    assert verdicts(given + "$$\\operatorname{tr}(AB) = \\operatorname{tr}(BA)$$\n")[-1] is Verdict.PROVED
