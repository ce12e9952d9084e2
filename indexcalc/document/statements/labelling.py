"""Which subscripts are labels, and which superscripts parts of names, as all equations of a document show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, zip_longest

from indexcalc.document.statements.calls import is_call
from indexcalc.document.statements.index_expressions import Expression, letters_of, lookups_of
from indexcalc.document.statements.limits import limits_in
from indexcalc.document.statements.scripts import (
    BEFORE_INDICES,
    Named,
    inverse_mark,
    is_letter,
    is_transpose,
    named,
    subscript,
)
from indexcalc.document.statements.trees import (
    is_lone,
    is_nabla,
    letters_in,
    name_nodes,
    nodes_and_exponents,
    products_of,
)
from indexcalc.language.latex.tokens import Token
from indexcalc.language.latex.tree import Atom, Group, Matrix, Node, Scripted, Sum, Truth, nodes_of, sums_in

SIZE_NAMES = frozenset({"d", "n", "T", "N"})
"""Names of sizes, which bear several labels, ``d_k`` and ``d_v``, where none of these is an index beside them."""

FUNCTION_LETTERS = frozenset({"f", "g", "h", "phi", "varphi", "psi", "sigma"})
"""Names that functions have."""


def find_labels(chains: list[tuple[Sum, ...]], extents: frozenset[tuple[str, str]]) -> frozenset[tuple[str, str]]:
    """Single letters that are a base's only subscript and occur nowhere else in its equations."""
    votes: dict[tuple[str, str], set[bool]] = {}
    ends = ends_of_sums(chains)
    subscripts: dict[str, set[str]] = {}
    computed: set[tuple[str, str]] = set()
    for members in chains:
        uses: list[tuple[str, tuple[str, ...]]] = []
        for member in members:
            for node in nodes_and_exponents(member):
                if isinstance(node, Scripted) and node.below and not is_nabla(node.base):
                    computed |= set(expressions_at(node))
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
    found -= computed
    written_out = entries_written_out(chains)
    digits = {
        (base, letter)
        for base, texts in subscripts.items()
        for letter in texts
        if letter.isdigit() and base not in written_out
        if all(text.isdigit() or (base == "delta" and is_pair(text)) for text in texts)
    }
    return frozenset(
        found
        | digits
        | extents
        | sizes_in_limits(chains)
        | named_after(chains, subscripts)
        | means_of_so_many(chains, subscripts)
        | of_blocks(chains, subscripts)
        | of_identities(chains, subscripts)
        | set(of_functions(chains))
        | set(of_numbered_functions(chains))
        | {(base, letter) for base, letter in parameters(chains) if len(subscripts[base]) == 1}
        | set(of_numbered_arrays(chains, subscripts))
        | set(of_conditionals(chains))
    )


def of_conditionals(chains: list[tuple[Sum, ...]]) -> Iterator[tuple[str, str]]:
    r"""Names with what they are given, ``\Sigma_{a|b}``: no sum runs over a letter that stands at a bar below them."""
    bound, found = bound_by_sums(chains), dict[str, dict[str, tuple[str, ...]]]()
    for members in chains:
        for member in members:
            for node in nodes_and_exponents(member):
                below = subscript(node.below) if isinstance(node, Scripted) and node.below else None
                if below is not None and below.barred and isinstance(node, Scripted) and isinstance(node.base, Atom):
                    text = "".join(token.text for token in node.below if token.kind not in ("{", "}"))
                    found.setdefault(node.base.text, {})[text] = below.parts
    for base, texts in found.items():
        if bound.isdisjoint(part for parts in texts.values() for part in parts):
            yield from ((base, text) for text in texts)


def of_numbered_arrays(chains: list[tuple[Sum, ...]], subscripts: dict[str, set[str]]) -> Iterator[tuple[str, str]]:
    """The numbers of arrays, ``z_2``, that stand before indices too, ``z_{2,k}``: the layers of a small network.

    Such a name stands nowhere without a number, and no letter stands in the place of one.
    """
    bare = {one.text for members in chains for member in members for one in name_nodes(member) if isinstance(one, Atom)}
    for base, texts in subscripts.items():
        parts = [text.split() for text in texts]
        numbers = {part[0] for part in parts if len(part) == 1}
        fits = all(part and part[0].isdigit() and not any(map(str.isdigit, part[1:])) for part in parts)
        if numbers and fits and base not in bare and any(len(part) > 1 for part in parts):
            for number in {part[0] for part in parts}:
                yield base, number
                yield base, f"{number}{BEFORE_INDICES}"


def is_pair(text: str) -> bool:
    """Whether a subscript is one of two letters, as below the sign that says whether two indices are equal."""
    return [part.isalpha() for part in text.split()] == [True, True]


def expressions_at(node: Scripted) -> Iterator[tuple[str, str]]:
    """A name with each letter of the expressions among its indices: ``t`` is no label of h beside ``h_{t-1}``."""
    if isinstance(node.base, Atom) and node.base.kind == "NAME":
        for part in subscript(node.below).parts:
            if isinstance(part, Expression):
                yield from ((node.base.text, letter) for letter in letters_of(part))
                yield from lookups_of(part)


def means_of_so_many(chains: list[tuple[Sum, ...]], subscripts: dict[str, set[str]]) -> set[tuple[str, str]]:
    r"""Means with the number of values that they are taken of, ``\bar x_n`` beside ``\sum_{i=1}^n x_i``.

    Beside other indices of the name it is the last entry.
    """
    counts = {name for members in chains for member in members for name in limits_in(member)} - bound_by_sums(chains)
    means = {base: letters for base, letters in subscripts.items() if base.startswith("bar ") and letters <= counts}
    return {(base, letter) for base, letters in means.items() for letter in letters}


def of_blocks(chains: list[tuple[Sum, ...]], subscripts: dict[str, set[str]]) -> set[tuple[str, str]]:
    r"""Parts of arrays, ``\Sigma_{ab}`` and ``x_a``: some matrix is written out by all pairs of their letters."""
    matrices = (
        node for members in chains for member in members for node in nodes_of(member) if isinstance(node, Matrix)
    )
    letters = {letter for matrix in matrices for letter in block_letters(matrix)} - bound_by_sums(chains)
    return {
        (base, text.replace(" ", ""))
        for base, texts in subscripts.items()
        for text in texts
        if text and letters.issuperset(text.split())
    }


def of_identities(chains: list[tuple[Sum, ...]], subscripts: dict[str, set[str]]) -> set[tuple[str, str]]:
    """Identities with their size below them, ``I_n``: nothing else has the letter as an index, and no sum binds it."""
    used = {letter for base, texts in subscripts.items() if base != "I" for text in texts for letter in text.split()}
    own = {text for text in subscripts.get("I", ()) if len(text) == 1 and text.isalpha()}
    return {("I", letter) for letter in own - used - bound_by_sums(chains)}


def block_letters(matrix: Matrix) -> tuple[str, ...]:
    """The letters whose pairs stand below one name in all cells of a matrix, those of rows and columns in one order."""
    cells = [[lone_scripts(cell) for cell in row] for row in matrix.rows]
    letters = tuple(row[0][1][0] if row and len(row[0][1]) == 2 else "" for row in cells)
    names = {name for row in cells for name, _ in row}
    pairs = [[below for _, below in row] for row in cells]
    whole = pairs == [[(one, other) for other in letters] for one in letters]
    return letters if whole and len(letters) == len(set(letters)) > 1 and len(names) == 1 else ()


def lone_scripts(cell: Sum) -> tuple[str, tuple[str, ...]]:
    """The name that is all of a cell, with the letters below it; empty if it is no such name."""
    items = cell.only.items if cell.only is not None else ()
    node = items[0] if len(items) == 1 else None
    if not isinstance(node, Scripted) or not isinstance(node.base, Atom) or node.base.kind != "NAME":
        return "", ()
    return node.base.text, letters_in(node)


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


def sizes_in_limits(chains: list[tuple[Sum, ...]]) -> set[tuple[str, str]]:
    r"""Sizes at which sums end, ``\sum_{a=1}^{d_k}``: nothing else in the equation has the letter, and no sum binds it.

    Where another equation has the letter as an index, ``d_k`` is the same number.
    """
    found: set[tuple[str, str]] = set()
    for members in chains:
        nodes = [node for member in members for node in nodes_and_exponents(member)]
        signs = [n for n in nodes if isinstance(n, Scripted) and isinstance(n.base, Atom) and n.base.kind == "SUM"]
        limits = {pair for node in signs for tokens in node.above if (pair := size_with_label(tokens)) is not None}
        others = {
            letter
            for node in nodes
            if isinstance(node, Scripted) and isinstance(node.base, Atom) and node.base.kind != "SUM"
            for letter in letters_in(node)
            if (node.base.text, letter) not in limits
        }
        found |= {(base, letter) for base, letter in limits if letter not in others}
    bound = bound_by_sums(chains)
    return {(base, letter) for base, letter in found if letter not in bound}


def size_with_label(tokens: Sequence[Token]) -> tuple[str, str] | None:
    """The name of a size, and the letter below it, if that is all that stands in a script."""
    plain = [token for token in tokens if token.kind not in ("{", "}")]
    if [token.kind for token in plain] != ["NAME", "SUB", "NAME"] or plain[0].text not in SIZE_NAMES:
        return None
    return plain[0].text, plain[2].text


SLIPS = 5
"""Of how many subscripts of a name one may be a slip."""


def named_after(chains: list[tuple[Sum, ...]], subscripts: dict[str, set[str]]) -> set[tuple[str, str]]:
    """``W_{xh}``, ``b_f`` beside ``x_t``, ``h_t`` and ``f_t``: arrays that are named after others.

    The subscripts of such a name with as many letters, but for a slip among several, are letters of arrays that have
    scripts themselves, or are transposed; none is an index elsewhere. Where a sum binds one it is an entry.
    """
    names = [node for members in chains for member in members for node in nodes_and_exponents(member)]
    bound = bound_by_sums(chains)
    # The number of a step is a part of a name already.
    stepped = {node.text.partition("_")[0] for node in names if isinstance(node, Atom) and "_" in node.text}
    arrays = {name.rsplit(" ", maxsplit=1)[-1] for name in (*subscripts, *stepped, *transposed(names))} - bound
    arrays |= {name.lower() for name in arrays if len(name) == 1} - bound  # W_{xc} of the cell C
    lengths: dict[tuple[str, int], set[str]] = {}
    entries: set[str] = set()
    for base, texts in subscripts.items():
        for text in texts - {""}:
            if is_call(base):  # in what is only written, names may have labels too
                entries.update(set(text.split()) - arrays)
            elif bound.isdisjoint(text.split()):
                lengths.setdefault((base, len(text.split())), set()).add(text)
            else:
                entries.update(text.split())
    after = {
        key
        for key, texts in lengths.items()
        if sum(not arrays.issuperset(text.split()) for text in texts) <= len(texts) // SLIPS
    }
    indices = entries | {letter for key in lengths.keys() - after for letter in " ".join(lengths[key]).split()}
    return {
        (base, text.replace(" ", ""))
        for base, count in after
        for text in lengths[base, count]
        if indices.isdisjoint(" ".join(lengths[base, count]).split())
    }


def transposed(nodes: Iterable[Node]) -> Iterator[str]:
    """The names that are transposed somewhere, or stand in what is: vectors and matrices."""
    for node in nodes:
        if isinstance(node, Scripted) and any(map(is_transpose, node.above)):
            inner = nodes_of(node.base) if isinstance(node.base, Group) else (node.base,)
            yield from (one.text for one in inner if isinstance(one, Atom) and one.kind == "NAME")


def bound_by_sums(chains: list[tuple[Sum, ...]]) -> set[str]:
    """The letters over which sums run: these are indices."""
    nodes = (node for members in chains for member in members for node in nodes_and_exponents(member))
    sums = (n for n in nodes if isinstance(n, Scripted) and isinstance(n.base, Atom) and n.base.kind == "SUM")
    return {letter for node in sums for letter in letters_in(node)}


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
    """The parameters of functions that an equation begins with, ``h_{w,b}(x) = ...``: names that stand without it.

    Of ``y_i (w^T x_i + b) >= 1`` i is none, over which a sum runs elsewhere.
    """
    nodes = (node for members in chains for member in members for node in name_nodes(member))
    bases = (node.base if isinstance(node, Scripted) else node for node in nodes)
    own = {base.text for base in bases if isinstance(base, Atom)} - bound_by_sums(chains)
    for members in chains:
        head = members[0].only if len(members) > 1 else None
        if head is None or len(head.items) != 2 or not isinstance(head.items[1], Group) or head.items[1].bracket != "(":
            continue
        name = head.items[0]
        if isinstance(name, Scripted) and isinstance(name.base, Atom) and name.base.kind == "NAME" and name.below:
            letters = letters_in(name)
            if letters and own.issuperset(letters):
                yield name.base.text, "".join(token.text for token in name.below if token.kind not in ("{", "}"))


def of_numbered_functions(chains: list[tuple[Sum, ...]]) -> Iterator[tuple[str, str]]:
    """The numbers of functions, as those of layers are: letters of functions that bear no index without a bracket."""
    nodes = [node for members in chains for member in members for node in name_nodes(member)]
    below = [
        (node.base.text, node)
        for node in nodes
        if isinstance(node, Scripted) and node.below and isinstance(node.base, Atom)
    ]
    called = {
        id(left)
        for members in chains
        for member in members
        for product in products_of(member)
        for left, right in pairwise(product.items)
        if is_argument(right)
    }
    always = FUNCTION_LETTERS - {name for name, node in below if id(node) not in called}
    for name, node in below:
        text = "".join(token.text for token in node.below if token.kind not in ("{", "}"))
        if name in always and text.isdigit():
            yield name, text


def is_argument(node: Node) -> bool:
    """Whether a round bracket stands here."""
    bracket = node.base if isinstance(node, Scripted) else node
    return isinstance(bracket, Group) and bracket.bracket == "("


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
    found = {n.base.text for n in cells if isinstance(n, Scripted) and n.below and isinstance(n.base, Atom)} & bare
    return found - set(turned_parts(nodes))


def turned_parts(nodes: Iterable[Node]) -> Iterator[str]:
    """The names in capitals of which a part with numbers below is transposed or inverted: a block, and no entry."""
    for node in nodes:
        if isinstance(node, Scripted) and isinstance(node.base, Atom) and node.base.text.isupper():
            marks = (is_transpose(tokens) or inverse_mark(tokens) for tokens in node.above)
            if any(marks) and all(part.isdigit() for part in subscript(node.below).parts) and node.below:
                yield node.base.text


def sums_barely(member: Sum) -> bool:
    """Whether a sum without an index stands in a member: it binds some letter, which is no label then."""
    signs = sum(isinstance(node, Atom) and node.kind == "SUM" for node in nodes_of(member))
    return signs > sum(
        isinstance(node, Scripted) and isinstance(node.base, Atom) and node.base.kind == "SUM" and bool(node.below)
        for node in nodes_of(member)
    )


def find_marks(chains: list[tuple[Sum, ...]], labels: frozenset[tuple[str, str]]) -> frozenset[tuple[str, str]]:
    """Names with what stands above them and is a part of the name: a square, or the letter of another array."""
    return frozenset({*squares(chains, labels), *named_after_arrays(chains, labels)})


def squares(chains: list[tuple[Sum, ...]], labels: frozenset[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Names whose square stands alone on the left of a definition, and that have none without the square."""
    found: dict[str, set[bool]] = {}
    for members in chains:
        head = first_name(members, labels) if len(members) > 1 else None
        if head is not None and (power_of(head) == "2" or not head.powers):
            found.setdefault(head.name, set()).add(bool(head.powers))
    yield from ((name, "2") for name, squared in found.items() if squared == {True})


def named_after_arrays(chains: list[tuple[Sum, ...]], labels: frozenset[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    r"""Names that say above them which array they belong to, ``\mu^x_i`` beside ``x_{ij}``: no power has it above it.

    Such a name begins an equation or stands alone in prose, and it has an index of its own; or it begins an equation,
    and the array stands nowhere without an index.
    """
    nodes = [
        node
        for members in chains
        for member in members
        if len(members) > 1 or not is_lone(member)
        for node in name_nodes(member)
    ]
    found = [one for node in nodes if (one := named(node, labels, frozenset())) is not None]
    arrays = {one.name for one in found if any(map(is_letter, one.parts or ()))}
    bare = {one.name for one in found if one.parts is None}
    own: set[tuple[str, str]] = set()
    for members in chains:
        head = first_name(members, labels)
        letter = power_of(head) if head is not None else ""
        if head is not None and letter in arrays and (head.parts or (len(members) > 1 and letter not in bare)):
            own.add((head.name, letter))
    yield from own
    yield from ((f"d{name}", letter) for name, letter in own)  # short names of their gradients


def first_name(members: tuple[Sum, ...], labels: frozenset[tuple[str, str]]) -> Named | None:
    """The name that the first member is; None if it is more."""
    product = members[0].only
    found = named(product.items[0], labels, frozenset()) if product is not None and len(product.items) == 1 else None
    return found if found is None or found.name != "1" else None


def power_of(head: Named) -> str:
    """What stands above a name, if that is one sign; else nothing."""
    return head.powers[0][0].text if [len(power) for power in head.powers] == [1] else ""
