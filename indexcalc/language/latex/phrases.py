"""Names for what a note writes out each time: ``softmax(x_{ij})`` as ``Y_{ij}``, ``df`` as one name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from indexcalc.language.latex.tokens import Token, tokenize


@dataclass(frozen=True, slots=True)
class Phrase:
    """What is written, a function of one name or letters in a row, and the name that it becomes.

    Attributes:
        letters: the letters of the name of the function, or of the phrase.
        argument: the function's argument; empty for letters in a row.
        name: the name in its place.
    """

    letters: tuple[str, ...]
    argument: str
    name: str


def phrase_of(written: str, name: str) -> Phrase | None:
    """The phrase that a context writes as ``softmax(x)`` or ``df``; None for a plain name."""
    tokens = tokenize(written)
    kinds = [token.kind for token in tokens]
    if kinds[1:] == ["(", "NAME", ")"] and kinds[0] == "NAME":
        return Phrase((tokens[0].text,), tokens[2].text, name)
    letters = []
    for token in tokens:
        if token.kind != "NAME":
            break
        letters.append(token.text)
    return Phrase(tuple(letters), "", "".join(letters)) if len(letters) > 1 else None


def with_names(tokens: Sequence[Token], phrases: Sequence[Phrase]) -> list[Token]:
    """The tokens with each phrase's name in its place, phrase after phrase; subscripts of an argument go with it."""
    result = list(tokens)
    for phrase in phrases:
        result = replaced(result, phrase)
    return result


def replaced(tokens: Sequence[Token], phrase: Phrase) -> list[Token]:
    """The tokens with one phrase replaced."""
    result: list[Token] = []
    position = 0
    while position < len(tokens):
        end = call_at(tokens, position, phrase) if phrase.argument else letters_at(tokens, position, phrase)
        if end is None:
            result.append(tokens[position])
            position += 1
            continue
        result.append(Token("NAME", phrase.name, tokens[position].start))
        if phrase.argument:
            inner = next(n for n in range(position, end) if tokens[n].kind == "(")
            result.extend(tokens[inner + 2 : end - 1])
        position = end
    return result


def letters_at(tokens: Sequence[Token], position: int, phrase: Phrase) -> int | None:
    """Where letters in a row end that begin here and touch each other."""
    end = position + len(phrase.letters)
    here = tokens[position:end]
    if tuple(token.text for token in here) != phrase.letters or any(token.kind != "NAME" for token in here):
        return None
    together = all(token.start == here[0].start + n for n, token in enumerate(here))
    return end if together else None


def call_at(tokens: Sequence[Token], position: int, phrase: Phrase) -> int | None:
    """Where the function's call ends that begins here: its name, in braces or not, and one name with subscripts."""
    texts = [token.text for token in tokens[position : position + 3]]
    name = phrase.letters[0]
    if texts[:1] == [name]:
        start = position + 1
    elif texts == ["{", name, "}"] and not (position and tokens[position - 1].kind in ("SUB", "SUP", "}", "FRAC")):
        start = position + 3
    else:
        return None
    if [token.text for token in tokens[start : start + 2]] != ["(", phrase.argument]:
        return None
    end = start + 2
    if end < len(tokens) and tokens[end].kind == "SUB":
        depth = 0
        end += 1
        while end < len(tokens):
            depth += (tokens[end].kind == "{") - (tokens[end].kind == "}")
            end += 1
            if depth == 0:
                break
    return end + 1 if end < len(tokens) and tokens[end].kind == ")" else None
