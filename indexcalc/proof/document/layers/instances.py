"""What holds for a layer holds for the next one: equations of a layer repeated for the layers that a document names.

A note defines ``z^l = W^l a^{l-1} + b^l`` once and uses ``z^{l+1}``. The equation of a name at another
layer is that of the layer's letter, with the letter moved.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from indexcalc.errors import IndexCalcError
from indexcalc.language.latex.grammar import parse
from indexcalc.language.latex.tokens import Token
from indexcalc.proof.document.layers.labels import Layer, layers_of, moved
from indexcalc.proof.document.written.outline import Side, Statement

INSTANCE_LIMIT = 100
"""The most equations that are repeated for another layer."""


@dataclass(frozen=True, slots=True)
class General:
    """An equation of a layer: the names at its head, and what is added to the layer's letter in them."""

    statement: Statement
    head: str
    letter: str
    step: int


def instances(statements: Sequence[Statement]) -> list[Statement]:
    """The equations and declarations of layers, for the other layers that the document names.

    Each is repeated only for a layer that the document itself names, and only for a name without an
    equation of its own.
    """
    mentioned = {token.text for token in names_in(statements)}
    layers = dict.fromkeys(layer for name in sorted(mentioned) for layer in layers_of(name))
    if not layers:
        return []
    general = list(generals(statements))
    told = {(one.head, is_declaration(one.statement)) for one in general}
    found: list[Statement] = []
    pending = sorted(mentioned)
    while pending and len(found) < INSTANCE_LIMIT:
        name = pending.pop(0)
        for one in general:
            declared = is_declaration(one.statement)
            if (name, declared) in told:
                continue
            target = next((layer for layer in layers if moved(one.head, one.letter, layer, one.step) == name), None)
            made = instance(one, target) if target is not None else None
            if made is not None:
                found.append(made)
                told.add((name, declared))
                fresh = {token.text for token in names_in([made])} - mentioned
                mentioned |= fresh
                pending.extend(sorted(fresh))
    return found


def names_in(statements: Sequence[Statement]) -> Iterator[Token]:
    """The tokens of all names that bear a layer."""
    for statement in statements:
        for side in statement.sides:
            yield from (token for token in side.tokens if token.kind == "NAME" and layers_of(token.text))


def is_declaration(statement: Statement) -> bool:
    """Whether a statement says what set a name is from."""
    return len(statement.sides) > 1 and statement.sides[1].relation == "in"


def generals(statements: Sequence[Statement]) -> Iterator[General]:
    """The equations and declarations of names that bear the letter of a layer; the first one of each name."""
    for statement in statements:
        if len(statement.sides) < 2 or statement.sides[1].relation not in ("=", ":=", "in"):
            continue
        tokens = statement.sides[0].tokens
        if is_update(statement):
            continue
        heads = [token.text for token in tokens if token.kind == "NAME" and layers_of(token.text)]
        if is_declaration(statement):
            whole = all(token.kind in ("NAME", "COMMA", "NUM") for token in tokens)
        else:
            whole = is_one_name(tokens)
        for head in heads if whole else ():
            for layer in layers_of(head):
                if layer.text.islower():
                    yield General(statement, head, layer.text, layer.offset)


def is_update(statement: Statement) -> bool:
    """Whether a name gets its next value, ``W^l = W^l - ...``, which says nothing of what it is."""
    first, second = (tuple(token.text for token in side.tokens) for side in statement.sides[:2])
    return second[: len(first)] == first


def is_one_name(tokens: Sequence[Token]) -> bool:
    """Whether tokens are a name with a layer, alone or with letters below."""
    return (
        bool(tokens)
        and tokens[0].kind == "NAME"
        and bool(layers_of(tokens[0].text))
        and (len(tokens) == 1 or (tokens[1].kind == "SUB" and all(t.kind in SCRIPT for t in tokens[1:])))
    )


SCRIPT = frozenset({"SUB", "{", "}", "NAME", "COMMA"})
"""What a subscript of letters is made of."""


def instance(general: General, target: Layer) -> Statement | None:
    """An equation for another layer: its head and what it is first said to be; None if there is no such layer."""
    sides = []
    for side in general.statement.sides[:2]:
        tokens = []
        for token in side.tokens:
            text = moved(token.text, general.letter, target, general.step) if token.kind == "NAME" else token.text
            if text is None:
                return None
            tokens.append(replace(token, text=text))
        try:
            tree = parse(tokens) if side.tree is not None else None
        except (IndexCalcError, RecursionError):
            return None
        sides.append(Side(side.relation, tuple(tokens), tree, side.error, side.start, side.end))
    return replace(general.statement, sides=sides, conditions=list(general.statement.conditions))
