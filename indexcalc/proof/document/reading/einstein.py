"""Sums that are not written: a repeated index is summed where the document's convention says so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import replace

from indexcalc.proof.document.meaning.nodes import (
    Derivative,
    Meaning,
    Plus,
    Times,
    Total,
    children,
    free,
    occurrences,
    rebuilt,
    walk,
)
from indexcalc.proof.document.meaning.sizes import Ix


def bind_repeated(node: Meaning, outside: Collection[Ix]) -> Meaning:
    """Every index that occurs twice and is not `outside` summed at the lowest place that holds all of it.

    The terms of a sum bind their own indices.
    """
    if isinstance(node, Plus):
        return Plus(tuple(bind_repeated(term, outside) for term in node.terms))
    candidates = [index for index, count in Counter(occurrences(node)).items() if count > 1 and index not in outside]
    here = tuple(index for index in candidates if not inside_one(node, index))
    if isinstance(node, Derivative):
        # The target of a derivative is no factor: nothing is bound inside it.
        inner: Meaning = replace(node, body=bind_repeated(node.body, {*outside, *here, *node.wrt.slots}))
    elif isinstance(node, Total):
        inner = Total(node.indices, bind_repeated(node.body, {*outside, *here, *node.indices}))
    else:
        inner = rebuilt(node, lambda child: bind_repeated(child, {*outside, *here}))
    return Total(here, inner) if here else inner


def inside_one(node: Meaning, index: Ix) -> bool:
    """Whether every occurrence lies inside one of the node's parts."""
    return any(index in free(child) for child in children(node)) and (
        sum(index in free(child) for child in children(node)) == 1
    )


def bind_chain_rule(node: Meaning, outside: Collection[Ix]) -> Meaning:
    """Unwritten sums across ``∂·/∂y_i ∂y_i/∂·`` alone, where no sum is written."""
    if isinstance(node, Plus):
        return Plus(tuple(bind_chain_rule(term, outside) for term in node.terms))
    if not isinstance(node, Times) or any(isinstance(inner, Total) for inner in walk(node)):
        return node
    above = {slot for factor in node.factors if isinstance(factor, Derivative) for slot in free(factor.body)}
    below = {slot for factor in node.factors if isinstance(factor, Derivative) for slot in factor.wrt.slots}
    here = tuple(index for index in free(node) if index in above & below and index not in outside)
    return Total(here, node) if here else node
