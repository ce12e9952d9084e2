r"""What only differs in writing from what is read: factorials, sums with dots, zeros and identities with their sizes.

``n!`` is a function of n; ``x_1 + \dots + x_n`` is a sum; ``\mathbf 0_{n \times 1}`` and ``I_{n \times n}`` are as
large as they must be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from indexcalc.document.statements.limits import count_of
from indexcalc.document.statements.nesting import after_scripts
from indexcalc.document.statements.running import with_products, with_signs, without_gaps
from indexcalc.language.latex.tokens import Token

FACTORIAL = "factorial"
"""The function that a mark of exclamation is."""

OPENING = {")": "(", "]": "[", "}": "{"}

DUMMIES = "ijklmnpqrst"
"""The letters over which a sum with dots may run."""

SCRIPTS = ("SUB", "SUP")
"""The signs of scripts."""

BEHIND_MEMBER = frozenset({"REL", "AMP", "NEWLINE", "COMMA", "DOT", "QUAD"})
"""What stands behind a member."""

BEFORE_TERM = frozenset({"REL", "AMP", "NEWLINE", "(", "[", "{", "QUAD"})
"""What stands before the first of several terms."""


def as_written_out(tokens: Sequence[Token]) -> list[Token]:
    """The tokens of one formula, with what is read in their place."""
    for read in (
        without_gaps,
        without_reasons,
        without_braces,
        without_brackets,
        with_inverses,
        with_numbers,
        without_sizes,
        with_counts,
        with_commas,
        with_factorials,
        with_sums,
        with_signs,
        with_products,
    ):
        tokens = read(tokens)
    return list(tokens)


REASONS = frozenset({"as", "because", "by", "due", "from", "see", "since", "using", "via"})
"""Words with which a reason begins, in a column of its own behind an equation."""

COLUMNS = frozenset({"AMP", "QUAD"})
"""What parts a column from the one before it."""

INSIDE = {"BEGIN": 1, "END": -1, "{": 1, "}": -1, "(": 1, ")": -1, "[": 1, "]": -1}
"""Where brackets and environments open and close."""


def without_reasons(tokens: Sequence[Token]) -> list[Token]:
    r"""Equations without the reasons beside them, ``&& \text{from } x = y``: what stands in these is no member."""
    result: list[Token] = []
    position = 0
    while position < len(tokens):
        start = position
        while position < len(tokens) and tokens[position].kind in COLUMNS:
            position += 1
        if start < position < len(tokens):
            end = end_of_row(tokens, position)
            beside = [token.kind for token in tokens[start:position]].count("AMP") > 1 and is_last(tokens[position:end])
            if beside or is_reason(tokens[position]):
                position = end
                continue
            if start and tokens[start - 1].kind == "NEWLINE" and is_remark(tokens[position:end]):
                position = end + 1
                continue
        position = max(position, start + 1)
        result.extend(tokens[start:position])
    return result


def without_braces(tokens: Sequence[Token]) -> list[Token]:
    r"""Signs of sums without braces that hold nothing else, ``{\sum_i} x_i``: what stands behind them is summed.

    And groups without braces around their own, ``\frac{{a}}{{b}}``, as programs write them.
    """
    result = without_double_braces(tokens)
    for position in range(len(result) - 2, -1, -1):
        if result[position].kind == "{" and result[position + 1].kind == "SUM":
            end = after_scripts(result, position + 2)
            if end < len(result) and result[end].kind == "}":
                result[position : end + 1] = result[position + 1 : end]
    return result


def without_double_braces(tokens: Sequence[Token]) -> list[Token]:
    """The tokens without braces that hold another pair of braces and nothing else."""
    opened: list[int] = []
    closing: dict[int, int] = {}
    for position, token in enumerate(tokens):
        if token.kind == "{":
            opened.append(position)
        elif token.kind == "}" and opened:
            closing[opened.pop()] = position
    double = {start for start, end in closing.items() if closing.get(start + 1) == end - 1}
    dropped = double | {closing[start] for start in double}
    return [token for position, token in enumerate(tokens) if position not in dropped]


def is_reason(token: Token) -> bool:
    """Whether text begins as a reason does; a single word of it may stand for a name."""
    words = token.text.split(maxsplit=1) if token.kind in ("TEXT", "NAME") else []
    return bool(words) and words[0].lower().lstrip("(") in REASONS


def is_last(cell: Sequence[Token]) -> bool:
    """Whether what is left of a row is one cell that begins with words: no equation, but what is said beside it."""
    kinds = [token.kind for token in cell]
    words = kinds[:1] == ["TEXT"] or (kinds[:1] == ["NAME"] and "REL" not in kinds)
    return words and "AMP" not in kinds


def is_remark(row: Sequence[Token]) -> bool:
    """Whether a row of a display consists of words, and perhaps of names in them, and says no relation."""
    return row[:1] != [] and row[0].kind == "TEXT" and " " in row[0].text.strip() and all(t.kind != "REL" for t in row)


def end_of_row(tokens: Sequence[Token], start: int) -> int:
    """Where the row ends in which a token stands: before a line break, or the end of what is around it."""
    depth = 0
    for position in range(start, len(tokens)):
        depth += INSIDE.get(tokens[position].kind, 0)
        if depth < 0 or (depth == 0 and tokens[position].kind == "NEWLINE"):
            return position
    return len(tokens)


INVERTED = frozenset({"f", "g", "phi", "varphi", "psi"})
"""Letters of functions: -1 above one of them, before a bracket, is the sign of the function's inverse."""


def with_inverses(tokens: Sequence[Token]) -> list[Token]:
    """The inverse of a function as a function of its own."""
    result: list[Token] = []
    position = 0
    while position < len(tokens):
        token = tokens[position]
        script = [one.text for one in tokens[position + 1 : position + 7]]
        inverse = token.kind == "NAME" and token.text in INVERTED and script[1:] == ["{", "-", "1", "}", "("]
        result.append(replace(token, text=f"{token.text}^-1") if inverse else token)
        position += 6 if inverse else 1
    return result


def without_brackets(tokens: Sequence[Token]) -> list[Token]:
    """A member ``(a_{ij})`` without its brackets: an array by its general entry."""
    result = list(tokens)
    for position in range(len(result) - 3, -1, -1):
        around = [result[n].kind if 0 <= n < len(result) else "REL" for n in (position - 1, position)]
        if around not in (["REL", "("], ["AMP", "("], ["NEWLINE", "("]) or result[position + 1].kind != "NAME":
            continue
        end = after_scripts(result, position + 2)
        while end < len(result) and result[end].kind == "PRIME":
            end += 1
        kinds = [result[n].kind if n < len(result) else "REL" for n in (position + 2, end, end + 1)]
        if kinds[:2] == ["SUB", ")"] and kinds[2] in BEHIND_MEMBER:
            result[position : end + 1] = result[position + 1 : end]
    return result


def with_numbers(tokens: Sequence[Token]) -> list[Token]:
    """A digit right behind a letter, ``b2``, as its subscript; in scripts it is one of several indices."""
    inside = scripts(tokens)
    result: list[Token] = []
    for position, token in enumerate(tokens):
        before = tokens[position - 1] if position else None
        digit = token.kind == "NUM" and len(token.text) == 1 and position not in inside
        letter = before is not None and before.kind == "NAME" and len(before.text) == 1 and position - 1 not in inside
        letter = letter and (position < 2 or tokens[position - 2].kind != "FRAC")  # \\frac n2
        if digit and letter and before is not None and before.start + 1 == token.start:
            result.append(Token("SUB", "_", token.start))
        result.append(token)
    return result


def without_sizes(tokens: Sequence[Token]) -> list[Token]:
    """Zeros without a subscript, and identities and matrices without one that says their two sizes."""
    result: list[Token] = []
    position = 0
    while position < len(tokens):
        token = tokens[position]
        result.append(token)
        position += 1
        if position < len(tokens) and tokens[position].kind == "SUB":
            end = after_scripts(tokens, position)
            script = tokens[position + 1 : end]
            sized = any(one.kind == "TIMES" and one.text == "times" for one in script)
            zero = token.kind == "NUM" and token.text == "0"
            plain = not any(one.kind == "SUP" for one in script)
            if plain and (zero or (sized and token.kind == "NAME" and token.text.isupper())):
                result[-1] = replace(token, last=tokens[end - 1].start)
                position = end
            elif plain and sized and token.kind == "ONE":
                result.extend(one for one in tokens[position:end] if one.kind != "TIMES")
                position = end
    return result


COUNTED = ("REALS", "SUM")
"""Above these stand sizes."""


def with_counts(tokens: Sequence[Token]) -> list[Token]:
    r"""The number of what is in a set as one name where it is a size, ``\mathbb R^{|V| \times d}``."""
    result: list[Token] = []
    above = {
        place
        for start, token in enumerate(tokens)
        if token.kind in COUNTED
        for place in range(start + 1, after_scripts(tokens, start + 1))
    }
    position = 0
    while position < len(tokens):
        inner = tokens[position : position + 3]
        kinds = [token.kind for token in inner]
        if position in above and kinds in (["BAR", "NAME", "BAR"], ["LBAR", "NAME", "RBAR"]):
            name, last = inner[1:]
            result.append(replace(name, text=count_of(name.text), start=inner[0].start, last=last.start))
            position += 3
            continue
        result.append(tokens[position])
        position += 1
    return result


PUNCTUATION = frozenset({"COMMA", "SEMICOLON", "QUAD", "[", "]", "REL", "PLUS", "MINUS", "TIMES"})
"""Beside these a wide space parts nothing."""


def with_commas(tokens: Sequence[Token]) -> list[Token]:
    """Wide spaces between what stands in square brackets as commas."""
    result: list[Token] = []
    opened: list[str] = []
    for position, token in enumerate(tokens):
        if token.kind in OPENING.values():
            opened.append(token.kind)
        elif token.kind in OPENING and opened:
            opened.pop()
        elif token.kind == "QUAD" and opened[-1:] == ["["] and position + 1 < len(tokens):
            beside = {tokens[position - 1].kind, tokens[position + 1].kind}
            result.append(token if beside & PUNCTUATION else replace(token, kind="COMMA", text=","))
            continue
        result.append(token)
    return result


def with_factorials(tokens: Sequence[Token]) -> list[Token]:
    """Each factor before a mark of exclamation as the argument of a function."""
    result: list[Token] = []
    for token in tokens:
        start = factor_start(result) if (token.kind, token.text) == ("ODD", "!") else len(result)
        if start == len(result):
            result.append(token)
            continue
        argument = result[start:]
        name = replace(token, kind="NAME", text=FACTORIAL, start=argument[0].start, last=token.start)
        opened, closed = replace(token, kind="(", text="("), replace(token, kind=")", text=")")
        bracket = argument[0].kind == "("
        result[start:] = [name, *argument] if bracket else [name, opened, *argument, closed]
    return result


def factor_start(tokens: Sequence[Token]) -> int:
    """Where the factor begins with which some tokens end: a name with its scripts, a number, or a round bracket."""
    last = tokens[-1] if tokens else None
    if last is None or last.kind not in ("NAME", "NUM", ")", "}"):
        return len(tokens)
    if last.kind != ")":
        names = (n for n, one in enumerate(tokens[:-1]) if one.kind == "NAME" and tokens[n + 1].kind in ("SUB", "SUP"))
        named = next((n for n in names if after_scripts(tokens, n + 1) == len(tokens)), len(tokens) - 1)
        return named if last.kind != "}" or named < len(tokens) - 1 else len(tokens)
    depth = 0
    for position in range(len(tokens) - 1, -1, -1):
        depth += (tokens[position].kind in OPENING) - (tokens[position].kind in OPENING.values())
        if depth == 0:
            return position
    return len(tokens)


def with_sums(tokens: Sequence[Token]) -> list[Token]:
    """Terms between a first and a last one, with dots for others, as a sum of their general term."""
    result = list(tokens)
    position = len(result)
    while position > 0:
        position -= 1
        found = sum_around(result, position) if result[position].kind == "DOTS" else None
        if found is not None:
            position, end, total = found
            result[position:end] = total
    return result


def sum_around(tokens: Sequence[Token], place: int) -> tuple[int, int, list[Token]] | None:
    """Where the terms around some dots begin and end, and the sum that they are; None if they are none."""
    if not 2 <= place < len(tokens) - 2 or tokens[place - 1].kind != "PLUS" or tokens[place + 1].kind != "PLUS":
        return None
    end = term_end(tokens, place + 2)
    terms: list[Sequence[Token]] = []
    start = place - 1
    while start > 0 and tokens[start].kind == "PLUS":
        before = term_start(tokens, start)
        terms.insert(0, tokens[before:start])
        start = before - 1
    start += 1
    last = tokens[place + 2 : end]
    general = next((one for one in (general_term(term, last, tokens) for term in terms[:1]) if one), None)
    if general is None or (start > 0 and tokens[start - 1].kind not in BEFORE_TERM):
        return None
    letter, first, size, body = general
    steps = [general_term(one, last, tokens) for one in terms]
    numbers = [step[1].text if step else "" for step in steps]
    if any(step is None or step[3] != body for step in steps) or not counts_on(numbers):
        return None
    at = tokens[start]

    def sign(kind: str, text: str) -> Token:
        return Token(kind, text, at.start)

    below = [sign("SUB", "_"), sign("{", "{"), replace(letter, start=at.start), sign("REL", "="), first, sign("}", "}")]
    return start, end, [sign("(", "("), sign("SUM", "sum"), *below, sign("SUP", "^"), size, *body, sign(")", ")")]


def counts_on(numbers: Sequence[str]) -> bool:
    """Whether numbers are each the next one after the number before."""
    return all(number.isdigit() for number in numbers) and all(int(b) == int(a) + 1 for a, b in pairwise(numbers))


def general_term(
    first: Sequence[Token], last: Sequence[Token], tokens: Sequence[Token]
) -> tuple[Token, Token, Token, tuple[Token, ...]] | None:
    """The letter over which the sum runs that leads from a term to the last one, its ends, and the term at the letter.

    None if the terms differ in more than a number in one of them.
    """
    if len(first) != len(last):
        return None
    differ = [n for n, (a, z) in enumerate(zip(first, last, strict=True)) if (a.kind, a.text) != (z.kind, z.text)]
    pairs = {(first[n].kind, first[n].text, last[n].kind, last[n].text) for n in differ}
    used = {token.text for token in tokens}
    free = next((letter for letter in DUMMIES if letter not in used), None)
    if len(pairs) != 1 or free is None:
        return None
    a, z = first[differ[0]], last[differ[0]]
    if a.kind != "NUM" or z.kind not in ("NAME", "NUM") or not scripts(first).issuperset(differ):
        return None
    letter = replace(z, kind="NAME", text=free)
    body = tuple(replace(letter, start=last[n].start) if n in differ else last[n] for n in range(len(last)))
    return letter, a, z, body


def scripts(tokens: Sequence[Token]) -> set[int]:
    """The places in subscripts, and in superscripts beside them."""
    starts = (position for position, token in enumerate(tokens) if token.kind in SCRIPTS)
    return {place for start in starts for place in range(start + 1, after_scripts(tokens, start))}


def term_end(tokens: Sequence[Token], start: int) -> int:
    """Where the term ends that begins here."""
    depth = 0
    for position in range(start, len(tokens)):
        kind = tokens[position].kind
        depth += (kind in OPENING.values()) - (kind in OPENING)
        if depth < 0 or (depth == 0 and kind in ("PLUS", "MINUS", "REL", "AMP", "NEWLINE", "COMMA", "QUAD", "DOT")):
            return position
    return len(tokens)


def term_start(tokens: Sequence[Token], end: int) -> int:
    """Where the term begins behind which a sign stands."""
    depth = 0
    for position in range(end - 1, -1, -1):
        kind = tokens[position].kind
        depth += (kind in OPENING) - (kind in OPENING.values())
        if depth < 0 or (depth == 0 and kind in ("PLUS", "MINUS", "REL", "AMP", "NEWLINE", "COMMA", "QUAD")):
            return position + 1
    return 0
