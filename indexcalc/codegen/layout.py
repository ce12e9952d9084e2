"""Assignments as lines of at most 88 characters, laid out as ruff and Black would.

An expression too long for a layout that both agree on is split: its longest part becomes a
statement of its own, as a person would write it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, count, islice

from indexcalc.codegen.source import (
    LEVELS,
    Atom,
    Binary,
    Call,
    Method,
    Node,
    Prefix,
    Trailer,
    enclosed,
    flat,
    level,
    split_call,
)

WIDTH = 88
INDENT = 4


def assignment(target: str, node: Node, spare: Iterator[str], depth: int = 1) -> list[str]:
    """``target = node`` at a depth of indentation, as unindented lines; `spare` names parts that are split off."""
    line = f"{target} = {flat(node)}"
    if fits(line, depth) or isinstance(node, Atom):
        return [line]
    layout = LAYOUTS.get(type(node))
    lines = layout(target, node, depth) if layout else None
    if lines is not None:
        return lines
    part, rest = longest_part(node)
    if isinstance(part, Atom):
        return [line]
    name = next(spare)
    return [*assignment(name, part, spare, depth), *assignment(target, rest(Atom(name)), spare, depth)]


def fits(line: str, depth: int) -> bool:
    """Whether the line fits at this depth of indentation."""
    return len(line) + depth * INDENT <= WIDTH


def argument_lines(call: Call, depth: int) -> list[str] | None:
    """The arguments of a call on a line of their own, or on one line each; None if one is too long."""
    texts = [*map(flat, call.arguments), *call.keywords]
    joined = ", ".join(texts)
    if fits(joined, depth + 1):
        return ["    " + joined]
    if all(fits(text + ",", depth + 1) for text in texts):
        return [f"    {text}," for text in texts]
    return None


def call_lines(target: str, call: Node, depth: int) -> list[str] | None:
    """A call with its arguments on lines of their own."""
    assert isinstance(call, Call)
    arguments = argument_lines(call, depth)
    return None if arguments is None else [f"{target} = {call.function}(", *arguments, ")"]


def method_lines(target: str, node: Node, depth: int) -> list[str] | None:
    """A method called on a name, or on a part of one, with its arguments on lines of their own."""
    assert isinstance(node, Trailer)
    whole = flat(node.operand)
    if (
        not isinstance(node.operand, Atom | Trailer)
        or "(" in whole
        or not (node.text.startswith(".") and node.text.endswith(")"))
    ):
        return None
    call = split_call(whole + node.text)
    return call_lines(target, call, depth) if isinstance(call, Call) else None


def chain_lines(target: str, node: Node, depth: int) -> list[str] | None:
    """A chain of operators of one level: broken inside its last call, or in parentheses with an operand a line."""
    assert isinstance(node, Binary)
    if node.operator == "**":
        return None
    operands = links(node)
    if len(operands) == 2:
        if level(node.right) <= level(node):
            return None
        if not is_plain(node.right):
            return last_call_lines(target, node, depth)
        if not isinstance(node.left, Call):
            return None
    texts = operand_texts(node, operands)
    if not all(fits(text, depth + 1) for text in texts):
        return None
    joined = flat(node)
    return [f"{target} = (", *([f"    {joined}"] if fits(joined, depth + 1) else [f"    {t}" for t in texts]), ")"]


def last_call_lines(target: str, node: Binary, depth: int) -> list[str] | None:
    """``target = left * function(`` with the arguments below."""
    if not isinstance(node.right, Call):
        return None
    head = f"{target} = {flat(Binary(node.operator, node.left, Atom(node.right.function + '(')))}"
    arguments = argument_lines(node.right, depth)
    return [head, *arguments, ")"] if arguments is not None and fits(head, depth) else None


def longest_part(node: Node) -> tuple[Node, Callable[[Node], Node]]:
    """The longest operand or argument that is not an atom, and what makes the whole of its replacement."""
    parts = subexpressions(node)
    part, rest = max(parts, key=lambda pair: 0 if isinstance(pair[0], Atom) else len(flat(pair[0])))
    # A minus sign is never split off, nor what it is before, and a call only if its arguments are short.
    is_signed = isinstance(part, Prefix) or (isinstance(node, Prefix) and isinstance(part, Binary))
    if is_signed or (isinstance(part, Call) and len(flat(part)) + INDENT > WIDTH):
        inner, within = longest_part(part)
        if not isinstance(inner, Atom):
            return inner, lambda replacement: rest(within(replacement))
    return part, rest


def subexpressions(node: Node) -> list[tuple[Node, Callable[[Node], Node]]]:
    """The parts of a node, each with the function that puts another in its place."""
    match node:
        case Call(_, arguments, _) if arguments:
            return [(part, partial(with_argument, node, number)) for number, part in enumerate(arguments)]
        case Trailer(operand, _) | Method(operand, _, _, _):
            return [(operand, lambda part: replace(node, operand=part))]
        case Prefix(sign, operand):
            return [(operand, lambda part: Prefix(sign, part))]
        case Binary("**", left, right):
            return [(left, lambda part: Binary("**", part, right))]
        case Binary():
            operands = links(node)
            return [(operand, partial(relinked, operands, number)) for number, (_, operand) in enumerate(operands)]
    return [(node, lambda part: part)]


def with_argument(call: Call, number: int, part: Node) -> Node:
    """The call with one argument replaced."""
    arguments = (*call.arguments[:number], part, *call.arguments[number + 1 :])
    return Call(call.function, arguments, call.keywords)


def is_plain(node: Node) -> bool:
    """Whether the node has no brackets that a formatter could split at."""
    return "(" not in flat(node) and "[" not in flat(node)


def links(node: Binary) -> list[tuple[str, Node]]:
    """The operands of a chain of operators of one level, each with the operator before it."""
    if isinstance(node.left, Binary) and level(node.left) == level(node):
        return [*links(node.left), (node.operator, node.right)]
    return [("", node.left), (node.operator, node.right)]


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


LAYOUTS: Mapping[type[Node], Callable[[str, Node, int], list[str] | None]] = {
    Call: call_lines,
    Trailer: method_lines,
    Binary: chain_lines,
}
"""How an assignment of each kind of expression is broken into lines."""


ROUNDS = 4
"""How often parts are put in order: a longer name may break a line elsewhere, and so change the order."""


def numbered(target: str, node: Node, taken: set[str], depth: int) -> list[str]:
    """The assignment; the parts that it is split into are called `part`, `part_2` and so on in reading order."""
    places: list[int] = []
    for _ in range(ROUNDS):
        fresh = part_names(taken)
        first = list(islice(fresh, len(places)))
        given = [first[place] for place in places]
        lines = assignment(target, node, recorded(given, fresh), depth)
        read = [name for line in lines if (name := line.partition(" = ")[0]) in given]
        if read == list(islice(part_names(taken), len(read))):
            break
        places = [read.index(name) for name in given if name in read]
    taken.update(read)
    return lines


def part_names(taken: Collection[str]) -> Iterator[str]:
    """Names for parts, none of them taken: some formulas have thousands."""
    names = chain(("part",), (f"part_{number}" for number in count(2)))
    yield from (name for name in names if name not in taken)


def recorded(given: list[str], fresh: Iterator[str]) -> Iterator[str]:
    """The names that are given, then fresh ones, which join them."""
    yield from tuple(given)
    for name in fresh:
        given.append(name)
        yield name


def call_or_wrap(function: str, arguments: Sequence[str], depth: int = 1) -> list[str]:
    """``function(arguments)`` on one line if it fits, else the arguments on a line of their own, or one each."""
    joined = ", ".join(arguments)
    if len(f"{function}({joined})") + depth * INDENT <= WIDTH:
        return [f"{function}({joined})"]
    if len(joined) + (depth + 1) * INDENT <= WIDTH:
        return [f"{function}(", f"    {joined}", ")"]
    return [f"{function}(", *(f"    {argument}," for argument in arguments), ")"]


def head(name: str, arguments: list[str], result: str, depth: int = 0) -> str:
    """``def name(arguments) -> result:``, over several lines if need be."""
    line = f"def {name}({', '.join(arguments)}) -> {result}:"
    width = WIDTH - depth * INDENT
    if len(line) <= width:
        return line
    joined = ", ".join(arguments)
    inner = [f"    {joined}"] if len(joined) + INDENT <= width else [f"    {argument}," for argument in arguments]
    return "\n".join([f"def {name}(", *inner, f") -> {result}:"])
