"""Derivatives under one reading: of what is defined, of a loss that is not, and of what nothing is known.

Whether a derivative is total, what a loss is computed from, and which axes come first are choices.
"""

from __future__ import annotations

from dataclasses import replace

from indexcalc.document.choices import LAYOUT, Kind, Option, choice
from indexcalc.document.meaning.nodes import (
    Derivative,
    Entry,
    Gathered,
    Meaning,
    Number,
    Raised,
    names_of,
    over,
    rebuilt,
    times,
    walk,
)
from indexcalc.document.meaning.slopes import placed
from indexcalc.document.meaning.symbols import NotUnderstoodError, all_read, depends_on
from indexcalc.document.meaning.typed import COLUMN, ROW, Typed
from indexcalc.document.statements.calls import is_call, is_indicator
from indexcalc.document.table import Table
from indexcalc.document.values import learn_function

RARER = 0.2
"""What it costs to read a derivative otherwise than is usual."""


def rate(table: Table, body: Typed, wrt: Typed, *, straight: bool = False) -> Typed:
    """The derivative of an expression by a tensor, laid out as the document does; with a `straight` d, or a curly."""
    if isinstance(wrt.node, Gathered):  # by the entry at a place: the derivative by any entry, at that place
        found = rate(table, body, replace(wrt, node=wrt.node.body), straight=straight)
        return replace(found, node=Gathered(found.node, wrt.node.axes, wrt.node.places))
    if isinstance(wrt.node, Raised):  # d/d(s^2) = 1/(2s) d/ds
        found = rate(table, body, replace(wrt, node=wrt.node.base), straight=straight)
        return replace(found, node=times(found.node, over(slope_of_power(wrt.node))))
    assert isinstance(wrt.node, Entry)
    node = derivative(table, body.node, wrt.node, straight=straight)
    if not body.axes:
        layout = table.asking(LAYOUT).name if wrt.axes else "gradient"
        if layout == "gradient":
            return Typed(node, wrt.axes, wrt.orientation)
        axes = tuple(reversed(wrt.axes))
        return Typed(node, axes, ROW if len(axes) == 1 and wrt.orientation == COLUMN else COLUMN)
    if not wrt.axes:
        return Typed(node, body.axes, body.orientation)
    if len(body.axes) > 1 or len(wrt.axes) > 1:
        return Typed(node, (*body.axes, *wrt.axes), jacobian=True)
    layout = table.asking(LAYOUT).name
    axes = (*body.axes, *wrt.axes) if layout == "Jacobian" else (*wrt.axes, *body.axes)
    return Typed(node, axes)


def slope_of_power(power: Raised) -> Meaning:
    """d(s^n)/ds = n s^(n - 1)."""
    assert isinstance(power.exponent, Number)
    return times(power.exponent, Raised(power.base, Number(power.exponent.value - 1)))


def derivative(table: Table, body: Meaning, wrt: Entry, *, straight: bool = False) -> Meaning:
    """The derivative of an expression by an entry."""
    body = without_gradients(table, body)
    unknown = isinstance(body, Entry) and body.name != wrt.name and body.name not in table.definitions
    if isinstance(body, Entry) and unknown and not (is_call(body.name) and learn_function(table, body.name)):
        return derivative_of_unknown(table, body, wrt)
    refuse_formulas(table, body, wrt)
    read = all_read(table.definitions, body)
    losses = [name for name in sorted(read) if is_differentiated(table, name)]
    for name in losses:
        learn_loss(table, name, wrt.name)
    for name in sorted(read):
        value = is_call(name) and not is_indicator(name) and name not in table.definitions
        if value and not learn_function(table, name):
            raise NotUnderstoodError(f"how {name} depends on {wrt.name} is not known")
    if read and wrt.name not in read and not losses:
        # Zero, it may be, only because a path was not read.
        table.open.setdefault(f"{wrt.name} in no formula", f"nothing that is read depends on {wrt.name}")
    return Derivative(body, wrt, is_local(table, body, wrt, straight=straight))


def refuse_formulas(table: Table, body: Meaning, wrt: Entry) -> None:
    """Refuse the derivative of a gradient by what is computed from the tensor that the gradient belongs to.

    The gradient is then no function of it, but its formula is, and there may be several.
    """
    for node in walk(body):
        if isinstance(node, Derivative) and node.wrt.name != wrt.name:
            own = node.wrt.name
            if depends_on(table.definitions, wrt.name, own):
                raise NotUnderstoodError(f"the gradient by {own} as a function of {wrt.name}, which {own} leads to")


def derivative_of_unknown(table: Table, body: Entry, wrt: Entry) -> Meaning:
    """The derivative of a name without a definition: of a loss, or an array of which nothing is known."""
    if not body.slots and body.name not in table.open and may_be_loss(table, body.name):
        learn_loss(table, body.name, wrt.name)
        return Derivative(body, wrt)
    name = f"d {body.name}/d {wrt.name}"
    if name not in table.known:
        table.known[name] = tuple(table.sizes.like(slot) for slot in (*body.slots, *wrt.slots))
    elif len(table.known[name]) != len(body.slots) + len(wrt.slots):
        raise NotUnderstoodError(f"{body.name} has other axes here than where it was differentiated before")
    table.open[body.name] = f"how {body.name} depends on {wrt.name} is not known"
    return Entry(name, (*body.slots, *wrt.slots))


def is_differentiated(table: Table, name: str) -> bool:
    """Whether a number without a definition, which a formula reads, is a loss: elsewhere it alone is differentiated."""
    if name in table.definitions or table.known.get(name) != () or name in table.open or is_call(name):
        return False
    held = name in table.page.held[table.number]
    return name in table.losses or (name in table.page.loss_targets and not held and may_be_loss(table, name))


def learn_loss(table: Table, name: str, wrt: str) -> None:
    """A name is a loss, and a function of what it is differentiated by."""
    table.losses.add(name)
    table.wanted[wrt] = None
    lead_to_loss(table, name, wrt)


def may_be_loss(table: Table, name: str) -> bool:
    """Whether a number without a definition may be the loss: nothing is differentiated by it."""
    usage = table.page.survey.usages.get(name)
    return usage is None or not usage.below


def lead_to_loss(table: Table, loss: str, name: str) -> None:
    """What the loss is computed from: what it is differentiated by here, or also what lies on the way to it.

    Whatever holds for any function of the first holds; but a softmax's gradient adds up to zero only since the
    loss is one of what the softmax leads to.
    """
    further = [
        found
        for found in table.page.loss_targets.get(loss, ())
        if found.name not in (*table.wanted, *table.inside) and table.page.definitions.rests_on(found.name, name)
    ]
    if not further:
        return
    question = choice(
        Kind.DERIVATIVE,
        f"{loss} in statement {table.number}",
        Option("here", 0.0, f"{loss} is any function of what it is differentiated by"),
        Option("further", 0.05, f"{loss} is computed from {further[-1].name}", free=True),
    )
    if table.asking(question).name == "further":
        table.further = True
        for found in further:
            table.wanted[found.name] = None
            if found.name not in table.known:
                table.meet(found)


def without_gradients(table: Table, node: Meaning) -> Meaning:
    """The expression with formulas for the names that are made from derivatives, which are differentiated again."""
    definition = table.definitions.get(node.name) if isinstance(node, Entry) else None
    if definition is None:
        if isinstance(node, Derivative):
            return node
        return rebuilt(node, lambda part: without_gradients(table, part))
    assert isinstance(node, Entry)
    again = any(
        definition.differentiates and not table.losses.intersection(definition.reads)
        for definition in map(table.definitions.get, {node.name, *all_read(table.definitions, node)})
        if definition is not None
    )
    if not again:
        return node
    return without_gradients(table, placed(definition, node.slots, table.sizes))


def is_local(table: Table, body: Meaning, wrt: Entry, *, straight: bool = False) -> bool:
    """Whether a derivative holds all names but that by which it is taken: only where that makes a difference.

    In a formula an author may hold them without a word, as the data ``y`` in what measures ``y - G u``. Who writes a
    straight d and a curly one for the same two names means two things: the straight one is total.
    """
    if not isinstance(body, Entry):
        return holds_others(table, body, wrt)
    if body.name == wrt.name:
        return False
    reads = table.definitions[body.name].reads
    between = any(name != wrt.name and depends_on(table.definitions, name, wrt.name) for name in reads)
    steps = not table.recurring.isdisjoint((body.name, wrt.name))
    if wrt.name not in reads or not (between or steps):
        return False
    total = f"the derivative of {body.name} by {wrt.name} is total"
    local = f"the derivative of {body.name} by {wrt.name} holds the other names"
    both = table.page.signs_of_slopes.get((body.name, wrt.name), frozenset()) >= {"PARTIAL", "NAME"}
    if both and straight:
        return False
    return is_held(table, f"{body.name} by {wrt.name}", total, local, steps=steps or both)


def is_held(table: Table, subject: str, total: str, local: str, *, steps: bool, free: bool = False) -> bool:
    """Whether a derivative is local, a choice with these phrases.

    It usually is total. But each entry of what a recurrence gives is a variable of its own, and by `steps` an author
    may mean either.
    """
    costs = (RARER, 0.0) if steps else (0.0, RARER)
    options = (Option("total", costs[0], total, free=steps), Option("local", costs[1], local, free=free or steps))
    return table.asking(choice(Kind.DERIVATIVE, subject, *options)).name == "local"


def holds_others(table: Table, body: Meaning, wrt: Entry) -> bool:
    """Whether the derivative of a formula holds the names in it that are computed from that by which it is taken."""
    read = frozenset(names_of(body))
    named = (name for name in read - {wrt.name} if not is_call(name))  # what is written with it is no name of data
    between = sorted(name for name in named if depends_on(table.definitions, name, wrt.name))
    steps = wrt.name in table.recurring
    if wrt.name not in read or not (between or steps):
        return False
    names = " and ".join(between) or f"other entries of {wrt.name}"
    total = f"{names} may vary with {wrt.name} where a formula is differentiated"
    local = f"{names} may not vary with {wrt.name} where a formula is differentiated"
    return is_held(table, f"{names} in a formula by {wrt.name}", total, local, steps=steps, free=True)
