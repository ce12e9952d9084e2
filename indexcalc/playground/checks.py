"""A document with its relations marked by verdict, as data that a page shows."""

from __future__ import annotations

from collections.abc import Iterator

from indexcalc.document.check import check
from indexcalc.document.marked import marked, style
from indexcalc.document.remedies import suggested_context
from indexcalc.document.report import CheckReport, ChoiceTaken, Claim
from indexcalc.playground.rendering import rendered, typeset
from indexcalc.playground.requests import Check
from indexcalc.workers.frames import Message


def judged(job: Check) -> Iterator[Message]:
    """The document with its verdicts, and how each relation was read.

    Raises:
        IndexCalcError: for a document that is too large, or a mistake in the context.
    """
    text = job.text.replace("\r\n", "\n").replace("\r", "\n")
    every = range(1, text.count("\n") + 2)
    yield document_json(check(text, job.name, job.context, every))


def document_json(report: CheckReport) -> Message:
    """A report line by line; a marked piece names its relation by number."""
    page = marked(report)
    shown = typeset({number: claim.correction for number, claim in enumerate(report.claims) if claim.correction})
    numbers = {claim.place: number for number, claim in reversed(list(enumerate(report.claims)))}
    return {
        "kind": "document",
        "file": report.file,
        "summary": page.summary,
        "page": rendered(report),
        "counts": {verdict: count for verdict, count in report.counts.items() if count},
        "rows": [
            [[piece.text, piece.style, -1 if piece.place is None else numbers[piece.place]] for piece in row.pieces]
            for row in page.rows
        ],
        "claims": [claim_json(claim, shown.get(number, "")) for number, claim in enumerate(report.claims)],
        "context": suggested_context([report]),
    }


def claim_json(claim: Claim, shown: str) -> Message:
    """One relation: its verdict, why, what would be right, in TeX and as MathML, and how it was read."""
    read = claim.explanation
    return {
        "line": claim.line,
        "latex": claim.latex,
        "verdict": str(claim.verdict),
        "style": style(claim.verdict),
        "reason": claim.reason,
        "counterexample": claim.counterexample,
        "correction": claim.correction,
        "shown": shown,
        "assumptions": list(claim.assumptions),
        "unstated": list(claim.unstated),
        "suggestion": claim.suggestion,
        "names": [] if read is None else [[one.name, one.shape, one.source] for one in read.names],
        "choices": [] if read is None else [choice_json(one) for one in read.choices],
    }


def choice_json(taken: ChoiceTaken) -> Message:
    """What notation left open: how it was taken, and how it could be taken."""
    return {"phrase": taken.phrase, "support": taken.support, "others": list(taken.others)}
