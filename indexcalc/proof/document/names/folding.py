"""A name introduced later for a part of an earlier definition, put into that definition.

``A = softmax(Q K^T / sqrt(d))`` and, further down, ``S = Q K^T / sqrt(d)``: A is made from S, and the
gradient by S is a gradient on the way. Otherwise S would be one more tensor that the loss reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from indexcalc.proof.document.meaning.nodes import (
    Applied,
    Derivative,
    Entry,
    Meaning,
    Number,
    Ones,
    Plus,
    Raised,
    Relation,
    Size,
    Times,
    Total,
    free,
    rebuilt,
    times,
    walk,
)
from indexcalc.proof.document.meaning.sizes import Ix, ShapeError, Sizes
from indexcalc.proof.document.meaning.symbols import Definition, Symbols, depends_on

Names = Mapping[Ix, Ix]

FACTOR_LIMIT = 6
"""The most factors or terms whose order is ignored; longer rows must stand in the same order."""


def fold(symbols: Symbols) -> None:
    """Put every later name for a part into the definitions before it."""
    plain = {name: pulled(definition.body) for name, definition in symbols.definitions.items()}
    leaves = {name: leaves_of(body) for name, body in plain.items()}
    for name, part in sorted(symbols.definitions.items(), key=lambda pair: pair[1].line):
        if not is_made(part):
            continue
        made = Definition(part.slots, pulled(part.body))
        needed = leaves_of(made.body)
        holders = [other for other in symbols.definitions if other != name and needed <= leaves[other]]
        for other in holders:
            whole = symbols.definitions[other]
            if whole.line >= part.line or not set(part.reads) <= set(whole.reads):
                continue
            if not depends_on(symbols.definitions, name, other):
                body = folded(plain[other], name, made, symbols.sizes)
                if body != plain[other]:
                    symbols.definitions[other] = Definition(whole.slots, body, whole.line)
                    plain[other] = pulled(body)
                    leaves[other] = leaves_of(plain[other])


def leaves_of(node: Meaning) -> frozenset[object]:
    """What an expression is made of, whatever its index variables: a part of it is made of no more."""
    found: set[object] = set()
    for inner in walk(node):
        match inner:
            case Number(value):
                found.add(value)
            case Entry(name):
                found.add(name)
            case Applied(function):
                found.add((function,))
    return frozenset(found)


def is_made(part: Definition) -> bool:
    """Whether a definition says more than another name: it multiplies, adds or applies something."""
    bodies = (Times, Plus, Total, Applied)
    return isinstance(part.body, bodies) and not any(isinstance(node, Derivative) for node in walk(part.body))


def pulled(node: Meaning) -> Meaning:
    """The expression with every factor in front of the sums that do not bind its indices."""
    inner = rebuilt(node, pulled)
    if isinstance(inner, Times):
        return times(*inner.factors)
    if not isinstance(inner, Total) or not isinstance(inner.body, Times):
        return inner
    outer = [factor for factor in inner.body.factors if not set(free(factor)) & set(inner.indices)]
    rest = [factor for factor in inner.body.factors if factor not in outer]
    return times(*outer, Total(inner.indices, times(*rest))) if outer and rest else inner


def folded(node: Meaning, name: str, part: Definition, sizes: Sizes) -> Meaning:
    """The expression with the named entry wherever the definition's body stands."""
    for found in matches(part.body, node, {}):
        if all(slot in found for slot in part.slots):
            own = sizes.copy()
            try:
                for slot in part.slots:
                    own.unify(slot, found[slot])
            except ShapeError:
                continue
            for slot in part.slots:
                sizes.unify(slot, found[slot])
            return Entry(name, tuple(found[slot] for slot in part.slots))
    return rebuilt(node, lambda inner: folded(inner, name, part, sizes))


def matches(pattern: Meaning, node: Meaning, names: Names) -> Iterator[Names]:
    """The ways in which an expression is the pattern with other index variables."""
    match pattern, node:
        case Number(a), Number(b):
            yield from (names,) if a == b else ()
        case Entry(a, slots), Entry(b, others):
            yield from paired(slots, others, names) if a == b else ()
        case Size(a), Size(b):
            yield from paired((a,), (b,), names)
        case Ones(a), Ones(b):
            yield from paired((a,), (b,), names)
        case Relation(a, relation, b), Relation(c, other, d):
            yield from paired((a, b), (c, d), names) if relation == other else ()
        case Applied(a, argument), Applied(b, other):
            yield from matches(argument, other, names) if a == b else ()
        case Raised(base, exponent), Raised(other, power):
            for found in matches(base, other, names):
                yield from matches(exponent, power, found)
        case (Times(parts), Times(others)) | (Plus(parts), Plus(others)):
            yield from row(parts, others, names) if len(parts) == len(others) else ()
        case Total(indices, body), Total(others, inner):
            for found in paired(indices, others, names):
                yield from matches(body, inner, found)


def paired(slots: Sequence[Ix], others: Sequence[Ix], names: Names) -> Iterator[Names]:
    """The names extended so that each index of the pattern stands for the other beside it."""
    if len(slots) == len(others):
        grown = dict(names)
        if all(grown.setdefault(slot, other) == other for slot, other in zip(slots, others, strict=True)):
            yield grown


def row(parts: Sequence[Meaning], others: Sequence[Meaning], names: Names) -> Iterator[Names]:
    """Factors or terms matched in any order."""
    if not parts:
        yield names
        return
    choices = range(len(others)) if len(others) <= FACTOR_LIMIT else range(1)
    for n in choices:
        for found in matches(parts[0], others[n], names):
            yield from row(parts[1:], (*others[:n], *others[n + 1 :]), found)
