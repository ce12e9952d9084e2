r"""Values of a step given what is known up to another, ``x_{k|k-1}``: the name ``x_·|·-1`` at the step k."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from indexcalc.document.statements.labels import ABOVE
from indexcalc.language.latex.tokens import Token


def with_conditionals(tokens: Sequence[Token]) -> list[Token]:
    """The tokens of one formula, where how far a step is from that behind the bar belongs to the name."""
    return list(rewritten(tokens))


def rewritten(tokens: Sequence[Token]) -> Iterator[Token]:
    """The tokens, in their places."""
    position = 0
    while position < len(tokens):
        token = tokens[position]
        end = closing(tokens, position + 2) if token.kind == "NAME" else 0
        inner = tokens[position + 3 : end]
        bars = [place for place, one in enumerate(inner) if one.kind == "BAR"]
        known = known_up_to(inner[: bars[0]], inner[bars[0] + 1 :]) if len(bars) == 1 else ""
        if not known:
            yield token
            position += 1
            continue
        yield replace(token, text=f"{token.text}_{ABOVE}|{known}")
        yield from tokens[position + 1 : position + 3 + bars[0]]
        position = end


def closing(tokens: Sequence[Token], opening: int) -> int:
    """The place of the brace that closes a subscript; 0 if none opens there."""
    if [token.kind for token in tokens[opening - 1 : opening + 1]] != ["SUB", "{"]:
        return 0
    inner = (place for place in range(opening + 1, len(tokens)) if tokens[place].kind in ("{", "}"))
    place = next(inner, 0)
    return place if place and tokens[place].kind == "}" else 0


def known_up_to(step: Sequence[Token], last: Sequence[Token]) -> str:
    """The last step of which something is known, seen from the step itself; empty if these are no steps."""
    before, behind = step_of(step), step_of(last)
    if before is None or behind is None or not (before[0] == behind[0] or behind[0].isupper()):
        return ""
    own = before[0] == behind[0]
    offset = behind[1] - before[1] if own else behind[1]
    return (ABOVE if own else behind[0]) + (f"{offset:+d}" if offset else "")


def step_of(tokens: Sequence[Token]) -> tuple[str, int] | None:
    """A letter, and the whole number that is added to it; None for all else."""
    match tokens:
        case [Token(kind="NAME") as letter]:
            return letter.text, 0
        case [Token(kind="NAME") as letter, Token(kind="PLUS" | "MINUS") as sign, Token(kind="NUM") as number]:
            if number.text.isdigit():
                return letter.text, int(number.text) * (1 if sign.kind == "PLUS" else -1)
    return None
