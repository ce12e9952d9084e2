"""Functions and their arguments: known ones, structural ones, and those that the document defines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import sympy as sp

from indexcalc.errors import IndexCalcError
from indexcalc.language.latex.reductions import reduction_of
from indexcalc.language.latex.tree import Group, Node, Scripted
from indexcalc.language.latex.vocabulary import FUNCTIONS
from indexcalc.proof.document import typed
from indexcalc.proof.document.factors import with_scripts
from indexcalc.proof.document.naming import power
from indexcalc.proof.document.nodes import (
    Applied,
    Entry,
    Meaning,
    Number,
    Total,
    over,
    rebuilt,
    times,
    walk,
)
from indexcalc.proof.document.reductions import reduced
from indexcalc.proof.document.scope import Scope
from indexcalc.proof.document.slopes import slope
from indexcalc.proof.document.symbols import Function, NotUnderstoodError
from indexcalc.proof.document.typed import Typed

UNKNOWN_FUNCTIONS = frozenset({"f", "g", "h", "phi", "psi", "F", "ell"})
"""Names that stand for a function where a bracket follows and nothing else is known."""

AMBIGUOUS = frozenset({"log", "ln"})
r"""Functions of which ``\log (x)^2`` may be read in two ways; ``\tanh(x)^2`` is a square for all."""

PARTS_LIMIT = 20_000
"""The most parts of a formula once a function's own formula stands for its name."""


def called(reader: Scope, items: Sequence[Node], position: int) -> tuple[Typed, int] | None:
    """A function and its argument."""
    item = items[position]
    found = reader.survey.name(item)
    if found is None or found.parts is not None:
        return None
    name = found.name
    following = items[position + 1] if position + 1 < len(items) else None
    behind = following if isinstance(following, Scripted) and is_argument(following.base) else None
    following = behind.base if behind is not None else following
    bracketed = isinstance(following, Group) and following.bracket in ("(", "[", "{")
    word = reader.symbols.words.get(name, name)
    known = FUNCTIONS.get(word)
    if (
        known is None
        and word == "sigma"
        and bracketed
        and "sigma" not in reader.symbols.slots
        and name not in reader.symbols.functions
    ):
        known = "sigma"
    structural = reduction_of(name) is not None or word in (
        "softmax",
        "Softmax",
        "rowsoftmax",
        "smx",
        "tr",
        "Tr",
        "trace",
        "diag",
        "Diag",
        "max",
    )
    defined = name in reader.symbols.functions and bracketed
    usage = reader.survey.usages.get(name)
    only_called = usage is not None and usage.only_called
    if bracketed and known is None and name in UNKNOWN_FUNCTIONS and not defined and only_called:
        raise NotUnderstoodError(f"the function {name} is not defined")
    if known is None and not structural and not defined:
        return None
    if following is None:
        raise NotUnderstoodError(f"{name} of nothing")
    if found.primes > 1 or (found.primes and (structural or not bracketed)):
        raise NotUnderstoodError(f"a derivative of {name} by primes")
    above = found.powers
    if bracketed:
        assert isinstance(following, Group)
        arguments = [reader.sum(member) for member in following.members]
        position += 2
    else:
        argument, position = reader.unit(items, position + 1)
        arguments = [argument]
    if found.primes:
        result = slope_at(reader, name if defined else "", known or word, arguments)
    elif name in reader.symbols.functions and defined:
        result = apply_own(reader, name, arguments)
    else:
        result = apply(reader, known or word, arguments)
    for tokens in above:
        result = power(reader, result, tokens)
    if behind is not None:
        if name in AMBIGUOUS and behind.above:
            reader.guesses.append(f"the power behind the bracket is that of {name}, not of its argument")
        result = with_scripts(reader, result, behind)
    return result, position


def is_argument(item: Node) -> bool:
    """Whether a factor is a bracket in which an argument may stand."""
    return isinstance(item, Group) and item.bracket in ("(", "[")


def slope_at(reader: Scope, own: str, known: str, arguments: list[Typed]) -> Typed:
    """``f'(x)``: the derivative of a known function, or of one that the document defines, entry by entry."""
    if len(arguments) != 1:
        raise NotUnderstoodError(f"the derivative of a function of {len(arguments)} arguments")
    (argument,) = arguments
    variable = Entry("the argument of a function")
    value = apply_own(reader, own, [Typed(variable)]) if own else apply(reader, known, [Typed(variable)])
    try:
        node = slope(value.node, variable, reader.sizes, lambda entry: None)
    except IndexCalcError as error:
        raise NotUnderstoodError(str(error)) from None
    return replace(argument, node=put_in(node, variable, argument.node))


def put_in(node: Meaning, variable: Entry, argument: Meaning) -> Meaning:
    """The expression with the argument for the variable."""
    return argument if node == variable else rebuilt(node, lambda inner: put_in(inner, variable, argument))


def apply(reader: Scope, name: str, arguments: list[Typed]) -> Typed:
    """A known function of its arguments."""
    if name == "max":
        return maximum(reader, arguments)
    if len(arguments) != 1:
        raise NotUnderstoodError(f"{name} of {len(arguments)} arguments")
    (argument,) = arguments
    if (reduction := reduction_of(name)) is not None:
        return reduced(reader, reduction, argument)
    if name in ("softmax", "Softmax", "rowsoftmax", "smx"):
        if not argument.axes and isinstance(argument.node, Entry) and argument.node.slots:
            return softmax_entry(reader, argument.node)
        return typed.softmax(argument, reader.sizes)
    if name in ("tr", "Tr", "trace"):
        return typed.trace(argument, reader.sizes)
    if name in ("diag", "Diag"):
        return typed.diagonal(argument, reader.sizes)
    if name == "sigma":
        if argument.axes and not reader.symbols.scalar_sigma:
            raise NotUnderstoodError("the function sigma is not defined: a sigmoid, or a softmax?")
        reader.notes.append("sigma is read as the logistic function")
        name = "sigmoid"
    return replace(argument, node=Applied(name, argument.node))


def softmax_entry(reader: Scope, entry: Entry) -> Typed:
    """``softmax(x_ij)``: the entry of the softmax of the row that holds it."""
    dummy = reader.sizes.fresh("")
    reader.sizes.unify(dummy, entry.slots[-1])
    row = Entry(entry.name, (*entry.slots[:-1], dummy))
    return Typed(times(Applied("exp", entry), over(Total((dummy,), Applied("exp", row)))))


def maximum(reader: Scope, arguments: list[Typed]) -> Typed:
    """``max(x, 0)`` is the rectifier."""
    rest = [argument for argument in arguments if argument.node != Number(sp.S.Zero)]
    if len(arguments) == 2 and len(rest) == 1:
        return replace(rest[0], node=Applied("relu", rest[0].node))
    raise NotUnderstoodError("a maximum of these arguments")


def apply_own(reader: Scope, name: str, arguments: list[Typed]) -> Typed:
    """A function that the document defines."""
    function = reader.symbols.functions[name]
    if len(arguments) != 1:
        raise NotUnderstoodError(f"{name} of {len(arguments)} arguments")
    if function.parameter in reader.arguments:
        raise NotUnderstoodError(f"{name} of itself")
    if function.letters:
        result = entry_of(reader, function, arguments[0])
    else:
        inner = replace(reader, arguments={**reader.arguments, function.parameter: arguments[0]})
        result = inner.sum(function.body)
    if any(count > PARTS_LIMIT for count, _ in enumerate(walk(result.node))):
        raise NotUnderstoodError(f"{name} put in for its name makes a formula of more than {PARTS_LIMIT} parts")
    return result


def entry_of(reader: Scope, function: Function, argument: Typed) -> Typed:
    """A function that the document defines by its entries: those of an entry's row, or of a whole array."""
    count = len(function.letters)
    if not argument.axes and isinstance(argument.node, Entry) and len(argument.node.slots) >= count:
        entry = argument.node
        axes = tuple(reader.sizes.fresh() for _ in range(count))
        own = entry.slots[-count:]
        whole = Typed(Entry(entry.name, (*entry.slots[:-count], *axes)), axes)
        for axis, slot in zip(axes, own, strict=True):
            reader.sizes.unify(axis, slot)
    elif len(argument.axes) >= count:
        axes = argument.axes[-count:]
        own = tuple(reader.sizes.fresh() for _ in axes)
        whole = Typed(argument.node, axes)
    else:
        raise NotUnderstoodError("a function of entries, of something that has none")
    letters = dict(zip(function.letters, own, strict=True))
    inner = replace(
        reader,
        arguments={**reader.arguments, function.parameter: whole},
        dummies=(*reader.dummies, letters),
    )
    kept = () if not argument.axes else (*argument.axes[:-count], *own)
    return replace(argument, node=inner.sum(function.body).node, axes=kept)
