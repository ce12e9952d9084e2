"""Memory used again in code for reading: an array that nobody reads later takes what is computed from it.

A large array costs more to allocate than to fill. So ``dA - r`` is ``dA -= r`` where ``dA`` is read for
the last time, and a function of an expression writes where the expression stood.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from indexcalc.codegen.identifiers import identifiers
from indexcalc.codegen.layout import fits
from indexcalc.codegen.operands import Scope
from indexcalc.codegen.source import Atom, Binary, Call, Node, flat
from indexcalc.codegen.statements import Kind, Statement

WORDS = {"+": "np.add", "-": "np.subtract", "*": "np.multiply", "/": "np.divide"}
FUNCTIONS = ("np.exp", "np.log", "np.sin", "np.cos", "np.tanh", "np.sqrt", "np.abs", "np.sign")
"""Functions of one argument that can write where they read."""

MAKERS = (*FUNCTIONS, *WORDS.values(), "np.maximum", "np.minimum", "np.where", "np.einsum")
"""Functions whose result has memory of its own."""


@dataclass(frozen=True, slots=True)
class Written:
    """A statement: lines before the assignment, its value, lines after it."""

    value: Node
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


def rewritten(
    statements: Sequence[Statement], nodes: Sequence[Node], results: Collection[str], scope: Scope
) -> list[Written]:
    """The statements with memory used again; matrices and larger arrays only, and in NumPy only.

    Args:
        statements: of one pass, in order.
        nodes: their values.
        results: the tensors that the pass returns.
        scope: the names; its floating variables are the upstream gradients.
    """
    if scope.dialect.prefix:
        return [Written(node) for node in nodes]
    last: dict[str, int] = {}
    for number, node in enumerate(nodes):
        last.update(dict.fromkeys(identifiers([flat(node)]), number))
    free: dict[str, Statement] = {}
    floating = set(scope.floating)
    found = []
    for number, (statement, node) in enumerate(zip(statements, nodes, strict=True)):
        dying = {
            name: maker
            for name, maker in free.items()
            if last.get(name) == number
            and [axis.extent for axis in maker.axes] == [axis.extent for axis in statement.axes]
            and count(node, name) == 1
        }
        found.append(one(statement, scope.tensors[statement.name], node, dying, floating))
        # An array of whole numbers can't take what is divided or a root: only floating ones are used again.
        if is_floating(node, floating):
            floating.add(scope.tensors[statement.name])
            if statement.name not in results and len(statement.axes) > 1 and owns_memory(statement, node):
                free[scope.tensors[statement.name]] = statement
    return found


def one(statement: Statement, target: str, node: Node, dying: Mapping[str, Statement], floating: set[str]) -> Written:
    """One statement; a function of one argument has the shape of its argument."""
    if len(statement.axes) < 2 or statement.kind is not Kind.ASSIGN:
        return Written(node)
    if isinstance(node, Call) and node.function in FUNCTIONS and len(node.arguments) == 1 and not node.keywords:
        (argument,) = node.arguments
        line = f"{node.function}({target}, out={target})"
        if owns_memory(statement, argument) and is_floating(argument, floating) and fits(line, 1):
            inner = taken_over(argument, dying)
            return Written(inner.value, inner.before, (*inner.after, line))
    return taken_over(node, dying)


def taken_over(node: Node, dying: Mapping[str, Statement]) -> Written:
    """The value, computed in the memory of what is read for the last time as far as it goes."""
    before: list[str] = []
    for name in dying:
        while True:
            inner = parent_of(node, name)
            if inner is None or inner is node:
                break
            line = f"{name} {inner.operator}= {flat(inner.right)}"
            if flat(inner.left) != name or not fits(line, 1):
                break
            before.append(line)
            node = replaced(node, inner, Atom(name))
        if isinstance(node, Binary) and node.operator in WORDS and name in (flat(node.left), flat(node.right)):
            return Written(Call(WORDS[node.operator], (node.left, node.right), (f"out={name}",)), tuple(before))
    return Written(node, tuple(before))


def parent_of(node: Node, name: str) -> Binary | None:
    """The operation that a variable is an operand of, reached through sums and products entry by entry only."""
    if not isinstance(node, Binary) or node.operator not in WORDS:
        return None
    if name in (flat(node.left), flat(node.right)):
        return node
    return parent_of(node.left, name) or parent_of(node.right, name)


def replaced(node: Node, old: Node, new: Node) -> Node:
    """The expression with one part replaced."""
    if node is old:
        return new
    if isinstance(node, Binary):
        return Binary(node.operator, replaced(node.left, old, new), replaced(node.right, old, new))
    return node


def count(node: Node, name: str) -> int:
    """How often a variable is read in an expression."""
    text = flat(node)
    return sum(1 for part in split_words(text) if part == name)


def split_words(text: str) -> list[str]:
    """The words of Python source."""
    return "".join(sign if sign.isalnum() or sign == "_" else " " for sign in text).split()


def is_floating(node: Node, floating: set[str]) -> bool:
    """Whether the entries are floating numbers, even if the inputs are whole ones."""
    if floating & identifiers([flat(node)]):
        return True
    if isinstance(node, Binary):
        inner = node.operator in WORDS and (is_floating(node.left, floating) or is_floating(node.right, floating))
        return node.operator == "/" or inner
    return isinstance(node, Call) and node.function in FUNCTIONS and node.function not in ("np.abs", "np.sign")


def owns_memory(statement: Statement, node: Node) -> bool:
    """Whether an expression makes an array that nothing else shows."""
    if statement.kind is not Kind.ASSIGN or statement.may_overflow:
        return False
    if isinstance(node, Binary):
        return node.operator in (*WORDS, "@")
    return isinstance(node, Call) and node.function in MAKERS
