r"""Densities of letters: which array ``p(x|z)`` is an entry of, and of what others it is made.

A density that is written with the letters that it is of is told from others of its name by these: ``p(x)``, ``p(z)``,
``p(x, z)`` and ``p(x|z)`` are the margins and conditionals of one joint density of x and z. Where a letter stands twice
in one, ``p(s'|s, a)``, or the letters are those of indices, ``p(i)``, there is no such density.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from indexcalc.document.statements.brackets import DENSITIES
from indexcalc.document.statements.calls import AT, spelt
from indexcalc.document.statements.outline import Statement
from indexcalc.document.statements.tables import application_at, kind_of, letter_of
from indexcalc.language.latex.grammar import parse
from indexcalc.language.latex.tokens import Inside, Token
from indexcalc.language.latex.tree import Sum

CAPITALS = {"P": "p", "Pr": "p"}
"""The names of densities of what has few values, and of others."""

UNTOLD = frozenset({"pi", "rho"})
"""The names of densities that are not told from others by their letters: of policies, of trajectories."""


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


def density_in(name: str, inside: Inside) -> Density | None:
    """The density that a name is made of; None if it is none of letters.

    It is one if it has a condition, or the name of one.
    """
    found = application_at(inside.tokens, 0) if inside.tokens[0].kind == "NAME" else None
    if found is None or found.end != len(inside.tokens):
        return None
    parts = [part for part in found.parts if part[0].kind in ("NAME", "PRIME")]
    letters = [letter_of(part) if letter_of(part) in inside.letters else "" for part in parts]
    bars = [n for n, part in enumerate(found.parts) if part[0].kind in ("BAR", "SEMICOLON")]
    if len(bars) > 1 or not (bars or is_density(inside.tokens[0], len(parts))):
        return None
    head = inside.tokens[: found.opens]
    kinds = tuple(kind_of(part) or "".join(spelt(part)) for part in parts)
    told = inside.tokens[0].text in DENSITIES and len(set(kinds)) == len(kinds)
    return Density(
        spelt(head),
        tuple(scripts_of(head)),
        kinds,
        tuple(parts),
        tuple(letters),
        len(parts) if not bars else (bars[0] + 1) // 2,
        told and len(re.findall(rf"[\w=']{AT}[1-9]", name)) == sum(map(bool, letters)),
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
    """The densities, those of P as ones of p, unless one of p is of the same: ``P(z = k)`` beside ``p(x|z = k)``."""
    written = {(one.head, one.kinds, one.drawn) for one in densities.values()}
    small = {
        key: replace(one, head=(CAPITALS.get(one.head[0], one.head[0]), *one.head[1:]))
        for key, one in densities.items()
    }
    moved = [one for key, one in small.items() if one.head != densities[key].head]
    return densities if any((one.head, one.kinds, one.drawn) in written for one in moved) else small


def is_density(name: Token, count: int) -> bool:
    """Whether a name is that of a density without a condition; q of several is a value of states and actions."""
    return name.text in DENSITIES | UNTOLD and (name.text != "q" or count == 1)


def scripts_of(head: Sequence[Token]) -> Iterator[Sum]:
    """The names below and above that of a density."""
    return (parse((token,)) for token in head[1:] if token.kind == "NAME")
