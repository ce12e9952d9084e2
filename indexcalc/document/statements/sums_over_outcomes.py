r"""Expectations, divergences and integrals over letters as sums: ``\mathbb{E}_{x \sim p}[f(x)] = \sum_x p(x) f(x)``.

Below an expectation may stand what it draws and from what density, the density with its letters, or its name alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from indexcalc.document.statements.arguments_of_names import (
    Tokens,
    applications,
    is_application,
    kind_of,
    kinds,
    letter_of,
    letters_of,
)
from indexcalc.document.statements.brackets import DENSITIES, DIVERGENCES
from indexcalc.document.statements.calls import SIGN, closing, spelt
from indexcalc.document.statements.integrals import SIGN as INTEGRAL
from indexcalc.document.statements.integrals import parts_of
from indexcalc.document.statements.nesting import after_script, after_scripts
from indexcalc.language.latex.grammar import joined_bars
from indexcalc.language.latex.tokens import Token, parted

SUM_OVER = (("(", "("), ("SUM", "sum"), ("SUB", "_"), ("{", "{"))
"""How a sum in brackets begins."""


def unfolded(tokens: Tokens, letters: frozenset[str] | None = None) -> Iterator[Token]:
    """The tokens of one formula, integrals over all values of such letters as sums, in brackets.

    Without letters those over any, and of others what they are made of, to be looked at.
    """
    position = 0
    while position < len(tokens):
        token = tokens[position]
        inside = token.inside.tokens if token.inside is not None else ()
        found = parts_of(inside) if inside and inside[0].text == INTEGRAL else None
        everywhere = found is not None and not found.domain
        position += 1
        if found is not None and everywhere and (letters is None or letters.issuperset(map(kind_of, found.drawn))):
            yield from (replace(token, kind=kind, text=text, inside=None) for kind, text in SUM_OVER)
            for number, one in enumerate(found.drawn):
                yield from (Token("COMMA", ",", token.start),) * bool(number)
                yield from one
            yield replace(token, kind="}", text="}", inside=None)
            yield from unfolded(found.body, letters)
            yield replace(token, kind=")", text=")", inside=None)
        elif inside and letters is None:
            yield from unfolded(inside)
        else:
            yield token
            continue
        position = after_scripts(tokens, position)


@dataclass(frozen=True)
class Expectation:
    """An expectation over letters.

    Attributes:
        drawn: what stands for them, with commas.
        density: the density of these.
        body: what it is taken of.
        end: where it ends.
    """

    drawn: tuple[Token, ...]
    density: tuple[Token, ...]
    body: tuple[Token, ...]
    end: int


def with_sums(tokens: Tokens, letters: frozenset[str]) -> Iterator[Token]:
    """The tokens of one formula, expectations and divergences over letters of sums as sums, in brackets."""
    position = 0
    while position < len(tokens):
        sign = tokens[position]
        found = expectation_at(tokens, position) or divergence_at(tokens, position)
        if found is None or not letters.issuperset(kinds_in(found.drawn)):
            yield sign
            position += 1
            continue
        last = tokens[found.end - 1]
        yield from (replace(sign, kind=kind, text=text) for kind, text in SUM_OVER)
        yield from (*found.drawn, replace(sign, kind="}", text="}"), *found.density, replace(sign, kind="(", text="("))
        yield from with_sums(found.body, letters)
        yield from (replace(last, kind=")", text=")"), replace(last, kind=")", text=")"))
        position = found.end


def expectation_at(tokens: Tokens, position: int) -> Expectation | None:
    """The expectation over letters that begins here; None if none does."""
    if tokens[position].text != SIGN or tokens[position].kind != "NAME":
        return None
    start = after_scripts(tokens, position + 1)
    if start >= len(tokens) or tokens[start].kind not in ("[", "(") or tokens[position + 1].kind != "SUB":
        return None
    below = [*tokens[position + 2 : start]]
    below = below[1:-1] if below[0].kind == "{" else below
    signs = [n for n, one in enumerate(below) if one.kind == "REL" and one.text == "~"]
    drawn = below[: signs[0]] if len(signs) == 1 else before_bar(below)
    density = below[signs[0] + 1 :] if len(signs) == 1 else below
    density = [one for token in density for one in (drawn if token.text == "cdot" else (token,))]
    if density and after_scripts(density, 1) == len(density):
        density = [*density, Token("(", "(", density[0].start), *drawn, Token(")", ")", density[-1].start)]
    parts = [tuple(part) for part in parted(drawn, "COMMA")]
    known = is_application(density) and all(part and letter_of(part) for part in parts)
    end = closing(tokens, start)
    body = tuple(tokens[start + 1 : end - 1])
    speaks = kinds_in(drawn).intersection(kind for one in applications(body) for kind in letters_of(one))
    return Expectation(tuple(drawn), tuple(density), body, end) if known and end and speaks else None


def before_bar(tokens: list[Token]) -> list[Token]:
    """What a density in round brackets is of, ``z`` in ``q(z|x)``."""
    opens = next((n for n, one in enumerate(tokens) if one.kind == "("), len(tokens))
    bar = next((n for n, one in enumerate(tokens) if one.kind in ("BAR", "SEMICOLON", ")")), 0)
    return tokens[opens + 1 : bar]


def with_measures(pieces: Sequence[Tokens]) -> Iterator[list[Token]]:
    r"""The tokens of a document's mathematics, where expectations and divergences name a density, with its letters.

    ``\mathbb{E}_q[\log p(z)]`` is over what q is a density of in the bracket, or else where it was written last.
    """
    written: dict[tuple[str, ...], tuple[Token, ...]] = {}
    for tokens in reversed(pieces):
        written |= dict(reversed(list(densities_written(tokens))))
    for tokens in pieces:
        yield list(with_letters(tokens, written))
        written |= dict(densities_written(tokens))


def densities_written(tokens: Tokens) -> Iterator[tuple[tuple[str, ...], tuple[Token, ...]]]:
    """The names of densities, and the tokens with which they are written."""
    for one in applications(tokens):
        if tokens[one.start].text in DENSITIES:
            yield spelt(tokens[one.start : one.opens]), tuple(tokens[one.start : one.end])


def with_letters(tokens: Tokens, written: Mapping[tuple[str, ...], tuple[Token, ...]]) -> Iterator[Token]:
    """The tokens of one formula, with the letters of densities of which only the name stands there."""
    position = 0
    while position < len(tokens):
        first, last, end = measure_at(tokens, position)
        density = written.get(spelt(tokens[first:last])) if first else None
        own = [text for name, text in densities_written(tokens[last:end]) if name == spelt(tokens[first:last])]
        if density is None:
            yield tokens[position]
            position += 1
            continue
        below = tokens[position + 1].kind == "SUB" and first == position + 2
        yield from tokens[position:first]
        yield from braced(own[0] if own else density, needed=below)
        position = last
        second = [n for n in range(last, end - 1) if tokens[n].kind not in ("NORM", "BAR")] if not below else []
        if second and last < second[0] and spelt(tokens[second[0] : end - 1]) in written:
            yield from tokens[last : second[0]]
            yield from written[spelt(tokens[second[0] : end - 1])]
            position = end - 1


def braced(tokens: Tokens, *, needed: bool) -> Iterator[Token]:
    """The tokens, in braces where these are needed."""
    if needed:
        yield Token("{", "{", tokens[0].start)
    yield from tokens
    if needed:
        yield Token("}", "}", tokens[-1].start)


def measure_at(tokens: Tokens, position: int) -> tuple[int, int, int]:
    """Where a density is named below an expectation, or first in a divergence, from, up to, and its end; or zeros."""
    start = after_scripts(tokens, position + 1)
    end = closing(tokens, start) if start < len(tokens) and tokens[start].kind in ("(", "[") else 0
    if not end or tokens[position].kind != "NAME":
        return 0, 0, 0
    if "".join(spelt(tokens[position:start])) in DIVERGENCES:
        middle = next((n for n in range(start, end) if tokens[n].kind in ("NORM", "BAR")), start)
        return (start + 1, middle, end) if middle > start else (0, 0, 0)
    if tokens[position].text != SIGN or start <= position + 2:
        return 0, 0, 0
    inside = tokens[position + 2].kind == "{"
    return position + 2 + inside, start - inside, end


def divergence_at(tokens: Tokens, position: int) -> Expectation | None:
    """The divergence of two densities of the same letters that begins here; None if none does."""
    start = after_scripts(tokens, position + 1)
    head = "".join(spelt(tokens[position:start]))
    if head not in DIVERGENCES or start >= len(tokens) or tokens[start].kind not in ("[", "("):
        return None
    end = closing(tokens, start)
    inner = joined_bars(tokens[start + 1 : end - 1])
    middle = next((n for n, one in enumerate(inner) if one.kind == "NORM"), 0)
    first, second = inner[:middle], inner[middle + 1 :]
    drawn = before_bar(first)
    if not (end and is_application(first) and is_application(second)) or spelt(drawn) != spelt(before_bar(second)):
        return None
    log = Token("NAME", "log", tokens[position].start)
    body = (log, *first, Token("MINUS", "-", tokens[position].start), log, *second)
    return Expectation(tuple(drawn), tuple(first), body, end)


def drawn_in(tokens: Tokens) -> frozenset[str]:
    """The letters that expectations draw from densities."""
    found = (expectation_at(tokens, position) for position in range(len(tokens)))
    return frozenset(kind for one in found if one is not None for kind in kinds_in(one.drawn))


def kinds_in(tokens: Tokens) -> frozenset[str]:
    """The letters of a list."""
    return frozenset(kind_of(part) for part in parted(tokens, "COMMA") if part)


def bound_in(tokens: Tokens) -> frozenset[str]:
    """The letters over which sums run."""
    found = set[str]()
    for position, token in enumerate(tokens):
        if token.kind == "SUM" and kinds(tokens[position + 1 : position + 2]) == ("SUB",):
            plain = [
                one for one in tokens[position + 2 : after_script(tokens, position + 1)] if one.kind not in ("{", "}")
            ]
            end = next((n for n, one in enumerate(plain) if one.kind == "REL"), len(plain))
            found |= kinds_in(plain[:end])
    return frozenset(found - {""})


def domains_in(tokens: Tokens) -> Iterator[tuple[str, str]]:
    """The letters over which sums run, each with the set or the limits that stand with it; empty if none do."""
    for position, token in enumerate(tokens):
        if token.kind == "SUM" and kinds(tokens[position + 1 : position + 2]) == ("SUB",):
            end = after_script(tokens, position + 1)
            plain = [one for one in tokens[position + 2 : end] if one.kind not in ("{", "}")]
            sign = next((n for n, one in enumerate(plain) if one.kind == "REL"), len(plain))
            last = tokens[end : after_scripts(tokens, end)]
            whole = sign < len(plain) and plain[sign].text in ("in", "=")
            domain = "".join(spelt((*plain[sign:], *last))) if whole else ""
            yield from ((kind, domain) for kind in kinds_in(plain[:sign]))
