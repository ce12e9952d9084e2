"""What each statement of a document is, and what its names stand for, found before anything is judged."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from indexcalc.errors import IndexCalcError, LimitError
from indexcalc.language.document import Document
from indexcalc.language.latex.grammar import parse
from indexcalc.language.latex.tokens import Token
from indexcalc.language.latex.tree import Atom, Fraction, Group, Product, Scripted, Sum, nodes_of
from indexcalc.language.latex.vocabulary import FUNCTIONS, STRUCTURAL
from indexcalc.proof.document.context import Context
from indexcalc.proof.document.einstein import bind_repeated
from indexcalc.proof.document.nodes import ONE, Derivative, Entry, Meaning, Total, free, names_of, renamed, walk
from indexcalc.proof.document.outline import Statement, condition
from indexcalc.proof.document.reading import Reader
from indexcalc.proof.document.scripts import COLON, Named
from indexcalc.proof.document.sizes import Ix, ShapeError, Sizes
from indexcalc.proof.document.survey import Survey, name_nodes, survey_of
from indexcalc.proof.document.symbols import Definition, Function, NotUnderstoodError, Symbols, depends_on

LOSSES = frozenset({"L", "l", "ell", "J", "E", "C", "loss", "Loss", "mathcal L", "mathcal J", "mathcal E", "f"})
"""Names under which authors differentiate a loss that they do not define."""

DECLARATION, CONDITION, DEFINITION, EQUATION, OTHER = "declaration", "condition", "definition", "equation", "other"

REALS = frozenset({"REALS"})

ASSUMED = re.compile(r"\b(?:assum|suppos|one-hot|sums?\s+to\s+(?:one|1|\$1\$)|given that|probabilit)", re.IGNORECASE)
"""Words that say that what follows is assumed."""

PROSE_REACH = 200
"""How many characters before a statement are looked at for such words."""


@dataclass
class Roles:
    """The statements with their roles, and the symbols.

    Attributes:
        document: the document.
        statements: in order.
        survey: how names are used.
        symbols: what names stand for.
        kinds: the role of each statement, by its place.
        defining: for each statement that defines a name, that name.
    """

    document: Document
    statements: list[Statement]
    survey: Survey
    symbols: Symbols
    kinds: dict[int, str] = field(default_factory=dict)
    defining: dict[int, str] = field(default_factory=dict)
    failed: dict[int, str] = field(default_factory=dict)


def roles_of(document: Document, statements: list[Statement], context: Context | None = None) -> Roles:
    """Find declarations, conditions and definitions, and from them the symbols."""
    roles = Roles(document, statements, survey_of((s.trees for s in statements), extent_labels(statements)), Symbols())
    context = context or Context()
    roles.symbols.aliases.update(context.aliases)
    roles.symbols.words.update(context.functions)
    declare(roles)
    tie_ranges(roles)
    make_slots(roles, context)
    name_loss(roles.symbols)
    find_functions(roles)
    roles.symbols.einstein = uses_einstein(roles) if context.einstein is None else context.einstein
    roles.symbols.simplex.update(context.simplex)
    define(roles)
    find_assumptions(roles)
    find_outputs(roles)
    tie_letters(roles)
    return roles


def extent_labels(statements: list[Statement]) -> frozenset[tuple[str, str]]:
    r"""The labels of extents, such as ``D_h`` in ``\mathbb{R}^{T \times D_h}``."""
    found = set()
    for statement in statements:
        for side in statement.sides:
            if extents_of(side.tokens):
                plain = [token for token in side.tokens if token.kind not in ("{", "}")]
                for base, mark, label in zip(plain, plain[1:], plain[2:], strict=False):
                    if base.kind == "NAME" and mark.kind == "SUB" and label.kind in ("NAME", "NUM"):
                        found.add((base.text, label.text))
    return frozenset(found)


# declarations -------------------------------------------------------------------------------------------------------


def declare(roles: Roles) -> None:
    r"""``Q, K \in \mathbb{R}^{T \times d}``, and table rows that say the same."""
    for number, statement in enumerate(roles.statements):
        if condition(statement) or explains_delta(roles, statement):
            roles.kinds[number] = CONDITION
            continue
        if len(statement.sides) == 1:
            roles.kinds[number] = OTHER
            before = roles.statements[number - 1] if number else None
            if before is not None and len(before.sides) == 1 and same_line(roles.document, before, statement):
                extents = extents_of(statement.sides[0].tokens)
                if extents is not None:
                    declare_names(roles, before.sides[0].tokens, extents)
            continue
        roles.kinds[number] = EQUATION
        if len(statement.sides) == 2 and statement.sides[1].relation == "in":
            roles.kinds[number] = DECLARATION
            extents = extents_of(statement.sides[1].tokens)
            if extents is not None:
                declare_names(roles, statement.sides[0].tokens, extents)
        elif all(
            side.relation in ("in", "->", "=>", "for", "<", ">", "<=", ">=", "!=", "~") for side in statement.sides[1:]
        ):
            roles.kinds[number] = OTHER


def explains_delta(roles: Roles, statement: Statement) -> bool:
    """Whether a statement only says what Kronecker's delta is."""
    head = head_of(roles, statement) if len(statement.sides) == 2 else None
    if head is None or head.name != "delta" or head.parts is None or len(head.parts) != 2:
        return False
    return all(token.kind == "NUM" for token in statement.sides[1].tokens)


def same_line(document: Document, one: Statement, other: Statement) -> bool:
    """Whether two pieces of mathematics stand in one row of a table."""
    line, other_line = document.place(one.span.start)[0], document.place(other.span.start)[0]
    return line == other_line and document.line_text(line).lstrip().startswith("|")


def extents_of(tokens: tuple[Token, ...]) -> list[str] | None:
    r"""The extents in ``\mathbb{R}^{T \times d}``; None if the tokens are no such set."""
    plain = [token for token in tokens if token.kind not in ("{", "}")]
    if not plain or not (plain[0].kind in REALS or plain[0].text == "R"):
        return None
    if len(plain) == 1:
        return []
    if plain[1].kind != "SUP":
        return None
    extents, current = [], ""
    for token in plain[2:]:
        if token.kind == "TIMES":
            extents.append(current)
            current = ""
        elif token.kind == "SUB":
            current += "_"
        else:
            current += token.text
    return [*extents, current]


def names_in(tokens: tuple[Token, ...], survey: Survey) -> Iterator[Named]:
    """The names of a list such as ``Q, K``."""
    current: list[Token] = []
    for token in (*tokens, Token("COMMA", ",", 0)):
        if token.kind != "COMMA":
            current.append(token)
            continue
        try:
            tree = parse(current).only
        except IndexCalcError:
            tree = None
        if tree is not None and len(tree.items) == 1:
            found = survey.name(tree.items[0])
            if found is not None:
                yield found
        current = []


def declare_names(roles: Roles, tokens: tuple[Token, ...], extents: list[str]) -> None:
    """Give each name its slots under the declared extents."""
    symbols = roles.symbols
    for found in names_in(tokens, roles.survey):
        wanted = [extent for extent in extents if extent != "1"] if len(extents) == 2 else extents
        if found.name.startswith("d") and len(found.name) > 1 and is_tensor(roles, found.name[1:]):
            continue
        if found.name in symbols.slots or (found.parts is not None and len(found.parts) != len(wanted)):
            continue
        slots = []
        for extent in wanted:
            slot = symbols.sizes.fresh("")
            symbols.sizes.unify(slot, symbols.sizes.named(extent, declared=True))
            slots.append(slot)
        symbols.slots[found.name] = tuple(slots)
        symbols.given.add(found.name)


def tie_ranges(roles: Roles) -> None:
    """``k = 1, ..., N`` says that N is the size of k."""
    for statement in roles.statements:
        if len(statement.sides) == 2 and statement.sides[1].relation == "=":
            left, right = statement.sides
            texts = [token.text for token in right.tokens if token.kind not in ("COMMA", "DOT", "DOTS")]
            if len(left.tokens) == 1 and len(texts) == 2 and texts[0] in ("0", "1") and texts[1].isalpha():
                roles.symbols.sizes.named(texts[1])
                roles.symbols.assumed[left.tokens[0].text] = texts[1]
                roles.kinds[roles.statements.index(statement)] = CONDITION


# names --------------------------------------------------------------------------------------------------------------


def make_slots(roles: Roles, context: Context) -> None:
    """Slots for every name: as it is declared, as it is indexed, else by how it looks."""
    symbols, survey = roles.symbols, roles.survey
    limits = sum_limits(roles)
    for name in limits:
        symbols.sizes.named(name)
    settle_declared(roles, context)
    letters = {part for statement in roles.statements for part in index_letters(statement, survey)}
    for name, usage in survey.usages.items():
        if name in symbols.slots or name in symbols.aliases or name == "1":
            continue
        rank = survey.rank(name)
        if rank == 1 and looks_like_matrix(name) and usage.bare > usage.indexed.total():
            rank = None
        if name == "delta" and rank == 2 and not own_definition(roles, name):
            continue
        if name in ("e", "I", "pi") and rank is None and not own_definition(roles, name):
            continue
        if target := adjoint_target(name, context, roles):
            symbols.adjoints[name] = target
            continue
        plain = name.split(" ")[-1]
        if " " in name and rank is None and name[0].islower() and survey.rank(plain) and not survey.usages[plain].bare:
            symbols.aliases[name] = plain
            continue
        if (name in LOSSES or "loss" in name.lower()) and rank is None and usage.numerator:
            symbols.losses.add(name)
            symbols.slots[name] = ()
            continue
        if rank is None and (name in FUNCTIONS or name in STRUCTURAL or name in symbols.sizes.owners):
            continue
        if rank is None and len(name) == 1 and name.isupper() and small_twin(name, survey) is not None:
            twin = small_twin(name, survey)
            assert twin is not None
            symbols.aliases[name] = twin
            continue
        if rank is None and name.startswith("d") and len(name) > 1 and is_tensor(roles, name[1:]):
            symbols.adjoints[name] = name[1:]
            continue
        if rank is None and len(name) == 1 and name.isupper() and usage.scalar and name.lower() in letters:
            symbols.sizes.named(name)
            symbols.assumed[name.lower()] = name
            continue
        if rank is None:
            rank = guessed_rank(name, usage.bold, usage.scalar, usage.transposed)
        symbols.slots[name] = tuple(symbols.sizes.fresh("") for _ in range(rank))
        if usage.indexed and usage.bare:
            symbols.slots[f"{name} as scalar"] = ()


def adjoint_target(name: str, context: Context, roles: Roles) -> str | None:
    """The tensor whose gradient a name stands for, as a context says."""
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


def own_definition(roles: Roles, name: str) -> bool:
    """Whether the document gives a name a meaning of its own, other than by a number."""
    return any(
        any(token.kind != "NUM" for token in roles.statements[number].sides[1].tokens) for number in heads(roles, name)
    )


def name_loss(symbols: Symbols) -> None:
    """A document that writes only ``dX`` has a loss without a name."""
    if symbols.adjoints and not symbols.losses:
        symbols.losses.add("loss")
        symbols.slots["loss"] = ()


def is_tensor(roles: Roles, name: str) -> bool:
    """Whether a name is that of a tensor that the document uses."""
    usage = roles.survey.usages.get(name)
    return usage is not None and name not in LOSSES and (name[:1].isupper() or bool(usage.indexed) or usage.bold)


def guessed_rank(name: str, bold: bool, divided: bool, transposed: bool) -> int:
    """The number of slots of a name that is never indexed and never declared."""
    base = name.split("_", maxsplit=1)[0].split("^", maxsplit=1)[0].rsplit(" ", maxsplit=1)[-1]
    for word, rank in (("matrix", 2), ("vector", 1)):
        if word in base.lower() and len(base) > len(word):
            return rank
    if base[:1].isupper() and not divided:
        return 2
    return 1 if bold or transposed else 0


def small_twin(name: str, survey: Survey) -> str | None:
    """The small name under which the entries of a capital tensor are written."""
    low = name.lower()
    usage = survey.usages.get(low)
    return low if usage is not None and survey.rank(low) == 2 and usage.indexed.total() > usage.bare else None


def index_letters(statement: Statement, survey: Survey) -> Iterator[str]:
    """The letters that index something in a statement."""
    for tree in statement.trees:
        for node in name_nodes(tree):
            found = survey.name(node)
            if found is not None:
                yield from (part for part in found.parts or () if part != COLON)


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


def heads(roles: Roles, name: str) -> list[int]:
    """The statements whose first member is a name."""
    return [
        number
        for number, statement in enumerate(roles.statements)
        if len(statement.sides) > 1 and (found := head_of(roles, statement)) is not None and found.name == name
    ]


def head_of(roles: Roles, statement: Statement) -> Named | None:
    """The name that is the whole first member of a statement, at distinct letters or bare."""
    tree = statement.sides[0].tree
    product = tree.only if tree is not None else None
    if product is None or len(product.items) != 1:
        return None
    found = roles.survey.name(product.items[0])
    if found is None or found.powers or found.transposed or found.primes or found.unreadable or found.name == "1":
        return None
    if found.parts is not None and (
        len(set(found.parts)) < len(found.parts) or any(p == COLON or p.isdigit() for p in found.parts)
    ):
        return None
    return found


def find_functions(roles: Roles) -> None:
    """``f(x) = ...`` defines a function of one argument."""
    for number, statement in enumerate(roles.statements):
        tree = statement.sides[0].tree
        product = tree.only if tree is not None else None
        if product is None or len(product.items) != 2 or len(statement.sides) < 2 or statement.sides[1].tree is None:
            continue
        left, right = product.items
        name = roles.survey.name(left)
        if name is None or name.parts is not None or not isinstance(right, Group) or len(right.members) != 1:
            continue
        inner = right.members[0].only
        parameter = roles.survey.name(inner.items[0]) if inner is not None and len(inner.items) == 1 else None
        if parameter is None or parameter.parts is not None or name.name in FUNCTIONS | dict.fromkeys(STRUCTURAL):
            continue
        usage = roles.survey.usages.get(parameter.name)
        if usage is not None and usage.indexed:
            continue
        roles.symbols.functions.setdefault(name.name, Function(parameter.name, statement.sides[1].tree))
        roles.kinds[number] = DEFINITION
        roles.defining[number] = name.name


# definitions --------------------------------------------------------------------------------------------------------


def candidates(roles: Roles) -> Iterator[tuple[int, Named]]:
    """The statements that may define a name, indexed forms before bare ones."""
    found = []
    for number, statement in enumerate(roles.statements):
        if roles.kinds.get(number) != EQUATION or statement.sides[1].tree is None:
            continue
        if statement.sides[1].relation not in ("=", ":="):
            continue
        name = head_of(roles, statement)
        if name is None or name.name in roles.symbols.adjoints:
            continue
        if name.name in FUNCTIONS or (name.name == "delta" and name.parts is not None):
            continue
        found.append((number, name))
    yield from (pair for pair in found if pair[1].parts is not None)
    yield from (pair for pair in found if pair[1].parts is None)


def uses_einstein(roles: Roles) -> bool:
    """Whether the definitions, or else the entries of traces, need sums that are not written."""
    written = sum(
        isinstance(node, Atom) and node.kind == "SUM"
        for statement in roles.statements
        for tree in statement.trees
        for node in nodes_of(tree)
    )
    votes = 0
    for number, statement in enumerate(roles.statements):
        if roles.kinds.get(number) != EQUATION:
            continue
        reader = Reader(roles.symbols, roles.survey, roles.symbols.sizes.copy())
        for side in statement.sides:
            if side.tree is None or side.relation == "in":
                continue
            try:
                value = reader.sum(side.tree)
            except (NotUnderstoodError, ShapeError, LimitError):
                continue
            bound = bind_repeated(value.node, set(head_letters(reader, statement)))
            votes += bound != value.node
    return votes > 2 * written


def head_letters(reader: Reader, statement: Statement) -> Iterator[Ix]:
    """The letters that are free in the first member."""
    tree = statement.sides[0].tree
    if tree is None:
        return
    try:
        value = reader.sum(tree)
    except (NotUnderstoodError, ShapeError, LimitError):
        return
    yield from free(value.node)


def define(roles: Roles) -> None:
    """Every name's first equation, the indexed form preferred."""
    for number, name in candidates(roles):
        resolved = roles.symbols.resolve(name.name)
        if resolved in roles.symbols.definitions or resolved in roles.symbols.functions:
            continue
        members = [
            n
            for n, s in enumerate(roles.statements[number].sides)
            if n and s.tree is not None and s.relation in ("=", ":=")
        ]
        found = (definition_from(roles, number, name, member) for member in members)
        definition = next((one for one in found if one is not None), None)
        if definition is None:
            continue
        roles.symbols.definitions[resolved] = definition
        if depends_on_itself(roles.symbols, resolved):
            del roles.symbols.definitions[resolved]
            continue
        roles.symbols.slots[resolved] = definition.slots
        roles.kinds[number] = DEFINITION
        roles.defining[number] = resolved
    for definition in roles.symbols.definitions.values():
        roles.symbols.given.update(names_of(definition.body))


def depends_on_itself(symbols: Symbols, name: str) -> bool:
    """Whether a definition leads back to its own name."""
    return any(
        inner == name or depends_on(symbols.definitions, inner, name)
        for inner in names_of(symbols.definitions[name].body)
        if not any(isinstance(n, Derivative) for n in walk(symbols.definitions[name].body))
    )


def definition_from(roles: Roles, number: int, name: Named, member: int = 1) -> Definition | None:
    """The definition that a statement makes; None if it cannot be read as one."""
    symbols = roles.symbols
    statement = roles.statements[number]
    sizes = symbols.sizes.copy()
    reader = Reader(symbols, roles.survey, sizes)
    reader.scalars_only = scalars_only(roles, statement)
    letters = tuple(reader.letter(part) for part in name.parts or ())
    resolved = symbols.resolve(name.name)
    tree = statement.sides[member].tree
    assert tree is not None
    try:
        value = reader.sum(tree)
        node = bind_repeated(value.node, {*letters, *value.axes}) if symbols.einstein else value.node
        own = [index for index in free(node) if index not in value.axes and index not in letters]
        if own or resolved in names_of(node):
            return None
        known = symbols.slots.get(resolved, ())
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
    except ShapeError as error:
        roles.failed[number] = str(error)
        return None
    except (NotUnderstoodError, LimitError) as error:
        roles.failed[number] = str(error)
        return None
    adopt(symbols, sizes)
    line = roles.document.place(statement.sides[0].start)[0]
    return Definition(slots, renamed(node, {}), line)


def adopt(symbols: Symbols, sizes: Sizes) -> None:
    """Keep what a definition unified."""
    symbols.sizes.parent, symbols.sizes.names = sizes.parent, sizes.names
    symbols.sizes.owners, symbols.sizes.count = sizes.owners, sizes.count


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
            if name[:1].isupper() and roles.symbols.slots.get(roles.symbols.resolve(name)):
                return False
    return True


def is_rate(tree: Sum) -> bool:
    """Whether a member is a derivative."""
    only = tree.only
    return only is not None and isinstance(only.items[0], Fraction)


def names_of_tree(roles: Roles, tree: Sum) -> Iterator[Named]:
    """The names in a syntax tree."""
    for node in name_nodes(tree):
        found = roles.survey.name(node)
        if found is not None:
            yield found


# assumptions --------------------------------------------------------------------------------------------------------


def prose_before(roles: Roles, statement: Statement) -> str:
    """The words just before a statement."""
    text = roles.document.source[max(0, statement.span.start - PROSE_REACH) : statement.span.start]
    return re.split(r"\n\s*\n(?=.*\n\s*\n)", text, flags=re.DOTALL)[-1]


def find_assumptions(roles: Roles) -> None:
    """``sum_c y_nc = 1``, where the words before it say that it is assumed."""
    for number, statement in enumerate(roles.statements):
        if roles.kinds.get(number) != EQUATION or len(statement.sides) != 2:
            continue
        if not ASSUMED.search(prose_before(roles, statement)):
            continue
        found = unit_sum(roles, statement)
        if found is not None and found[0] not in roles.symbols.definitions:
            roles.symbols.simplex[found[0]] = found[1]
            roles.kinds[number] = CONDITION


def unit_sum(roles: Roles, statement: Statement) -> tuple[str, tuple[int, ...]] | None:
    """The tensor, and its summed slots, of which a statement says that its entries sum to one."""
    left, right = (side.tree for side in statement.sides)
    if left is None or right is None:
        return None
    reader = Reader(roles.symbols, roles.survey, roles.symbols.sizes.copy())
    try:
        return summed_entry(reader.sum(left).node) if reader.sum(right).node == ONE else None
    except (NotUnderstoodError, ShapeError, LimitError):
        return None


def summed_entry(node: Meaning) -> tuple[str, tuple[int, ...]] | None:
    """The tensor and the summed slots, if the expression is nothing but a sum of its entries."""
    if isinstance(node, Total) and isinstance(node.body, Entry):
        slots = node.body.slots
        if set(node.indices) <= set(slots) and len(set(slots)) == len(slots):
            return node.body.name, tuple(slots.index(index) for index in node.indices)
    return None


# the loss -----------------------------------------------------------------------------------------------------------


def find_outputs(roles: Roles) -> None:
    """The tensors by which the loss is differentiated and on which no other such tensor depends."""
    symbols = roles.symbols
    wanted: dict[str, None] = {}
    for number, statement in enumerate(roles.statements):
        if roles.kinds.get(number) in (DECLARATION, CONDITION):
            continue
        reader = Reader(symbols, roles.survey, symbols.sizes.copy())
        for tree in statement.trees:
            for part in (tree, *parts_of(tree)):
                try:
                    value = reader.sum(part)
                except (NotUnderstoodError, ShapeError, IndexCalcError):
                    continue
                wanted.update(dict.fromkeys(differentiated_by(value.node, symbols)))
                symbols.writes_chain_sums |= sums_a_chain(value.node)
    definitions = symbols.definitions
    last = tuple(
        name for name in wanted if not any(other != name and depends_on(definitions, other, name) for other in wanted)
    )
    symbols.outputs = tuple(name for name in last if name in definitions) or last


def parts_of(tree: Sum) -> Iterator[Sum]:
    """Each derivative and each name on its own: what can be read although the whole cannot."""
    for node in nodes_of(tree):
        if isinstance(node, Fraction | Atom | Scripted):
            yield Sum(((1, Product((node,))),))


def sums_a_chain(node: Meaning) -> bool:
    """Whether a written sum joins ``∂·/∂y_i`` and ``∂y_i/∂·``."""
    for total in walk(node):
        if isinstance(total, Total) and any(index.name for index in total.indices):
            inner = [part for part in walk(total.body) if isinstance(part, Derivative)]
            below = {slot for part in inner for slot in part.wrt.slots}
            above = {slot for part in inner for slot in free(part.body)}
            if set(total.indices) & below & above:
                return True
    return False


def differentiated_by(node: Meaning, symbols: Symbols) -> Iterator[str]:
    """The tensors by which an expression differentiates the unknown loss."""
    for inner in walk(node):
        if isinstance(inner, Derivative) and isinstance(inner.body, Entry) and symbols.is_loss(inner.body.name):
            yield inner.wrt.name


def tie_letters(roles: Roles) -> None:
    """Names of sizes that are tied to an index letter meet the slots under that letter."""
    symbols = roles.symbols
    for letter, name in symbols.assumed.items():
        if name not in symbols.sizes.owners:
            continue
        for definition in symbols.definitions.values():
            for slot in definition.slots:
                if slot.name == letter:
                    try:
                        symbols.sizes.unify(symbols.sizes.named(name), slot)
                    except ShapeError:
                        continue
