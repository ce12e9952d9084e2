"""``p(u|y)``, ``N(x; m, C)``, ``E[y|x]``, ``Cov[u, v]``: values of which a page says no more than how they are written.

Such a bracket holds no argument of a function that is known. With the name before it, it is one name: written the
same way it is the same value, and written otherwise another one. The name keeps the tokens that it is made of.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from indexcalc.document.statements.brackets import OPERATORS, summed_in
from indexcalc.document.statements.index_expressions import GREEK
from indexcalc.document.statements.nesting import BRACKETS, after_scripts, end_of, kinds_outside
from indexcalc.document.statements.scripts import is_transpose
from indexcalc.language.latex.grammar import joined_bars
from indexcalc.language.latex.tokens import Inside, Token
from indexcalc.language.latex.vocabulary import FUNCTIONS, SEVERAL, STRUCTURAL

STARTS = frozenset({"NEWLINE", "AMP", "QUAD", "COMMA", "BEGIN", "TEXT"})
"""What stands before an equation."""

CLOSING = {"(": ")", "[": "]"}

ONE = "1"
"""The name of an indicator, before its square bracket."""

AT = "@"
"""With a number, what stands in the name of a value for a letter that is an index of it."""

SIGN = "E"
"""The letter of an expectation, before a square bracket; with what stands below it, and the condition behind a bar."""

EXPECTATION = re.compile(rf"{SIGN}(?:[_|].*)?")
"""The sign of an expectation with both."""

KINDS = frozenset(
    {*("NAME", "NUM", "PLUS", "MINUS", "DOT", "TIMES", "SUB", "SUP", "{", "}", "(", ")", "[", "]", "PRIME", "TOP")}
)
"""The tokens of sums of products."""

OWN_LETTER = re.compile(rf"[A-Za-z0-9')]{AT}\d")
"""Stands in what is an index of a value, or given."""

HEAD = re.compile(r"[^(\[]*[^(\[^][(\[]")
"""A name up to its bracket; behind the sign of a superscript stands none."""

LIMITS = 30
"""The most tokens of a subscript that are looked at."""

PARTS = 200
"""The most tokens of such a name."""


def with_calls(pieces: Sequence[list[Token]]) -> list[list[Token]]:
    """The tokens of a document's mathematics, such values as names."""
    seen = Seen(
        frozenset(name for tokens in pieces for name in heads(tokens)),
        frozenset[str]().union(*map(summed_in, pieces)),
        frozenset(tokens[place].text for tokens in pieces for place in script_places(tokens)),
        frozenset(measure for tokens in pieces for measure in measures_in(tokens)),
        frozenset(name for tokens in pieces for name in conditioned_in(tokens)),
    )
    return [list(named_calls(tokens, seen)) for tokens in pieces]


@dataclass(frozen=True)
class Seen:
    """What a document shows of its functions.

    Attributes:
        formulas: the functions of which there are formulas.
        summed: the letters over which sums run.
        letters: the names in subscripts, and in brackets above.
        measures: the distributions over which it takes expectations, each by its name with what stands below and above.
        conditioned: the names before round brackets that hold a condition somewhere: of each other value, too, it is
            told what it is the probability of.
        drawn: the names over which the expectations and integrals run that are around a formula.
    """

    formulas: frozenset[str]
    summed: frozenset[str]
    letters: frozenset[str]
    measures: frozenset[tuple[str, ...]]
    conditioned: frozenset[tuple[str, ...]]
    drawn: frozenset[str] = frozenset()

    def within(self, drawn: Iterable[str]) -> Seen:
        """What is seen in an expectation, or an integral, over some names."""
        return replace(self, drawn=self.drawn.union(drawn))


def measures_in(tokens: Sequence[Token]) -> Iterator[tuple[str, ...]]:
    r"""The distributions of expectations, ``p`` in ``\mathbb{E}_{x \sim p}`` and ``\mathbb{E}_p``."""
    for position, token in enumerate(tokens[:-1]):
        if token.kind == "NAME" and token.text == SIGN and tokens[position + 1].kind == "SUB":
            end = after_scripts(tokens[: position + LIMITS], position + 1)
            below = [one for one in tokens[position + 2 : end] if one.kind not in ("{", "}")]
            signs = [n for n, one in enumerate(below) if one.kind == "REL" and one.text == "~"]
            measure = below[signs[0] + 1 :] if signs else below
            if measure and measure[0].kind == "NAME" and (signs or len(measure) == 1):
                yield spelt(measure)


def conditioned_in(tokens: Sequence[Token]) -> Iterator[tuple[str, ...]]:
    """The names, with what stands below and above, before round brackets that hold a condition, ``p`` of ``p(x|y)``."""
    for position, token in enumerate(tokens):
        start = after_scripts(tokens, position + 1) if is_called(token) else len(tokens)
        if start < len(tokens) and tokens[start].kind == "(" and (end := closing(tokens, start)):
            parts = separators(tokens[start + 1 : end - 1])
            if parts.count("BAR") == 1 or "REL" in parts:
                yield spelt(tokens[position:start])


def is_called(token: Token) -> bool:
    """Whether a token may be the name before the bracket of such a value."""
    known = token.text in FUNCTIONS or (token.text in STRUCTURAL and token.text not in OPERATORS)
    return token.kind == "NAME" and not known


def spelt(tokens: Iterable[Token]) -> tuple[str, ...]:
    """The texts of tokens, braces apart."""
    return tuple(token.text for token in tokens if token.kind not in ("{", "}"))


def heads(tokens: Sequence[Token]) -> Iterator[str]:
    """The names before a bracket with which an equation begins: functions of which there are formulas."""
    for position, token in enumerate(tokens[:-1]):
        first = position == 0 or tokens[position - 1].kind in STARTS
        if first and token.kind == "NAME" and tokens[position + 1].kind == "(":
            end = closing(tokens, position + 1)
            if end and end < len(tokens) and tokens[end].kind in ("REL", "AMP"):
                yield token.text


def named_calls(tokens: Sequence[Token], seen: Seen) -> Iterator[Token]:
    """The tokens of one formula, such values as names, with the letters of sums in them as their indices."""
    position = 0
    while position < len(tokens):
        found = expectation_at(tokens, position, seen)
        end = found[1] if found is not None else call_end(tokens, position, seen)
        if found is not None:
            yield from found[0]
        elif not end and (end := indicator_end(tokens, position, seen)):
            yield from named([replace(tokens[position], kind="NAME", text=ONE), *tokens[position:end]], seen)
        elif end:
            yield from named(tokens[position:end], seen)
        else:
            yield with_inner_calls(tokens[position], seen)
        position = max(end, position + 1)


def with_inner_calls(token: Token, seen: Seen) -> Token:
    """The token; what an integral is made of has such values too."""
    if token.inside is None or token.inside.tokens[0].kind != "SUM":
        return token
    over = (other.text for one, other in pairwise(token.inside.tokens) if one.text == "d" and other.kind == "NAME")
    tokens = tuple(named_calls(token.inside.tokens, seen.within(over)))
    return replace(token, inside=replace(token.inside, tokens=tokens))


def named(whole: Sequence[Token], seen: Seen) -> Iterator[Token]:
    """The name of a value, and below it the letters of sums that stand in subscripts in it."""
    start = next(n for n, token in enumerate(whole) if token.kind in CLOSING)
    opens = after_scripts(whole, 1)
    below = set(script_places(whole))
    taken = {token.text for n, token in enumerate(whole) if n < start or n not in below}  # a name, and no letter
    places = {n: whole[n].text for n in sorted(below) if n > start and whole[n].text in seen.summed - taken}
    numbers = {letter: f"{AT}{number}" for number, letter in enumerate(dict.fromkeys(places.values()), 1)}
    words = (numbers[places[n]] if n in places else token.text for n, token in enumerate(whole))
    text = "".join(word for word in words if word not in ("{", "}"))
    inner = tuple(named_calls(whole[opens + 1 : -1], seen.within(drawn_in(whole[1:opens]))))
    inside = Inside((*whole[: opens + 1], *inner, whole[-1]), tuple(numbers))
    name = replace(whole[0], text=text, last=whole[-1].start, inside=inside)
    yield name
    if numbers:
        yield from (Token("SUB", "_", name.start), Token("{", "{", name.start))
        yield from (Token("NAME", letter, name.start, index=True) for letter in numbers)
        yield Token("}", "}", name.start)


def script_places(tokens: Sequence[Token]) -> Iterator[int]:
    """The places of names in subscripts, and in brackets above, ``x^{(i)}``."""
    for position, token in enumerate(tokens):
        if token.kind in ("SUB", "SUP"):
            end = after_scripts(tokens[: position + LIMITS], position)
            kinds = [one.kind for one in tokens[position + 1 : end] if one.kind not in ("{", "}")]
            if token.kind == "SUB" or kinds == ["(", "NAME", ")"]:
                yield from (place for place in range(position + 1, end) if tokens[place].kind == "NAME")


def call_end(tokens: Sequence[Token], position: int, seen: Seen) -> int:
    """Where a value ends that begins here; 0 if none does."""
    name = tokens[position]
    if not is_called(name):
        return 0
    start = after_scripts(tokens, position + 1)
    if start >= len(tokens) or tokens[start].kind not in CLOSING:
        return 0
    density = tokens[start].kind == "(" and name.text not in seen.formulas
    applied = len(tokens) > start + 2 and tokens[start + 1].text in seen.drawn and tokens[start + 2].kind == ")"
    density = density and (applied or spelt(tokens[position:start]) in seen.measures)
    density = density or (tokens[start].kind == "(" and spelt(tokens[position:start]) in seen.conditioned)
    scripts = tokens[position + 1 : start]
    above = "SUP" in (kinds_outside(scripts) if name.text == SIGN else [token.kind for token in scripts])
    if above and not density:
        return 0
    end = closing(tokens, start)
    parts = separators(tokens[start + 1 : end - 1])
    if SEVERAL.get(name.text) == parts.count("COMMA") + 1:
        return 0
    dotted = any(token.kind == "DOTS" for token in tokens[start:end])
    several = tokens[start].kind == "(" and "COMMA" in parts and (dotted or name.text not in seen.formulas)
    return end if end and (density or several or is_opaque(name, tokens[start].kind, parts)) else 0


def indicator_end(tokens: Sequence[Token], position: int, seen: Seen) -> int:
    """Where an indicator ends that begins here, one where a value is a number, ``[y_i = 1]``; 0 if none does.

    Of a letter that is an index somewhere, and of two of them, the reader knows more.
    """
    end = closing(tokens, position) if tokens[position].kind == "[" else 0
    inner = tokens[position + 1 : end - 1]
    if not end or separators(inner) != ["REL"]:
        return 0
    left, (sign, *right) = partition(inner, "REL")
    fixed = [token.kind for token in right] in (["NUM"], ["MINUS", "NUM"])
    value = len(left) > 0 and left[0].kind == "NAME" and after_scripts(left, 1) == len(left)
    letter = len(left) == 1 and left[0].text in seen.letters
    return end if fixed and value and not letter and sign.text in ("=", "!=") else 0


def partition(tokens: Sequence[Token], kind: str) -> tuple[Sequence[Token], Sequence[Token]]:
    """What stands before the first token of a kind, and the rest with it."""
    place = next(n for n, token in enumerate(tokens) if token.kind == kind)
    return tokens[:place], tokens[place:]


def expectation_at(tokens: Sequence[Token], position: int, seen: Seen) -> tuple[list[Token], int] | None:
    """An expectation of sums of products that begins here, its condition in its sign, and where it ends."""
    sign, start = tokens[position], after_scripts(tokens, position + 1)
    scripts = tokens[position + 1 : start]
    opens = start < len(tokens) and (tokens[start].kind == "[" or is_mean(tokens, position, start, seen))
    if not opens or sign.kind != "NAME" or sign.text != SIGN or "SUP" in kinds_outside(scripts):
        return None
    end = closing(tokens, start)
    inner = tokens[start + 1 : end - 1]
    bars = separators(inner)
    if not end or (bars and (bars[0] != "BAR" or not {"COMMA"}.issuperset(bars[1:]))):
        return None
    middle = outer_bar(inner) if bars else len(inner)
    drawn = drawn_in(scripts)
    body = list(named_calls(inner[:middle], seen.within(drawn)))
    if not is_linear(body) or (drawn and any(token.inside is not None for token in body)):
        return None  # what is made of values that vary is no product of names
    label = "".join(token.text for token in (*scripts, *inner[middle:]) if token.kind not in ("{", "}"))
    opening, closing_one = replace(tokens[start], kind="[", text="["), replace(tokens[end - 1], kind="]", text="]")
    return [replace(sign, text=f"{SIGN}{label}"), opening, *body, closing_one], end


def is_mean(tokens: Sequence[Token], position: int, start: int, seen: Seen) -> bool:
    """Whether E before a round bracket is the sign of an expectation: no formula gives it; a transpose is inside."""
    sign, end = tokens[position], closing(tokens, start) if tokens[start].kind == "(" else 0
    turned = any(one.kind == "SUP" and is_transpose([other]) for one, other in pairwise(tokens[start:end]))
    return sign.text == SIGN and sign.text not in seen.formulas and turned


def outer_bar(tokens: Sequence[Token]) -> int:
    """Where the bar stands that is in no inner bracket."""
    return next(position for position in range(len(tokens)) if separators(tokens[: position + 1]))


def is_expected(sign: str) -> bool:
    """Whether a name is the sign of an expectation."""
    return EXPECTATION.fullmatch(sign) is not None


def closing(tokens: Sequence[Token], start: int) -> int:
    """Where the bracket ends that opens here; 0 if it does not, or too far away."""
    end = end_of(tokens[: start + PARTS], start, BRACKETS)
    return end if end and tokens[end - 1].kind == CLOSING[tokens[start].kind] else 0


def separators(tokens: Sequence[Token]) -> list[str]:
    """What parts the contents of a bracket: bars, commas, semicolons and relations that stand in no inner one."""
    parting = ("BAR", "NORM", "SEMICOLON", "COMMA", "REL")
    return [kind for kind in kinds_outside(joined_bars(tokens), BRACKETS) if kind in parting]


def is_opaque(name: Token, bracket: str, parts: Sequence[str]) -> bool:
    """Whether the bracket behind a name is a part of it: it holds a condition, or the name is a word or an operator."""
    if parts.count("BAR") == 1 or parts.count("NORM") == 1 or "SEMICOLON" in parts:
        return True
    if "REL" in parts:
        return bracket == "("  # in square ones it is a number, 1 where the relation holds
    word = len(name.text) > 1 and name.text not in GREEK
    if "COMMA" in parts:
        return word
    return name.text in OPERATORS and (word or bracket == "[")


def is_linear(tokens: Sequence[Token]) -> bool:
    """Whether what stands in the bracket of an expectation is made of sums and products of names."""
    known = FUNCTIONS.keys() | STRUCTURAL
    called = any(one.kind == "NAME" and one.text.islower() and other.kind == "(" for one, other in pairwise(tokens))
    return not called and all(token.kind in KINDS and token.text not in known for token in tokens)


def drawn_in(scripts: Sequence[Token]) -> frozenset[str]:
    r"""The names that an expectation says it draws, x in ``\mathbb{E}_{x \sim p}``."""
    signs = [n for n, one in enumerate(scripts) if one.kind == "REL" and one.text == "~"]
    return frozenset(one.text for one in scripts[: signs[0]] if one.kind == "NAME") if signs else frozenset()


def is_call(name: str) -> bool:
    """Whether a name is such a value."""
    return HEAD.match(name) is not None


def shown(text: str) -> str:
    """A text for people: dots in the names of values for what their indices are."""
    return re.sub(rf"{AT}\d+", "·", re.sub(rf"(?<=[A-Za-z0-9')]){AT}\d+", "", text))


def is_indicator(name: str) -> bool:
    """Whether a value is one or zero: one where a relation holds."""
    return name.startswith(f"{ONE}[")


def indicated(name: str) -> tuple[str, str, bool]:
    """Of an indicator what is compared, with which number, and whether it is one where they are equal."""
    value, sign, number = re.split(r"(!?=)", name[len(ONE) + 1 : -1], maxsplit=1)
    return value, number, sign == "="


def numbers_compared(name: str, names: Iterable[str]) -> tuple[str, ...]:
    """The numbers with which indicators among some names compare what this one compares; none if it is none."""
    if not is_indicator(name):
        return ()
    value, _, _ = indicated(name)
    found = (indicated(other) for other in names if is_indicator(other))
    return tuple(sorted({number for other, number, _ in found if other == value}))


def words_in(name: str) -> frozenset[str]:
    """The names and letters that stand in the bracket of such a value, but for what is an index of it, or given.

    With a label above it a name is another one.
    """
    parts = (part for part in re.split("[,;|]", HEAD.sub("", name)) if not OWN_LETTER.search(part))
    return frozenset(word for part in parts for word in re.findall(r"[A-Za-z]+(?![A-Za-z]|\^\W)", part))


NORMAL = re.compile(r"(?:mathcal )?N(?:_\w+)?\(.*,(?P<name>[A-Za-z]+)(?P<label>_(?:[a-z]+|\d+))?\)")
"""A normal distribution, ``N(m,C)`` or ``N(x;m,C)``, with a name alone as its covariance."""


def is_normal(name: str) -> bool:
    """Whether a value is a normal distribution."""
    return re.match(r"(?:mathcal )?N\(", name) is not None


def covariance_of(name: str) -> Iterator[str]:
    """The name of the covariance of a normal distribution, with its subscript and without.

    Factors without anything between them look like a name, which then is none of the page.
    """
    found = NORMAL.fullmatch(name)
    if found is not None:
        yield from dict.fromkeys((found["name"] + (found["label"] or ""), found["name"]))
