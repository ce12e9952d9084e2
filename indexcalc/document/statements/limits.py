"""What stands below and above sums: the letters that they bind, and the names up to which they run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from indexcalc.document.statements.scripts import with_primes
from indexcalc.document.statements.trees import without_scripts
from indexcalc.language.latex.tokens import Token
from indexcalc.language.latex.tree import Atom, Node, Product, Scripted, Sum, nodes_of


def sums_in(tree: Sum | Product) -> Iterator[Scripted]:
    """The signs of sums that bear limits."""
    for node in nodes_of(tree):
        if isinstance(node, Scripted) and is_sum(node):
            yield node


def is_sum(node: Node) -> bool:
    """Whether a node is the sign of a sum, with or without limits."""
    base = without_scripts(node)
    return isinstance(base, Atom) and base.kind == "SUM"


def bound_in(tree: Sum | Product) -> Iterator[str]:
    """The letters that sums bind."""
    return (name for node in sums_in(tree) for name in names_among(node.below))


def letters_of_limits(tree: Sum) -> Iterator[str]:
    """The names in what stands below and above the sums in a tree."""
    return (name for node in sums_in(tree) for tokens in (node.below, *node.above) for name in names_among(tokens))


def names_among(tokens: Sequence[Token]) -> Iterator[str]:
    """The names that tokens are."""
    return (token.text for token in with_primes(tokens) if token.kind == "NAME")


def limits_in(tree: Sum) -> Iterator[str]:
    """The names up to which the sums in a tree run."""
    for node in sums_in(tree):
        tokens = [token for token in node.above[-1] if token.kind not in ("{", "}")] if node.above else []
        if [token.text for token in tokens[-2:]] == ["-", "1"]:
            tokens = tokens[:-2]
        if name := limit_name(tokens):
            yield name


def set_below(tokens: Sequence[Token]) -> str:
    """The set of which a letter below a sum is; empty if it says none."""
    plain = [token for token in tokens if token.kind not in ("{", "}")]
    member = [token.kind for token in plain] == ["NAME", "REL", "NAME"] and plain[1].text == "in"
    return plain[2].text if member else ""


def sets_in(tree: Sum) -> Iterator[str]:
    """The sets over which the sums in a tree run."""
    return filter(None, (set_below(node.below) for node in sums_in(tree)))


def count_of(name: str) -> str:
    """The name of the number of elements of a set."""
    return f"|{name}|"


def limit_name(tokens: Sequence[Token]) -> str:
    """The name that tokens are, with its label; empty if they are none."""
    texts = [token.text for token in tokens if token.kind not in ("{", "}")]
    if not tokens or tokens[0].kind != "NAME" or (len(texts) > 1 and tokens[1].kind != "SUB"):
        return ""
    return texts[0] if len(texts) == 1 else f"{texts[0]}_{''.join(texts[2:])}"
