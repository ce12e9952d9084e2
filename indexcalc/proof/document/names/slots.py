"""How many slots each name has, and what names stand for sizes, gradients, losses and other names."""

from __future__ import annotations

from indexcalc.language.latex.tree import Atom, Scripted, Sum, nodes_of
from indexcalc.language.latex.vocabulary import MEASURES
from indexcalc.proof.document.layers.labels import of_any_layer
from indexcalc.proof.document.meaning.symbols import Symbols
from indexcalc.proof.document.names.beside import vectors_beside
from indexcalc.proof.document.names.layer_shapes import vectors_along
from indexcalc.proof.document.names.looks import RULES, Look, is_constant, own_definition, small_twin
from indexcalc.proof.document.names.raised import raised_vectors
from indexcalc.proof.document.reading.ones import sizes_below
from indexcalc.proof.document.written.context import Context
from indexcalc.proof.document.written.ellipses import ends_of
from indexcalc.proof.document.written.roles import Roles, index_letters


def make_slots(roles: Roles, context: Context) -> None:
    """Slots for every name: as it is declared, as it is indexed, else by how it looks."""
    symbols, survey = roles.symbols, roles.survey
    trees = [tree for statement in roles.statements for tree in statement.trees]
    for name in (*sum_limits(roles), *sizes_below(survey, trees), *ends_of(trees)):
        symbols.sizes.named(name)
    settle_declared(roles, context)
    tie_equal(roles)
    letters = frozenset(part for statement in roles.statements for part in index_letters(statement, survey))
    raised = raised_vectors(roles)
    beside = vectors_beside(roles)
    along = vectors_along(roles, beside)
    vectors = {of_any_layer(name) for name in beside}
    for name, usage in survey.usages.items():
        if name in symbols.slots or name in symbols.aliases or name.partition("_")[0] == "1":
            continue
        rank = survey.rank(name)
        if rank == 1 and looks_like_matrix(name) and usage.bare > usage.indexed.total():
            rank = None
        if name == "delta" and rank == 2 and usage.indexed[1] and not own_definition(roles, name, 2):
            rank = 1  # an error term beside Kronecker's delta
        look = Look(name, usage, rank, letters, raised)
        if is_constant(roles, look) or adopts_context(roles, context, name) or any(rule(roles, look) for rule in RULES):
            continue
        marked = usage.transposed or of_any_layer(name) in vectors
        slots = guessed_rank(name, usage.bold, usage.scalar, marked) if rank is None else rank
        if rank is None and of_any_layer(name) in along:
            slots = 1
        symbols.slots[name] = tuple(symbols.sizes.fresh("") for _ in range(slots))
        if usage.indexed and usage.bare:
            symbols.slots[f"{name} as scalar"] = ()


def tie_equal(roles: Roles) -> None:
    """Declared sizes under two names are one where the document says that an array is another: ``A = X``."""
    symbols = roles.symbols
    for statement in roles.statements:
        if len(statement.sides) != 2 or statement.sides[1].relation != "=" or len(statement.trees) != 2:
            continue
        names = [head_name(roles, tree) for tree in statement.trees]
        slots = [symbols.slots.get(name, ()) for name in names]
        if names[0] == names[1] or len(slots[0]) != len(slots[1]):
            continue
        for left, right in zip(*slots, strict=True):
            if symbols.sizes.name_of(left) != symbols.sizes.name_of(right):
                symbols.sizes.declared.discard(symbols.sizes.name_of(left))
                symbols.sizes.unify(left, right)


def head_name(roles: Roles, tree: Sum) -> str:
    """The name that a formula consists of; empty if it is more, or has indices."""
    only = tree.only
    found = roles.survey.name(only.items[0]) if only is not None and len(only.items) == 1 else None
    bare = found is not None and found.parts is None and not (found.powers or found.primes or found.transposed)
    return found.name if found is not None and bare else ""


def adopts_context(roles: Roles, context: Context, name: str) -> bool:
    """A name that a context calls a gradient."""
    target = adjoint_target(name, context, roles)
    if target:
        roles.symbols.adjoints[name] = target
    return bool(target)


def adjoint_target(name: str, context: Context, roles: Roles) -> str | None:
    """The tensor whose gradient a name stands for, as a context says."""
    if name in context.gradients:
        target, loss = context.gradients[name]
        roles.symbols.losses.add(loss)
        roles.symbols.slots[loss] = ()
        return target
    for prefix, suffix, loss in context.adjoints:
        if name.startswith(prefix) and name.endswith(suffix) and len(name) > len(prefix) + len(suffix):
            target = name[len(prefix) : len(name) - len(suffix)]
            if target in roles.survey.usages:
                roles.symbols.losses.add(loss)
                roles.symbols.slots[loss] = ()
                return target
    return None


def settle_declared(roles: Roles, context: Context) -> None:
    """Declared names that stand for gradients, and small names of declared matrices."""
    symbols, survey = roles.symbols, roles.survey
    for name in tuple(symbols.slots):
        if target := adjoint_target(name, context, roles):
            symbols.adjoints[name] = target
            del symbols.slots[name]
            continue
        twin = small_twin(name, survey) if len(name) == 1 and name.isupper() and survey.rank(name) is None else None
        if twin is not None and len(symbols.slots[name]) == 2 and twin not in symbols.slots:
            symbols.aliases[twin] = name
            symbols.slots[f"{twin} as scalar"] = ()


def looks_like_matrix(name: str) -> bool:
    """Whether a name is that of a matrix, whatever a stray subscript says."""
    return "matrix" in name.lower() or (len(name) == 1 and name.isupper())


def name_loss(symbols: Symbols) -> None:
    """A document that writes only ``dX`` has a loss without a name."""
    if symbols.adjoints and not symbols.losses:
        symbols.losses.add("loss")
        symbols.slots["loss"] = ()


def guessed_rank(name: str, bold: bool, divided: bool, transposed: bool) -> int:
    """The number of slots of a name that is never indexed and never declared."""
    base = name.split("_", maxsplit=1)[0].split("^", maxsplit=1)[0].rsplit(" ", maxsplit=1)[-1]
    for word, rank in (("matrix", 2), ("vector", 1)):
        if word in base.lower() and len(base) > len(word):
            return rank
    if base in MEASURES:
        return 0
    if base[:1].isupper() and not divided:
        return 2
    return 1 if bold or transposed or name.startswith("vec ") else 0


def sum_limits(roles: Roles) -> set[str]:
    """The names of upper limits of sums."""
    found = set()
    for statement in roles.statements:
        for tree in statement.trees:
            for node in nodes_of(tree):
                if (
                    isinstance(node, Scripted)
                    and isinstance(node.base, Atom)
                    and node.base.kind == "SUM"
                    and node.above
                ):
                    texts = [token.text for token in node.above[-1]]
                    name = "".join(texts[:-2]) if texts[-2:] == ["-", "1"] else "".join(texts)
                    if name.isalpha():
                        found.add(name)
    return found
