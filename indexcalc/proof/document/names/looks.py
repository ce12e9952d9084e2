"""What a name is by how it looks and how it is used: the rules that settle names which are no tensors of their own."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from indexcalc.language.latex.tree import Atom, Scripted, Sum, nodes_of
from indexcalc.language.latex.vocabulary import FUNCTIONS, STRUCTURAL
from indexcalc.proof.document.layers.labels import ABOVE_NAMES
from indexcalc.proof.document.names.beside import rows_beside
from indexcalc.proof.document.written.roles import Roles, head_of, heads, names_of_tree
from indexcalc.proof.document.written.survey import Survey, Usage
from indexcalc.proof.document.written.trees import products_of

UNIT_VECTORS = re.compile(r"\b(?:unit|basis|one-hot|indicator)[- ]vectors?\b|\bstandard basis\b", re.IGNORECASE)
"""Words that say what ``e_i`` is."""


LOSSES = frozenset({"L", "l", "ell", "J", "E", "C", "loss", "Loss", "mathcal L", "mathcal J", "mathcal E", "f"})
"""Names under which authors differentiate a loss that they do not define."""


ACCENTS = frozenset({"bar", "hat", "tilde", "dot", "check", "breve"})
"""Accents that make another quantity of a name, a mean or an estimate, where the document defines it."""


@dataclass(frozen=True, slots=True)
class Look:
    """How one name looks: what the rules below settle it by.

    Attributes:
        name: the name.
        usage: how it is used.
        rank: the number of slots with which it is indexed; None if it never is.
        letters: all letters that index something in the document.
        raised: the vectors of the document that bear an index above them.
    """

    name: str
    usage: Usage
    rank: int | None
    letters: frozenset[str]
    raised: frozenset[str]


def is_constant(roles: Roles, look: Look) -> bool:
    """Kronecker's delta, Euler's number, the identity and pi, unless the document defines them."""
    constant = (look.name == "delta" and look.rank == 2) or (look.name in ("e", "pi") and look.rank is None)
    constant |= look.name.partition("_")[0] == "I" and not look.usage.below
    return (constant or is_unit_vector(roles, look)) and not own_definition(roles, look.name)


def is_unit_vector(roles: Roles, look: Look) -> bool:
    """``e_i`` where words speak of unit vectors, or where it stands as a vector that is never defined."""
    base, _, label = look.name.partition("_")
    if base != "e" or not (label or look.rank == 1) or look.usage.below:
        return False
    vector = look.usage.bold or look.usage.transposed or label in roles.symbols.classes
    said = UNIT_VECTORS.search(roles.document.source) is not None
    if not (vector or said):
        return False
    if not own_definition(roles, look.name):
        roles.symbols.units = said
    return True


def is_accented_array(roles: Roles, look: Look) -> bool:
    """``bold x`` for the array whose entries are ``x_i``."""
    plain = look.name.split(" ")[-1]
    usage = roles.survey.usages.get(plain)
    if " " not in look.name or look.rank is not None or not look.name[0].islower():
        return False
    if look.name.split(" ")[0] in ACCENTS and own_definition(roles, look.name):
        return False
    if not roles.survey.rank(plain) or usage is None or usage.bare:
        return False
    roles.symbols.aliases[look.name] = plain
    return True


def is_row(roles: Roles, look: Look) -> bool:
    """``bold x_i`` for a vector, one of many: a row of the matrix X, if there is one, read as a column."""
    name, capital = look.name, look.name.upper()
    if len(name) != 1 or not name.islower() or look.rank != 1:
        return False
    inside = name in rows_beside(roles)
    beside = behind_entry(roles, name)
    if look.usage.bare and not (inside or beside or entry_transposed(roles, name)):
        return False
    if not (look.usage.transposed or inside or beside or (look.usage.bold and meets_transpose(roles, name))):
        return False
    usage, slots = roles.survey.usages.get(capital), roles.symbols.slots.get(capital)
    if usage is None:
        roles.symbols.slots[name] = (roles.symbols.sizes.fresh(""), roles.symbols.sizes.fresh(""))
    elif len(slots) == 2 if slots is not None else not usage.indexed and usage.bare:
        roles.symbols.aliases[name] = capital
    else:
        return False
    roles.symbols.rows.add(name)
    if look.usage.bare:
        roles.symbols.slots[f"{name} alone"] = (roles.symbols.sizes.fresh(""),)
    return True


def is_raised_row(roles: Roles, look: Look) -> bool:
    """``x^{(i)}`` for a vector, one of many: it has entries ``x^{(i)}_j``, or stands where a vector must."""
    if not look.name.endswith(ABOVE_NAMES) or look.usage.bare:
        return False
    if look.rank == 2 and 1 in look.usage.indexed:
        roles.symbols.rows.add(look.name)
    elif look.rank == 1 and (look.usage.transposed or look.usage.bold or look.name in look.raised):
        roles.symbols.rows.add(look.name)
        roles.symbols.slots[look.name] = (roles.symbols.sizes.fresh(""), roles.symbols.sizes.fresh(""))
        return True
    return False


def behind_entry(roles: Roles, name: str) -> bool:
    """Whether an indexed name stands right behind a transposed one with an index: ``w_j^T x_i``."""
    for statement in roles.statements:
        for tree in statement.trees:
            for product in products_of(tree):
                named = [roles.survey.name(item) for item in product.items]
                for left, right in pairwise(named):
                    if left is None or right is None or not left.transposed or len(left.parts or ()) != 1:
                        continue
                    if right.name == name and right.parts is not None and not right.powers:
                        return True
    return False


def entry_transposed(roles: Roles, name: str) -> bool:
    """Whether a name is transposed with its index: ``x_i^T``."""
    trees = (tree for statement in roles.statements for tree in statement.trees)
    names = (found for tree in trees for found in names_of_tree(roles, tree))
    return any(found.name == name and found.transposed and found.parts is not None for found in names)


def meets_transpose(roles: Roles, name: str) -> bool:
    """Whether an indexed name stands right behind a transposed one, as in ``w^T x_i``."""
    for statement in roles.statements:
        for tree in statement.trees:
            for product in products_of(tree):
                named = [roles.survey.name(item) for item in product.items]
                for left, right in pairwise(named):
                    if left is not None and left.transposed and right is not None and right.name == name:
                        return True
    return False


def is_loss(roles: Roles, look: Look) -> bool:
    """A scalar that is differentiated under a loss's name."""
    named = look.name in LOSSES or "loss" in look.name.lower()
    if not named or look.rank is not None or not look.usage.numerator:
        return False
    roles.symbols.losses.add(look.name)
    roles.symbols.slots[look.name] = ()
    return True


def is_unknown(roles: Roles, look: Look) -> bool:
    """A function of which nothing is known."""
    return look.name in roles.symbols.unknown


def is_sum_of_entries(roles: Roles, look: Look) -> bool:
    """A capital that is defined as a number: written in entries all of whose letters sums bind."""
    if look.rank is not None or look.usage.transposed or look.usage.bold or not look.name[:1].isupper():
        return False
    if not any(bound_in_sums(roles, roles.statements[number].sides[1].tree) for number in heads(roles, look.name)):
        return False
    roles.symbols.slots[look.name] = ()
    return True


def bound_in_sums(roles: Roles, tree: Sum | None) -> bool:
    """Whether a member has entries, sums bind all of their letters, and no array stands in it as a whole."""
    if tree is None:
        return False
    scripts = [node for node in nodes_of(tree) if isinstance(node, Scripted)]
    sums = [node for node in scripts if isinstance(node.base, Atom) and node.base.kind == "SUM"]
    bound = {token.text for node in sums for token in node.below}
    letters: set[str] = set()
    for found in names_of_tree(roles, tree):
        usage = roles.survey.usages.get(found.name)
        number = usage is not None and (usage.scalar or found.name in roles.symbols.sizes.owners)
        if found.parts is None and not number and (found.name[:1].isupper() or (usage is not None and usage.bold)):
            return False
        letters.update(found.parts or ())
    return bool(letters) and letters <= bound


def is_taken(roles: Roles, look: Look) -> bool:
    """A known function, a sigma that is always applied, or a size."""
    if look.name == "sigma" and look.rank is None and look.usage.called and look.usage.only_called:
        return True
    known = look.name in FUNCTIONS or look.name in STRUCTURAL or look.name in roles.symbols.sizes.owners
    return look.rank is None and known


def is_capital_of_entries(roles: Roles, look: Look) -> bool:
    """``P`` for the matrix whose entries are ``p_ij``."""
    letter = look.name.rsplit(" ", maxsplit=1)[-1]
    twin = small_twin(look.name, roles.survey) if len(letter) == 1 and letter.isupper() else None
    if look.rank is not None or twin is None:
        return False
    roles.symbols.aliases[look.name] = twin
    return True


def is_adjoint(roles: Roles, look: Look) -> bool:
    """``dQ`` for the gradient by Q; with indices only where more than its name says so."""
    target = look.name[1:]
    if not look.name.startswith("d") or not target or not is_tensor(roles, target):
        return False
    if look.rank is not None:
        usage, declared = roles.survey.usages[target], roles.symbols.slots.get(target, ())
        if look.rank > max(roles.survey.rank(target) or 0, len(declared)):
            return False
        if not (usage.below or look.usage.bare or passes_gradients_on(roles)):
            return False
    roles.symbols.adjoints[look.name] = target
    return True


def passes_gradients_on(roles: Roles) -> bool:
    """Whether some ``dX`` is made from another ``dY``."""
    for statement in roles.statements:
        head = head_of(roles, statement)
        if head is None or not head.name.startswith("d") or not is_tensor(roles, head.name[1:]):
            continue
        names = {found.name for tree in statement.trees[1:] for found in names_of_tree(roles, tree)} - {head.name}
        if any(name.startswith("d") and is_tensor(roles, name[1:]) for name in names):
            return True
    return False


def is_size_of_letter(roles: Roles, look: Look) -> bool:
    """A capital that is divided by, and whose small letter is an index: its size."""
    capital = len(look.name) == 1 and look.name.isupper() and look.usage.scalar
    if look.rank is not None or not capital or look.name.lower() not in look.letters:
        return False
    roles.symbols.sizes.named(look.name)
    roles.symbols.assumed[look.name.lower()] = look.name
    return True


RULES: tuple[Callable[[Roles, Look], bool], ...] = (
    is_accented_array,
    is_row,
    is_raised_row,
    is_unknown,
    is_loss,
    is_sum_of_entries,
    is_taken,
    is_capital_of_entries,
    is_adjoint,
    is_size_of_letter,
)
"""What settles a name that is no tensor of its own, in order; each says whether it did."""


def own_definition(roles: Roles, name: str, rank: int | None = None) -> bool:
    """Whether the document gives a name, at so many indices or any, a meaning of its own, other than by a number."""
    for number in heads(roles, name):
        statement = roles.statements[number]
        head = head_of(roles, statement)
        fits = head is not None and rank in (None, len(head.parts or ()))
        if fits and any(token.kind != "NUM" for token in statement.sides[1].tokens):
            return True
    return False


def is_tensor(roles: Roles, name: str) -> bool:
    """Whether a name is that of a tensor that the document uses."""
    usage = roles.survey.usages.get(name)
    if usage is None or (name in LOSSES and not usage.indexed and not is_product(roles, name)):
        return False
    return name[:1].isupper() or bool(usage.indexed) or usage.bold


def is_product(roles: Roles, name: str) -> bool:
    """Whether a name that is never differentiated is defined as a product of matrices, ``C = A B``."""
    if roles.survey.usages[name].numerator:
        return False
    for number in heads(roles, name):
        tree = roles.statements[number].sides[1].tree
        only = tree.only if tree is not None else None
        factors = [roles.survey.name(item) for item in only.items] if only is not None else []
        if len(factors) > 1 and all(f is not None and f.name.isupper() and f.parts is None for f in factors):
            return True
    return False


def small_twin(name: str, survey: Survey) -> str | None:
    """The small name under which the entries of a capital tensor are written."""
    low = name.lower()
    usage = survey.usages.get(low)
    return low if usage is not None and survey.rank(low) == 2 and usage.indexed.total() > usage.bare else None
