"""Sums over indices: what they bind, under which conditions, and how far they run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from indexcalc.language.latex.tokens import Token
from indexcalc.language.latex.tree import Atom, Node, Scripted
from indexcalc.proof.document.meaning.nodes import (
    Applied,
    Meaning,
    Number,
    Plus,
    Raised,
    Relation,
    Times,
    Total,
    free,
    times,
)
from indexcalc.proof.document.meaning.sizes import Ix, Sizes
from indexcalc.proof.document.meaning.symbols import NotUnderstoodError
from indexcalc.proof.document.meaning.typed import Typed
from indexcalc.proof.document.reading.scope import NUMBER_LIMIT, Scope

RELATIONS = {"!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
"""Relations that a bracket or the foot of a sum may hold."""

Condition = tuple[str, str, str]
"""A relation between two index letters."""

BRACKETS = frozenset({"{", "}", "(", ")", "COMMA", "NEWLINE"})
"""Tokens below a sum that part letters and say nothing."""

STRICTER: dict[tuple[str, tuple[str, ...]], str] = {
    (">=", ("+", "1")): ">",
    ("<=", ("-", "1")): "<",
    ("<", ("+", "1")): "<=",
    (">", ("-", "1")): ">=",
}
"""A relation to the entry before or behind an index, as a relation to the index."""


def big_sum(reader: Scope, item: Node, rest: Sequence[Node]) -> Typed:
    """A sum over dummies that reaches to the end of its product."""
    atom = item.base if isinstance(item, Scripted) else item
    assert isinstance(atom, Atom)
    if atom.text not in ("sum", "prod"):
        raise NotUnderstoodError(f"{atom.text} is not read")
    if not rest:
        raise NotUnderstoodError("a sum of nothing")
    below = item.below if isinstance(item, Scripted) else ()
    if not below and atom.text == "sum":
        return sum_without_index(reader, rest)
    over = over_set(below) if reader.symbols.one_set else ""
    if over:
        reader.notes.append(f"{over} runs over all of its set")
    names, conditions, start = ([over], [], "") if over else binder(below, reader.indices, reader.sizes)
    scope = {name: reader.sizes.fresh(name) for name in names}
    bound = tuple(scope.values())
    inner = replace(reader, dummies=(*reader.dummies, scope))
    above = item.above[-1] if isinstance(item, Scripted) and item.above else ()
    partial = last_entry(reader, names, above)
    conditions = [*conditions, *partial]
    gate = limit(reader, bound, above, start) if above and not partial else None
    body = inner.product(rest) if atom.text == "sum" else logarithm(inner.product(rest))
    body = replace(body, node=times(body.node, gate)) if gate is not None else body
    for left, relation, right in conditions:
        a, b = inner.letter(left), inner.letter(right)
        reader.sizes.unify(a, b)
        body = replace(body, node=times(body.node, Relation(*oriented(a, relation, b))))
    if reader.symbols.one_set and over_set(below) and reader.sizes.name_of(bound[0]) in reader.sizes.declared:
        reader.guesses.append(f"the set is all of {reader.sizes.name_of(bound[0])}")
    missing = [index for index in bound if index not in free(body.node)]
    if missing:
        tie_by_case(reader, missing[0])
        reader.notes.append(f"the sum over {missing[0].name} binds nothing")
        if body.axes:
            reader.guesses.append(f"the sum over {missing[0].name} runs along no axis of the array behind it")
    node = Total(bound, body.node)
    return replace(body, node=node if atom.text == "sum" else Applied("exp", node))


def logarithm(value: Typed) -> Typed:
    """The logarithm of a factor of a product over an index, which is the exponential of the sum of them."""
    if value.axes:
        raise NotUnderstoodError("a product of arrays over an index")
    return replace(value, node=log_of(value.node))


def log_of(node: Meaning) -> Meaning:
    """The logarithm of a positive expression, taken apart at products and powers."""
    match node:
        case Applied("exp", argument):
            return argument
        case Raised(base, exponent):
            return times(exponent, log_of(base))
        case Times(factors) if not any(isinstance(factor, Number | Relation) for factor in factors):
            return Plus(tuple(log_of(factor) for factor in factors))
        case _:
            return Applied("log", node)


def sum_without_index(reader: Scope, rest: Sequence[Node]) -> Typed:
    """A sum without an index binds the one index that neither the first member of the chain nor a sum around binds."""
    body = reader.product(rest)
    taken = {*(reader.head or {}).values()}
    unbound = [index for index in free(body.node) if index in reader.letters.values() and index not in taken]
    if reader.head is None or len(unbound) != 1:
        raise NotUnderstoodError("a sum without an index")
    reader.notes.append(f"the sum without an index runs over {unbound[0].name}")
    return replace(body, node=Total((unbound[0],), body.node))


def tie_by_case(reader: Scope, index: Ix) -> None:
    """An index over which nothing runs gets its size from the capital of its letter, where that is one."""
    name = reader.symbols.assumed.get(index.name, "")
    if name in reader.sizes.owners:
        reader.sizes.unify(reader.sizes.named(name), index)


def limit(reader: Scope, bound: tuple[Ix, ...], tokens: Sequence[Token], start: str) -> Relation | None:
    """The upper limit of a sum names the size of its index; it runs over the whole slot, from 0 or 1.

    From a higher number on, it runs from that entry on: the condition for that is what is returned.

    Raises:
        NotUnderstoodError: for other limits, and where one equation has two ranges of one size.
    """
    texts = [token.text for token in tokens if token.kind not in ("{", "}")]
    if len(bound) != 1 or not tokens or tokens[0].kind != "NAME":
        if tokens and tokens[0].kind == "NUM":
            raise NotUnderstoodError("a sum with numbers for limits")
        return None
    shorter = texts[-2:] == ["-", "1"]
    name = "".join(texts[:-2]) if shorter else "".join(texts)
    if not name.replace("_", "").isalnum():
        raise NotUnderstoodError(f"a sum up to {name}")
    later = start.isdigit() and int(start) > 1
    span = ("1" if later else start, shorter)
    if (start and reader.ranges.setdefault(name, span) != span) or (later and (shorter or int(start) > NUMBER_LIMIT)):
        raise NotUnderstoodError(f"two ranges up to {name} in one equation")
    if span == ("1", True):
        raise NotUnderstoodError(f"a sum from 1 to {name} - 1")
    reader.sizes.unify(reader.sizes.named(name), bound[0])
    if not later:
        return None
    first = reader.sizes.fresh(start, fixed=int(start))
    reader.sizes.unify(first, bound[0])
    return Relation(first, "<=", bound[0])


def last_entry(reader: Scope, names: Sequence[str], tokens: Sequence[Token]) -> list[Condition]:
    r"""The condition of a sum that ends at an index, ``\sum_{q=1}^{i}``, ``\sum_{q=1}^{i-1}``; none at a size."""
    if len(names) != 1 or not tokens or tokens[0].text not in reader.indices:
        return []
    if tokens[0].text in reader.sizes.declared:
        return []
    found = bound_by(names[0], "<=", tokens)
    return [found] if found is not None else []


def bound_by(left: str, relation: str, tokens: Sequence[Token]) -> Condition | None:
    """A relation between a letter and another, or the one before or behind it; None for anything else."""
    texts = tuple(token.text for token in tokens)
    if not texts or tokens[0].kind != "NAME":
        return None
    if len(texts) == 1:
        return left, relation, texts[0]
    stricter = STRICTER.get((relation, texts[1:]))
    return (left, stricter, texts[0]) if stricter is not None else None


def binder(
    tokens: Sequence[Token], indices: frozenset[str] = frozenset(), sizes: Sizes | None = None
) -> tuple[list[str], list[Condition], str]:
    """``(dummies, conditions, first value)`` of what stands below a sum.

    Args:
        tokens: what stands below it.
        indices: the letters that index something in the chain: where a sum may begin.
        sizes: the sizes over which an index is said to run.

    Raises:
        NotUnderstoodError: for anything but letters, one ``k=1``, a relation between two letters, or the range of one.
    """
    plain = [token for token in tokens if token.kind not in BRACKETS]
    relations = [n for n, token in enumerate(plain) if token.kind == "REL"]
    if not relations:
        names: list[str] = []
        for token in plain:
            if token.kind == "PRIME" and names:
                names[-1] += "'"
            elif token.kind == "NAME" and (token.text.islower()):
                names.append(token.text)
            else:
                raise NotUnderstoodError("what stands below a sum")
        return names, [], ""
    if relations != [1] or len(plain) < 3 or plain[0].kind != "NAME":
        raise NotUnderstoodError("what stands below a sum")
    left, relation, *right = plain
    if relation.text == "=" and len(right) == 1 and right[0].kind == "NUM":
        return [left.text], [], right[0].text
    if relation.text == "in" and is_whole_range(tokens, sizes):
        return [left.text], [], ""
    wanted = ">=" if relation.text == "=" and right[0].text in indices else relation.text
    found = bound_by(left.text, wanted, right) if wanted in RELATIONS else None
    if found is None:
        raise NotUnderstoodError("what stands below a sum")
    return [left.text], [found], ""


def over_set(tokens: Sequence[Token]) -> str:
    r"""The letter of ``w \in V``, where V is a name and no range; else nothing."""
    plain = [token for token in tokens if token.kind not in BRACKETS]
    named = len(plain) == 3 and plain[2].kind in ("NAME", "TEXT") and plain[0].kind == "NAME"
    return plain[0].text if named and plain[1].text == "in" else ""


def is_whole_range(tokens: Sequence[Token], sizes: Sizes | None) -> bool:
    r"""Whether a letter is said to run over all of a size: ``k \in [1, K]``, ``k \in [K]``, ``k \in K``."""
    texts = [token.text for token in tokens if token.kind not in ("{", "}", "COMMA")][2:]
    if len(texts) == 1:
        return sizes is not None and texts[0] in sizes.owners
    if texts[0] != "[" or texts[-1] != "]":
        return False
    inner = texts[1:-1]
    return len(inner) == 1 or (len(inner) == 2 and inner[0] == "1")


def oriented(left: Ix, relation: str, right: Ix) -> tuple[Ix, str, Ix]:
    """The relation with ``<`` or ``<=``."""
    if relation in (">", ">="):
        return right, relation.replace(">", "<"), left
    return left, relation, right
