r"""``\int_a^b f(x) dx``, ``\min_x f(x)``: values of which a page says no more than how they are written.

An integral is one name, and so is what is extreme, or a limit, over the values of a letter. What it is taken over goes
by a number in it, so that the same value over another letter is the same; an index that also stands outside of it is
its index too. The name keeps the tokens that it is made of.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from indexcalc.document.statements.nesting import after_scripts
from indexcalc.language.latex.signs import group_end
from indexcalc.language.latex.tokens import Inside, Token

SIGN = "int"
"""The text of the sign of an integral."""

OPENING, CLOSING = ("(", "[", "{"), (")", "]", "}")

ENDS = frozenset({"REL", "NEWLINE", "AMP", "COMMA", "SEMICOLON"})
"""What stands in no integral, outside of its brackets."""

LONGEST = 300
"""The most tokens of an integral."""

EXTREMES = frozenset({"max", "min", "sup", "inf", "lim", "limsup", "liminf", "argmax", "argmin"})
"""The words for what is taken over the values of the letters below them."""


def with_integrals(tokens: Sequence[Token]) -> list[Token]:
    """The tokens of one formula, integrals and extreme values as names; one whose end is not seen stays as it is."""
    tokens = with_scripts_below(tokens)
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
        end = integral_end(tokens, position) if is_sign(tokens[position]) else extreme_end(tokens, position)
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


def with_scripts_below(tokens: Sequence[Token]) -> list[Token]:
    r"""The tokens, ``\underset{x}{\min}`` as ``\min_{x}``."""
    result: list[Token] = []
    position = 0
    while position < len(tokens):
        first = position + 1
        middle = group_end(tokens, first) if tokens[position].text == "underset" else first
        end = group_end(tokens, middle)
        word = tokens[middle + 1 : end - 1]
        if first < middle < end and extreme_word(word, 0) == len(word):
            sign = Token("SUB", "_", tokens[position].start)
            result.extend([*word, sign, *tokens[first:middle]])
            position = end
        else:
            result.append(tokens[position])
            position += 1
    return result


def extreme_word(tokens: Sequence[Token], start: int) -> int:
    """Where a word ends for what is taken over letters; 0 if none begins here."""
    words = [token.text if token.kind == "NAME" else "" for token in tokens[start : start + 2]]
    if words[:1] == ["arg"] and words[1:] in (["max"], ["min"]):
        return start + 2
    return start + 1 if words and words[0] in EXTREMES else 0


def extreme_end(tokens: Sequence[Token], start: int) -> int:
    """Where an extreme value, or a limit, ends that begins here: with the member; 0 if nothing stands below it."""
    word = extreme_word(tokens, start)
    if not word or word >= len(tokens) or tokens[word].kind != "SUB":
        return 0
    depth, body = 0, after_scripts(tokens, word)
    for position in range(body, min(len(tokens), start + LONGEST)):
        token = tokens[position]
        depth += (token.kind in OPENING) - (token.kind in CLOSING)
        if depth < 0 or (depth == 0 and (token.kind in ENDS or token.kind in ("QUAD", "TEXT"))):
            return position if position > body else 0
    return len(tokens) if depth == 0 and len(tokens) > body else 0


def drawn_in(tokens: Sequence[Token]) -> Iterator[str]:
    """The names over which an integral is taken, or an extreme value: those below it, up to what they lie in."""
    word = extreme_word(tokens, 0)
    if not word:
        yield from (tokens[n + 1].text for n in range(len(tokens)) if is_differential(tokens, n))
        return
    below = [token for token in tokens[word + 1 : after_scripts(tokens, word)] if token.kind not in ("{", "}")]
    for position in range(0, len(below), 2):
        behind = below[position + 1 : position + 2]
        ends = not behind or behind[0].kind in ("COMMA", "COLON") or behind[0].text in ("in", "->")
        if below[position].kind != "NAME" or not ends:
            return
        yield below[position].text
        if behind and behind[0].kind != "COMMA":
            return


@dataclass(frozen=True)
class Parts:
    """What an integral is made of.

    Attributes:
        domain: what stands below and above its signs.
        body: what it is taken of.
        drawn: the names that it is taken over, with their primes.
    """

    domain: tuple[Token, ...]
    body: tuple[Token, ...]
    drawn: tuple[tuple[Token, ...], ...]


def parts_of(tokens: Sequence[Token]) -> Parts | None:
    """The parts of an integral over names; None if it holds another integral, or its names bear scripts."""
    position, domain = 0, list[Token]()
    while position < len(tokens) and tokens[position].kind == "SUM":
        end = after_scripts(tokens, position + 1)
        domain.extend(tokens[position + 1 : end])
        position = end
    body, drawn, depth = list[Token](), list[tuple[Token, ...]](), 0
    while position < len(tokens):
        token = tokens[position]
        depth += (token.kind in OPENING) - (token.kind in CLOSING)
        if depth == 0 and is_differential(tokens, position):
            end = position + 2
            while end < len(tokens) and tokens[end].kind == "PRIME":
                end += 1
            drawn.append(tuple(tokens[position + 1 : end]))
            position = end
            if after_scripts(tokens, position) > position:
                return None
            continue
        if is_sign(token):
            return None
        body.append(token)
        position += 1
    return Parts(tuple(domain), tuple(body), tuple(drawn)) if body and drawn else None


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


def single_braces(tokens: Sequence[Token]) -> frozenset[int]:
    """The places of braces around one token alone, which say nothing."""
    kinds = [token.kind for token in tokens]
    lone = (n for n in range(len(kinds) - 2) if kinds[n] == "{" and kinds[n + 2] == "}")
    return frozenset(place for n in lone for place in (n, n + 2))


def named(tokens: Sequence[Token], around: Counter[str]) -> list[Token]:
    """The name of an integral, with the indices below it that also stand around it."""
    over = {name: f"#{number}" for number, name in enumerate(dict.fromkeys(drawn_in(tokens)), 1)}
    own = {place: token.text for place, token in indices(tokens) if token.text in around and token.text not in over}
    free = list(dict.fromkeys(own.values()))
    places = {letter: f"@{number}" for number, letter in enumerate(free, 1)}
    single = single_braces(tokens)
    words = (places[own[n]] if n in own else over.get(t.text, t.text) for n, t in enumerate(tokens) if n not in single)
    text = "".join(words)
    head = "".join(token.text for token in tokens[: extreme_word(tokens, 0) or 1])
    inside = Inside(tuple(tokens), tuple(free))
    text = f"{head}[{text.removeprefix(head)}]"
    name = replace(tokens[0], kind="NAME", text=text, last=tokens[-1].start, inside=inside)
    if not free:
        return [name]
    below = [replace(tokens[0], kind="NAME", text=letter) for letter in free]
    script = [Token("SUB", "_", tokens[0].start), Token("{", "{", tokens[0].start), *below]
    return [name, *script, Token("}", "}", tokens[0].start)]
