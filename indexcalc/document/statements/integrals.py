r"""``\int_a^b f(x) dx``: values of which a page says no more than how they are written.

An integral is one name. What it is taken over goes by a number in it, so that the same integral over another letter
is the same value; an index that also stands outside of it is its index too. The name keeps the tokens of the integral.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from indexcalc.document.statements.differentials import after_scripts
from indexcalc.language.latex.tokens import Inside, Token

SIGN = "int"
"""The text of the sign of an integral."""

OPENING, CLOSING = ("(", "[", "{"), (")", "]", "}")

ENDS = frozenset({"REL", "NEWLINE", "AMP", "COMMA", "SEMICOLON"})
"""What stands in no integral, outside of its brackets."""

LONGEST = 300
"""The most tokens of an integral."""


def with_integrals(tokens: Sequence[Token]) -> list[Token]:
    """The tokens of one formula, integrals as names; one whose end is not seen stays as it is."""
    places = list(integrals(tokens))
    inside = {n for start, end in places for n in range(start, end)}
    around = Counter(letter.text for n, letter in indices(tokens) if n not in inside)
    result: list[Token] = []
    position = 0
    for start, end in places:
        result.extend([*tokens[position:start], *named(tokens[start:end], around)])
        position = end
    return [*result, *tokens[position:]]


def integrals(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Where integrals begin and end."""
    position = 0
    while position < len(tokens):
        end = integral_end(tokens, position) if is_sign(tokens[position]) else 0
        if end:
            yield position, end
        position = max(end, position + 1)


def is_sign(token: Token) -> bool:
    """Whether a token is the sign of an integral."""
    return token.kind == "SUM" and token.text == SIGN


def integral_end(tokens: Sequence[Token], start: int) -> int:
    """Where the integral ends that begins here: behind as many differentials as it has signs; 0 if they are not seen.

    Where a differential follows its sign, the integral ends with the term.
    """
    depth, signs, leads, position = 0, 0, False, start
    while position < min(len(tokens), start + LONGEST):
        token = tokens[position]
        depth += (token.kind in OPENING) - (token.kind in CLOSING)
        if depth < 0 or (depth == 0 and (token.kind in ENDS or (leads and token.kind in ("PLUS", "MINUS")))):
            break
        if depth == 0 and is_sign(token):
            signs, position = signs + 1, after_scripts(tokens, position + 1)
            if signs == 1:
                leads = is_differential(tokens, position)
            continue
        if depth == 0 and not leads and is_differential(tokens, position):
            signs, position = signs - 1, after_scripts(tokens, position + 2)
            if signs == 0:
                return position
            continue
        position += 1
    return position if leads and depth <= 0 else 0


def is_differential(tokens: Sequence[Token], position: int) -> bool:
    """Whether a d and a name stand here."""
    return position + 1 < len(tokens) and tokens[position].text == "d" and tokens[position + 1].kind == "NAME"


def indices(tokens: Sequence[Token]) -> Iterator[tuple[int, Token]]:
    """The letters in subscripts, each with its place."""
    for position, token in enumerate(tokens):
        if token.kind == "SUB":
            for place in range(position + 1, after_scripts(tokens, position)):
                if tokens[place].kind == "SUP":
                    break
                if tokens[place].kind == "NAME" and len(tokens[place].text) == 1 and tokens[place].text.islower():
                    yield place, tokens[place]


def named(tokens: Sequence[Token], around: Counter[str]) -> list[Token]:
    """The name of an integral, with the indices below it that also stand around it."""
    ends = (tokens[position + 1].text for position in range(len(tokens)) if is_differential(tokens, position))
    over = {name: f"#{number}" for number, name in enumerate(dict.fromkeys(ends), 1)}
    own = {place: token.text for place, token in indices(tokens)}
    free = [letter for letter in dict.fromkeys(own.values()) if letter in around and letter not in over]
    places = {letter: f"@{number}" for number, letter in enumerate(dict.fromkeys(own.values()), 1)}
    words = (places[own[n]] if n in own else over.get(token.text, token.text) for n, token in enumerate(tokens))
    text = "".join(word for word in words if word not in ("{", "}"))
    inside = Inside(tuple(tokens), tuple(free))
    name = replace(tokens[0], kind="NAME", text=f"{SIGN}[{text}]", last=tokens[-1].start, inside=inside)
    if not free:
        return [name]
    below = [replace(tokens[0], kind="NAME", text=letter) for letter in free]
    script = [Token("SUB", "_", tokens[0].start), Token("{", "{", tokens[0].start), *below]
    return [name, *script, Token("}", "}", tokens[0].start)]
