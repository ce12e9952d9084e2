r"""Differentials, ``d(AB) = dA\,B + A\,dB``: what stands directly under a d varies, along a direction of its own.

A differential is the derivative along that direction. Free are the directions of the names under a d that are
computed from no other one of them; the differentials of all others follow.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from indexcalc.document.choices import Kind, Option, choice
from indexcalc.document.derivatives import without_gradients
from indexcalc.document.meaning.nodes import ZERO, Derivative, Entry, Meaning, Plus, Total, names_of, times
from indexcalc.document.meaning.symbols import NotUnderstoodError, all_read, depends_on
from indexcalc.document.meaning.typed import Typed
from indexcalc.document.sections import Range
from indexcalc.document.statements.scripts import Named
from indexcalc.document.statements.variations import Variations, is_letter_d
from indexcalc.document.table import Table
from indexcalc.language.latex.tree import Group, Node, Scripted

DIRECTION = "direction of "
"""What the name of the direction begins with in which a tensor varies."""

SIGN = choice(
    Kind.WORD,
    "d before an expression",
    Option("differential", 0.0, "d before an expression is the sign of its differential"),
    Option("name", 0.2, "d is a name"),
)
"""What a d is that stands before a bracket, a function or a name."""


def is_sign(table: Table, items: Sequence[Node], position: int) -> bool:
    """Whether a factor is the sign of the differential of what follows it."""
    return may_be_sign(table, items, position) and table.asking(SIGN).name == "differential"


def may_be_sign(table: Table, items: Sequence[Node], position: int) -> bool:
    """Whether a factor is a plain d that is no name elsewhere, and something follows it.

    Before a bracket a letter of a size may be one too, in a statement that has other differentials, ``dX``.
    """
    item = items[position]
    if not is_letter_d(item) or position + 1 == len(items):
        return False
    known = table.view.is_size("d") or "d" in table.page.declared or "d" in table.page.defining
    if item.token.upright or not known:
        return True
    size = table.view.is_size("d") and "d" not in table.page.defining
    return size and is_bracket(items[position + 1]) and bool(variations(table).short)


def variations(table: Table) -> Variations:
    """The differentials in the statement, as they are written."""
    return table.page.variations[table.number]


def is_bracket(node: Node) -> bool:
    """Whether a node is a round bracket, with a transpose behind it or not."""
    base = node.base if isinstance(node, Scripted) else node
    return isinstance(base, Group) and base.bracket == "("


def has_sign(table: Table) -> bool:
    """Whether the statement has the sign of a differential before an expression."""
    return any(may_be_sign(table, items, place) for items, place in variations(table).signs)


def short_target(table: Table, name: str) -> str | None:
    """The tensor of which a short name, ``dX``, is the differential in this statement; None if it is a gradient's."""
    target = table.page.gradient_target(name) if name.startswith("d") else None
    if target is None or table.page.stated_gradient(name) is not None:
        return None
    if has_sign(table):
        return target if table.asking(SIGN).name == "differential" else None
    total = is_total(table)
    question = choice(
        Kind.DERIVATIVE,
        f"d before names in statement {table.number}",
        Option("gradient", 0.1 if total else 0.0, "a name behind a d is that of the loss's gradient"),
        Option("differential", 0.0 if total else 0.1, "a name behind a d is that of a differential", free=True),
    )
    return target if table.asking(question).name == "differential" else None


def is_total(table: Table) -> bool:
    r"""Whether a statement gives ``dy`` by ``dx`` and the derivatives of y, as ``dy = \frac{dy}{dx} dx`` does."""
    head, *others = ([table.styled(one) for one in member] for member in variations(table).members)
    behind = {one.name for other in others for one in other}
    return any(
        stands_alone(table, one.name) and one.name not in behind and below(slopes_here(table), one.name) & behind
        for one in head
    )


def below(slopes: Mapping[str, Sequence[Named]], name: str) -> set[str]:
    """The names by which one is differentiated, and these again."""
    found, pending = set[str](), [name]
    while pending:
        new = {other.name for other in slopes.get(pending.pop(), ())} - found
        found |= new
        pending.extend(new)
    return found


def differential_of(table: Table, value: Typed) -> Typed:
    """The differential of an expression: the sum over what varies of its derivatives times the directions."""
    if table.inside:
        raise NotUnderstoodError("a differential in the definition of a name")
    if any(name.startswith(DIRECTION) for name in names_of(value.node)):
        raise NotUnderstoodError("a second differential")
    node = without_gradients(table, value.node)
    read = all_read(table.definitions, node)
    parts: list[Meaning] = []
    for name in free_names(table):
        if name in read:
            parts.append(along(table, node, name))
    for name in sorted(read):
        hold(table, name)
    if not parts:
        table.open.setdefault("what varies", "nothing under the sign of the differential is known to vary")
    return replace(value, node=Plus(tuple(parts)) if parts else ZERO, jacobian=False)


def introduce(table: Table) -> None:
    r"""Names of the statement are functions if their differentials stand beside their derivatives.

    In ``dy = \frac{dy}{dx} dx`` an undefined ``y`` is any function of ``x``, and so on along a chain.
    """
    above = slopes_here(table) if table.page.slopes[table.number] else {}
    pending = [one.name for one in varied_here(table) if one.name in above] if above else []
    if not pending or not reads_differentials(table, pending):
        return
    functions: dict[str, tuple[str, ...]] = {}
    while pending:
        name = pending.pop()
        arguments = tuple(dict.fromkeys(other.name for other in above[name]))
        if name in functions or name in table.page.defining or has_further_arguments(table, name, len(arguments)):
            continue
        functions[name] = arguments
        pending.extend(other for other in functions[name] if other in above)
    names = {one.name: one for one in varied_here(table)}
    names.update({other.name: other for others in above.values() for other in others})
    for name, arguments in functions.items():
        for one in (name, *arguments):
            if one not in table.known:
                table.meet(replace(names[one], transposed=False, powers=()))
    for name, targets in functions.items():
        if name not in table.definitions and not any(depends_on(table.definitions, other, name) for other in targets):
            table.suppose(name, targets)


def has_further_arguments(table: Table, name: str, count: int) -> bool:
    """Whether a function is said to have more arguments than these many: here, or else anywhere on the page."""
    said = list(lists_behind(table.page.statement_text(table.number), name))
    said = said or list(lists_behind(table.page.document.source, name))
    return any(len(arguments) > count for arguments in said)


def lists_behind(text: str, name: str) -> Iterator[list[str]]:
    """The lists in brackets behind a name, as they are written."""
    letter = name.removeprefix("plain ").rsplit(" ", maxsplit=1)[-1]
    for found in re.finditer(rf"{re.escape(letter)}\s*\}}?\s*\(([^()]*)\)", text):
        yield found.group(1).split(",")


def reads_differentials(table: Table, names: Sequence[str]) -> bool:
    """Whether what stands behind a d in the statement is read as a differential."""
    if has_sign(table):
        return table.asking(SIGN).name == "differential"
    return any(short_target(table, f"d{name}") is not None for name in names)


def varied_here(table: Table) -> list[Named]:
    """The names directly under a d in the statement."""
    return [table.styled(one) for member in variations(table).members for one in member]


def slopes_here(table: Table) -> dict[str, list[Named]]:
    """The names that the statement differentiates, each with those by which it does."""
    found: dict[str, list[Named]] = {}
    for above, below in table.page.slopes[table.number]:
        one, other = table.styled(above), table.styled(below)
        if one.name != other.name:
            found.setdefault(one.name, []).append(other)
    return found


def along(table: Table, node: Meaning, name: str) -> Meaning:
    """How an expression changes as one tensor varies."""
    direction = DIRECTION + name
    if direction not in table.known:
        table.known[direction] = tuple(table.sizes.like(slot) for slot in table.known[name])
    if isinstance(node, Entry) and node.name == name:
        return Entry(direction, node.slots)
    own = tuple(table.sizes.like(slot) for slot in table.known[name])
    product = times(Derivative(node, Entry(name, own)), Entry(direction, own))
    return Total(own, product) if own else product


def free_names(table: Table) -> tuple[str, ...]:
    """The names under a d in the statement that are computed from no other one of them."""
    found = {one.name: one for one in varied_here(table)}
    for one in found.values():
        if one.name not in table.known:
            table.meet(replace(one, transposed=False, powers=()))
    free = [
        name
        for name in found
        if not any(other != name and depends_on(table.definitions, name, other) for other in found)
    ]
    if len(free) > 1:
        for name in free:
            if table.page.survey.usages.get(name) is None or stands_alone(table, name):
                table.open.setdefault(name, f"how {name} depends on what varies is not known")
    return tuple(free)


def stands_alone(table: Table, name: str) -> bool:
    """Whether the first member of the statement is the differential of a name, and no more."""
    return table.page.statements[table.number].sides[0].tree is not None and is_differential_of(
        table, table.number, name
    )


def hold(table: Table, name: str) -> None:
    """Whether a name that is under no d here varies although the document varies it elsewhere.

    What no statement of this section varies may well be held in it; so is what ``dA = 0`` says of a name, or a word.
    """
    free, around = free_names(table), varied_around(table, name)
    if name in free or name in table.definitions or not around:
        return
    if any(depends_on(table.definitions, one, name) for one in free):
        return
    here = table.page.section(table.number)
    said = [one for one in sorted(names_around(table)) if is_said_constant(table, one)]
    if name in said:
        # What is said of several names is one option, so that all are held at once.
        question = choice(
            Kind.DERIVATIVE,
            f"what is said not to vary in statement {table.number}",
            Option("varies", 0.0, f"{' and '.join(said)} may vary all the same"),
            Option("held", 0.3, f"{' and '.join(said)} {'is' if len(said) == 1 else 'are'} held", stated=True),
        )
    else:
        question = choice(
            Kind.DERIVATIVE,
            f"{name} in statement {table.number}",
            Option("varies", 0.0, f"{name} varies too"),
            Option("held", 0.3, f"{name} is held", free=here not in around),
        )
    if table.asking(question).name == "varies":
        raise NotUnderstoodError(f"{name} varies elsewhere, and is held here")


def varied_around(table: Table, name: str) -> frozenset[Range]:
    """The sections in which a name stands under a d."""
    return frozenset(
        table.page.section(number)
        for number, variations in enumerate(table.page.variations)
        if any(table.styled(one).name == name for member in variations.members for one in member)
    )


def names_around(table: Table) -> frozenset[str]:
    """The names that stand under a d anywhere."""
    every = (one for variations in table.page.variations for member in variations.members for one in member)
    return frozenset(table.styled(one).name for one in every)


def is_said_constant(table: Table, name: str) -> bool:
    """Whether a word says here that a name is held, or ``dA = 0`` before the statement, in its section.

    What is said of a trace or a sum of a differential, or in an inequality, says nothing of the name itself.
    """
    page, number = table.page, table.number
    if name in page.held[number]:
        return True
    return any(
        len(statement.sides) == 2
        and statement.sides[1].relation == "="
        and statement.trees[-1].is_zero
        and [token.text for token in statement.sides[0].tokens][:-1] in ([], ["d"])
        and is_differential_of(table, before, name)
        and page.section(before) == page.section(number)
        for before, statement in enumerate(page.statements[:number])
        if len(statement.trees) == 2
    )


def is_differential_of(table: Table, number: int, name: str) -> bool:
    """Whether the first member of a statement is the differential of a name, and no more."""
    product = table.page.statements[number].trees[0].only
    if product is None or len(product.items) > 2:
        return False
    return any(table.styled(one).name == name for one in table.page.variations[number].members[0])
