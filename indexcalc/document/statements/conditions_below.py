r"""Sums over the values of a letter for which something holds, as sums over all with a factor that is one or zero.

``\sum_{n : y_n = v} f`` is ``\sum_n [y_n = v] f``. ``\sum_{j \in \mathcal N(i)} f`` is ``\sum_j m_{ij} f`` where m says
what is in the set: a name of its own, of which ``|\mathcal N(i)|`` is a sum.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from indexcalc.document.statements.index_expressions import is_index_letter
from indexcalc.document.statements.layer_marks import argument
from indexcalc.document.statements.nesting import after_scripts
from indexcalc.language.latex.tokens import Token, parted

MEMBER = "∈"
"""How the name begins of what says whether something is in a set: one or zero."""

DUMMIES = "jklmnpqrst"
"""The letters over which the number of what is in a set may be summed."""

BEFORE_CONDITION = frozenset({"COLON", "BAR"})
"""What stands between a letter below a sum and a condition on it."""


def with_conditions_below(pieces: Sequence[list[Token]]) -> list[list[Token]]:
    """The tokens of a document's mathematics, such conditions as factors behind the signs of sums."""
    found = [list(beside_sums(tokens)) for tokens in pieces]
    sets = {
        (one.text, end) for tokens in found for place, one in enumerate(tokens) if (end := letters_at(tokens, place))
    }
    return [list(counted(tokens, sets)) for tokens in found] if sets else found


def beside_sums(tokens: Sequence[Token]) -> Iterator[Token]:
    """The tokens, with what stands below each sum that is more than a letter behind its sign."""
    position = 0
    while position < len(tokens):
        token = tokens[position]
        yield token
        position += 1
        if token.kind == "SUM" and position < len(tokens) and tokens[position].kind == "SUB":
            below, end = argument(tokens, position + 1)
            letters, factors = condition_below(below)
            if factors and end < len(tokens):
                scripts = after_scripts(tokens, position)
                brace = replace(tokens[position], kind="{", text="{")
                yield from (tokens[position], brace, *letters, replace(brace, kind="}", text="}"), *tokens[end:scripts])
                yield from factors
                position = scripts


def condition_below(below: Sequence[Token]) -> tuple[list[Token], list[Token]]:
    """The letters that a sum binds, and the conditions on them as factors; none if no such thing stands below it."""
    place = next((n for n, token in enumerate(below) if token.kind in BEFORE_CONDITION), None)
    if place is None:
        letters, factors, end = member_of(below) or first_test(below)
    else:
        letters, factors, end = [token for token in below[:place] if token.kind != "COMMA"], [], place + 1
    if not letters or not all(map(is_index_letter, letters)):
        return [], []
    while end < len(below):
        _, test, behind = member_of(below[end:]) or other_test(below[end:])
        if not test:
            return [], []
        factors.extend(test)
        end += behind
    return letters, factors


def other_test(below: Sequence[Token]) -> tuple[list[Token], list[Token], int]:
    """A relation up to a comma as a factor, and where it ends; no factor if there is none."""
    test = next(parted(below, "COMMA"))
    return [], bracket(test) if is_relation(test) else [], len(test) + 1


def is_relation(tokens: Sequence[Token]) -> bool:
    """Whether tokens are an equality, or its like, between what is no set."""
    relations = [token.text for token in tokens if token.kind == "REL"]
    return len(relations) == 1 and relations[0] in ("=", "!=", "<", "<=", ">", ">=")


def bracket(test: Sequence[Token]) -> list[Token]:
    """A relation in square brackets: one where it holds, else zero."""
    return [Token("[", "[", test[0].start), *test, Token("]", "]", test[-1].start)]


def first_test(below: Sequence[Token]) -> tuple[list[Token], list[Token], int]:
    r"""A letter that is compared with the entry of an array, as in ``j \ne y_i``, the comparison, and where it ends."""
    test = next(parted(below, "COMMA"))
    compared = [token.kind for token in test[:4]] == ["NAME", "REL", "NAME", "SUB"] and test[1].text == "!="
    return ([test[0]], bracket(test), len(test) + 1) if compared else ([], [], 0)


def member_of(below: Sequence[Token]) -> tuple[list[Token], list[Token], int] | None:
    """What is in a set that depends on letters, or of several letters in a set of pairs; that as a factor, and its end.

    None if what stands below a sum begins otherwise.
    """
    place = next((n for n, token in enumerate(below) if token.kind == "REL"), len(below))
    letters = [token for token in below[:place] if token.kind not in ("COMMA", "(", ")")]
    if not letters or [token.text for token in below[place : place + 1]] != ["in"] or place + 1 == len(below):
        return None
    name, of, end = set_at(below, place + 1)
    if name.kind != "NAME" or len(of) + len(letters) < len("ij") or (end < len(below) and below[end].kind != "COMMA"):
        return None
    return letters, list(member(name, (*of, *letters))), end + 1


def set_at(tokens: Sequence[Token], position: int) -> tuple[Token, tuple[Token, ...], int]:
    r"""The name of a set, ``N`` or ``N^+``, the letters on which it depends, ``N_i`` or ``N(i)``, and where it ends."""
    name, end = tokens[position], position + 1
    letters: list[Token] = []
    label = ""
    while end < len(tokens) and tokens[end].kind in ("SUB", "SUP"):
        kind = tokens[end].kind
        script, end = argument(tokens, end + 1)
        plain = [token for token in script if token.kind != "COMMA"]
        if kind == "SUB" and all(map(is_index_letter, plain)):
            letters.extend(plain)
        else:
            label += "".join(token.text for token in script)
    if end < len(tokens) and tokens[end].kind == "(":
        close = next((n for n in range(end, len(tokens)) if tokens[n].kind == ")"), end)
        inner = [token for token in tokens[end + 1 : close] if token.kind != "COMMA"]
        if inner and all(map(is_index_letter, inner)):
            letters.extend(inner)
            end = close + 1
    return replace(name, text=f"{MEMBER}{name.text}{label}"), tuple(letters), end


def member(name: Token, letters: Sequence[Token]) -> tuple[Token, ...]:
    """What says whether the last of some letters is in the set that depends on the others."""
    start = name.start
    return name, Token("SUB", "_", start), Token("{", "{", start), *letters, Token("}", "}", start)


def letters_at(tokens: Sequence[Token], place: int) -> int:
    """How many letters say what a set depends on, and what is in it, if the name of one stands here; else 0."""
    found = tokens[place].kind == "NAME" and tokens[place].text.startswith(MEMBER)
    return len(argument(tokens, place + 2)[0]) if found else 0


def counted(tokens: Sequence[Token], sets: Collection[tuple[str, int]]) -> Iterator[Token]:
    r"""The tokens, with the number of what is in one of these sets, ``|\mathcal N(i)|``, as a sum."""
    position = 0
    while position < len(tokens):
        token = tokens[position]
        if token.kind in ("BAR", "LBAR") and position + 1 < len(tokens) and tokens[position + 1].kind == "NAME":
            name, letters, end = set_at(tokens, position + 1)
            used = {one.text for one in tokens}
            free = next((one for one in DUMMIES if one not in used), None)
            closed = end < len(tokens) and tokens[end].kind in ("BAR", "RBAR")
            if closed and free is not None and (name.text, len(letters) + 1) in sets:
                dummy = Token("NAME", free, token.start)
                yield replace(token, kind="(", text="(")
                yield from (Token("SUM", "sum", token.start), Token("SUB", "_", token.start), dummy)
                yield from (*member(name, (*letters, dummy)), replace(tokens[end], kind=")", text=")"))
                position = end + 1
                continue
        yield token
        position += 1
