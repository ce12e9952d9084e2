r"""Letters that have finitely many values: sums run over them, and nothing is made of them but arguments.

Whether something is calculated with a letter is a matter of its section; what stands in the same place of a function is
of the same kind everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from indexcalc.document.statements.arguments_of_names import (
    NO_ARRAYS,
    Tokens,
    application_at,
    applications,
    argument_places,
    kind_of,
    kinds,
    letter_in,
    letter_of,
    letters_of,
)
from indexcalc.document.statements.brackets import DENSITIES
from indexcalc.document.statements.calls import SIGN, spelt
from indexcalc.document.statements.marked_letters import MENTIONS
from indexcalc.document.statements.nesting import after_script, after_scripts
from indexcalc.document.statements.sums_over_outcomes import bound_in, domains_in, drawn_in


@dataclass(frozen=True)
class Uses:
    """How a document uses letters as arguments.

    Attributes:
        summed: the letters over which sums run.
        below: those that stand in subscripts.
        alike: letters that have the same values, or stand beside each other and are known to vary.
        told: what has one of these letters as its value in a density, with the letter.
        indexed: the names with such letters below them, and no bracket behind: a function of that name is of samples.
        written: the letters over which sums are written, and not only integrals.
        limited: those with a first and a last value, which are numbers.
    """

    summed: frozenset[str]
    below: frozenset[str]
    alike: tuple[frozenset[str], ...]
    told: frozenset[tuple[str, str]]
    indexed: frozenset[str]
    written: frozenset[str]
    limited: frozenset[str]

    @classmethod
    def of(cls, pieces: Sequence[Tokens], plain: Sequence[Tokens]) -> Uses:
        """The uses in some formulas, and in these as they are written, with integrals as such."""
        domains: dict[str, set[str]] = {}
        for letter, domain in (pair for tokens in plain for pair in domains_in(tokens)):
            domains.setdefault(letter, set()).add(domain)
        parts = {letter for letter, found in domains.items() if is_of_parts(frozenset(found))}
        summed = frozenset[str]().union(*map(bound_in, pieces), *map(drawn_in, pieces)) - parts
        below = frozenset(letter for tokens in pieces for letter in letters_below(tokens))
        bracketed = (letter for tokens in pieces for letter in letters_below(tokens, bracketed=True))
        free = below.union(bracketed, *map(letters_given, pieces))
        alike: dict[tuple[str, ...], set[str]] = {}
        for tokens in pieces:
            for one in applications(tokens):
                letters = [(number, kind_of(part)) for number, part in enumerate(one.parts) if letter_of(part)]
                for number, letter in letters:
                    place = (*spelt(tokens[one.start : one.opens]), str(number))
                    told = tokens[one.start].text in DENSITIES and letter not in below
                    alike.setdefault((letter,) if told else place, set()).add(letter)
                beside = {letter for _, letter in letters}
                if beside & free:
                    alike.setdefault(tuple(sorted(beside)), set()).update(beside & free | beside & summed)
        told_by = frozenset(pair for tokens in pieces for pair in values_told(tokens))
        indexed = frozenset(name for tokens in pieces for name in indexed_alone(tokens, summed))
        limited = frozenset(letter for letter, found in domains.items() if any(one.startswith("=") for one in found))
        groups = tuple(frozenset(group - parts) for group in alike.values())
        return cls(summed, below, groups, told_by, indexed, frozenset(domains), limited)

    def outcomes(self, values: frozenset[str]) -> frozenset[str]:
        """The letters that have finitely many values: sums run over them, and they are no values in a section.

        So have those that stand in the same place of a function, and those beside them that are indices, or arguments
        of what is given.
        """
        known = [letters - values for letters in self.alike]
        varied = (self.summed | self.below) - values
        found = self.summed | {kind for kind, letter in self.told if letter in varied}
        found = found.intersection(frozenset[str]().union(*known))
        while more := [letters for letters in known if letters & found and not letters <= found]:
            found = found.union(*more)
        return found


def is_of_parts(domains: frozenset[str]) -> bool:
    """Whether sums over a letter run over other values here and there."""
    named = {one for one in domains if one and not one.startswith(("inmathcal", "inmathbb"))}
    return len(named) > 1 or any(one.startswith("in") for one in named if "" in domains)


def values_told(tokens: Tokens) -> Iterator[tuple[str, str]]:
    """What has a letter as its value in a density, ``z`` of ``p(z = k)``, and the letter."""
    for one in applications(tokens):
        for part in one.parts if tokens[one.start].text in DENSITIES else ():
            if len(letter_in(part)) < len(part):
                yield kind_of(part), letter_of(part).rstrip("'")


def letters_given(tokens: Tokens) -> Iterator[str]:
    """The letters in the bracket of what an equation gives, if that is no density."""
    found = application_at(tokens, 0) if tokens and tokens[0].kind == "NAME" else None
    if found is not None and tokens[0].text not in DENSITIES and kinds(tokens[found.end : found.end + 1]) == ("REL",):
        yield from letters_of(found)


def indexed_alone(tokens: Tokens, letters: frozenset[str]) -> Iterator[str]:
    """The names that have one of some letters below them, and no bracket behind."""
    for position, token in enumerate(tokens):
        end = after_scripts(tokens, position + 1)
        below = tokens[position + 1 : end]
        alone = token.kind == "NAME" and token.text != SIGN and kinds(tokens[end : end + 1]) != ("(",)
        if alone and any(one.kind == "SUB" for one in below) and not letters.isdisjoint(spelt(below)):
            yield token.text


def letters_below(tokens: Tokens, *, bracketed: bool = False) -> Iterator[str]:
    """The letters in subscripts but those of sums and expectations; or in brackets that are read as such."""
    for position, token in enumerate(tokens):
        before = tokens[position - 1] if position else token
        below = tokens[position : after_scripts(tokens, position)] if token.kind == "SUB" else ()
        brackets = any(one.kind == "(" and one.index for one in below)
        if before.kind != "SUM" and before.text != SIGN and brackets is bracketed:
            yield from (one.text for one in below if one.kind == "NAME")


def value_places(tokens: Tokens, indices: frozenset[str]) -> Iterator[int]:
    """Where names stand in a formula as values: not as arguments, indices or labels, nor where a set is named.

    Nor is the letter of an index that stands alone beside a relation: ``1 <= i <= n``.
    """
    placed = {place for one in applications(tokens, NO_ARRAYS) for place in argument_places(one)}
    position = 0
    while position < len(tokens):
        token = tokens[position]
        if token.kind == "SUB":
            position = after_script(tokens, position)
            continue
        compared = token.text in indices and is_alone(tokens, position)
        if token.kind == "NAME" and position not in placed and not compared and not is_mentioned(tokens, position):
            yield position
        position += 1


def values_in(tokens: Tokens, indices: frozenset[str]) -> frozenset[str]:
    """The names that stand in a formula as values, and those by which a nabla differentiates."""
    below = (
        one.text
        for position, token in enumerate(tokens)
        if token.kind == "NABLA"
        for one in tokens[position : after_scripts(tokens, position + 1)]
        if one.kind == "NAME"
    )
    return frozenset((*below, *(tokens[place].text for place in value_places(tokens, indices))))


def is_alone(tokens: Tokens, position: int) -> bool:
    """Whether nothing but relations and commas stand beside a name."""
    beside = (*tokens[max(0, position - 1) : position], *tokens[position + 1 : position + 2])
    return all(one.kind in ("REL", "COMMA", "TEXT", "QUAD") for one in beside)


def is_mentioned(tokens: Tokens, position: int) -> bool:
    """Whether a name has scripts, or is only said to be in a set, to be drawn, or what another one of its letter is."""
    end = position + 1
    while end < len(tokens) and tokens[end].kind == "PRIME":
        end += 1
    following = [one for one in tokens[end : end + 3] if one.kind != "{"]
    power = len(following) > 1 and following[0].kind == "SUP" and following[1].kind == "NUM"
    if following and not power and (following[0].kind in ("SUB", "SUP") or following[0].text in MENTIONS):
        return True
    before = [one for one in tokens[:position] if one.kind not in ("{", "}")]
    is_equal = before[-1:] and before[-1].kind == "REL" and before[-1].text == "="
    return bool(is_equal) and [one.text for one in before[-4:-2]] == [tokens[position].text, "_"]
