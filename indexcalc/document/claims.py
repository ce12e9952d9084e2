"""Relations that claim nothing: conditions, questions, examples, and what is said of names that are given."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from indexcalc.document.evidence import Votes
from indexcalc.document.new_meanings import renames
from indexcalc.document.outcomes import Outcome, Relation
from indexcalc.document.page import Page
from indexcalc.document.search import Judged
from indexcalc.document.statements.outline import Statement
from indexcalc.document.statements.trees import differentiated, nabla_targets
from indexcalc.language.latex.tree import Atom, Group, Node, Scripted, Sum, nodes_of
from indexcalc.language.latex.vocabulary import FUNCTIONS, STRUCTURAL


@dataclass(frozen=True)
class Accused:
    """A relation that is false under its usual reading.

    Attributes:
        page: the page.
        statement: its statement.
        member: the place of its member.
        judged: it, with its outcomes.
        votes: what the document says for options.
        defining: whether its statement may give its first member a meaning.
    """

    page: Page
    statement: Statement
    member: int
    judged: Judged
    votes: Votes
    defining: bool


def why_no_claim(accused: Accused) -> str:
    """Why what is false may claim nothing: it asks, gives a meaning, or says what is given; empty if it claims."""
    page, statement, member, one = accused.page, accused.statement, accused.member, accused.judged
    if asks(page, one.relation) or sets_to_zero(page, one.relation):
        return "it may ask where this holds"
    start = statement.span.start
    if CONDITIONS.search(page.document.source[max(0, start - 40) : start].lower()):
        return "it may be a condition"
    if (
        not statement.conditions
        and is_last(page, one.relation)
        and BEHIND_IT.match(page.document.source, statement.span.end)
    ):
        return "it may hold under the condition that follows"
    if one.relation.number in page.function_heads and one.relation.against == 0:
        return "it may give the function a new meaning"
    if any(is_value_of_function(page, tree) for tree in (one.relation.left, one.relation.right)):
        return "a name in brackets may be what the name before it is a function of"
    if is_law_of_entries(page, one.relation):
        return "it may be a law for a name that is given"
    if is_example(page, one.relation):
        return "it may be its value in an example"
    head_name = page.heads[one.relation.number]
    if (
        head_name is not None
        and page.gradient_target(head_name.name) is None
        and one.relation.against == 0
        and (accused.defining or member == 1)
        and renames(page, one, accused.votes, head_name.name)
    ):
        return "it may give the name a new meaning"
    head = statement.sides[0].tree
    if (
        head_name is None
        and member == 1
        and head is not None
        and not any(True for _ in (*differentiated(head), *nabla_targets(head)))
        and not many_names(page, head)
    ):
        return "it may be said of what is given"
    return ""


def is_value_of_function(page: Page, tree: Sum) -> bool:
    """Whether a member is a name before a name in round brackets, which nobody needs for a product, ``m(v)``."""
    items = tree.only.items if tree.only is not None else ()
    if len(items) != 2 or not isinstance(items[1], Group) or items[1].bracket != "(" or len(items[1].members) != 1:
        return False
    name, argument = page.survey.name(items[0]), page.survey.lone(items[1].members[0])
    if name is None or argument is None or argument.powers or name.name in ("d", *FUNCTIONS, *STRUCTURAL):
        return False
    return len(name.name) == 1 and name.name not in page.functions


def is_law_of_entries(page: Page, relation: Relation) -> bool:
    """Whether both members are entries of one name that no equation gives, ``R_{ijkl} = -R_{jikl}``."""
    found = []
    for tree in (relation.left, relation.right):
        items = tree.terms[0][1].items if len(tree.terms) == 1 else ()
        name = page.survey.name(items[0]) if len(items) == 1 else None
        found.append(name.name if name is not None and name.parts else "")
    return bool(found[0]) and found[0] == found[1] and found[0] not in page.defining


def is_example(page: Page, relation: Relation) -> bool:
    """Whether a name that is computed from others is set equal to numbers, as where these have values."""
    name = page.survey.lone(relation.left)
    if name is None or any(True for _ in page.survey.names(relation.right)):
        return False
    read = page.definitions.reads.get(name.name, frozenset())
    return any(other not in page.defining or page.definitions.reads[other] for other in read)


CONDITIONS = re.compile(
    r"\b(?:(?:such|provided|requir\w+|suppos\w+|assum\w+|demand\w*|impos\w+|enforc\w+)(?: that)?"
    r"|satisf\w+|when|whenever|if|iff|unless|until|subject to|choice of|choos\w+|the case(?: of)?)[\s$(\\]*$"
)
"""Words right before an equation that may only state where something holds, or what is asked for."""


BEHIND_IT = re.compile(
    r"(?:[ \t$)\\,\]]|\\end\{\w+\*?\}|\n(?!\s*\n))*"
    r"\(?(?:(?:only )?(?:when|if)|whenever|iff|provided|unless|as long as|assuming)\b[\w\s,'-]{0,30}(?:\$|\\\(|\\\[)"
)
"""Words right behind an equation, in its sentence, that begin a condition with a formula: under that it holds."""


def is_last(page: Page, relation: Relation) -> bool:
    """Whether a relation is the last one of its mathematics, so that what stands behind that speaks of it."""
    statements, number = page.statements, relation.number
    ends = relation.member == len(statements[number].sides) - 1
    return ends and (number + 1 == len(statements) or statements[number + 1].number != statements[number].number)


def asks(page: Page, relation: Relation) -> bool:
    """Whether a relation may be an equation to be solved: the value of a function the page defines is a number."""
    only = [tree.only.items for tree in (relation.left, relation.right) if tree.only is not None]
    numbers = any(len(items) == 1 and isinstance(items[0], Atom) and items[0].kind == "NUM" for items in only)
    names = {found.name for tree in (relation.left, relation.right) for found in page.survey.names(tree)}
    return numbers and bool(names & page.functions.keys()) and not names <= page.functions.keys()


def sets_to_zero(page: Page, relation: Relation) -> bool:
    """Whether a formula for a derivative is set to zero, as at an extremum, or a chain begins with zero."""
    head = page.statements[relation.number].sides[0]
    slope = any(token.kind in ("NABLA", "PARTIAL") for token in head.tokens)
    slope = slope or (head.tree is not None and any(True for _ in differentiated(head.tree)))
    return relation.left.is_zero or (slope and relation.member > 1 and relation.right.is_zero)


def is_complementary(relation: Relation, result: Outcome) -> bool:
    """Whether a product is set to zero of numbers, or of arrays with no name in common.

    No identity says this, since one of the factors would be zero: it says where something holds.
    """
    product, found = relation.left.only, result.comparison
    if not relation.right.is_zero or product is None or found is None:
        return False
    if len(product.items) < 2 or not all(isinstance(item, Group) or is_factor(item) for item in product.items):
        return False
    names = [set(names_within(item)) for item in product.items]
    return not found.head.axes or sum(map(len, names)) == len(set[str]().union(*names))


def names_within(item: Node) -> Iterator[str]:
    """The names in a factor."""
    yield from (node.text for node in nodes_of(item) if isinstance(node, Atom) and node.kind == "NAME")


def is_factor(item: Node) -> bool:
    """Whether a factor is a name or a number, and no function and no sign."""
    base = item.base if isinstance(item, Scripted) else item
    if not isinstance(base, Atom):
        return False
    return base.kind in ("NAME", "NUM", "TIMES") and base.text not in {*FUNCTIONS, *STRUCTURAL}


def many_names(page: Page, tree: Sum) -> bool:
    """Whether a member is made of several names: an identity, not a law for one of them."""
    return len({found.name for found in page.survey.names(tree)}) > 1
