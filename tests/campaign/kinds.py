"""The kinds of formulas that random programs are made of, one function each."""

from __future__ import annotations

from tests.campaign.drawing import KINKED, SMOOTH, Drawing, Kind
from tests.campaign.formulas import (
    Apply,
    Delta,
    Formula,
    Negative,
    Number,
    Over,
    Plus,
    Power,
    Ratio,
    Read,
    Relation,
    Symbol,
    Times,
)

KINDS: list[Kind] = []
"""All kinds."""


def kind(draw: Kind) -> Kind:
    """Enter a kind of formula."""
    KINDS.append(draw)
    return draw


@kind
def sums(d: Drawing) -> Formula:
    """A sum of two or three."""
    parts = [d.formula() for _ in range(2 + d.chance(0.3))]
    return Plus(tuple(Negative(part) if place and d.chance(0.4) else part for place, part in enumerate(parts)))


@kind
def products(d: Drawing) -> Formula:
    """A product of two or three, scalars among them."""
    parts = [d.formula() for _ in range(2 + d.chance(0.25))]
    return Times(tuple([d.scalar(), *parts] if d.chance(0.3) else parts))


@kind
def contractions(d: Drawing) -> Formula:
    """A sum over an index that both factors may have."""
    return d.over("sum", Times((d.read(), d.formula())))


@kind
def smooth(d: Drawing) -> Formula:
    """A smooth function."""
    return Apply(d.pick(SMOOTH), d.formula())


@kind
def kinked(d: Drawing) -> Formula:
    """A function with a kink, or with steps."""
    name = d.pick(KINKED)
    return Apply(name, d.formula(), Number("0.25") if name in ("max", "min") else None)


@kind
def logarithms(d: Drawing) -> Formula:
    """The logarithm of what is positive."""
    return Apply("log", d.positive())


@kind
def quotients(d: Drawing) -> Formula:
    """A quotient."""
    return Ratio(Number("1") if d.chance(0.15) else d.formula(), d.positive())


@kind
def powers(d: Drawing) -> Formula:
    """Whole powers, roots, negative powers, and powers with a parameter."""
    sign = "**" if d.chance(0.2) else "^"
    if d.chance(0.45):
        return Power(d.formula(), Number(d.pick(("2", "2", "3", "4"))), sign)
    base = d.positive()
    options: list[Formula] = [
        Negative(Number("1")),
        Negative(Number("2")),
        Ratio(Number("1"), Number("2")),
        Negative(Ratio(Number("3"), Number("2"))),
        Number("0.5"),
        Number("1.5"),
    ]
    if d.parameters:
        options += [Symbol(d.pick(list(d.parameters))), Negative(Symbol(d.pick(list(d.parameters))))] * 4
    if d.chance(0.3):
        return Apply("sqrt", base)
    return Power(base, options[int(d.rng.integers(len(options)))], sign)


@kind
def softmaxes(d: Drawing) -> Formula:
    """A softmax, by its name or written out."""
    body = d.formula()
    bound = d.bound(body)
    if not bound:
        return body
    match int(d.rng.integers(4)):
        case 0:
            return Over("logsoftmax", bound, body)
        case 1:
            raised = Apply("exp", body)
            return Ratio(raised, Over("sum", bound, raised))
        case 2:
            return Apply("exp", Plus((body, Negative(Over("logsumexp", bound, body)))))
        case _:
            return Over("softmax", bound, body)


@kind
def statistics(d: Drawing) -> Formula:
    """A mean, a variance, a norm, or a logsumexp."""
    return d.over(d.pick(("mean", "var", "norm2", "logsumexp")), d.formula())


@kind
def normalisations(d: Drawing) -> Formula:
    """Less its mean, over its deviation, inline."""
    body = d.read()
    bound = d.bound(body)
    if not bound:
        return body
    centred = Plus((body, Negative(Over("mean", bound, body))))
    if d.chance(0.3):
        return centred
    return Ratio(centred, Apply("sqrt", Plus((Over("var", bound, body), Number("0.1")))))


@kind
def extremes(d: Drawing) -> Formula:
    """The largest or smallest entry."""
    return d.over(d.pick(("max", "min")), d.formula())


@kind
def deltas(d: Drawing) -> Formula:
    """A delta times something."""
    pair = d.pair()
    if pair is None:
        return d.formula()
    found = Times((Delta(*pair), d.formula()))
    return Over("sum", (pair[1],), found) if d.chance(0.4) else found


@kind
def brackets(d: Drawing) -> Formula:
    """A relation of two indices times something, or a softmax over what it lets through."""
    pair = d.pair(alike=False)
    if pair is None:
        return d.formula()
    sign = d.pick(("<=", "<", ">=", ">", "!=", "=="))
    if sign == "==" and d.indices[pair[0]] != d.indices[pair[1]]:
        sign = "<="
    relation = Relation(pair[0], sign, pair[1])
    body = d.formula()
    if d.chance(0.3):
        weights = Times((Relation(pair[0], "<=", pair[1]), Apply("exp", body)))
        return Ratio(weights, Plus((Over("sum", (pair[0],), weights), Number("0.1"))))
    return Times((relation, body)) if d.chance(0.8) else Times((Plus((Number("1"), Negative(relation))), body))


@kind
def masks(d: Drawing) -> Formula:
    """A mask of zeros and ones on something."""
    mask = d.read("mask")
    if not isinstance(mask, Read):
        return d.formula()
    body = d.formula()
    bound = d.bound(mask)
    if bound and d.chance(0.4):
        weights = Times((mask, Apply("exp", body)))
        return Ratio(weights, Plus((Over("sum", bound, weights), Number("0.2"))))
    return Times((mask, body))


@kind
def repeats(d: Drawing) -> Formula:
    """The same part in two places, read in the same way or in another."""
    part = d.formula()
    other = d.swapped(part) if d.chance(0.5) else part
    match int(d.rng.integers(4)):
        case 0:
            return Times((part, other))
        case 1:
            return Plus((part, Negative(other)))
        case 2:
            return Plus((part, Apply("tanh", other)))
        case _:
            return Ratio(part, Plus((Number("1"), Power(other, Number("2")))))


@kind
def scalars(d: Drawing) -> Formula:
    """Something times a scalar, or plus one."""
    return Times((d.scalar(), d.formula())) if d.chance(0.6) else Plus((d.formula(), d.scalar()))
