r"""Signs of derivatives of fields: ``\nabla``, ``div``, ``curl``, ``\partial_i``, and what stands beside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from indexcalc.document.statements.trees import is_nabla, products_of
from indexcalc.language.latex.tree import Atom, Node, Scripted, Sum

WORDS = {
    **dict.fromkeys(("div", "Div"), "divergence"),
    **dict.fromkeys(("curl", "Curl", "rot", "Rot"), "curl"),
    **dict.fromkeys(("grad", "Grad"), "gradient"),
}
"""Words for derivatives of fields."""


def is_sign(item: Node) -> bool:
    """Whether a node is the sign of a derivative of a field."""
    base = item.base if isinstance(item, Scripted) else item
    if not isinstance(base, Atom):
        return False
    return base.kind == "NABLA" or base.text in WORDS or (base.kind == "PARTIAL" and isinstance(item, Scripted))


def is_squared(item: Node) -> bool:
    r"""Whether a derivative is taken twice, ``\nabla^2``, ``\partial_j^2``."""
    above = item.above if isinstance(item, Scripted) else ()
    return len(above) == 1 and [token.text for token in above[0] if token.kind not in ("{", "}")] == ["2"]


def is_point(node: Node) -> bool:
    """Whether a sign is a point between vectors."""
    return isinstance(node, Atom) and node.kind == "TIMES" and node.text == "cdot"


def is_directed(items: Sequence[Node]) -> bool:
    r"""Whether factors end with a point and a nabla: ``v \cdot \nabla`` differentiates along v."""
    return len(items) > 2 and is_nabla(items[-1]) and is_point(items[-2])


def flowing(member: Sum) -> Iterator[tuple[str, Node]]:
    """What a divergence or a curl is taken of, and along what a derivative is taken, with the kind of each."""
    for product in products_of(member):
        items = product.items
        for place, item in enumerate(items):
            word = WORDS.get(item.text) if isinstance(item, Atom) else None
            sign = items[place + 1] if place + 1 < len(items) else None
            operator = sign.text if isinstance(sign, Atom) and sign.kind == "TIMES" else ""
            kind = {"cdot": "divergence", "times": "curl"}.get(operator, "") if is_nabla(item) else word or ""
            behind = place + (2 if is_nabla(item) else 1)
            if kind in ("divergence", "curl") and behind < len(items):
                yield kind, items[behind]
            if is_nabla(item) and place > 1 and is_point(items[place - 1]) and kind == "":
                yield "along", items[place - 2]
