"""What statements show of shapes: those that they declare, and slots whose size a number beside them may be."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from indexcalc.document.statements.nouns import lists_of, names_of
from indexcalc.document.statements.outline import EQUALITIES, Statement
from indexcalc.document.statements.scripts import Named, is_letter
from indexcalc.document.statements.survey import Survey
from indexcalc.document.statements.trees import bracketed, sums_of
from indexcalc.errors import IndexCalcError
from indexcalc.language.document import Document
from indexcalc.language.latex.grammar import parse
from indexcalc.language.latex.tokens import Token, parted
from indexcalc.language.latex.tree import Matrix

TIES = 6
"""The most slots whose size a number may be."""


Factors = tuple[tuple[str, ...], ...]
"""The sizes of the axes of an array, each by its factors."""


@dataclass(frozen=True, slots=True)
class Declared:
    """The shape that a statement declares for a name: the names of its sizes, and where it stands."""

    name: str
    sizes: tuple[str, ...]
    start: int


def declared_in(
    document: Document, survey: Survey, told: Sequence[Statement], statements: Sequence[Statement]
) -> Mapping[str, tuple[Declared, ...]]:
    """The shapes that the statements of a context and those of its document declare, by name."""
    found: dict[str, list[Declared]] = {}
    beside, said = in_brackets(document, survey, statements), in_sentences(document, survey, statements)
    every = (
        *(one for statement in told for one in declarations(statement, survey, -1)),
        *(one for statement in statements for one in declarations(statement, survey, statement.span.start)),
        *(one for left, right in pairwise(statements) for one in declarations_of_row(document, survey, left, right)),
        *(one for statement in statements for one in number_of_row(document, survey, statement)),
        *sized_below(document, statements),
        *(one for name, factors in (*beside, *said) for one in shape_of(name, factors, name.start)),
    )
    for one in sorted(every, key=lambda one: one.start):
        found.setdefault(one.name, []).append(one)
    return {name: tuple(shapes) for name, shapes in found.items()}


COUNTING = re.compile("[A-Za-z]")
"""The letters that number the arrays of a family; a Greek one below a name is a label."""


def members_in(
    document: Document, survey: Survey, statements: Sequence[Statement]
) -> Mapping[str, tuple[Declared, ...]]:
    r"""The shapes of the arrays of a family, by its name: ``x_i \in \mathbb{R}^d`` is one vector of many."""
    found: dict[str, list[Declared]] = {}
    sets = (
        (name, factors, statement.span.start)
        for statement in statements
        for name, factors in in_sets(statement, survey)
    )
    brackets = ((name, factors, name.start) for name, factors in in_brackets(document, survey, statements))
    for name, factors, start in (*sets, *brackets):
        counted = name.parts is not None and len(name.parts) == 1 and COUNTING.fullmatch(name.parts[0])
        if counted and factors:
            sizes = tuple("".join(names) for names in factors)
            found.setdefault(name.name, []).append(Declared(name.name, sizes, start))
    return {name: tuple(shapes) for name, shapes in found.items()}


def numbered_in(statements: Sequence[Statement], survey: Survey) -> Iterator[tuple[str, str]]:
    r"""The names with a number below that have an equation or a shape, ``X_1 \in \mathbb{R}^{m \times n}``.

    Such a one may be an array of its own, even where the name without a number stands for another one.
    """
    for statement in statements:
        head = survey.lone(statement.trees[0]) if len(statement.trees) > 1 else None
        shaped = (name for name, factors in in_sets(statement, survey) if factors)
        for name in (*shaped, *((head,) if head is not None else ())):
            if name.parts is not None and len(name.parts) == 1 and name.parts[0].isdigit():
                yield name.name, name.parts[0]


def declarations(statement: Statement, survey: Survey, start: int) -> Iterator[Declared]:
    r"""What ``A, B \in \mathbb{R}^{n \times d}`` declares.

    With one index, ``x_i \in \mathbb{R}^d``, a document may mean one vector of many; a context means all entries.
    """
    for name, factors in in_sets(statement, survey):
        if name.parts is None or start < 0 or len(name.parts) > 1:
            yield from shape_of(name, factors, start)


def in_sets(statement: Statement, survey: Survey) -> Iterator[tuple[Named, Factors]]:
    """The names that a statement says to be in a set of arrays, with the sizes of these."""
    sides = statement.sides
    factors = factors_of_sizes(sides[-1].tokens) if len(sides) > 1 and sides[-1].relation == "in" else None
    if factors is None:
        return
    for tokens in parted(sides[-2].tokens, "COMMA"):
        try:
            tree = parse(tokens)
        except (IndexCalcError, RecursionError):
            continue
        name = survey.lone(tree)
        if name is not None:
            yield name, factors


BRACKET = re.compile(r"[\s$`]*[(（][\s$`]*$")
"""What stands between a name and its sizes in brackets behind it, in the words of a sentence."""


def in_brackets(document: Document, survey: Survey, statements: Sequence[Statement]) -> Iterator[tuple[Named, Factors]]:
    r"""The names with sizes in brackets behind them, ``$Q$ ($n \times d$)``, and these sizes."""
    for left, right in pairwise(statements):
        tree = left.sides[0].tree if len(left.sides) == len(right.sides) == 1 else None
        name = survey.lone(tree) if tree is not None else None
        factors = factors_between(right.sides[0].tokens) if name is not None else None
        if name is None or factors is None or len(factors) < 2:
            continue
        if BRACKET.fullmatch(document.source[left.span.end : right.span.start]):
            yield replace(name, start=left.span.start), factors


BELOW = re.compile(r"_\s*\{?\s*(\w)\s*\\times\s*(\w)\s*\}?")
"""Two sizes below a name; no others are taken off it."""


def sized_below(document: Document, statements: Sequence[Statement]) -> Iterator[Declared]:
    r"""What a matrix with its sizes below it declares, ``A_{m \times n}``."""
    for token in (token for statement in statements for side in statement.sides for token in side.tokens):
        if token.kind == "NAME" and token.text.isupper() and token.last > token.start:
            found = BELOW.search(document.source[token.start : token.last + 1])
            if found is not None and token.text != "I":
                yield Declared(token.text, found.groups(), token.start)


ARRAY = r"(?:[\w-]+\s+){0,2}?(?:matri(?:x|ces)|tensors?|arrays?)"
"""What sizes say something of, with a word or two before it: *real symmetric matrix*."""

SIZED = re.compile(rf"[\s$`]*(?:{ARRAY}|的?\s*(?:矩阵|方阵))[\s$`]*", re.IGNORECASE)
"""What stands between sizes and the name behind them: ``an $m \\times n$ matrix $A$``."""

WHICH_IS = re.compile(
    r"[\s$`]*,?\s*(?:(?:both|each|all)\s+)?(?:is|are|be|being|denotes?)\s+(?:an?\s+)?[\s$`]*|[\s$`]*[都均]?[是为][\s$`]*"
)
"""What stands between a name and the sizes behind it: ``$A$ is an $m \\times n$ matrix``."""

SIZED_END = re.compile(rf"[\s$`]*(?:{ARRAY}\b|的?\s*(?:矩阵|方阵))", re.IGNORECASE)
"""What stands behind these sizes."""


def in_sentences(
    document: Document, survey: Survey, statements: Sequence[Statement]
) -> Iterator[tuple[Named, Factors]]:
    r"""The names that a sentence calls matrices of some sizes, ``an $m \times n$ matrix $A$``, and these sizes."""
    source, lists = document.source, list(lists_of(document, statements))
    for left, right in pairwise(lists):
        between = source[left[-1].span.end : right[0].span.start]
        behind = source[right[-1].span.end : right[-1].span.end + 60]
        sizes, names = left[-1], right
        if not SIZED.fullmatch(between):
            sizes, names = right[0], left
            if not (WHICH_IS.fullmatch(between) and len(right) == 1 and SIZED_END.match(behind)):
                continue
        factors = factors_between(sizes.sides[0].tokens) if len(sizes.sides) == 1 else None
        if factors is None or len(factors) < 2:
            continue
        for statement in (one for one in names if len(one.sides) == 1):
            for name in names_of(survey, statement):
                yield replace(name, start=statement.span.start), factors


def declarations_of_row(document: Document, survey: Survey, name: Statement, shape: Statement) -> Iterator[Declared]:
    """What a row of a table declares: a name in one cell, and a set of arrays in the next."""
    factors = factors_of_sizes(shape.sides[0].tokens) if len(shape.sides) == 1 else None
    tree = name.sides[0].tree if len(name.sides) == 1 else None
    found = survey.lone(tree) if tree is not None else None
    if factors is None or found is None:
        return
    line = document.source[document.source.rfind("\n", 0, name.span.start) + 1 : shape.span.start]
    between = document.source[name.span.start : shape.span.start]
    if (line.lstrip().startswith("|") or "&" in between) and "\n" not in line:
        yield from shape_of(found, factors, name.span.start)


NUMBER = re.compile(
    r"[`$)\s]*[|&]\s*(?:an?\s+)?(?:real\s+|positive\s+)*(?:scalar|number)s?\s*(?=[|&\n]|\\\\)", re.IGNORECASE
)
"""A cell that says of the one before it that it is a number."""


def number_of_row(document: Document, survey: Survey, statement: Statement) -> Iterator[Declared]:
    """What a row of a table declares with a word: a name alone in one cell, and *scalar* in the next."""
    tree = statement.sides[0].tree if len(statement.sides) == 1 else None
    found = survey.lone(tree) if tree is not None else None
    if found is not None and found.parts is None and NUMBER.match(document.source, statement.span.end):
        yield Declared(found.name, (), statement.span.start)


def written_in(survey: Survey, statements: Iterable[Statement]) -> Mapping[str, tuple[Declared, ...]]:
    """The shapes of arrays that are written out by their own entries, by name."""
    found: dict[str, list[Declared]] = {}
    for statement in statements:
        if (shape := shape_written(survey, statement)) is not None:
            found.setdefault(shape.name, []).append(shape)
    return {name: tuple(shapes) for name, shapes in found.items()}


def shape_written(survey: Survey, statement: Statement) -> Declared | None:
    r"""The shape of an array that is written out by its own entries, ``A = \begin{bmatrix} a_{11} & a_{12} \\ ...``."""
    if len(statement.trees) < 2 or statement.sides[1].relation not in EQUALITIES:
        return None
    head, array = survey.lone(statement.trees[0]), bracketed(statement.trees[1].lone)
    if head is None or head.parts is not None or not isinstance(array, Matrix):
        return None
    counts = tuple(str(count) for count in (len(array.rows), len(array.rows[0])) if count > 1)
    entries = [survey.lone(entry) for row in array.rows for entry in row]
    own = all(one is not None and one.parts and one.name.lower() == head.name.lower() for one in entries)
    return Declared(head.name, counts, statement.span.start) if own and counts else None


def shape_of(found: Named, factors: Factors, start: int) -> Iterator[Declared]:
    """The sizes of the slots of a name: an axis may hold several of them, where it bears its indices."""
    if found.parts is None:
        yield Declared(found.name, tuple("".join(names) for names in factors), start)
        return
    sizes = tuple(size for names in factors for size in names)
    if len(found.parts) == len(sizes):
        yield Declared(found.name, sizes, start)


def sizes_of(tokens: Sequence[Token]) -> tuple[str, ...] | None:
    """The sizes behind the sign of the real numbers; none for the real numbers themselves, None for another set."""
    factors = factors_of_sizes(tokens)
    return tuple("".join(names) for names in factors) if factors is not None else None


def factors_of_sizes(tokens: Sequence[Token]) -> Factors | None:
    r"""The same, each size by its factors: ``\mathbb{R}^{n \times h d}`` has the sizes n and h times d."""
    if not tokens or tokens[0].kind != "REALS":
        return None
    rest = [token for token in tokens[1:] if token.kind not in ("SUP", "{", "}", "(", ")", "DOT")]
    return factors_between(rest) if rest else ()


def factors_between(rest: Sequence[Token]) -> Factors | None:
    """The sizes between signs of multiplication, each by its factors; None if something else stands there."""
    sizes: list[tuple[str, ...]] = []
    for part in parted(rest, "TIMES"):
        names: list[str] = []
        labelled = False
        for token in part:
            if names and (labelled or token.kind == "SUB"):
                names[-1] += token.text
            else:
                names.append(token.text)
            labelled = token.kind == "SUB"
        if not names or not all(re.fullmatch(r"\w+", name) for name in names):
            return None
        sizes.append(tuple(names))
    return tuple(sizes)


def sizes_alone(document: Document, statements: Iterable[Statement]) -> Iterator[str]:
    r"""The letters of formulas that are the shape of a matrix, ``a $p \times q$ matrix``, whatever it is said of."""
    for statement in statements:
        end = statement.span.end
        alone = len(statement.sides) == 1 and SIZED_END.match(document.source[end : end + 60])
        factors = factors_between(statement.sides[0].tokens) if alone else None
        if factors is not None and len(factors) > 1:
            yield from (name for names in factors for name in names)


def labels_of_sizes(tokens: Sequence[Token]) -> Iterator[tuple[str, str]]:
    r"""The sizes in a set of arrays with their labels: none in ``\mathbb{R}^{n \times d_h}`` has an index."""
    if not tokens or tokens[0].kind != "REALS":
        return
    plain = [token for token in tokens if token.kind not in ("{", "}")]
    for base, mark, label in zip(plain, plain[1:], plain[2:], strict=False):
        if base.kind == "NAME" and mark.kind == "SUB" and label.kind == "NAME":
            yield base.text, label.text


ONES = "1"
"""The name of a vector of ones."""


def slots_beside(survey: Survey, statements: Iterable[Statement]) -> Mapping[str, tuple[tuple[str, int, str], ...]]:
    """For each name that is a letter, the slots of arrays in statements with it, and the letters that they bear.

    Of many slots, only the first few.
    """
    found: dict[str, dict[tuple[str, int], str]] = {}
    for statement in statements:
        names = [one for tree in statement.trees for one in survey.names(tree)]
        slots = {
            (one.name, place): part
            for one in names
            for place, part in enumerate(one.parts or ())
            if is_letter(part) and one.name != "delta"
        }
        if any(one.name == ONES and one.parts is None for one in names):
            slots[ONES, 0] = ""
        for one in names:
            if one.parts is None and len(one.name) == 1 and one.name != ONES:
                found.setdefault(one.name, {}).update(slots)
    return {
        name: tuple((tensor, place, letter) for (tensor, place), letter in slots.items())[:TIES]
        for name, slots in found.items()
    }


def added_to_arrays(survey: Survey, statements: Iterable[Statement], arrays: Collection[str]) -> frozenset[str]:
    """The names without indices that are terms beside arrays: none is a size there, though one may bear the name."""
    found: set[str] = set()
    for inner in (one for statement in statements for tree in statement.trees for one in (tree, *sums_of(tree))):
        terms = [term for _, term in inner.terms]
        beside = [any(name.name in arrays for name in survey.names(term)) for term in terms]
        for term, own in zip(terms, beside, strict=True):
            name = survey.name(term.items[0]) if len(term.items) == 1 else None
            if name is not None and name.parts is None and not name.powers and sum(beside) > own:
                found.add(name.name)
    return frozenset(found)
