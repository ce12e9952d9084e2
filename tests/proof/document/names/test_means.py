from __future__ import annotations

import pytest

from indexcalc.proof.document import Verdict, check

NOTE = r"""
$$\mu_{bs} = \frac{1}{D} \sum_m X_{bsm}$$

$$c_{bsm} = X_{bsm} - \mu_{bs}$$

"""


def last(claim, before=""):
    return check(f"{before}\n\n{NOTE}$${claim}$$").claims[-1].verdict


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        (r"\sum_m c_{bsm} = 0", Verdict.PROVED),
        (r"\sum_m (X_{bsm} - 2 \mu_{bs}) = -D \mu_{bs}", Verdict.PROVED),
        (r"\sum_m (X_{bsm} - 2 \mu_{bs}) = D \mu_{bs}", Verdict.REFUTED),
        (
            r"\frac{\partial c_{acd}}{\partial X_{bsm}} = \delta_{ab} \delta_{cs} (\delta_{dm} - \frac{1}{D})",
            Verdict.PROVED,
        ),
        (
            r"\frac{\partial c_{acd}}{\partial X_{bsm}} = \delta_{ab} \delta_{cs} (\delta_{dm} + \frac{1}{D})",
            Verdict.REFUTED,
        ),
    ],
)
def test_the_divisor_of_a_mean_is_the_number_of_its_terms(claim, verdict):
    assert last(claim) is verdict


@pytest.mark.parametrize(
    "before",
    [r"$$D = \sum_{bsm} X_{bsm}$$", r"Let $X \in \mathbb{R}^{D \times S \times M}$."],
)
def test_what_the_document_says_of_it_comes_first(before):
    assert last(r"\sum_m c_{bsm} = 0", before) is Verdict.REFUTED
