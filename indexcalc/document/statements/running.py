r"""Products that are written with dots, ``a_t a_{t-1} \cdots a_1``, and letters as signs, ``\Pi_{j=1}^n``.

Both are what the sign of a product says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from indexcalc.document.statements.layer_marks import BELOW, Item, Written, argument, written_at
from indexcalc.document.statements.nesting import after_scripts
from indexcalc.language.latex.tokens import Token

DESCENDING = "prod from the last"
"""The sign of a product whose factors stand from the last one to the first."""

SIGNS = {"Pi": "prod", "Sigma": "sum"}
"""Letters that are signs where they bear both limits."""

DUMMIES = "jkmnpqs"
"""The letters over which a product with dots may run."""


def with_signs(tokens: Sequence[Token]) -> list[Token]:
    r"""Capital letters with limits, ``\Pi_{j=1}^n``, as signs."""
    result = list(tokens)
    for position, token in enumerate(tokens):
        if token.kind == "NAME" and token.text in SIGNS and is_sign(tokens, position):
            result[position] = replace(token, kind="SUM", text=SIGNS[token.text])
    return result


def is_sign(tokens: Sequence[Token], position: int) -> bool:
    """Whether a letter bears a first value below it and a last one above."""
    if [token.kind for token in tokens[position + 1 : position + 2]] != ["SUB"]:
        return False
    inner, end = argument(tokens, position + 2)
    above = [token.kind for token in tokens[end : end + 1]] == ["SUP"]
    return above and [token.kind for token in inner[:2]] == ["NAME", "REL"] and inner[1].text == "="


def with_products(tokens: Sequence[Token]) -> list[Token]:
    """Factors between a first and a last one, with dots for others, as the product of their general factor."""
    result = list(tokens)
    position = len(result)
    while position > 0:
        position -= 1
        if result[position].kind == "DOTS" and (found := product_around(result, position)) is not None:
            position, end, whole = found
            result[position:end] = whole
    return result


def product_around(tokens: Sequence[Token], place: int) -> tuple[int, int, list[Token]] | None:
    """Where the factors around some dots begin and end, and the product that they are; None if they are none."""
    last = written_at(tokens, place + 1) if place + 1 < len(tokens) else None
    if last is None:
        return None
    before: list[Written] = []
    end = place
    while (one := ending_at(tokens, end)) is not None and one.base.text == last.base.text:
        before.insert(0, one)
        end = one.start
    run = running([*map(number_of, before), number_of(last)])
    used = {token.text for token in tokens}
    letter = next((one for one in DUMMIES if one not in used), None)
    if run is None or letter is None or not all(alike(one, last) for one in before):
        return None
    lowest, highest, descending = run
    at = before[0].base

    def sign(kind: str, text: str) -> Token:
        return Token(kind, text, at.start)

    below = (sign("SUB", "_"), sign("{", "{"), sign("NAME", letter))
    whole = [
        sign("(", "("),
        sign("SUM", DESCENDING if descending else "prod"),
        *(*below, sign("REL", "="), *limit(lowest, at), sign("}", "}")),
        *(sign("SUP", "^"), sign("{", "{"), *limit(highest, at), sign("}", "}")),
        *(replace(last.base, start=at.start), *below, sign("}", "}")),
        replace(sign(")", ")"), last=tokens[last.end - 1].start),
    ]
    return before[0].start, last.end, whole


CHAINS = frozenset({"align", "aligned", "alignat", "alignedat", "eqnarray", "gather", "gathered", "multline", "split"})
"""The environments whose rows are equations."""


def without_gaps(tokens: Sequence[Token]) -> list[Token]:
    r"""Equations without the rows between them that hold nothing but dots, ``\vdots``."""
    result: list[Token] = []
    opened: list[str] = []
    for position, token in enumerate(tokens):
        if token.kind == "BEGIN":
            opened.append(token.text)
        elif token.kind == "END" and opened:
            opened.pop()
        rows = not opened or opened[-1] in CHAINS
        if token.kind == "DOTS" and rows and is_alone(tokens, position):
            continue
        result.append(token)
    return result


def is_alone(tokens: Sequence[Token], place: int) -> bool:
    """Whether a token is all that stands between two ends of rows."""
    before, after = place - 1, place + 1
    while before >= 0 and tokens[before].kind in ("AMP", "QUAD"):
        before -= 1
    while after < len(tokens) and tokens[after].kind in ("AMP", "QUAD"):
        after += 1
    ends = [tokens[n].kind if 0 <= n < len(tokens) else "" for n in (before, after)]
    return ends == ["NEWLINE", "NEWLINE"]


def ending_at(tokens: Sequence[Token], end: int) -> Written | None:
    """The name with its scripts that ends here."""
    for start in range(end - 1, max(-1, end - 12), -1):
        if tokens[start].kind == "NAME" and after_scripts(tokens, start + 1) == end:
            found = written_at(tokens, start)
            if found is not None and found.end == end and found.below:
                return found
    return None


def number_of(found: Written) -> Item | None:
    """The one number or letter below a name that bears nothing else."""
    below = found.below or ()
    return below[0] if len(below) == 1 and not found.superscripts and below[0].style == BELOW else None


def alike(one: Written, other: Written) -> bool:
    """Whether two factors differ in their numbers alone."""
    return one.base.text == other.base.text and one.base.kind == other.base.kind


def running(items: Sequence[Item | None]) -> tuple[Item, Item, bool] | None:
    """The first and the last number of a run, and whether it goes down; None if the numbers are no run.

    Of one factor before the dots, the letter has no number added, or is a number: ``a_1 ... a_t``, ``a_t ... a_1``.
    """
    known = [item for item in items if item is not None]
    if len(known) < len(items) or len(known) < 2:
        return None
    *before, last = known
    values = [value_of(item) for item in before]
    steps = {b - a for (one, a), (other, b) in pairwise(values) if one == other}
    same = {name for name, _ in values}
    if len(same) != 1 or len(steps) > 1 or (steps and steps not in ({1}, {-1})) or value_of(last)[0] in same:
        return None
    down = steps == {-1} if steps else last.text.isdigit()
    return (last, before[0], True) if down else (before[0], last, False)


def value_of(item: Item) -> tuple[str, int]:
    """The letter of a number, empty if it has none, and what is added to it."""
    return ("", int(item.text)) if item.text.isdigit() else (item.text, item.offset)


def limit(item: Item, at: Token) -> list[Token]:
    """The tokens of a limit."""
    found = [replace(item.token, start=at.start)]
    if item.offset:
        positive = item.offset > 0
        found.append(Token("PLUS" if positive else "MINUS", "+" if positive else "-", at.start))
        found.append(Token("NUM", str(abs(item.offset)), at.start))
    return found
