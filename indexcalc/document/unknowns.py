"""What two members leave unknown: what is false of it says nothing.

A name that a document differentiates is computed from others, even where no equation says how; a loss without an
equation may be any function; and a size of which no slot is may be any number.
"""

from __future__ import annotations

from collections.abc import Iterator

from indexcalc.document.gradients import LOSS
from indexcalc.document.meaning.nodes import (
    ZERO,
    Derivative,
    Entry,
    Meaning,
    Size,
    Total,
    Value,
    bound_in,
    free,
    indices_in,
    own_indices,
    walk,
)
from indexcalc.document.meaning.sizes import Ix
from indexcalc.document.meaning.symbols import all_read, depends_on
from indexcalc.document.multipliers import solved_by
from indexcalc.document.statements.labels import of_any_layer
from indexcalc.document.table import Table


def unknown_between(table: Table, node: Meaning) -> Iterator[str]:
    """What the derivatives in an expression leave open: names on the way that have no definition."""
    for inner in walk(node):
        if not isinstance(inner, Derivative):
            continue
        if isinstance(inner.body, Entry) and inner.body.name == LOSS:
            yield from unconnected(table)
        for name in table.known:
            usage = table.page.survey.usages.get(name)
            between = usage is not None and usage.numerator and name not in table.definitions
            if between and name != inner.wrt.name and name not in table.losses:
                yield f"{name} may depend on {inner.wrt.name}"
        if leads_nowhere(table, inner.wrt.name) or solved_by(table, inner.wrt.name):
            yield f"nothing that is read depends on {inner.wrt.name}"
        if is_shared(table, inner.wrt.name):
            yield f"the derivative by {inner.wrt.name} may be that at one step"
        for name in table.wanted:
            if may_be_between(table, name, inner.wrt.name):
                yield f"{name} may depend on {inner.wrt.name}"


def unread_way(table: Table, node: Meaning) -> str:
    """How what is differentiated may depend on what it is differentiated by, where no equation says it that is read.

    An equation that is not understood and speaks of it leaves a derivative open, also one that is true without it.
    """
    for inner in walk(node):
        if isinstance(inner, Derivative) and not inner.local:
            held = {*table.losses, *inner.held, inner.wrt.name}
            for name in sorted(all_read(table.definitions, inner.body) - held):
                if name in table.open and name not in table.definitions and speaks_of(table, name, inner.wrt.name):
                    return f"how {name} depends on {inner.wrt.name} is not known"
    return ""


def speaks_of(table: Table, name: str, other: str) -> bool:
    """Whether an equation for a name has another name in it."""
    statements = (table.page.statements[number] for number in table.page.defining.get(name, ()))
    sides = (side for statement in statements for side in statement.sides[1:])
    return any(token.text == other for side in sides for token in side.tokens)


def is_shared(table: Table, wrt: str) -> bool:
    """Whether equations of one tensor read a name at several steps, and no sum over steps says at how many."""
    entries = table.page.numbered_entries  # two numbers below a name are a row and a column, and no step
    reading = [name for name, found in table.definitions.items() if wrt in found.reads and name not in entries]
    readers = [of_any_layer(name) for name in reading]
    return not table.counts and len(set(readers)) < len(readers)


def leads_nowhere(table: Table, wrt: str) -> bool:
    """Whether the loss is differentiated by a name that is computed, and by others that have no part in it.

    It may stand for a part of an equation that was written before it had a name.
    """
    others = [name for name in table.wanted if name != wrt]
    if wrt not in table.wanted or wrt not in table.definitions or not others:
        return False
    apart = (not depends_on(table.definitions, a, b) for name in others for a, b in ((name, wrt), (wrt, name)))
    return all(apart)


def may_be_between(table: Table, name: str, wrt: str) -> bool:
    """Whether the loss may depend on a tensor through a name that nothing defines, and nothing reads beside it."""
    beside = any({name, wrt} <= set(definition.reads) for definition in table.definitions.values())
    known = name in table.definitions or beside
    return name != wrt and not known and not depends_on(table.definitions, wrt, name)


def unconnected(table: Table) -> Iterator[str]:
    """What short gradients leave open: names without a definition that lead to none of the others."""
    for name in table.wanted:
        apart = not any(other != name and depends_on(table.definitions, other, name) for other in table.wanted)
        if len(table.wanted) > 1 and apart and name not in table.definitions:
            yield f"how {name} is computed is not known"


def unknown_together(table: Table, left: Meaning, right: Meaning) -> Iterator[str]:
    """What two members over common axes leave open: on what a loss depends, how far sums run, and sizes."""
    if ZERO in (left, right):
        yield from arguments_alone(table, left)
        yield from arguments_alone(table, right)
    yield from unranged(table, left, right)
    yield from unmeasured(table, left, right)


def arguments_alone(table: Table, node: Meaning) -> Iterator[str]:
    """What a derivative that is said to be zero leaves open: how a loss without an equation depends on its arguments.

    What leads to nothing else by which the page differentiates it is an argument, on which it need not depend.
    """
    losses, page = losses_in(table, node), table.page
    for inner in walk(node):
        if not isinstance(inner, Derivative) or not isinstance(inner.body, Entry) or inner.body.name not in losses:
            continue
        target = inner.wrt.name
        others = {*table.wanted, *(found.name for found in page.loss_targets.get(inner.body.name, ()))} - {target}
        if not any(page.definitions.rests_on(other, target) for other in others):
            yield f"how {inner.body.name} depends on {target} is not known"


def losses_in(table: Table, node: Meaning) -> frozenset[str]:
    """The functions without an equation whose derivatives a member holds, itself or through definitions.

    That of short names is none: these may be differentials.
    """
    found, seen, pending = set[str](), set[str](), [node]
    losses = table.losses - {LOSS}
    while pending:
        for inner in walk(pending.pop()):
            if isinstance(inner, Derivative):
                found |= losses & all_read(table.definitions, inner.body)
            elif isinstance(inner, Entry) and inner.name in table.definitions and inner.name not in seen:
                seen.add(inner.name)
                pending.append(table.definitions[inner.name].body)
    return frozenset(found)


def unmeasured(table: Table, *members: Meaning) -> Iterator[str]:
    """The sizes by which members multiply, themselves or through definitions, that no slot or sum of theirs has.

    What is left open is what has such a size: nothing at all that is read, or an axis of which nothing says how long
    it is.
    """
    sizes = table.sizes
    read = set[str]().union(*(all_read(table.definitions, member) for member in members))
    nodes = [*members, *(table.definitions[name].body for name in sorted(read & table.definitions.keys()))]
    factors = dict.fromkeys(inner.index for node in nodes for inner in walk(node) if isinstance(inner, Size))
    axes = {
        sizes.find(index) for node in nodes for inner in walk(node) for index in (*own_indices(inner), *bound_in(inner))
    }
    unknown = any(sizes.is_unknown(axis) for axis in axes)
    for index in factors:
        if sizes.lonely(index) or (unknown and sizes.find(index) not in axes):
            yield f"what {sizes.name_of(index)} is the size of is not known"


def unranged(table: Table, *members: Meaning) -> Iterator[str]:
    """The letters of sums of which nothing says how many values they have: only deltas and numbers bear them.

    ``sum_nm delta_nm`` is as many as n has values. Letters that an array or the whole relation bears elsewhere have as
    many values as there, if that is the same everywhere; others as many as a capital says.
    """
    sizes = table.sizes
    nodes = [node for member in members for node in walk(member)]
    borne = [index for node in nodes if not isinstance(node, Value) for index in own_indices(node)]
    borne += [index for node in nodes if not isinstance(node, Total) for index in bound_in(node)]
    borne += [index for member in members for index in free(member)]
    letters = dict.fromkeys(index for node in nodes if isinstance(node, Total) for index in node.indices)
    found = {sizes.find(index) for index in borne}
    adrift: dict[Ix, dict[str, Ix]] = {}
    for index in letters:
        if (root := sizes.find(index)) not in found and sizes.is_unknown(index):
            adrift.setdefault(root, {}).setdefault(index.name, index)
    for names in adrift.values():
        alike = {sizes.find(other) for other in (*letters, *borne) if other.name in names} & found
        if len(alike) == 1:
            sizes.unify(next(iter(names.values())), alike.pop())
        elif not alike and len(capitals := [name for name in names if name.upper() in table.page.sizes]) == 1:
            table.sized(capitals[0], names[capitals[0]])
    within = [{sizes.find(index) for index in indices_in(member)} for member in members]
    for names in adrift.values():
        name, index = next(iter(names.items()))
        root = sizes.find(index)
        if root not in found and sizes.is_unknown(index) and not all(root in roots for roots in within):
            yield f"how many values {name} has is not said"


def names_apart(table: Table, left: Meaning, right: Meaning) -> tuple[str, ...]:
    """The names on which only one member rests, though no definition reads them.

    In a derivation a name that is declared may be forgotten. Beside no derivative an equation may say what it is. At a
    step of which the page does not speak, the first one of a recurrence, it may be zero.
    """

    def inputs(node: Meaning) -> set[str]:
        return all_read(table.definitions, node) - table.definitions.keys() - table.losses

    read = {name for definition in table.definitions.values() for name in definition.reads}
    targets = {inner.wrt.name for node in (left, right) for inner in walk(node) if isinstance(inner, Derivative)}
    declared = table.page.declared.keys() | table.page.context.simplex.keys()
    fine = read | targets | (declared if targets else frozenset())
    apart = inputs(left) ^ inputs(right)
    unwritten = apart - table.page.survey.usages.keys() if table.counts else set[str]()
    steps = table.page.steps
    first = {name for name in unwritten if not steps.defining.keys().isdisjoint(steps.others(name))}
    return tuple(sorted((apart - fine) | first))
