"""Documents and formulas as HTML and MathML, by pandoc, which reads no file and fetches nothing.

What cannot be typeset is told by its absence: pandoc that is not installed, a document that takes too long, a formula
that has no TeX.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

SECONDS = 10
"""How long one run of pandoc may take."""

MEMORY = "512M"
"""How much its heap may grow."""

ROUNDS = 4
"""How often formulas with commands that pandoc does not know are tried again."""

Node = dict[str, Any]
"""A part of a document as pandoc has it: its type `t` and its content `c`."""


class NotTypesetError(Exception):
    """What pandoc could not do, or had no time for; or that there is no pandoc."""


@lru_cache(maxsize=1)
def program() -> str:
    """Where pandoc is.

    Raises:
        NotTypesetError: if it is not installed.
    """
    # Of the extra `serve`: nothing else needs it.
    try:
        import pypandoc  # noqa: PLC0415

        return str(pypandoc.get_pandoc_path())
    except (ImportError, OSError) as error:
        raise NotTypesetError("pandoc is not installed") from error


def run(source: str, reads: str, writes: str) -> tuple[str, str]:
    """What pandoc writes, and what it says of it.

    Raises:
        NotTypesetError: if it is not there, fails, or takes too long.
    """
    command = [program(), "--sandbox", "--from", reads, "--to", writes, "--wrap=preserve", "--mathml"]
    try:
        done = subprocess.run(
            [*command, "+RTS", f"-M{MEMORY}", "-RTS"],
            input=source.encode("utf-8", "replace"),
            capture_output=True,
            timeout=SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise NotTypesetError(str(error)) from error
    return done.stdout.decode("utf-8"), done.stderr.decode("utf-8", "replace")


def tree_of(text: str, reads: str) -> Node:
    """A document as pandoc reads it."""
    try:
        tree: Node = json.loads(run(text, reads, "json")[0])
    except RecursionError as error:
        raise NotTypesetError("nested too deeply") from error
    return tree


def html_of(tree: Node) -> str:
    """The HTML of a document."""
    return run(json.dumps(tree), "json", "html")[0]


UNKNOWN = re.compile(r"unexpected control sequence \\([A-Za-z]+)")
"""What pandoc says of a command that it does not know."""

STRUCTURE = frozenset({"begin", "end", "left", "right"})
"""Commands without which a formula falls apart: what pandoc says of them is no word about a name."""

BETWEEN = "￼{number}￼"
"""What stands before each formula, so that the answers are told apart."""


def mathml_of(formulas: Mapping[int, tuple[str, bool]]) -> dict[int, str]:
    """The MathML of formulas, each its TeX and whether it is displayed; those without any are left out.

    A command that pandoc does not know stands there by its name.
    """
    found: dict[int, str] = {}
    waiting = {number: (tidied(text), display) for number, (text, display) in formulas.items()}
    for _ in range(ROUNDS):
        if not waiting:
            break
        html, said = run(json.dumps(document_of(waiting)), "json", "html")
        pieces = re.split(r"￼(\d+)￼", html)
        for number, piece in zip(pieces[1::2], pieces[2::2], strict=True):
            if (match := re.search(r"<math\b.*</math>", piece, re.DOTALL)) is not None:
                found[int(number)] = ANNOTATION.sub("", match.group())
        waiting = {number: formula for number, formula in waiting.items() if number not in found}
        unknown = set(UNKNOWN.findall(said)) - STRUCTURE
        if not unknown:
            break
        waiting = {n: (by_name(text, unknown), display) for n, (text, display) in waiting.items()}
    return found


ANNOTATION = re.compile(r"<annotation\b.*?</annotation>", re.DOTALL)
"""The TeX that pandoc puts beside the MathML."""


def document_of(formulas: Mapping[int, tuple[str, bool]]) -> Node:
    """A document with a formula in each paragraph."""
    blocks = [
        {"t": "Para", "c": [{"t": "Str", "c": BETWEEN.format(number=number)}, mathematics(text, display)]}
        for number, (text, display) in formulas.items()
    ]
    return {"pandoc-api-version": api_version(), "meta": {}, "blocks": blocks}


@lru_cache(maxsize=1)
def api_version() -> Sequence[int]:
    """The version of the form of documents that pandoc reads."""
    version: Sequence[int] = tree_of("", "markdown")["pandoc-api-version"]
    return version


def mathematics(text: str, display: bool) -> Node:
    """A formula as a part of a document."""
    return {"t": "Math", "c": [{"t": "DisplayMath" if display else "InlineMath"}, text]}


OLD_FONTS = {"rm": r"\mathrm", "bf": r"\mathbf", "bold": r"\mathbf", "it": r"\mathit", "cal": r"\mathcal"}
"""Fonts by the names that pandoc does not know."""

FONT_SWITCH = re.compile(r"\{\s*\\(rm|bf|it|cal)(?![A-Za-z])\s*([^{}]*)\}")
"""A font that holds up to the end of a group."""


def by_name(text: str, unknown: set[str]) -> str:
    """A formula in which commands that nobody knows stand by their names."""
    text = FONT_SWITCH.sub(lambda match: rf"{OLD_FONTS[match[1]]}{{{match[2]}}}", text)
    return re.sub(
        r"\\([A-Za-z]+)",
        lambda match: (
            OLD_FONTS.get(match[1], rf"\operatorname{{{match[1]}}}") if match[1] in unknown else match.group()
        ),
        text,
    )


UNSEEN = re.compile(r"\\(?:label|tag\*?)\s*\{[^{}]*\}|\\(?:nonumber|notag)(?![A-Za-z])|(?<!\\)%[^\n]*|\n\s*(?=\n)")
"""What has no place in a formula that stands alone: labels, numbers, comments, empty lines."""

ENVIRONMENT = re.compile(r"\\(begin|end)\{[^{}]*\}")
CELL = re.compile(r"(?<!\\)&")


def tidied(text: str) -> str:
    """A formula without labels; one of several lines is an array."""
    text = UNSEEN.sub("", text).strip()
    top = "".join(outside(text))
    if CELL.search(top):
        return rf"\begin{{aligned}}{text}\end{{aligned}}"
    return rf"\begin{{gathered}}{text}\end{{gathered}}" if r"\\" in top else text


def outside(text: str) -> list[str]:
    """What stands in no environment of a formula."""
    parts: list[str] = []
    depth = done = 0
    for match in ENVIRONMENT.finditer(text):
        if depth == 0:
            parts.append(text[done : match.start()])
        depth += 1 if match[1] == "begin" else -1
        done = match.end()
    return [*parts, text[done:]] if depth == 0 else parts
