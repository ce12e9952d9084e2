"""Products and powers as they are written: what a sign between two factors says, and what one above a factor does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from indexcalc.document import wedges
from indexcalc.document.applications import again
from indexcalc.document.choices import Kind, Option, choice
from indexcalc.document.meaning import kronecker, typed
from indexcalc.document.meaning.nodes import (
    HALF,
    TWO,
    Entry,
    Meaning,
    Number,
    Raised,
    Total,
    children,
    renamed,
    same,
    times,
)
from indexcalc.document.meaning.sizes import SizeError
from indexcalc.document.meaning.symbols import NotUnderstoodError, RankError
from indexcalc.document.meaning.typed import Typed
from indexcalc.document.statements.outline import Side
from indexcalc.document.statements.scripts import inverse_mark, is_transpose
from indexcalc.document.statements.trees import is_operator
from indexcalc.document.table import Table
from indexcalc.document.units import permutation_sign
from indexcalc.language.latex.tokens import Token
from indexcalc.language.latex.tree import Atom, Node

HIGHEST = 4
"""The highest power of a matrix that is written out."""

SIDE_BY_SIDE = choice(
    Kind.WORD,
    "two vectors side by side",
    Option("none", 0.0, "two vectors side by side have no product"),
    Option("entries", 0.1, "two vectors side by side are multiplied entry by entry"),
    Option("inner", 0.2, "two vectors side by side stand for their inner product"),
    Option("all", 0.7, "two vectors side by side stand for all products"),
)
"""What the product of two vectors is of which neither is transposed: none of the options is usual."""

VECTORS = choice(
    Kind.LAYOUT,
    "vectors",
    Option("columns", 0.0, "vectors are columns"),
    Option("rows", 0.1, "vectors are rows", stated=True),
)
"""How a page writes vectors on which a vector stands before a matrix, ``x W``."""

DOT = choice(
    Kind.WORD,
    "a dot between vectors",
    Option("inner", 0.0, "a dot between vectors stands for their inner product"),
    Option("entries", 0.5, "a dot between vectors stands for products entry by entry"),
)
"""What a dot between two vectors says."""


SQUARE = choice(
    Kind.WORD,
    "the square of a vector",
    Option("entries", 0.0, "the square of a vector is that of its entries"),
    Option("inner", 0.5, "the square of a vector is that of its length"),
)
"""What a two above a vector says."""


DOTS = choice(
    Kind.WORD,
    "dots",
    Option("none", 0.0, "dots stand for what is not known"),
    Option("shortest", 0.1, "dots stand for no further factors or indices", free=True),
)
"""What dots among factors or indices stand for. What holds whatever it is also holds where it is nothing."""


def read_dots(table: Table) -> None:
    """Take dots for nothing.

    Raises:
        NotUnderstoodError: in the equation of a name that a relation without dots rests on: what it says is open.
        RankError: as long as that is not said.
    """
    if table.inside and not any(is_dotted(side) for side in table.page.statements[table.number].sides):
        raise NotUnderstoodError("the sign ...")
    if table.asking(DOTS).name == "none":
        raise RankError("the sign ...")
    table.open.setdefault(DOTS.subject, "what the dots stand for is not known")


def is_dotted(side: Side) -> bool:
    """Whether dots stand in a member that no rule for writing has taken for a sum or an array."""
    return any(token.kind == "DOTS" for token in side.tokens)


def without_dots(table: Table, items: Sequence[Node]) -> Sequence[Node]:
    """Factors in a row, without dots among them and one of the two signs around these."""
    dots = [n for n, item in enumerate(items) if isinstance(item, Atom) and item.kind == "DOTS"]
    if not dots:
        return items
    if len(dots) == len(items):
        raise NotUnderstoodError("the sign ...")
    read_dots(table)
    signs = {n + 1 for n in dots if n + 1 < len(items) and is_operator(items[n + 1])}
    return [item for n, item in enumerate(items) if n not in signs.union(dots)]


def joined(table: Table, left: Typed, sign: Node, right: Typed) -> Typed:
    """Two factors, with an operator or nothing between them."""
    kind, text = (sign.kind, sign.text) if isinstance(sign, Atom) and is_operator(sign) else ("", "")
    if kind == "SLASH":
        return typed.divided(left, right, table.sizes)
    if text == "*" and left.axes and right.axes:
        return typed.entrywise(left, right, table.sizes)
    if text == "cdot" and len(left.axes) == len(right.axes) == 1 and left.orientation == right.orientation:
        join = typed.entrywise if table.asking(DOT).name == "entries" else typed.inner
        return join(left, right, table.sizes)
    if text == "cdot" and len(left.axes) == len(right.axes) == 2:
        return dotted_matrices(table, left, right)
    if kind == "DOT" and len(left.axes) == len(right.axes) == 2:
        raise NotUnderstoodError("a point between matrices: a product of either kind")
    if text == "otimes" and len(typed.sides(left)) == len(typed.sides(right)) == 1:
        return outer(table, left, right)
    if text == "times" and len(left.axes) == len(right.axes) == 1 and left.orientation == right.orientation:
        return crossed(table, left, right)
    if text == "otimes":
        return kronecker.kronecker(left, right)
    if text == "times" and {len(left.axes), len(right.axes)} == {0, 1} and table.asking(SIZE).name == "vector":
        raise NotUnderstoodError("a vector product with a vector of which only the size is given")
    if text == "times" and left.axes and right.axes:
        raise NotUnderstoodError("a product of another kind")
    alike = len(left.axes) == len(right.axes) == 1 and left.orientation == right.orientation
    if alike and typed.chained(left, right, table.sizes) is None:
        return side_by_side(table, left, right)
    if (
        len(left.axes) == len(right.axes) == 1
        and table.page.writes_rows(table.number)
        and table.asking(VECTORS).name == "rows"
    ):
        return typed.product(typed.transpose(left), typed.transpose(right), table.sizes)
    return typed.product(left, right, table.sizes)


DOT_OF_MATRICES = choice(
    Kind.WORD,
    "a dot between matrices",
    Option("product", 0.0, "a dot between matrices stands for their product"),
    Option("entries", 0.2, "a dot between matrices stands for products entry by entry", free=True),
)
"""What a dot between two matrices says whose product their shapes forbid."""


def dotted_matrices(table: Table, left: Typed, right: Typed) -> Typed:
    """The product of two matrices with a dot between them; if they have none, it may be that entry by entry."""
    try:
        return typed.product(left, right, table.sizes)
    except SizeError:
        if table.asking(DOT_OF_MATRICES).name == "product":
            raise
    return typed.entrywise(left, right, table.sizes)


def side_by_side(table: Table, left: Typed, right: Typed) -> Typed:
    """Two columns, or two rows, with nothing between them.

    Raises:
        RankError: as long as nothing says what is meant.
    """
    taken = table.asking(SIDE_BY_SIDE).name
    if taken == "none":
        raise RankError("a product of two vectors without a transpose")
    if taken == "all":
        return Typed(times(left.node, right.node), (*left.axes, *right.axes))
    join = typed.inner if taken == "inner" else typed.entrywise
    return join(left, right, table.sizes)


def outer(table: Table, left: Typed, right: Typed) -> Typed:
    """All products of two vectors, as a matrix or one below the other, or those entry by entry."""
    stacked = "kronecker" in table.page.said_anywhere or bool(left.groups or right.groups)
    question = choice(
        Kind.WORD,
        "a cross in a circle between vectors",
        Option("all", 0.1 * stacked, "a cross in a circle stands for all products"),
        Option("stacked", 0.1 * (not stacked), "a cross in a circle stands for all products, one below the other"),
        Option("entries", 0.1, "a cross in a circle stands for products entry by entry"),
    )
    taken = table.asking(question).name
    if taken == "stacked":
        return kronecker.kronecker(left, right)
    if taken == "entries":
        return typed.entrywise(left, right, table.sizes)
    return Typed(times(left.node, right.node), (*left.axes, *right.axes))


CROSS = choice(
    Kind.WORD,
    "a cross between vectors",
    Option("vector", 0.0, "a cross between vectors stands for their vector product"),
    Option("entries", 0.1, "a cross between vectors stands for products entry by entry"),
)
"""What a cross between two vectors says."""


SIZE = choice(
    Kind.WORD,
    "a cross between a number and a vector",
    Option("number", 0.0, "a cross between a number and a vector multiplies"),
    Option(
        "vector", 0.1, "a cross between a number and a vector is the vector product with one of that size", free=True
    ),
)
"""What a cross between a number and a vector says: an angular velocity of 2.1 is a vector."""


def crossed(table: Table, left: Typed, right: Typed) -> Typed:
    """(u x v)_i = sum_jk epsilon_ijk u_j v_k, of vectors with three entries; or the products entry by entry."""
    if table.asking(CROSS).name == "entries":
        return typed.entrywise(left, right, table.sizes)
    axis, *dummies = (table.sizes.measured(3) for _ in range(3))
    factors = []
    for value, dummy in zip((left, right), dummies, strict=True):
        try:
            table.sizes.unify(dummy, value.axes[0])
        except SizeError:
            raise NotUnderstoodError("a cross between vectors that have not three entries") from None
        factors.append(renamed(value.node, {value.axes[0]: dummy}))
    sign = permutation_sign(table.sizes, (axis, *dummies))
    return replace(left, node=Total(tuple(dummies), times(sign, *factors)), axes=(axis,))


def power(table: Table, value: Typed, above: Sequence[Token], read: Callable[[Sequence[Token]], Typed]) -> Typed:
    """A power; of a matrix, its inverse or the product with itself; behind a circle, that of every entry."""
    if (made := wedges.marked(table, value, above)) is not None:
        return made
    entries = len(above) > 1 and above[0].kind == "ODOT"
    mark = "" if entries else inverse_mark(above)
    if len(typed.sides(value)) == 2 and mark:
        found = kronecker.inverse(value, table.sizes)
        return found if mark == "-1" else typed.transpose(found)
    if len(value.axes) == 1 and not entries and (mark or is_transpose(above)):
        raise RankError("the inverse of a vector")
    exponent = read(above[1:] if entries else above)
    if exponent.axes and (len(value.axes) < 2 or entries):
        raise RankError("an exponent that is an array")
    if len(value.axes) == 1 and not entries and not is_numeric(exponent.node):
        raise RankError("a mark above a vector that may count steps")
    if len(value.axes) == 2 and not entries:
        return power_of_matrix(table, value, exponent, "".join(token.text for token in above))
    squared = len(value.axes) == 1 and not entries and exponent.node == TWO
    if squared and table.asking(SQUARE).name == "inner":
        return typed.inner(value, again(table, value), table.sizes)
    return typed.raised(value, exponent.node)


def is_numeric(node: Meaning) -> bool:
    """Whether an expression is made of numbers alone."""
    return isinstance(node, Number) or (bool(children(node)) and all(map(is_numeric, children(node))))


def power_of_matrix(table: Table, value: Typed, exponent: Typed, mark: str) -> Typed:
    """The product of a matrix with itself; with a letter above it a matrix of its own."""
    count = exponent.node.value if isinstance(exponent.node, Number) else None
    if count is None and isinstance(value.node, Entry):
        return marked(table, value, value.node, mark)
    if count is None or count not in range(HIGHEST + 1):
        raise NotUnderstoodError("a power of a matrix")
    table.sizes.unify(*value.axes)
    result = value if count else replace(value, node=same(*value.axes))
    for _ in range(int(count) - 1):
        result = typed.product(result, again(table, value), table.sizes)
    return result


def marked(table: Table, value: Typed, entry: Entry, mark: str) -> Typed:
    """A matrix with a letter above it: a power of it, or another one, of which no more is known than its shape."""
    name = f"{entry.name}^{mark}"
    if name not in table.known:
        table.known[name] = tuple(table.sizes.like(slot) for slot in entry.slots)
        table.open.setdefault(name, f"{name} may be a power of {entry.name}, or another matrix")
    return replace(value, node=Entry(name, entry.slots))


WEIGHTED = choice(
    Kind.WORD,
    "a matrix below a norm",
    Option("matrix", 0.0, "a matrix below a norm stands between the vector and itself"),
    Option("inverse", 0.1, "the inverse of a matrix below a norm stands between the vector and itself"),
)
"""What a matrix says that stands below a norm: authors who write a covariance there mean its inverse."""


def weighted_norm(table: Table, value: Typed, matrix: Typed) -> Typed:
    """The root of x^T A x, or of x^T A^-1 x."""
    if len(value.axes) != 1 or value.orientation != typed.COLUMN:
        raise RankError("a norm with a matrix below it of what is no vector")
    weight = kronecker.inverse(matrix, table.sizes) if table.asking(WEIGHTED).name == "inverse" else matrix
    other = typed.product(weight, again(table, value), table.sizes)
    return Typed(Raised(typed.inner(value, other, table.sizes).node, HALF))
