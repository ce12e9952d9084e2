"""Scripts told apart: which subscript is an index and which a label, which superscript is a power."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from indexcalc.document.statements.index_expressions import GREEK, SIGNS, Expression, is_index_letter, segments
from indexcalc.language.latex.tokens import Token
from indexcalc.language.latex.tree import Atom, Group, Node, Scripted

COLON = ":"

CAPITALS = frozenset("IJKL")
"""Capitals that are indices beside others, ``F_{iJ}``: those of the undeformed body in mechanics."""


def with_primes(tokens: Sequence[Token]) -> list[Token]:
    """Tokens with each prime as a part of the letter before it: ``k'`` is a letter of its own."""
    found: list[Token] = []
    for token in tokens:
        if token.kind == "PRIME" and found and found[-1].kind == "NAME":
            found[-1] = replace(found[-1], text=found[-1].text + "'")
        else:
            found.append(token)
    return found


def is_letter(part: str) -> bool:
    """Whether a part of a subscript is a letter, with primes or without."""
    return part.rstrip("'").isalpha()


@dataclass(frozen=True, slots=True)
class Subscript:
    """The parts of a subscript, each a letter, a number, ``:`` or an expression, and whether dots stand between.

    Or a label's text. Two letters may be `barred`: one index given the other.
    """

    parts: tuple[str, ...] = ()
    label: str = ""
    unreadable: bool = False
    dotted: bool = False
    barred: bool = False


def subscript(tokens: Sequence[Token]) -> Subscript:
    """What a subscript says; labels are capitals, words, text and digits, and what has a bar in it, ``22|1``."""
    if any(token.kind in BARS for token in tokens):
        plain = [token for token in tokens if token.kind not in ("{", "}")]
        if is_given_another(plain):
            return Subscript(parts=(plain[0].text, plain[2].text), barred=True)
        strange = any(token.kind not in OF_LABELS for token in plain)
        return Subscript(label="".join(token.text for token in plain), unreadable=strange)
    parts: list[str] = []
    dotted = False
    for segment in segments(tokens):
        if isinstance(segment, Expression):
            parts.append(segment)
            continue
        found = of_letters(segment)
        if found.label or found.unreadable:
            return of_letters(tokens)
        parts.extend(found.parts)
        dotted = dotted or found.dotted
    return Subscript(parts=tuple(parts), dotted=dotted)


def is_given_another(tokens: Sequence[Token]) -> bool:
    """Whether a subscript is an index given another, ``j|i``; with one letter it is a label, as ``t|t`` of a filter."""
    if len(tokens) != len("j|i") or tokens[1].kind not in BARS or tokens[0].text == tokens[2].text:
        return False
    return is_index_letter(tokens[0]) and is_index_letter(tokens[2])


BARS = frozenset({"BAR", "LBAR", "RBAR"})
"""A bar in a subscript, which may look like that of an absolute value."""

OF_LABELS = BARS | {"NAME", "NUM", "TEXT", "COMMA", "PLUS", "MINUS"}
"""What may stand in a label with a bar."""


def of_letters(tokens: Sequence[Token]) -> Subscript:
    """What a subscript says in which no index is an expression."""
    tokens = [token for token in tokens if token.kind not in ("{", "}", "(", ")", "[", "]", "COMMA", "DOT")]
    dotted = any(token.kind == "DOTS" for token in tokens)
    tokens = [token for token in tokens if token.kind != "DOTS"]
    parts: list[str] = []
    label = "".join(token.text for token in tokens if token.kind != "SUB")
    several = sum(token.kind == "NAME" for token in tokens) > 1
    for token in tokens:
        if token.kind == "PRIME" and parts:
            parts[-1] += "'"
        elif (
            is_index_letter(token)
            or (several and token.kind == "NAME" and token.text in CAPITALS)
            or (token.kind == "NUM" and token.text.isdigit())
        ):
            parts.append(token.text)
        elif token.kind == "COLON" or (token.kind == "TIMES" and token.text in ("cdot", "*")):
            parts.append(COLON)
        elif (
            token.kind in ("NAME", "TEXT", "ONE", "TOP")
            or (token.kind in ("SUB", "REL", "TIMES") and parts)
            or (token.kind in SIGNS and len(tokens) == 1)
        ):
            return Subscript(label=label)
        else:
            return Subscript(label=label, unreadable=True)
    return Subscript(parts=tuple(parts), dotted=dotted)


@dataclass(frozen=True, slots=True)
class Named:
    """A name with its scripts taken apart.

    Attributes:
        name: the name with its labels.
        parts: the parts of the index; None if there is none.
        powers: the superscripts that are neither labels nor a transpose.
        transposed: whether it is transposed.
        primes: how many primes it bears.
        bold: whether a bold font marks it.
        start: where it stands.
        unreadable: whether a mark on it is not read.
        dotted: whether dots stand among its indices.
    """

    name: str
    parts: tuple[str, ...] | None
    powers: tuple[tuple[Token, ...], ...]
    transposed: bool
    primes: int
    bold: bool
    start: int
    unreadable: bool = False
    dotted: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether it bears nothing but labels and indices."""
        return not (self.powers or self.transposed or self.primes or self.unreadable)


def is_transpose(tokens: Sequence[Token]) -> bool:
    """Whether a superscript is the sign of a transpose."""
    lone = len(tokens) == 1 and not tokens[0].index
    return lone and (tokens[0].kind == "TOP" or tokens[0].text in ("T", "t", "top"))


def inverse_mark(tokens: Sequence[Token]) -> str:
    """``-1`` or ``-T``, if a superscript is the sign of an inverse, or of its transpose; else nothing."""
    if len(tokens) != 2 or tokens[0].kind != "MINUS":
        return ""
    return "-1" if tokens[1].text == "1" else "-T" if is_transpose(tokens[1:]) else ""


def is_label(tokens: Sequence[Token]) -> bool:
    """Whether a superscript is a label, or several: a star, text, or a number or letter in brackets."""
    kinds = [token.kind for token in tokens]
    if "COMMA" in kinds:
        place = kinds.index("COMMA")
        return is_label(tokens[:place]) and is_label(tokens[place + 1 :])
    if kinds in (["TIMES"], ["TEXT"], ["PLUS"], ["MINUS"]):
        return True
    if kinds == ["NAME"] and tokens[0].text != "T":
        text = tokens[0].text
        return text[0].isupper() or (len(text) > 1 and text not in GREEK)
    inner = kinds[2:-1] if kinds[1:2] == ["MINUS"] else kinds[1:-1]  # (-i): without the sample i
    return kinds[:1] in (["("], ["["]) and inner in (["NAME"], ["NUM"]) and kinds[-1] in (")", "]")


def named(node: Node, labels: frozenset[tuple[str, str]], marks: frozenset[tuple[str, str]]) -> Named | None:
    """The name of a node with its scripts; None if the node is no name.

    Args:
        node: an atom, or an atom with scripts.
        labels: the pairs of a base and a subscript that is a label for it.
        marks: the pairs of a name and a superscript that is a part of it.
    """
    base = unwrapped(node.base if isinstance(node, Scripted) else node)
    if isinstance(base, Scripted) and not isinstance(node, Scripted):
        return named(base, labels, marks)
    if not isinstance(base, Atom) or base.kind not in ("NAME", "ONE"):
        return None
    name = base.text if base.kind == "NAME" else "1"
    if not isinstance(node, Scripted):
        return Named(name, None, (), False, 0, base.token.bold, base.token.start)
    parts: tuple[str, ...] | None = None
    unreadable = dotted = False
    if node.below:
        found = subscript(node.below)
        dotted = found.dotted
        text = "".join(token.text for token in node.below if token.kind not in ("{", "}"))
        if found.label or (name, text) in labels:
            name = f"{name}_{found.label or text}"
            unreadable = found.unreadable
        elif len(found.parts) > 1 and (name, f"{found.parts[0]}{BEFORE_INDICES}") in labels:
            name, parts = f"{name}_{found.parts[0]}", found.parts[1:]
        else:
            parts = found.parts
            name += BETWEEN_INDICES * found.barred
    name, powers, transposed = superscripts(name, node.above, marks)
    return Named(name, parts, powers, transposed, node.primes, base.token.bold, base.token.start, unreadable, dotted)


BETWEEN_INDICES = "_{|}"
"""Ends the name of what has an index given another, ``p_{j|i}``: another array than ``p_{ji}``."""

BEFORE_INDICES = ","
"""Stands behind a label that is one before indices too."""


def unwrapped(node: Node) -> Node | None:
    """What stands alone in braces, at any depth; None if there is more than one factor."""
    while isinstance(node, Group) and node.bracket == "{" and len(node.members) == 1:
        inner = node.members[0].only
        if inner is None or len(inner.items) != 1:
            return None
        node = inner.items[0]
    return node


def label_and_power(tokens: tuple[Token, ...]) -> Iterator[tuple[Token, ...]]:
    """A label in brackets and the number behind it, ``(i)2``, each for itself."""
    closed = next((n for n, token in enumerate(tokens) if token.kind in (")", "]")), len(tokens)) + 1
    rest = tokens[closed:]
    if is_label(tokens[:closed]) and len(rest) == 1 and rest[0].kind == "NUM":
        yield tokens[:closed]
        tokens = rest
    yield tokens


def superscripts(
    name: str, above: Sequence[tuple[Token, ...]], marks: frozenset[tuple[str, str]]
) -> tuple[str, tuple[tuple[Token, ...], ...], bool]:
    """The name with its labels, its powers, and whether it is transposed."""
    powers = []
    transposed = False
    for tokens in (part for script in above for part in label_and_power(script)):
        if is_transpose(tokens):
            transposed = True
        elif len(tokens) > 1 and not inverse_mark(tokens) and is_transpose(tokens[-1:]) and is_label(tokens[:-1]):
            name = f"{name}^{''.join(token.text for token in tokens[:-1])}"
            transposed = True
        elif is_label(tokens):
            name = f"{name}^{''.join(token.text for token in tokens)}"
        elif len(tokens) == 1 and (name, tokens[0].text) in marks:
            name = f"{name}^{tokens[0].text}"
        elif (name, "2") in marks and (half := half_of(tokens)):
            name = f"{name}^2"
            powers.append(half)
        else:
            powers.append(tokens)
    return name, tuple(powers), transposed


def half_of(tokens: Sequence[Token]) -> tuple[Token, ...]:
    """Half of an even power: what is left of it above a square; nothing if it is no even number."""
    *sign, number = tokens
    even = all(token.kind == "MINUS" for token in sign) and number.kind == "NUM" and number.text.isdigit()
    if not even or int(number.text) % 2:
        return ()
    return (*sign, replace(number, text=str(int(number.text) // 2)))
