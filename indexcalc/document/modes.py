"""What a relation does that claims nothing: it defines a name, or gives it again, declares, or sets a condition.

What is left is judged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from indexcalc.document.choices import Interpretation, system_choice
from indexcalc.document.meaning.sizes import ShapeError
from indexcalc.document.meaning.symbols import NotUnderstoodError
from indexcalc.document.outcomes import Truth
from indexcalc.document.page import Page
from indexcalc.document.reader import read
from indexcalc.document.report import Verdict
from indexcalc.document.search import Judged
from indexcalc.document.statements.heads import called_head
from indexcalc.document.statements.kinds import bounds, compares_letters, draws, lists_figures, sets, writes_out
from indexcalc.document.statements.outline import EQUALITIES, ORDERS, Side
from indexcalc.document.statements.shapes import shape_written
from indexcalc.document.statements.values import Mean, Spread
from indexcalc.document.table import Table
from indexcalc.errors import IndexCalcError


def gives_meaning(page: Page, number: int) -> bool:
    """Whether a statement is the first that defines the name that is its first member."""
    head = page.heads[number]
    return head is not None and page.defining.get(head.name, ())[:1] == (number,)


def is_instance(page: Page, number: int) -> bool:
    """Whether another equation gives the name that a statement begins with at every step, and this one at a step."""
    head = page.heads[number]
    return head is not None and any(n != number for n, _, _ in page.steps.equations(head.name, number))


def is_of_density(page: Page, number: int) -> bool:
    """Whether a statement begins with a density of letters, of which laws hold whatever it is."""
    head = page.heads[number]
    return head is not None and head.name in page.values.tables


def gives_another(page: Page, number: int, found: Sequence[Judged], supported: Interpretation) -> bool:
    """Whether a statement gives its name another meaning than an earlier one, with which it cannot be compared.

    What it gives can be read, and has other axes than the earlier one, or stands elsewhere while that one cannot be
    read; or it says so by its sign, or by the name itself on its other side, as an update does.
    """
    head, statement = page.heads[number], page.statements[number]
    outcomes = [o for one in found for o in one.outcomes]
    if head is None or any(o.truth is Truth.TRUE for o in outcomes):
        return False
    if unread(page, number, statement.sides[1], supported):
        return False
    if statement.sides[1].relation == ":=":
        return True
    if head.name in own_names(page, number):
        return len(statement.sides) == 2 and head.name not in page.defining and head.name not in page.sizes
    earlier = [n for n in page.defining.get(head.name, ()) if n < number]
    if number not in page.defining.get(head.name, ()) or not earlier:
        return False
    usual = outcomes[0].truth if outcomes else Truth.SILENT
    elsewhere = page.sections.around(page.start(earlier[-1])) != page.section(number)
    return usual is Truth.MISFIT or (usual is Truth.SILENT and elsewhere)


def constrains(page: Page, number: int, member: int, found: Sequence[Judged]) -> bool:
    """Whether a member sets to zero what is not zero in general: it says of what is given what holds, or asks where.

    That one entry does not change another is a claim: no derivative of entries is set to zero.
    """
    before, side = page.statements[number].sides[member - 1 : member + 1]
    if side.tree is None or not side.tree.is_zero or before.tree is None or before.tree.is_zero:
        return False
    if any(above.parts is not None for above, _ in page.slopes[number]):
        return False
    truths = {o.truth for one in found for o in one.outcomes}
    return side.relation in EQUALITIES and Truth.FALSE in truths and Truth.TRUE not in truths


def own_names(page: Page, number: int) -> frozenset[str]:
    """The names in the second member of a statement."""
    tree = page.statements[number].sides[1].tree
    return frozenset(one.name for one in page.survey.names(tree)) if tree is not None else frozenset()


def has_meaning(page: Page, number: int) -> bool:
    """Whether the first member of a statement is an expectation or an integral: what is written says what it is.

    So is a variance, unless the statement gives that of names, as a law for them.
    """
    head = page.heads[number]
    value = page.values.of(head.name) if head is not None else None
    return isinstance(value, Mean) or (
        isinstance(value, Spread) and not any(number in laws for laws in page.spreads.values())
    )


def determines(page: Page, number: int, supported: Interpretation) -> bool:
    """Whether a statement is the first of those that determine a name without giving it, and can be solved for it."""
    names = [name for name, numbers in page.systems.items() if numbers[0] == number]
    names += [
        name for name, follows in page.may_follow.items() if follows == number and follows_from(page, name, supported)
    ]
    table = Table(page, page.asking(Interpretation()), number, read)
    return any(table.is_solvable(name, number) for name in names)


def follows_from(page: Page, name: str, supported: Interpretation) -> bool:
    """Whether the document says of a name that the equation determines it which may do so."""
    asked = system_choice(name, page.line(page.may_follow[name]))
    return supported.option(asked).name == "determined"


def may_give_meaning_anew(page: Page, number: int) -> bool:
    """Whether a statement is the first to define its name in a section that may stand alone."""
    section, head = page.standing(number), page.heads[number]
    if section is None or head is None:
        return False
    own = (n for n in page.defining.get(head.name, ()) if section[0] <= page.statements[n].span.start < section[1])
    return next(own, None) == number


def stands_alone(page: Page, number: int, supported: Interpretation) -> bool:
    """Whether the document says of the section around a statement that it stands alone."""
    section = page.standing(number)
    return section is not None and supported.option(page.sections.standing_choice(section)).name == "alone"


OTHERWISE = {
    **dict.fromkeys(ORDERS, "which of two numbers is greater"),
    **dict.fromkeys(("≺", "≻"), "which of two is greater"),
    **dict.fromkeys(("≲", "≳"), "an order of magnitude"),
    **dict.fromkeys(("!=", "≁"), "that a relation does not hold"),
    **dict.fromkeys(("⊂", "⊃"), "what is a part of a set"),
    **dict.fromkeys(("in", "∋", "∉"), "what is in a set"),
    **dict.fromkeys(("->", "=>", "for"), "what follows from what"),
    "≈": "what is only nearly equal",
    "∝": "an equality up to a factor",
    "~": "an equality of distributions",
    "⊥": "what is independent of what",
}
"""What a relation that is no equality says: it is read, and not judged."""


@dataclass(frozen=True)
class Unjudged:
    """What is said of a member that claims nothing, and whether what follows may rest on it."""

    verdict: Verdict
    reason: str = ""
    defines: bool = False


def unjudged(page: Page, number: int, member: int, supported: Interpretation) -> Unjudged | None:
    """What is said of a member that claims nothing, or cannot be read; None for what is to be judged."""
    statement = page.statements[number]
    side = statement.sides[member]
    head = page.heads[number]
    meanings = page.defining.get(head.name, ()) if head is not None else ()
    if (
        number in page.cases
        or compares_letters(statement, page.index_letters)
        or bounds(page.survey, statement, member)
    ):
        return Unjudged(Verdict.CONDITION)
    if draws(page.survey, statement, member):
        return Unjudged(Verdict.DECLARATION)
    if side.relation not in EQUALITIES:
        unread = unreadable(page, number, member, supported)
        return Unjudged(Verdict.UNCLEAR if unread else Verdict.UNJUDGED, unread or OTHERWISE[side.relation])
    # Those that rest on it may speak too: whether it is a definition is no question of whether it is true.
    anew = may_give_meaning_anew(page, number) and stands_alone(page, number, supported)
    if member == 1 and (gives_meaning(page, number) or anew) and not has_meaning(page, number):
        return Unjudged(Verdict.DEFINITION, defines=True)
    if (number, member) in page.implying:
        return Unjudged(Verdict.DEFINITION)
    if member == 1 and determines(page, number, supported):
        return Unjudged(Verdict.DEFINITION)
    if member == 1 and number in page.means.laws.values():
        return Unjudged(Verdict.DECLARATION, defines=True)
    written = writes_out(page.survey, statement, member) or (member == 1 and shape_written(page.survey, statement))
    given = number in page.laws or number in page.distributions
    if written or (given and number not in meanings):
        return Unjudged(Verdict.DECLARATION)
    set_to_number = (sets(page.survey, statement) and not has_meaning(page, number)) or gives_figures(page, number)
    if set_to_number or (member == 1 and speaks_of_function(page, number)):
        return Unjudged(Verdict.DEFINITION, defines=number in page.function_heads)
    first = statement.sides[statement.origin(member)]
    if first.tree is None or side.tree is None:
        return Unjudged(Verdict.UNCLEAR, side.error or first.error)
    return None


def gives_figures(page: Page, number: int) -> bool:
    """Whether a statement says of a name that it is figures in brackets, and no equation computes it from others."""
    statement = page.statements[number]
    head = page.survey.lone(statement.trees[0]) if statement.trees else None
    if head is None or not head.is_plain or not all(lists_figures(side.tokens) for side in statement.sides[1:]):
        return False
    others = (page.statements[n] for n in page.defining.get(head.name, ()) if n != number)
    return not any(True for one in others for tree in one.trees[1:] for _ in page.survey.names(tree))


def unreadable(page: Page, number: int, member: int, supported: Interpretation) -> str:
    """Why a member or the one before it cannot be read; empty if both can, each for itself."""
    sides = page.statements[number].sides[member - 1 : member + 1]
    return next(filter(None, (unread(page, number, side, supported) for side in sides)), "")


def unread(page: Page, number: int, side: Side, supported: Interpretation) -> str:
    """Why a member cannot be read for itself; empty if it can."""
    if side.tree is None:
        return side.error or "it cannot be read"
    try:
        Table(page, page.asking(supported), number, read).meaning(side.tree)
    except (NotUnderstoodError, ShapeError, IndexCalcError, RecursionError) as error:
        return str(error)
    return ""


def speaks_of_function(page: Page, number: int) -> bool:
    """Whether a statement defines a function, or gives a value of one that no formula defines."""
    name = called_head(page.survey, page.statements[number])
    return number in page.function_heads or (bool(name) and name not in page.functions)
