r"""Second equations for a name: what they say follows from the first one, whatever the name is.

``v(s) = \sum_a \pi(a|s) \sum_{s'} p(s'|s, a) (r + \gamma v(s'))`` and ``v(s) = \sum_a \pi(a|s) q(s, a)`` say the same
with ``q(s, a) = r + \gamma \sum_{s'} p(s'|s, a) v(s')``, which leads back to v. Both right sides are compared with the
name as it is, so that no equation is put in for it.
"""

from __future__ import annotations

from collections.abc import Iterator

from indexcalc.document.choices import Interpretation
from indexcalc.document.deciding import Decision, phrases
from indexcalc.document.evidence import Votes, supported
from indexcalc.document.outcomes import Relation, Truth
from indexcalc.document.page import Page
from indexcalc.document.report import Verdict
from indexcalc.document.search import Trials, index_letters, judge
from indexcalc.document.statements.calls import spelt
from indexcalc.document.statements.outline import EQUALITIES


def decided_again(page: Page, number: int, votes: Votes, base: Interpretation) -> Decision | None:
    """The verdict on an equation for a name that one before it gives, too; None if it is not seen to follow."""
    for relation in earlier_equations(page, number):
        found = judge(relation, base, Trials(page, relation), frozenset())
        good = [o for o in found.outcomes if o.truth is Truth.TRUE and supported(page, o, votes, number)]
        if good:
            best = min(good, key=lambda o: o.cost)
            return Decision(Verdict.CONFIRMED, "", phrases(best), relation, best)
    return None


def earlier_equations(page: Page, number: int) -> Iterator[Relation]:
    """The equations for the same name before one in its section, each as a relation of the two right sides."""
    head, statement = page.heads[number], page.statements[number]
    right = statement.sides[1].tree if len(statement.sides) > 1 else None
    density = head is not None and head.name in page.values.tables  # of which laws hold whatever the first one says
    if head is None or density or right is None or statement.sides[1].relation not in EQUALITIES:
        return
    for before in range(number - 1, page.told - 1, -1):
        other = page.heads[before]
        if page.section(before) != page.section(number):
            return
        if other is None or (other.name, other.parts) != (head.name, head.parts):
            continue
        left = page.statements[before].sides[1].tree
        tokens = (page.statements[one].sides[1].tokens for one in (before, number))
        if len({spelt(one) for one in tokens}) == 1:
            continue  # a repetition says no more than the first
        if left is not None and page.statements[before].sides[1].relation in EQUALITIES:
            letters = index_letters(page, left) | index_letters(page, right)
            yield Relation(number, left, right, 1, 0, letters=letters, solved=((head.name, None),))
