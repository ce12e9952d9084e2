r"""Letters in a row that are one name: ``ROW\_SUM``, ``logits``, and ``RMS`` where its letters name nothing else.

Bold letters in one font, ``\mathbf{ABC}``, are factors where each is a name elsewhere, and all together are none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from itertools import pairwise

from indexcalc.language.latex.tokens import Token

LONG = 5
"""Letters in a row from which on they are a word: no product has that many factors without a space."""

SHORT = 3
"""Letters in a row from which on they are a word if none of them stands elsewhere, or they are said
to be in a set or to have entries, ``rms(x)_i``."""

SELDOM = frozenset("eo")
"""Vowels that are seldom indices."""

LABELS = frozenset({"avg", "init", "max", "min", "std", "val"})
"""Words below names without one of them."""


STARTS = frozenset({"NEWLINE", "AMP", "QUAD", "COMMA", "BEGIN", "TEXT", "REL"})
"""What stands before the first member of an equation, or before another one."""


def with_runs(pieces: Sequence[list[Token]]) -> list[list[Token]]:
    """The tokens of a document's mathematics, with words that are written letter by letter as one name."""
    pieces = with_factors(pieces)
    single: Counter[str] = Counter()
    inside: dict[str, Counter[str]] = {}
    declared: set[str] = set()
    for tokens in pieces:
        single.update(token.text for token in tokens if is_letter(token))
        for start, end in runs(tokens):
            word = text_of(tokens[start:end])
            inside.setdefault(word, Counter()).update(token.text for token in tokens[start:end])
            if len(word) >= SHORT and (is_declared(tokens, start, end) or has_entries(tokens, end)):
                declared.add(word)
    words = {word for word, letters in inside.items() if word in declared or is_word(word, letters, single)}
    pieces = [joined(tokens, words) for tokens in pieces] if words else list(pieces)
    return with_labels(pieces)


def with_labels(pieces: Sequence[list[Token]]) -> list[list[Token]]:
    """The tokens of a document's mathematics, with words in scripts as one name, ``x_{norm}``: they are labels.

    Letters that all stand in scripts in other company too are indices, ``W_{edo}`` beside ``x_{ed}``.
    """
    company: dict[str, set[str]] = {}
    words: set[str] = set()
    for tokens in pieces:
        for start, end in runs_in_scripts(tokens):
            word = text_of(tokens[start:end])
            words.update((word,) if is_label(word) else ())
            for letter in word:
                company.setdefault(letter, set()).add(word)
    words = {word for word in words if any(len(company[letter] - words) == 0 for letter in word)}
    return [joined_in_scripts(tokens, words) for tokens in pieces] if words else list(pieces)


def joined_in_scripts(tokens: Sequence[Token], words: set[str]) -> list[Token]:
    """The tokens with each of some words in scripts as one name."""
    result: list[Token] = []
    done = 0
    for start, end in runs_in_scripts(tokens):
        if text_of(tokens[start:end]) in words:
            word = replace(tokens[start], text=text_of(tokens[start:end]), last=tokens[end - 1].start)
            result.extend([*tokens[done:start], word])
            done = end
    return [*result, *tokens[done:]]


def runs_in_scripts(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Where letters begin and end that touch each other in the braces of a script, single ones too."""
    start = 0
    while start < len(tokens):
        end = start
        while end < len(tokens) and is_letter(tokens[end]) and (end == start or touch(tokens[end - 1], tokens[end])):
            end += 1
        if end > start and (in_script(tokens, start) or (start and tokens[start - 1].kind == "SUB")):
            yield start, end
        start = max(end, start + 1)


def is_label(word: str) -> bool:
    """Whether letters in a script are a word: short and well known, or with a vowel that is seldom an index."""
    return word in LABELS or (len(word) >= SHORT and not SELDOM.isdisjoint(word)) or len(word) > LONG


def with_factors(pieces: Sequence[list[Token]]) -> list[list[Token]]:
    r"""The tokens with bold letters that stand together one by one, where each of them is a name elsewhere.

    Of those among which are small ones, ``\mathbf{Ax}``, each is a name in bold; letters that are all small are a word.
    With which an equation begins, they are a name, unless two of them also stand together the other way round.
    """
    names = {token.text for tokens in pieces for token in tokens if token.kind == "NAME"}
    bold = {token.text for tokens in pieces for token in tokens if token.kind == "NAME" and token.bold}
    found = {token.text for tokens in pieces for token in tokens if is_run(token)}
    together = {text for text in found if (names if text.isupper() else bold).issuperset(text)}
    pairs = {pair for run in together for pair in pairwise(run)}
    turned = {run for run in together if any(pair[::-1] in pairs for pair in pairwise(run))}
    whole = {tokens[position].text for tokens in pieces for position in heads(tokens)} - turned
    return [[part for token in tokens for part in factors(token, together - whole)] for tokens in pieces]


def heads(tokens: Sequence[Token]) -> Iterator[int]:
    """Where names stand alone before a relation, in brackets or without."""
    for position, token in enumerate(tokens):
        if token.kind == "REL" and position:
            end = position - 1 if tokens[position - 1].kind != "AMP" else position - 2
            closing = end > 0 and tokens[end].kind in ("]", ")")
            name = end - closing
            if name >= 0 and (name <= closing or tokens[name - 1 - closing].kind in STARTS):
                yield name


def is_run(token: Token) -> bool:
    """Whether a token holds bold letters with a capital among them, and no more than a product has."""
    text = token.text
    mixed = text.isalpha() and not text.islower() and len(text) < LONG
    return token.kind == "NAME" and token.bold and len(text) > 1 and (text.isupper() or mixed)


def factors(token: Token, together: Set[str]) -> Iterator[Token]:
    """The letters of a token if they are factors, else the token."""
    if is_run(token) and token.text in together:
        yield from (replace(token, text=letter) for letter in token.text)
    else:
        yield token


def is_declared(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Whether a run is said to be in a set."""
    return start == 0 and end < len(tokens) and (tokens[end].kind, tokens[end].text) == ("REL", "in")


def has_entries(tokens: Sequence[Token], end: int) -> bool:
    """Whether a name in brackets and indices follow a run, ``rms(x)_i``."""
    kinds = [token.kind for token in tokens[end : end + 4]]
    return kinds == ["(", "NAME", ")", "SUB"]


def is_word(word: str, letters: Counter[str], single: Counter[str]) -> bool:
    """Whether a run is a word: long, with an underscore, or of letters that occur nowhere else."""
    if "_" in word.strip("_") or len(word) >= LONG:
        return True
    return len(word) >= SHORT and all(single[letter] == count for letter, count in letters.items())


def runs(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Where letters begin and end that touch each other."""
    start = 0
    while start < len(tokens):
        end = start
        while end < len(tokens) and is_part(tokens[end]) and (end == start or touch(tokens[end - 1], tokens[end])):
            end += 1
        if end - start > 1 and not (start and tokens[start - 1].kind in ("SUB", "SUP")):
            yield start, end
        start = max(end, start + 1)


def is_letter(token: Token) -> bool:
    """Whether a token is one letter without a font."""
    plain = len(token.text) == 1 and token.text.isascii() and token.text.isalpha()
    return token.kind == "NAME" and plain and not token.bold


def is_part(token: Token) -> bool:
    """Whether a token may be a part of a word."""
    return is_letter(token) or (token.kind == "NAME" and token.text == "_")


def touch(left: Token, right: Token) -> bool:
    r"""Whether nothing stands between two parts; ``\_`` takes two characters."""
    return right.start - left.start == (2 if left.text == "_" else 1)


def text_of(tokens: Sequence[Token]) -> str:
    """The word that letters make."""
    return "".join(token.text for token in tokens)


def joined(tokens: Sequence[Token], words: set[str]) -> list[Token]:
    """The tokens with each word as one name."""
    result: list[Token] = []
    done = 0
    for start, end in runs(tokens):
        word = text_of(tokens[start:end])
        if word in words and not in_script(tokens, start):
            result.extend([*tokens[done:start], replace(tokens[start], text=word, last=tokens[end - 1].start)])
            done = end
    return [*result, *tokens[done:]]


def in_script(tokens: Sequence[Token], place: int) -> bool:
    """Whether a place lies in the braces of a script, where letters are indices."""
    depth = 0
    for position in range(place - 1, -1, -1):
        depth += (tokens[position].kind == "}") - (tokens[position].kind == "{")
        if depth < 0:
            if position and tokens[position - 1].kind in ("SUB", "SUP"):
                return True
            depth = 0
    return False
