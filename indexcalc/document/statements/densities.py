r"""Densities of letters: which array ``p(x|z)`` is an entry of, and of what others it is made.

A density that is written with the letters that it is of is told from others of its name by these: ``p(x)``, ``p(z)``,
``p(x, z)`` and ``p(x|z)`` are the margins and conditionals of one joint density of x and z. Where a letter stands twice
in one, ``p(s'|s, a)``, or the letters are those of indices, ``p(i)``, there is no such density.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from indexcalc.document.statements.arguments_of_names import application_at, kind_of, letter_of, told_kind
from indexcalc.document.statements.brackets import DENSITIES
from indexcalc.document.statements.calls import AT, spelt
from indexcalc.document.statements.outline import Statement
from indexcalc.language.latex.grammar import parse
from indexcalc.language.latex.tokens import Inside, Token
from indexcalc.language.latex.tree import Sum

CAPITALS = {"P": "p", "Pr": "p"}
"""The names of densities of what has few values, and of others."""

UNTOLD = frozenset({"pi"})
"""The names of densities that are not told from others by their letters: those of policies."""


@dataclass(frozen=True)
class Density:
    """A density of letters, some of which are indices.

    Attributes:
        head: its name with what stands below and above.
        scripts: the names below and above.
        kinds: the letters without primes that stand in its bracket.
        parts: how they are written there.
        letters: for each of them the letter of the index; empty where it is a given one.
        drawn: how many of them stand before a condition.
        told: whether its letters tell it from others of its name.
    """

    head: tuple[str, ...]
    scripts: tuple[Sum, ...]
    kinds: tuple[str, ...]
    parts: tuple[tuple[Token, ...], ...]
    letters: tuple[str, ...]
    drawn: int
    told: bool


def writes_densities(statements: Sequence[Statement]) -> bool:
    """Whether a page writes names like p as those of densities: with a condition, or behind a logarithm."""
    for tokens in (side.tokens for statement in statements for side in statement.sides):
        for position, token in enumerate(tokens):
            if token.kind == "NAME" and token.inside is not None and token.inside.tokens[0].text in DENSITIES | UNTOLD:
                logarithm = position > 0 and tokens[position - 1].text in ("log", "ln")
                if logarithm or any(one.kind == "BAR" for one in token.inside.tokens):
                    return True
    return False


def totals_in(statement: Statement) -> Iterator[tuple[str, str]]:
    """The values of which a statement says what all add up to, as a name or a number, with that."""
    sides = [[token for token in side.tokens if token.kind not in BRACKETS] for side in statement.sides]
    for pair in pairwise(sides):
        for total, rest in (pair, pair[::-1]):
            lone = bool(rest) and all(one.kind in ("NAME", "NUM", "SUB") and one.inside is None for one in rest)
            if lone:
                yield from ((name, "".join(spelt(rest))) for name in total_in(total))


BRACKETS = frozenset({"(", ")", "{", "}"})


def total_in(tokens: Sequence[Token]) -> Iterator[str]:
    """The value that a member sums over all its letters, without brackets, if it does nothing else."""
    place = next((n for n, token in enumerate(tokens) if token.inside is not None), 0)
    kinds = {token.kind for token in (*tokens[:place], *tokens[place + 1 :])}
    bound, below = (
        [token.text for token in some if token.kind == "NAME"] for some in (tokens[:place], tokens[place + 1 :])
    )
    if kinds <= {"SUM", "SUB", "NAME", "PRIME", "COMMA"} and "SUM" in kinds and bound == below:
        yield tokens[place].text


def density_in(name: str, inside: Inside) -> Density | None:
    """The density that a name is made of; None if it is none of letters."""
    found = application_at(inside.tokens, 0) if inside.tokens[0].kind == "NAME" else None
    if found is None or found.end != len(inside.tokens):
        return None
    parts = [part for part in found.parts if part[0].kind in ("NAME", "PRIME")]
    letters = [letter_of(part) if letter_of(part) in inside.letters else "" for part in parts]
    bars = [n for n, part in enumerate(found.parts) if part[0].kind in ("BAR", "SEMICOLON")]
    head = inside.tokens[: found.opens]
    if len(bars) > 1 or not is_density(head):
        return None
    alone = len(parts) == 1
    named = zip(parts, letters, strict=True)
    kinds = tuple(told_kind(part, alone=alone) if letter else "".join(spelt(part)) for part, letter in named)
    told = inside.tokens[0].text in DENSITIES and len(set(kinds)) == len(kinds)
    told = told and len(re.findall(rf"[\w=']{AT}[1-9]", name)) == sum(map(bool, letters))
    several = told and head[0].text != "q" and len(set(map(kind_of, parts))) == len(kinds)
    if not (bars or alone or several):
        return None
    return Density(
        spelt(head),
        tuple(scripts_of(head)),
        kinds,
        tuple(parts),
        tuple(letters),
        len(parts) if not bars else (bars[0] + 1) // 2,
        told,
    )


def with_parameters(density: Density, parameters: Collection[str]) -> Density:
    """A density with some of what is given in it as what it depends on, as what stands below its name."""
    places = [n for n, kind in enumerate(density.kinds) if density.letters[n] or kind not in parameters]
    others = [density.parts[n] for n in range(len(density.kinds)) if n not in places]
    return replace(
        density,
        scripts=(*density.scripts, *map(parse, others)),
        kinds=tuple(density.kinds[n] for n in places),
        parts=tuple(density.parts[n] for n in places),
        letters=tuple(density.letters[n] for n in places),
        drawn=sum(n < density.drawn for n in places),
    )


def alike(densities: Mapping[str, Density]) -> Mapping[str, Density]:
    """The densities, those of P as ones of p where all are of values: ``P(z = k)`` beside ``p(x|z = k)``."""
    written = {(one.head, one.kinds, one.drawn) for one in densities.values()}
    capital = [one for one in densities.values() if one.head[0] in CAPITALS]
    if not all(any(kind.endswith("=") for kind in one.kinds[: one.drawn]) for one in capital):
        return densities
    small = {
        key: replace(one, head=(CAPITALS.get(one.head[0], one.head[0]), *one.head[1:]))
        for key, one in densities.items()
    }
    moved = [one for key, one in small.items() if one.head != densities[key].head]
    return densities if any((one.head, one.kinds, one.drawn) in written for one in moved) else small


def is_density(head: Sequence[Token]) -> bool:
    """Whether a name is that of a density: one with a sign above it may be a power, or off by a factor."""
    above = [token.kind for token in head]
    return head[0].text in DENSITIES | UNTOLD and ("SUP" not in above or "(" in above)


def scripts_of(head: Sequence[Token]) -> Iterator[Sum]:
    """The names below and above that of a density."""
    return (parse((token,)) for token in head[1:] if token.kind == "NAME")
