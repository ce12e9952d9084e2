"""Names with their scripts: the tensors, entries, powers and gradients that they stand for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import sympy as sp

from indexcalc.errors import IndexCalcError
from indexcalc.language.latex.grammar import parse
from indexcalc.language.latex.tokens import Token
from indexcalc.proof.document.meaning import typed
from indexcalc.proof.document.meaning.nodes import (
    ONE,
    Applied,
    Entry,
    Number,
    Ones,
    Relation,
    Size,
    renamed,
    times,
)
from indexcalc.proof.document.meaning.symbols import NotUnderstoodError
from indexcalc.proof.document.meaning.typed import COLUMN, Typed
from indexcalc.proof.document.reading.derivatives import derivative
from indexcalc.proof.document.reading.scope import Scope
from indexcalc.proof.document.reading.variations import differential_of, free_name, target_of
from indexcalc.proof.document.written.scripts import COLON, Named, inverse_mark, is_label


def named_value(reader: Scope, found: Named) -> Typed:
    """The meaning of a name with its scripts."""
    if found.unreadable:
        raise NotUnderstoodError(f"the subscript of {found.name}")
    if found.primes:
        raise NotUnderstoodError(f"the prime on {found.name}")
    if found.name == "d" and found.bold and "d" in reader.sizes.owners:
        raise NotUnderstoodError("a sign of a differential that stands alone")
    if found.bold and found.parts is not None and len(found.parts) == 1 and found.parts[0].isdigit():
        raise NotUnderstoodError(f"{found.name} with a number, in bold: one of several arrays, or an entry?")
    if found.name == "e" and found.powers and found.parts is None:
        argument = inner(reader, found.powers[0])
        return replace(argument, node=Applied("exp", argument.node))
    value = value_of(reader, found)
    if found.transposed:
        if found.parts is not None and len(found.parts) == 2 and not value.axes:
            value = value_of(reader, replace(found, parts=(found.parts[1], found.parts[0])))
        elif value.axes:
            value = transposed(reader, value, found.name)
        elif found.parts is None and "T" in reader.symbols.slots:
            value = typed.raised(value, Entry("T"))
    if found.powers and reader.variation is not None and target_of(reader.symbols, found.name) is not None:
        raise NotUnderstoodError(f"a power behind {found.name}: of the differential, or in it?")
    for tokens in found.powers:
        value = power(reader, value, tokens)
    return value


def value_of(reader: Scope, found: Named) -> Typed:
    """The meaning of a name and its index."""
    name, parts = found.name, found.parts
    if name in reader.arguments:
        whole = reader.arguments[name]
        return whole if parts is None else typed.at(whole, tuple(reader.place(part) for part in parts), reader.sizes)
    if parts is None and name in reader.symbols.functions and name not in reader.symbols.definitions:
        return reader.sum(reader.symbols.functions[name].body)
    if name == "1":
        return ones(reader, parts)
    if name == "delta" and parts is not None and len(parts) == 2 and len(reader.symbols.slots.get(name, ())) < 2:
        left, right = reader.place(parts[0]), reader.place(parts[1])
        if left is None or right is None:
            raise NotUnderstoodError("a slice of a delta")
        reader.sizes.unify(left, right)
        return Typed(Relation(left, "==", right) if left != right else ONE)
    if name == "I" and parts is None and "I" not in reader.symbols.slots:
        left, right = reader.sizes.fresh(), reader.sizes.fresh()
        reader.sizes.unify(left, right)
        return Typed(Relation(left, "==", right), (left, right))
    if parts is None and reader.scalars_only and f"{name} as scalar" in reader.symbols.slots:
        return Typed(Entry(f"{name} as scalar"))
    if reader.variation is not None and (varied := target_of(reader.symbols, name)) is not None:
        if varied in reader.variation.free:
            return replace(array(reader, free_name(varied), parts), orientation=orientation(reader, varied))
        return differential_of(reader, value_of(reader, replace(found, name=varied)))
    resolved = reader.symbols.resolve(name)
    if resolved in reader.symbols.adjoints:
        target = reader.symbols.adjoints[resolved]
        return derivative(reader, Typed(Entry(loss(reader))), array(reader, target, parts))
    if name in reader.symbols.rows and parts is None and f"{name} alone" in reader.symbols.slots:
        return array(reader, f"{name} alone", None)
    if name in reader.symbols.rows and parts is not None and len(parts) == 1:
        return replace(tensor(reader, resolved, (*parts, COLON)), orientation=COLUMN)
    return tensor(reader, resolved, parts)


def tensor(reader: Scope, name: str, parts: tuple[str, ...] | None) -> Typed:
    """A tensor, whole or at an index."""
    if parts is None and reader.scalars_only and f"{name} as scalar" in reader.symbols.slots:
        return Typed(Entry(f"{name} as scalar"))
    if parts is None and name in reader.sizes.owners and name not in reader.symbols.definitions:
        return Typed(Size(reader.sizes.owners[name]))
    return array(reader, name, parts)


def array(reader: Scope, name: str, parts: tuple[str, ...] | None) -> Typed:
    """A tensor that is no size, whole or at an index."""
    slots = reader.symbols.slots.get(name)
    if slots is None:
        if name == "pi":
            return Typed(Number(sp.pi))
        raise NotUnderstoodError(f"{name} is not known")
    if parts is not None and len(parts) == 1 < len(slots) == len(parts[0]) and parts[0].isdigit():
        parts = tuple(parts[0])
    if parts is None:
        own = tuple(reader.sizes.fresh() for _ in slots)
    elif 0 < len(parts) < len(slots) and COLON not in parts:
        if not is_usual_slice(reader, name, parts, len(slots)):
            reader.guesses.append(f"{name} with {len(parts)} of its {len(slots)} slots is read as a slice")
        parts = (*parts, *(COLON,) * (len(slots) - len(parts)))
        own = tuple(reader.place(part) or reader.sizes.fresh(COLON) for part in parts)
    elif len(parts) != len(slots):
        raise NotUnderstoodError(f"{name} has {len(slots)} slots elsewhere, but {len(parts)} here")
    else:
        own = tuple(reader.place(part) or reader.sizes.fresh(COLON) for part in parts)
    for index, slot in zip(own, slots, strict=True):
        reader.sizes.unify(index, slot)
    whole = parts is None
    axes = tuple(index for n, index in enumerate(own) if whole or (parts is not None and parts[n] == COLON))
    return Typed(Entry(name, own), axes, orientation(reader, name))


def is_usual_slice(reader: Scope, name: str, parts: tuple[str, ...], rank: int) -> bool:
    """Whether the letters are those of the first slots elsewhere: then what is left out is all of the other slots.

    What is left of a vector must be known to be a row or a column.
    """
    usage = reader.survey.usages.get(name)
    if usage is None or (len(parts) == rank - 1 and not reader.symbols.columns):
        return False
    return any(len(full) == rank and sorted(full[: len(parts)]) == sorted(parts) for full in usage.letters)


def orientation(reader: Scope, name: str) -> str:
    """Whether a vector is a row or a column; in a document that has both, only a declaration is no guess."""
    return reader.symbols.orientations.get(name, reader.symbols.orientation)


def transposed(reader: Scope, value: Typed, name: str) -> Typed:
    """The transpose; where a document has rows and columns, that of an undeclared vector is a guess."""
    guessed = name not in reader.symbols.orientations and name != "1"
    if len(value.axes) == 1 and reader.symbols.mixed and guessed:
        reader.guesses.append(f"{name} is a {value.orientation}")
    return typed.transpose(value)


def ones(reader: Scope, parts: tuple[str, ...] | None) -> Typed:
    """A tensor of ones."""
    if parts is None:
        axis = reader.sizes.fresh()
        return Typed(Ones(axis), (axis,))
    indices = [reader.place(part) for part in parts]
    return Typed(times(*(Ones(index) for index in indices if index is not None)))


def loss(reader: Scope) -> str:
    """The loss whose gradients bear short names."""
    if len(reader.symbols.losses) != 1:
        raise NotUnderstoodError("the loss is not clear")
    (name,) = reader.symbols.losses
    return name


def power(reader: Scope, value: Typed, tokens: Sequence[Token]) -> Typed:
    """A power; of a matrix by a whole number, a product with itself."""
    if tokens and tokens[0].kind == "ODOT":
        return typed.raised(value, inner(reader, tokens[1:]).node)
    if len(value.axes) == 2 and (mark := inverse_mark(tokens)):
        found = typed.inverse(value, reader.sizes)
        return found if mark == "-1" else typed.transpose(found)
    exponent = inner(reader, tokens)
    if exponent.axes:
        raise NotUnderstoodError("an exponent that is an array")
    if len(value.axes) == 2:
        if exponent.node == Number(sp.Integer(2)):
            return typed.product(value, again(reader, value), reader.sizes)
        raise NotUnderstoodError("a power of a matrix")
    return typed.raised(value, exponent.node)


def again(reader: Scope, value: Typed) -> Typed:
    """The same expression over axes of its own."""
    axes = tuple(reader.sizes.fresh() for _ in value.axes)
    for own, axis in zip(axes, value.axes, strict=True):
        reader.sizes.unify(own, axis)
    return replace(value, node=renamed(value.node, dict(zip(value.axes, axes, strict=True))), axes=axes)


def inner(reader: Scope, tokens: Sequence[Token]) -> Typed:
    """The meaning of the tokens of a superscript."""
    if is_label(tokens):
        raise NotUnderstoodError("a label where a power is expected")
    try:
        tree = parse(tokens)
    except IndexCalcError as error:
        raise NotUnderstoodError(str(error)) from None
    return reader.sum(tree)
