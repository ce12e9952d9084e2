r"""Expectations of sums of products: linear, with what is constant before them.

What is left are the expectations of products of names, ``E[x_i y_j]``, of which nothing is known but what the page
says of them, by an equation or by a normal distribution. Whether a name is random is a choice. Nothing that is false of
an expectation is refuted, for it may be what is assumed of its names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice, product

from indexcalc.document.choices import Kind, Option, choice
from indexcalc.document.meaning.nodes import (
    ONE,
    ZERO,
    Entry,
    Meaning,
    Number,
    Plus,
    Raised,
    Times,
    Total,
    names_of,
    renamed,
    times,
)
from indexcalc.document.meaning.sizes import Ix, ShapeError
from indexcalc.document.meaning.symbols import Definition, NotUnderstoodError
from indexcalc.document.meaning.typed import Typed
from indexcalc.document.statements.calls import SIGN
from indexcalc.document.statements.index_expressions import GREEK
from indexcalc.document.table import Table

TERMS = 60
"""The most terms of an expectation."""

POWER = 4
"""The highest power of a name in it."""

STEADY = frozenset({"a", "b", "c"})
"""Latin letters of what is not."""

NOISE = frozenset({"epsilon", "xi", "eta", "zeta", "nu", "omega"})
"""Greek letters of what is random."""


VANISHES = "vanishes"
"""The option that the expectation of a product is zero."""

APART = "apart"
"""The option that it is the product of expectations."""


def expectation(table: Table, sign: str, value: Typed) -> Typed:
    """The expectation of an expression, entry by entry.

    Raises:
        NotUnderstoodError: if nothing in it is random, or it is no sum of products of names.
    """
    table.open.setdefault(f"{sign}[]", "it may say what is assumed of an expectation")
    chance = Chance(table, sign)
    if not chance.varies(value.node):
        raise NotUnderstoodError("an expectation of what does not vary")
    found = list(islice(terms_of(chance, value.node), TERMS + 1))
    if len(found) > TERMS:
        raise NotUnderstoodError(f"an expectation of more than {TERMS} terms")
    means = [(indices, mean(chance, factors)) for indices, factors in found]
    terms = tuple(Total(indices, one) if indices else one for indices, one in means)
    return Typed(Plus(terms) if len(terms) != 1 else terms[0], value.axes, value.orientation, value.jacobian)


@dataclass(frozen=True)
class Chance:
    """What is random in one expectation.

    Attributes:
        table: the names.
        sign: the sign of the expectation, with what stands below it.
        known: the names that were looked at so far.
    """

    table: Table
    sign: str
    known: dict[str, bool] = field(default_factory=dict)

    def varies(self, node: Meaning) -> bool:
        """Whether anything in an expression is random."""
        return any(self.is_random(name) for name in names_of(node))

    def is_random(self, name: str) -> bool:
        """Whether a name is random: one with an equation is if anything in it is."""
        if name not in self.known:
            self.known[name] = self.found(name)
        return self.known[name]

    def found(self, name: str) -> bool:
        """The same, as the page shows it, or by a choice."""
        table = self.table
        if MOMENT.match(name) or name in given_by(self.sign):
            return False
        if name in table.definitions:
            return self.varies(table.definitions[name].body)
        means = table.page.means
        letter = name.partition("_")[0]
        steady = (letter in GREEK and letter not in NOISE) or len(table.known.get(name, ())) > 1 or letter in STEADY
        before = bool(means.constant.get(name, frozenset()) - {table.number})  # no statement speaks for its own reading
        random = name in means.random or not (before or steady)
        shown = name in means.random or before
        question = choice(
            Kind.RANDOM,
            name,
            Option("random", 0.0 if random else 1.0 if shown else 0.3, f"{name} is random"),
            Option("constant", 0.0 if not random else 1.0 if shown else 0.3, f"{name} is not random"),
        )
        return table.asking(question).name == "random"


MOMENT = re.compile(r"E(?:[_|][^\[]*)?\[")
"""How the expectation of a product begins."""

Term = tuple[tuple[Ix, ...], tuple[Meaning, ...]]
"""The indices over which a product is summed, and its factors."""


def terms_of(chance: Chance, node: Meaning) -> Iterator[Term]:
    """The terms of an expression with its brackets resolved, and with the equations of what is random put in."""
    match node:
        case Plus(terms):
            for term in terms:
                yield from terms_of(chance, term)
        case Total(indices, body):
            own = {index: chance.table.sizes.like(index) for index in indices}
            for inner, factors in terms_of(chance, renamed(body, own)):
                yield (*own.values(), *inner), factors
        case Times(factors):
            for parts in product(*(list(islice(terms_of(chance, one), TERMS + 1)) for one in factors)):
                yield tuple(i for some, _ in parts for i in some), tuple(f for _, some in parts for f in some)
        case Raised(base, Number(value)) if value.is_Integer and 2 <= value <= POWER and chance.varies(base):
            yield from terms_of(chance, Times((base,) * int(value)))
        case Entry(name, slots) if name in chance.table.definitions and chance.is_random(name):
            definition = chance.table.definitions[name]
            yield from terms_of(chance, renamed(definition.body, dict(zip(definition.slots, slots, strict=True))))
        case _:
            yield (), (node,)


def mean(chance: Chance, factors: tuple[Meaning, ...]) -> Meaning:
    """The expectation of a product: what is constant in it, and that of the names that are left."""
    constant: list[Meaning] = []
    random: list[Meaning] = []
    for factor in factors:
        (random if chance.varies(factor) else constant).append(factor)
    entries = [factor for factor in random if isinstance(factor, Entry)]
    if len(entries) < len(random):
        raise NotUnderstoodError("an expectation of what is no product of names")
    return times(*constant, moment(chance.table, chance.sign, entries))


def moment(table: Table, sign: str, entries: list[Entry]) -> Meaning:
    """The expectation of a product of entries: an array of its own, the same in whatever order they are written."""
    if not entries:
        return ONE
    ordered = sorted(entries, key=lambda entry: entry.name)
    name = f"{sign}[{' '.join(entry.name for entry in ordered)}]"
    slots = tuple(slot for entry in ordered for slot in entry.slots)
    if name not in table.known:
        table.known[name] = tuple(table.sizes.like(slot) for slot in slots)
        if len(ordered) == 2 and ordered[0].name == ordered[1].name and len(slots) == 2:
            table.symmetric.add(name)
        learn(table, sign, name, tuple(entry.name for entry in ordered))
    for slot, own in zip(slots, table.known[name], strict=True):
        table.sizes.unify(slot, own)
    return Entry(name, slots)


def learn(table: Table, sign: str, name: str, names: tuple[str, ...]) -> None:
    """Give an expectation the value that the page says it has."""
    number = table.page.means.laws.get((sign, *names))
    if number is None and (learn_covariance(table, sign, name, names) or learn_normal(table, sign, name, names)):
        return
    if number is None and len(set(names)) > 1 and (body := uncorrelated(table, sign, name, names)) is not None:
        table.definitions[name] = Definition(table.known[name], body)
    if number is None or number == table.number or not table.defined:
        return
    first, second = (side.tree for side in table.page.statements[number].sides[:2])
    assert first is not None
    assert second is not None
    with table.within(name, frozenset(), number):
        left, right = table.read(table, {}, first, {}), table.read(table, {}, second, {})
    if not isinstance(left.node, Entry):
        return
    if right.node != ZERO:
        if len(left.axes) != len(right.axes):
            raise ShapeError(f"an expectation with {len(left.axes)} axes is one with {len(right.axes)}")
        for one, other in zip(left.axes, right.axes, strict=True):
            table.sizes.unify(one, other)
    body = renamed(right.node, dict(zip(right.axes, left.axes, strict=True))) if right.axes else right.node
    table.used.add(number)
    table.definitions[name] = Definition(left.node.slots, body, table.page.line(number))


def learn_covariance(table: Table, sign: str, name: str, names: tuple[str, ...]) -> bool:
    """Give ``E[u v^T]`` of two names the value ``C + E[u] E[v]^T``, if the page says that their covariance is C."""
    if len(names) != 2 or not table.defined:
        return False
    first, second = names
    spreads, slots = table.page.spreads, table.known[name]
    turned = (sign, first, second) not in spreads
    laws = spreads.get((sign, second, first) if turned else (sign, first, second), ())
    others = [law for law in laws if law != table.number]
    if not others:
        return False
    number = next((law for law in reversed(others) if law < table.number), others[0])
    count = len(table.known[first])
    with table.within(name, frozenset(), number):
        covariance = table.read(table, {}, table.page.statements[number].trees[1], {})
    turned_slots = (*slots[count:], *slots[:count])
    means = own_means(table, sign, name, names)
    body = Plus((at_slots(table, covariance, turned_slots if turned else slots), times(*means)))
    table.used.add(number)
    table.definitions[name] = Definition(slots, body, table.page.line(number))
    return True


def learn_normal(table: Table, sign: str, name: str, names: tuple[str, ...]) -> bool:
    """Give ``E[x]`` or ``E[x x^T]`` of a name that the page draws from a normal distribution its value.

    They are the mean m, and ``C + m m^T`` with the covariance C.
    """
    draws = [draw for draw in table.page.values.normals.get(names[0], ()) if draw[0] != table.number]
    draw = next((draw for draw in reversed(draws) if draw[0] < table.number), draws[0] if draws else None)
    if draw is None or sign != SIGN or len(names) > 2 or len(set(names)) > 1 or not table.defined:
        return False
    if any(found.name in table.page.defining for tree in draw[1:] for found in table.page.survey.names(tree)):
        return False  # what an equation gives may be given by this expectation
    slots = table.known[name]
    count = len(slots) // len(names)
    with table.within(name, frozenset()):
        mean, spread = (table.read(table, {}, tree, {}) for tree in draw[1:])
    both = [at_slots(table, mean, slots[n : n + count]) for n in range(0, len(slots), count or 1)] or [mean.node] * len(
        names
    )
    second = len(names) == 2
    body = Plus((at_slots(table, spread, slots), times(*both))) if second else both[0]
    table.used.add(draw[0])
    table.definitions[name] = Definition(slots, body, table.page.line(draw[0]))
    return True


def at_slots(table: Table, value: Typed, slots: tuple[Ix, ...]) -> Meaning:
    """The entry of a value at some slots; a number that is zero is an array of zeros.

    Raises:
        ShapeError: for another number of axes.
    """
    if value.node == ZERO:
        return ZERO
    if len(value.axes) != len(slots):
        raise ShapeError(f"what is drawn has {len(slots)} axes, and its distribution {len(value.axes)}")
    for one, other in zip(value.axes, slots, strict=True):
        table.sizes.unify(one, other)
    return renamed(value.node, dict(zip(value.axes, slots, strict=True)))


def uncorrelated(table: Table, sign: str, name: str, names: tuple[str, ...]) -> Meaning | None:
    """The expectation of a product of different names that have nothing to do with each other; None if they may have.

    It is zero, as that of noises is, or of two names the product of their own expectations.
    """
    said = "apart" in table.page.said_anywhere
    product = " ".join(sorted(names))
    apart = Option(APART, 0.3, f"the expectation of {product} is the product of their expectations", stated=said)
    question = choice(
        Kind.PROPERTY,
        f"{sign} of {product}",
        Option("any", 0.0, f"the expectation of {product} is any number"),
        Option(VANISHES, 0.3, f"the expectation of {product} is zero", stated=said),
        *((apart,) if len(names) == 2 and said else ()),
    )
    taken = table.asking(question).name
    if taken == APART:
        return times(*own_means(table, sign, name, names))
    return ZERO if taken == VANISHES else None


def own_means(table: Table, sign: str, name: str, names: tuple[str, ...]) -> Iterator[Meaning]:
    """The expectation of each of two names, at the slots of that of their product."""
    slots, count = table.known[name], len(table.known[names[0]])
    for one, own in zip(names, (slots[:count], slots[count:]), strict=True):
        yield moment(table, sign, [Entry(one, own)])


def given_by(sign: str) -> frozenset[str]:
    """The names in the condition of an expectation."""
    return frozenset(re.findall(r"[A-Za-z]\w*", sign.partition("|")[2]))
