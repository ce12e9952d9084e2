"""Chains ``name = formula = figures = figure`` among the tokens of a worksheet."""

from __future__ import annotations

from dataclasses import dataclass, field

from indexcalc.figures.nodes import Figure, Name, Node, Rows, figure_items, shape_of
from indexcalc.figures.parser import read_expression
from indexcalc.figures.tokens import Token

SEPARATORS = frozenset({",", ";", ":", ".", "|", "line", "relation", "becomes", "quad", "word"})
RELATIONS = frozenset({"relation", "becomes"})
FOLLOWERS = SEPARATORS | RELATIONS | {"&", "name", "dots", ")", "]", "}", "?", "!", '"', "'", "—", "→", ">", "<"}
"""What may stand behind a member that is read in full; anything else shows that it goes on."""

LABEL_LIMIT = 6
"""The most words before a colon that name what follows."""


@dataclass(frozen=True)
class Member:
    """One side of a relation.

    Attributes:
        relation: the sign before it; empty for a head.
        node: its expression; None if it cannot be read.
        start: where it starts.
        end: where it ends.
        note: what stands behind it in parentheses.
        becomes: whether it is a value after the update.
        unread_figures: whether it cannot be read, but holds figures.
    """

    relation: str
    node: Node | None
    start: int
    end: int
    note: str = ""
    becomes: bool = False
    unread_figures: bool = False


@dataclass(frozen=True)
class Chain:
    """A head with what is stated of it.

    Attributes:
        head: the expression on the left, or None.
        label: the words on the left, or before the head.
        members: the other sides.
        start: where the head starts.
    """

    head: Node | None
    label: tuple[str, ...]
    members: tuple[Member, ...]
    start: int


@dataclass
class Cutter:
    """The tokens of a document, and the chains found so far."""

    tokens: list[Token]
    text: str
    chains: list[Chain] = field(default_factory=list)
    cursor: int = 0

    def run(self) -> list[Chain]:
        """All chains, in order."""
        at = 0
        while at < len(self.tokens):
            kind = self.tokens[at].kind
            if kind in RELATIONS:
                at = self.chain(at)
            elif kind == ":" and (end := self.labelled(at)):
                at = end
            elif kind == "|":
                at = self.cell(at)
            else:
                at += 1
        return self.chains

    def chain(self, at: int) -> int:
        """Read the chain whose first relation is here; where it ends."""
        head, label, start = self.head(at)
        members: list[Member] = []
        end = at
        while at < len(self.tokens) and self.tokens[at].kind in RELATIONS:
            member, end = self.member(at)
            members.append(member)
            at = self.next_relation(end)
        self.cursor = end
        if head is not None or label:
            self.chains.append(Chain(head, label, tuple(members), start))
        return end

    def head(self, at: int) -> tuple[Node | None, tuple[str, ...], int]:
        """The longest expression that ends before a relation, with the words before it."""
        end = at
        while end > self.cursor and self.tokens[end - 1].kind == "&":
            end -= 1
        first = end
        depth = 0
        while first > self.cursor:
            kind = self.tokens[first - 1].kind
            depth += (kind in ("]", ")", "}")) - (kind in ("[", "(", "{"))
            if (depth == 0 and kind in SEPARATORS) or depth < 0:
                break
            first -= 1
        for start in range(first, end):
            found = read_expression(self.tokens, start, end)
            if found is not None and found[1] == end:
                words = tuple(token.text for token in self.tokens[first:start] if token.kind == "name")
                return found[0], words + self.before_colon(first), self.tokens[start].start
        words = tuple(token.text for token in self.tokens[first:end] if token.kind == "name")
        return None, words, self.tokens[first].start if first < end else self.tokens[at].start

    def before_colon(self, first: int) -> tuple[str, ...]:
        """The words before a colon that stands right before a head: ``Learning rate: η = 0.1``."""
        if first < 2 or self.tokens[first - 1].kind != ":":
            return ()
        words: list[str] = []
        at = first - 2
        while at >= 0 and self.tokens[at].kind == "name":
            words.insert(0, self.tokens[at].text)
            at -= 1
        return tuple(words)

    def member(self, at: int) -> tuple[Member, int]:
        """The side behind a relation, and where the rest of the line begins."""
        relation = self.tokens[at]
        first = at + 1
        while first < len(self.tokens) and self.tokens[first].kind in ("&", "line") and not self.empty_line(first):
            first += 1
        found = read_expression(self.tokens, first, len(self.tokens)) if first < len(self.tokens) else None
        becomes = relation.kind == "becomes"
        start = self.tokens[first].start if first < len(self.tokens) else relation.start
        if found is None:
            end = self.line_end(first)
            stop = self.tokens[end - 1].end if end > first else start
            return Member(relation.text, None, start, stop, "", becomes, self.figures(first, end)), end
        node, end = found
        note, end = self.note(end)
        node, end, more = self.below(node, end)
        if self.goes_on(end):
            end = self.line_end(end)
            stop = self.tokens[end - 1].end
            return Member(relation.text, None, start, stop, "", becomes, self.figures(first, end)), end
        stop = self.tokens[end - 1].end
        return Member(relation.text, node, start, stop, " ".join((note, more)).strip(), becomes), end

    def goes_on(self, at: int) -> bool:
        """Whether what stands here belongs to the member before it, such as a sum sign or a function."""
        if at >= len(self.tokens):
            return False
        token = self.tokens[at]
        if token.kind not in FOLLOWERS:
            return True
        if token.kind != "name":
            return False
        touches = self.tokens[at - 1].end == token.start
        after = self.tokens[at + 1] if at + 1 < len(self.tokens) else None
        return touches or (after is not None and after.kind in ("(", "[") and after.start == token.end)

    def figures(self, start: int, end: int) -> bool:
        """Whether a number with a point stands here."""
        return any(token.figure is not None and not token.figure.whole for token in self.tokens[start:end])

    def empty_line(self, at: int) -> bool:
        """Whether two line ends stand here."""
        return self.tokens[at].kind == "line" and at + 1 < len(self.tokens) and self.tokens[at + 1].kind == "line"

    def line_end(self, at: int) -> int:
        """The end of the line, or the next relation in it."""
        while at < len(self.tokens) and self.tokens[at].kind not in ("line", *RELATIONS):
            at += 1
        return at

    def note(self, at: int) -> tuple[str, int]:
        """Words in parentheses that stand here, and where they end."""
        if at >= len(self.tokens) or self.tokens[at].kind != "(":
            return "", at
        end = at
        while end < len(self.tokens) and self.tokens[end].kind not in (")", "line"):
            end += 1
        if end >= len(self.tokens) or self.tokens[end].kind != ")":
            return "", at
        return self.text[self.tokens[at].end : self.tokens[end].start], end + 1

    def below(self, node: Node, end: int) -> tuple[Node, int, str]:
        """The matrix whose first row is read, if other rows of the same length stand in the lines below."""
        shape = shape_of(node)
        if shape is None or len(shape) != 1:
            return node, end, ""
        rows, notes = [node], []
        while end + 1 < len(self.tokens) and self.tokens[end].kind == "line" and self.tokens[end + 1].kind == "[":
            found = read_expression(self.tokens, end + 1, len(self.tokens))
            if found is None or len(shape_of(found[0]) or ()) != 1:
                break
            after_note, after = self.note(found[1])
            if after < len(self.tokens) and self.tokens[after].kind != "line":
                break
            rows.append(found[0])
            notes.append(after_note)
            end = after
        return (Rows(tuple(rows)) if len(rows) > 1 else node), end, " ".join(notes)

    def next_relation(self, at: int) -> int:
        """Where the chain goes on: here, or at the beginning of the next line."""
        ahead = at
        while ahead < len(self.tokens) and self.tokens[ahead].kind in ("line", "&") and not self.empty_line(ahead):
            ahead += 1
        if ahead < len(self.tokens) and self.tokens[ahead].kind in RELATIONS:
            return ahead
        return len(self.tokens)

    def labelled(self, at: int) -> int:
        """Read ``Words: figures``; where it ends, or 0 if that is not what stands here."""
        words: list[str] = []
        first = at
        while first > self.cursor and self.tokens[first - 1].kind == "name" and len(words) <= LABEL_LIMIT:
            first -= 1
            words.insert(0, self.tokens[first].text)
        starts_line = first == 0 or self.tokens[first - 1].kind in ("line", "|")
        found = read_expression(self.tokens, at + 1, len(self.tokens))
        if not words or not starts_line or found is None or not isinstance(found[0], Figure | Rows):
            return 0
        node, end = found
        if next(iter(figure_items(node)), None) is None or self.next_relation(end) < len(self.tokens):
            return 0
        if isinstance(node, Figure) and node.whole:
            return 0
        note, end = self.note(end)
        node, end, more = self.below(node, end)
        if end < len(self.tokens) and self.tokens[end].kind not in ("line", ".", ",", ";", "|"):
            return 0
        member = Member(":", node, self.tokens[at + 1].start, self.tokens[end - 1].end, f"{note} {more}".strip())
        self.chains.append(Chain(None, tuple(words), (member,), self.tokens[first].start))
        self.cursor = end
        return end

    def cell(self, at: int) -> int:
        """Read the cell of a table behind this bar: a name whose figures stand in the next cell."""
        named = read_expression(self.tokens, at + 1, len(self.tokens))
        if named is None or not isinstance(named[0], Name) or named[1] >= len(self.tokens):
            return at + 1
        bar = named[1]
        if self.tokens[bar].kind != "|":
            return at + 1
        found = read_expression(self.tokens, bar + 1, len(self.tokens))
        if found is None or not isinstance(found[0], Figure | Rows):
            return at + 1
        node, end = found
        if end < len(self.tokens) and self.tokens[end].kind not in ("|", "line"):
            return at + 1
        member = Member("|", node, self.tokens[bar + 1].start, self.tokens[end - 1].end)
        self.chains.append(Chain(named[0], (), (member,), self.tokens[at + 1].start))
        self.cursor = end
        return end


def find_chains(tokens: list[Token], text: str) -> list[Chain]:
    """Every chain with a relation sign, every label with figures behind its colon, every name beside its cell."""
    return Cutter(tokens, text).run()
