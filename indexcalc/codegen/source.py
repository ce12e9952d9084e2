"""Python expressions as data, and their text on one line: what binds how tightly, written once.

The text follows the formatting of ruff and Black: double quotes, ``x**2`` for simple operands,
``f(x) ** 2`` for others.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

LEVELS = {"!=": 0, "==": 0, "<": 0, "<=": 0, ">": 0, "&": 1, "+": 2, "-": 2, "*": 3, "/": 3, "//": 3, "@": 3, "**": 5}
UNARY_LEVEL = 4
ATOM_LEVEL = 6
LONGEST = 64
"""The most parts of a sum that are written one behind the other."""

HOLE = re.compile(r"\{(\d+)\}")
"""The place of a part in an expression, by the number of the part."""

SIMPLE = re.compile(r"-?[\w.]+")


class Remembered:
    """What keeps its text once it is written: a layout asks for that of every part again and again."""

    __slots__ = ("_text",)

    _text: str


@dataclass(frozen=True, slots=True)
class Atom:
    """A name, an attribute of a name, or a literal."""

    text: str


@dataclass(frozen=True, slots=True)
class Call(Remembered):
    """``function(arguments, keywords)``; the function is a dotted name."""

    function: str
    arguments: tuple[Node, ...]
    keywords: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Method(Remembered):
    """``operand.name(arguments, keywords)``, for a method that array libraries call differently."""

    operand: Node
    name: str
    arguments: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Trailer(Remembered):
    """An operand with a method call or a subscript behind it, such as ``.T`` or ``[:, None]``."""

    operand: Node
    text: str


@dataclass(frozen=True, slots=True)
class Prefix(Remembered):
    """``-operand`` or ``~operand``."""

    sign: str
    operand: Node


@dataclass(frozen=True, slots=True)
class Binary(Remembered):
    """``left operator right``."""

    operator: str
    left: Node
    right: Node


Node = Atom | Call | Method | Trailer | Prefix | Binary


def level(node: Node) -> int:
    """How tightly the outermost operator binds."""
    if isinstance(node, Binary):
        return LEVELS[node.operator]
    if isinstance(node, Prefix) or (isinstance(node, Atom) and node.text.startswith("-")):
        return UNARY_LEVEL
    return ATOM_LEVEL


def enclosed(node: Node, least: int) -> str:
    """The text of a node, in parentheses if it binds less tightly than `least`."""
    text = flat(node)
    return text if level(node) >= least else f"({text})"


def flat(node: Node) -> str:
    """The expression on one line, with the parentheses that it needs and no others."""
    if isinstance(node, Atom):
        return node.text
    try:
        return node._text
    except AttributeError:
        text = written(node)
        object.__setattr__(node, "_text", text)
        return text


def written(node: Call | Method | Trailer | Prefix | Binary) -> str:
    """The text of a node of several parts."""
    match node:
        case Call(function, arguments, keywords):
            return f"{function}({', '.join([*map(flat, arguments), *keywords])})"
        case Method(operand, name, arguments, keywords):
            return f"{enclosed(operand, ATOM_LEVEL)}.{name}({', '.join([*arguments, *keywords])})"
        case Trailer(operand, text):
            return enclosed(operand, ATOM_LEVEL) + text
        case Prefix(sign, operand):
            # Black and ruff write -(x**2): the sign looks as if it bound tighter, but does not.
            power = isinstance(operand, Binary) and operand.operator == "**"
            return sign + enclosed(operand, ATOM_LEVEL if power else UNARY_LEVEL)
        case Binary("**", left, right):
            base, exponent = enclosed(left, ATOM_LEVEL), enclosed(right, UNARY_LEVEL)
            tight = SIMPLE.fullmatch(base) and SIMPLE.fullmatch(exponent)
            return f"{base}**{exponent}" if tight else f"{base} ** {exponent}"
        case Binary(operator, left, right):
            own = LEVELS[operator]
            return f"{enclosed(left, own)} {operator} {enclosed(right, own + 1)}"


def is_number(node: Node) -> bool:
    """Whether the node is a literal number."""
    return isinstance(node, Atom) and re.fullmatch(r"-?\d[\d.e+-]*", node.text) is not None


def negated(node: Node) -> Node:
    """The node with its sign changed: a product is negated at its first factor."""
    if isinstance(node, Binary) and node.operator in ("*", "/"):
        return Binary(node.operator, negated(node.left), node.right)
    if isinstance(node, Prefix) and node.sign == "-":
        return node.operand
    if is_number(node):
        text = flat(node)
        return Atom(text[1:] if text.startswith("-") else "-" + text)
    return Prefix("-", node)


def product_of(factors: list[Node], divisors: list[Node]) -> Node:
    """``a * b / c``, or ``a / (b * c)`` for several divisors; 1.0 where there is no factor."""
    result = chain("*", factors) if factors else Atom("1.0")
    return Binary("/", result, chain("*", divisors)) if divisors else result


def chain(operator: str, operands: list[Node]) -> Node:
    """The operands joined from the left."""
    result = operands[0]
    for operand in operands[1:]:
        result = Binary(operator, result, operand)
    return result


def signed_sum(parts: list[tuple[bool, Node]]) -> Node:
    """The sum of ``(negative, node)`` pairs; a positive part is written first where there is one.

    A long sum is one of sums in brackets: what is nested once for each part is too deep for Python, too.
    """
    if len(parts) > LONGEST:
        blocks = (parts[start : start + LONGEST] for start in range(0, len(parts), LONGEST))
        return signed_sum([(False, signed_sum(block)) for block in blocks])
    first = next((number for number, (negative, _) in enumerate(parts) if not negative), 0)
    negative, node = parts[first]
    result = negated(node) if negative else node
    for number, (minus, part) in enumerate(parts):
        if number != first:
            result = Binary("-" if minus else "+", result, part)
    return result


def filled(node: Node, parts: Sequence[Node]) -> Node:
    """The expression with parts in the places of the numbers in braces that stand in it."""
    match node:
        case Atom(text):
            whole = HOLE.fullmatch(text)
            return parts[int(whole[1])] if whole else Atom(text.format(*map(flat, parts)))
        case Call(function, arguments, keywords):
            return Call(function, tuple(filled(argument, parts) for argument in arguments), keywords)
        case Method(operand, name, arguments, keywords):
            return Method(filled(operand, parts), name, arguments, keywords)
        case Trailer(operand, text):
            return Trailer(filled(operand, parts), text)
        case Prefix(sign, operand):
            return Prefix(sign, filled(operand, parts))
        case Binary(operator, left, right):
            return Binary(operator, filled(left, parts), filled(right, parts))


def split_call(text: str) -> Call | Trailer:
    """A call that is text as one that can be written over several lines: its arguments one by one, and what follows."""
    function, _, inside = text.partition("(")
    arguments, depth, start = [], 0, 0
    for place, sign in enumerate(inside):
        depth += (sign in "([") - (sign in ")]")
        if depth < 0 or (sign == "," and depth == 0):
            arguments.append(Atom(inside[start:place].strip()))
            start = place + 1
        if depth < 0:
            break
    call, rest = Call(function, tuple(arguments)), inside[start:]
    return Trailer(call, rest) if rest else call
