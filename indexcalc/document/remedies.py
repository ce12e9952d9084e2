"""The line of a context that would settle what is not understood; an ellipsis stands for what only the author knows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from indexcalc.document.page import Page
from indexcalc.document.report import CheckReport
from indexcalc.document.statements.calls import AT, is_indicator
from indexcalc.document.statements.index_expressions import GREEK

LINES_NAMED = 6
"""The most lines that are named beside a suggestion."""


@dataclass(frozen=True)
class Doubt:
    """Why a relation is left open, and the line of a context that would settle it; empty if none would."""

    reason: str
    remedy: str = ""


def assume(phrases: Iterable[str]) -> str:
    """The line that takes options of choices."""
    return "; ".join(f"assume {phrase}" for phrase in phrases)


def equation_for(page: Page, name: str) -> str:
    """The line that gives a name its equation, or says what a function is; none where a value varies with a letter."""
    if AT in name or is_indicator(name):
        return ""
    usage = page.survey.usages.get(name)
    argument = "(x)" if usage is not None and usage.called and usage.only_called else ""
    return f"{latex(name)}{argument} = …"


def latex(name: str) -> str:
    """A name in LaTeX."""
    base, mark, label = name.partition("_")
    base, label = (rf"\{part}" if part in GREEK else part for part in (base, label))
    return f"{base}_{{{label}}}" if mark and len(label) > 1 else f"{base}{mark}{label}"


def suggested_context(reports: Sequence[CheckReport]) -> str:
    """A context of the lines that would settle relations that are not understood, commented out, most useful first."""
    lines: dict[str, list[str]] = {}
    for report in reports:
        for claim in report.unclear:
            if claim.suggestion:
                where = f"{report.file}:{claim.line}" if len(reports) > 1 else str(claim.line)
                lines.setdefault(claim.suggestion, []).append(where)
    if not lines:
        return "# Nothing that a context can say would settle what is not understood.\n"
    rows = sorted(lines.items(), key=lambda one: -len(one[1]))
    width = max(len(line) for line, _ in rows)
    text = "# Each line would settle relations that are not understood, the most useful first.\n"
    text += "# Remove the first # where a line is true of the document, and write what … stands for.\n\n"
    return text + "".join(f"# {line:<{width}}  # {counted(where)}\n" for line, where in rows)


def counted(where: Sequence[str]) -> str:
    """How many relations a line would settle, and where."""
    named = ", ".join(dict.fromkeys(where[:LINES_NAMED])) + (", …" if len(where) > LINES_NAMED else "")
    return f"{len(where)} relation{'s' if len(where) > 1 else ''}, line{'s' if len(set(where)) > 1 else ''} {named}"
