r"""Sums that are meant to reach further than they are written: ``-\sum_i y_i \log p_i + (1 - y_i) \log (1 - p_i)``.

Read by the letter, the last terms have an index that nothing binds. Such a reading saves what is true, and
defines what is defined so; it accuses nobody.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from indexcalc.language.latex.tree import Atom, Group, Node, Product, Scripted, Sum
from indexcalc.proof.document.written.outline import Statement
from indexcalc.proof.document.written.survey import Survey
from indexcalc.proof.document.written.trees import letters_in, name_nodes


def with_reach(statement: Statement, survey: Survey) -> Iterator[Statement]:
    """The statement with such sums over all terms that have their letter, in both ways that a minus can be meant."""
    for all_negative in (True, False):
        sides = [
            side
            if side.tree is None or not n
            else replace(side, tree=reaching(side.tree, survey, all_negative=all_negative))
            for n, side in enumerate(statement.sides)
        ]
        if any(new is not old for new, old in zip(sides, statement.sides, strict=True)):
            yield replace(statement, sides=sides)


def reaching(tree: Sum, survey: Survey, *, all_negative: bool = True) -> Sum:
    """The expression with every sum over its own term and those behind it that have its letter; itself, if none has.

    A minus before the sum is that of all these terms, or else they keep their signs.
    """
    terms = list(tree.terms)
    for place, (sign, term) in enumerate(terms):
        found = last_sum(term)
        if found is None:
            continue
        position, letters = found
        end = place + 1
        while end < len(terms) and has_letter(terms[end][1], letters, survey):
            end += 1
        if end == place + 1:
            continue
        keep = 1 if all_negative or sign > 0 else -1
        inner = Sum(((1, Product(term.items[position + 1 :])), *((keep * s, t) for s, t in terms[place + 1 : end])))
        whole = Product((*term.items[: position + 1], Group("(", (inner,), 0)))
        rest = Sum(tuple(terms[end:]))
        after = reaching(rest, survey, all_negative=all_negative).terms if terms[end:] else ()
        return Sum((*terms[:place], (sign, whole), *after))
    return tree


def last_sum(term: Product) -> tuple[int, frozenset[str]] | None:
    """The place of the last sum of a product that sums something, and the letters that it binds."""
    for position in range(len(term.items) - 2, -1, -1):
        item = term.items[position]
        if is_sum(item) and isinstance(item, Scripted) and item.below:
            return position, frozenset(letters_in(item))
    return None


def is_sum(item: Node) -> bool:
    """Whether a factor is the sign of a sum."""
    base = item.base if isinstance(item, Scripted) else item
    return isinstance(base, Atom) and base.kind == "SUM" and base.text == "sum"


def has_letter(term: Product, letters: frozenset[str], survey: Survey) -> bool:
    """Whether a term without sums has an index that is one of the letters."""
    if any(is_sum(item) for item in term.items):
        return False
    tree = Sum(((1, term),))
    named = (survey.name(node) for node in name_nodes(tree))
    return any(found is not None and letters & set(found.parts or ()) for found in named)
