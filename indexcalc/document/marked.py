"""A document's source as a page of HTML: each relation marked by its verdict, with what is said of it beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from indexcalc.document.report import GIVEN, TRUE, CheckReport, Claim, Verdict, summary

WRONG = frozenset({Verdict.REFUTED, Verdict.FOLLOWS})


@dataclass(frozen=True)
class Piece:
    """Some characters of a line, and how they are marked; no style if they are not.

    Attributes:
        text: the characters.
        style: the class of the verdict on the relation that they belong to.
        verdict: the verdict.
        place: where that relation starts in the source, and where it ends.
    """

    text: str
    style: str = ""
    verdict: str = ""
    place: tuple[int, int] | None = None


@dataclass(frozen=True)
class Remark:
    """What is said of a relation beside the line on which it starts."""

    verdict: str
    style: str
    said: tuple[str, ...]
    correction: str


@dataclass
class Row:
    """A line of the source."""

    number: int
    pieces: list[Piece] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)


@dataclass(frozen=True)
class MarkedPage:
    """A document, line by line."""

    file: str
    summary: str
    rows: Sequence[Row]


def as_html(reports: Sequence[CheckReport]) -> str:
    """The documents with their relations marked, as one page that needs no other file."""
    # Only this format needs templates.
    from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415

    environment = Environment(
        loader=PackageLoader("indexcalc.document", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    title = ", ".join(report.file for report in reports)
    return environment.get_template("report.html.jinja2").render(title=title, pages=[marked(r) for r in reports])


def style(verdict: Verdict) -> str:
    """The class of a verdict: what colour it has."""
    return "true" if verdict in TRUE else "wrong" if verdict in WRONG else "given" if verdict in GIVEN else "open"


def marked(report: CheckReport) -> MarkedPage:
    """A document with its relations marked."""
    rows = [Row(number) for number, _ in enumerate(report.source.splitlines(), 1)]
    for claim in report.claims:
        if claim.verdict not in GIVEN and 0 < claim.line <= len(rows):
            remark = Remark(str(claim.verdict), style(claim.verdict), claim.said, claim.correction)
            rows[claim.line - 1].remarks.append(remark)
    spans, start = apart(report.claims), 0
    for row, line in zip(rows, report.source.splitlines(keepends=True), strict=True):
        row.pieces = list(pieces(report.source, start, start + len(line.rstrip("\r\n")), spans))
        start += len(line)
    return MarkedPage(report.file, summary(report), rows)


def apart(claims: Sequence[Claim]) -> Mapping[tuple[int, int], Claim]:
    """The places of the claims in order; of two that overlap the first."""
    found: dict[tuple[int, int], Claim] = {}
    last = 0
    for claim in sorted((c for c in claims if c.place is not None), key=lambda c: c.place or (0, 0)):
        assert claim.place is not None
        start, end = claim.place
        if last <= start < end:
            found[start, end] = claim
            last = end
    return found


def pieces(source: str, start: int, end: int, spans: Mapping[tuple[int, int], Claim]) -> Iterator[Piece]:
    """One line of the source, cut where marks start and end."""
    here = start
    for place, claim in spans.items():
        first, last = max(place[0], here), min(place[1], end)
        if first >= last:
            continue
        if here < first:
            yield Piece(source[here:first])
        yield Piece(source[first:last], style(claim.verdict), str(claim.verdict), claim.place)
        here = last
    if here < end:
        yield Piece(source[here:end])
