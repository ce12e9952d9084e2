r"""Solutions: definitions that say what a name has to be for an equation before them to hold.

``\nabla_w L = X^T (X w - y) = 0``, then ``w = (X^T X)^{-1} X^T y``. Such a definition is a claim. It holds if the
equation does with what it gives, and does not with twice as much: then it says what the name is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from indexcalc.document.choices import Interpretation
from indexcalc.document.deciding import Decision, phrases
from indexcalc.document.evidence import Votes, supported
from indexcalc.document.outcomes import Outcome, Relation, Truth, outcome
from indexcalc.document.page import Page
from indexcalc.document.report import Verdict
from indexcalc.document.search import Trials, judge, relations
from indexcalc.document.statements.outline import EQUALITIES
from indexcalc.document.statements.systems import is_balance
from indexcalc.language.latex.grammar import parse
from indexcalc.language.latex.tokens import tokenize

REACH = 6
"""How many statements behind an equation its solution may stand."""

TO_ZERO = re.compile(
    r"\b(?:set|sett|equat|put)\w*\b[^.]{0,80}?(?:\bto\b|\bequal\b|=)[^.]{0,12}?(?:\bzero\b|\$? *0\b)"
    r"|\bvanish(?:es|ing)?\b|\bstationar|\bsolv(?:e|ing) for\b|\b(?:is|equals?|be) zero\b"
    r"|\bat (?:the|its|an?) (?:min|max|opt)imum\b",
    re.IGNORECASE,
)
"""Words between a derivative and what a name is where it is zero."""

DENIED = re.compile(r"\b(?:not|never|nowhere|contrast|instead|except|unlike|start|initial\w*)\b|n't\b", re.IGNORECASE)
"""Words with which they may say something else."""

SOLVED = re.compile(r"(?:hat )?(?P<name>[^ _^]+)(?:_(?P<label>[A-Za-z]{2,}))?(?P<square>\^2)?(?:\^(?:\*|star))?")
"""The name of a solution: it may bear a hat, a star or a label, ``\\mu_{ML}``, which the unknown does not.

Or it is the square of the unknown, as a variance is.
"""

ZERO = parse(tokenize("0"))


def decided_solution(page: Page, number: int, votes: Votes, bases: Interpretation) -> Decision | None:
    """The verdict on a definition that solves an equation before it; None if it is not seen to solve one."""
    head = page.heads[number]
    if head is None:
        return None
    for condition, name in conditions(page, number):
        solved: dict[str, int | None] = {name: number, **solved_before(page, number)}
        asked = replace(condition, solved=tuple(solved.items()))
        found = judge(asked, bases, Trials(page, asked), frozenset())
        good = [o for o in found.outcomes if o.truth is Truth.TRUE and supported(page, o, votes, condition.number)]
        best = min(good, key=lambda o: o.cost, default=None)
        if best is not None and number in best.used and says_something(page, asked, name, best):
            reason = f"it solves line {page.line(condition.number)}"
            return Decision(Verdict.CONFIRMED, reason, phrases(best), asked, best)
    return None


def says_something(page: Page, relation: Relation, name: str, found: Outcome) -> bool:
    """Whether an equation that holds with a solution is false with twice as much.

    An identity is not, nor is what needs no more of the name than, say, that it is symmetric.
    """
    doubled = replace(relation, doubled=name)
    return outcome(page, doubled, found.interpretation, defined=True, cost=0.0).truth is Truth.FALSE


def conditions(page: Page, number: int) -> Iterator[tuple[Relation, str]]:
    """The equations before a definition that it may solve, the nearest first, each with the name that is solved for."""
    names = list(unknowns(page, number))
    for before in range(number - 1, max(page.told, number - REACH) - 1, -1):
        if page.section(before) != page.section(number):
            return
        for name in names:
            if before in page.defining.get(name, ()):
                return
            for relation in equations_for(page, before, name, number):
                yield relation, name


def unknowns(page: Page, number: int) -> Iterator[str]:
    """The names of which a definition may say what they have to be: its own, and without what marks a solution."""
    head = page.heads[number]
    assert head is not None
    yield head.name
    marked = SOLVED.fullmatch(head.name)
    plain = (marked["name"] + (marked["square"] or ""), marked["name"]) if marked is not None else ()
    for name in dict.fromkeys(plain):
        if name != head.name and name in page.survey.usages and name not in page.defining:
            yield name


def equations_for(page: Page, number: int, name: str, solution: int) -> Iterator[Relation]:
    """What a statement sets equal that holds for some values of a name only.

    It sets something to zero, or two formulas equal neither of which is a name; or it gives the derivative by the name,
    and words behind it say that this is zero. Where it differentiates, it is about what it differentiates by.
    """
    statement = page.statements[number]
    below = {below.name for _, below in page.slopes[number]} | page.slopes_by_nablas[number]
    speaks = name in (below or page.definitions.reached[number])
    equal = all(side.relation in EQUALITIES for side in statement.sides[1:])
    if not (speaks and equal) or number in page.function_heads:
        return
    every = list(relations(page, number))
    zeros = [one for one in every if one.left.is_zero or one.right.is_zero]
    yield from zeros or (every if is_balance(page.survey, statement) else ())
    last = statement.sides[-1].tree
    if not zeros and name in below and last is not None and is_set_to_zero(page, number, solution):
        yield Relation(number, last, ZERO, len(statement.sides) - 1, 0)


def is_set_to_zero(page: Page, number: int, solution: int) -> bool:
    """Whether the words between two statements say that what the first one gives is zero."""
    words = page.document.source[page.statements[number].span.end : page.statements[solution].span.start]
    return TO_ZERO.search(words) is not None and DENIED.search(words) is None


def solved_before(page: Page, number: int) -> dict[str, int]:
    """The names of which definitions before a solution say what they have to be, under the names of the unknowns."""
    found: dict[str, int] = {}
    for other in range(max(page.told, number - REACH), number):
        head, near = page.heads[other], page.section(other) == page.section(number)
        if near and head is not None and other in page.defining.get(head.name, ()):
            found.update(dict.fromkeys(list(unknowns(page, other))[1:], other))
    return found
