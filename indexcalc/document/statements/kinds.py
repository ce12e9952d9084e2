"""What kind of saying a statement is that is no claim: a law for one name, a bound, a condition, or a value."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import accumulate, pairwise

from indexcalc.document.statements.calls import is_call
from indexcalc.document.statements.outline import EQUALITIES, ORDERS, Statement, condition, letter
from indexcalc.document.statements.scripts import is_transpose
from indexcalc.document.statements.survey import Survey
from indexcalc.document.statements.trees import bracketed
from indexcalc.language.document import Document
from indexcalc.language.latex.tokens import Token
from indexcalc.language.latex.tree import Atom, Matrix, Node, Scripted, Sum

INEQUALITIES = ORDERS | {"!=", "≁"}

BETWEEN = frozenset({"->", "for"})
"""Relations that only say from where to where something goes, or for what a formula holds."""

PROPERTIES = frozenset({"⊂", "⊃", "∋", "∉", "⊥", "≺", "≻"})
"""Relations that say of a name in what set it lies, or how it stands to another one."""

CONSTANTS = frozenset({"1", "I"})
"""Names of arrays that are the same in every document."""


def symmetric_by(survey: Survey, statement: Statement) -> str:
    """The matrix of which a statement says that it is equal to its transpose, ``J_ij = J_ji``; empty if of none."""
    if len(statement.sides) != 2 or len(statement.trees) != 2 or statement.sides[1].relation not in EQUALITIES:
        return ""
    one, other = (survey.lone(tree) for tree in statement.trees)
    if one is None or other is None or one.name != other.name or one.powers or other.powers:
        return ""
    turned = one.parts is not None and len(one.parts) == 2 and one.parts == (other.parts or ())[::-1]
    return one.name if turned or (one.parts == other.parts and one.transposed != other.transposed) else ""


def is_about_one_name(survey: Survey, statement: Statement) -> bool:
    """Whether a statement speaks of one array alone, as a law for it does: ``U^T U = I``, ``sum_k q_k = 1``."""
    return len({found.name for tree in statement.trees for found in survey.names(tree)} - CONSTANTS) == 1


def summed_to_one(survey: Survey, statement: Statement) -> tuple[str, int, str] | None:
    """The array, the slot over which a statement sums it to get one, ``sum_k q_k = 1``, and how far; None if none does.

    The sum runs over all values of its letter, or from the first one to a limit, which is a name.
    """
    if len(statement.sides) != 2 or len(statement.trees) != 2 or statement.sides[1].relation not in EQUALITIES:
        return None
    left, right = (tree.only.items if tree.only is not None else () for tree in statement.trees)
    if len(left) != 2 or len(right) != 1 or not (isinstance(right[0], Atom) and right[0].text == "1"):
        return None
    sign, found = left[0], survey.name(left[1])
    if not isinstance(sign, Scripted) or not isinstance(sign.base, Atom) or sign.base.kind != "SUM":
        return None
    if found is None or not found.is_plain or found.parts is None or found.name == "delta":
        return None
    letter, *first = (token.text for token in sign.below) if sign.below else ("",)
    limit = [token.text for tokens in sign.above for token in tokens]
    whole = not first and not limit
    counted = first in (["=", "0"], ["=", "1"]) and len(limit) == 1 and not limit[0].isdigit()
    if found.parts.count(letter) != 1 or not (whole or counted):
        return None
    return found.name, found.parts.index(letter), "".join(limit)


def is_update(survey: Survey, statement: Statement) -> bool:
    """Whether a statement gives a name a new value, made from the one it has: ``w = w - a g``, which is no equality."""
    if len(statement.sides) != len(statement.trees):
        return False
    first, *rest = statement.trees
    head = survey.lone(first)
    if head is None or not head.is_plain:
        return False
    own = (head.name, head.parts)
    for tree in rest:
        terms = [survey.name(term.items[0]) if len(term.items) == 1 else None for _, term in tree.terms]
        if len(terms) > 1 and any(one is not None and one.is_plain and (one.name, one.parts) == own for one in terms):
            return True
    return False


def compares_letters(statement: Statement, letters: frozenset[str]) -> bool:
    """Whether a statement says of letters that index or number how they are related, ``i = j``, ``i = n - k + 1``."""
    found = condition(statement)
    letters = letters | {name for name, _ in statement.families.layers}
    if found:
        return all(name in letters for one in found for name in (one[0], one[2]))
    first, *rest = statement.sides
    moved = all(side.relation == "=" and is_place(side.tokens, letters) for side in rest)
    return bool(rest) and moved and letter(first.tokens) in letters


def is_place(tokens: Sequence[Token], letters: frozenset[str]) -> bool:
    """Whether tokens are a place among the values of an index: letters of indices and whole numbers, added."""
    names = [token.text for token in tokens if token.kind == "NAME"]
    others = [token for token in tokens if token.kind != "NAME"]
    return bool(names) and letters.issuperset(names) and all(one.kind == "NUM" or one.text in "+-" for one in others)


def bounds(survey: Survey, statement: Statement, member: int) -> bool:
    """Whether a member says between which numbers a name lies, or that it is not another: nothing is claimed."""
    relation = statement.sides[member].relation
    if relation in BETWEEN:
        return True
    pair = [side.tree for side in statement.sides[member - 1 : member + 1]]
    single = [tree is not None and is_single(survey, tree) for tree in pair]
    return (relation in INEQUALITIES and all(single)) or (relation in PROPERTIES and any(single))


def draws(survey: Survey, statement: Statement, member: int) -> bool:
    """Whether a member says how a name is distributed: ``x ~ N(m, C)``, ``x ~ p``."""
    if statement.sides[member].relation != "~":
        return False
    drawn, law = statement.sides[member - 1 : member + 1]
    tokens = [token for token in law.tokens if token.kind not in ("{", "}", "SUB", "SUP")]
    kinds = [token.kind for token in tokens]
    bracket = "(" in kinds or "[" in kinds or any(is_call(token.text) for token in tokens[:1])
    called = kinds[:1] in (["NAME"], ["TEXT"]) and bracket
    lone = [survey.lone(side.tree) is not None for side in (drawn, law) if side.tree is not None]
    return called or lone == [True, True]


def writes_out(survey: Survey, statement: Statement, member: int) -> bool:
    """Whether a member lists with dots what a name stands for: ``i = 1, ..., n``, ``x = (x_1, ..., x_n)``."""
    head, side = statement.sides[0], statement.sides[member]
    if side.relation not in EQUALITIES or head.tree is None or survey.lone(head.tree) is None:
        return False
    kinds = [token.kind for token in side.tokens if token.kind not in ("{", "}")]
    if kinds[:1] in (["BEGIN"], ["["]) and ENTRIES.issuperset(kinds):
        return "DOTS" in kinds
    depths = list(accumulate((kind in ("(", "[")) - (kind in (")", "]")) for kind in kinds))
    whole = kinds[:1] in (["("], ["["]) and 0 not in depths[:-1]
    listed = [kind for kind, depth in zip(kinds, depths, strict=True) if depth == int(whole)]
    return any(pair == ("COMMA", "DOTS") for pair in pairwise(listed))


def lists_own_entries(tokens: Sequence[Token], name: str) -> bool:
    """Whether all letters of an array that is written out are that of its name, large or small: ``a_{11}`` for A."""
    depth, letters = 0, set[str]()
    for before, token in pairwise(tokens):
        depth += (token.kind == "{") - (token.kind == "}")
        if token.kind == "NAME" and not depth and before.kind not in ("SUB", "SUP"):
            letters.add(token.text.lower())
    return letters == {name.rsplit(maxsplit=1)[-1].partition("_")[0].lower()}


ENTRIES = frozenset(
    {*("BEGIN", "END", "[", "]", "(", ")", "AMP", "NEWLINE", "COMMA", "COLON", "QUAD", "DOTS"), *("BAR", "MINUS")}
    | {"NAME", "NUM", "SUB", "SUP", "TOP"}
)
"""The tokens of an array that is written out with dots by names and numbers: it says no more than what these are."""


def sets(survey: Survey, statement: Statement) -> bool:
    """Whether a statement gives names a value: its members are single names, but for a value or several numbers.

    What stands behind a value that is calculated, ``a = 1/8 = 0.125``, is a claim.
    """
    values = [side.tree for side in statement.sides if is_value(side.tokens)]
    others = [side.tree for side in statement.sides if not is_value(side.tokens)]
    plain = all(tree is not None and is_number(tree.lone) for tree in values)
    named = all(tree is not None and survey.lone(tree) is not None for tree in others)
    return named and (len(values) == 1 or (plain and bool(values)))


FIGURES = frozenset(["NUM", "ONE", "PLUS", "MINUS", "TIMES", "SLASH", "FRAC", "SQRT", "SUP", "{", "}", "(", ")"])
"""What a value in figures consists of: ``8/5``, ``10^{-5}``, ``(3 + \\sqrt{33})/2``."""


def is_value(tokens: Sequence[Token]) -> bool:
    """Whether a member is made of figures alone, but for a unit behind them in a text of its own."""
    behind = [position for position, token in enumerate(tokens) if token.kind == "TEXT"]
    kinds = {token.kind for token in (tokens[: behind[0]] if behind else tokens)}
    return kinds <= FIGURES and not kinds.isdisjoint(("NUM", "ONE"))


LISTED = FIGURES | {"COMMA", "[", "]", "BEGIN", "END", "AMP", "NEWLINE"}
"""What several figures in brackets consist of: ``(3, 4)``."""


def lists_figures(tokens: Sequence[Token]) -> bool:
    """Whether a member is several figures in brackets, transposed or not."""
    own = list(tokens)
    if [token.kind for token in own[-2:-1]] == ["SUP"] and is_transpose(own[-1:]):
        own = own[:-2]
    kinds = {token.kind for token in own}
    listed = bool(own) and own[0].kind in ("(", "[", "BEGIN") and own[-1].kind in (")", "]", "END")
    return listed and kinds <= LISTED and "NUM" in kinds


AT = re.compile(r"(?<![\w-])(?:at|near|around|(when|if|unless|while|until))[\s$(]*$", re.IGNORECASE)
"""Words before an equation that names a point, or a case: the group holds those that also lead to a definition."""


def cases_in(
    document: Document, survey: Survey, statements: Sequence[Statement], sizes: Collection[str] = ()
) -> frozenset[int]:
    """The equations in sentences that say where something holds, ``at $x = 0$``: they give their names no meaning.

    Behind *if* or *when* an equation may do so; it does not if a number stands there, or for a name of which another
    one says so. One that gives a size a number is of a case without such a word too.
    """
    found, perhaps = dict[int, str](), dict[int, str]()
    for number, statement in enumerate(statements):
        trees, start = statement.trees, statement.span.start
        name = survey.lone(trees[0]) if len(trees) == len(statement.sides) > 1 else None
        word = AT.search(document.source[max(0, start - 20) : start]) if name and not statement.span.display else None
        if name is None or (word is None and (name.name not in sizes or statement.span.display)):
            continue
        values = all(is_constant(survey, tree) for tree in trees[1:])
        if word is None:
            found |= {number: name.name} if values else {}
            continue
        (perhaps if word.group(1) and not values else found)[number] = name.name
    again = {number for number, name in perhaps.items() if name in found.values()}
    return frozenset(found.keys() | again)


EXAMPLE = re.compile(
    r"\b(?:for (?:example|instance)|e\.\s?g|an example|(?:suppose|say|imagine|assume)(?: that)? (?:we|you)|consider)\b"
    r"(?:(?!\.\s)[\s\S])*$",
    re.IGNORECASE,
)
"""Words of a sentence up to an equation in it that may give names of an example their values."""


def examples_in(document: Document, statements: Sequence[Statement]) -> frozenset[int]:
    """The equations in sentences that speak of an example, and that write an array out: of others it says nothing."""
    found = set[int]()
    for number, statement in enumerate(statements):
        start, trees = statement.span.start, statement.trees
        if (
            len(trees) > 1
            and is_array(trees[1].lone)
            and EXAMPLE.search(document.source[max(0, start - SENTENCE) : start])
        ):
            found.add(number)
    return frozenset(found)


def is_array(node: Node | None) -> bool:
    """Whether a factor is an array that is written out, in brackets of its own or in others."""
    return isinstance(bracketed(node), Matrix)


SENTENCE = 160
"""How many characters before an equation are looked at for words that speak of an example."""


def is_constant(survey: Survey, tree: Sum) -> bool:
    """Whether a member is a number, or the name of one that is the same everywhere."""
    found = survey.lone(tree)
    return is_number(tree.lone) or (found is not None and found.name in ("pi", "e"))


def is_single(survey: Survey, tree: Sum) -> bool:
    """Whether a member is a single name or number."""
    return is_number(tree.lone) or survey.lone(tree) is not None


def is_number(node: Node | None) -> bool:
    """Whether a factor is a number."""
    return isinstance(node, Atom) and node.kind in ("NUM", "ONE")
