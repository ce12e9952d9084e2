"""What names are equal to: the first equation of each, the indexed form preferred."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from indexcalc.errors import LimitError
from indexcalc.language.latex.tree import Atom, Fraction, Group, Scripted, Sum, nodes_of
from indexcalc.language.latex.vocabulary import FUNCTIONS, STRUCTURAL
from indexcalc.proof.document.meaning.nodes import Derivative, Entry, free, names_of, renamed, walk
from indexcalc.proof.document.meaning.sizes import ShapeError, Sizes
from indexcalc.proof.document.meaning.symbols import Definition, Function, NotUnderstoodError, Symbols, depends_on
from indexcalc.proof.document.names.inner import estimated
from indexcalc.proof.document.reading.einstein import bind_repeated
from indexcalc.proof.document.reading.reaching import reaching
from indexcalc.proof.document.reading.reader import Reader
from indexcalc.proof.document.written.layouts import lays_out
from indexcalc.proof.document.written.outline import Statement
from indexcalc.proof.document.written.roles import DEFINITION, EQUATION, Roles, head_of, index_letters, names_of_tree
from indexcalc.proof.document.written.scripts import Named, subscript
from indexcalc.proof.document.written.trees import products_of


def find_functions(roles: Roles) -> None:
    """``f(x) = ...`` defines a function of one argument, ``f(x_i) = ...`` the entries of one."""
    for number, statement in enumerate(roles.statements):
        if is_called_with_several(roles, statement):
            roles.kinds[number] = DEFINITION
            continue
        found = function_head(roles, statement)
        if found is None:
            continue
        name, parameter = found
        if name.name in roles.symbols.functions:
            roles.symbols.redefined.add(name.name)
            continue
        body = statement.sides[1].tree
        assert body is not None
        if lays_out(body):
            continue
        if lists_arguments(body):
            roles.symbols.applied.add(name.name)
            continue
        body = body if parameter.parts else reaching(body, roles.survey)
        roles.symbols.functions[name.name] = Function(parameter.name, body, parameter.parts or ())
        roles.kinds[number] = DEFINITION
        roles.defining[number] = name.name


def is_called_with_several(roles: Roles, statement: Statement) -> bool:
    """Whether a statement says what a function of several arguments is; these stand for it where it is applied."""
    tree = statement.sides[0].tree
    items = tree.only.items if tree is not None and tree.only is not None else ()
    if len(items) != 2 or len(statement.sides) < 2 or statement.sides[1].tree is None:
        return False
    name, group = roles.survey.name(items[0]), items[1]
    several = isinstance(group, Group) and group.bracket == "(" and len(group.members) > 1
    return several and name is not None and name.name not in FUNCTIONS and name.name not in STRUCTURAL


def lists_arguments(tree: Sum) -> bool:
    """Whether a formula has a function of several arguments that no equation defines: ``C(h, y)``."""
    return any(
        isinstance(left, Atom) and left.text not in STRUCTURAL and left.kind == "NAME" and left.text not in FUNCTIONS
        for product in products_of(tree)
        for left, right in pairwise(product.items)
        if isinstance(right, Group) and right.bracket == "(" and len(right.members) > 1
    )


def function_head(roles: Roles, statement: Statement) -> tuple[Named, Named] | None:
    """The name of a function and that of its one argument, if a statement may define it, at an entry or not."""
    tree = statement.sides[0].tree
    product = tree.only if tree is not None else None
    if product is None or len(product.items) != 2 or len(statement.sides) < 2 or statement.sides[1].tree is None:
        return None
    left, right = product.items
    name = roles.survey.name(left)
    outside: tuple[str, ...] = ()
    if isinstance(right, Scripted) and right.below and not (right.above or right.primes or right.along):
        outside, right = subscript(right.below).parts or (), right.base
        if not outside:
            return None
    if name is None or name.parts is not None or not isinstance(right, Group) or len(right.members) != 1:
        return None
    inner = right.members[0].only
    parameter = roles.survey.name(inner.items[0]) if inner is not None and len(inner.items) == 1 else None
    if parameter is None or name.primes or name.powers or name.name in FUNCTIONS or name.name in STRUCTURAL:
        return None
    roles.symbols.applied.add(name.name)
    if outside and parameter.parts is None:
        parameter = replace(parameter, parts=outside)
    elif outside:
        return None
    letters = parameter.parts or ()
    if parameter.powers or len(set(letters)) < len(letters) or not all(letter.isalpha() for letter in letters):
        return None
    return name, parameter


def candidates(roles: Roles) -> Iterator[tuple[int, Named]]:
    """The statements that may define a name, indexed forms before bare ones."""
    found = []
    for number, statement in enumerate(roles.statements):
        if roles.kinds.get(number) != EQUATION or statement.sides[1].tree is None or number in roles.solutions:
            continue
        if estimated(statement):
            continue
        if statement.sides[1].relation not in ("=", ":=") or statement.supposed or statement.doubted:
            continue
        name = head_of(roles, statement)
        if name is None or name.name in roles.symbols.adjoints:
            continue
        if name.name in FUNCTIONS or (name.name == "delta" and "delta" not in roles.symbols.slots):
            continue
        found.append((number, name))
    yield from (pair for pair in found if pair[1].parts is not None)
    yield from (pair for pair in found if pair[1].parts is None)


def define(roles: Roles) -> None:
    """Every name's first equation, the indexed form preferred; once more for those that need what is defined later."""
    known, dropped = -1, set[str]()
    while known < len(roles.symbols.definitions):
        known = len(roles.symbols.definitions)
        define_once(roles)
        for name in stale(roles.symbols):
            if name not in dropped:
                drop(roles, name)
                dropped.add(name)
                known = -1
    for definition in roles.symbols.definitions.values():
        roles.symbols.given.update(names_of(definition.body))
    headed = {
        roles.symbols.resolve(name.name)
        for number, name in candidates(roles)
        if not any(lays_out(side.tree) for side in roles.statements[number].sides)
        and not updates(roles, roles.statements[number], name)
    }
    settled = {*roles.symbols.definitions, *roles.symbols.functions, *roles.symbols.losses}
    roles.symbols.unread.update((headed - settled) | set(alternatives(roles)))


def stale(symbols: Symbols) -> list[str]:
    """The names whose definitions read another as what it looked like before its own definition was known."""
    return [
        name
        for name, definition in symbols.definitions.items()
        for node in walk(definition.body)
        if isinstance(node, Entry) and len(node.slots) != len(symbols.slots.get(node.name, node.slots))
    ]


def drop(roles: Roles, name: str) -> None:
    """Take a definition back, to be read again."""
    del roles.symbols.definitions[name]
    for number, defined in list(roles.defining.items()):
        if defined == name:
            del roles.defining[number]
            roles.kinds[number] = EQUATION


def updates(roles: Roles, statement: Statement, head: Named) -> bool:
    r"""Whether a statement gives a name its next value, ``\theta = \theta - \eta g``: that defines nothing."""
    tree = statement.sides[1].tree
    for sign, term in tree.terms if tree is not None and len(tree.terms) > 1 else ():
        found = roles.survey.name(term.items[0]) if sign > 0 and len(term.items) == 1 else None
        if found is not None and (found.name, found.parts) == (head.name, head.parts) and not found.powers:
            return True
    return False


def define_once(roles: Roles) -> None:
    """The definitions that can be read with those that are known."""
    for number, name in list(candidates(roles)):
        resolved = roles.symbols.resolve(name.name)
        if resolved in roles.symbols.definitions or resolved in roles.symbols.functions:
            continue
        members = [
            n
            for n, s in enumerate(roles.statements[number].sides)
            if n and s.tree is not None and s.relation in ("=", ":=")
        ]
        found = ((member, definition_from(roles, number, name, member)) for member in members)
        member, definition = next(((n, one) for n, one in found if one is not None), (0, None))
        if definition is None:
            continue
        if member != members[0]:
            roles.symbols.unsure.update(n for n in names_of(definition.body) if n not in roles.symbols.given)
        roles.symbols.definitions[resolved] = definition
        if depends_on_itself(roles.symbols, resolved):
            del roles.symbols.definitions[resolved]
            continue
        roles.symbols.slots[resolved] = definition.slots
        roles.kinds[number] = DEFINITION
        roles.defining[number] = resolved


def alternatives(roles: Roles) -> Iterator[str]:
    """The names of ``q = p, or, q = p - m``: what they are is left open."""
    for before, between in pairwise(roles.statements):
        words = "".join(token.text for token in between.sides[0].tokens)
        head = head_of(roles, before) if len(between.sides) == 1 and words == "or" else None
        if head is not None:
            yield roles.symbols.resolve(head.name)


def find_differentials(roles: Roles) -> None:
    """``dY = dX W``, where Y is made from X, speaks of differentials: gradients go the other way."""
    symbols = roles.symbols
    for statement in roles.statements:
        head = head_of(roles, statement)
        target = symbols.adjoints.get(head.name) if head is not None else None
        if head is None or target is None or not head.name.startswith("d"):
            continue
        for tree in statement.trees[1:]:
            for name in names_of_tree(roles, tree):
                source = symbols.adjoints.get(name.name, target)
                if source != target and depends_on(symbols.definitions, target, source):
                    symbols.differentials = True


def letters_below(roles: Roles, statement: Statement) -> frozenset[str]:
    r"""The letters that index something in a statement; none where ``x_1, \dots, x_n`` makes one of a size."""
    if any(token.kind == "DOTS" for side in statement.sides for token in side.tokens):
        return frozenset()
    stated = (letter for left, _, right in statement.conditions for letter in (left, right) if letter.isalpha())
    behind = (
        token.text
        for tree in statement.trees
        for node in nodes_of(tree)
        if isinstance(node, Scripted) and isinstance(node.base, Group)
        for token in node.below
        if token.kind == "NAME"
    )
    return frozenset((*index_letters(statement, roles.survey), *stated, *behind))


def depends_on_itself(symbols: Symbols, name: str) -> bool:
    """Whether a definition leads back to its own name."""
    return any(
        inner == name or depends_on(symbols.definitions, inner, name)
        for inner in names_of(symbols.definitions[name].body)
        if not any(isinstance(n, Derivative) for n in walk(symbols.definitions[name].body))
    )


def definition_from(
    roles: Roles, number: int, name: Named, member: int = 1, meant: Sum | None = None
) -> Definition | None:
    """The definition that a statement makes, with `meant` for its member if given; None if it cannot be read as one."""
    symbols = roles.symbols
    statement = roles.statements[number]
    sizes = symbols.sizes.copy()
    reader = Reader(symbols, roles.survey, sizes)
    reader.indices = letters_below(roles, statement)
    reader.scalars_only = scalars_only(roles, statement)
    letters = tuple(reader.letter(part) for part in name.parts or ())
    reader.head = dict(reader.letters)
    resolved = symbols.resolve(name.name)
    tree = meant or statement.sides[member].tree
    assert tree is not None
    try:
        value = reader.sum(tree)
        node = bind_repeated(value.node, {*letters, *value.axes}) if symbols.einstein else value.node
        own = [index for index in free(node) if index not in value.axes and index not in letters]
        if own and not meant and (wider := reaching(tree, roles.survey)) is not tree:
            return definition_from(roles, number, name, member, wider)
        if own or resolved in names_of(node):
            return None
        known = symbols.slots.get(resolved, ())
        if name.parts is None and len(known) != len(value.axes) and only_guessed(roles, resolved):
            known = known if not value.axes and multiplied(roles, resolved) else ()
        if name.parts is not None and not value.axes:
            slots = letters
        elif (name.parts is None and len(known) in (0, len(value.axes))) or not known:
            slots = value.axes
        elif name.parts is None and len(known) > len(value.axes) == 0:
            return None
        else:
            return None
        if name.parts is None and reader.scalars_only and resolved in symbols.slots and symbols.slots[resolved]:
            return None
        for slot, other in zip(slots, known, strict=False):
            sizes.unify(slot, other)
    except (ShapeError, NotUnderstoodError, LimitError):
        return None
    adopt(symbols, sizes)
    line = roles.document.place(statement.sides[0].start)[0]
    return Definition(slots, renamed(node, {}), line)


def only_guessed(roles: Roles, name: str) -> bool:
    """Whether a name's rank was guessed by how it looks, and no definition has read it so."""
    symbols = roles.symbols
    declared = name in symbols.given or name in symbols.simplex or roles.survey.rank(name) is not None
    return not declared and not any(name in definition.reads for definition in symbols.definitions.values())


def multiplied(roles: Roles, name: str) -> bool:
    """Whether a name stands anywhere but as a first member or in a derivative, so that its rank can be told."""
    usage = roles.survey.usages.get(name)
    headed = sum(1 for statement in roles.statements if (h := head_of(roles, statement)) is not None and h.name == name)
    return usage is None or usage.bare > headed + usage.numerator + usage.mentioned or usage.transposed


def adopt(symbols: Symbols, sizes: Sizes) -> None:
    """Keep what a definition unified."""
    symbols.sizes.parent, symbols.sizes.names = sizes.parent, sizes.names
    symbols.sizes.owners, symbols.sizes.count, symbols.sizes.exact = sizes.owners, sizes.count, sizes.exact


def scalars_only(roles: Roles, statement: Statement) -> bool:
    """Whether a statement has neither indices nor matrices, so that a bare name is a scalar."""
    if any(True for _ in index_letters(statement, roles.survey)):
        return False
    head = statement.sides[0].tree
    if head is None or (
        any(roles.survey.rank(n.name) for n in names_of_tree(roles, head) if n.name not in STRUCTURAL)
        and not is_rate(head)
    ):
        return False
    for tree in statement.trees:
        for name in {n.name for n in names_of_tree(roles, tree)}:
            if name in roles.symbols.adjoints:
                return False
            usage = roles.survey.usages.get(name)
            if usage is None or usage.bold or usage.transposed or name == "1" or name in roles.symbols.losses:
                return False
            slots = roles.symbols.slots.get(roles.symbols.resolve(name))
            if slots and (name[:1].isupper() or f"{name} as scalar" not in roles.symbols.slots):
                return False
    return True


def is_rate(tree: Sum) -> bool:
    """Whether a member is a derivative."""
    only = tree.only
    return only is not None and isinstance(only.items[0], Fraction)
