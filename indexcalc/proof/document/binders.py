"""Sums over indices: what they bind, under which conditions, and how far they run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from indexcalc.language.latex.tokens import Token
from indexcalc.language.latex.tree import Atom, Node, Scripted
from indexcalc.proof.document.nodes import (
    Relation,
    Total,
    free,
    times,
)
from indexcalc.proof.document.scope import NUMBER_LIMIT, Scope
from indexcalc.proof.document.sizes import Ix
from indexcalc.proof.document.symbols import NotUnderstoodError
from indexcalc.proof.document.typed import Typed

RELATIONS = {"!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
"""Relations that a bracket or the foot of a sum may hold."""


def big_sum(reader: Scope, item: Node, rest: Sequence[Node]) -> Typed:
    """A sum over dummies that reaches to the end of its product."""
    atom = item.base if isinstance(item, Scripted) else item
    assert isinstance(atom, Atom)
    if atom.text != "sum":
        raise NotUnderstoodError(f"{atom.text} is not read")
    if not rest:
        raise NotUnderstoodError("a sum of nothing")
    below = item.below if isinstance(item, Scripted) else ()
    if not below:
        return sum_without_index(reader, rest)
    names, conditions, start = binder(below)
    scope = {name: reader.sizes.fresh(name) for name in names}
    bound = tuple(scope.values())
    inner = replace(reader, dummies=(*reader.dummies, scope))
    gate = limit(reader, bound, item.above[-1], start) if isinstance(item, Scripted) and item.above else None
    body = inner.product(rest)
    body = replace(body, node=times(body.node, gate)) if gate is not None else body
    for left, relation, right in conditions:
        a, b = inner.letter(left), inner.letter(right)
        reader.sizes.unify(a, b)
        body = replace(body, node=times(body.node, Relation(*oriented(a, relation, b))))
    missing = [index for index in bound if index not in free(body.node)]
    if missing:
        tie_by_case(reader, missing[0])
        reader.notes.append(f"the sum over {missing[0].name} binds nothing")
        if body.axes:
            reader.guesses.append(f"the sum over {missing[0].name} runs along no axis of the array behind it")
    return replace(body, node=Total(bound, body.node))


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
    if reader.ranges.setdefault(name, span) != span or (later and (shorter or int(start) > NUMBER_LIMIT)):
        raise NotUnderstoodError(f"two ranges up to {name} in one equation")
    if span == ("1", True):
        raise NotUnderstoodError(f"a sum from 1 to {name} - 1")
    reader.sizes.unify(reader.sizes.named(name), bound[0])
    if not later:
        return None
    first = reader.sizes.fresh(start, fixed=int(start))
    reader.sizes.unify(first, bound[0])
    return Relation(first, "<=", bound[0])


def binder(tokens: Sequence[Token]) -> tuple[list[str], list[tuple[str, str, str]], str]:
    """``(dummies, conditions, first value)`` of what stands below a sum.

    Raises:
        NotUnderstoodError: for anything but letters, one ``k=1``, or a relation between two letters.
    """
    tokens = [token for token in tokens if token.kind not in ("{", "}", "(", ")", "COMMA", "NEWLINE")]
    relations = [n for n, token in enumerate(tokens) if token.kind == "REL"]
    if not relations:
        names: list[str] = []
        for token in tokens:
            if token.kind == "PRIME" and names:
                names[-1] += "'"
            elif token.kind == "NAME" and (token.text.islower()):
                names.append(token.text)
            else:
                raise NotUnderstoodError("what stands below a sum")
        return names, [], ""
    if len(relations) != 1 or len(tokens) != 3 or relations != [1]:
        raise NotUnderstoodError("what stands below a sum")
    left, relation, right = tokens
    if relation.text == "=" and right.kind == "NUM":
        return [left.text], [], right.text
    if relation.text in RELATIONS and right.kind == "NAME" and left.kind == "NAME":
        return [left.text], [(left.text, relation.text, right.text)], ""
    raise NotUnderstoodError("what stands below a sum")


def oriented(left: Ix, relation: str, right: Ix) -> tuple[Ix, str, Ix]:
    """The relation with ``<`` or ``<=``."""
    if relation in (">", ">="):
        return right, relation.replace(">", "<"), left
    return left, relation, right
