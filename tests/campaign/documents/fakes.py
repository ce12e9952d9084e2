"""A document and checkers made up for the tests of the campaigns: a campaign must find what is wrong with a bad one."""

from __future__ import annotations

import re
from collections.abc import Callable

from indexcalc.document import CheckReport, Claim, Verdict
from tests.campaign.case import Case
from tests.campaign.documents.comparing import Checker
from tests.campaign.documents.corpus import Document

NOTE = r"""# A layer

Here is what a layer does to its input, written with every index.

$$Y_{ij} = \sum_{k} X_{ik} W_{kj}$$

The rows of the output stand apart from each other.

$$\frac{\partial L}{\partial X_{ik}} = \sum_{j} \frac{\partial L}{\partial Y_{ij}} W_{kj}$$

The same for the weights:

$$\frac{\partial L}{\partial W_{kj}} = \sum_{i} X_{ik} \frac{\partial L}{\partial Y_{ij}}$$

## As matrices

$$\frac{\partial L}{\partial X} = \frac{\partial L}{\partial Y} W^{\top}$$
"""

LAYER = Document("own", "layer.md", NOTE)

Rule = Callable[[str, str, str], Verdict]
"""A verdict from the text of the document, the left and the right side."""

CLAIM = re.compile(r"\$\$(?P<left>[^$]*?)= (?P<right>[^$]*?)\$\$")


def judging(rule: Rule) -> Checker:
    """A checker that reads displays of one equation, and judges by a rule."""

    def fake(text: str, name: str) -> CheckReport:
        claims = []
        for match in CLAIM.finditer(text):
            start = match.start("right")
            line, column = text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start)
            verdict = rule(text, match["left"], match["right"])
            claims.append(Claim(name, line, column, f"= {' '.join(match['right'].split())}", verdict))
        return CheckReport(name, tuple(claims))

    return fake


def always(verdict: Verdict) -> Checker:
    """A checker that says the same of every claim."""
    return judging(lambda text, left, right: verdict)


def case_of(subject: object) -> Case:
    """A case about a subject."""
    return Case(0, "", frozenset(), subject)
