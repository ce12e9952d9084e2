"""Sums over indices: what stands below and above their signs, and those that a convention leaves unwritten."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from indexcalc.document.choices import SUMS, Kind, Option, choice
from indexcalc.document.meaning.nodes import (
    ONE,
    ZERO,
    Applied,
    Derivative,
    Entry,
    Meaning,
    Plus,
    Relation,
    Size,
    Times,
    Total,
    Value,
    between,
    free,
    occurrences,
    times,
)
from indexcalc.document.meaning.sizes import Ix
from indexcalc.document.meaning.symbols import NotUnderstoodError
from indexcalc.document.meaning.typed import Typed
from indexcalc.document.places import first_value
from indexcalc.document.scope import Scope
from indexcalc.document.statements.extents import size_of
from indexcalc.document.statements.index_expressions import is_index_letter
from indexcalc.document.statements.labelling import sums_barely
from indexcalc.document.statements.limits import count_of, limit_name, set_below
from indexcalc.document.statements.outline import Condition
from indexcalc.document.statements.running import DESCENDING
from indexcalc.document.statements.scripts import is_letter, with_primes
from indexcalc.document.table import Table
from indexcalc.language.latex.tokens import Token, parted
from indexcalc.language.latex.tree import Atom, Node, Scripted, nodes_of

MOST_COUNTED = 12
"""The most terms of a sum whose last value is a number."""


@dataclass(frozen=True)
class Binding:
    """What the sign of a sum, or of a product, binds.

    Attributes:
        word: the sign.
        dummies: the letters with their index variables.
        conditions: relations between letters under which something is added.
        firsts: what each letter counts from, zero or one, where its first value is written.
        shorter: the letters that run from 1 to a size less one, of which one value is left out.
    """

    word: str
    dummies: Mapping[str, Ix]
    conditions: tuple[Condition, ...]
    firsts: Mapping[str, int]
    shorter: frozenset[str] = frozenset()
    over: str = ""


def binding_of(scope: Scope, item: Node, rest: Sequence[Node]) -> Binding:
    """What the sign of a sum binds before what stands behind it.

    Raises:
        NotUnderstoodError: for another sign, and for limits that are not read.
    """
    atom = item.base if isinstance(item, Scripted) else item
    assert isinstance(atom, Atom)
    word = "prod" if atom.text == DESCENDING else atom.text
    if word not in ("sum", "prod"):
        raise NotUnderstoodError(f"the sign {atom.text}")
    below, above = (item.below, item.above) if isinstance(item, Scripted) else ((), ())
    if not below and above:
        raise NotUnderstoodError("the limits of a sum")
    names, conditions, first = bound_letters(below) if below else ([lone_dummy(scope, rest)], [], "")
    if any(part not in scope.table.page.index_letters for _, sign, part in conditions if sign == ">="):
        raise NotUnderstoodError("the limits of a sum")
    dummies = {name: scope.table.index(name) for name in names}
    behind = [part for _, sign, part in conditions if sign in (">", ">=")]
    if behind and above and not all(counts_from_zero(scope, part) for part in behind) and is_shorter(above[-1]):
        raise NotUnderstoodError("the limits of a sum")  # it ends before the last value
    last = upper_limit(scope, above[-1], dummies, first) if above else ()
    firsts = {name: int(first != "0") for name in names} if first else {}  # later ones are left out by a condition
    upper = limit_name([token for token in above[-1] if token.kind not in ("{", "}")][:-2]) if above else ""
    ends = upper and not last and first == "1" and is_shorter(above[-1])
    shorter = frozenset(names if ends and leaves_out(scope.table, upper) else ())
    over = set_below(below)
    if over:
        scope.table.sizes.unify(scope.table.sizes.named(count_of(over)), dummies[names[0]])
    return Binding(word, dummies, (*conditions, *last), firsts, shorter, over)


def total(scope: Scope, binding: Binding, body: Typed) -> Typed:
    """The sum, or the product, of a body that was read in the scope behind the sign."""
    table = scope.table
    for left, relation, right in binding.conditions:
        a, b = scope.place(left), scope.place(right)
        assert a is not None
        assert b is not None
        (table.sizes.equate if relation in ("=", "!=") else table.sizes.compare)(a, b)
        one, other = (b, a) if relation in (">", ">=") else (a, b)
        body = replace(body, node=times(body.node, between(one, relation.replace(">", "<"), other)))
    for name in binding.shorter:
        body = replace(body, node=times(body.node, but_one(table, binding.dummies[name])))
    for name, index in binding.dummies.items():
        table.run(name, index, body.node)
        table.ranges.append((index, binding.over))
    idle = [n for n, i in binding.dummies.items() if i not in free(body.node) and not table.sized(n, i)]
    if idle and table.inside:
        raise NotUnderstoodError(f"a sum over {idle[0]} that binds nothing")
    table.idle.update(idle)
    if any(isinstance(node, Derivative) for node in factors_of(body.node)):
        table.spoken.add((SUMS.key, "written"))
    indices = tuple(index for name, index in binding.dummies.items() if name not in idle)
    if not indices:
        return body
    if binding.word == "sum":
        return replace(body, node=Total(indices, body.node))
    if binding.conditions or binding.shorter:
        raise NotUnderstoodError("the limits of a product")
    return replace(body, node=Applied("exp", Total(indices, Applied("log", body.node))))  # of factors that are positive


def but_one(table: Table, index: Ix) -> Meaning:
    """One for the values of an index from 1 to its size less one: not for the last, or for the first if that is 0."""
    if first_value(table).value == 0:
        return Relation(ZERO, "<", Value(index))
    return Relation(Plus((Value(index), ONE)), "<", Size(index))


def lone_dummy(scope: Scope, rest: Sequence[Node]) -> str:
    """The letter of a sum without one: the only one that neither the first member has nor a sum around it binds."""
    page, table = scope.table.page, scope.table
    first = page.statements[table.number].sides[0].tree
    head = table.head or frozenset()
    if not table.inside and first is not None and not sums_barely(first):
        head = frozenset(part for node in nodes_of(first) for part in page.letters(node))
    inside = {part for item in rest for part in page.letters(item) if is_letter(part)}
    found = sorted(name for name in inside - head if not scope.binds(name))
    if len(found) != 1:
        raise NotUnderstoodError("a sum without an index")
    return found[0]


def bound_letters(tokens: Sequence[Token]) -> tuple[list[str], list[Condition], str]:
    """The letters below a sum, the conditions on them, and the first value of one."""
    kept = [token for token in with_primes(tokens) if token.kind not in ("{", "}", "(", ")")]
    plain = [token for token in kept if token.kind != "COMMA"]
    if all(token.kind != "REL" for token in plain):
        if not plain or not all(is_bound(token) for token in plain):
            raise NotUnderstoodError("what stands below a sum")
        return [token.text for token in plain], [], ""
    if [token.kind for token in plain] == ["NAME", "REL", "NAME"] and plain[1].text == "in":
        return [plain[0].text], [], ""
    first, *rest = parted(kept, "COMMA")
    name, relation, value = relation_below(first)
    # Of ``j \ne i, k`` both are what j is not.
    others = [(name, relation, part[0].text) if is_other(part, relation) else relation_below(part) for part in rest]
    if any(sign == "=" or name not in (left, right) for left, sign, right in others):
        raise NotUnderstoodError("what stands below a sum")
    if relation == "=" and value.isdigit():
        return [name], others, value
    return [name], [(name, ">=" if relation == "=" else relation, value), *others], ""


def is_other(tokens: Sequence[Token], relation: str) -> bool:
    """Whether a letter stands alone behind another one, that a letter is not equal to."""
    return relation == "!=" and [token.kind for token in tokens] == ["NAME"]


def is_bound(token: Token) -> bool:
    """Whether a token below a sum is a letter, with primes or without."""
    letter = replace(token, text=token.text.rstrip("'"))
    return is_index_letter(letter) or (token.kind == "NAME" and len(letter.text) == 1)


def relation_below(tokens: Sequence[Token]) -> Condition:
    """A relation below a sum: of two letters, ``i < j`` or ``j = i + 1`` on, or of the first value of a letter."""
    kinds, texts = [token.kind for token in tokens], [token.text for token in tokens]
    if kinds[:3] == ["NAME", "REL", "NAME"] and texts[1:] == ["=", texts[2], "+", "1"]:
        return texts[0], ">", texts[2]
    first = kinds == ["NAME", "REL", "NUM"] and texts[1] == "="
    if not first and (kinds != ["NAME", "REL", "NAME"] or texts[1] not in ("=", "!=", "<", "<=", ">", ">=")):
        raise NotUnderstoodError("what stands below a sum")
    return texts[0], texts[1], texts[2]


def counts_from_zero(scope: Scope, name: str) -> bool:
    """Whether the first value of a letter is zero: of that over which a sum around runs, or of all in the document."""
    return scope.firsts.get(name, int(not scope.table.page.counts_from_zero)) == 0


def is_shorter(tokens: Sequence[Token]) -> bool:
    """Whether a last value is a size less one."""
    return [token.text for token in tokens if token.kind not in ("{", "}")][-2:] == ["-", "1"]


def upper_limit(scope: Scope, tokens: Sequence[Token], dummies: Mapping[str, Ix], first: str) -> tuple[Condition, ...]:
    """The conditions that the last value of a sum's letter sets; a size sets none, but is that of the letter."""
    plain = [token for token in tokens if token.kind not in ("{", "}")]
    shorter = is_shorter(tokens)
    last = limit_name(plain[:-2] if shorter else plain)
    if len(dummies) != 1:
        raise NotUnderstoodError("the limits of a sum")
    (name,) = dummies
    if [token.kind for token in plain] == ["NUM"] and plain[0].text.isdigit() and first in ("", "0", "1"):
        count = int(plain[0].text) + (first == "0")
        if not 0 < count <= MOST_COUNTED:
            raise NotUnderstoodError("the limits of a sum")
        scope.table.sizes.unify(scope.table.sizes.measured(count), dummies[name])
        return ()
    if not last:
        extent = size_of(plain)
        named = extent is not None and all(scope.table.view.is_size(one.name) for one in extent.free_symbols)
        if extent is None or not named or not extent.is_Add or first not in ("", "0", "1"):
            raise NotUnderstoodError("the limits of a sum")
        scope.table.sizes.compute(dummies[name], extent + 1 if first == "0" else extent)
        return ()
    if last in scope.table.letters and not is_last_of_all(scope.table, last):
        return ((name, "<" if shorter else "<=", last),)
    if shorter and first not in ("", "0", "1"):
        raise NotUnderstoodError("the limits of a sum")
    if shorter and first == "1" and not leaves_out(scope.table, last):
        extent = size_of(plain)
        assert extent is not None
        scope.table.sizes.compute(dummies[name], extent)
        return ()
    scope.table.sizes.unify(scope.table.sizes.named(last), dummies[name])
    return () if first in ("", "0", "1") else ((name, ">=", first),)


def leaves_out(table: Table, last: str) -> bool:
    """Whether a sum from 1 to a size less one leaves out one of so many entries; else there is one less."""
    question = choice(
        Kind.WORD,
        f"a sum up to {last} - 1",
        Option("part", 0.0, f"a sum up to {last} - 1 leaves out one of {last} entries", free=True),
        Option("all", 0.0, f"a sum up to {last} - 1 runs over all entries", free=True),
    )
    return table.asking(question).name == "part"


def is_last_of_all(table: Table, last: str) -> bool:
    """Whether a letter above a sum is a declared size, though it stands in an index as well, as ``n`` in ``y_n``."""
    if not any(last in shape.sizes for shapes in table.page.declared.values() for shape in shapes):
        return False
    question = choice(
        Kind.WORD,
        f"a sum up to {last}",
        Option("size", 0.0, f"a sum up to {last} runs over all, of which there are {last}", free=True),
        Option("index", 0.0, f"a sum up to {last} ends at the index {last}", free=True),
    )
    return table.asking(question).name == "size"


def summed(scope: Scope, value: Typed, around: frozenset[str]) -> Typed:
    """A term, with the letters that are repeated in it summed if that is the convention.

    No letter of the factors beside the term is summed in it, and none in a sum that is written, nor what densities are
    of.
    """
    outcomes = scope.table.page.values.outcomes
    letters = [one for one in scope.letters.values() if scope.table.is_inner(one) and one.name not in outcomes]
    if not letters or scope.dummies:
        return value
    counts = Counter(occurrences(value.node))
    loose = tuple(
        index for index in letters if counts[index] > 1 and index not in value.axes and index.name not in around
    )
    convention = scope.table.asking(SUMS).name if loose else "written"
    if convention == "chain":
        chained = letters_of_chains(value.node)
        loose = tuple(index for index in loose if index in chained)
    return replace(value, node=Total(loose, value.node)) if loose and convention != "written" else value


def letters_of_chains(node: Meaning) -> frozenset[Ix]:
    """The letters that a chain rule repeats: what is differentiated by, and differentiated in its turn."""
    rates = [factor for factor in factors_of(node) if isinstance(factor, Derivative)]
    found = (
        set(one.wrt.slots) & set(free(other.body))
        for one in rates
        for other in rates
        if isinstance(other.body, Entry) and other.body.name == one.wrt.name
    )
    return frozenset(index for letters in found for index in letters)


def factors_of(node: Meaning) -> tuple[Meaning, ...]:
    """The factors of a product; a single factor is its own."""
    return node.factors if isinstance(node, Times) else (node,)
