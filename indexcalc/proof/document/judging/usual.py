"""What a wrong claim says of functions that the document never defines: is it true of one of the usual ones?

``g'(z) = 1 - g(z)^2`` is false of most functions, but it accuses nobody: it tells that g is tanh.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import product

from indexcalc.language.latex.tokens import Token
from indexcalc.language.latex.tree import Atom, Group, Product, Sum
from indexcalc.proof.document.judging.findings import Finding
from indexcalc.proof.document.judging.members import Members
from indexcalc.proof.document.judging.origins import all_names
from indexcalc.proof.document.judging.verdicts import TRUE, Verdict
from indexcalc.proof.document.meaning.nodes import Applied, Entry, Meaning, put_in, rebuilt, walk
from indexcalc.proof.document.meaning.sizes import Sizes
from indexcalc.proof.document.meaning.slopes import slope
from indexcalc.proof.document.meaning.symbols import Function, Symbols
from indexcalc.proof.document.meaning.unknown import PREFIX, functions_in, is_unknown
from indexcalc.proof.document.names.functions import LOGISTIC
from indexcalc.proof.document.written.roles import Roles

USUAL = ("tanh", "sigmoid")
"""The functions that authors have in mind where they write a letter."""

IDENTITY = "the identity"

SPOKEN = {
    "tanh": re.compile(r"tanh|hyperbolic tangent", re.IGNORECASE),
    "sigmoid": LOGISTIC,
    "relu": re.compile(r"relu|rectif", re.IGNORECASE),
    "softplus": re.compile(r"softplus", re.IGNORECASE),
    "exp": re.compile(r"\bexp\b|exponential", re.IGNORECASE),
    "sin": re.compile(r"\bsin\b|\bsine", re.IGNORECASE),
    IDENTITY: re.compile(
        r"\b(?:linear|identity)\s+(?:activation|output|unit|neuron|function|layer|case)|\bis (?:the identity|linear)\b",
        re.IGNORECASE,
    ),
}
"""Words that speak of a function; those that are not usual are tried only where such words stand somewhere."""

SIGMA = "sigma is read as the logistic function"

MOST = 2
"""The most functions of one claim for which others are tried."""

ARGUMENT = "the argument"


def replacements(symbols: Symbols, names: Iterable[str], source: str) -> Iterator[tuple[dict[str, str], Symbols]]:
    """The document's symbols with usual functions in the place of unknown ones, and what was put in."""
    names = tuple(names)
    usual = [word for word, words in SPOKEN.items() if word in USUAL or words.search(source)]
    for chosen in product(usual, repeat=len(names)) if 0 < len(names) <= MOST else ():
        meant = dict(zip(names, chosen, strict=True))
        definitions = {
            name: replace(definition, body=known_as(definition.body, meant, symbols.sizes))
            for name, definition in symbols.definitions.items()
        }
        functions = {**symbols.functions, **{name: function_of(word) for name, word in meant.items()}}
        yield meant, replace(symbols, definitions=definitions, functions=functions)


def judged(old: Finding, new: Finding, meant: Mapping[str, str], words: str) -> Finding:
    """A finding where functions are undefined, and what it is if they are usual ones.

    It holds if the words before it say so; and sigma, of which nothing is said, is the logistic function.
    """
    if old.verdict not in (Verdict.REFUTED, Verdict.FOLLOWS) or new.verdict not in TRUE:
        return old
    text = " and ".join(f"{name} is {word}" for name, word in meant.items())
    if all(SPOKEN[word].search(words) for word in meant.values()):
        return replace(new, verdict=Verdict.CONFIRMED, assumptions=(*new.assumptions, text))
    if meant == {"sigma": "sigmoid"}:
        return replace(new, verdict=Verdict.CONFIRMED, assumptions=(*new.assumptions, SIGMA))
    return Finding(Verdict.UNCLEAR, f"true only if {text}")


def undefined_functions(roles: Roles, members: Members) -> tuple[str, ...]:
    """The functions in a statement, and in what its names are made of, that the document does not define."""
    symbols = roles.symbols
    nodes = [value.node for value in members.values if value is not None]
    names = {name for node in nodes for name in all_names(symbols, node)}
    bodies = [*nodes, *(symbols.definitions[name].body for name in sorted(names) if name in symbols.definitions)]
    logistic = any(isinstance(node, Applied) and node.name == "sigmoid" for body in bodies for node in walk(body))
    guessed = logistic and not ("sigma" in symbols.functions or LOGISTIC.search(roles.document.source))
    return (*functions_in(bodies), *(("sigma",) if guessed else ()))


def known_as(node: Meaning, meant: Mapping[str, str], sizes: Sizes) -> Meaning:
    """The expression with known functions in the place of unknown ones."""
    inner = rebuilt(node, lambda child: known_as(child, meant, sizes))
    if not isinstance(inner, Applied):
        return inner
    base = inner.name.rstrip("'")
    name = base.removeprefix(PREFIX) if is_unknown(base) else "sigma" if base == "sigmoid" else ""
    if name not in meant:
        return inner
    variable = Entry(ARGUMENT)
    value: Meaning = variable if meant[name] == IDENTITY else Applied(meant[name], variable)
    for _ in range(len(inner.name) - len(base)):
        value = slope(value, variable, sizes, lambda entry: None)
    return put_in(value, variable, inner.argument)


def function_of(word: str) -> Function:
    """A known function as one that the document defines."""
    argument = plain(Token("NAME", ARGUMENT, 0))
    if word == IDENTITY:
        return Function(ARGUMENT, argument)
    return Function(ARGUMENT, Sum(((1, Product((Atom(Token("NAME", word, 0)), Group("(", (argument,), 0)))),)))


def plain(token: Token) -> Sum:
    """One token as an expression."""
    return Sum(((1, Product((Atom(token),))),))
