r"""Signs that are written in several ways, brought to one: indicators, and a capital Sigma that sums.

``\mathbb{1}_{i=k}``, ``1\{i=k\}`` and ``\mathbb{I}(i=k)`` are the bracket ``[i=k]``, and so is a mask
beside a product by entries, ``G \odot (X > 0)``; a Sigma with
``i=1`` below it is a sum; ``\mathbf{1_n}`` is ``\mathbf{1}_n``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from indexcalc.language.latex.tokens import Token

PAIRS = {"{": "}", "(": ")", "[": "]"}

INDICATED = frozenset({"=", "!=", "<", ">", "<=", ">="})
"""The relations whose truth an indicator may say."""

ORDERED = frozenset({"<", ">", "<=", ">="})
"""The relations that a mask such as ``(X > 0)`` may hold; with another one, a bracket may state a condition."""

ENTRYWISE = frozenset({"ODOT", "TIMES"})
"""Beside one of these a bracket with a relation is a factor."""

LONGEST = 12
"""The most tokens of a relation in an indicator."""


TURN = "t"
"""The letter that is the sign of a transpose above a name, unless a sum binds it."""


def unified(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with one sign for each meaning."""
    tokens = with_slopes(with_bound_powers(with_angles(tokens)))
    result: list[Token] = []
    position = 0
    while position < len(tokens):
        token = tokens[position]
        if token.kind == "ONE" or (token.kind, token.text) in (("NUM", "1"), ("NAME", "I")):
            relation, after = indicated(tokens, position + 1)
            if relation:
                result.extend([Token("[", "[", token.start), *relation, Token("]", "]", tokens[after - 1].start)])
                position = after
                continue
        if token.kind == "(":
            relation, after = indicated(tokens, position)
            beside = {tokens[n].kind for n in (position - 1, after) if 0 <= n < len(tokens)}
            if relation and beside & ENTRYWISE and any(t.text in ORDERED for t in relation if t.kind == "REL"):
                result.extend(
                    [replace(token, kind="[", text="["), *relation, replace(tokens[after - 1], kind="]", text="]")]
                )
                position = after
                continue
        result.append(replace(token, kind="SUM", text="sum") if sums(tokens, position) else token)
        position += 1
    return result


def with_bound_powers(tokens: Sequence[Token]) -> list[Token]:
    r"""The tokens, a letter that a sum binds no transpose above a name: ``\sum_t c_t / (1 + r)^t``."""
    bound = False
    result = list(tokens)
    for position, token in enumerate(tokens):
        before = [one.text for one in tokens[max(0, position - 3) : position] if one.kind != "{"]
        bound = bound or (token.text == TURN and before[-2:] == ["sum", "_"])
        if bound and token.text == TURN and before[-1:] == ["^"]:
            result[position] = replace(token, index=True)
    return result


def with_slopes(tokens: Sequence[Token]) -> list[Token]:
    r"""The tokens, ``\frac{\partial f}{x}`` as ``\frac{\partial f}{\partial x}``: one sign asks for the other."""
    result = list(tokens)
    for position in range(len(tokens) - 1, -1, -1):
        if tokens[position].kind != "FRAC":
            continue
        middle = group_end(tokens, position + 1)
        above, below = tokens[position + 2 : middle], tokens[middle + 1 : group_end(tokens, middle) - 1]
        if not above or not below or below[0].kind != "NAME":
            continue
        alone = len(below) == 1 or below[1].kind in ("SUB", "SUP")
        if above[0].kind == "PARTIAL" and alone:
            result.insert(middle + 1, Token("PARTIAL", "partial", below[0].start))
    return result


def group_end(tokens: Sequence[Token], start: int) -> int:
    """Where the braces end that open here; where they would begin, if none do."""
    depth = 0
    for position in range(start, len(tokens)):
        depth += (tokens[position].kind == "{") - (tokens[position].kind == "}")
        if depth <= 0:
            return position + 1 if position > start else start
    return start


def with_angles(tokens: Sequence[Token]) -> list[Token]:
    r"""The tokens with the signs of an inner product, ``\langle x, y \rangle``, as brackets.

    What stands alone between such signs is an expectation.
    """
    result = list(tokens)
    means: list[int] = []
    opened: list[tuple[int, int]] = []
    depth = 0
    commas: set[tuple[int, int]] = set()
    for position, token in enumerate(result):
        depth += (token.kind in PAIRS) - (token.kind in PAIRS.values())
        if token.text in ("langle", "⟨"):
            opened.append((position, depth))
        elif token.kind == "COMMA" and opened and opened[-1][1] == depth:
            commas.add(opened[-1])
        elif token.text in ("rangle", "⟩") and opened:
            start = opened.pop()
            if start in commas and start[1] == depth:
                result[start[0]] = replace(result[start[0]], kind="(", text="⟨")
                result[position] = replace(token, kind=")", text="⟩")
            elif start[1] == depth and start not in commas:
                result[start[0]] = replace(result[start[0]], kind="[", text="[")
                result[position] = replace(token, kind="]", text="]")
                means.append(start[0])
    for position in sorted(means, reverse=True):
        result.insert(position, replace(result[position], kind="NAME", text="E"))
    return result


def indicated(tokens: Sequence[Token], position: int) -> tuple[list[Token], int]:
    """The relation in the subscript or the bracket that starts here, and where it ends; none if it is no relation."""
    if position < len(tokens) and tokens[position].kind == "SUB":
        position += 1
    closers: list[str] = []
    while position < len(tokens) and tokens[position].kind in PAIRS:
        closers.append(PAIRS[tokens[position].kind])
        position += 1
    inner: list[Token] = []
    depth = 0
    while position < len(tokens) and closers and (depth or tokens[position].kind != closers[-1]):
        if len(inner) == LONGEST:
            return [], position
        depth += (tokens[position].kind in PAIRS) - (tokens[position].kind in PAIRS.values())
        inner.append(tokens[position])
        position += 1
    relations = [token for token in inner if token.kind == "REL"]
    if (
        len(relations) != 1
        or relations[0].text not in INDICATED
        or inner[0] is relations[0]
        or inner[-1] is relations[0]
    ):
        return [], position
    for closer in reversed(closers):
        if position >= len(tokens) or tokens[position].kind != closer:
            return [], position
        position += 1
    return inner, position


def sums(tokens: Sequence[Token], position: int) -> bool:
    """Whether a Sigma has a first value below it."""
    if (tokens[position].kind, tokens[position].text) != ("NAME", "Sigma"):
        return False
    position += 1
    while position < len(tokens) and tokens[position].kind in ("SUB", "SUP"):
        below = tokens[position].kind == "SUB"
        position += 1
        depth = 0
        while position < len(tokens):
            token = tokens[position]
            depth += (token.kind == "{") - (token.kind == "}")
            position += 1
            if below and token.kind == "REL" and token.text == "=":
                return True
            if depth == 0:
                break
    return False
