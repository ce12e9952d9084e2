"""Floor 7: documents read as their authors meant them, by choices, interpretations and evidence."""

from indexcalc.document.check import check
from indexcalc.document.report import CheckReport, Claim, Verdict

__all__ = ["CheckReport", "Claim", "Verdict", "check"]
