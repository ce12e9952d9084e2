"""What in a document is no mathematics, whatever it holds: code, comments, front matter, HTML tags."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping

from markdown_it import MarkdownIt
from mdit_py_plugins.front_matter import front_matter_plugin

from indexcalc.language.document.closings import Closings, enclosed

Range = tuple[int, int]

MATH_FENCES = frozenset({"math", "{math}", "latex-math"})

TICKS = re.compile(r"(?P<mathematics>\$`[^`]*`\$)|`+")
PARAGRAPH_END = re.compile(r"\n\s*\n")
COMMENT = (re.compile(r"<!--"), re.compile(r"-->"))
LIQUID = (re.compile(r"\{%\s*highlight\b"), re.compile(r"\{%\s*endhighlight\s*%\}"))
TEX_COMMENT = re.compile(r"(?<!\\)%[^\n]*")
VERBATIM = re.compile(r"\\begin\{(verbatim|lstlisting|minted)\}")
VERBATIM_ENDS = {name: re.compile(rf"\\end\{{{name}\}}") for name in ("verbatim", "lstlisting", "minted")}
HTML_SILENT = re.compile(r"<(script|style|pre|code)\b(?![^>]{0,500}math/tex)|<!--", re.IGNORECASE)
HTML_ENDS = {name: re.compile(rf"</{name}\s*>", re.IGNORECASE) for name in ("script", "style", "pre", "code")}
QUOTE = re.compile(r"[ \t]*(?:>[ \t]?)+")
OPTION = re.compile(r"[ \t]*:[A-Za-z-]+:[^\n]*")
VISIBLE = re.compile(r"[^\n]")
CONTEXT = re.compile(r"\s*indexcalc(?:-context)?\b:?(.*)", re.DOTALL)


def markdown_ranges(source: str) -> tuple[list[Range], list[Range], list[Range]]:
    """``(what is no mathematics, fenced mathematics, code)`` of a Markdown text, as ranges of positions."""
    starts = line_starts(source)
    # Only blocks are looked at: what stands within a line is found below.
    parser = MarkdownIt("commonmark").use(front_matter_plugin).disable(["inline", "text_join"])
    silent: list[Range] = []
    fences: list[Range] = []
    code: list[Range] = []
    for token in parser.parse(source):
        if token.type == "blockquote_open" and token.map is not None:
            silent.extend(quote_marks(source, starts[token.map[0] : token.map[1]]))
        if token.map is None or token.type not in ("fence", "code_block", "front_matter"):
            continue
        first, last = token.map
        if token.type != "front_matter":
            code.append((starts[first], starts[last]))
        if token.type == "fence" and token.info.strip().lower() in MATH_FENCES:
            text = source[starts[last - 1] : starts[last]].lstrip(" >").rstrip()
            closing = last - 1 if text.startswith(("```", "~~~")) else last
            silent.append((starts[first], starts[first + 1]))
            silent.append((starts[closing], starts[last]))
            fences.append((starts[first + 1], starts[closing]))
            silent.extend(options(source, starts[first + 1 : closing]))
        elif token.type != "code_block" or "$$" not in source[starts[first] : starts[last]]:
            silent.append((starts[first], starts[last]))
    for marks in (COMMENT, LIQUID):
        silent.extend((opened.start(), closed.end()) for opened, closed in enclosed(source, *marks))
    silent.extend(inline_code(masked(source, [*silent, *fences])))
    code.extend(inline_code(masked(source, code)))
    return silent, fences, code


def inline_code(text: str) -> Iterator[Range]:
    """Code between runs of backticks of one length, in one paragraph; a dollar on either side makes it mathematics."""
    runs: dict[int, list[int]] = {}
    for match in re.finditer("`+", text):
        runs.setdefault(len(match.group()), []).append(match.start())
    ends = [match.start() for match in PARAGRAPH_END.finditer(text)]
    position = 0
    while (opened := TICKS.search(text, position)) is not None:
        position = opened.end()
        if opened["mathematics"]:
            continue
        alike = runs[len(opened.group())]
        place, paragraph = bisect_left(alike, position), bisect_left(ends, position)
        if place < len(alike) and (paragraph == len(ends) or alike[place] < ends[paragraph]):
            position = alike[place] + len(opened.group())
            yield opened.start(), position


def line_starts(source: str) -> list[int]:
    """Where each line starts, and where the last one ends."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    return starts


def quote_marks(source: str, starts: list[int]) -> Iterator[Range]:
    """The marks with which the lines of a quotation begin."""
    for start in starts:
        match = QUOTE.match(source, start)
        if match is not None:
            yield match.span()


def options(source: str, starts: list[int]) -> Iterator[Range]:
    """The lines such as ``:label: name`` with which a directive of MyST begins."""
    for start in starts:
        match = OPTION.match(source, start)
        if match is None:
            return
        yield match.span()


def tex_ranges(source: str) -> list[Range]:
    """Comments and verbatim text of a LaTeX source."""
    return [*(match.span() for match in TEX_COMMENT.finditer(source)), *kept_apart(source, VERBATIM, VERBATIM_ENDS)]


def html_ranges(source: str) -> list[Range]:
    """Code, scripts and comments of an HTML source."""
    return list(kept_apart(source, HTML_SILENT, HTML_ENDS))


def kept_apart(source: str, opening: re.Pattern[str], ends: Mapping[str, re.Pattern[str]]) -> Iterator[Range]:
    """From each opening to the end that bears its name, a comment's if it has none; one without an end is none."""
    closings, position = Closings(source), 0
    while (opened := opening.search(source, position)) is not None:
        name = opened[1]
        closed = closings.after(ends[name.lower()] if name else COMMENT[1], opened.end())
        position = opened.end() if closed is None else closed.end()
        if closed is not None:
            yield opened.start(), closed.end()


def masked(source: str, ranges: list[Range]) -> str:
    """The source with each range blanked, line breaks kept, so that positions stay."""
    pieces: list[str] = []
    done = 0
    for start, end in sorted(ranges):
        if end > done:
            pieces += (source[done : max(start, done)], VISIBLE.sub(" ", source[max(start, done) : end]))
            done = end
    return "".join((*pieces, source[done:]))


def contexts_of(source: str, code: list[Range]) -> Iterator[tuple[int, str]]:
    """What comments ``<!-- indexcalc ... -->`` outside code say, and where they start."""
    text = masked(source, code)
    for opened, closed in enclosed(text, *COMMENT):
        found = CONTEXT.fullmatch(text, opened.end(), closed.start())
        if found:
            yield opened.start(), found[1].strip()
