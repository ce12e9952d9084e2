"""Functions and their arguments: known ones, structural ones, and those that the document defines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import sympy as sp

from indexcalc.errors import IndexCalcError
from indexcalc.language.latex.reductions import reduction_of
from indexcalc.language.latex.tree import Atom, Group, Node, Scripted, Sum
from indexcalc.language.latex.vocabulary import FUNCTIONS, STRUCTURAL
from indexcalc.proof.document.meaning import typed
from indexcalc.proof.document.meaning.nodes import (
    Applied,
    Entry,
    Meaning,
    Number,
    Total,
    free,
    negated,
    over,
    put_in,
    times,
    walk,
)
from indexcalc.proof.document.meaning.sizes import Sizes
from indexcalc.proof.document.meaning.slopes import slope
from indexcalc.proof.document.meaning.symbols import Function, NotUnderstoodError
from indexcalc.proof.document.meaning.typed import Typed
from indexcalc.proof.document.meaning.unknown import is_unknown, unknown
from indexcalc.proof.document.reading.factors import with_scripts
from indexcalc.proof.document.reading.naming import power
from indexcalc.proof.document.reading.reductions import reduced
from indexcalc.proof.document.reading.scope import Scope
from indexcalc.proof.document.written.scripts import GREEK

UNKNOWN_FUNCTIONS = frozenset({"f", "g", "h", "phi", "psi", "F", "ell"})
"""Names that stand for a function where a bracket follows and nothing else is known."""

AMBIGUOUS = frozenset({"log", "ln"})
r"""Functions of which ``\log (x)^2`` may be read in two ways; ``\tanh(x)^2`` is a square for all."""

STRUCTURES = frozenset(
    ["softmax", "Softmax", "rowsoftmax", "smx", "tr", "Tr", "trace", "det", "diag", "Diag", "max", "min"]
)
"""Functions that look at more than one entry."""

MATRIX: dict[str, Callable[[Typed, Sizes], Typed]] = {
    **dict.fromkeys(("tr", "Tr", "trace"), typed.trace),
    **dict.fromkeys(("diag", "Diag"), typed.diagonal),
    "det": typed.determinant,
}
"""Functions of matrices."""

SUM_OF_ALL = "sum of all"

TOTALS = {"rowsum": "sum along -1", "RowSum": "sum along -1", "rowSum": "sum along -1"}
TOTALS |= {"row_sum": "sum along -1", "ROW_SUM": "sum along -1", "sum": SUM_OF_ALL}
"""Sums by name, over the last axis or over all entries."""

HIGHEST = 3
"""The highest derivative of a function that primes may say."""

CALLS_LIMIT = 400
"""The most functions put in for their names in one statement, counted each time."""

PARTS_LIMIT = 20_000
"""The most parts of a formula once a function's own formula stands for its name."""


@dataclass(frozen=True, slots=True)
class Callee:
    """A name that is applied.

    Attributes:
        name: as it is written.
        word: the function of the table that it names, the unknown one, or one that looks at several entries.
        structural: whether it looks at more than one entry.
        defined: whether the document defines it.
    """

    name: str
    word: str
    structural: bool
    defined: bool


def called(reader: Scope, items: Sequence[Node], position: int) -> tuple[Typed, int] | None:
    """A function and its argument; scripts behind the bracket belong to the value."""
    found = reader.survey.name(items[position])
    if found is None or found.parts is not None:
        return None
    following = items[position + 1] if position + 1 < len(items) else None
    behind = following if isinstance(following, Scripted) and is_argument(following.base) else None
    following = behind.base if behind is not None else following
    bracketed = isinstance(following, Group) and following.bracket in ("(", "[", "{")
    callee = callee_of(reader, found.name, bracketed)
    if callee is None:
        return None
    if following is None:
        raise NotUnderstoodError(f"{found.name} of nothing")
    if bracketed:
        assert isinstance(following, Group)
        arguments = [reader.sum(member) for member in following.members]
        position += 2
    elif (end := after_number(reader, items, position + 1)) > position + 2:
        arguments = [reader.product(items[position + 1 : end])]
        position = end
    else:
        argument, position = reader.unit(items, position + 1)
        arguments = [argument]
    result = applied(reader, callee, arguments, found.primes, bracketed)
    for tokens in found.powers:
        result = power(reader, result, tokens)
    if behind is not None:
        if callee.name in AMBIGUOUS and behind.above:
            reader.guesses.append(f"the power behind the bracket is that of {callee.name}, not of its argument")
        result = with_scripts(reader, result, behind)
    return result, position


def callee_of(reader: Scope, name: str, bracketed: bool) -> Callee | None:
    """What a name applies, if it is that of a function.

    Raises:
        NotUnderstoodError: for a name that stands for a function of which nothing is known.
    """
    symbols = reader.symbols
    word = symbols.words.get(name, without_mark(name))
    defined = name in symbols.functions and bracketed
    known = FUNCTIONS.get(word, "")
    if not known and bracketed and name in symbols.unknown and name == word and not defined:
        known = unknown(name)
    elif not known and word == "sigma" and bracketed and "sigma" not in symbols.slots and not defined:
        known = "sigma"
    structural = reduction_of(name) is not None or word in STRUCTURES
    if known or structural or defined:
        return Callee(name, known or word, structural, defined)
    if word in TOTALS and bracketed and word not in symbols.definitions:
        return Callee(name, TOTALS[word], True, False)
    usage = reader.survey.usages.get(name)
    if bracketed and name in symbols.applied:
        raise NotUnderstoodError(f"the function {name} is not defined")
    if bracketed and (name in UNKNOWN_FUNCTIONS or is_word(reader, name)) and usage is not None and usage.only_called:
        raise NotUnderstoodError(f"the function {name} is not defined")
    return None


def is_word(reader: Scope, name: str) -> bool:
    """Whether a name is a word, and not one that the document declares or defines as a tensor."""
    base = name.split("_", maxsplit=1)[0]
    symbols = reader.symbols
    known = name in symbols.adjoints or name in symbols.definitions or name in symbols.aliases
    word = len(base) > 1 and base.isascii() and base.isalpha() and base not in GREEK
    return word and not known and not reader.survey.usages[name].indexed if name in reader.survey.usages else False


def without_mark(name: str) -> str:
    """The name of a softmax without a label; one that says that it is taken of rows is that of rows."""
    word, mark, label = name.partition("_")
    if word.lower() != "softmax" or not mark:
        return name
    return "rowsoftmax" if label.lower().startswith("row") else name


def applied(reader: Scope, callee: Callee, arguments: list[Typed], primes: int, bracketed: bool) -> Typed:
    """The value of a function, or of one of its derivatives."""
    if is_unknown(callee.word):
        return apply_unknown(reader, callee.name, arguments, primes)
    if primes > HIGHEST or (primes and (callee.structural or not bracketed)):
        raise NotUnderstoodError(f"a derivative of {callee.name} by primes")
    if primes:
        return slope_at(reader, callee, arguments, primes)
    return apply_own(reader, callee.name, arguments) if callee.defined else apply(reader, callee.word, arguments)


def apply_unknown(reader: Scope, name: str, arguments: list[Typed], primes: int) -> Typed:
    """A function of which nothing is known, or one of its derivatives; of an array only if entry by entry."""
    if len(arguments) != 1 or primes > HIGHEST:
        raise NotUnderstoodError(f"the function {name} is not defined")
    (argument,) = arguments
    if argument.axes and name not in reader.symbols.entrywise:
        raise NotUnderstoodError(f"the function {name} is not defined: is it applied entry by entry?")
    reader.notes.append(f"{name} is any function, applied entry by entry")
    return replace(argument, node=Applied(unknown(name, primes), argument.node))


def after_number(reader: Scope, items: Sequence[Node], position: int) -> int:
    r"""Where an argument ends that begins with a number, as in ``\log 2 \pi``: it has all names right behind."""
    first = items[position]
    if not isinstance(first, Atom) or first.kind != "NUM":
        return position
    end = position + 1
    while end < len(items):
        name = reader.survey.name(items[end])
        applies = end + 1 < len(items) and isinstance(items[end + 1], Group)
        if name is None or applies or name.name in FUNCTIONS or name.name in STRUCTURAL:
            break
        end += 1
    return end


def is_argument(item: Node) -> bool:
    """Whether a factor is a bracket in which an argument may stand."""
    return isinstance(item, Group) and item.bracket in ("(", "[")


def slope_at(reader: Scope, callee: Callee, arguments: list[Typed], primes: int) -> Typed:
    """``f'(x)``: the derivative of a known function, or of one that the document defines, entry by entry."""
    if len(arguments) != 1:
        raise NotUnderstoodError(f"the derivative of a function of {len(arguments)} arguments")
    (argument,) = arguments
    variable = Entry("the argument of a function")
    given = [Typed(variable)]
    node = (apply_own(reader, callee.name, given) if callee.defined else apply(reader, callee.word, given)).node
    try:
        for _ in range(primes):
            node = slope(node, variable, reader.sizes, lambda entry: None)
    except IndexCalcError as error:
        raise NotUnderstoodError(str(error)) from None
    return replace(argument, node=put_in(node, variable, argument.node))


def apply(reader: Scope, name: str, arguments: list[Typed]) -> Typed:
    """A known function of its arguments."""
    if name in ("max", "min"):
        return extremum(reader, name, arguments)
    if len(arguments) != 1:
        raise NotUnderstoodError(f"{name} of {len(arguments)} arguments")
    (argument,) = arguments
    if name == SUM_OF_ALL:
        return Typed(Total(argument.axes, argument.node)) if argument.axes else argument
    if (reduction := reduction_of(name)) is not None:
        return reduced(reader, reduction, argument)
    if name in ("softmax", "Softmax", "rowsoftmax", "smx"):
        if not argument.axes and isinstance(argument.node, Entry) and argument.node.slots:
            return softmax_entry(reader, argument.node)
        return typed.softmax(argument, reader.sizes)
    if name in MATRIX:
        if name in ("diag", "Diag") and len(argument.axes) == 2:
            reader.guesses.append("diag of a matrix is the vector of its diagonal")
        return MATRIX[name](argument, reader.sizes)
    return entrywise(reader, name, argument)


def entrywise(reader: Scope, name: str, argument: Typed) -> Typed:
    """A function of each entry."""
    if name == "sigma":
        if argument.axes and not reader.symbols.scalar_sigma:
            raise NotUnderstoodError("the function sigma is not defined: a sigmoid, or a softmax?")
        reader.notes.append("sigma is read as the logistic function")
        name = "sigmoid"
    if name == "log" and isinstance(argument.node, Applied) and argument.node.name == "exp":
        return replace(argument, node=argument.node.argument)
    return replace(argument, node=Applied(name, argument.node))


def softmax_entry(reader: Scope, entry: Entry) -> Typed:
    """``softmax(x_ij)``: the entry of the softmax of the row that holds it."""
    dummy = reader.sizes.fresh("")
    reader.sizes.unify(dummy, entry.slots[-1])
    row = Entry(entry.name, (*entry.slots[:-1], dummy))
    return Typed(times(Applied("exp", entry), over(Total((dummy,), Applied("exp", row)))))


def extremum(reader: Scope, name: str, arguments: list[Typed]) -> Typed:
    """The larger or the smaller of two: ``max(a, b) = b + relu(a - b)``, and ``min(a, b) = a - relu(a - b)``."""
    if len(arguments) != 2:
        raise NotUnderstoodError(f"{name} of {len(arguments)} arguments")
    one, other = arguments
    if name == "max" and Number(sp.S.Zero) in (one.node, other.node):
        rest = other if one.node == Number(sp.S.Zero) else one
        return replace(rest, node=Applied("relu", rest.node))
    gap = typed.added([one, replace(other, node=negated(other.node))], reader.sizes)
    excess = Applied("relu", gap.node)
    if name == "max":
        return typed.added([other, replace(gap, node=excess)], reader.sizes)
    return typed.added([one, replace(gap, node=negated(excess))], reader.sizes)


def apply_own(reader: Scope, name: str, arguments: list[Typed]) -> Typed:
    """A function that the document defines."""
    function = reader.symbols.functions[name]
    if len(arguments) != 1:
        raise NotUnderstoodError(f"{name} of {len(arguments)} arguments")
    if name in reader.inside:
        raise NotUnderstoodError(f"{name} of itself")
    reader.put_in.append(name)
    if len(reader.put_in) > CALLS_LIMIT:
        raise NotUnderstoodError(f"more than {CALLS_LIMIT} functions put in for their names")
    reader = replace(reader, inside=(*reader.inside, name))
    if function.letters:
        result = entry_of(reader, function, arguments[0])
    else:
        inner = replace(reader, arguments={function.parameter: arguments[0]})
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
        arguments={function.parameter: whole},
        dummies=(*reader.dummies, letters),
    )
    kept = () if not argument.axes else (*argument.axes[:-count], *own)
    return replace(argument, node=of_its_own(inner, function.body), axes=kept)


def of_its_own(reader: Scope, body: Sum) -> Meaning:
    """A function's formula with letters of its own, so that a sum without an index finds the one that is left."""
    apart = replace(reader, letters={}, head={})
    try:
        node = apart.sum(body).node
    except NotUnderstoodError:
        return reader.sum(body).node
    left = set(apart.letters.values()) & set(free(node))
    return reader.sum(body).node if left else node
