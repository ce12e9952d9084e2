"""How well documents are read: how much is understood and judged, and how much of that is right.

``python benchmarks/reading.py FOLDER_OR_FILE ...`` checks documents, each folder with all that is below it.
``--labels FILE.tsv`` says what is known of them, by line; ``--known`` checks everything that `tests/reading` knows, and
a ``.toml`` file is a table of small documents of the same kind. ``--out FILE.json`` keeps every claim, and ``--compare
FILE.json`` says what has changed since, in the same documents. ``--list WHAT ...`` shows claims that are counted.

The columns:

- relations; understood: the share that is not "not understood"; judged: proved, confirmed or refuted; steps: equal to
  a member before them that is not judged;
- refuted, and of these: rightly, labelled wrong; wrongly, labelled true; and unlabelled;
- errors: known errors that are refuted, of how many; wrong: the same of all that is labelled wrong;
- believed: what is labelled wrong, not refuted, and called true in the end; open: what is labelled open, and called
  true or refuted, of how many; true: what is labelled true and found so in the end, of how many;
- seconds of the processor. A document that is refused has no relations, and is counted in the last lines.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from indexcalc.document.check import check  # noqa: E402
from indexcalc.errors import IndexCalcError  # noqa: E402
from tests.reading.known import (  # noqa: E402
    SHARED,
    WRONG,
    Document,
    Kind,
    Label,
    Row,
    file_document,
    known,
    rows_of,
    small_documents,
)

TRUE = ("proved", "confirmed")
REFUTED = "refuted"
UNCLEAR = "not understood"
STEP = "step"
SILENT = ("definition", "declaration", "condition", "not judged")
"""The verdicts that judge nothing."""

SUFFIXES = (".md", ".tex", ".html", ".htm")
"""How the names of documents end."""


@dataclass(frozen=True)
class Claim:
    """What the checker says of one relation.

    Attributes:
        line: where it stands, from 1.
        column: likewise.
        claim: the relation as it is written.
        verdict: the judgement, in the words of the report.
        reason: why.
    """

    line: int
    column: int
    claim: str
    verdict: str
    reason: str = ""


def claims_of(document: Document) -> list[Claim]:
    """What the checker says of a document."""
    report = check(document.text, document.file, document.context)
    return [Claim(one.line, one.column, one.latex, str(one.verdict), one.reason) for one in report.claims]


@dataclass(frozen=True)
class Result:
    """A document with what was found in it.

    Attributes:
        document: the document.
        claims: every relation with its verdict.
        seconds: of processor time.
        refused: why it was not read at all, or nothing.
    """

    document: Document
    claims: tuple[Claim, ...]
    seconds: float
    refused: str = ""


def name_of(document: Document) -> str:
    """A name that no other document of a run has."""
    return document.name if document.name == document.group else f"{document.group}: {document.name}"


def result_of(document: Document, checker: Callable[[Document], list[Claim]] = claims_of) -> Result:
    """A document checked."""
    start = time.process_time()
    try:
        claims, refused = tuple(checker(document)), ""
    except IndexCalcError as error:
        claims, refused = (), str(error)
    return Result(document, claims, time.process_time() - start, refused)


# Scores -------------------------------------------------------------------------------------------------------------


def said_of(result: Result, label: Label) -> str:
    """What is said of labelled lines: "refuted" if anything is, "true" if the last that is judged is, or nothing."""
    verdicts = [claim.verdict for claim in claims_at(result, label) if claim.verdict not in SILENT]
    if REFUTED in verdicts:
        return REFUTED
    return "true" if verdicts and verdicts[-1] in TRUE else ""


def claims_at(result: Result, label: Label) -> list[Claim]:
    """The claims on labelled lines."""
    return [claim for claim in result.claims if label.first <= claim.line <= label.last]


def scores(result: Result) -> Counter[str]:
    """The figures of one document."""
    found = Counter[str](documents=1, refused=int(bool(result.refused)), milliseconds=round(1000 * result.seconds))
    for claim in result.claims:
        found["relations"] += 1
        found["understood"] += claim.verdict != UNCLEAR
        found["judged"] += claim.verdict in (*TRUE, REFUTED)
        found["steps"] += claim.verdict == STEP
        if claim.verdict == REFUTED:
            kind = result.document.kind_at(claim.line)
            found["refuted"] += 1
            found["rightly"] += kind in WRONG
            found["wrongly"] += kind is Kind.TRUE
            found["unlabelled"] += kind is None
    for label in result.document.labels:
        said = said_of(result, label)
        found[f"of {label.kind}"] += 1
        if label.kind in WRONG:
            found["of any wrong"] += 1
            found["any wrong"] += said == REFUTED
            found["believed"] += said == "true"
            found[label.kind] += said == REFUTED
        if label.kind is Kind.OPEN:
            found["open"] += bool(said)
        if label.kind is Kind.TRUE:
            found["true"] += said == "true"
    return found


def share(part: int, whole: int) -> str:
    """A share in percent, or nothing of nothing."""
    return f"{100 * part / whole:.0f} %" if whole else ""


def of(part: int, whole: int) -> str:
    """So many of so many, or nothing of none."""
    return f"{part}/{whole}" if whole else ""


COLUMNS: Mapping[str, Callable[[Counter[str]], str]] = {
    "relations": lambda found: str(found["relations"]),
    "understood": lambda found: share(found["understood"], found["relations"]),
    "judged": lambda found: share(found["judged"], found["relations"]),
    "steps": lambda found: share(found["steps"], found["relations"]),
    "refuted": lambda found: str(found["refuted"]),
    "rightly": lambda found: str(found["rightly"]),
    "wrongly": lambda found: str(found["wrongly"]),
    "unlabelled": lambda found: str(found["unlabelled"]),
    "errors": lambda found: of(found[Kind.KNOWN_ERROR], found[f"of {Kind.KNOWN_ERROR}"]),
    "wrong": lambda found: of(found["any wrong"], found["of any wrong"]),
    "believed": lambda found: str(found["believed"]),
    "open": lambda found: of(found["open"], found[f"of {Kind.OPEN}"]),
    "true": lambda found: of(found["true"], found[f"of {Kind.TRUE}"]),
    "seconds": lambda found: f"{found['milliseconds'] / 1000:.1f}",
}
"""The figures of a row of the table, by their headings."""


def row_of(name: str, cells: Iterable[str]) -> str:
    """A row of the table."""
    widths = (max(len(heading), 7) for heading in COLUMNS)
    return f"{name:<36.36}" + "".join(f" {cell:>{width}}" for cell, width in zip(cells, widths, strict=True))


def figures(found: Counter[str]) -> list[str]:
    """The cells of a row."""
    return [cell(found) for cell in COLUMNS.values()]


# Lists --------------------------------------------------------------------------------------------------------------

LISTS: Mapping[str, tuple[str, Callable[[Label, str], bool]]] = {
    "missed": ("wrong, and not refuted", lambda label, said: label.kind in WRONG and said != REFUTED),
    "believed": ("wrong, and called true", lambda label, said: label.kind in WRONG and said == "true"),
    "open": ("open, and judged", lambda label, said: label.kind is Kind.OPEN and bool(said)),
    "unconfirmed": ("true, and not found so", lambda label, said: label.kind is Kind.TRUE and said != "true"),
}
"""Lists of labelled lines: a title, and which lines belong to it, by their label and what is said of them."""

REFUTATIONS: Mapping[str, Callable[[Kind | None], bool]] = {
    "refuted": lambda kind: True,
    "wrongly": lambda kind: kind is Kind.TRUE,
    "unlabelled": lambda kind: kind is None,
}
"""Lists of refuted claims: which belong to it, by what is known of their lines."""


def listed(result: Result, what: str) -> Iterator[str]:
    """The lines of one list for one document."""
    document = result.document
    if what in REFUTATIONS:
        for claim in result.claims:
            kind = document.kind_at(claim.line)
            if claim.verdict == REFUTED and REFUTATIONS[what](kind):
                yield f"{name_of(document)}, line {claim.line}: {kind or 'unlabelled'}, but {shown(claim)}"
        return
    title, belongs = LISTS[what]
    for label in document.labels:
        if belongs(label, said_of(result, label)):
            yield f"{name_of(document)}, line {label.first}: {title}"
            yield from (f"    {shown(claim)}" for claim in claims_at(result, label))


def shown(claim: Claim) -> str:
    """A claim with its verdict."""
    return f"{claim.verdict}: {claim.claim}" + (f"  ({claim.reason})" if claim.reason else "")


# Runs ---------------------------------------------------------------------------------------------------------------

Record = dict[str, str | int]
"""A claim as it is kept: its document, and the fields of a `Claim`."""

Key = tuple[str | int, ...]


def kept(results: Iterable[Result]) -> list[Record]:
    """All claims with their documents."""
    return [{"document": name_of(one.document), **asdict(claim)} for one in results for claim in one.claims]


CHANGES: Mapping[str, Callable[[str, str], bool]] = {
    "newly refuted": lambda before, now: now == REFUTED != before,
    "no longer refuted": lambda before, now: before == REFUTED != now,
    "newly true": lambda before, now: now in TRUE and before not in TRUE,
    "no longer true": lambda before, now: before in TRUE and now not in TRUE,
}
"""How a verdict may change, from the one before; a claim that was not there before had none."""


def changes(before: Iterable[Record], now: Iterable[Record]) -> dict[str, list[str]]:
    """The claims whose verdict changed, in each way."""
    old, new = by_place(before), by_place(now)
    found: dict[str, list[str]] = {change: [] for change in CHANGES}
    for key in dict.fromkeys((*old, *new)):
        was, is_now = (str(run.get(key, {}).get("verdict", "")) for run in (old, new))
        line = f"{key[0]}, line {key[1]}: {was or 'not there'} -> {is_now or 'not there'}: {key[3]}"
        for change, holds in CHANGES.items():
            if holds(was, is_now):
                found[change].append(line)
    return found


def by_place(records: Iterable[Record]) -> dict[Key, Record]:
    """Claims by their document, place and text."""
    return {tuple(one[name] for name in ("document", "line", "column", "claim")): one for one in records}


def documents_of(paths: Iterable[Path], rows: Sequence[Row]) -> Iterator[Document]:
    """The documents of some paths: those below a folder, those of a table, or one."""
    for path in paths:
        if path.suffix == ".toml":
            yield from small_documents(path)
        elif path.is_dir():
            below = sorted(one for one in path.rglob("*") if one.suffix in SUFFIXES)
            yield from (file_document(one, rows, str(one.relative_to(path))) for one in below)
        else:
            yield file_document(path, rows)


def checked(documents: Iterable[Document]) -> list[Result]:
    """The documents checked; their figures are printed group by group, then those of all, and what was refused."""
    results = []
    total = Counter[str]()
    print(row_of("", COLUMNS), flush=True)
    for group, members in groupby(documents, key=lambda document: document.group):
        found = Counter[str]()
        for document in members:
            results.append(result_of(document))
            found += scores(results[-1])
        print(row_of(group, figures(found)), flush=True)
        total += found
    print(row_of(f"sum of {total['documents']} documents", figures(total)))
    print(f"refused: {total['refused']}")
    for result in results:
        if result.refused:
            print(f"    {name_of(result.document)}: {result.refused}")
    return results


def print_changes(before: Iterable[Record], results: Sequence[Result], in_full: bool) -> None:
    """How many claims of these documents changed since, and which."""
    names = {name_of(result.document) for result in results}
    for change, lines in changes((one for one in before if one["document"] in names), kept(results)).items():
        print(f"{len(lines):6} {change}")
        for line in lines if in_full else ():
            print(f"       {line}")


def main() -> int:
    """Check the documents and print their figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", type=Path, help="folders, documents, and tables of small ones")
    parser.add_argument("--labels", type=Path, help="what is known of the documents, such as tests/reading/files.tsv")
    parser.add_argument("--known", action="store_true", help="everything that tests/reading knows")
    parser.add_argument("--shared", type=Path, default=SHARED, help="where the public notes of --known are")
    parser.add_argument("--out", type=Path, help="keep all claims in this file")
    parser.add_argument("--compare", type=Path, help="say what changed since this file was kept")
    parser.add_argument("--list", nargs="+", default=[], choices=[*REFUTATIONS, *LISTS, "changes"], help="what to show")
    arguments = parser.parse_args()
    documents = list(documents_of(arguments.paths, rows_of(arguments.labels) if arguments.labels else ()))
    documents += known(arguments.shared) if arguments.known else []
    results = checked(documents)
    for what in arguments.list:
        if what != "changes":
            print("", f"{what}:", *(line for result in results for line in listed(result, what)), sep="\n")
    if arguments.compare:
        print_changes(json.loads(arguments.compare.read_text(encoding="utf-8")), results, "changes" in arguments.list)
    if arguments.out:
        arguments.out.write_text(json.dumps(kept(results), ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
