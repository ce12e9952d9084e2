r"""Cross-entropies and divergences between vectors of which a page says no more than their names.

``CE(y, p)`` is ``-sum_i y_i log p_i`` and ``KL(p \| q)`` is ``sum_i p_i log(p_i/q_i)``. What a page defines itself, and
what stands between densities, is no concern of these. What is true with these formulas is true; what is false may still
hold, for a page may mean another logarithm, or a cross-entropy of each entry.
"""

from __future__ import annotations

from contextlib import suppress

from indexcalc.document.choices import Kind, Option, choice
from indexcalc.document.meaning.nodes import Applied, Meaning, Plus, Total, negated, renamed, times
from indexcalc.document.meaning.slopes import refreshed
from indexcalc.document.meaning.symbols import Definition
from indexcalc.document.meaning.typed import Typed, softmax
from indexcalc.document.statements.brackets import DIVERGENCES
from indexcalc.document.statements.values import CROSS_ENTROPIES
from indexcalc.document.table import Table
from indexcalc.document.values import UNREADABLE, read_all

CROSS_ENTROPY = choice(
    Kind.LAYOUT,
    "a cross-entropy",
    Option("targets first", 0.0, "a cross-entropy has the targets first, then the probabilities"),
    Option("targets last", 0.2, "a cross-entropy has the probabilities first, then the targets", free=True),
    Option("logits", 0.2, "a cross-entropy has the targets first, then what a softmax is taken of", free=True),
)
"""What the two arguments of a cross-entropy are."""


def learn_divergence(table: Table, name: str) -> bool:
    """Give a cross-entropy or a divergence of two vectors its formula; False if the value is none of these."""
    compared, page = table.page.values.compared, table.page
    value = compared.get(name)
    if value is None:
        return False
    heads = {"".join(compared[other].head) if other in compared else other for other in page.defining}
    if "".join(value.head) in heads:
        return False
    if name in table.definitions:
        return True
    if name in table.inside:
        return False
    with suppress(*UNREADABLE), table.within(name, frozenset()):
        arguments = read_all(table, {}, value.arguments)
        if [len(one.axes) for one in arguments] == [1, 1]:
            table.known[name] = ()
            table.open.setdefault(name, f"no equation says what {name} is")
            table.definitions[name] = Definition((), formula(table, "".join(value.head), *arguments))
            return True
    return False


def formula(table: Table, head: str, first: Typed, second: Typed) -> Meaning:
    """The sum over the entries of two vectors."""
    taken = "targets first" if head in DIVERGENCES else table.asking(CROSS_ENTROPY).name
    if taken == "targets last":
        first, second = second, first
    if taken == "logits":
        second = softmax(second, table.sizes)
    index = table.sizes.like(first.axes[0])
    table.sizes.unify(index, second.axes[0])
    targets, likely = (refreshed(renamed(one.node, {one.axes[0]: index}), table.sizes) for one in (first, second))
    logarithm = Applied("log", likely)
    if head in CROSS_ENTROPIES:
        return negated(Total((index,), times(targets, logarithm)))
    return Total((index,), times(targets, Plus((Applied("log", targets), negated(logarithm)))))
