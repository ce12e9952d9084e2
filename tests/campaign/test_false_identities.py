"""No false identity is proved, in a spec or in a document; and true ones are, so that this says something."""

import random

import pytest

from indexcalc.rewrite.derive import derive
from tests.campaign import false_identities as campaign


@pytest.mark.parametrize("seed", range(10))
def test_no_false_identity_is_proved(seed):
    for case in campaign.cases(seed, 4):
        assert campaign.verdict(case) == "", case.name


def test_the_identities_that_are_broken_are_proved_when_whole():
    rng = random.Random(0)
    proved = 0
    for _ in range(20):
        left = campaign.expression(rng, ("i",), 3)
        derivation = derive(campaign.problem_of(left, campaign.rewritten(left, rng)))
        proved += not derivation.unproved
    assert proved >= 15


def test_a_rewriting_keeps_the_value_and_a_disturbance_does_not():
    rng = random.Random(1)
    for _ in range(50):
        left = campaign.expression(rng, ("i",), 3)
        assert not campaign.certainly_unequal(left, campaign.rewritten(left, rng))
    two = ("entry", "a", ("i",))
    assert campaign.certainly_unequal(two, ("*", (("number", 2), two)))
