"""Assignments as lines of at most 88 characters, laid out as ruff and Black would.

An expression too long for a layout that both agree on is split: its longest part becomes a
statement of its own, as a person would write it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from indexcalc.codegen.source import LEVELS, Atom, Binary, Call, Node, Prefix, Trailer, enclosed, flat, level

WIDTH = 88
INDENT = 4


def assignment(target: str, node: Node, spare: Iterator[str]) -> list[str]:
    """``target = node`` inside a function, as unindented lines; names for split-off parts come from `spare`."""
    line = f"{target} = {flat(node)}"
    if fits(line):
        return [line]
    match node:
        case Call():
            return call_lines(target, node, spare)
        case Binary():
            return chain_lines(target, node, spare)
        case Trailer(operand, text):
            return split_off(target, operand, lambda part: Trailer(part, text), spare)
        case Prefix(sign, operand):
            return split_off(target, operand, lambda part: Prefix(sign, part), spare)
        case Atom():
            return [line]


def fits(line: str, depth: int = 1) -> bool:
    """Whether the line fits at this depth of indentation."""
    return len(line) + depth * INDENT <= WIDTH


def split_off(target: str, part: Node, rest: Callable[[Node], Node], spare: Iterator[str]) -> list[str]:
    """The part under a name of its own, then the assignment of what `rest` makes of that name."""
    if isinstance(part, Atom):
        return [f"{target} = {flat(rest(part))}"]
    name = next(spare)
    return assignment(name, part, spare) + assignment(target, rest(Atom(name)), spare)


def call_lines(target: str, call: Call, spare: Iterator[str]) -> list[str]:
    """A call with its arguments on a line of their own, or on one line each."""
    texts = [*map(flat, call.arguments), *call.keywords]
    joined = ", ".join(texts)
    if fits(joined, 2):
        return [f"{target} = {call.function}(", "    " + joined, ")"]
    for number, argument in enumerate(call.arguments):
        if not fits(flat(argument) + ",", 2) and not isinstance(argument, Atom):
            before, after = call.arguments[:number], call.arguments[number + 1 :]
            return split_off(
                target,
                argument,
                lambda part: Call(call.function, (*before, part, *after), call.keywords),  # noqa: B023
                spare,
            )
    return [f"{target} = {call.function}(", *(f"    {text}," for text in texts), ")"]


def chain_lines(target: str, node: Binary, spare: Iterator[str]) -> list[str]:
    """A chain of operators of one level, in parentheses with an operand a line."""
    operands = links(node)
    if len(operands) == 2 and not is_plain(operands[1][1]):
        right = operands[1][1]
        left = flat(Binary(node.operator, node.left, Atom("")))
        if isinstance(right, Call) and is_plain(node.left):
            arguments = ", ".join([*map(flat, right.arguments), *right.keywords])
            head = f"{target} = {left}{right.function}("
            if fits(head) and fits(arguments, 2):
                return [head, "    " + arguments, ")"]
        return split_off(target, right, lambda part: Binary(node.operator, node.left, part), spare)
    texts = operand_texts(node, operands)
    long = next((n for n, text in enumerate(texts) if not fits(text, 2)), None)
    if len(operands) == 2 and isinstance(node.left, Trailer | Binary | Prefix):
        long = 0
    if long is not None and not isinstance(operands[long][1], Atom):
        return split_off(target, operands[long][1], lambda part: relinked(operands, long, part), spare)
    joined = flat(node)
    return [f"{target} = (", *([f"    {joined}"] if fits(joined, 2) else [f"    {t}" for t in texts]), ")"]


def is_plain(node: Node) -> bool:
    """Whether the node has no brackets that a formatter could split at."""
    return "(" not in flat(node) and "[" not in flat(node)


def links(node: Node) -> list[tuple[str, Node]]:
    """The operands of a chain of operators of one level, each with the operator before it."""
    if isinstance(node, Binary) and node.operator != "**":
        own = LEVELS[node.operator]
        if level(node.left) == own:
            return [*links(node.left), (node.operator, node.right)]
        return [("", node.left), (node.operator, node.right)]
    return [("", node)]


def operand_texts(node: Binary, operands: list[tuple[str, Node]]) -> list[str]:
    """One line an operand, with the operator before it."""
    own = LEVELS[node.operator]
    first = enclosed(operands[0][1], own)
    return [first, *(f"{operator} {enclosed(operand, own + 1)}" for operator, operand in operands[1:])]


def relinked(operands: list[tuple[str, Node]], number: int, part: Node) -> Node:
    """The chain with one operand replaced."""
    replaced = [(op, part if n == number else operand) for n, (op, operand) in enumerate(operands)]
    result = replaced[0][1]
    for operator, operand in replaced[1:]:
        result = Binary(operator, result, operand)
    return result
