"""The function that a name is before a bracket: one that the document defines, a known one, or an unknown one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from indexcalc.document import literals
from indexcalc.document.applications import derivative_at, value_at
from indexcalc.document.choices import Kind, Option, choice
from indexcalc.document.elementary import COMPOSED, OPAQUE, base_marks, logarithm
from indexcalc.document.meaning import kronecker, typed
from indexcalc.document.meaning.nodes import Applied, Entry, Total, over, times
from indexcalc.document.meaning.sizes import Ix, Sizes
from indexcalc.document.meaning.symbols import BoundError, NotUnderstoodError, RankError
from indexcalc.document.meaning.typed import Typed
from indexcalc.document.meaning.unknown import unknown
from indexcalc.document.page import Page
from indexcalc.document.scope import Scope
from indexcalc.document.statements.scripts import Named
from indexcalc.document.statements.trees import without_scripts
from indexcalc.document.table import Table
from indexcalc.language.latex.tree import Group, Node
from indexcalc.language.latex.vocabulary import FUNCTIONS, SEVERAL

Function = Callable[[Sequence[Typed]], Typed]
"""The value of a function at its arguments."""

WHOLE: Mapping[str, Callable[[Typed, Sizes], Typed]] = {
    **dict.fromkeys(("tr", "Tr", "trace", "Trace"), typed.trace),
    **dict.fromkeys(("diag", "Diag"), kronecker.diagonal),
    **dict.fromkeys(("rowsum", "RowSum", "rowSum"), lambda value, sizes: row_sum(value)),
    **dict.fromkeys(("chol", "Chol", "cholesky", "Cholesky"), typed.cholesky),
    "det": kronecker.determinant,
    **dict.fromkeys(("logdet", "LogDet"), kronecker.logarithm_of_determinant),
    **dict.fromkeys(("softmax", "Softmax"), typed.softmax),
}
"""Functions that look at more than one entry."""

EXTREMES = ("max", "min")
"""Functions of several arguments; of others, such as a set, nothing is read."""

CHOICES: Mapping[str, Callable[[Sequence[Typed], Sizes], Typed]] = {
    "max": lambda values, sizes: literals.largest(values, sizes, 1),
    "min": lambda values, sizes: literals.largest(values, sizes, -1),
    "clip": literals.clipped,
    "where": literals.chosen,
    **dict.fromkeys(("atan2", "arctan2"), literals.angle),
}
"""What functions of several arguments are."""

STACKED = choice(
    Kind.LAYOUT,
    "vec",
    Option("columns", 0.0, "vec puts the columns of a matrix one below the other"),
    Option("rows", 0.2, "vec puts the rows of a matrix one below the other", free=True),
)
"""In which order vec takes the entries of a matrix."""

SIGMA = choice(
    Kind.FUNCTION,
    "sigma",
    Option("logistic", 0.0, "sigma is the logistic function of each entry"),
    Option("softmax", 0.2, "sigma is a softmax of each row"),
)
"""Which function sigma is of an array."""


def function_of(scope: Scope, found: Named, following: Node | None) -> Function | None:
    """The function that a name is before what follows it; None if it is none."""
    table = scope.table
    number = table.function(found.name) if following is not None and is_bracket(without_scripts(following)) else None
    if number is not None and found.parts and table.page.function_heads[number].of_entry:
        return None  # an entry of its value, before a factor
    if number is not None:
        entry = scope.places(found.parts or ())
        return lambda arguments: defined(table, found, number, arguments, entry)
    bracket = without_scripts(following) if following is not None else None
    count = len(bracket.members) if isinstance(bracket, Group) else 0
    if count == SEVERAL.get(found.name) or (found.name in EXTREMES and count > SEVERAL[found.name]):
        return lambda arguments: CHOICES[found.name](arguments, table.sizes)
    if following is not None and (marks := base_marks(found)):
        return lambda arguments: logarithm(table, lone(arguments, "log"), marks)
    if found.parts is not None:
        return None
    name = table.page.context.functions.get(found.name, found.name)
    word = name if name in FUNCTIONS else name.partition("_")[0]
    known = FUNCTIONS.get(word)
    if word == "sigma" and following is not None and is_bracket(following):
        known = "sigmoid" if is_applied(table.page, word, following) else None
    if word in OPAQUE:
        return lambda arguments: applied(table, found.name, undefined(table, found), arguments)
    if known is None and word not in (*WHOLE, *COMPOSED, "vec"):
        if not is_applied(table.page, found.name, following):
            return None
        return lambda arguments: applied(table, found.name, undefined(table, found), arguments)
    if not found.primes:
        return lambda arguments: applied(table, word, known, arguments)
    if known is None:
        raise NotUnderstoodError(f"the derivative of {word}")

    def of_one(argument: Typed) -> Typed:
        return applied(table, word, known, [argument])

    return lambda arguments: derivative_at(table, of_one, lone(arguments), found.primes)


def is_applied(page: Page, name: str, following: Node | None) -> bool:
    """Whether a bracket follows a name wherever it stands, so that it is a function of which nothing is known."""
    usage = page.survey.usages.get(name)
    group = without_scripts(following) if following is not None else None
    bracket = isinstance(group, Group) and group.bracket == "(" and len(group.members) == 1
    unknown = name not in page.defining and name not in page.declared
    if usage is None:
        return bracket and unknown and name in page.values.called
    return bracket and unknown and usage.called > 0 and usage.only_called


def defined(table: Table, found: Named, number: int, arguments: Sequence[Typed], entry: tuple[Ix | None, ...]) -> Typed:
    """The value of a function that the document defines, or of its derivative, or an entry of these."""

    def value(argument: Typed) -> Typed:
        return value_at(table, number, [argument])

    try:
        if found.primes:
            result = derivative_at(table, value, lone(arguments), found.primes)
        else:
            result = value_at(table, number, arguments)
    except NotUnderstoodError as error:
        misread = isinstance(error, RankError | BoundError)  # with another number of slots it may be read
        if misread or len(arguments) != 1 or arguments[0].axes or entry or found.name in table.inside:
            raise
        # Whatever holds for any function holds for this one.
        table.open.setdefault(found.name, f"the equation for {found.name} is not understood: {error}")
        return replace(arguments[0], node=Applied(unknown(found.name, found.primes), arguments[0].node))
    return typed.at(result, entry, table.sizes) if entry else result


def undefined(table: Table, found: Named) -> str:
    """A function of which nothing is known."""
    table.open.setdefault(found.name, f"the function {found.name} is not defined")
    return unknown(found.name, found.primes)


def applied(table: Table, word: str, known: str | None, arguments: Sequence[Typed]) -> Typed:
    """The value of a function that works entry by entry, or of one that looks at more."""
    argument = lone(arguments, word)
    if known in ("exp", "log") and len(argument.axes) == 2 and is_of_matrix(table, argument):
        if known == "log":
            raise NotUnderstoodError("the logarithm of a matrix")
        return typed.exponential(argument, table.sizes)
    if word == "log" and table.page.has_two_logarithms:
        return logarithm(table, argument, "")
    if known is not None:
        if word == "sigma" and argument.axes and is_softmax(table):
            return typed.softmax(argument, table.sizes)
        return replace(argument, node=Applied(known, argument.node))
    if word in ("softmax", "Softmax") and isinstance(argument.node, Entry) and not argument.axes:
        return softmax_entry(table, argument.node)
    if word in COMPOSED:
        return replace(argument, node=COMPOSED[word](argument.node))
    if word == "vec":
        return kronecker.stacked(argument, by_rows=table.asking(STACKED).name == "rows")
    if word in WHOLE:
        return WHOLE[word](argument, table.sizes)
    raise NotUnderstoodError(f"the function {word}")


def is_of_matrix(table: Table, argument: Typed) -> bool:
    """Whether the exponential or the logarithm of a square matrix is that of the matrix, not those of its entries."""
    sizes = table.sizes
    one, other = (sizes.find(axis) for axis in argument.axes)
    lengths = sizes.exact.get(one), sizes.exact.get(other)
    if one != other and (lengths[0] is None or lengths[0] != lengths[1]):
        return False
    spoken_of = "matrix exponential" in table.page.said_anywhere
    entries, matrix = (0.1, 0.0) if spoken_of else (0.0, 0.1)
    question = choice(
        Kind.WORD,
        "the exponential of a square matrix",
        Option("entries", entries, "the exponential of a square matrix is that of its entries"),
        Option("matrix", matrix, "the exponential of a square matrix is a sum of its powers", stated=spoken_of),
    )
    return table.asking(question).name == "matrix"


def is_softmax(table: Table) -> bool:
    """Whether sigma of an array is a softmax, as it is read here; else it may be one."""
    if table.asking(SIGMA).name == "softmax":
        return True
    table.open.setdefault("sigma", "sigma of an array may be a softmax")
    return False


def softmax_entry(table: Table, entry: Entry) -> Typed:
    """The softmax of an entry: that of the row that holds it."""
    if not entry.slots:
        raise NotUnderstoodError("a softmax of a number")
    dummy = table.sizes.like(entry.slots[-1])
    row = Entry(entry.name, (*entry.slots[:-1], dummy))
    total = Total((dummy,), Applied("exp", row))
    return Typed(times(Applied("exp", entry), over(total)))


def row_sum(value: Typed) -> Typed:
    """The sum along the last axis."""
    if len(value.axes) != 2:
        raise RankError("the sums of rows of what is no matrix")
    return Typed(Total((value.axes[1],), value.node), value.axes[:1])


def lone(arguments: Sequence[Typed], name: str = "a function") -> Typed:
    """The only argument of a function."""
    if len(arguments) != 1:
        raise NotUnderstoodError(f"{name} of {len(arguments)} arguments")
    return arguments[0]


def is_bracket(item: Node) -> bool:
    """Whether an item is a bracket in which an argument may stand."""
    return isinstance(item, Group) and item.bracket in ("(", "[", "{")
