"""Reports of checks for machines and for other tools: JSON, Markdown, JUnit XML, GitHub annotations, HTML."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from xml.etree import ElementTree

from indexcalc.document.marked import as_html
from indexcalc.document.report import OPEN, CheckReport, Claim, Verdict

MARKS = {
    Verdict.PROVED: "✓✓",
    Verdict.CONFIRMED: "✓",
    Verdict.ROUNDED: "≈",
    Verdict.REFUTED: "✗",
    Verdict.FOLLOWS: "↳",
    Verdict.STEP: "→",
    Verdict.DEFINITION: ":=",
    Verdict.DECLARATION: "∈",
    Verdict.CONDITION: "if",
    Verdict.SCHEMATIC: "~",
    Verdict.UNJUDGED: "·",
    Verdict.UNCLEAR: "?",
}

NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def totals(reports: Sequence[CheckReport]) -> dict[str, int]:
    """How many claims have each verdict, over all documents."""
    return {str(v): sum(report.counts[str(v)] for report in reports) for v in Verdict}


def claim_object(claim: Claim) -> dict[str, object]:
    """A claim as plain values."""
    return {
        "file": claim.file,
        "line": claim.line,
        "column": claim.column,
        "latex": claim.latex,
        "verdict": str(claim.verdict),
        "reason": claim.reason,
        "counterexample": claim.counterexample,
        "correction": claim.correction,
        "assumptions": list(claim.assumptions),
        "unstated": list(claim.unstated),
        "display": claim.display,
        "suggestion": claim.suggestion,
        **({"explanation": asdict(claim.explanation)} if claim.explanation is not None else {}),
    }


def as_json(reports: Sequence[CheckReport]) -> str:
    """One object a claim, and a summary."""
    claims = [claim_object(claim) for report in reports for claim in report.claims]
    return json.dumps({"claims": claims, "summary": totals(reports)}, indent=2, ensure_ascii=False) + "\n"


def as_markdown(reports: Sequence[CheckReport]) -> str:
    """The verdict beside each relation."""
    lines: list[str] = []
    for report in reports:
        lines += [f"# {report.file}", "", "| Line | Verdict | Relation | Reason |", "| --- | --- | --- | --- |"]
        for claim in report.claims:
            reason = "; ".join(claim.said).replace("|", r"\|")
            if claim.correction:
                reason += f"; correct: $`{in_table(claim.correction)}`$"
            formula = in_table(claim.latex)
            lines.append(f"| {claim.line} | {MARKS[claim.verdict]} {claim.verdict} | $`{formula}`$ | {reason} |")
        lines.append("")
    counts = ", ".join(f"{count} {verdict}" for verdict, count in totals(reports).items() if count)
    return "\n".join([*lines, f"In all: {counts or 'no relations'}.", ""])


def in_table(latex: str) -> str:
    """A formula as a cell of a table can hold it."""
    return latex.replace("|", r"\vert ").replace("`", "'")


def as_junit(reports: Sequence[CheckReport]) -> str:
    """One test suite a document, one test case a relation; what is not understood is skipped."""
    root = ElementTree.Element("testsuites")
    for report in reports:
        suite = ElementTree.SubElement(
            root,
            "testsuite",
            name=clean(report.file),
            tests=str(len(report.claims)),
            failures=str(len(report.refuted)),
            errors="0",
            skipped=str(len(report.unclear)),
        )
        for claim in report.claims:
            name = clean(f"line {claim.line}, column {claim.column}: {claim.latex}")
            case = ElementTree.SubElement(suite, "testcase", classname=clean(claim.file), name=name)
            if claim.verdict is Verdict.REFUTED:
                failure = ElementTree.SubElement(case, "failure", message=clean(claim.reason))
                failure.text = clean("\n".join(part for part in (claim.counterexample, correct(claim)) if part))
            elif claim.verdict in OPEN:
                ElementTree.SubElement(case, "skipped", message=clean(claim.reason))
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def correct(claim: Claim) -> str:
    """The correction in words; empty if there is none."""
    return f"correct: {claim.correction}" if claim.correction else ""


def clean(text: str) -> str:
    """The text without characters that XML cannot hold."""
    return NOT_XML.sub("�", text)


def as_github(reports: Sequence[CheckReport]) -> str:
    """Workflow commands: an error for each refuted relation, a notice for each that is not judged."""
    lines = []
    for report in reports:
        for claim in report.claims:
            if claim.verdict in {Verdict.REFUTED, *OPEN}:
                level = "error" if claim.verdict is Verdict.REFUTED else "notice"
                parts = (f"{claim.verdict}: {claim.reason}", claim.counterexample, correct(claim))
                message = "; ".join(part for part in parts if part)
                place = f"file={escaped(claim.file, True)},line={claim.line},col={claim.column}"
                lines.append(f"::{level} {place}::{escaped(message, False)}")
    return "".join(line + "\n" for line in lines)


def escaped(text: str, in_property: bool) -> str:
    """The text as a workflow command needs it."""
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return text.replace(":", "%3A").replace(",", "%2C") if in_property else text


FORMATS: Mapping[str, Callable[[Sequence[CheckReport]], str]] = {
    "json": as_json,
    "md": as_markdown,
    "junit": as_junit,
    "github": as_github,
    "html": as_html,
}
"""The formats beside the terminal's."""
