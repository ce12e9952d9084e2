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

from indexcalc.document.statements.brackets import DENSITIES, DIVERGENCES, SPREADS
from indexcalc.document.statements.calls import AT, SIGN, closing, spelt
from indexcalc.document.statements.differentials import after_scripts
from indexcalc.document.statements.index_expressions import GREEK
from indexcalc.document.statements.integrals import SIGN as INTEGRAL
from indexcalc.document.statements.integrals import parts_of
from indexcalc.document.statements.marked_letters import FEWEST, MENTIONS, calculates, marked_letters, with_primes
from indexcalc.language.latex.grammar import joined_bars
from indexcalc.language.latex.tokens import Inside, Token, parted
from indexcalc.language.latex.vocabulary import FUNCTIONS, STRUCTURAL

NO_ARRAYS = frozenset({"KL", "d", "e", *SPREADS, *FUNCTIONS, *STRUCTURAL})
"""Names before a bracket that are no array's."""

NO_TABLES = NO_ARRAYS | {"D", "delta"}
"""And those that are seldom ones: of differentials and of deltas."""

PARTING = frozenset({"COMMA", "SEMICOLON", "BAR"})
"""What parts arguments."""

OF_NAMES = PARTING | {"NAME", "PRIME", "SUB", "SUP", "NUM", "}", "REL"}
"""The tokens of arguments that are names, or values of names."""

OF_SCRIPTS = OF_NAMES | {"{", "(", ")", "PLUS", "MINUS", "TIMES", "COLON", "TEXT"}
"""The tokens in scripts of these."""

Tokens = Sequence[Token]


@dataclass(frozen=True)
class Application:
    """A name before round brackets.

    Attributes:
        start, opens, end: where the name, the bracket and what follows stand.
        parts: the arguments, and what parts them.
    """

    start: int
    opens: int
    end: int
    parts: tuple[tuple[Token, ...], ...]


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


# Letters


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


def indexed_alone(tokens: Tokens, letters: frozenset[str]) -> Iterator[str]:
    """The names that have one of some letters below them, and no bracket behind."""
    for position, token in enumerate(tokens):
        end = after_scripts(tokens, position + 1)
        below = tokens[position + 1 : end]
        alone = token.kind == "NAME" and token.text != SIGN and kinds(tokens[end : end + 1]) != ("(",)
        if alone and any(one.kind == "SUB" for one in below) and not letters.isdisjoint(spelt(below)):
            yield token.text


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


def after_script(tokens: Tokens, position: int) -> int:
    """Where the one script ends that begins here."""
    end = position + 2
    if tokens[position + 1 : end] and tokens[position + 1].kind == "{":
        depth = 0
        for end in range(position + 1, len(tokens)):
            depth += (tokens[end].kind == "{") - (tokens[end].kind == "}")
            if depth == 0:
                return end + 1
    return min(end, len(tokens))


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


def letters_below(tokens: Tokens, *, bracketed: bool = False) -> Iterator[str]:
    """The letters in subscripts but those of sums and expectations; or in brackets that are read as such."""
    for position, token in enumerate(tokens):
        before = tokens[position - 1] if position else token
        below = tokens[position : after_scripts(tokens, position)] if token.kind == "SUB" else ()
        brackets = any(one.kind == "(" and one.index for one in below)
        if before.kind != "SUM" and before.text != SIGN and brackets is bracketed:
            yield from (one.text for one in below if one.kind == "NAME")


# Applications


def applications(tokens: Tokens, others: frozenset[str] = NO_TABLES) -> Iterator[Application]:
    """The names before round brackets that hold names alone, but for some others."""
    for position in range(len(tokens)):
        found = application_at(tokens, position) if may_be_array(tokens, position, others) else None
        if found is not None:
            yield found


def may_be_array(tokens: Tokens, position: int, others: frozenset[str] = NO_TABLES) -> bool:
    """Whether a name may be that of an array: that of an expectation may be an energy, without a density below."""
    token, end = tokens[position], after_scripts(tokens, position + 1)
    if position > 0 and tokens[position - 1].kind in ("SUB", "SUP"):
        return False
    if token.text == "d" and end > position + 1:
        return True  # the distribution of states, and no differential
    scripts = spelt(tokens[position + 1 : end]) if token.text == SIGN else ()
    return token.kind == "NAME" and token.text not in others and DENSITIES.union("~", {"pi"}).isdisjoint(scripts)


def application_at(tokens: Tokens, position: int) -> Application | None:
    """The name that begins here before a round bracket; None if that holds more than names."""
    opens = after_scripts(tokens, position + 1)
    if opens >= len(tokens) or tokens[opens].kind != "(":
        return None
    end = closing(tokens, opens)
    parts: list[list[Token]] = [[]]
    depth = 0
    for token in tokens[opens + 1 : end - 1]:
        depth += (token.kind == "{") - (token.kind == "}")
        if token.kind not in (OF_NAMES if depth == 0 else OF_SCRIPTS) or (token.kind == "REL" and token.text != "="):
            return None
        if depth == 0 and token.kind in PARTING:
            parts += [[token], []]
        else:
            parts[-1].append(token)
    return Application(position, opens, end, tuple(map(tuple, parts))) if end and all(parts) else None


def letter_in(part: Tokens) -> Tokens:
    """The letter that an argument is, with its primes, or of which it is the value: ``z = k``, ``q_t = S_k``."""
    sign = next((n for n, one in enumerate(part) if one.kind == "REL"), -1)
    named = part[sign + 1 :]
    if sign >= 0 and len(named) > 1 and kinds(named[:2]) == ("NAME", "SUB"):
        named = [one for one in named[2:] if one.kind not in ("{", "}")]
    first, *rest = (*named, *part[:1])[: max(1, len(named))]
    small = first.kind == "NAME" and ((len(first.text) == 1 and first.text.islower()) or first.text in GREEK)
    return named if named and small and all(one.kind == "PRIME" for one in rest) else ()


def letter_of(part: Tokens) -> str:
    """The text of that letter; empty if there is none."""
    return "".join(one.text for one in letter_in(part))


def kind_of(part: Tokens) -> str:
    """What tells the values of an argument: its letter without primes, or what has the value; empty if it has none."""
    letter = letter_of(part)
    sign = next((n for n, one in enumerate(part) if one.kind == "REL"), -1)
    if letter and sign >= 0:
        return "".join(spelt(part[: sign + 1]))
    return letter if letter.count("'") >= FEWEST else letter.rstrip("'")


def told_kind(part: Tokens, *, alone: bool) -> str:
    """What tells a density by an argument: the next state may have another one than the state, if more is said."""
    kind, letter = kind_of(part), letter_of(part)
    return kind if alone or kind.endswith("=") else letter


def letters_of(found: Application) -> Iterator[str]:
    """The letters, without their primes, that are arguments."""
    return (kind for part in found.parts if (kind := kind_of(part)))


def argument_places(found: Application) -> Iterator[int]:
    """Where the arguments stand that are letters."""
    place = found.opens + 1
    for part in found.parts:
        if letter_of(part):
            yield from range(place, place + len(part))
        place += len(part)


# Entries


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


# Integrals and expectations


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


SUM_OVER = (("(", "("), ("SUM", "sum"), ("SUB", "_"), ("{", "{"))
"""How a sum in brackets begins."""


def kinds(tokens: Tokens) -> tuple[str, ...]:
    """The kinds of tokens."""
    return tuple(token.kind for token in tokens)


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


def is_of_parts(domains: frozenset[str]) -> bool:
    """Whether sums over a letter run over other values here and there."""
    named = {one for one in domains if one and not one.startswith(("inmathcal", "inmathbb"))}
    return len(named) > 1 or any(one.startswith("in") for one in named if "" in domains)


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


def is_application(tokens: Tokens) -> bool:
    """Whether tokens are a name with its bracket, and no more."""
    found = application_at(tokens, 0) if tokens and tokens[0].kind == "NAME" else None
    return found is not None and found.end == len(tokens)


def before_bar(tokens: list[Token]) -> list[Token]:
    """What a density in round brackets is of, ``z`` in ``q(z|x)``."""
    opens = next((n for n, one in enumerate(tokens) if one.kind == "("), len(tokens))
    bar = next((n for n, one in enumerate(tokens) if one.kind in ("BAR", "SEMICOLON", ")")), 0)
    return tokens[opens + 1 : bar]
