"""What words in a sentence say of the names that stand in it."""

from __future__ import annotations

import re

from indexcalc.proof.document.written.outline import Statement
from indexcalc.proof.document.written.roles import CONDITION, EQUATION, Roles, head_of, names_of_tree

ONE_HOT = re.compile(r"\bone[- ]hot\b", re.IGNORECASE)
"""Words that say that one entry is one and the others are zero."""

SUMMED = re.compile(
    r"\bone[- ]hot\b|\b(?:sums?|adds?|summing|adding)(?:\s+up)?\s+to\s+(?:one|unity|\$?1\b)|\bprobabilit|\bdistribution"
    r"|\bsimplex\b|\bstochastic\s+(?:vector|matrix)",
    re.IGNORECASE,
)
"""Words that say that entries sum to one."""

SENTENCE = re.compile(r"(?<=[.;:!?])\s|\n\s*\n")
"""Where a sentence ends."""

ONE_OF_MANY = re.compile(
    r"\b(?:correct|true|right|target|gold|actual|observed)\b[^.$]{0,20}\b(?:class|label|index|word|category|token)\b",
    re.IGNORECASE,
)
"""Words that say that a letter stands for one entry that is given."""


def names_beside(roles: Roles, words: re.Pattern[str]) -> dict[str, None]:
    """The names that stand alone, or before a set, in a sentence with certain words."""
    source = roles.document.source
    ends = [0, *(match.end() for match in SENTENCE.finditer(source)), len(source)]
    reach = [
        (max(end for end in ends if end <= match.start()), min(end for end in ends if end >= match.end()))
        for match in words.finditer(source)
    ]
    found: dict[str, None] = {}
    for statement in roles.statements if reach else ():
        tree, place = statement.sides[0].tree, statement.span.start
        if tree is None or tree.only is None or len(tree.only.items) != 1:
            continue
        if all(side.relation == "in" for side in statement.sides[1:]) and any(a <= place < b for a, b in reach):
            found.update((roles.symbols.resolve(name.name), None) for name in names_of_tree(roles, tree))
    return found


def find_chosen(roles: Roles) -> None:
    """The letters of one given entry: of ``y_t = 1`` for a one-hot y, or of the right class, as the words say."""
    one_hot = names_beside(roles, ONE_HOT)
    for number, statement in enumerate(roles.statements):
        head = head_of(roles, statement) if roles.kinds.get(number) == EQUATION else None
        if head is not None and head.name in one_hot and head.parts and is_one(statement):
            roles.kinds[number] = CONDITION
            roles.symbols.chosen.update(head.parts)
    letters = (name for name in names_beside(roles, ONE_OF_MANY) if len(name) == 1 and name.islower())
    roles.symbols.chosen.update(letters)


def is_one(statement: Statement) -> bool:
    """Whether a statement says no more than that something is one."""
    return [side.relation for side in statement.sides[1:]] == ["="] and [t.text for t in statement.sides[1].tokens] == [
        "1"
    ]
