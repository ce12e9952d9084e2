"""What a document says of its inputs: that matrices are symmetric or orthogonal, vectors of length one.

Such inputs are sampled as they are said to be. Here is also settled whether bars around matrices are determinants.
"""

from __future__ import annotations

import re
from dataclasses import replace

from indexcalc.language.latex.tree import NORM, Group, Scripted
from indexcalc.proof.document.meaning.sizes import ShapeError
from indexcalc.proof.document.names.definitions import adopt
from indexcalc.proof.document.written.outline import Statement
from indexcalc.proof.document.written.roles import CONDITION, EQUATION, Roles, head_of, heads, names_of_tree

DETERMINANT = re.compile(r"determinant|\\det\b|covariance|\^\{?-(?:1|T|\\top)\b|\binvers", re.IGNORECASE)
"""Words and signs of documents that have determinants."""

SYMMETRIC = re.compile(r"\bsymmetric\b", re.IGNORECASE)

COVARIANCE = re.compile(r"covariance|gaussian|normal distribution|multivariate", re.IGNORECASE)
"""Words of documents in which Sigma is a covariance."""

TOLD = re.compile(r"\beigenvalue|\beigenvector|\bsingular (?:value|vector)", re.IGNORECASE)
"""Words that say of names around them what no equation says."""

DIAGONAL = re.compile(
    r"\$([^$=]*)(?:=[^$]*)?\$[^$]{0,40}\bdiagonal matri|\bdiagonal matri\w*,?\s+\$([^$=]*)", re.IGNORECASE
)
"""Words that say this of the mathematics beside them."""

ENTRIES = re.compile(r"\bdiagonal matri\w*\s+(?:with|of|whose|containing)\b[^$.]{0,40}\$([^$]*)\$", re.IGNORECASE)
"""What stands on the diagonal."""

ORTHOGONAL = re.compile(r"\borthogonal matri(?:x|ces)|\borthonormal matri(?:x|ces)", re.IGNORECASE)

BEFORE = re.compile(r"(?<![A-Za-z\\$])\$?\\?([A-Za-z]+)\$?\s*(?:is|be|are|,|是|为|是一个)?\s*(?:an?|the)?\s*$")
AFTER = re.compile(r"(?:x|ces)?\s*\$?\\?([A-Z][a-z]*)\$?(?![A-Za-z])")
"""The name right before such words, and right behind them."""

ONE_OR_IDENTITY = frozenset({"1", "I", "I_n", "I_d", "I_k", "I_p", "I_m"})

REACH = 80
"""How many characters from the word a matrix may stand that is called symmetric."""


def find_bars(roles: Roles) -> None:
    """Settle whether bars around a matrix are its determinant."""
    roles.symbols.determinants = DETERMINANT.search(roles.document.source) is not None


def find_exchanges(roles: Roles) -> None:
    """Settle which inputs are symmetric from equations of their entries, ``J_ij = J_ji``: these define nothing.

    Where another equation says what the entries are, it is a claim like any other.
    """
    found = {n: name for n, s in enumerate(roles.statements) if (name := exchanged(roles, n, s))}
    equations = {number for number, kind in roles.kinds.items() if kind == EQUATION}
    inputs = {name for name in found.values() if equations.intersection(heads(roles, name)) <= found.keys()}
    for number, name in found.items():
        if name in inputs:
            roles.kinds[number] = CONDITION
            make_square(roles, roles.symbols.resolve(name))
    roles.symbols.exchanged = frozenset(roles.symbols.resolve(name) for name in inputs)


def exchanged(roles: Roles, number: int, statement: Statement) -> str:
    """The name of which a statement says nothing but that its last two slots may change places, or nothing."""
    if roles.kinds.get(number) != EQUATION or len(statement.sides) != 2 or statement.sides[1].relation != "=":
        return ""
    left, tree = head_of(roles, statement), statement.sides[1].tree
    only = tree.only if tree is not None else None
    right = roles.survey.name(only.items[0]) if only is not None and len(only.items) == 1 else None
    if left is None or right is None or left.parts is None or len(left.parts) < 2:
        return ""
    *others, first, second = left.parts
    swapped = replace(left, parts=(*others, second, first), start=right.start) == right
    return left.name if swapped and len(roles.symbols.slots.get(left.name, ())) == len(left.parts) else ""


def find_special(roles: Roles) -> None:
    """Settle it from equations such as ``S^T = S``, ``U^T U = I`` and ``w^T w = 1``, and from words."""
    symbols, source = roles.symbols, roles.document.source
    found = {name for number, statement in enumerate(roles.statements) for name in stated(roles, number, statement)}
    for word in SYMMETRIC.finditer(source):
        before = re.split(r"[.\n]", source[max(0, word.start() - REACH) : word.start()])[-1]
        after = re.split(r"[.\n]", source[word.end() : word.end() + REACH])[0]
        found.update(name for name in square_names(roles) if spoken_of(name, before) or spoken_of(name, after))
    if COVARIANCE.search(source):
        found.update(name for name in square_names(roles) if name.split("_")[0] == "Sigma")
    symbols.symmetric = symbols.exchanged | found
    told: set[str] = set()
    for word in TOLD.finditer(source):
        start = source.rfind(".", max(0, word.start() - REACH), word.start()) + 1 or max(0, word.start() - REACH)
        told.update(name for name in symbols.slots if spoken_of(name, source[start : word.end() + REACH]))
    for text in ENTRIES.findall(source):
        told.update(name for name in symbols.slots if spoken_of(name, f"${text}$"))
    beside = {(one or other).strip() for one, other in DIAGONAL.findall(source)}
    plain = {re.sub(r"\\(?:math\w+|boldsymbol|bm)\b|[\\{} ]", "", text) for text in beside}
    told.update(name for name in symbols.slots if name in plain)
    symbols.told = frozenset(told)
    orthonormal = {name for number in range(len(roles.statements)) for name in of_length_one(roles, number)}
    for word in ORTHOGONAL.finditer(source):
        said = BEFORE.search(source[max(0, word.start() - REACH) : word.start()])
        said = AFTER.match(source[word.end() : word.end() + REACH]) or said
        named = [name for name in square_names(roles) if said is not None and name == said.group(1)]
        orthonormal.update(named)
        for name in named:
            make_square(roles, name)
    symbols.orthonormal = frozenset(orthonormal - set(symbols.definitions))


def make_square(roles: Roles, name: str) -> None:
    """An orthogonal matrix is square, unless that clashes with what is declared."""
    first, second = roles.symbols.slots[name][-2:]
    sizes = roles.symbols.sizes.copy()
    try:
        sizes.unify(first, second)
    except ShapeError:
        return
    adopt(roles.symbols, sizes)


def square_names(roles: Roles) -> list[str]:
    """The inputs that may be square matrices."""
    symbols = roles.symbols
    return [name for name in sorted(symbols.slots) if len(symbols.slots[name]) >= 2]


def spoken_of(name: str, text: str) -> bool:
    """Whether a text names a tensor, in mathematics."""
    return re.search(rf"\$[^$]*(?<![A-Za-z])\\?{re.escape(name)}(?![A-Za-z])", text) is not None


def stated(roles: Roles, number: int, statement: Statement) -> list[str]:
    """The name of which a statement says nothing but that it is its own transpose; it claims nothing then."""
    if roles.kinds.get(number) != EQUATION or len(statement.sides) != 2:
        return []
    names = []
    for side in statement.sides:
        only = side.tree.only if side.tree is not None else None
        if side.tree is None or only is None or len(only.items) != 1:
            return []
        names += list(names_of_tree(roles, side.tree))
    if len(names) != 2 or any(name.powers or name.parts is not None or name.primes for name in names):
        return []
    first, second = names
    if first.name != second.name or first.transposed == second.transposed:
        return []
    if first.name not in roles.symbols.definitions:
        roles.kinds[number] = CONDITION
    return [roles.symbols.resolve(first.name)]


def of_length_one(roles: Roles, number: int) -> list[str]:
    """The input of which a statement says nothing but that its columns are orthonormal, or its length one."""
    statement = roles.statements[number]
    if roles.kinds.get(number) != EQUATION or len(statement.sides) != 2 or statement.sides[1].relation != "=":
        return []
    left, right = (side.tree for side in statement.sides)
    text = "".join(token.text for token in statement.sides[1].tokens if token.kind not in ("{", "}"))
    if left is None or right is None or text not in ONE_OR_IDENTITY:
        return []
    product = left.only
    if product is None:
        return []
    names = list(names_of_tree(roles, left))
    base = product.items[0].base if isinstance(product.items[0], Scripted) else product.items[0]
    norm = len(product.items) == 1 and isinstance(base, Group) and base.bracket == NORM and len(names) == 1
    gram = (
        len(product.items) == 2 == len(names)
        and names[0].name == names[1].name
        and names[0].transposed
        and not names[1].transposed
    )
    resolved = roles.symbols.resolve(names[0].name) if names else ""
    if not (norm or gram) or resolved in roles.symbols.definitions or resolved not in roles.symbols.slots:
        return []
    roles.kinds[number] = CONDITION
    return [resolved] if all(name.parts is None for name in names) else []
