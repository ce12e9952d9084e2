"""First members of equations: the name, or the function, to which an equation may give a meaning."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from indexcalc.document.statements.calls import is_expected
from indexcalc.document.statements.field_signs import WORDS
from indexcalc.document.statements.index_expressions import ROWS, Expression, letters_among
from indexcalc.document.statements.limits import letters_of_limits
from indexcalc.document.statements.outline import EQUALITIES, Statement
from indexcalc.document.statements.scripts import COLON, Named, subscript
from indexcalc.document.statements.survey import Survey
from indexcalc.document.statements.trees import without_scripts
from indexcalc.language.latex.tree import Atom, Group, Matrix, Node, Scripted, Sum, nodes_of
from indexcalc.language.latex.vocabulary import FUNCTIONS, STRUCTURAL

MATRIX = ("row", "column")
"""The axes of an array that is written out."""


@dataclass(frozen=True, slots=True)
class FunctionHead:
    """The first member of an equation that defines a function, ``f(x, y)`` or its entry ``f(x)_i``, also as ``f(x_i)``.

    Attributes:
        name: the function.
        parameters: the names in its bracket.
        parts: the letters of the entry; none for the whole value.
        of_entry: whether the bracket has an entry, and the formula all others of the array too.
    """

    name: str
    parameters: tuple[str, ...]
    parts: tuple[str, ...] = ()
    of_entry: bool = False


def first_of(statement: Statement) -> Sum | None:
    """The first member of an equation; None if the statement is none, or the member cannot be parsed."""
    sides = statement.sides
    return sides[0].tree if len(sides) > 1 and sides[1].relation in EQUALITIES else None


def head_of(survey: Survey, statement: Statement) -> Named | None:
    """The name that is the whole first member, bare or at distinct letters."""
    first = first_of(statement)
    found = survey.lone(first) if first is not None else None
    if found is None or not found.is_plain or found.name == "1":
        return None
    parts = found.parts or ()
    repeated = len(set(parts)) < len(parts)
    return (
        None
        if repeated or any(part == COLON or part.isdigit() or isinstance(part, Expression) for part in parts)
        else found
    )


def defines(survey: Survey, statement: Statement, head: Named) -> bool:
    """Whether a statement may give its first member a meaning: the second one does not have its name.

    But it may be that of a recurrence: other entries of the array then stand at places that are computed.
    """
    tree = statement.sides[1].tree
    if tree is None:
        return False
    names = list(survey.names(tree))
    # An entry that is a number, or does not follow its indices, is a case: delta_ij = 1, x_i = 0.
    letters = {part for found in names for part in letters_among(found.parts or ())}
    letters |= {*letters_of_limits(tree), *letters_below_brackets(tree)}
    # Alone it is the number of the entry; below f_x it may be what f is differentiated by.
    letters |= {node.text for node in nodes_of(tree) if isinstance(node, Atom)} & ROWS
    written_out = isinstance(tree.lone, Matrix) and len(head.parts or ()) == len(MATRIX)
    follows = not head.parts or written_out or not letters.isdisjoint(head.parts)
    return follows and all(found.name != head.name or is_elsewhere(found) for found in names)


def letters_below_brackets(tree: Sum) -> Iterator[str]:
    r"""The letters of the entries of what stands in brackets, ``\operatorname{softmax}(S)_{ij}``."""
    for node in nodes_of(tree):
        if isinstance(node, Scripted) and isinstance(node.base, Group):
            yield from letters_among(subscript(node.below).parts or ())


def is_elsewhere(found: Named) -> bool:
    """Whether a name is read at a place that is computed from indices, ``h_{t-1,i}``."""
    return any(isinstance(part, Expression) for part in found.parts or ())


def called_head(survey: Survey, statement: Statement) -> str:
    """The function of which a statement gives a value, ``f(W x) = ...``; empty if it speaks of none."""
    call = call_of(statement)
    if call is None:
        return ""
    found, bracket = survey.name(call[0]), without_scripts(call[1])
    if found is None or found.primes or not isinstance(bracket, Group) or bracket.bracket not in ("(", "["):
        return ""
    usage = survey.usages.get(found.name)
    known = found.name in (*FUNCTIONS, *STRUCTURAL, *WORDS, "d") or (is_expected(found.name) and bracket.bracket == "[")
    return found.name if usage is not None and usage.only_called and not known else ""


def function_head(survey: Survey, statement: Statement) -> FunctionHead | None:
    """The function that a statement defines by the names in its bracket; None if it defines none."""
    call = call_of(statement)
    body = statement.sides[1].tree if call is not None else None
    if call is None or body is None:
        return None
    found, bracket = survey.name(call[0]), without_scripts(call[1])
    if found is None or not isinstance(bracket, Group) or bracket.bracket != "(" or not found.is_plain:
        return None
    names = list(survey.names(body))
    if (row := of_entry(survey, found, bracket, names)) is not None:
        return row
    parameters = [parameter(survey, member) for member in bracket.members]
    known = found.name in (*FUNCTIONS, *STRUCTURAL, *WORDS, "d", "e", "E")
    if known or not names or any(one is None for one in parameters) or any(one.name == found.name for one in names):
        return None
    parts = found.parts or ()
    if isinstance(call[1], Scripted):
        behind = subscript(call[1].below)
        if parts or call[1].above or call[1].primes or behind.label or behind.unreadable:
            return None
        parts = behind.parts
    used = {part for one in names for part in one.parts or ()}
    if len(set(parts)) < len(parts) or not used.issuperset(parts):
        return None
    return FunctionHead(found.name, tuple(one.name for one in parameters if one is not None), parts)


def of_entry(survey: Survey, found: Named, bracket: Group, names: Sequence[Named]) -> FunctionHead | None:
    r"""The function that one entry of an array defines, reading the others: ``f(x_i) = e^{x_i} / \sum_l e^{x_l}``.

    Nothing but the array stands in its formula, so that it holds for any other one.
    """
    entry = survey.lone(bracket.members[0]) if len(bracket.members) == 1 else None
    if entry is None or not entry.is_plain or found.parts or found.name in ("d", "e", "E"):
        return None
    letter = entry.parts or ()
    if len(letter) != 1 or not all(isinstance(part, str) and part.isalpha() for part in letter):
        return None
    read = [one for one in names if one.name not in ("e", *FUNCTIONS, *STRUCTURAL)]
    places = {one.parts for one in read}
    alone = all(one.name == entry.name and not one.transposed and len(one.parts or ()) == 1 for one in read)
    return FunctionHead(found.name, (entry.name,), letter, of_entry=True) if alone and len(places) > 1 else None


def call_of(statement: Statement) -> tuple[Node, Node] | None:
    """The two factors that are the first member of an equation, which may be a function and its bracket."""
    first = first_of(statement)
    items = first.only.items if first is not None and first.only is not None else ()
    return (items[0], items[1]) if len(items) == 2 else None


def parameter(survey: Survey, member: Sum) -> Named | None:
    """The lone name that a member of a bracket is; None if it is more."""
    found = survey.lone(member)
    return found if found is not None and found.parts is None and found.is_plain and found.name != "1" else None
