"""Mistakes with indices and sums: swapped, renamed, captured, not summed, summed too often."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, pairwise

from indexcalc.document.repair.places import Place, Repair, places
from indexcalc.document.repair.vocabulary import (
    Letter,
    Vocabulary,
    bracket_letters,
    indexed,
    key_of,
    one,
    units_of,
)
from indexcalc.document.repair.wording import called
from indexcalc.document.statements.limits import is_sum
from indexcalc.document.statements.survey import Survey
from indexcalc.document.statements.trees import is_operator
from indexcalc.language.latex.tokens import Token
from indexcalc.language.latex.tree import Atom, Group, Node, Product, Scripted, Sum, nodes_of

Fill = Callable[[Letter], Node]
"""A node with another letter at one place of its index."""


def letter_places(node: Node, words: Vocabulary) -> list[tuple[Letter, Fill]]:
    """The index letters on a node, each with the node under another letter there."""
    if isinstance(node, Group):
        atoms = bracket_letters(node) if node.bracket == "[" else []
        return [((atom.token,), partial(with_member, node, n)) for n, atom in enumerate(atoms)]
    if not isinstance(node, Scripted) or not (indexed(node, words.survey) or is_sum(node)):
        return []
    return [
        (unit, partial(with_unit, node, n)) for n, (unit, is_letter) in enumerate(units_of(node.below)) if is_letter
    ]


def with_unit(node: Scripted, n: int, letter: Letter) -> Scripted:
    """``X_{ij}`` with another letter at one place."""
    units = [unit for unit, _ in units_of(node.below)]
    return replace(node, below=tuple(token for unit in (*units[:n], letter, *units[n + 1 :]) for token in unit))


def with_member(node: Group, n: int, letter: Letter) -> Group:
    """``[i, j]`` with another letter at one place."""
    return replace(node, members=(*node.members[:n], one(Atom(letter[0])), *node.members[n + 1 :]))


def relettered(tree: Sum, letters: Mapping[str, str], survey: Survey) -> Sum:
    """The formula with index letters replaced, all at once; those of sums stay."""
    if all(old == new for old, new in letters.items()):
        return tree
    result = tree
    for number, place in enumerate(places(tree)):
        if not isinstance(place.part, Scripted) or not indexed(place.part, survey):
            continue
        below = tuple(
            replace(token, text=letters.get(token.text, token.text)) if token.kind == "NAME" else token
            for token in place.part.below
        )
        result = list(places(result))[number].put(replace(place.part, below=below))
    return result


def swapped(place: Place, words: Vocabulary) -> Iterator[Repair]:
    """Two indices of one tensor exchanged."""
    if isinstance(place.part, Product | Sum) or is_sum(place.part):
        return
    found = letter_places(place.part, words)
    for (n, (a, _)), (m, (b, _)) in combinations(enumerate(found), 2):
        if key_of(a) != key_of(b):
            once = found[n][1](b)
            yield Repair(
                place.put(letter_places(once, words)[m][1](a)),
                f"the indices of {called(place.part, words)} are swapped",
            )


def reindexed(place: Place, words: Vocabulary) -> Iterator[Repair]:
    """One index under another letter: a wrong one, a free one, or a dummy that captured it."""
    if isinstance(place.part, Product | Sum):
        return
    for letter, put in letter_places(place.part, words):
        for other in sorted(words.letters, key=lambda other: key_of(other) not in words.dummies):
            if key_of(other) != key_of(letter):
                yield Repair(place.put(put(other)), misread(place, key_of(letter), key_of(other), words))


def misread(place: Place, letter: str, other: str, words: Vocabulary) -> str:
    """What it means that a node bears one letter instead of another."""
    node = place.part
    assert not isinstance(node, Product | Sum)
    if is_sum(node):
        return f"the sum runs over {letter} instead of {other}"
    bound = {key_of(unit) for sign in place.before if is_sum(sign) for unit, _ in letter_places(sign, words)}
    if letter in bound and other not in bound:
        return f"the sum over {letter} captures an index of {called(node, words)} that must be {other}"
    return f"{called(node, words)} has the index {letter} instead of {other}"


def summed(place: Place, words: Vocabulary) -> Iterator[Repair]:
    """A sum that is missing, in front of the first factor that has its index; it reaches to the end of the product."""
    if not isinstance(place.part, Product):
        return
    items = place.part.items
    for letters in (*((letter,) for letter in words.letters), *((words.loose,) if len(words.loose) > 1 else ())):
        names = [key_of(letter) for letter in letters]
        sign = Scripted(Atom(Token("SUM", "sum", 0)), joined(letters))
        first = next((n for n, item in enumerate(items) if mentions(item, names, words)), len(items))
        for n in dict.fromkeys((first, 0)):
            if n < len(items) and not is_operator(items[n]):
                tree = place.put(Product((*items[:n], sign, *items[n:])))
                yield Repair(tree, f"the sum over {', '.join(names)} is missing")


def joined(letters: Sequence[Letter]) -> tuple[Token, ...]:
    """Letters with commas between them."""
    comma = Token("COMMA", ",", 0)
    return tuple(token for n, letter in enumerate(letters) for token in ((comma, *letter) if n else letter))


def mentions(node: Node, names: Collection[str], words: Vocabulary) -> bool:
    """Whether one of some index letters occurs in a part of a formula."""
    inner = (letter for part in nodes_of(node) for letter, _ in letter_places(part, words))
    return any(key_of(letter) in names for letter in inner)


def crossed(place: Place, words: Vocabulary) -> Iterator[Repair]:
    """Two index letters that follow each other in the formula exchanged, on two tensors."""
    if not place.whole or not isinstance(place.part, Sum):
        return
    found = list(spots(place.part, words))
    for number, (one_spot, other_spot) in enumerate(pairwise(found)):
        a, b = one_spot.letter, other_spot.letter
        if one_spot.node is not other_spot.node and key_of(a) != key_of(b):
            once = list(spots(one_spot.put(b), words))
            names = f"{called(one_spot.node, words)} and {called(other_spot.node, words)}"
            yield Repair(once[number + 1].put(a), f"indices of {names} are exchanged")


@dataclass(frozen=True)
class Spot:
    """An index letter in a formula, the node that bears it, and the formula with another letter there."""

    node: Node
    letter: Letter
    put: Callable[[Letter], Sum]


def spots(tree: Sum, words: Vocabulary) -> Iterator[Spot]:
    """Every index letter of a formula in order, those of sums left out."""
    for place in places(tree):
        node = place.part
        if not isinstance(node, Product | Sum) and not is_sum(node):
            for letter, fill in letter_places(node, words):
                yield Spot(node, letter, partial(filled, place, fill))


def filled(place: Place, fill: Fill, letter: Letter) -> Sum:
    """The whole formula with another letter at one place."""
    return place.put(fill(letter))


def unsummed(place: Place, words: Vocabulary) -> Iterator[Repair]:
    """A sum that is too much."""
    if not isinstance(place.part, Product):
        return
    items = place.part.items
    for n, item in enumerate(items):
        if is_sum(item) and len(items) > 1 and isinstance(item, Scripted):
            letters = [key_of(unit) for unit, is_letter in units_of(item.below) if is_letter]
            yield Repair(
                place.put(Product((*items[:n], *items[n + 1 :]))), f"the sum over {' '.join(letters)} is too much"
            )


def relimited(place: Place, words: Vocabulary) -> Iterator[Repair]:
    """The upper limit of a sum replaced by another extent."""
    if not isinstance(place.part, Scripted) or not is_sum(place.part) or len(place.part.above) != 1:
        return
    (tokens,) = place.part.above
    for extent in words.extents:
        new = (extent.token,) if isinstance(extent, Atom) else ()
        if new and key_of(new) != key_of(tokens):
            tree = place.put(replace(place.part, above=(new,)))
            yield Repair(tree, f"the sum runs to {key_of(tokens)} instead of {key_of(new)}")
