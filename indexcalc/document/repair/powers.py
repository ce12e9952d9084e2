"""Mistakes of sign, exponent, root and function."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction as Ratio

from indexcalc.document.repair.places import Place, Repair
from indexcalc.document.repair.vocabulary import (
    Vocabulary,
    number,
    one,
    with_script,
    without_script,
)
from indexcalc.document.repair.wording import called
from indexcalc.document.statements.limits import is_sum
from indexcalc.document.statements.scripts import is_transpose
from indexcalc.document.statements.trees import is_operator
from indexcalc.language.latex.tokens import Token
from indexcalc.language.latex.tree import Atom, Fraction, Group, Node, Product, Root, Scripted, Sum
from indexcalc.language.latex.vocabulary import FUNCTIONS


def signed(place: Place, words: Vocabulary) -> Iterator[Repair]:
    """The other sign of a term."""
    del words
    if isinstance(place.part, Sum):
        terms = place.part.terms
        for n, (sign, term) in enumerate(terms):
            stripped = unbracketed(term) if len(terms) == 1 and sign < 0 else None
            yield Repair(
                place.put(Sum((*terms[:n], (-sign, term), *terms[n + 1 :]))),
                "the sign is wrong" if len(terms) == 1 else "the sign of a term is wrong",
            )
            if stripped is not None:
                yield Repair(place.put(stripped), "the sign is wrong")


def unbracketed(term: Product) -> Sum | None:
    """What stands in brackets, if the brackets are the whole product."""
    if len(term.items) == 1 and isinstance(term.items[0], Group) and len(term.items[0].members) == 1:
        return term.items[0].members[0]
    return None


def repowered(place: Place, words: Vocabulary) -> Iterator[Repair]:
    """An exponent one or a half higher or lower, or of the other sign; a root put on or taken off."""
    part = place.part
    if isinstance(part, Product | Sum):
        return
    if isinstance(part, Root):
        inner = Group("(", (part.body,), 0) if len(part.body.terms) > 1 else Group("{", (part.body,), 0)
        yield Repair(place.put(lone(inner)), "a root is too much")
    base = part.base if isinstance(part, Scripted) else part
    if is_operator(part) or is_sum(part) or (isinstance(base, Atom) and base.kind != "NAME"):
        return
    name = called(part, words)
    known = words.survey.name(part)
    if known is not None and known.name in FUNCTIONS:
        return
    powers = [(n, value) for n, tokens in powers_of(part) if (value := exponent_of(tokens)) is not None]
    for n, value in powers:
        assert isinstance(part, Scripted)
        for new in (value - 1, value + 1, -value, value - Ratio(1, 2), value + Ratio(1, 2)):
            if new != 0:
                node = without_script(part, n)
                node = node if new == 1 else with_script(node, exponent_tokens(new))
                yield Repair(place.put(node), f"the power of {name} is {value} instead of {new}")
    if not powers and not (isinstance(part, Scripted) and part.above):
        yield Repair(place.put(with_script(part, (Token("NUM", "2", 0),))), f"the power of {name} is 1 instead of 2")
        if not isinstance(part, Fraction):
            yield Repair(place.put(Root(unbraced(part), 0)), "a root is missing")


def lone(node: Group) -> Node:
    """What stands in braces, if it is a single node."""
    only = node.members[0].only if node.bracket == "{" else None
    return only.items[0] if only is not None and len(only.items) == 1 else Group("(", node.members, 0)


def unbraced(node: Node) -> Sum:
    """A node as a formula; what stands in braces without them."""
    return node.members[0] if isinstance(node, Group) and node.bracket == "{" and node.members else one(node)


def powers_of(node: Node) -> Iterator[tuple[int, tuple[Token, ...]]]:
    """The superscripts that are no transposes, with their places."""
    if isinstance(node, Scripted):
        yield from ((n, tokens) for n, tokens in enumerate(node.above) if not is_transpose(tokens))


def exponent_of(tokens: tuple[Token, ...]) -> Ratio | None:
    """The number that an exponent is; None if it is none."""
    texts = [token.text for token in tokens]
    sign = -1 if texts[:1] == ["-"] else 1
    rest = tokens[1:] if sign < 0 else tokens
    kinds = [token.kind for token in rest]
    if kinds == ["NUM"] and rest[0].text.isdigit():
        return sign * Ratio(int(rest[0].text))
    if kinds == ["NUM", "SLASH", "NUM"] and rest[0].text.isdigit() and rest[2].text.isdigit() and rest[2].text != "0":
        return sign * Ratio(int(rest[0].text), int(rest[2].text))
    return None


def exponent_tokens(value: Ratio) -> tuple[Token, ...]:
    """A number as the tokens of an exponent."""
    sign = (Token("MINUS", "-", 0),) if value < 0 else ()
    below = (Token("SLASH", "/", 0), Token("NUM", str(value.denominator), 0)) if value.denominator != 1 else ()
    return (*sign, Token("NUM", str(abs(value.numerator)), 0), *below)


def renumbered(place: Place, words: Vocabulary) -> Iterator[Repair]:
    """Another number; 1 or 0 in place of an extent that stands alone."""
    part = place.part
    if isinstance(part, Atom) and part.kind == "NUM" and part.text.isdigit():
        value = int(part.text)
        for new in dict.fromkeys((1, value + 1, value - 1, 2, 0)):
            if new not in (value, -1):
                yield Repair(place.put(number(str(new))), f"{value} instead of {new}")
    if isinstance(part, Product) and len(part.items) == 1 and words.survey.name(part.items[0]) is not None:
        for text in ("1", "0"):
            yield Repair(place.put(Product((number(text),))), f"{called(part.items[0], words)} instead of {text}")


def refunctioned(place: Place, words: Vocabulary) -> Iterator[Repair]:
    """Another entrywise function of the same argument."""
    if not isinstance(place.part, Atom) or FUNCTIONS.get(place.part.text) is None or place.part.kind != "NAME":
        return
    for token in words.functions:
        if FUNCTIONS[token.text] != FUNCTIONS[place.part.text]:
            yield Repair(place.put(Atom(token)), f"{place.part.text} instead of {token.text}")
