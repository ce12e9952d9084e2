"""Formulas by their text alone: pieces of LaTeX, and the chains of relations in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.campaign.documents.blocks import closed

RELATIONS = {
    **dict.fromkeys((":=", r"\coloneqq", r"\triangleq", r"\equiv", "="), "="),
    **dict.fromkeys((r"\in", r"\to", r"\mapsto", r"\sim", r"\approx", r"\propto", r"\simeq", r"\gets", "<", ">"), "?"),
    **dict.fromkeys((r"\le", r"\leq", r"\ge", r"\geq", r"\ne", r"\neq", r"\ll", r"\gg", r"\leftarrow", r"\iff"), "?"),
    **dict.fromkeys((r"\Rightarrow", r"\implies", r"\Leftrightarrow", r"\rightarrow", r"\longrightarrow"), "?"),
}
"""Signs between members; those of an equation are all written ``=`` here."""

OPEN_ROWS = frozenset(
    {"align", "aligned", "split", "gather", "gathered", "multline", "eqnarray", "equation", "alignat"}
)
"""Environments whose rows are rows of the formula itself."""

PIECE = re.compile(
    r"\\begin\{[a-z]+\*?\}|\\end\{[a-z]+\*?\}|\\\\(?:\s*\[[^\]\n]*\])?|\\[A-Za-z]+|\\.|:=|%[^\n]*|[0-9]+(?:\.[0-9]+)?|\s+|."
    r"|\n",
    re.DOTALL,
)

BREAKS = frozenset({",", ";", r"\quad", r"\qquad", r"\text", r"\mbox", r"\textrm", r"\Rightarrow", r"\implies"})
"""What ends a statement outside all brackets."""

CARRIED = re.compile(r"(?:\s|&|\\q?quad(?![A-Za-z]))*(?:[-+]|\\cdot\b|\\times\b|\\pm\b|\\odot\b)")
"""How a row begins that goes on with the member of the row before."""

ROWS = "|".join(sorted(OPEN_ROWS))
NOTHING = r"\s|&|\\q?quad(?![A-Za-z])|\\(?:nonumber|notag|displaystyle)\b|\\(?:label|tag)\{[^{}]*\}|\\[,;:! ]"
BEFORE = re.compile(rf"(?:{NOTHING}|\\boxed\{{|\\begin\{{(?:{ROWS})\*?\}}(?:\{{\d+\}})?)+")
BEHIND = re.compile(rf"(?:{NOTHING}|[.,;]|\\\\(?:\s*\[[^\]\n]*\])?|\\end\{{(?:{ROWS})\*?\}})+$")


@dataclass(frozen=True)
class Member:
    """A member of a chain: the relation before it, where that starts, and from where to where the member stands."""

    relation: str
    mark: int
    start: int
    end: int


@dataclass
class Chain:
    """Members with relations between them."""

    members: list[Member] = field(default_factory=list)

    @property
    def start(self) -> int:
        """Where the head starts."""
        return self.members[0].start

    @property
    def end(self) -> int:
        """Where the last member ends."""
        return self.members[-1].end


def chains_in(text: str, start: int, end: int) -> list[Chain]:
    """The chains of a formula, in order; a formula without a relation is a chain of one member."""
    found: list[Chain] = []
    for first, last, rowed in statements_in(text, start, end):
        members = list(members_in(text, first, last))
        head = members[0]
        if found and head.start == head.end and len(members) > 1:
            found[-1].members += members[1:]
        elif found and rowed and head.start < head.end and (CARRIED.match(text, first) or len(members) == 1):
            before = found[-1].members.pop()
            found[-1].members += [Member(before.relation, before.mark, before.start, head.end), *members[1:]]
        elif head.start < head.end:
            found.append(Chain(members))
    return found


def statements_in(text: str, start: int, end: int) -> Iterator[tuple[int, int, bool]]:
    """Where each statement of a formula starts and ends, and whether it starts a row."""
    first, rowed = start, False
    for at, piece in outermost(text, start, end):
        if piece in (r"\quad", r"\qquad") and not text[first:at].strip(" \t\n&"):
            continue
        if piece.startswith("\\\\") or piece in BREAKS:
            yield first, at, rowed
            rowed = piece.startswith("\\\\")
            first = at + len(piece)
            if piece in (r"\text", r"\mbox", r"\textrm") and text[first : first + 1] == "{":
                first = closed(text, first)
    yield first, end, rowed


def members_in(text: str, start: int, end: int) -> Iterator[Member]:
    """The members of a statement; the first may be empty."""
    relation, mark, first = "", start, start
    for at, piece in outermost(text, start, end):
        if piece in RELATIONS:
            yield trimmed(text, Member(relation, mark, first, at))
            relation, mark, first = RELATIONS[piece], at, at + len(piece)
    yield trimmed(text, Member(relation, mark, first, end))


def trimmed(text: str, member: Member) -> Member:
    """A member without blanks, labels and punctuation around it."""
    before = BEFORE.match(text, member.start, member.end)
    start, end = before.end() if before else member.start, member.end
    while True:
        behind = BEHIND.search(text[start:end])
        end = start + behind.start() if behind else end
        if not (text[start:end].endswith("}") and unopened(text[start:end])):
            return Member(member.relation, member.mark, start, end)
        end -= 1


def unopened(text: str) -> bool:
    """Whether more braces close than open."""
    bare = re.sub(r"\\.", "", text)
    return bare.count("}") > bare.count("{")


def outermost(text: str, start: int, end: int) -> Iterator[tuple[int, str]]:
    """The pieces of a formula outside all brackets, with their places; a box around it all is none."""
    inside: list[bool] = []
    before = ""
    for match in PIECE.finditer(text, start, end):
        piece = match.group()
        if piece.startswith(("\\begin{", "\\end{")):
            if piece[piece.index("{") + 1 : -1].rstrip("*") not in OPEN_ROWS:
                if piece.startswith("\\begin"):
                    inside.append(True)
                elif inside:
                    inside.pop()
        elif piece in ("{", "(", "[", r"\{", r"\langle"):
            inside.append(before != r"\boxed")
        elif piece in ("}", ")", "]", r"\}", r"\rangle"):
            if inside:
                inside.pop()
        elif not any(inside):
            yield match.start(), piece
        before = piece


INDICES = re.compile(r"[\sa-z0-9,()+-]*|\\[a-z]+")
FONTS = (
    "mathbf|boldsymbol|bm|mathrm|mathit|mathsf|mathcal|mathbb|mathfrak|vec|hat|tilde|bar|overline|widetilde|widehat|dot"
)
NAME = re.compile(
    rf"(?P<base>(?:\\(?:{FONTS})\s*)*(?:\{{(?:\\(?:{FONTS})\s*)*\{{?(?:\\?[A-Za-z]+)\}}?\}}|\\[A-Za-z]+|[A-Za-z]+))'*"
    r"(?P<scripts>(?:\s*[_^]\s*(?:\{(?:[^{}]|\{[^{}]*\})*\}|\\[A-Za-z]+|[A-Za-z0-9*]))*)\s*"
)
SCRIPT = re.compile(r"([_^])\s*(\{(?:[^{}]|\{[^{}]*\})*\}|\\[A-Za-z]+|[A-Za-z0-9*])")


def name_of(head: str) -> str:
    """The name that a head consists of, without its index; empty if it is anything else."""
    match = NAME.fullmatch(head.strip())
    if match is None or match["base"] in NO_NAMES:
        return ""
    labels = [
        f"{mark}{script}"
        for mark, script in SCRIPT.findall(match["scripts"])
        if mark == "^" or not INDICES.fullmatch(script.strip("{}"))
    ]
    return re.sub(r"\s", "", "".join((match["base"], *labels)))


NO_NAMES = frozenset({r"\sum", r"\prod", r"\int", r"\partial", r"\nabla", r"\frac", r"\sqrt", r"\left", r"\delta"})
