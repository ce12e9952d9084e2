"""The two-token model, the sheets that are written for it, and short ways to check one."""

from __future__ import annotations

from functools import cache

from indexcalc.checking import model_from
from indexcalc.document import CheckReport, Claim
from indexcalc.figures import Model, check_figures
from indexcalc.worksheet import worksheet


@cache
def model() -> Model:
    return model_from("two_token_model")


@cache
def sheet(digits: int = 4) -> str:
    return worksheet(model().derivation, model().values, digits=digits)


def checked(text: str, context: str = "", name: str = "sheet.md") -> CheckReport:
    return check_figures(text, model(), name, context)


def verdicts(text: str, context: str = "") -> list[str]:
    return [claim.verdict.name for claim in checked(text, context).claims]


def on_line(report: CheckReport, line: int) -> list[Claim]:
    return [claim for claim in report.claims if claim.line == line]
