r"""What values are made of that are read as one name: ``f(x, y)``, ``E_{x \sim p}[f(x)]`` and ``\int f(x) dx``.

A function depends on what stands in its bracket and on the names below and above its own. An expectation and an
integral are taken over names that they draw, in what they hold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from indexcalc.document.statements.brackets import DIVERGENCES, SPREADS
from indexcalc.document.statements.calls import SIGN, is_expected, is_normal, outer_bar, script_places, spelt
from indexcalc.document.statements.densities import Density, alike, density_in, totals_in, with_parameters
from indexcalc.document.statements.expectations import draws_in
from indexcalc.document.statements.families import Families
from indexcalc.document.statements.integrals import extreme_word, parts_of
from indexcalc.document.statements.layers import with_layers
from indexcalc.document.statements.nesting import BRACKETS, after_scripts, depths, kinds_outside
from indexcalc.document.statements.outline import Statement
from indexcalc.document.statements.survey import Survey
from indexcalc.errors import IndexCalcError
from indexcalc.language.latex.grammar import joined_bars, parse
from indexcalc.language.latex.tokens import Inside, Token
from indexcalc.language.latex.tree import Sum

PARTING = frozenset({"COMMA", "SEMICOLON", "BAR", "NORM"})
"""What parts the arguments of a function."""

CONDITION = frozenset({"SEMICOLON", "BAR"})
"""Behind which stands what a density depends on, and is none of."""


CROSS_ENTROPIES = frozenset({"CE"})
"""The names of cross-entropies."""


@dataclass(frozen=True)
class Call:
    r"""A function of which there is no formula, at its arguments.

    Attributes:
        head: its name with what stands below and above.
        text: all of it.
        letters: the letters that are its indices.
        own: those of them that are arguments themselves: it is an entry of a table.
        arguments: what else stands in its bracket.
        first: how many of them stand before a condition.
        scripts: the names below and above.
        labels: those below and above what stands in its bracket, as in a divergence from ``q_\theta``.
    """

    head: tuple[str, ...]
    text: tuple[str, ...]
    letters: tuple[str, ...]
    own: tuple[str, ...]
    arguments: tuple[Sum, ...]
    first: int
    scripts: tuple[Sum, ...]
    labels: tuple[Sum, ...]


@dataclass(frozen=True)
class Mean:
    """An expectation, or an integral.

    Attributes:
        letters: the letters that are its indices.
        drawn: the names over which it is taken.
        measure: the distribution that it is taken over; none for an integral.
        domain: what stands below and above the signs of an integral.
        given: what the distribution, or the domain, depends on.
        body: what it is taken of.
    """

    letters: tuple[str, ...]
    drawn: tuple[Sum, ...]
    measure: tuple[str, ...]
    domain: tuple[str, ...]
    given: tuple[Sum, ...]
    body: Sum


@dataclass(frozen=True)
class Spread:
    """A variance or a covariance: the mean of a product, less the product of means.

    Attributes:
        letters: the letters that are its indices.
        sign: the sign of these means, with what stands below and the condition behind a bar.
        left, right: what it is taken of.
    """

    letters: tuple[str, ...]
    sign: str
    left: Sum
    right: Sum


def value_of(inside: Inside, families: Families) -> Call | Mean | Spread | None:
    """What a name stands for that is made of these tokens; None if its parts are not seen.

    Raises:
        IndexCalcError: for a part that is no formula.
    """
    tokens = with_layers(inside.tokens, families)
    if tokens[0].kind == "SUM":
        return integral(tokens, inside.letters)
    opens = after_scripts(tokens, 1)
    if opens >= len(tokens) or extreme_word(tokens, 0):
        return None
    if tokens[0].text == SIGN and tokens[opens].kind == "[":
        return expectation(tokens, opens, inside.letters)
    if tokens[0].text in SPREADS:
        return spread(tokens, opens, inside.letters)
    every, kinds = parted(tokens[opens + 1 : -1])
    before = next((n for n, kind in enumerate(kinds, 1) if kind in CONDITION), len(every))
    own = tuple(letter for part in every if (letter := "".join(spelt(part))) in inside.letters)
    parts = [part for part in every if "".join(spelt(part)) not in own]
    first = sum("".join(spelt(part)) not in own for part in every[:before])
    labels = [
        tokens[place] for place in script_places(tokens) if place > opens and tokens[place].text not in inside.letters
    ]
    return Call(
        spelt(tokens[:opens]),
        spelt(tokens),
        inside.letters,
        own,
        sums(parts),
        first,
        sums(names_in(tokens[1:opens])),
        sums(names_in(labels)),
    )


def collect_insides(token: Token, families: Families, found: dict[str, tuple[Inside, Families]]) -> None:
    """Note what a value is made of, and the values in it."""
    if token.inside is not None and token.text not in found:
        found[token.text] = token.inside, families
        for inner in token.inside.tokens:
            collect_insides(inner, families, found)


def expectation(tokens: Sequence[Token], opens: int, letters: tuple[str, ...]) -> Mean | None:
    """An expectation over names that it draws from a distribution."""
    below = without_braces(tokens[2:opens])
    body = tokens[opens + 1 : -1]
    if tokens[1].kind != "SUB" or "SUP" in kinds_outside(tokens[1:opens]):
        return None
    if "BAR" in parted(body)[1]:
        return None
    signs = [n for n, one in enumerate(below) if one.kind == "REL" and one.text == "~"]
    if len(signs) == 1:
        drawn, measure = parted(without_brackets(below[: signs[0]]))[0], below[signs[0] + 1 :]
    elif not signs and below and below[-1].kind == ")":
        opening = next(n for n, one in enumerate(below) if one.kind == "(")
        parts, kinds = parted(below[opening + 1 : -1])
        drawn = parts[: next((n for n, kind in enumerate(kinds, 1) if kind in CONDITION), len(parts))]
        measure = below
    else:
        return None
    own = {spelt(one) for one in drawn}
    given = [one for one in names_in(measure[1:]) if spelt(one) not in own]
    return Mean(letters, sums(drawn), measured(measure, drawn), (), sums(given), parse(body))


def spread(tokens: Sequence[Token], opens: int, letters: tuple[str, ...]) -> Spread | None:
    """A variance of one thing, or a covariance of one or two, which may stand before a condition."""
    inner = tokens[opens + 1 : -1]
    parts, kinds = parted(inner)
    own = kinds.index("BAR") + 1 if "BAR" in kinds else len(parts)
    if {*kinds[: own - 1]} - {"COMMA"} or own > SPREADS[tokens[0].text] or "SUP" in kinds_outside(tokens[1:opens]):
        return None
    condition = inner[outer_bar(inner) :] if "BAR" in kinds else ()
    left, *rest = sums(parts[:own])
    return Spread(letters, "".join((SIGN, *spelt((*tokens[1:opens], *condition)))), left, rest[0] if rest else left)


def integral(tokens: Sequence[Token], letters: tuple[str, ...]) -> Mean | None:
    """An integral over the names behind its differentials."""
    found = parts_of(tokens)
    if found is None:
        return None
    drawn = sums(found.drawn)
    return Mean(letters, drawn, (), spelt(found.domain), sums(names_in(found.domain)), parse(found.body))


def measured(measure: Sequence[Token], drawn: Sequence[Sequence[Token]]) -> tuple[str, ...]:
    """How a distribution is written as a density: the names that are drawn in its bracket."""
    names = [text for number, one in enumerate(drawn) for text in ("," if number else "", *spelt(one)) if text]
    if all(token.kind != "(" for token in measure):
        return (*spelt(measure), "(", *names, ")")
    return tuple(part for token in measure for part in (names if token.kind == "DOT" else spelt([token])))


def without_braces(tokens: Sequence[Token]) -> list[Token]:
    """What a script holds."""
    return list(tokens[1:-1] if tokens and tokens[0].kind == "{" else tokens)


def without_brackets(tokens: Sequence[Token]) -> Sequence[Token]:
    """What stands in a bracket, if that is all."""
    whole = len(tokens) > 1 and tokens[0].kind == "(" and tokens[-1].kind == ")"
    return tokens[1:-1] if whole else tokens


def names_in(tokens: Sequence[Token]) -> list[list[Token]]:
    """The names among tokens, each once."""
    return list({token.text: [token] for token in tokens if token.kind == "NAME"}.values())


def parted(tokens: Sequence[Token]) -> tuple[list[list[Token]], list[str]]:
    """What stands between commas, semicolons and bars that are in no inner bracket, and the kinds of these."""
    parts, kinds = [list[Token]()], list[str]()
    for token, depth in depths(joined_bars(tokens), BRACKETS):
        if depth == 0 and token.kind in PARTING:
            kinds.append(token.kind)
            parts.append([])
        else:
            parts[-1].append(token)
    return parts, kinds


def sums(parts: Sequence[Sequence[Token]]) -> tuple[Sum, ...]:
    """The syntax trees of some formulas."""
    return tuple(parse(tuple(part)) for part in parts)


MOST_LETTERS = 6
"""The most letters of a joint density: it has an axis for each."""


@dataclass(frozen=True)
class Values:
    """What the values of a page are made of.

    Attributes:
        survey: how its names are used.
        statements: in order.
        densities_meant: whether names like p stand for densities on it.
        varied: the names by which something is differentiated.
        found: the values, as far as they were looked for.
    """

    survey: Survey
    statements: Sequence[Statement]
    densities_meant: bool = True
    varied: frozenset[str] = frozenset()
    found: dict[str, Call | Mean | Spread | None] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def insides(self) -> Mapping[str, tuple[Inside, Families]]:
        """What the values are made of that are read as one name, and the letters that number something there."""
        found: dict[str, tuple[Inside, Families]] = {}
        for statement in self.statements:
            for token in (token for side in statement.sides for token in side.tokens):
                collect_insides(token, statement.families, found)
        return found

    @cached_property
    def called(self) -> frozenset[str]:
        """The names that a bracket follows wherever they stand in such values: functions."""
        applied, bare = set[str](), set[str]()
        for inside, _ in self.insides.values():
            for one, other in pairwise((*inside.tokens, *inside.tokens[-1:])):
                if one.kind == "NAME":
                    (applied if other.kind == "(" else bare).add(one.text)
        return frozenset(applied - bare)

    def of(self, name: str) -> Call | Mean | Spread | None:
        """What a value is made of that is read as one name; None for other names, and where it is not seen."""
        if name not in self.found:
            found = self.insides.get(name)
            try:
                self.found[name] = value_of(*found) if found is not None else None
            except (IndexCalcError, RecursionError):
                self.found[name] = None
        return self.found[name]

    @cached_property
    def compared(self) -> Mapping[str, Call]:
        """The cross-entropies and divergences of two things that it writes as values."""
        heads = CROSS_ENTROPIES | DIVERGENCES
        calls = ((name, self.of(name)) for name in self.insides)
        found = ((name, call) for name, call in calls if isinstance(call, Call) and len(call.arguments) == 2)
        return {name: call for name, call in found if not call.letters and "".join(call.head) in heads}

    @cached_property
    def normals(self) -> Mapping[str, tuple[tuple[int, Sum, Sum], ...]]:
        """The names that the page draws from normal distributions: where, with what mean, and with what covariance."""
        found: dict[str, list[tuple[int, Sum, Sum]]] = {}
        for number, statement in enumerate(self.statements):
            for name, text in draws_in(self.survey, statement):
                value = self.of(text)
                if isinstance(value, Call) and is_normal(text) and len(value.arguments) == 2:
                    found.setdefault(name, []).append((number, *value.arguments))
        return {name: tuple(draws) for name, draws in found.items()}

    @cached_property
    def tables(self) -> Mapping[str, Density]:
        """The densities of letters, some of which are indices, or with a condition; and those of the same names."""
        if not (self.densities_meant or self.adding_up):
            return {}
        every = {name: density_in(name, inside) for name, (inside, _) in self.insides.items()}
        found = alike({name: with_parameters(one, self.varied) for name, one in every.items() if one is not None})
        totals = (pair for statement in self.statements for pair in totals_in(statement))
        others = {name for name, total in totals if total != "1"}
        heads = {one.head for one in found.values() if any(one.letters) or (one.told and one.drawn < len(one.kinds))}
        heads -= {found[name].head for name in others if name in found}
        return {name: one for name, one in found.items() if one.head in heads}

    @cached_property
    def adding_up(self) -> frozenset[int]:
        """The statements that say that all values of something add up to one."""
        totals = ((number, total) for number, one in enumerate(self.statements) for _, total in totals_in(one))
        return frozenset(number for number, total in totals if total == "1")

    def are_densities(self, number: int) -> bool:
        """Whether names like p stand for densities in a statement, which does not speak for itself."""
        return self.densities_meant or not self.adding_up <= {number}

    @cached_property
    def given(self) -> frozenset[tuple[tuple[str, ...], int]]:
        """The names of densities without a condition that an equation gives by a formula without densities."""
        found: set[tuple[tuple[str, ...], int]] = set()
        for statement in self.statements:
            head = self.survey.lone(statement.trees[0]) if len(statement.trees) > 1 else None
            density = self.tables.get(head.name) if head is not None else None
            if density is not None and density.drawn == len(density.kinds):
                names = {one.name for one in self.survey.names(statement.trees[1])} - {head.name if head else ""}
                found.update({(density.head, density.drawn)} if names.isdisjoint(self.tables) else ())
        return frozenset(found)

    @cached_property
    def outcomes(self) -> frozenset[str]:
        """The letters of densities that are indices."""
        return frozenset(letter for one in self.tables.values() for letter in one.letters if letter)

    def joint(self, density: Density) -> tuple[str, ...]:
        """The letters of the joint density to which one belongs that is told by its letters."""
        same = (one.kinds for one in self.tables.values() if one.told and one.head == density.head)
        found = sorted({kind for kinds in same for kind in kinds})
        return tuple(found) if len(found) <= MOST_LETTERS else ()

    @cached_property
    def densities(self) -> frozenset[tuple[str, ...]]:
        """The distributions over which the page takes expectations, as they are written with what is drawn."""
        found = (self.of(name) for name in self.insides)
        return frozenset(one.measure for one in found if isinstance(one, Mean) and one.measure)


def spread_laws(
    survey: Survey, statements: Sequence[Statement], values: Values, defining: Mapping[str, tuple[int, ...]]
) -> Mapping[tuple[str, str, str], tuple[int, ...]]:
    """The statements that give variances and covariances of names, by the sign of the means and both names.

    Of a name that an equation gives, what is said is no law for it: it follows from the equation.
    """
    found: dict[tuple[str, str, str], list[int]] = {}
    for name, numbers in defining.items():
        value = values.of(name)
        if not isinstance(value, Spread):
            continue
        names = [survey.lone(tree) for tree in (value.left, value.right)]
        plain = [one.name for one in names if one is not None and one.is_plain and one.parts is None]
        free = len(plain) == 2 and defining.keys().isdisjoint(plain)
        for number in numbers if free else ():
            others = [one.name for one in survey.names(statements[number].trees[1])]
            if not any(is_expected(one) or isinstance(values.of(one), Mean | Spread) for one in others):
                found.setdefault((value.sign, plain[0], plain[1]), []).append(number)
    return {key: tuple(numbers) for key, numbers in found.items()}
