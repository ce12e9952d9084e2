r"""Sums and products over steps, ``\sum_{i=1}^{r} k^i w^{i\top}``, written out term by term for a few steps.

The tensors of each step have names of their own. So what runs over steps is read at a number of them: where ``r``
is said nowhere, a relation is read for three steps, and what holds for these is tried for two.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from indexcalc.document.choices import Kind, Option, choice
from indexcalc.document.meaning.symbols import CountError, NotUnderstoodError
from indexcalc.document.page import Page
from indexcalc.document.statements.labels import Layer
from indexcalc.document.statements.limits import bound_in
from indexcalc.document.statements.running import DESCENDING
from indexcalc.document.statements.steps import moved_tree, numbers_step
from indexcalc.language.latex.tokens import Token
from indexcalc.language.latex.tree import Atom, Group, Node, Product, Scripted, Sum

STEPS = 3
"""For how many steps a relation is read; where a capital counts them, for `MORE`, so that others end before it."""

MORE = 5

MOST_TERMS = 12
"""The most terms of a sum that are written out."""

ORDER = choice(
    Kind.WORD,
    "products over steps",
    Option("ascending", 0.0, "the factors of a product over steps stand from the first to the last"),
    Option("descending", 0.1, "the factors of a product over steps stand from the last to the first", free=True),
)
"""In which order the factors of a product stand that do not commute."""


def count_of(letter: str) -> int:
    """At how many steps a letter is read that ends a sum."""
    return MORE if letter.isupper() else STEPS


def counted(letters: Mapping[str, int], error: CountError) -> dict[str, int]:
    """Numbers for letters that count steps, with one for another letter.

    Raises:
        CountError: if the letter has one.
    """
    if error.letter in letters:
        raise error
    return {**letters, error.letter: count_of(error.letter)}


def is_over_steps(page: Page, item: Node, behind: Sequence[Node]) -> bool:
    """Whether the sign of a sum or a product binds a letter that numbers steps behind it."""
    letter = bound_letter(item)
    return letter in page.steps.letters and any(numbers_step(name, letter) for name in names_in(page, behind))


def bound_letter(item: Node) -> str:
    """The letter below the sign of a sum or a product; empty if another thing stands there."""
    if not isinstance(item, Scripted) or not isinstance(item.base, Atom) or item.base.kind != "SUM":
        return ""
    below = [token for token in item.below if token.kind not in ("{", "}")]
    return below[0].text if below and below[0].kind == "NAME" else ""


def names_in(page: Page, items: Sequence[Node]) -> Iterator[str]:
    """The names that stand in factors."""
    return (found.name for found in page.survey.names(Product(tuple(items))))


def written_out(page: Page, item: Node, behind: Sequence[Node]) -> list[tuple[Node, ...]]:
    """What stands behind the sign of a sum or a product over steps, at each of its steps.

    Raises:
        CountError: if a letter ends it that has no number yet.
        NotUnderstoodError: for other limits, and for what cannot be moved to another step.
    """
    assert isinstance(item, Scripted)
    below = [token for token in item.below if token.kind not in ("{", "}")]
    if [token.text for token in below[1:2]] != ["="] or len(item.above) != 1:
        raise NotUnderstoodError(f"a sum over steps without limits: {below[0].text}")
    first, last = number(below[2:]), number(item.above[0])
    if last - first >= MOST_TERMS:
        raise NotUnderstoodError(f"a sum over more than {MOST_TERMS} steps")
    return [at_step(page, item, behind, below[0].text, step) for step in range(first, last + 1)]


def at_step(page: Page, item: Node, behind: Sequence[Node], letter: str, step: int) -> tuple[Node, ...]:
    """What stands behind a sign, at one step."""
    key = id(item), step
    if key not in page.steps.written_out:
        moved = moved_tree(tuple(behind), letter, Layer(str(step))) if step >= 0 else None
        page.steps.written_out[key] = item, moved
    moved = page.steps.written_out[key][1]
    if moved is None:
        raise NotUnderstoodError(f"what stands behind a sum over {letter}, at another step")
    return moved


def number(tokens: Sequence[Token]) -> int:
    """The number that a limit is: whole numbers added and subtracted.

    Raises:
        CountError: if a letter stands in it.
        NotUnderstoodError: for anything else.
    """
    total, sign = 0, 1
    for token in tokens:
        if token.kind in ("{", "}"):
            continue
        if token.kind == "NAME" and len(token.text) == 1:
            raise CountError(token.text)
        if token.kind == "NUM" and token.text.isdigit():
            total, sign = total + sign * int(token.text), 1
        elif token.kind in ("PLUS", "MINUS"):
            sign = 1 if token.kind == "PLUS" else -1
        else:
            raise NotUnderstoodError("the limits of a sum over steps")
    return total


def is_descending(item: Node) -> bool:
    """Whether a product is written from its last factor to its first."""
    return isinstance(item, Scripted) and isinstance(item.base, Atom) and item.base.text == DESCENDING


def reaching(page: Page, tree: Sum, known: Callable[[str], bool]) -> Sum:
    r"""A sum, with the terms behind a sign that bear its letter in its reach.

    ``\prod_i I - k^i k^{i\top}`` is a product of differences, and ``-\sum_i a_i + b_i`` minus a sum of both: outside of
    it the letter would mean nothing. A letter that is `known` there has a meaning.
    """
    if len(tree.terms) < 2:
        return tree
    letters = {letter for _, term in tree.terms for node in term.items if (letter := bound_letter(node))}
    open_ones = frozenset(letter for letter in letters if letter in page.steps.letters or not known(letter))
    if not open_ones:
        return tree
    key = id(tree), open_ones
    if key not in page.steps.reaching:
        page.steps.reaching[key] = tree, with_reach(page, tree, open_ones)
    return page.steps.reaching[key][1]


def is_reached(page: Page, term: Product, letter: str) -> bool:
    """Whether a term bears the letter of a sign before it, which its own do not bind; none reaches over another sum."""
    named = page.survey.names(term)
    begins = bound_letter(term.items[0]) if term.items else ""
    return (
        not begins
        and letter not in bound_in(term)
        and any(letter in (one.parts or ()) or numbers_step(one.name, letter) for one in named)
    )


def with_reach(page: Page, tree: Sum, letters: Collection[str]) -> Sum:
    """A sum with the terms in the reach of a sign over one of some letters in brackets behind it."""
    terms: list[tuple[int, Product]] = []
    rest = list(tree.terms)
    while rest:
        sign, term = rest.pop(0)
        place = next((n for n, one in enumerate(term.items) if bound_letter(one) in letters), None)
        reach = 0
        if place is not None and term.items[place + 1 :]:
            letter = bound_letter(term.items[place])
            while reach < len(rest) and is_reached(page, rest[reach][1], letter):
                reach += 1
        if place is not None and reach:
            inner = Sum(((1, Product(term.items[place + 1 :])), *rest[:reach]))
            term = Product((*term.items[: place + 1], Group("(", (inner,), 0)))
            rest = rest[reach:]
        terms.append((sign, term))
    return Sum(tuple(terms))
