"""Code beside the equation that it computes, or below it; the indices in its comments have their colours."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape

from indexcalc.algebra.terms import Access
from indexcalc.notes.blocks import Display, Gradient
from indexcalc.notes.outline import Chapter

STYLE = (
    ".code{margin:0 0 .75rem;font-size:.95em}.code summary{color:var(--faint);cursor:pointer;font-size:.9em}"
    ".code pre{margin:.3rem 0;padding:.5rem .75rem;background:var(--wash);white-space:pre-wrap}"
    ".code i{font-style:normal;font-weight:bold}"
    "@media screen and (min-width:80rem){main:has(.code){max-width:82rem;padding-right:31rem}"
    ".coded{display:grid;grid-template-columns:minmax(0,1fr) 28rem;gap:0 1.5rem;margin-right:-29.5rem}"
    ".coded .code{grid-column:2;grid-row:1/span 9;margin-top:.5rem}.coded>:not(.code){grid-column:1}}"
)

SLOTS = re.compile(r"\[[^\[\]]*\]")
WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True, slots=True)
class Listing:
    """The code of a derivation.

    Attributes:
        lines: the code of each equation, by the name of its tensor.
        gradients: the names of gradients, by the tensors that they are of.
        classes: the class of each index, by its name.
    """

    lines: Mapping[str, str]
    gradients: Mapping[str, str]
    classes: Mapping[str, str]

    def beside(self, shown: str, display: Display, chapter: Chapter) -> str:
        """What is shown of an equation, with its code."""
        code = self.of(display, chapter)
        return f'<div class="coded">\n{shown}{code}\n</div>' if code else shown

    def of(self, display: Display, chapter: Chapter) -> str:
        """The code of an equation of the forward pass, or of a result; nothing where other equations stand."""
        if chapter is not Chapter.SETUP and not (chapter is Chapter.SECTIONS and display.boxed):
            return ""
        match display.left:
            case Gradient(Access(tensor)):
                name = self.gradients.get(tensor, "")
            case Access(tensor):
                name = tensor
            case _:
                name = ""
        if name not in self.lines:
            return ""
        body = "\n".join(map(self.line, self.lines[name].splitlines()))
        return f'\n<details class="code" open><summary>Code</summary><pre><code>{body}</code></pre></details>'

    def line(self, text: str) -> str:
        """One line; what stands in brackets in a comment are indices."""
        if not text.lstrip().startswith("#"):
            return escape(text)
        pieces, place = list[str](), 0
        for slots in SLOTS.finditer(text):
            pieces.append(escape(text[place : slots.start()]))
            parts, at = list[str](), 0
            for word in WORD.finditer(slots[0]):
                parts.append(escape(slots[0][at : word.start()]))
                style = self.classes.get(word[0])
                parts.append(f'<i class="{style}">{word[0]}</i>' if style else word[0])
                at = word.end()
            pieces += [*parts, escape(slots[0][at:])]
            place = slots.end()
        return "".join((*pieces, escape(text[place:])))


NO_CODE = Listing({}, {}, {})
