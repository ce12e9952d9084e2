"""Products as tensor networks (Penrose, *Applications of negative dimensional tensors*, 1971).

A factor is a body, an index on it a leg. A summed index that two factors share is a wire between them, a plain delta a
wire without a body, and an index with any other number of ends meets in a dot.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum

import sympy as sp

from indexcalc.algebra.terms import (
    Access,
    Add,
    Base,
    Delta,
    Fn,
    Index,
    Iverson,
    MatrixFunction,
    Partial,
    Power,
    Term,
    Terms,
    occurring_indices,
    with_inner_terms,
)
from indexcalc.notes.text import Spelling, base_text, short_scalar

MOST_BODIES, MOST_TERMS = 7, 6
"""The largest product, and the longest sum, of which there is a picture: a larger one says less than its formula."""

MOST_LETTERS = 20
"""The longest text on a body; a longer argument of a function is left out."""


class Kind(Enum):
    """What a body stands for; the value is a word for it."""

    TENSOR = "tensor"
    POINTWISE = "pointwise"
    DELTA = "wire"
    CONDITION = "condition"


@dataclass(frozen=True, slots=True)
class Body:
    """A factor.

    Attributes:
        kind: what it is.
        label: what stands on it; its indices are legs instead.
        legs: its indices, each as often as it has a slot for it.
    """

    kind: Kind
    label: str
    legs: tuple[Index, ...]


@dataclass(frozen=True, slots=True)
class Joint:
    """An index with all its ends.

    Attributes:
        index: the index.
        ends: ``(body, leg)``, as numbers.
        free: whether it is an index of the result, with one more end outside.
    """

    index: Index
    ends: tuple[tuple[int, int], ...]
    free: bool

    @property
    def is_wire(self) -> bool:
        """Whether it is a line between two legs, or from one leg to the outside."""
        return len(self.ends) + self.free == 2 and len(self.ends) > 0


@dataclass(frozen=True, slots=True)
class Network:
    """A product: its sign and scalar as text, its bodies, and how their legs are joined."""

    sign: str
    scalar: str
    bodies: tuple[Body, ...]
    joints: tuple[Joint, ...]


def networks_of(terms: Terms, outer: Sequence[Index], spelling: Spelling) -> tuple[Network, ...]:
    """A network for each term of a sum; none if the sum is too large to be drawn, or zero.

    Args:
        terms: the sum.
        outer: the indices of the result; one that a term does not have is a leg that ends in a dot.
        spelling: how tensors are called.
    """
    if len(terms) > MOST_TERMS or any(len(term.powers) > MOST_BODIES for term in terms):
        return ()
    return tuple(network_of(term, outer, spelling) for term in terms)


def network_of(term: Term, outer: Sequence[Index], spelling: Spelling) -> Network:
    """The network of one term."""
    bodies = tuple(body_of(power, spelling) for power in term.powers)
    ends: dict[Index, list[tuple[int, int]]] = {index: [] for index in (*outer, *term.summed)}
    for number, body in enumerate(bodies):
        for leg, index in enumerate(body.legs):
            ends.setdefault(index, []).append((number, leg))
    summed = frozenset(term.summed)
    joints = tuple(Joint(index, tuple(found), index not in summed) for index, found in ends.items())
    negative = bool(term.coeff.could_extract_minus_sign())
    scale = -term.coeff if negative else term.coeff
    scalar = "" if scale == 1 and bodies else short_scalar(scale)
    return Network("−" if negative else "+", scalar, bodies, joints)


def body_of(power: Power, spelling: Spelling) -> Body:
    """The body of a factor; what is not linear in its tensors is a pointwise function of all their legs."""
    base, exponent = power
    match base:
        case Delta(Index(), Index()):
            assert isinstance(base.left, Index)
            assert isinstance(base.right, Index)
            return Body(Kind.DELTA, base_text(base, spelling), (base.left, base.right))
        case Delta() | Iverson():
            return Body(Kind.CONDITION, base_text(base, spelling), occurring_indices(base))
        case Access() if exponent == 1:
            legs = base.indices if base.is_plain else occurring_indices(base)
            return Body(Kind.TENSOR, label_of(base, spelling), legs)
    kind = Kind.POINTWISE if exponent != 1 or isinstance(base, Fn | Add | MatrixFunction) else Kind.TENSOR
    return Body(kind, powered(label_of(base, spelling), exponent), occurring_indices(base))


def powered(label: str, exponent: sp.Expr) -> str:
    """A label with an exponent: ``Z^2``, ``1/Z``, ``√Z``."""
    if exponent == 1:
        return label
    if exponent.could_extract_minus_sign():
        return f"1/{powered(label, -exponent)}"
    if exponent == sp.S.Half:
        return f"√{label}" if label.isidentifier() or label.startswith("(") else f"√({label})"
    written = str(exponent)
    return f"{label}^{written}" if exponent.is_Integer or exponent.is_Symbol else f"{label}^({written})"


def label_of(base: Base, spelling: Spelling) -> str:
    """A factor without the indices that are its legs; an expression in a slot stays, for no leg says it."""
    text = base_text(without_legs(base), spelling)
    if len(text) <= MOST_LETTERS:
        return text
    if isinstance(base, Fn):
        return f"{base.name}(…)"
    return "(…)" if isinstance(base, Add) else text


def without_legs(base: Base) -> Base:
    """A factor whose entries have no plain slots."""
    match base:
        case Access(tensor) if base.is_plain:
            return Access(tensor)
        case Partial(of, wrt):
            return replace(base, base=without_legs(of), wrt=Access(wrt.tensor) if wrt.is_plain else wrt)
    return with_inner_terms(base, terms_without_legs)


def terms_without_legs(terms: Terms) -> Terms:
    """The same for the terms of an argument."""
    return tuple(
        replace(term, powers=tuple((without_legs(base), exponent) for base, exponent in term.powers)) for term in terms
    )


def said(networks: Sequence[Network]) -> str:
    """The networks for those who do not see them."""
    return "; ".join(" ".join((network.sign, *sentences(network))) for network in networks) or "zero"


def sentences(network: Network) -> Iterator[str]:
    """One network in words: its factors, and what each index joins."""
    yield network.scalar or "product"
    yield "of " + (", ".join(body.label for body in network.bodies) or "no factors") + "."
    for joint in network.joints:
        names = [network.bodies[body].label for body, _ in joint.ends]
        ends = " and ".join(dict.fromkeys(names)) or "nothing"
        yield f"{'Leg' if joint.free else 'Sum over'} {joint.index.name}: {ends}."
