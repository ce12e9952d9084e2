"""What in a document is no mathematics, whatever it holds: code, comments, front matter, HTML tags."""

from __future__ import annotations

import re
from collections.abc import Iterator

from markdown_it import MarkdownIt
from mdit_py_plugins.front_matter import front_matter_plugin

Range = tuple[int, int]

MATH_FENCES = frozenset({"math", "{math}", "latex-math"})

INLINE_CODE = re.compile(
    r"\$`[^`]*`\$|(?P<code>(?<!`)(?P<ticks>`+)(?!`)(?:(?!\n\s*\n).)+?(?<!`)(?P=ticks)(?!`))", re.DOTALL
)
COMMENT = re.compile(r"<!--(.*?)-->", re.DOTALL)
TEX_COMMENT = re.compile(r"(?<!\\)%[^\n]*")
VERBATIM = re.compile(r"\\begin\{(verbatim|lstlisting|minted)\}.*?\\end\{\1\}", re.DOTALL)
HTML_SILENT = re.compile(
    r"<(script|style|pre|code)\b(?![^>]*math/tex).*?</\1\s*>|<!--.*?-->", re.DOTALL | re.IGNORECASE
)
LIQUID = re.compile(r"\{%\s*highlight\b.*?\{%\s*endhighlight\s*%\}", re.DOTALL)
QUOTE = re.compile(r"[ \t]*(?:>[ \t]?)+")
OPTION = re.compile(r"[ \t]*:[A-Za-z-]+:[^\n]*")
CONTEXT = re.compile(r"\s*indexcalc(?:-context)?\b:?(.*)", re.DOTALL)


def markdown_ranges(source: str) -> tuple[list[Range], list[Range]]:
    """``(code and the like, fenced mathematics)`` of a Markdown text, as ranges of positions."""
    starts = line_starts(source)
    parser = MarkdownIt("commonmark").use(front_matter_plugin)
    silent: list[Range] = []
    fences: list[Range] = []
    for token in parser.parse(source):
        if token.type == "blockquote_open" and token.map is not None:
            silent.extend(quote_marks(source, starts[token.map[0] : token.map[1]]))
        if token.map is None or token.type not in ("fence", "code_block", "front_matter"):
            continue
        first, last = token.map
        if token.type == "fence" and token.info.strip().lower() in MATH_FENCES:
            text = source[starts[last - 1] : starts[last]].lstrip(" >").rstrip()
            closing = last - 1 if text.startswith(("```", "~~~")) else last
            silent.append((starts[first], starts[first + 1]))
            silent.append((starts[closing], starts[last]))
            fences.append((starts[first + 1], starts[closing]))
            silent.extend(options(source, starts[first + 1 : closing]))
        elif token.type != "code_block" or "$$" not in source[starts[first] : starts[last]]:
            silent.append((starts[first], starts[last]))
    for pattern in (COMMENT, LIQUID):
        silent.extend(match.span() for match in pattern.finditer(source))
    rest = masked(source, [*silent, *fences])
    silent.extend(match.span() for match in INLINE_CODE.finditer(rest) if match["code"])
    return silent, fences


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
    return [match.span() for pattern in (TEX_COMMENT, VERBATIM) for match in pattern.finditer(source)]


def html_ranges(source: str) -> list[Range]:
    """Code, scripts and comments of an HTML source."""
    return [match.span() for match in HTML_SILENT.finditer(source)]


def masked(source: str, ranges: list[Range]) -> str:
    """The source with each range blanked, line breaks kept, so that positions stay."""
    text = list(source)
    for start, end in ranges:
        for position in range(start, min(end, len(text))):
            if text[position] != "\n":
                text[position] = " "
    return "".join(text)


def contexts_of(source: str, code: list[Range]) -> Iterator[tuple[int, str]]:
    """What comments ``<!-- indexcalc ... -->`` outside code say, and where they start."""
    for match in COMMENT.finditer(masked(source, code)):
        found = CONTEXT.fullmatch(match[1])
        if found:
            yield match.start(), found[1].strip()


def code_ranges(source: str) -> list[Range]:
    """The code of a Markdown text, in which a comment says nothing."""
    starts = line_starts(source)
    tokens = MarkdownIt("commonmark").parse(source)
    blocks = [(starts[t.map[0]], starts[t.map[1]]) for t in tokens if t.map and t.type in ("fence", "code_block")]
    rest = masked(source, blocks)
    return [*blocks, *(match.span() for match in INLINE_CODE.finditer(rest) if match["code"])]
