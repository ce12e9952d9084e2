"""What a repaired formula may be made of: the letters, names, extents and constants of the note."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from indexcalc.document.outcomes import table_of
from indexcalc.document.repair.attempts import UNREADABLE, Attempts
from indexcalc.document.statements.index_expressions import GREEK
from indexcalc.document.statements.layer_marks import argument
from indexcalc.document.statements.limits import is_sum
from indexcalc.document.statements.outline import Statement
from indexcalc.document.statements.scripts import BARS, Named, is_transpose
from indexcalc.document.statements.survey import Survey
from indexcalc.document.statements.trees import name_nodes
from indexcalc.document.table import Table
from indexcalc.language.latex.tokens import Token
from indexcalc.language.latex.tree import Atom, Group, Node, Product, Root, Scripted, Sum, nodes_of
from indexcalc.language.latex.vocabulary import FUNCTIONS

Letter = tuple[Token, ...]
"""An index letter: a name, and the primes on it."""

Unit = tuple[Token, ...]


@dataclass(frozen=True)
class Vocabulary:
    """The material of repairs, in the order in which it is tried: what is near comes first.

    Attributes:
        survey: how the document uses its names.
        letters: the index letters of the statement.
        dummies: those that a sum of the statement binds.
        loose: those of the wrong member that neither a sum binds nor the head has.
        names: a bare node and the number of slots of each tensor.
        extents: nodes that stand for extents.
        functions: entrywise functions.
        top: the author's sign of a transpose.
    """

    survey: Survey
    letters: tuple[Letter, ...]
    dummies: frozenset[str]
    loose: tuple[Letter, ...]
    names: Mapping[str, tuple[Node, int]]
    extents: tuple[Node, ...]
    functions: tuple[Token, ...]
    top: Token


def vocabulary_of(attempts: Attempts) -> Vocabulary:
    """The material for repairs of the second member of a relation."""
    page, statement = attempts.page, attempts.statement
    survey = page.survey
    near = [node for tree in statement.trees for node in name_nodes(tree)]
    nodes = [*near, *(node for other in page.statements for tree in other.trees for node in name_nodes(tree))]
    table = table_of(page, attempts.relation, attempts.interpretation)
    names: dict[str, tuple[Node, int]] = {}
    extents: dict[str, Node] = {}
    functions: dict[str, Token] = {}
    top = Token("TOP", "T", 0)
    for node in nodes:
        found = survey.name(node)
        if found is None or found.unreadable or found.primes:
            continue
        if found.transposed and isinstance(node, Scripted) and top.start == 0:
            top = next((tokens[0] for tokens in node.above if is_transpose(tokens)), top)
        if found.name in FUNCTIONS and isinstance(node, Atom):
            functions.setdefault(FUNCTIONS[found.name], node.token)
        elif found.name in names or found.name in extents:
            continue
        elif table.view.is_size(found.name) and found.parts is None:
            extents[found.name] = bare(node, survey)
        elif (rank := rank_of(table, found)) is not None:
            names[found.name] = (bare(node, survey), rank)
    for word in ("exp", "log", "tanh", "sigmoid", "relu"):
        functions.setdefault(word, Token("NAME", word, 0))
    return Vocabulary(
        survey,
        tuple(letters_in(statement.trees, survey).values()),
        frozenset(dummies_in(statement.trees)),
        loose_in(statement, attempts.relation.member, survey),
        names,
        tuple(extents.values()),
        tuple(functions.values()),
        top,
    )


def rank_of(table: Table, found: Named) -> int | None:
    """The number of slots of a tensor; None if the name is none."""
    target = table.page.gradient_target(found.name)
    tensor = found if target is None else replace(found, name=target)
    if table.page.survey.usages[tensor.name].numerator and tensor.name not in table.page.defining:
        return None  # a loss
    with suppress(*UNREADABLE):
        return len(table.symbol(tensor)[1])
    return None


def bare(node: Node, survey: Survey) -> Node:
    """A name without its index, its powers and its transpose; labels stay."""
    if not isinstance(node, Scripted):
        return node
    found = survey.name(node)
    assert found is not None
    labels = tuple(tokens for tokens in node.above if not is_transpose(tokens) and tokens not in found.powers)
    below = node.below if found.parts is None else ()
    return Scripted(node.base, below, labels) if below or labels else node.base


def renamed_to(node: Node, name: Node, survey: Survey) -> Node | None:
    """Another name under the same index, powers and transpose; None if its label leaves no room for an index."""
    found = survey.name(node)
    assert found is not None
    base, below, labels = (name.base, name.below, name.above) if isinstance(name, Scripted) else (name, (), ())
    if not isinstance(node, Scripted):
        return name
    rest = tuple(tokens for tokens in node.above if is_transpose(tokens) or tokens in found.powers)
    if found.parts is not None:
        if below:
            return None
        below = node.below
    return Scripted(base, below, (*labels, *rest)) if below or labels or rest else base


# letters --------------------------------------------------------------------------------------------------------------


def units_of(tokens: tuple[Token, ...]) -> Iterator[tuple[Unit, bool]]:
    """A subscript in pieces; with each whether it is an index letter, as what is looked up, ``y_n``, is not."""
    position = 0
    while position < len(tokens):
        end = position + 1
        is_letter = tokens[position].kind == "NAME" and (
            (len(tokens[position].text) == 1 and tokens[position].text.islower()) or tokens[position].text in GREEK
        )
        while is_letter and end < len(tokens) and tokens[end].kind == "PRIME":
            end += 1
        if is_letter and end < len(tokens) and tokens[end].kind == "SUB":
            is_letter, end = False, argument(tokens, end + 1)[1]
        yield tokens[position:end], is_letter
        position = end


def key_of(letter: Letter) -> str:
    """The name of a letter."""
    return "".join(token.text for token in letter)


def indexed(node: Node, survey: Survey) -> bool:
    """Whether the subscript of a node is an index that may be another one: ``p_{i|i}`` is no entry of ``p_{j|i}``."""
    if not isinstance(node, Scripted) or not node.below or is_sum(node):
        return False
    if any(token.kind in BARS for token in node.below):
        return False
    found = survey.name(node)
    return found is None or found.parts is not None


def letters_in(trees: Iterable[Sum], survey: Survey) -> dict[str, Letter]:
    """The index letters of formulas by their names, in order."""
    found: dict[str, Letter] = {}
    for tree in trees:
        for node in nodes_of(tree):
            if isinstance(node, Scripted) and (indexed(node, survey) or is_sum(node)):
                for unit, is_letter in units_of(node.below):
                    if is_letter:
                        found.setdefault(key_of(unit), unit)
            elif isinstance(node, Group) and node.bracket == "[":
                for atom in bracket_letters(node):
                    found.setdefault(atom.text, (atom.token,))
    return found


def loose_in(statement: Statement, number: int, survey: Survey) -> tuple[Letter, ...]:
    """The letters of a member that neither a sum binds nor the head has."""
    head, own = statement.sides[0].tree, statement.sides[number].tree
    fixed = {*letters_in([head] if head else [], survey), *dummies_in([own] if own else [])}
    found = letters_in([own] if own else [], survey)
    return tuple(letter for name, letter in found.items() if name not in fixed)


def dummies_in(trees: Iterable[Sum]) -> Iterator[str]:
    """The letters that the sums of formulas bind."""
    for tree in trees:
        for node in nodes_of(tree):
            if isinstance(node, Scripted) and is_sum(node):
                yield from (key_of(unit) for unit, is_letter in units_of(node.below) if is_letter)


def bracket_letters(node: Group) -> list[Atom]:
    """The letters of ``[i, j]``; none if anything else stands there."""
    atoms = []
    for member in node.members:
        items = member.only.items if member.only is not None else ()
        if len(items) != 1 or not isinstance(items[0], Atom) or len(items[0].text) != 1 or not items[0].text.islower():
            return []
        atoms.append(items[0])
    return atoms


# trees ----------------------------------------------------------------------------------------------------------------


def number(text: str) -> Atom:
    """A number as a node."""
    return Atom(Token("NUM", text, 0))


def one(*items: Node) -> Sum:
    """A sum of one product."""
    return Sum(((1, Product(items)),))


def wrapped(node: Node) -> Node:
    """A node on which a script may stand."""
    return Group("(", (one(node),), 0) if isinstance(node, Root) else node


def with_script(node: Node, tokens: tuple[Token, ...]) -> Node:
    """A node with one more superscript."""
    node = wrapped(node)
    if isinstance(node, Scripted):
        return replace(node, above=(*node.above, tokens))
    return Scripted(node, (), (tokens,))


def without_script(node: Scripted, place: int) -> Node:
    """A node without one of its superscripts."""
    above = (*node.above[:place], *node.above[place + 1 :])
    if above or node.below or node.primes or node.along:
        return replace(node, above=above)
    return node.base
