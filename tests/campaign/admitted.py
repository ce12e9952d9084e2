"""The campaign of right programs at hostile inputs: what `derive` writes for them must not be refused there.

The programs are those of `draws`: slots, recurrences and systems. Their code is right, which that campaign shows by
oracles of its own. So what the hostile oracle of the engine holds against it is a defect of one of the two.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator

from indexcalc.calculus.steps import Derivation
from indexcalc.codegen.fast.module import FastOptions
from indexcalc.errors import IndexCalcError
from indexcalc.generation import Texts, code_styles, render
from indexcalc.language import read_problem
from indexcalc.proof.hostile.check import check_hostile
from indexcalc.rewrite.derive import derive
from tests.campaign import draws
from tests.campaign.case import COUNTED, Case


def cases(seed: int, count: int) -> Iterator[Case]:
    """So many programs, one of each draw in turn."""
    return draws.cases(seed, count)


def verdict(case: Case) -> str:
    """What is held against the code at hostile inputs, and at how many points it was run."""
    try:
        derivation = derive(read_problem(case.text))
        texts = render(derivation, fast=FastOptions(), formats=())
    except IndexCalcError:
        return f"{COUNTED}points: 0"  # `draws` counts what is refused
    return held_against(derivation, texts)


def held_against(derivation: Derivation, texts: Texts) -> str:
    """What the hostile oracle holds against some code."""
    if texts.trial is None:
        return f"{COUNTED}points: 0"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = check_hostile(texts.trial.problem, code_styles(derivation, texts), trial=texts.trial)
    return "\n".join([*map(str, report.failures), f"{COUNTED}points: {len(report.points)}"])
