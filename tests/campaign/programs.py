"""The campaign of random programs: `cases` draws them, `verdict` has the engine judged on one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tests.campaign.case import Case
from tests.campaign.features import features
from tests.campaign.formulas import spec_text
from tests.campaign.growing import ANY, Wishes, program_of
from tests.campaign.judge import judged
from tests.campaign.pipeline import STYLES
from tests.campaign.shrinking import smaller


def cases(seed: int, count: int, wishes: Wishes = ANY) -> Iterator[Case]:
    """So many programs, the first of this seed, the next of the seed after it."""
    for own in range(seed, seed + count):
        program = program_of(own, wishes)
        yield Case(own, spec_text(program), features(program), program)


def verdict(case: Case, styles: Sequence[str] = STYLES) -> str:
    """What is wrong with the engine on this program; nothing if all is right."""
    return judged(case.subject, styles, case.seed)


def shrunk(case: Case, styles: Sequence[str] = STYLES) -> str:
    """The text of a smaller program that fails alike, and how."""
    program = smaller(case.subject, lambda candidate: judged(candidate, styles, case.seed))
    return spec_text(program) + judged(program, styles, case.seed)
