"""Whether a relation can be refuted at all: only known names, read without a guess, support it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from indexcalc.proof.document.judging.members import Members
from indexcalc.proof.document.judging.origins import (
    all_names,
    gradients_in,
    inputs_of,
    loss_without,
    name_is_constant,
    strangers,
    unrelated,
)
from indexcalc.proof.document.layers.families import numbers_bound
from indexcalc.proof.document.layers.labels import layers_of
from indexcalc.proof.document.meaning.nodes import Derivative, Entry, Meaning, Relation, names_of, walk
from indexcalc.proof.document.meaning.symbols import Symbols, depends_on
from indexcalc.proof.document.meaning.typed import Typed
from indexcalc.proof.document.names.outside import computed_outside
from indexcalc.proof.document.names.particular import is_one_case
from indexcalc.proof.document.names.restating import may_update, newcomer
from indexcalc.proof.document.numerics.numbers import is_backward
from indexcalc.proof.document.reading.reductions import ranks
from indexcalc.proof.document.written.roles import PROSE_REACH, Roles, names_of_tree

MAY_VARY = "may be a differential"
"""Why a short name of a gradient supports no refutation."""


@dataclass(frozen=True, slots=True)
class Accusation:
    """A member that does not equal the head, before it is known whether that can be said of it.

    Attributes:
        members: the statement under the reading in which they differ.
        number: the place of the member.
        generic: names that have no one meaning in the document.
    """

    members: Members
    number: int
    generic: Collection[str]

    @property
    def roles(self) -> Roles:
        """The document's roles."""
        return self.members.roles

    @property
    def symbols(self) -> Symbols:
        """The document's symbols."""
        return self.members.roles.symbols

    @property
    def head(self) -> Typed | None:
        """The first member."""
        return self.members.head

    @property
    def value(self) -> Typed | None:
        """The accused member."""
        return self.members.values[self.number]

    def nodes(self) -> Iterator[Meaning]:
        """Both members' expressions, as far as they have a meaning."""
        yield from (value.node for value in (self.head, self.value) if value is not None)


def ungrounded(accusation: Accusation, *, alone: bool = False) -> str | None:
    """Why a member cannot support a refutation; None if it can.

    Args:
        accusation: the member.
        alone: whether it is wrong whatever the first member is equal to, so that this needs no definition.
    """
    grounds = (ground for ground in GROUNDS if not (alone and ground in (head_unknown, unread)))
    return next((reason for ground in grounds if (reason := ground(accusation)) is not None), None)


def wrong_alone(members: Members) -> bool:
    """Whether a name or a gradient is given a formula that is wrong in itself, without blocks of arrays."""
    roles, statement, head = members.roles, members.statement, members.head
    node = head.node if head is not None else None
    if not isinstance(node, Entry | Derivative) or (isinstance(node, Entry) and node.name in roles.symbols.definitions):
        return False
    first, second, *_ = statement.trees
    names = [*names_of_tree(roles, first), *names_of_tree(roles, second)]
    if any(found.name in roles.symbols.unread for found in names_of_tree(roles, second)):
        return False
    if isinstance(node, Derivative) and ranks(roles, second) != {2}:
        # A vector or a number that a note multiplies a matrix by may be meant for each row, or for one column alone.
        return False
    blocks = any(found.transposed or found.name in roles.symbols.adjoints for found in names)
    return not (blocks and any(found.parts is not None for found in names))


def guessed(accusation: Accusation) -> str | None:
    """Something was read by a guess."""
    if accusation.members.statement.guessed:
        return "false, if what stands apart in it is a product"
    guesses = accusation.members.reader.guesses
    return f"false, if {guesses[0]}" if guesses else None


def change(accusation: Accusation) -> str | None:
    r"""A bare ``\Delta`` that is never defined, before another name: both may be one name, of a change or a step."""
    symbols = accusation.symbols
    used = any(inner == Entry("Delta") for node in accusation.nodes() for inner in walk(node))
    return "Delta may be a part of the name behind it" if used and "Delta" not in symbols.definitions else None


def in_one_case(accusation: Accusation) -> str | None:
    """It follows from an equation that holds only in one case, or stands behind an arrow."""
    sides = accusation.members.statement.sides[1 : accusation.number + 1]
    if accusation.members.statement.supposed or any(side.relation == "->" for side in sides):
        return "it is said to hold where what stands before it does"
    return None


def counting(accusation: Accusation) -> str | None:
    """A letter that a sum binds and that is a number in it, ``sum_k k``, where the other side has no such sum."""
    roles, sides = accusation.roles, accusation.members.statement.sides
    counted = {
        name: set(numbers_bound(roles.statements[number].sides[1].tokens)) for number, name in roles.defining.items()
    }
    found = []
    for n, value in ((0, accusation.head), (accusation.number, accusation.value)):
        names = all_names(accusation.symbols, value.node) if value is not None else set()
        found.append(set(numbers_bound(sides[n].tokens)).union(*(counted.get(name, ()) for name in names)))
    apart = found[0] ^ found[1]
    return f"{min(apart)} is a number in a sum over it" if apart else None


def orthogonal(accusation: Accusation) -> str | None:
    """A matrix of which the words and formulas just before say that it is to be orthogonal."""
    roles, start = accusation.roles, accusation.members.statement.span.start
    demands = {
        name.name
        for statement in roles.statements
        if 0 <= start - statement.span.start <= PROSE_REACH * 2 and len(statement.sides) == 2
        if [token.text for token in statement.sides[1].tokens] == ["I"]
        for tree in statement.trees[:1]
        for name in names_of_tree(roles, tree)
    }
    names = {name for node in accusation.nodes() for name in all_names(accusation.symbols, node)} if demands else set()
    tried = accusation.symbols.definitions.keys() | accusation.symbols.orthonormal
    found = sorted(names & demands - tried)
    return f"{found[0]} may be given so that its product with its transpose is the identity" if found else None


def any_layer(accusation: Accusation) -> str | None:
    """A loss that is defined by the output of layer l, where something is said of layer l + 1: l is not the last."""
    symbols = accusation.symbols
    names = {name for node in accusation.nodes() for name in all_names(symbols, node)}
    beyond = {layer.text for name in names for layer in layers_of(name) if layer.offset > 0}
    for name in sorted(names):
        if symbols.slots.get(name) != () or name not in symbols.definitions or layers_of(name):
            continue
        read = {layer for one in symbols.definitions[name].reads for layer in layers_of(one)}
        if any(layer.text.islower() and layer.text in beyond and not layer.offset for layer in read):
            return f"{name} is defined by what one layer gives, as if it were the last"
    return None


def demanded(accusation: Accusation) -> str | None:
    """A product of inputs that is to be the identity, such as ``W W^T = I``."""
    head, value, symbols = accusation.head, accusation.value, accusation.symbols
    if head is None or value is None or not isinstance(value.node, Relation) or isinstance(head.node, Entry):
        return None
    names = names_of(head.node)
    inputs = names and not any(name in symbols.definitions or symbols.is_loss(name) for name in names)
    if inputs and not any(isinstance(node, Derivative) for node in walk(head.node)):
        return f"{names[0]} may be given so that it holds"
    return None


def differential(accusation: Accusation) -> str | None:
    """A short name of a gradient may be that of a differential."""
    variation = accusation.members.reader.variation
    if not accusation.symbols.differentials or (variation is not None and variation.sure):
        return None
    for tree in accusation.members.statement.trees:
        for found in names_of_tree(accusation.roles, tree):
            if found.name in accusation.symbols.adjoints and found.name.startswith("d"):
                return f"{found.name} {MAY_VARY}"
    return None


def head_unknown(accusation: Accusation) -> str | None:
    """The head is made of a name without a definition that the member does not know, or with one from other inputs."""
    head, value, symbols = accusation.head, accusation.value, accusation.symbols
    if head is None:
        return None
    if not any(isinstance(node, Derivative) for node in walk(head.node)):
        other = all_names(symbols, value.node) if value is not None else set()
        for name in names_of(head.node):
            known = name in symbols.definitions or name in symbols.given or name in other
            if not known:
                return f"{name} has no definition to compare with"
    if not isinstance(head.node, Entry):
        return None
    if head.node.name not in symbols.definitions:
        return f"{head.node.name} has no definition to compare with"
    if value is not None and unrelated(symbols, head.node, value.node):
        return f"{head.node.name} is defined from other names before"
    new = newcomer(accusation.roles, accusation.members.statement, value) if value is not None else ""
    return f"{head.node.name} is defined without {new} before" if new else None


def particular(accusation: Accusation) -> str | None:
    """A member is made of decimals, the values that names have in one case."""
    symbols, head = accusation.symbols, accusation.head
    free_names = head is None or any(name not in symbols.definitions for name in all_names(symbols, head.node))
    if free_names and is_one_case(accusation.members.statement, accusation.number):
        return "it may be calculated with the values of one case"
    return None


def updated(accusation: Accusation) -> str | None:
    """A name stands on both sides, and may be given a new value."""
    name = may_update(accusation.roles, accusation.members.statement, accusation.number)
    return f"this may be a new value of {name}" if name else None


def unread(accusation: Accusation) -> str | None:
    """A name whose own equation is not understood: what it is made of is not known."""
    symbols = accusation.symbols
    for node in accusation.nodes():
        found = all_names(symbols, node) & symbols.unread
        if found:
            return f"the equation for {min(found)} is not understood"
    return None


def told_in_words(accusation: Accusation) -> str | None:
    """A name of which words say that it is diagonal, or made of eigenvalues: what that means was not read."""
    symbols = accusation.symbols
    for node in accusation.nodes():
        found = all_names(symbols, node) & symbols.told - symbols.definitions.keys()
        if found:
            return f"the words around {min(found)} say more of it than the equations"
    return None


def not_mathematics(accusation: Accusation) -> str | None:
    """A name that is computed outside mathematics, in code or text: what it depends on was not read."""
    names = {name for node in accusation.nodes() for name in all_names(accusation.symbols, node)}
    found = computed_outside(accusation.roles, accusation.members.statement, names)
    return f"{found} is computed outside the formulas" if found else None


def strange(accusation: Accusation) -> str | None:
    """The right side has inputs that may be upstream gradients."""
    names = strangers(accusation.symbols, accusation.head, accusation.value)
    return f"the loss is not known to have to do with {names[0]}" if names else None


def ambiguous(accusation: Accusation) -> str | None:
    """A name has no one meaning."""
    names = (name for node in accusation.nodes() for name in names_of(node))
    found = next((name for name in names if name in accusation.generic), None) or redefined_function(accusation)
    return f"{found} is defined in several ways" if found else None


def redefined_function(accusation: Accusation) -> str | None:
    """A function that the document defines in more than one way, if the statement speaks of it."""
    if not accusation.symbols.redefined:
        return None
    trees = accusation.members.statement.trees
    names = (found.name for tree in trees for found in names_of_tree(accusation.roles, tree))
    return next((name for name in names if name in accusation.symbols.redefined), None)


def undefined(accusation: Accusation) -> str | None:
    """The accused member has a name that is no input, no definition and no gradient."""
    symbols, value = accusation.symbols, accusation.value
    fine = {*(symbols.given - symbols.unsure), *symbols.definitions, *symbols.losses, *symbols.beyond}
    if accusation.head is not None:
        fine.update(names_of(accusation.head.node))
    for name in names_of(value.node) if value is not None else ():
        if name not in fine and not name_is_constant(symbols.slots, name, accusation.roles):
            return f"{name} is never defined"
    return None


def loss_unknown(accusation: Accusation) -> str | None:
    """A gradient of the unknown loss by a tensor on which it is not known to depend, or depends at will."""
    symbols, head = accusation.symbols, accusation.head
    for node in accusation.nodes():
        for inner in gradients_in(node, symbols):
            name = inner.wrt.name
            if head is not None and inner is head.node and name in symbols.outputs:
                return f"the loss depends on {name} in a way that is not given"
            if head is not None and claims_upstream(accusation):
                return f"the loss depends on {name} in a way that is not given"
    name = loss_without(symbols, accusation.nodes())
    return f"the loss is not known to depend on {name}" if name else None


def claims_upstream(accusation: Accusation) -> bool:
    """Whether the head has only gradients by tensors on which the loss depends at will, and the member has none."""
    head, value, symbols = accusation.head, accusation.value, accusation.symbols
    if head is None or value is None or next(gradients_in(value.node, symbols), None) is not None:
        return False
    if any(is_backward(symbols, name) for name in names_of(value.node)):
        return False
    return all(inner.wrt.name in symbols.outputs for inner in gradients_in(head.node, symbols))


def disconnected(accusation: Accusation) -> str | None:
    """A derivative by a tensor that may be a part of what is differentiated, though its definition does not say so."""
    symbols = accusation.symbols
    for node in accusation.nodes():
        for inner in walk(node):
            if not isinstance(inner, Derivative) or not isinstance(inner.body, Entry):
                continue
            body, wrt = inner.body.name, inner.wrt.name
            if body == wrt or body not in symbols.definitions:
                continue
            if wrt not in symbols.definitions and wrt not in all_names(symbols, inner.body):
                inputs = inputs_of(symbols, (body,))
                if inputs and all(accusation.members.reader.apart(name, wrt) for name in inputs):
                    continue
                return f"{body} is not known to depend on {wrt}"
            if wrt not in symbols.definitions:
                continue
            related = depends_on(symbols.definitions, body, wrt) or depends_on(symbols.definitions, wrt, body)
            if not related and inputs_of(symbols, (wrt,)) <= inputs_of(symbols, (body,)):
                return f"{body} is not known to depend on {wrt}"
    return None


GROUNDS: tuple[Callable[[Accusation], str | None], ...] = (
    guessed,
    change,
    in_one_case,
    differential,
    demanded,
    counting,
    orthogonal,
    any_layer,
    head_unknown,
    updated,
    particular,
    unread,
    strange,
    ambiguous,
    undefined,
    loss_unknown,
    disconnected,
    not_mathematics,
    told_in_words,
)
"""What forbids a refutation, each with its reason."""
