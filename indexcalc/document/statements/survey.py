"""What a whole document shows about its names: which subscripts are labels, which names have how many slots."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise

from indexcalc.document.statements.calls import is_expected
from indexcalc.document.statements.field_signs import flowing
from indexcalc.document.statements.labelling import find_labels, find_marks
from indexcalc.document.statements.labels import ABOVE, of_any_layer
from indexcalc.document.statements.nablas import Nablas, nablas_in
from indexcalc.document.statements.scripts import Named, inverse_mark, is_transpose, named
from indexcalc.document.statements.trees import (
    differentiated,
    divisors,
    is_lone,
    is_operator,
    name_nodes,
    products_of,
    rates,
    targets,
)
from indexcalc.language.latex.tree import NORM, Atom, Group, Node, Product, Scripted, Sum, nodes_of
from indexcalc.language.latex.vocabulary import FUNCTIONS, STRUCTURAL


@dataclass
class Usage:
    """How a name is used in the document.

    Attributes:
        indexed: how often with how many indices.
        letters: with which.
        bare: how often without.
        bold: whether ever in bold.
        transposed: whether ever transposed.
        normed: whether ever a term in a norm, as no number is.
        numerator: how often it is differentiated.
        below: how often something is differentiated by it.
        scalar: whether something is divided by it.
        called: how often a bracket follows it.
        mentioned: how often it is all of a formula, where prose speaks of it.
        behind: how often a capital stands right before it: as ``x`` in ``W x``.
        paired: how often what is transposed stands right before it, where it bears an index: ``x_i`` in ``w^T x_i``.
        flows: how often its divergence is taken, or it is the direction of a derivative.
        turns: how often its curl is taken.
        shortened: how often it stands behind a nabla that may be a short gradient.
        multiplied: how often it stands beside other factors, and not behind such a nabla.
        signs: the signs of products that stand beside it.
    """

    indexed: Counter[int] = field(default_factory=Counter)
    letters: set[tuple[str, ...]] = field(default_factory=set)
    bare: int = 0
    bold: bool = False
    transposed: bool = False
    normed: bool = False
    numerator: int = 0
    below: int = 0
    scalar: bool = False
    called: int = 0
    mentioned: int = 0
    behind: int = 0
    paired: int = 0
    flows: int = 0
    turns: int = 0
    shortened: int = 0
    multiplied: int = 0
    signs: set[str] = field(default_factory=set)

    @property
    def only_called(self) -> bool:
        """Whether a bracket follows it wherever it stands in a formula without an index."""
        return self.bare == self.called + self.mentioned


MINUS = "^-"
"""How a name ends that bears a minus as a label."""

NAME_CACHE = 50_000
"""How many nodes' names are remembered: every statement is read many times."""


@dataclass(frozen=True)
class Survey:
    """What the document shows about its names.

    Attributes:
        labels: pairs of a base and a subscript that is a label for it.
        marks: pairs of a name and a superscript that is a part of it.
        usages: by name.
        applied: the names that a bracket follows wherever they stand, or mostly once they bear a prime: functions.
        prior: names that bear a minus as a label, ``e^-``.
        aliases: names that stand for others.
        nablas: how it writes gradients.
        known: the names found so far, by the node's identity; each node is kept, so that no other takes its place.
    """

    labels: frozenset[tuple[str, str]]
    marks: frozenset[tuple[str, str]]
    usages: dict[str, Usage]
    applied: frozenset[str] = frozenset()
    prior: frozenset[str] = frozenset()
    aliases: Mapping[str, str] = field(default_factory=dict)
    nablas: Nablas = field(default_factory=Nablas)
    known: dict[int, tuple[Node, Named | None]] = field(default_factory=dict, compare=False, repr=False)

    def name(self, node: Node) -> Named | None:
        """The name of a node with its scripts taken apart."""
        if id(node) not in self.known:
            if len(self.known) >= NAME_CACHE:
                self.known.clear()
            found = whole_name(named(node, self.labels, self.marks), self.applied)
            found = before_transpose(found, self.prior) if found is not None else None
            if found is not None and found.name in self.aliases:
                found = replace(found, name=self.aliases[found.name])
            self.known[id(node)] = node, found
        return self.known[id(node)][1]

    def names(self, tree: Sum | Product) -> Iterator[Named]:
        """The names in a syntax tree."""
        found = (self.name(node) for node in name_nodes(tree))
        return (one for one in found if one is not None)

    def lone(self, tree: Sum) -> Named | None:
        """The name that a formula is; None if it is more."""
        return self.name(tree.lone) if tree.lone is not None else None

    def rank(self, name: str) -> int | None:
        """The number of slots with which a name is indexed; None if it never is."""
        usage = self.usages.get(name)
        if usage is None or not usage.indexed:
            return None
        return max(usage.indexed) if ABOVE in name else usage.indexed.most_common(1)[0][0]


def survey_of(
    chains: Iterable[tuple[Sum, ...]],
    extents: frozenset[tuple[str, str]] = frozenset(),
    aliases: Mapping[str, str] | None = None,
) -> Survey:
    """Look at all members of all chains; the names of extents bear labels, never indices."""
    chains = [members for members in chains if members]
    labels = find_labels(chains, extents)
    marks = find_marks(chains, labels)
    nablas = nablas_in(member for members in chains for member in members)
    plain = usages_in(chains, Survey(labels, marks, {}, aliases=aliases or {}, nablas=nablas))
    called = {
        name
        for name, usage in plain.items()
        if usage.called and (usage.only_called or (name.endswith("'") and 2 * usage.called > usage.bare))
    }
    applied = frozenset(FUNCTIONS) | {name.rstrip("'") for name in called}
    prior = frozenset(name for name in plain if name.endswith(MINUS))
    found = Survey(labels, marks, {}, applied, prior, aliases or {}, nablas)
    return replace(found, usages=usages_in(chains, found))


def usages_in(chains: Iterable[tuple[Sum, ...]], survey: Survey) -> dict[str, Usage]:
    """How names are used in some chains, with the labels that a survey of the document found."""
    usages: dict[str, Usage] = {}
    pooled: dict[str, Usage] = {}
    for members in chains:
        for member in members:
            for found in survey.names(member):
                # The tensors of all layers look alike.
                usage = usages.setdefault(found.name, pooled.setdefault(of_any_layer(found.name), Usage()))
                usage.bold |= found.bold
                usage.transposed |= found.transposed
                if found.parts is None:
                    usage.bare += 1
                    usage.mentioned += mentioned(members)
                elif not all(part.isdigit() for part in found.parts):
                    usage.indexed[len(found.parts)] += 1
                    usage.letters.add(found.parts)
            mark_numerators(member, survey, usages)
            mark_vectors(member, survey, usages)
            for term in normed(member):
                if (one := survey.name(term)) is not None:
                    usages[one.name].normed = True
            mark_factors(member, survey, usages)
    for usage in pooled.values():
        if usage.multiplied:  # other tensors are made from it: it is no loss, and nothing else that is differentiated
            usage.numerator -= usage.shortened
    return usages


def whole_name(found: Named | None, applied: frozenset[str]) -> Named | None:
    """A name with its primes: a part of it, unless it may be a function, whose derivative they mean."""
    if found is None or not found.primes or found.name in applied:
        return found
    return replace(found, name=found.name + "'" * found.primes, primes=0)


def before_transpose(found: Named, prior: frozenset[str]) -> Named:
    """A name whose transposed inverse is the transpose of one with a minus as its label, ``e^{-T}`` beside ``e^-``."""
    if f"{found.name}{MINUS}" not in prior or [inverse_mark(power) for power in found.powers] != ["-T"]:
        return found
    return replace(found, name=f"{found.name}{MINUS}", powers=(), transposed=True)


def mentioned(members: tuple[Sum, ...]) -> bool:
    """Whether a formula is one name and no more: prose speaks of it, and it multiplies nothing."""
    return len(members) == 1 and is_lone(members[0])


def mark_numerators(member: Sum, survey: Survey, usages: Mapping[str, Usage]) -> None:
    """Note which names are differentiated, which are divided by, and which are called."""

    def usage(node: Node, *, bare: bool = False) -> Usage | None:
        found = survey.name(node)
        return usages.get(found.name) if found is not None and not (bare and found.parts is not None) else None

    for node in differentiated(member):
        if (one := usage(node, bare=True)) is not None:
            one.numerator += 1
    for above, below in rates(member):  # by itself anything has a derivative: it need not be computed
        own, other = usage(above, bare=True), usage(below, bare=True)
        if own is not None and own is other:
            own.numerator -= 1
    for node in targets(member):
        if (one := usage(node)) is not None:
            one.below += 1
    for node in divisors(member):
        if (one := usage(node, bare=True)) is not None:
            one.scalar = True
    for kind, node in flowing(member):
        note_field(usage(node, bare=True), kind)
    for product in products_of(member):
        for left, right in pairwise(product.items):
            bracket = right.base if isinstance(right, Scripted) else right
            found = survey.name(left)
            opening = "([" if found is not None and is_expected(found.name) else "("
            known = found is None or found.name not in usages or found.name in (*FUNCTIONS, *STRUCTURAL)
            if found is not None and not known and isinstance(bracket, Group) and bracket.bracket in tuple(opening):
                usages[found.name].called += 1


def mark_vectors(member: Sum, survey: Survey, usages: Mapping[str, Usage]) -> None:
    """Note which names stand right behind a capital, as a vector behind a matrix, or behind what is transposed."""
    for product in products_of(member):
        for left, right in pairwise(node for node in product.items if not is_operator(node)):
            matrix, found = survey.name(left), survey.name(right)
            turned = isinstance(left, Scripted) and any(map(is_transpose, left.above))
            if turned and found is not None and found.parts is not None and found.name in usages:
                usages[found.name].paired += 1
            if matrix is None or found is None or matrix.powers or not matrix.name[:1].isupper():
                continue
            if matrix.parts is None and found.parts is None and found.name in usages:
                usages[found.name].behind += 1


def normed(member: Sum) -> Iterator[Node]:
    """What is a term in a norm."""
    groups = (node for node in nodes_of(member) if isinstance(node, Group) and node.bracket == NORM)
    return (term.items[0] for node in groups for _, term in node.members[0].terms if len(term.items) == 1)


def mark_factors(member: Sum, survey: Survey, usages: Mapping[str, Usage]) -> None:
    """Note which names stand behind nablas that may be short gradients, and which beside other factors, and signs."""
    behind = {id(node) for node in survey.nablas.operands(member)}
    for product in products_of(member):
        for node in product.items:
            found = survey.name(node)
            if found is not None and found.name in usages:
                usages[found.name].shortened += id(node) in behind and found.parts is None
                usages[found.name].multiplied += len(product.items) > 1 and id(node) not in behind
        for sign, node in (*pairwise(product.items), *((two, one) for one, two in pairwise(product.items))):
            found = survey.name(node)
            if isinstance(sign, Atom) and is_operator(sign) and found is not None and found.name in usages:
                usages[found.name].signs.add(sign.text)


def note_field(usage: Usage | None, kind: str) -> None:
    """Note that a name is a field of which a derivative of this kind is taken."""
    if usage is not None:
        usage.turns += kind == "curl"
        usage.flows += kind != "curl"
