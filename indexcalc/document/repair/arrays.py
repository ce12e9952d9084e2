"""Mistakes with whole arrays: transposes and the order of products."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from indexcalc.document.repair.places import Place, Repair
from indexcalc.document.repair.vocabulary import (
    Vocabulary,
    with_script,
    without_script,
)
from indexcalc.document.repair.wording import called, is_array
from indexcalc.document.statements.scripts import is_transpose
from indexcalc.document.statements.trees import is_operator
from indexcalc.language.latex.tree import Node, Product, Scripted, Sum


def transposed(place: Place, words: Vocabulary) -> Iterator[Repair]:
    """A transpose put on a whole array, or taken off."""
    part = place.part
    if isinstance(part, Product | Sum) or not is_array(part, words):
        return
    tops = [n for n, tokens in enumerate(part.above) if is_transpose(tokens)] if isinstance(part, Scripted) else []
    if tops and isinstance(part, Scripted):
        yield Repair(place.put(without_script(part, tops[0])), f"the transpose of {called(part, words)} is too much")
    else:
        yield Repair(place.put(with_script(part, (words.top,))), f"the transpose of {called(part, words)} is missing")


def reordered(place: Place, words: Vocabulary) -> Iterator[Repair]:
    """Two neighbouring arrays in the other order."""
    for n, m in neighbours(place.part, words):
        yield Repair(place.put(exchanged(place.part, n, m)), "two factors are in the wrong order")


def turned(place: Place, words: Vocabulary) -> Iterator[Repair]:
    """Two neighbouring arrays, in this order or the other, with transposes put on or taken off."""
    for n, m in neighbours(place.part, words):
        for changed in (exchanged(place.part, n, m), place.part):
            assert isinstance(changed, Product)
            for first in (False, True):
                for second in (False, True):
                    items = list(changed.items)
                    for at, turn in ((n, first), (m, second)):
                        if turn:
                            items[at] = toggled(items[at], words)
                    if first or second:
                        order = changed is not place.part
                        what = "order and transposes of two factors are wrong" if order else "two transposes are wrong"
                        yield Repair(place.put(Product(tuple(items))), what)


def toggled(node: Node, words: Vocabulary) -> Node:
    """An array with its transpose taken off, or put on."""
    tops = [n for n, tokens in enumerate(node.above) if is_transpose(tokens)] if isinstance(node, Scripted) else []
    if tops and isinstance(node, Scripted):
        return without_script(node, tops[0])
    return with_script(node, (words.top,))


def neighbours(part: object, words: Vocabulary) -> Iterator[tuple[int, int]]:
    """The places of arrays that follow each other in a product."""
    if isinstance(part, Product):
        arrays = [n for n, item in enumerate(part.items) if is_array(item, words)]
        for n, m in pairwise(arrays):
            if all(is_operator(item) for item in part.items[n + 1 : m]):
                yield n, m


def exchanged(part: object, n: int, m: int) -> Product:
    """The product with two items exchanged."""
    assert isinstance(part, Product)
    items = list(part.items)
    items[n], items[m] = items[m], items[n]
    return Product(tuple(items))
