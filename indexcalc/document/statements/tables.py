r"""Functions of letters over which sums run, as arrays: ``\sum_x p(x) f(x)`` is a sum of products of entries.

What a sum runs over without a formula for its terms has finitely many values, and a function of it is a table of
numbers: ``f(x)`` is its entry at x, ``\pi(a|s)`` that at a and s, ``\gamma_t(i)`` that at i. An expectation over such
a letter is its sum, ``\mathbb{E}_{x \sim p}[f(x)] = \sum_x p(x) f(x)``.

A letter has finitely many values only if nothing is calculated with it but as an argument or an index. Densities are
told apart by what they are of: ``p(x)`` and ``p(z)`` are two arrays, ``f(x)`` and ``f(z)`` are not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from indexcalc.document.statements.arguments_of_names import (
    Application,
    Tokens,
    application_at,
    applications,
    kind_of,
    letter_in,
    letter_of,
    letters_of,
    may_be_array,
    told_kind,
)
from indexcalc.document.statements.brackets import DENSITIES
from indexcalc.document.statements.calls import AT, spelt
from indexcalc.document.statements.marked_letters import calculates, marked_letters, with_primes
from indexcalc.document.statements.nesting import after_script
from indexcalc.document.statements.outcomes import Uses, value_places, values_in
from indexcalc.document.statements.sums_over_outcomes import bound_in, unfolded, with_measures, with_sums
from indexcalc.language.latex.tokens import Inside, Token


def with_tables(pieces: Sequence[list[Token]], sections: Sequence[int]) -> list[list[Token]]:
    """The tokens of a document's mathematics, such entries as names with indices, and such expectations as sums.

    What a letter is may differ from one section to another.
    """
    marked = marked_letters([list(unfolded(tokens)) for tokens in pieces])
    pieces = [with_primes(tokens, marked) for tokens in pieces] if marked else pieces
    open_pieces = [list(unfolded(tokens)) for tokens in pieces]
    uses = Uses.of(open_pieces, pieces)
    values: dict[int, frozenset[str]] = {}
    for section, tokens, plain in zip(sections, open_pieces, pieces, strict=True):
        own = values_in(tokens, uses.below) - bound_in(plain) if calculates(tokens) else frozenset[str]()
        values[section] = values.get(section, frozenset()) | own
    outcomes = {section: uses.outcomes(own) for section, own in values.items()}
    if not any(outcomes.values()):
        return list(pieces)
    letters = [outcomes[section] for section in sections]
    unfolded_pieces = [list(unfolded(tokens, own - uses.written)) for tokens, own in zip(pieces, letters, strict=True)]
    summed = [list(with_sums(tokens, own)) for tokens, own in zip(with_measures(unfolded_pieces), letters, strict=True)]
    densities = {name for tokens, own in zip(summed, letters, strict=True) for name in densities_in(tokens, own)}
    written = {one: text for text, one in marked.items()}
    seen = {
        section: Seen(outcomes[section], own, uses, frozenset(densities), written) for section, own in values.items()
    }
    return [list(entries(tokens, seen[section])) for tokens, section in zip(summed, sections, strict=True)]


@dataclass(frozen=True)
class Seen:
    """What a section shows of its letters.

    Attributes:
        outcomes: the letters that have finitely many values.
        values: the names with which something is calculated.
        uses: how the whole document uses letters.
        densities: the names of densities of such letters.
        written: the letters with subscripts, by the letters with primes that stand for them.
    """

    outcomes: frozenset[str]
    values: frozenset[str]
    uses: Uses
    densities: frozenset[str]
    written: Mapping[str, str]

    def tells(self, tokens: Tokens, found: Application) -> bool:
        """Whether an application is an entry, or a density at given values."""
        name, letters = tokens[found.start].text, frozenset(letters_of(found))
        given = name in self.densities and letters.isdisjoint(self.values)
        return name not in self.uses.indexed and (given or not self.outcomes.isdisjoint(letters))


def densities_in(tokens: Tokens, letters: frozenset[str]) -> Iterator[str]:
    """The names of densities of such letters in a formula."""
    for one in applications(tokens):
        if tokens[one.start].text in DENSITIES and not letters.isdisjoint(letters_of(one)):
            yield tokens[one.start].text


def entries(tokens: Tokens, seen: Seen) -> Iterator[Token]:
    """The tokens of one formula, entries of tables as names with indices, and letters as entries of their values."""
    several = seen.outcomes - seen.uses.limited
    values = {place for place in value_places(tokens, seen.uses.below) if tokens[place].text in several}
    position = 0
    while position < len(tokens):
        token = tokens[position]
        found = application_at(tokens, position) if may_be_array(tokens, position) else None
        if found is None or not seen.tells(tokens, found):
            yield from value_at(tokens, position) if position in values else (token,)
            position += 1
            continue
        yield from entry(tokens, found, seen)
        position = found.end


def value_at(tokens: Tokens, position: int) -> Iterator[Token]:
    """A letter as a value: the entry at it of all its values."""
    token, end = tokens[position], position + 1
    while end < len(tokens) and tokens[end].kind == "PRIME":
        end += 1
    yield from (token, Token("SUB", "_", token.start), Token("{", "{", token.start))
    yield from (replace(one, index=True) for one in tokens[position:end])
    yield Token("}", "}", token.start)


def entry(tokens: Tokens, found: Application, seen: Seen) -> Iterator[Token]:
    """One entry: the name with the arguments that are no letters of sums in it, and below it those that are."""
    head, power = parted_power(tokens[found.start : found.opens])
    name = head[0]
    numbers: dict[str, str] = {}
    below: list[Token] = []
    text = list(spelt(head))
    for part in ((tokens[found.opens],), *found.parts, (tokens[found.end - 1],)):
        letter = letter_of(part)
        if not letter or kind_of(part) not in seen.outcomes:
            text += [f"{seen.written[letter]}{AT}0"] if letter in seen.written else spelt(part)
            continue
        if letter not in numbers:
            numbers[letter] = f"{AT}{len(numbers) + 1}"
            below += (replace(one, index=True) for one in letter_in(part))
        told = name.text in DENSITIES and kind_of(part) not in seen.uses.below
        kind = told_kind(part, alone=len(found.parts) == 1)
        text.append(f"{seen.written.get(kind, kind) * told}{numbers[letter]}")
    inside = Inside((*head, *tokens[found.opens : found.end]), tuple(numbers))
    yield replace(name, text="".join(text), last=tokens[found.end - 1].start, inside=inside)
    if below:
        yield from (Token("SUB", "_", name.start), Token("{", "{", name.start))
        yield from (*below, Token("}", "}", name.start))
    yield from power


def parted_power(head: Tokens) -> tuple[Tokens, Tokens]:
    """A name with its scripts, and a power above it: ``p^2(x)`` is the square of ``p(x)``."""
    for position, token in enumerate(head):
        end = after_script(head, position) if token.kind == "SUP" else position
        if end > position and all(one.kind in ("SUP", "NUM", "MINUS", "{", "}") for one in head[position:end]):
            return (*head[:position], *head[end:]), head[position:end]
    return head, ()
