"""The letters of statements: which index something, which are free, and which stand for one given entry."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence

from indexcalc.document.statements.field_signs import is_sign, is_squared
from indexcalc.document.statements.index_expressions import letters_among
from indexcalc.document.statements.limits import bound_in, is_sum
from indexcalc.document.statements.outline import EQUALITIES, Statement
from indexcalc.document.statements.scripts import COLON, Named, is_letter, subscript
from indexcalc.document.statements.survey import Survey, Usage
from indexcalc.document.statements.trees import sums_of, targets
from indexcalc.language.latex.tree import Atom, Node, Product, Scripted, nodes_of

CLASS_LETTERS = frozenset({"c", "t", "y"})
"""The letters that authors use for the right class."""


def index_letters(survey: Survey) -> frozenset[str]:
    """The letters that index something; those below ones alone, or an identity, are sizes."""
    return frozenset(
        part
        for name, usage in survey.usages.items()
        if name != "1"
        for parts in usage.letters
        if name != "I" or len(parts) > 1
        for part in letters_among(parts)
        if is_letter(part)
    )


def index_parts(survey: Survey, term: Product) -> Iterator[str]:
    """The letters that index something in a term, with repetition: names, and expressions in brackets."""
    for node in nodes_of(term):
        if not isinstance(node, Scripted):
            continue
        found = survey.name(node)
        if found is not None:
            yield from letters_among(found.parts or ())
        elif not is_sum(node):
            parts = subscript(node.below).parts
            yield from letters_among((*parts, *parts) if is_sign(node) and is_squared(node) else parts)


def free_letters(survey: Survey, statement: Statement) -> frozenset[str]:
    """The letters that are free in a statement: those of a first member of one factor, and those once in a term.

    Where a sum is written, a letter that stands in every term and is bound in none is free as well.
    """
    first = statement.sides[0].tree
    lone = first is not None and first.lone is not None
    found = {
        part
        for one in (survey.names(first) if first is not None and lone else ())
        for part in letters_among(one.parts or ())
    }
    terms = [
        (Counter(index_parts(survey, term)), frozenset(bound_in(term)))
        for tree in statement.trees
        for _, term in tree.terms
    ]
    for counts, bound in terms:
        found.update(part for part, count in counts.items() if count == 1 and part not in bound)
    if any(bound for _, bound in terms):
        found.update(frozenset.intersection(*(frozenset(counts) - bound for counts, bound in terms)))
    return frozenset(found)


CLASS = r"(?:correct|true|right|target|ground[- ]truth|gold)\s(?:class|label|word|token)\b"

RIGHT_CLASS = re.compile(
    rf"\$(?P<before>[a-z])\$\s(?:is|be|as|for|denotes|being)\b(?:\s\w+){{0,5}}?\s{CLASS}"
    rf"|\b{CLASS}(?:\s(?:is|be|index))?\s\$(?P<behind>[a-z])\$",
    re.IGNORECASE,
)
"""Words that say which letter is the number of the right class."""


def letters_said(source: str) -> frozenset[str]:
    """The letters that words say to be the number of the right class."""
    return frozenset(one["before"] or one["behind"] for one in RIGHT_CLASS.finditer(source))


def given_letters(
    survey: Survey, statements: Sequence[Statement], said: Collection[str], *, one_hot: bool
) -> frozenset[str]:
    r"""The letters of a class, ``L = -\log p_y``: they stand for one given entry.

    Such a letter stands behind a name that does not have it without being bound there, or on a page that speaks of
    `one_hot` vectors is that of an entry that is one, ``y_t = 1``; and no sum of the document binds it. Its letter is
    usual for a class, or `said` to number one.
    """
    letters = CLASS_LETTERS.union(said)
    bound = {name for statement in statements for tree in statement.trees for name in bound_in(tree)}
    found: set[str] = set()
    for statement in statements:
        trees = [side.tree for side in statement.sides[:2]]
        head = survey.lone(trees[0]) if len(trees) == 2 and trees[0] is not None else None
        if head is None or trees[1] is None or statement.sides[1].relation not in EQUALITIES:
            continue
        left, right = ({part for name in survey.names(tree) for part in name.parts or ()} for tree in trees if tree)
        is_one = one_hot and isinstance(trees[1].lone, Atom) and trees[1].lone.text == "1"
        found |= (left if is_one else right - left) & letters - bound
    return frozenset(found)


def loose_letters(survey: Survey, definitions: Iterable[Statement]) -> frozenset[str]:
    """The letters that are free on the right of a definition of a bare name.

    What is defined so is that of one sample, whose number is not said: ``L = max(0, -y_i (w . x_i + b))``. In what
    bears indices itself, a letter that it does not bear is summed over, whether that is written or not. So is one that
    only stands twice in factors side by side, ``v = v_j e_j``.
    """
    found: set[str] = set()
    for statement in definitions:
        left, right, *_ = statement.trees
        if any(name.parts for name in survey.names(left)):
            continue
        bound = set(bound_in(right))
        found |= {
            part
            for tree in sums_of(right)
            for _, term in tree.terms
            for part, count in Counter(part for item in term.items for part in own_parts(survey, item)).items()
            if count == 1 and part not in bound
        }
    return frozenset(part for part in found if is_letter(part))


def own_parts(survey: Survey, node: Node) -> tuple[str, ...]:
    """The letters that a factor bears itself, not what stands inside it."""
    name = survey.name(node)
    return tuple(letters_among(name.parts or ())) if name is not None else ()


def order_of_entry(survey: Survey, statement: Statement) -> tuple[str, ...]:
    """The letters of the entry of an array that a statement speaks of, in the order of the array's axes."""
    for tree in statement.trees:
        for node in targets(tree):
            found = survey.name(node)
            if found is not None and found.parts:
                return found.parts
    for tree in statement.trees:
        found = survey.lone(tree)
        if found is not None and found.parts and not found.transposed:
            return found.parts
    return ()


def slice_parts(found: Named, rank: int, usage: Usage | None) -> tuple[str, ...]:
    """The indices of a name that bears fewer than it has slots: each letter where it stands elsewhere."""
    parts = found.parts or ()
    if COLON not in parts and 0 < len(parts) < rank and usage is not None:
        whole = [full for full in usage.letters if len(full) == rank and set(parts) <= set(full)]
        places = {tuple(full.index(part) for part in parts) for full in whole}
        if len(places) == 1:
            letters = dict(zip(places.pop(), parts, strict=True))
            return tuple(letters.get(slot, COLON) for slot in range(rank))
    return (*parts, *(COLON,) * (rank - len(parts)))
