"""Marks of relations in MathML: the part of a formula that a verdict is about, as an element that can be chosen."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from xml.etree import ElementTree
from xml.etree.ElementTree import Element


@dataclass(frozen=True, slots=True)
class Mark:
    """What is said of a part of a formula.

    Attributes:
        number: of the relation.
        style: the class of its verdict.
        label: the relation and its verdict in words.
        start: where the part starts in the TeX.
        end: where it ends.
    """

    number: int
    style: str
    label: str
    start: int
    end: int

    @property
    def attributes(self) -> dict[str, str]:
        """Those of the element that one chooses it by, a button for keys and for readers of the screen."""
        seen = {"class": self.style, "data-claim": str(self.number)}
        return seen | {"role": "button", "tabindex": "0", "aria-pressed": "false", "aria-label": self.label}


OPENED, CLOSED = "\ue002", "\ue003"
EDGE = re.compile(f"([{OPENED}{CLOSED}])(\\d+)")
ROWS = frozenset({"math", "mrow", "mtd", "mstyle", "semantics", "msqrt", "mpadded", "mphantom", "menclose"})
"""Elements with any number of parts, beside each other."""


BEFORE_BRACKET = re.compile(r"\\(?:[Bb]igg?[lmr]?|left|middle|right)\s*$")
"""What says how large a bracket is, and belongs to it."""


def with_edges(text: str, marks: Iterable[Mark]) -> str:
    """A formula with a sign where each marked part starts and ends."""
    for mark in sorted(marks, key=lambda mark: mark.start, reverse=True):
        opened, closed = rf"\text{{{OPENED}{mark.number}}}", rf"\text{{{CLOSED}{mark.number}}}"
        size = BEFORE_BRACKET.search(text, 0, mark.start)
        start = mark.start if size is None else size.start()
        text = f"{text[:start]}{opened}{text[start : mark.end]}{closed}{text[mark.end :]}"
    return text


def with_marks(mathml: str, marks: Iterable[Mark]) -> str:
    """MathML with such signs, each part between them an element of its own.

    A part that runs over several cells of an array is an element in each of them. Empty if a sign in it is none of XML.
    """
    try:
        root = ElementTree.fromstring(mathml.replace(' xmlns="http://www.w3.org/1998/Math/MathML"', ""))
    except ElementTree.ParseError:
        return ""
    Marking({mark.number: mark for mark in marks}).mark(root, None)
    return ElementTree.tostring(root, encoding="unicode", short_empty_elements=False)


class Marking:
    """One pass over a formula, from left to right."""

    def __init__(self, marks: Mapping[int, Mark]) -> None:
        self.marks = marks
        self.seen: set[int] = set()

    def mark(self, parent: Element, opened: Mark | None) -> Mark | None:
        """Mark the parts of an element, in a part that is open at its start; which is open at its end."""
        old = list(parent)
        parent[:] = []
        run: list[Element] = []
        for child in old:
            edge = EDGE.fullmatch(child.text or "") if child.tag == "mtext" else None
            if edge is not None:
                self.close(parent, run, opened)
                opened = self.marks.get(int(edge[2])) if edge[1] == OPENED else None
                if parent.tag not in ROWS:
                    parent.append(Element("mrow"))
            elif opened is not None and parent.tag in ROWS and not has_edges(child):
                run.append(child)
            else:
                self.close(parent, run, opened)
                opened = self.mark(child, opened)
                parent.append(child)
        self.close(parent, run, opened)
        return opened

    def close(self, parent: Element, run: list[Element], mark: Mark | None) -> None:
        """Put what stands in one marked part into an element of its own."""
        if run and mark is not None:
            again = {"class": mark.style, "data-claim": str(mark.number)}
            row = Element("mrow", again if mark.number in self.seen else mark.attributes)
            self.seen.add(mark.number)
            row[:] = run
            parent.append(row)
            run.clear()


def has_edges(element: Element) -> bool:
    """Whether a marked part starts or ends in an element."""
    return any(EDGE.fullmatch(part.text or "") for part in element.iter("mtext"))
