r"""Letters with subscripts, and capitals, over which sums run: ``x_t`` in ``\sum_{x_t} p(x_t|x_{t-1}) f(x_t)``.

They stand as small letters with primes, and are told apart by how they are written. Where something is calculated with
such a letter but as an argument, it is a name like any other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from indexcalc.document.statements.brackets import DENSITIES
from indexcalc.document.statements.calls import SIGN
from indexcalc.document.statements.index_expressions import GREEK
from indexcalc.document.statements.nesting import after_scripts
from indexcalc.language.latex.tokens import Token

FEWEST = 3
"""How many primes such a letter bears at least: no letter of an author has as many."""

PARTING = frozenset({"COMMA", "SEMICOLON", "BAR", ")"})
"""What stands behind an argument."""

MENTIONS = frozenset({"in", "~", "->", "for"})
"""Relations that calculate nothing."""

ARGUMENT, BOUND, VALUE = "argument", "bound", "value"
"""How such a letter is used."""

Tokens = Sequence[Token]


@dataclass(frozen=True)
class Marked:
    """Such a letter in a formula: where it stands, how it is written and how it is used."""

    start: int
    end: int
    text: str
    use: str


def calculates(tokens: Tokens) -> bool:
    """Whether a formula sets something equal, or compares it: others only mention what is in them."""
    return any(token.kind == "REL" and token.text not in MENTIONS for token in tokens)


def marked_letters(pieces: Sequence[Tokens]) -> dict[str, str]:
    """Such letters over which sums run, and those beside them: as they are written, each with what stands for it."""
    used: dict[str, dict[str, None]] = {ARGUMENT: {}, BOUND: {}, VALUE: {}}
    for tokens in pieces:
        for found in letters_in(tokens):
            use = found.use if found.use != VALUE or calculates(tokens) else ""
            used.get(use, {})[found.text] = None
    summed = {letter for tokens in pieces for letter in summed_alone(tokens)}
    letters = [
        text
        for text in used[ARGUMENT]
        if text not in used[VALUE] and summed.isdisjoint(text.removeprefix(base_of(text)))
    ]
    if not any(text in used[BOUND] for text in letters):
        return {}
    bases = [base_of(text).lower() for text in letters]
    counts = [FEWEST + bases[:number].count(base) for number, base in enumerate(bases)]
    return {text: base + "'" * count for text, base, count in zip(letters, bases, counts, strict=True)}


def base_of(text: str) -> str:
    """The letter before a subscript."""
    return text.partition("_")[0]


def summed_alone(tokens: Tokens) -> Iterator[str]:
    """The letters without subscripts over which sums run."""
    for position, token in enumerate(tokens):
        if token.kind == "SUM":
            below = range(position + 2, after_scripts(tokens, position + 1))
            kinds = [tokens[place].kind for place in below]
            upto = kinds.index("REL") if "REL" in kinds else len(kinds)
            place = 0
            while place < upto:
                one = tokens[below[place]]
                scripted = one.kind == "NAME" and after_subscript(tokens, below[place])
                if one.kind == "NAME" and not scripted:
                    yield one.text
                place = scripted - below[0] if scripted else place + 1


def with_primes(tokens: Tokens, letters: Mapping[str, str]) -> list[Token]:
    """The tokens of one formula with such letters as letters with primes, in what they are made of, too."""
    found = {one.start: one for one in letters_in(tokens) if one.text in letters}
    result: list[Token] = []
    position = 0
    while position < len(tokens):
        token = tokens[position]
        one = found.get(position)
        if one is None:
            inside = token.inside
            if inside is not None:
                inside = replace(inside, tokens=tuple(with_primes(inside.tokens, letters)))
            result.append(replace(token, inside=inside))
            position += 1
            continue
        base, primes = letters[one.text].rstrip("'"), letters[one.text].count("'")
        result += [replace(token, text=base), *[Token("PRIME", "'", tokens[one.end - 1].start)] * primes]
        position = one.end
    return result


def letters_in(tokens: Tokens) -> Iterator[Marked]:
    """The letters with subscripts, and the capitals, in a formula."""
    applied = {place for place, token in enumerate(tokens) if token.kind == "(" and is_applied(tokens, place)}
    brackets: list[bool] = []
    position, bound = 0, 0
    while position < len(tokens):
        token = tokens[position]
        if token.kind in ("(", "[", "{"):
            brackets.append(position in applied)
        elif token.kind in (")", "]", "}") and brackets:
            brackets.pop()
        if token.kind == "SUM" or token.text == SIGN:
            bound = after_scripts(tokens, position + 1)
        following = tokens[position + 1 : position + 2]
        end = after_letter(tokens, position)
        if end:
            text = "".join(one.text for one in tokens[position:end] if one.kind not in ("{", "}"))
            behind = tokens[end].kind if end < len(tokens) else ""
            argument = bool(brackets) and brackets[-1] and behind in PARTING
            differential = position > 0 and tokens[position - 1].text == "d"
            use = ARGUMENT if argument else BOUND if position < bound or differential else VALUE
            yield Marked(position, end, text, use)
            position = end
        elif following and following[0].kind == "SUB" and token.kind != "SUM" and token.text != SIGN:
            position = after_scripts(tokens, position + 1)
        else:
            position += 1


def is_applied(tokens: Tokens, place: int) -> bool:
    """Whether a round bracket stands behind a name, or its scripts."""
    for start in range(place - 1, -1, -1):
        if tokens[start].kind == "NAME" and (start == place - 1 or after_scripts(tokens, start + 1) == place):
            return True
        if tokens[start].kind in ("REL", "PLUS", "(", ")"):
            return False
    return False


def after_letter(tokens: Tokens, position: int) -> int:
    """Where a letter with a subscript, or a capital, ends that begins here; 0 if none does."""
    token = tokens[position]
    letter = (len(token.text) == 1 and token.text.isalpha()) or token.text in GREEK
    if token.kind != "NAME" or not letter or token.text in (*DENSITIES, SIGN):
        return 0
    end = after_scripts(tokens, position + 1)
    behind = tokens[position + 1 : position + 2]
    capital = token.text.isupper() and not any(one.kind in ("PRIME", "(") for one in behind)
    return end if end > position + 1 or capital else 0


def after_subscript(tokens: Tokens, position: int) -> int:
    """Where the subscript ends that stands alone behind a name; 0 if none does."""
    if [token.kind for token in tokens[position + 1 : position + 2]] != ["SUB"]:
        return 0
    group = tokens[position + 2 : position + 3]
    end = position + 3
    if group and group[0].kind == "{":
        end = next((n for n in range(position + 2, len(tokens)) if tokens[n].kind == "}"), 0) + 1
    behind = tokens[end : end + 1]
    return end if end <= len(tokens) and not any(one.kind in ("SUP", "SUB") for one in behind) else 0
