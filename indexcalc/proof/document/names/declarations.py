"""Statements that only declare: sets, ranges, conditions, and what Kronecker's delta is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise

from indexcalc.errors import IndexCalcError, SpecError
from indexcalc.language.document import Document
from indexcalc.language.latex.grammar import parse
from indexcalc.language.latex.tokens import Token
from indexcalc.proof.document.meaning.sizes import ShapeError
from indexcalc.proof.document.names.features import drop_features
from indexcalc.proof.document.names.looks import is_tensor, meets_transpose
from indexcalc.proof.document.written.context import Context
from indexcalc.proof.document.written.outline import Statement, condition
from indexcalc.proof.document.written.roles import (
    CONDITION,
    DECLARATION,
    EQUATION,
    OTHER,
    Roles,
    head_of,
    index_letters,
    names_of_tree,
)
from indexcalc.proof.document.written.scripts import Named
from indexcalc.proof.document.written.survey import Survey

REALS = frozenset({"REALS"})
"""The kinds of tokens that stand for the real numbers."""


CELLS = re.compile(r"[\\)$`\s]*(?:&|</td>\s*<td[^<>]*>)[\\($`\s]*")
"""What stands between formulas in neighbouring cells of a table."""


def declare(roles: Roles) -> None:
    r"""``Q, K \in \mathbb{R}^{T \times d}``, and table rows that say the same."""
    letters = {letter for statement in roles.statements for letter in index_letters(statement, roles.survey)}
    alone = cache(lambda: standing_alone(roles))
    for number, statement in enumerate(roles.statements):
        if chooses_index(roles, statement, letters, alone):
            roles.kinds[number] = CONDITION
            continue
        if condition(statement) or explains_delta(roles, statement) or is_special_case(statement):
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
        if is_shape_claim(roles, statement):
            continue
        if len(statement.sides) == 2 and statement.sides[1].relation == "in":
            roles.kinds[number] = DECLARATION
            extents = extents_of(statement.sides[1].tokens)
            if extents is not None:
                declare_names(roles, statement.sides[0].tokens, extents)
        elif all(
            side.relation in ("in", "->", "=>", "for", "<", ">", "<=", ">=", "!=", "~") for side in statement.sides[1:]
        ):
            roles.kinds[number] = OTHER
    drop_features(roles)
    stack_rows(roles)


def is_shape_claim(roles: Roles, statement: Statement) -> bool:
    """Whether a product, not a list of names, is said to have a shape."""
    tree = statement.sides[0].tree
    if len(statement.sides) != 2 or statement.sides[1].relation != "in":
        return False
    if tree is None or tree.only is None or extents_of(statement.sides[1].tokens) is None:
        return False
    return len(tree.only.items) > 1 and not any(names_in(statement.sides[0].tokens, roles.survey))


def chooses_index(roles: Roles, statement: Statement, letters: set[str], alone: Callable[[], frozenset[str]]) -> bool:
    """Whether a statement only says which entry is meant, or which there are: ``j = y_i``, ``i = 1, 2, ..., K``."""
    if len(statement.sides) != 2 or statement.sides[1].relation != "=":
        return False
    head = head_of(roles, statement)
    if head is None or head.parts is not None or len(head.name) != 1 or head.name not in letters:
        return False
    usage = roles.survey.usages.get(head.name)
    tree = statement.sides[1].tree
    if usage is not None and (usage.indexed or usage.scalar or usage.below or usage.numerator):
        return False
    dots = any(token.kind == "DOTS" for token in statement.sides[1].tokens)
    single = tree is not None and tree.only is not None and len(tree.only.items) == 1
    return dots or (single and not statement.span.display and head.name not in alone())


def standing_alone(roles: Roles) -> frozenset[str]:
    """The names that stand without an index elsewhere than as a statement's first member, or as a whole formula."""
    found: set[str] = set()
    for statement in roles.statements:
        for place, tree in enumerate(statement.trees):
            whole = tree.only is not None and len(tree.only.items) == 1
            if not (whole and (place == 0 or len(statement.sides) == 1)):
                found.update(named.name for named in names_of_tree(roles, tree) if named.parts is None)
    return frozenset(found)


def is_special_case(statement: Statement) -> bool:
    r"""Whether prose says that arrays are ones or zeros, as in ``without weights, $\mathbf{w} = \mathbf{1}$``."""
    if statement.span.display or len(statement.sides) < 2:
        return False
    *arrays, constant = (side.tokens for side in statement.sides)
    named = all(len(tokens) == 1 and tokens[0].kind == "NAME" and tokens[0].bold for tokens in arrays)
    plain = len(constant) == 1 and (constant[0].kind == "ONE" or constant[0].text in ("0", "1"))
    return named and plain and all(side.relation == "=" for side in statement.sides[1:])


def explains_delta(roles: Roles, statement: Statement) -> bool:
    """Whether a statement only says what Kronecker's delta is."""
    head = head_of(roles, statement) if len(statement.sides) == 2 else None
    if head is None or head.name != "delta" or head.parts is None or len(head.parts) != 2:
        return False
    return all(token.kind == "NUM" for token in statement.sides[1].tokens)


def same_line(document: Document, one: Statement, other: Statement) -> bool:
    """Whether two pieces of mathematics stand in one row of a table, of Markdown, LaTeX or HTML."""
    line, other_line = document.place(one.span.start)[0], document.place(other.span.start)[0]
    if line == other_line and document.line_text(line).lstrip().startswith("|"):
        return True
    return CELLS.fullmatch(document.between(one.span.end, other.span.start)) is not None


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
    return [without_brackets(extent) for extent in (*extents, current)]


def without_brackets(extent: str) -> str:
    """``n+1`` for ``(n+1)``."""
    inner = extent[1:-1]
    whole = extent.startswith("(") and extent.endswith(")") and "(" not in inner and ")" not in inner
    return inner if whole else extent


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
        if is_one_of_many(roles, found, wanted):
            symbols.rows.add(found.name)
            slots.append(symbols.sizes.fresh(""))
        for extent in wanted:
            slot = symbols.sizes.fresh("")
            symbols.sizes.unify(slot, symbols.sizes.named(extent, declared=True))
            slots.append(slot)
        symbols.slots[found.name] = tuple(slots)
        symbols.given.add(found.name)


def find_redeclared(roles: Roles) -> None:
    """Names with two shapes, declared or said by an equation in another section: what is said of both is not clear."""
    symbols, document = roles.symbols, roles.document
    places: dict[str, str] = {}
    shapes: dict[str, list[str]] = {}
    for number, statement in enumerate(roles.statements):
        heading = document.heading(statement.span.start)
        if roles.kinds.get(number) == DECLARATION:
            extents = extents_of(statement.sides[1].tokens) or []
            for found in names_in(statement.sides[0].tokens, roles.survey):
                places.setdefault(found.name, heading)
                if found.parts is None and shapes.setdefault(found.name, extents) != extents:
                    symbols.unread.add(found.name)
            continue
        head = head_of(roles, statement)
        shape = extents_of(statement.sides[-1].tokens) if statement.sides[-1].relation == "in" else None
        if head is None or shape is None or places.get(head.name, heading) == heading:
            continue
        if shape != [symbols.sizes.name_of(slot) for slot in symbols.slots.get(head.name, ())]:
            symbols.unread.add(head.name)


def stack_rows(roles: Roles) -> None:
    """Vectors ``x_i`` are the rows of X where its shape says so; where it does not, how they stand in X is open."""
    symbols = roles.symbols
    for name in sorted(symbols.rows):
        capital, slots = name.upper(), symbols.slots.get(name, ())
        usage = roles.survey.usages.get(capital)
        if capital == name or usage is None or usage.indexed or len(slots) != 2:
            continue
        declared = symbols.slots.setdefault(capital, slots)
        if symbols.sizes.name_of(declared[-1]) == symbols.sizes.name_of(slots[-1]) and len(declared) == 2:
            symbols.aliases[name] = capital
            del symbols.slots[name]
        else:
            symbols.unread.add(capital)


def is_one_of_many(roles: Roles, found: Named, extents: list[str]) -> bool:
    r"""Whether ``x_i \in \mathbb{R}^d`` is one of many vectors: it stands where a vector must."""
    if found.parts is None or len(found.parts) != 1 or len(extents) != 1 or not found.parts[0].isalpha():
        return False
    if extents[0].lower() == found.parts[0] or runs_over(roles, found.parts[0], extents[0]):
        return False  # w_f in R^F, and s_i in R^N beside R_ij in R^{N x N}: the letter runs over the entries
    usage = roles.survey.usages.get(found.name)
    return (usage is not None and usage.transposed) or meets_transpose(roles, found.name)


def runs_over(roles: Roles, letter: str, extent: str) -> bool:
    r"""Whether a matrix is declared with this letter for this extent: ``R_{ij} \in \mathbb{R}^{N \times N}``."""
    return any(
        (letter, extent) in zip(found.parts, extents, strict=True)
        for tokens, extents in declared_shapes(roles)
        for found in names_in(tokens, roles.survey)
        if found.parts is not None and len(found.parts) == len(extents) > 1
    )


def declared_shapes(roles: Roles) -> Iterator[tuple[tuple[Token, ...], list[str]]]:
    """What is declared, and its extents, in a formula or in neighbouring cells of a table."""
    for before, statement in pairwise((None, *roles.statements)):
        assert statement is not None
        extents = extents_of(statement.sides[-1].tokens)
        if not extents:
            continue
        if len(statement.sides) == 2 and statement.sides[1].relation == "in":
            yield statement.sides[0].tokens, extents
        elif before is not None and len(statement.sides) == len(before.sides) == 1:
            tokens = before.sides[0].tokens
            yield from [(tokens, extents)] if same_line(roles.document, before, statement) else []


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


def tie_sizes(roles: Roles, context: Context) -> None:
    """Names that a context gives to sizes meet the slots that it names; a tensor of another scope is passed over.

    Raises:
        SpecError: if there is no such slot, or if the size is declared as another one.
    """
    symbols = roles.symbols
    for size in context.sizes:
        slots = symbols.slots.get(symbols.resolve(size.tensor))
        if slots is None:
            continue
        if size.slot > len(slots):
            raise SpecError(f"{size.tensor} has {len(slots)} slots, not {size.slot}: {size.line}")
        try:
            symbols.sizes.unify(symbols.sizes.named(size.name), slots[size.slot - 1])
        except ShapeError as error:
            raise SpecError(f"{error}: {size.line}") from None
