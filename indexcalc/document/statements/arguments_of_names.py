r"""Names before round brackets with names in them: ``f(x)``, ``p(x_t|z)``, ``p(z = k)``; and what letters these are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from indexcalc.document.statements.brackets import DENSITIES, SPREADS
from indexcalc.document.statements.calls import SIGN, closing, spelt
from indexcalc.document.statements.index_expressions import GREEK
from indexcalc.document.statements.marked_letters import FEWEST
from indexcalc.document.statements.nesting import after_scripts
from indexcalc.language.latex.tokens import Token
from indexcalc.language.latex.vocabulary import FUNCTIONS, STRUCTURAL

NO_ARRAYS = frozenset({"KL", "d", "e", *SPREADS, *FUNCTIONS, *STRUCTURAL})
"""Names before a bracket that are no array's."""

NO_TABLES = NO_ARRAYS | {"D", "delta"}
"""And those that are seldom ones: of differentials and of deltas."""

PARTING = frozenset({"COMMA", "SEMICOLON", "BAR"})
"""What parts arguments."""

OF_NAMES = PARTING | {"NAME", "PRIME", "SUB", "SUP", "NUM", "}", "REL"}
"""The tokens of arguments that are names, or values of names."""

OF_SCRIPTS = OF_NAMES | {"{", "(", ")", "PLUS", "MINUS", "TIMES", "COLON", "TEXT"}
"""The tokens in scripts of these."""

Tokens = Sequence[Token]


@dataclass(frozen=True)
class Application:
    """A name before round brackets.

    Attributes:
        start, opens, end: where the name, the bracket and what follows stand.
        parts: the arguments, and what parts them.
    """

    start: int
    opens: int
    end: int
    parts: tuple[tuple[Token, ...], ...]


def applications(tokens: Tokens, others: frozenset[str] = NO_TABLES) -> Iterator[Application]:
    """The names before round brackets that hold names alone, but for some others."""
    for position in range(len(tokens)):
        found = application_at(tokens, position) if may_be_array(tokens, position, others) else None
        if found is not None:
            yield found


def may_be_array(tokens: Tokens, position: int, others: frozenset[str] = NO_TABLES) -> bool:
    """Whether a name may be that of an array: that of an expectation may be an energy, without a density below."""
    token, end = tokens[position], after_scripts(tokens, position + 1)
    if position > 0 and tokens[position - 1].kind in ("SUB", "SUP"):
        return False
    if token.text == "d" and end > position + 1:
        return True  # the distribution of states, and no differential
    scripts = spelt(tokens[position + 1 : end]) if token.text == SIGN else ()
    return token.kind == "NAME" and token.text not in others and DENSITIES.union("~", {"pi"}).isdisjoint(scripts)


def application_at(tokens: Tokens, position: int) -> Application | None:
    """The name that begins here before a round bracket; None if that holds more than names."""
    opens = after_scripts(tokens, position + 1)
    if opens >= len(tokens) or tokens[opens].kind != "(":
        return None
    end = closing(tokens, opens)
    parts: list[list[Token]] = [[]]
    depth = 0
    for token in tokens[opens + 1 : end - 1]:
        depth += (token.kind == "{") - (token.kind == "}")
        if token.kind not in (OF_NAMES if depth == 0 else OF_SCRIPTS) or (token.kind == "REL" and token.text != "="):
            return None
        if depth == 0 and token.kind in PARTING:
            parts += [[token], []]
        else:
            parts[-1].append(token)
    return Application(position, opens, end, tuple(map(tuple, parts))) if end and all(parts) else None


def letter_in(part: Tokens) -> Tokens:
    """The letter that an argument is, with its primes, or of which it is the value: ``z = k``, ``q_t = S_k``."""
    sign = next((n for n, one in enumerate(part) if one.kind == "REL"), -1)
    named = part[sign + 1 :]
    if sign >= 0 and len(named) > 1 and kinds(named[:2]) == ("NAME", "SUB"):
        named = [one for one in named[2:] if one.kind not in ("{", "}")]
    first, *rest = (*named, *part[:1])[: max(1, len(named))]
    small = first.kind == "NAME" and ((len(first.text) == 1 and first.text.islower()) or first.text in GREEK)
    return named if named and small and all(one.kind == "PRIME" for one in rest) else ()


def letter_of(part: Tokens) -> str:
    """The text of that letter; empty if there is none."""
    return "".join(one.text for one in letter_in(part))


def kind_of(part: Tokens) -> str:
    """What tells the values of an argument: its letter without primes, or what has the value; empty if it has none."""
    letter = letter_of(part)
    sign = next((n for n, one in enumerate(part) if one.kind == "REL"), -1)
    if letter and sign >= 0:
        return "".join(spelt(part[: sign + 1]))
    return letter if letter.count("'") >= FEWEST else letter.rstrip("'")


def told_kind(part: Tokens, *, alone: bool) -> str:
    """What tells a density by an argument: the next state may have another one than the state, if more is said."""
    kind, letter = kind_of(part), letter_of(part)
    return kind if alone or kind.endswith("=") else letter


def letters_of(found: Application) -> Iterator[str]:
    """The letters, without their primes, that are arguments."""
    return (kind for part in found.parts if (kind := kind_of(part)))


def argument_places(found: Application) -> Iterator[int]:
    """Where the arguments stand that are letters."""
    place = found.opens + 1
    for part in found.parts:
        if letter_of(part):
            yield from range(place, place + len(part))
        place += len(part)


def is_application(tokens: Tokens) -> bool:
    """Whether tokens are a name with its bracket, and no more."""
    found = application_at(tokens, 0) if tokens and tokens[0].kind == "NAME" else None
    return found is not None and found.end == len(tokens)


def kinds(tokens: Tokens) -> tuple[str, ...]:
    """The kinds of tokens."""
    return tuple(token.kind for token in tokens)
