r"""Equations at other steps: what an equation says of ``h_t``, it says of ``h_{t+1}`` and of ``h_3``.

The number of a step, or of a layer, is a part of a name. So the equation at another step is the same syntax tree
with other names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from indexcalc.document.statements.calls import is_call
from indexcalc.document.statements.families import Letter
from indexcalc.document.statements.index_expressions import GREEK
from indexcalc.document.statements.labels import LAYER, Layer, moved, of_any_layer
from indexcalc.language.latex.tokens import Token

Tree = TypeVar("Tree")

HIGHEST_STEP = 9
"""The highest number of a step to which an equation is moved."""


class UnmovedError(Exception):
    """A formula in which a letter does not only number steps."""


def steps_in(name: str) -> Iterator[tuple[Letter, Layer]]:
    """The letters and numbers of steps in a name, each with its style, and with what is added to it."""
    for found in LAYER.finditer(name):
        style = found["style"].removeprefix("^")
        yield (found["text"], style), Layer(found["text"], int(found["offset"] or 0))


def step_between(general: str, name: str, letters: frozenset[Letter]) -> tuple[str, Layer] | None:
    """The letter in a name, and what stands for it in the name of the same tensor at another step; None if none is it.

    Args:
        general: the name that an equation gives.
        name: the name at the other step.
        letters: the letters that number steps.
    """
    if of_any_layer(general) != of_any_layer(name):
        return None
    for (letter, own), (_, other) in zip(steps_in(general), steps_in(name), strict=False):
        if letter not in letters or own == other:
            continue
        if other.text.isdigit():
            number = int(other.text) - own.offset
            target = Layer(str(number)) if 0 <= number <= HIGHEST_STEP else None
        else:
            target = Layer(other.text, other.offset - own.offset)
        if target is not None and moved(general, own.text, target) == name:
            return own.text, target
    return None


def numbers_step(name: str, letter: str) -> bool:
    """Whether a letter is the number of a step in a name, or stands in a value like ``p(x_t|x_t-1)``."""
    if is_call(name):
        return any(found["word"] == letter for found in RUN.finditer(name))
    return any(step.text == letter for _, step in steps_in(name))


def moved_tree(tree: Tree, letter: str, target: Layer) -> Tree | None:
    """The same formula at another step; None if the letter does more there than number steps and end sums."""
    try:
        result: Tree = changed(tree, letter, target)
    except UnmovedError:
        return None
    return result


def changed(part: Any, letter: str, target: Layer) -> Any:
    """A part of a formula at another step.

    Raises:
        UnmovedError: where it cannot be moved.
    """
    if isinstance(part, Token):
        return moved_token(part, letter, target)
    if isinstance(part, tuple):
        if part and all(isinstance(one, Token) for one in part):
            return tuple(moved_tokens(part, letter, target))
        return tuple(changed(one, letter, target) for one in part)
    if not is_dataclass(part) or isinstance(part, type):
        return part
    inner = {field.name: changed(getattr(part, field.name), letter, target) for field in fields(part)}
    return part if all(getattr(part, name) is value for name, value in inner.items()) else replace(part, **inner)


def moved_token(token: Token, letter: str, target: Layer) -> Token:
    """A name at another step; the letter alone, as a number."""
    if token.kind != "NAME":
        return token
    if token.text == letter:
        if target.offset or len(target.text) > 1:
            raise UnmovedError
        return replace(token, kind="NUM" if target.text.isdigit() else "NAME", text=target.text)
    text = moved_call(token.text, letter, target) if is_call(token.text) else moved(token.text, letter, target)
    if text is None:
        raise UnmovedError
    return token if text == token.text else replace(token, text=text)


def moved_tokens(tokens: tuple[Token, ...], letter: str, target: Layer) -> Iterator[Token]:
    """The tokens of a script at another step: ``t-1`` for a number is a number."""
    position = 0
    while position < len(tokens):
        token = tokens[position]
        position += 1
        if (token.kind, token.text) != ("NAME", letter):
            yield moved_token(token, letter, target)
            continue
        offset = target.offset
        kinds = [one.kind for one in tokens[position : position + 2]]
        if kinds in (["PLUS", "NUM"], ["MINUS", "NUM"]) and tokens[position + 1].text.isdigit():
            offset += int(tokens[position + 1].text) * (1 if kinds[0] == "PLUS" else -1)
            position += 2
        if target.text.isdigit():
            value = int(target.text) + offset
            if value < 0:
                raise UnmovedError
            yield replace(token, kind="NUM", text=str(value))
            continue
        yield replace(token, text=target.text)
        if offset:
            yield replace(token, kind="PLUS" if offset > 0 else "MINUS", text="+" if offset > 0 else "-")
            yield replace(token, kind="NUM", text=str(abs(offset)))


RUN = re.compile(r"(?<![A-Za-z])(?P<word>[A-Za-z]+)(?P<offset>[+-]\d+)?")
"""Letters in such a value, and what is added to them."""


def moved_call(name: str, letter: str, target: Layer) -> str | None:
    """A value like ``p(x_t|x_t-1)`` at another step, with the letter wherever it stands in it.

    None where it cannot be told whether the letter stands there: braces around scripts are lost.
    """
    missing = False

    def other(found: re.Match[str]) -> str:
        nonlocal missing
        if found["word"] != letter:
            script = name[found.start() - 1 : found.start()] in ("_", "^")
            missing |= script and found["word"].startswith(letter) and found["word"] not in GREEK
            return found.group()
        offset = target.offset + int(found["offset"] or 0)
        if target.text.isdigit():
            missing |= int(target.text) + offset < 0
            return str(int(target.text) + offset)
        return str(Layer(target.text, offset))

    result = RUN.sub(other, name)
    return None if missing else result
