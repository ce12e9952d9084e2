"""Mistakes with operands: a wrong, a missing or a superfluous tensor, factor or term."""

from __future__ import annotations

from collections.abc import Iterator

from indexcalc.document.repair.places import Place, Repair
from indexcalc.document.repair.powers import unbracketed
from indexcalc.document.repair.vocabulary import (
    Vocabulary,
    number,
    one,
    renamed_to,
)
from indexcalc.document.repair.wording import called, called_factor, denominator_of
from indexcalc.document.statements.limits import is_sum
from indexcalc.document.statements.trees import is_differential, is_operator
from indexcalc.language.latex.tree import Fraction, Group, Node, Product, Root, Scripted, Sum


def replaced(place: Place, words: Vocabulary) -> Iterator[Repair]:
    """Another tensor, or another extent, with the same index."""
    part = place.part
    if isinstance(part, Product | Sum) or (found := words.survey.name(part)) is None:
        return
    if found.name in words.names:
        rank = words.names[found.name][1]
        others = [(name, node) for name, (node, own) in words.names.items() if own == rank and name != found.name]
    else:
        others = [(called(node, words), node) for node in words.extents]
        if found.name not in [name for name, _ in others]:
            return
    for name, node in others:
        new = renamed_to(part, node, words.survey)
        if new is not None and name != found.name:
            yield Repair(place.put(new), f"{found.name} instead of {name}")


def unfactored(place: Place, words: Vocabulary) -> Iterator[Repair]:
    """A factor that is too much, above or below a fraction bar; a number in its place where nothing is left."""
    part = place.part
    if isinstance(part, Fraction) and denominator_of(part) is None:
        yield Repair(place.put(Group("{", (part.numerator,), 0)), "the denominator is too much")
    if not isinstance(part, Product):
        return
    for n, item in enumerate(part.items):
        if is_operator(item) or is_sum(item) or is_differential(item):
            continue
        before = n - 1 if n and is_operator(part.items[n - 1]) else n
        after = n + 2 if before == n and n + 1 < len(part.items) and is_operator(part.items[n + 1]) else n + 1
        rest = (*part.items[:before], *part.items[after:])
        if any(is_differential(other) for other in rest):
            continue
        if rest and not is_sum(rest[-1]):
            tree = unbracketed(Product(rest))
            whole = tree is not None and len(tree.terms) > 1
            yield Repair(
                place.put(Product(rest)), f"the factor {called_factor(item, words)} is too much", of_factor=True
            )
            if whole and tree is not None:
                yield Repair(
                    place.put(Product((Group("{", (tree,), 0),))),
                    f"the factor {called_factor(item, words)} is too much",
                    of_factor=True,
                )


def unadded(place: Place, words: Vocabulary) -> Iterator[Repair]:
    """A term that is too much."""
    del words
    if isinstance(place.part, Sum) and len(place.part.terms) > 1:
        for n in range(len(place.part.terms)):
            yield Repair(place.put(Sum((*place.part.terms[:n], *place.part.terms[n + 1 :]))), "a term is too much")


def scaled(place: Place, words: Vocabulary) -> Iterator[Repair]:
    """One term of several, or the whole, times a constant that the note uses."""
    if isinstance(place.part, Sum):
        for constant, name in constants(words):
            for n, (sign, term) in enumerate(place.part.terms):
                new = Product((constant, *term.items))
                terms = (*place.part.terms[:n], (sign, new), *place.part.terms[n + 1 :])
                yield Repair(place.put(Sum(terms)), f"the factor {name} is missing", of_factor=True)


def constants(words: Vocabulary) -> Iterator[tuple[Node, str]]:
    """Numbers and powers of extents that are often forgotten."""
    scalars = [node for node, rank in words.names.values() if rank == 0]
    for extent in (*words.extents, *scalars):
        name = called(extent, words)
        yield Fraction(one(number("1")), one(Root(one(extent), 0)), 0), f"1/√{name}"
        yield Fraction(one(number("1")), one(extent), 0), f"1/{name}"
        yield Root(one(extent), 0), f"√{name}"
        yield extent, name
    for text in ("2", "3", "4"):
        yield Fraction(one(number("1")), one(number(text)), 0), f"1/{text}"
        yield number(text), text


def entries_of(words: Vocabulary) -> Iterator[tuple[Node, str]]:
    """Tensors of the note at letters of the statement, and whole where the statement has no letters."""
    for name, (node, rank) in words.names.items():
        if rank == 0 or not words.letters:
            yield node, name
        elif rank <= 2 and not (isinstance(node, Scripted) and node.below):
            labels = node.above if isinstance(node, Scripted) else ()
            base = node.base if isinstance(node, Scripted) else node
            for first in words.letters:
                for second in words.letters if rank == 2 else ((),):
                    if rank == 1 or first != second:
                        yield Scripted(base, (*first, *second), labels), name


def added(place: Place, words: Vocabulary) -> Iterator[Repair]:
    """A term that is missing: one, or an entry of a tensor."""
    if isinstance(place.part, Sum):
        for sign in (-1, 1):
            yield Repair(
                place.put(Sum(((1, Product((number("1"),))), *negative(place.part, sign)))), "the term 1 is missing"
            )
            yield Repair(place.put(Sum((*place.part.terms, (sign, Product((number("1"),)))))), "the term 1 is missing")
        terms = place.part.terms
        for node, name in entries_of(words):
            for sign in (-1, 1):
                term = (sign, Product((node,)))
                front = sign > 0 > terms[0][0]
                yield Repair(place.put(Sum((term, *terms) if front else (*terms, term))), f"the term {name} is missing")


def negative(tree: Sum, sign: int) -> tuple[tuple[int, Product], ...]:
    """The terms times a sign."""
    return tuple((sign * own, term) for own, term in tree.terms)


def bracketed(place: Place, words: Vocabulary) -> Iterator[Repair]:
    """A factor that stands for a difference, of which one part is missing."""
    part = place.part
    if isinstance(part, Product | Sum | Group) or is_operator(part) or is_sum(part):
        return
    if words.survey.name(part) is None:
        return
    unit = (1, Product((number("1"),)))
    yield Repair(place.put(Group("(", (Sum((unit, (-1, Product((part,))))),), 0)), "the term 1 is missing")
    for node, name in entries_of(words):
        if node != part:
            tree = Sum(((1, Product((part,))), (-1, Product((node,)))))
            yield Repair(place.put(Group("(", (tree,), 0)), f"the term {name} is missing")


def multiplied(place: Place, words: Vocabulary) -> Iterator[Repair]:
    """A factor that is missing."""
    if isinstance(place.part, Product) and not any(is_differential(item) for item in place.part.items):
        for node, name in entries_of(words):
            yield Repair(place.put(Product((*place.part.items, node))), f"the factor {name} is missing", of_factor=True)
