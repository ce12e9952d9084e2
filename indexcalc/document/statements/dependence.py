r"""Words that bear, as if they were functions, what they are made from: ``rms(x)_i`` for ``rms_i``; and their loss.

A word does so if each of its lists holds names alone that its own equation reads, or one entry of such a name
(``rms(x_{ij})``), and it has indices, or also stands without a list. What is applied to anything else is a function.

The loss of such a document is often written ``f(rms(x))`` where it is differentiated, and only there: it is f, and
``df`` its gradient by the one tensor through which the chain rule goes, ``\sum_k \partial f/\partial Y_k \cdot
\partial Y_k/\partial x_i``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from indexcalc.document.statements.applications import list_of
from indexcalc.document.statements.layer_marks import argument
from indexcalc.language.latex.runs import SHORT
from indexcalc.language.latex.tokens import Token
from indexcalc.language.latex.vocabulary import FUNCTIONS, STRUCTURAL

Tokens = Sequence[Token]

LOSS = "f"
"""The letter of a loss that is written as a function of what it is made from."""

STARTS = frozenset({"NEWLINE", "AMP", "QUAD", "COMMA", "BEGIN", "END", "TEXT"})
"""What stands before an equation."""


@dataclass
class Uses:
    """How a word is used.

    Attributes:
        lists: the names in its lists, in small letters.
        entries: the names of which an entry is its list.
        bodies: the names on the right sides of its equations.
        indexed: whether it has indices behind a list.
        alone: whether it heads an equation or a declaration without a list.
        other: whether it is applied to anything else.
    """

    lists: set[str] = field(default_factory=set)
    entries: set[str] = field(default_factory=set)
    bodies: set[str] = field(default_factory=set)
    indexed: bool = False
    alone: bool = False
    other: bool = False

    @property
    def is_tensor(self) -> bool:
        """Whether the lists only say what the word is made from."""
        read = bool(self.lists | self.entries) and (self.lists | self.entries) <= self.bodies
        return read and not self.other and (self.alone or self.indexed)


def with_dependences(pieces: Sequence[list[Token]]) -> list[list[Token]]:
    """The tokens of a document's mathematics without the lists of such words, and with their loss by its name."""
    uses: dict[str, Uses] = {}
    for tokens in pieces:
        for position, token in enumerate(tokens):
            if is_word(token):
                look_at(tokens, position, uses.setdefault(token.text, Uses()))
    words = {name for name, found in uses.items() if found.is_tensor}
    plain = [list(without_lists(tokens, words)) for tokens in pieces] if words else list(pieces)
    return with_loss(plain)


def is_word(token: Token) -> bool:
    """Whether a token is a name of several letters, and that of no function that is known."""
    known = token.text in FUNCTIONS or token.text in STRUCTURAL
    return token.kind == "NAME" and len(token.text) >= SHORT and token.text.isalpha() and not known


def look_at(tokens: Tokens, position: int, uses: Uses) -> None:
    """Note one use of a word."""
    members, end = list_of(tokens, position + 1)
    after = end or position + 1
    if end:
        names = [one_name(member) for member in members]
        bare = [name for name, indexed in names if name and not indexed]
        entry = len(names) == 1 and names[0][0] and names[0][1]
        uses.lists.update(name.lower() for name in bare)
        uses.entries.update({names[0][0].lower()} if entry else ())
        uses.other |= not entry and len(bare) < len(names)
    if after < len(tokens) and tokens[after].kind == "SUB":
        uses.indexed |= bool(end)
        after = argument(tokens, after + 1)[1]
    while after < len(tokens) and tokens[after].kind == "AMP":
        after += 1
    heads = (position == 0 or tokens[position - 1].kind in STARTS) and after < len(tokens)
    if heads and tokens[after].text in ("=", ":=", "in"):
        uses.alone |= not end
        uses.bodies.update(token.text.lower() for token in tokens[after:] if token.kind == "NAME")


def one_name(tokens: Tokens) -> tuple[str, bool]:
    """``(name, whether it has indices)`` of what is one name; no name for anything else."""
    if not tokens or tokens[0].kind != "NAME":
        return "", False
    if len(tokens) == 1:
        return tokens[0].text, False
    whole = tokens[1].kind == "SUB" and argument(tokens, 2)[1] == len(tokens)
    return (tokens[0].text, True) if whole else ("", False)


def without_lists(tokens: Tokens, words: set[str]) -> Iterator[Token]:
    """The tokens without the lists of these words; the indices of an entry are those of the word."""
    position = 0
    while position < len(tokens):
        token = tokens[position]
        yield token
        position += 1
        if token.kind != "NAME" or token.text not in words:
            continue
        members, end = list_of(tokens, position)
        if end:
            yield from members[0][1:] if len(members) == 1 else ()
            position = end


def with_loss(pieces: Sequence[list[Token]]) -> list[list[Token]]:
    """The tokens with ``f(...)`` that is only differentiated as f, and with ``df`` as its gradient."""
    lists: dict[str, bool] = {}
    for tokens in pieces:
        for position, end in calls(tokens):
            text = text_of(tokens[position + 1 : end])
            only = position > 0 and tokens[position - 1].kind == "PARTIAL" and is_array(tokens[position + 2 : end - 1])
            lists[text] = lists.get(text, True) and only
    if not any(lists.values()):
        return list(pieces)
    named = [list(as_loss(tokens, lists)) for tokens in pieces]
    through = {text_of(target[:1]): target for tokens in named for target in passed(tokens)}
    if len(through) != 1:
        return named
    ((target, *_),) = through.values()
    return [list(with_gradient(tokens, target)) for tokens in named]


def calls(tokens: Tokens) -> Iterator[tuple[int, int]]:
    """Where f stands before a bracket, and where that ends."""
    for position, token in enumerate(tokens):
        if token.kind == "NAME" and token.text == LOSS:
            _, end = list_of(tokens, position + 1)
            if end:
                yield position, end


def is_array(tokens: Tokens) -> bool:
    """Whether what f is applied to is more than the variable of a rule such as ``(f(x) g(x))'``."""
    names = [token.text for token in tokens if token.kind == "NAME"]
    return any(len(name) > 1 or name.isupper() for name in names)


def text_of(tokens: Tokens) -> str:
    """What tokens are, in one word."""
    return " ".join(token.text for token in tokens)


def as_loss(tokens: Tokens, lists: Mapping[str, bool]) -> Iterator[Token]:
    """The tokens with f for ``f(...)``."""
    skipped = {
        place
        for position, end in calls(tokens)
        if lists[text_of(tokens[position + 1 : end])]
        for place in range(position + 1, end)
    }
    yield from (token for place, token in enumerate(tokens) if place not in skipped)


def passed(tokens: Tokens) -> Iterator[Tokens]:
    """The tensors through which a chain rule of f goes: f is differentiated by them, and they are next to it."""
    for position, token in enumerate(tokens):
        found = fraction(tokens, position) if token.kind == "FRAC" else None
        if found is None or text_of(found[0][1:]) != LOSS:
            continue
        after = found[2]
        while after < len(tokens) and tokens[after].kind in ("DOT", "TIMES"):
            after += 1
        following = fraction(tokens, after) if after < len(tokens) and tokens[after].kind == "FRAC" else None
        if following is not None and text_of(following[0]) == text_of(found[1]):
            yield found[1][1:]


def fraction(tokens: Tokens, position: int) -> tuple[Tokens, Tokens, int] | None:
    """The numerator and the denominator of a derivative, and where it ends; None for another fraction."""
    upper, middle = argument(tokens, position + 1)
    lower, end = argument(tokens, middle)
    both = all(len(part) > 1 and part[0].kind == "PARTIAL" for part in (upper, lower))
    return (upper, lower, end) if both else None


def with_gradient(tokens: Tokens, target: Token) -> Iterator[Token]:
    """The tokens with the derivative of f by a tensor for ``df``."""
    position = 0
    while position < len(tokens):
        pair = [token.text for token in tokens[position : position + 2]]
        width = 1 if pair[:1] == ["d" + LOSS] else 2 if pair == ["d", LOSS] and touching(tokens, position) else 0
        if not width or (position and tokens[position - 1].kind in ("SUB", "SUP")):
            yield tokens[position]
            position += 1
            continue
        start = tokens[position].start
        position += width
        scripts: Tokens = ()
        if position < len(tokens) and tokens[position].kind == "SUB":
            end = argument(tokens, position + 1)[1]
            scripts, position = tokens[position:end], end
        mark = Token("PARTIAL", "partial", start)
        yield from (Token("FRAC", "frac", start), Token("{", "{", start), mark, Token("NAME", LOSS, start))
        yield from (
            Token("}", "}", start),
            Token("{", "{", start),
            mark,
            replace(target, start=start, last=-1),
            *scripts,
        )
        yield Token("}", "}", start)


def touching(tokens: Tokens, position: int) -> bool:
    """Whether nothing stands between two letters."""
    return tokens[position + 1].start - tokens[position].start == 1
