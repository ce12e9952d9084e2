"""What a whole document shows about its names: which subscripts are labels, which names have how many slots."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise, zip_longest

from indexcalc.errors import IndexCalcError
from indexcalc.language.latex.grammar import parse
from indexcalc.language.latex.tokens import Token
from indexcalc.language.latex.tree import (
    Atom,
    Cases,
    Fraction,
    Group,
    Matrix,
    Node,
    Product,
    Root,
    Scripted,
    Sum,
    Truth,
    nodes_of,
    sums_in,
)
from indexcalc.language.latex.vocabulary import FUNCTIONS, STRUCTURAL
from indexcalc.proof.document.layers.labels import ABOVE, of_any_layer
from indexcalc.proof.document.scripts import COLON, Named, named, subscript


@dataclass
class Usage:
    """How a name is used in the document.

    Attributes:
        indexed: how often with how many indices.
        letters: with which.
        bare: how often without.
        bold: whether ever in bold.
        transposed: whether ever transposed.
        numerator: how often it is differentiated.
        below: how often something is differentiated by it.
        scalar: whether something is divided by it.
        called: how often a bracket follows it.
        mentioned: how often it is all of a formula, where prose speaks of it.
    """

    indexed: Counter[int] = field(default_factory=Counter)
    letters: set[tuple[str, ...]] = field(default_factory=set)
    bare: int = 0
    bold: bool = False
    transposed: bool = False
    numerator: int = 0
    below: int = 0
    scalar: bool = False
    called: int = 0
    mentioned: int = 0

    @property
    def only_called(self) -> bool:
        """Whether a bracket follows it wherever it stands in a formula without an index."""
        return self.bare == self.called + self.mentioned


NAME_CACHE = 50_000
"""How many nodes' names are remembered: every statement is read many times."""


@dataclass(frozen=True)
class Survey:
    """What the document shows about its names.

    Attributes:
        labels: pairs of a base and a subscript that is a label for it.
        squares: names whose square is a symbol.
        usages: by name.
        known: the names found so far, by the node's identity; each node is kept, so that no other takes its place.
    """

    labels: frozenset[tuple[str, str]]
    squares: frozenset[str]
    usages: dict[str, Usage]
    known: dict[int, tuple[Node, Named | None]] = field(default_factory=dict, compare=False, repr=False)

    def name(self, node: Node) -> Named | None:
        """The name of a node with its scripts taken apart."""
        if id(node) not in self.known:
            if len(self.known) >= NAME_CACHE:
                self.known.clear()
            self.known[id(node)] = node, named(node, self.labels, self.squares)
        return self.known[id(node)][1]

    def rank(self, name: str) -> int | None:
        """The number of slots with which a name is indexed; None if it never is."""
        usage = self.usages.get(name)
        if usage is None or not usage.indexed:
            return None
        return max(usage.indexed) if ABOVE in name else usage.indexed.most_common(1)[0][0]


def survey_of(chains: Iterable[tuple[Sum, ...]], extents: frozenset[tuple[str, str]] = frozenset()) -> Survey:
    """Look at all members of all chains; the names of extents bear labels, never indices."""
    chains = [members for members in chains if members]
    labels = find_labels(chains, extents)
    squares = find_squares(chains, labels)
    usages: dict[str, Usage] = {}
    pooled: dict[str, Usage] = {}
    for members in chains:
        for member in members:
            for node in name_nodes(member):
                found = named(node, labels, squares)
                if found is None:
                    continue
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
            mark_numerators(member, labels, squares, usages)
    return Survey(labels, squares, usages)


def mentioned(members: tuple[Sum, ...]) -> bool:
    """Whether a formula is one name and no more: prose speaks of it, and it multiplies nothing."""
    return len(members) == 1 and is_lone(members[0])


def name_nodes(tree: Node | Product | Sum) -> Iterator[Node]:
    """Names with their scripts, each once; and calls of functions."""
    if isinstance(tree, Atom):
        yield tree
    elif isinstance(tree, Scripted) and isinstance(tree.base, Atom):
        yield tree
        for tokens in tree.above if tree.base.text == "e" and not tree.below else ():
            yield from name_nodes(exponent(tokens))
    else:
        for part in inner_parts(tree):
            yield from name_nodes(part)


def inner_parts(tree: Node | Product | Sum) -> tuple[Node | Product | Sum, ...]:
    """What stands directly inside a tree."""
    match tree:
        case Sum(terms):
            return tuple(term for _, term in terms)
        case Product(items):
            return items
        case Group(members=members):
            return members
        case Fraction(above, below):
            return (above, below)
        case Scripted(base=base):
            return (base,)
        case Root(body):
            return (body,)
        case Matrix():
            return tuple(sums_in(tree))
        case Cases(branches):
            tests = [test for _, conditions in branches for test in conditions if not between_letters(test)]
            return (*(value for value, _ in branches), *(side for test in tests for side in sums_in(test)))
        case _:
            return ()


def between_letters(test: Truth) -> bool:
    """Whether a condition is a relation between two letters, which are indices then and no names."""
    sides = (side.only for side in sums_in(test))
    return all(
        side is not None and len(side.items) == 1 and isinstance(side.items[0], Atom) and side.items[0].kind == "NAME"
        for side in sides
    )


@lru_cache(maxsize=4096)
def exponent(tokens: tuple[Token, ...]) -> Sum:
    """The syntax tree of a superscript; empty if it is none."""
    try:
        return parse(tokens)
    except IndexCalcError:
        return Sum(())


def nodes_and_exponents(member: Sum) -> Iterator[Node]:
    """Every node, those in exponents of Euler's number too."""
    for node in nodes_of(member):
        yield node
        if isinstance(node, Scripted) and isinstance(node.base, Atom) and node.base.text == "e" and not node.below:
            for tokens in node.above:
                yield from nodes_and_exponents(exponent(tokens))


SIZE_NAMES = frozenset({"d", "n", "T", "N"})
"""Names of sizes, which bear several labels, ``d_k`` and ``d_v``, where none of these is an index beside them."""


def find_labels(chains: list[tuple[Sum, ...]], extents: frozenset[tuple[str, str]]) -> frozenset[tuple[str, str]]:
    """Single letters that are a base's only subscript and occur nowhere else in its equations."""
    votes: dict[tuple[str, str], set[bool]] = {}
    ends = ends_of_sums(chains)
    subscripts: dict[str, set[str]] = {}
    for members in chains:
        uses: list[tuple[str, tuple[str, ...]]] = []
        for member in members:
            for node in nodes_and_exponents(member):
                if isinstance(node, Scripted) and node.below and not is_nabla(node.base):
                    base = node.base.text if isinstance(node.base, Atom) else ""
                    kind = node.base.kind if isinstance(node.base, Atom) else ""
                    uses.append((base if kind == "NAME" else "", letters_in(node)))
        bare_sum = any(sums_barely(member) for member in members)
        for base, letters in uses:
            if not base:
                continue
            subscripts.setdefault(base, set()).add(" ".join(letters))
            if len(letters) == 1:
                elsewhere = bare_sum or any(letters[0] in other for name, other in uses if name != base)
                elsewhere = elsewhere or (base, letters[0]) in ends
                votes.setdefault((base, letters[0]), set()).add(not elsewhere)
    sizes = {base for base in SIZE_NAMES if all(seen == {True} for (name, _), seen in votes.items() if name == base)}
    found = {
        (base, letter)
        for (base, letter), seen in votes.items()
        if seen == {True} and (len(subscripts[base]) == 1 or base in sizes)
    }
    written_out = entries_written_out(chains)
    digits = {
        (base, letter)
        for base, texts in subscripts.items()
        for letter in texts
        if letter.isdigit() and all(text.isdigit() for text in texts) and base not in written_out
    }
    return frozenset(
        found
        | digits
        | extents
        | named_after(chains, subscripts)
        | set(of_functions(chains))
        | {(base, letter) for base, letter in parameters(chains) if len(subscripts[base]) == 1}
    )


def ends_of_sums(chains: list[tuple[Sum, ...]]) -> set[tuple[str, str]]:
    r"""Names with the letter at which a sum ends in their equation, ``o_i = \sum_{j=1}^{i} x_j``; no size is one."""
    nodes = [[node for member in members for node in nodes_and_exponents(member)] for members in chains]
    compared = {id(part) for inner in nodes for node in inner if isinstance(node, Truth) for part in nodes_of(node)}
    counted = {
        node.text
        for members, inner in zip(chains, nodes, strict=True)
        for node in inner
        if isinstance(node, Atom) and id(node) not in compared and not all(map(is_lone, members))
    }
    found: set[tuple[str, str]] = set()
    for members, inner in zip(chains, nodes, strict=True):
        head = members[0].only
        name = head.items[0] if head is not None and len(head.items) == 1 else None
        if not isinstance(name, Scripted) or not isinstance(name.base, Atom):
            continue
        limits = {
            token.text
            for node in inner
            if isinstance(node, Scripted) and isinstance(node.base, Atom) and node.base.kind == "SUM"
            for tokens in node.above
            for token in tokens[:1]
        }
        found.update((name.base.text, letter) for letter in letters_in(name) if letter in limits - counted)
    return found


def is_lone(tree: Sum) -> bool:
    """Whether a formula is one name and no more."""
    return tree.only is not None and len(tree.only.items) == 1 and isinstance(tree.only.items[0], Atom)


def named_after(chains: list[tuple[Sum, ...]], subscripts: dict[str, set[str]]) -> set[tuple[str, str]]:
    """``W_{xh}``, ``b_f`` beside ``x_t``, ``h_t`` and ``f_t``: arrays that are named after others.

    All subscripts of such a name with as many letters are letters of arrays that have scripts themselves; no sum
    binds one of these letters, and none is an index elsewhere.
    """
    names = [node for members in chains for member in members for node in nodes_and_exponents(member)]
    sums = [n for n in names if isinstance(n, Scripted) and isinstance(n.base, Atom) and n.base.kind == "SUM"]
    bound = {letter for node in sums for letter in letters_in(node)}
    # The number of a step is a part of a name already.
    stepped = {node.text.partition("_")[0] for node in names if isinstance(node, Atom) and "_" in node.text}
    arrays = {name.rsplit(" ", maxsplit=1)[-1] for name in (*subscripts, *stepped)} - bound
    lengths: dict[tuple[str, int], set[str]] = {}
    for base, texts in subscripts.items():
        for text in texts - {""}:
            lengths.setdefault((base, len(text.split())), set()).add(text)
    after = {key for key, texts in lengths.items() if arrays.issuperset(" ".join(texts).split())}
    indices = {letter for key, texts in lengths.items() if key not in after for letter in " ".join(texts).split()}
    return {
        (base, text.replace(" ", ""))
        for base, count in after
        for text in lengths[base, count]
        if indices.isdisjoint(" ".join(lengths[base, count]).split())
    }


def is_nabla(node: Node) -> bool:
    """Whether a node is the sign of a gradient, below which its variable stands."""
    return isinstance(node, Atom) and node.kind == "NABLA"


def parameters(chains: list[tuple[Sum, ...]]) -> Iterator[tuple[str, str]]:
    """The parameters of functions, ``h_w(x)``: names of their own, below a name that a bracket always follows."""
    own: set[str] = set()
    called: dict[tuple[str, str], bool] = {}
    for members in chains:
        for member in members:
            for node in name_nodes(member):
                base = node.base if isinstance(node, Scripted) else node
                own.update({base.text} if isinstance(base, Atom) else ())
            for product in products_of(member):
                for node, following in zip_longest(product.items, product.items[1:]):
                    if isinstance(node, Scripted) and isinstance(node.base, Atom) and node.base.kind == "NAME":
                        letters = letters_in(node)
                        if len(letters) == 1:
                            key = (node.base.text, letters[0])
                            bracket = isinstance(following, Group) and following.bracket == "("
                            called[key] = called.get(key, True) and bracket
    yield from (key for key, always in sorted(called.items()) if always and key[1] in own)


def of_functions(chains: list[tuple[Sum, ...]]) -> Iterator[tuple[str, str]]:
    """The parameters of functions that an equation begins with, ``h_{w,b}(x) = ...``: names that stand without it."""
    nodes = (node for members in chains for member in members for node in name_nodes(member))
    bases = (node.base if isinstance(node, Scripted) else node for node in nodes)
    own = {base.text for base in bases if isinstance(base, Atom)}
    for members in chains:
        head = members[0].only if len(members) > 1 else None
        if head is None or len(head.items) != 2 or not isinstance(head.items[1], Group) or head.items[1].bracket != "(":
            continue
        name = head.items[0]
        if isinstance(name, Scripted) and isinstance(name.base, Atom) and name.base.kind == "NAME" and name.below:
            letters = letters_in(name)
            if letters and own.issuperset(letters):
                yield name.base.text, "".join(token.text for token in name.below if token.kind not in ("{", "}"))


def entries_written_out(chains: list[tuple[Sum, ...]]) -> set[str]:
    """The names that stand alone somewhere, and with numbers in a matrix: the numbers are those of entries."""
    nodes = [node for members in chains for member in members for node in name_nodes(member)]
    bare = {node.text for node in nodes if isinstance(node, Atom)}
    bare |= {
        node.base.text
        for node in nodes
        if isinstance(node, Scripted) and not node.below and isinstance(node.base, Atom)
    }
    cells = [
        inner
        for members in chains
        for member in members
        for node in nodes_of(member)
        if isinstance(node, Matrix)
        for cell in sums_in(node)
        for inner in name_nodes(cell)
    ]
    return {n.base.text for n in cells if isinstance(n, Scripted) and n.below and isinstance(n.base, Atom)} & bare


def sums_barely(member: Sum) -> bool:
    """Whether a sum without an index stands in a member: it binds some letter, which is no label then."""
    signs = sum(isinstance(node, Atom) and node.kind == "SUM" for node in nodes_of(member))
    return signs > sum(
        isinstance(node, Scripted) and isinstance(node.base, Atom) and node.base.kind == "SUM" and bool(node.below)
        for node in nodes_of(member)
    )


def letters_in(node: Scripted) -> tuple[str, ...]:
    """The parts of a subscript, also below a sum, where ``k=1`` binds k."""
    if isinstance(node.base, Atom) and node.base.kind == "SUM":
        return tuple(token.text for token in node.below if token.kind == "NAME")
    return tuple(part for part in subscript(node.below).parts if part != COLON)


def find_squares(chains: list[tuple[Sum, ...]], labels: frozenset[tuple[str, str]]) -> frozenset[str]:
    """Names whose square stands alone on the left of a definition, and that have none without the square."""
    found: dict[str, set[bool]] = {}
    for members in chains:
        product = members[0].only
        if len(members) < 2 or product is None or len(product.items) != 1:
            continue
        head = named(product.items[0], labels, frozenset())
        if head is not None and head.name != "1":
            squared = len(head.powers) == 1 and [token.text for token in head.powers[0]] == ["2"]
            if squared or not head.powers:
                found.setdefault(head.name, set()).add(squared)
    return frozenset(name for name, squared in found.items() if squared == {True})


def mark_numerators(
    member: Sum, labels: frozenset[tuple[str, str]], squares: frozenset[str], usages: dict[str, Usage]
) -> None:
    """Note which names are differentiated, which are divided by, and which are called."""

    def bare(node: Node) -> Usage | None:
        found = named(node, labels, squares)
        return usages.get(found.name) if found is not None and found.parts is None else None

    for node in differentiated(member):
        if (usage := bare(node)) is not None:
            usage.numerator += 1
    for node in targets(member):
        found = named(node, labels, squares)
        if found is not None and found.name in usages:
            usages[found.name].below += 1
    for node in divisors(member):
        if (usage := bare(node)) is not None:
            usage.scalar = True
    for product in products_of(member):
        for left, right in pairwise(product.items):
            bracket = right.base if isinstance(right, Scripted) else right
            if isinstance(bracket, Group) and bracket.bracket == "(":
                found = named(left, labels, squares)
                if found is not None and found.name in usages and found.name not in (*FUNCTIONS, *STRUCTURAL):
                    usages[found.name].called += 1


def differentiated(member: Sum) -> Iterator[Node]:
    """What stands alone behind the sign of a derivative: in a fraction, before a slash, or behind a nabla."""
    for node in nodes_of(member):
        above = node.numerator.only if isinstance(node, Fraction) else None
        if above is not None and len(above.items) == 2 and is_differential(above.items[0]):
            yield above.items[1]
    for product in products_of(member):
        for sign, following in pairwise(product.items):
            if is_nabla(sign.base if isinstance(sign, Scripted) else sign):
                yield following
        for sign, above_, slash, below in zip(*(product.items[n:] for n in range(4)), strict=False):
            if is_differential(sign) and is_differential(below) and isinstance(slash, Atom) and slash.kind == "SLASH":
                yield above_


def targets(member: Sum) -> Iterator[Node]:
    """What stands below the sign of a derivative in a fraction."""
    for node in nodes_of(member):
        below = node.denominator.only if isinstance(node, Fraction) else None
        if below is not None and len(below.items) == 2 and is_differential(below.items[0]):
            yield below.items[1]


def divisors(member: Sum) -> Iterator[Node]:
    """The factors of denominators, those under a root too."""
    for node in nodes_of(member):
        below = node.denominator.only if isinstance(node, Fraction) else None
        if below is not None and not is_differential(below.items[0]):
            for item in below.items:
                yield item
                yield from item.body.only.items if isinstance(item, Root) and item.body.only else ()


def products_of(tree: Sum) -> Iterator[Product]:
    """Every product at every depth."""
    for inner in sums_of(tree):
        for _, term in inner.terms:
            yield term


def sums_of(tree: Sum) -> Iterator[Sum]:
    """Every sum of terms at every depth."""
    yield tree
    for node in nodes_of(tree):
        if isinstance(node, Group):
            yield from node.members
        elif isinstance(node, Fraction):
            yield from (node.numerator, node.denominator)
        elif isinstance(node, Cases | Matrix):
            yield from sums_in(node)
        elif hasattr(node, "body"):
            yield node.body


def is_differential(node: Node) -> bool:
    """Whether a node is the sign of a derivative: a curly or an ordinary d."""
    return isinstance(node, Atom) and (node.kind == "PARTIAL" or (node.kind == "NAME" and node.text == "d"))
