"""From the syntax of a formula to its meaning, under one interpretation.

Reading is pure: what a formula means depends on the page, the interpretation and the formulas that are read with it
alone. A name is read with the slots that the table gives it; where notation leaves a question open, the table is
asked, and notes what it was asked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

import sympy as sp

from indexcalc.document.applications import again, derivative_at, value_at
from indexcalc.document.bars import barred, names_at
from indexcalc.document.choices import LAYOUT, SUMS, Kind, Option, choice
from indexcalc.document.differentials import differential_of, is_sign, short_target
from indexcalc.document.gradients import loss_of_gradients
from indexcalc.document.literals import array, between_letters, between_numbers, branched, column, largest
from indexcalc.document.meaning import typed
from indexcalc.document.meaning.nodes import (
    Applied,
    Derivative,
    Entry,
    Meaning,
    Number,
    Ones,
    Relation,
    Size,
    Times,
    Total,
    free,
    negated,
    occurrences,
    over,
    times,
)
from indexcalc.document.meaning.sizes import Ix
from indexcalc.document.meaning.symbols import NotUnderstoodError
from indexcalc.document.meaning.typed import COLUMN, ROW, Typed
from indexcalc.document.meaning.unknown import unknown
from indexcalc.document.page import is_plain, limit_name, split
from indexcalc.document.rates import Twice, twice
from indexcalc.document.statements.labelling import sums_barely
from indexcalc.document.statements.scripts import (
    COLON,
    Named,
    inverse_mark,
    is_letter,
    is_transpose,
    subscript,
    with_primes,
)
from indexcalc.document.statements.trees import is_differential
from indexcalc.document.table import Bound, Table
from indexcalc.document.units import unit_of
from indexcalc.errors import IndexCalcError
from indexcalc.language.latex.grammar import parse
from indexcalc.language.latex.tokens import Token
from indexcalc.language.latex.tree import (
    ANGLE,
    NORM,
    Atom,
    Cases,
    Fraction,
    Group,
    Matrix,
    Node,
    Product,
    Root,
    Scripted,
    Sum,
    Truth,
    nodes_of,
)
from indexcalc.language.latex.vocabulary import FUNCTIONS

DEPTH_LIMIT = 60
"""The deepest nesting of formulas."""

SCRIPTS = 1000
"""How many syntax trees of scripts are remembered."""

OPERATORS = frozenset({"TIMES", "SLASH", "DOT", "ODOT"})

Whole = Callable[[Typed, "Reader"], Typed]

Function = Callable[[Sequence[Typed]], Typed]
"""The value of a function at its arguments."""

MATRIX_FUNCTIONS: Mapping[str, Whole] = {
    **dict.fromkeys(("tr", "Tr", "trace", "Trace"), lambda value, reader: typed.trace(value, reader.table.sizes)),
    **dict.fromkeys(("diag", "Diag"), lambda value, reader: typed.diagonal(value, reader.table.sizes)),
    **dict.fromkeys(("rowsum", "RowSum", "rowSum"), lambda value, reader: row_sum(value)),
    "det": lambda value, reader: typed.determinant(value, reader.table.sizes),
    **dict.fromkeys(("softmax", "Softmax"), lambda value, reader: typed.softmax(value, reader.table.sizes)),
}
"""Functions that look at more than one entry."""


@dataclass(frozen=True)
class Reader:
    """Reads the members of one relation.

    Attributes:
        table: the names, and the interpretation.
        letters: the free index letters of the relation.
        dummies: letters that sums bind here.
        depth: how deep this formula stands in others.
        around: the letters of the factors beside this one, which no term inside it sums.
        bound: what the parameters of the function stand for whose formula this is.
    """

    table: Table
    letters: dict[str, Ix] = field(default_factory=dict)
    dummies: tuple[Mapping[str, Ix], ...] = ()
    depth: int = 0
    around: frozenset[str] = frozenset()
    bound: Bound = field(default_factory=dict)

    # Sums and products

    def sum(self, tree: Sum) -> Typed:
        """The meaning of a sum of products."""
        values = []
        for sign, term in tree.terms:
            value = self.summed(self.product(term.items))
            values.append(value if sign > 0 else replace(value, node=negated(value.node)))
        return typed.added(values, self.table.sizes)

    def summed(self, value: Typed) -> Typed:
        """A term, with the letters that are repeated in it summed if that is the convention."""
        letters = [index for index in self.letters.values() if self.table.is_inner(index)]
        if not letters or self.dummies:
            return value
        counts = Counter(occurrences(value.node))
        loose = tuple(
            index
            for index in letters
            if counts[index] > 1 and index not in value.axes and index.name not in self.around
        )
        if not loose:
            return value
        convention = self.table.asking(SUMS)
        if convention.name == "written":
            return value
        if convention.name == "chain":
            chained = letters_of_chains(value.node)
            loose = tuple(index for index in loose if index in chained)
            if not loose:
                return value
        return replace(value, node=Total(loose, value.node))

    def product(self, items: Sequence[Node]) -> Typed:
        """The meaning of a product: entrywise products bind last, sums and derivatives reach to its end."""
        if self.depth > DEPTH_LIMIT:
            raise NotUnderstoodError(f"formulas nested deeper than {DEPTH_LIMIT}")
        if not items:
            raise NotUnderstoodError("a factor is missing")
        inner = replace(self, depth=self.depth + 1)
        for kind, join in (("COLON", typed.inner), ("ODOT", typed.entrywise)):
            place = next((n for n, item in enumerate(items) if isinstance(item, Atom) and item.kind == kind), None)
            if place is not None and not any(map(is_big, items[:place])):
                left, right = inner.product(items[:place]), inner.product(items[place + 1 :])
                return join(left, right, self.table.sizes)
        return inner.factors(items)

    def factors(self, items: Sequence[Node]) -> Typed:
        """Factors in a row, from the left; a slash divides by the one factor behind it."""
        if is_operator(items[0]):
            raise NotUnderstoodError("an operator where a factor must stand")
        value, position = self.beside(items, 0).unit(items, 0)
        while position < len(items):
            sign = items[position]
            position += is_operator(sign)
            if position == len(items) or is_operator(items[position]):
                raise NotUnderstoodError("a factor is missing")
            following, position = self.beside(items, position).unit(items, position)
            value = self.joined(value, sign, following)
        return value

    def beside(self, items: Sequence[Node], position: int) -> Reader:
        """The reader for one factor, which knows the letters of the others; one that reaches to the end takes them."""
        if isinstance(items[position], Atom) or len(items) == 1:
            return self
        end = position + 1 if is_big(items[position]) else len(items)
        others = (self.table.page.letters(item) for n, item in enumerate(items[:end]) if n != position)
        return replace(self, around=self.around.union(*others))

    def joined(self, left: Typed, sign: Node, right: Typed) -> Typed:
        """Two factors, with an operator or nothing between them."""
        text = sign.text if isinstance(sign, Atom) and sign.kind in OPERATORS else ""
        if isinstance(sign, Atom) and sign.kind == "SLASH":
            return typed.divided(left, right, self.table.sizes)
        if text == "*" and left.axes and right.axes:
            return typed.entrywise(left, right, self.table.sizes)
        if text == "cdot" and len(left.axes) == len(right.axes) == 1 and left.orientation == right.orientation:
            return typed.inner(left, right, self.table.sizes)
        if isinstance(sign, Atom) and sign.kind == "DOT" and len(left.axes) == len(right.axes) == 2:
            raise NotUnderstoodError("a point between matrices: a product of either kind")
        if text == "otimes" and len(left.axes) == len(right.axes) == 1:
            return self.outer(left, right)
        if text == "otimes" or (text == "times" and left.axes and right.axes):
            raise NotUnderstoodError("a product of another kind")
        return typed.product(left, right, self.table.sizes)

    def outer(self, left: Typed, right: Typed) -> Typed:
        """All products of two vectors, or those entry by entry."""
        question = choice(
            Kind.WORD,
            "a cross in a circle between vectors",
            Option("all", 0.0, "a cross in a circle stands for all products"),
            Option("entries", 0.1, "a cross in a circle stands for products entry by entry"),
        )
        if self.table.asking(question).name == "entries":
            return typed.entrywise(left, right, self.table.sizes)
        return Typed(times(left.node, right.node), (*left.axes, *right.axes))

    def unit(self, items: Sequence[Node], position: int) -> tuple[Typed, int]:
        """The next factor, with what it takes to its right; and where the next one starts."""
        item = items[position]
        base = item.base if isinstance(item, Scripted) else item
        kind = base.kind if isinstance(base, Atom) else ""
        if kind == "SUM":
            return self.big_sum(item, items[position + 1 :]), len(items)
        if kind == "PARTIAL":
            return self.inline_rate(items, position)
        if kind == "NABLA":
            return self.nabla(item, items, position)
        if isinstance(base, Fraction) and (second := twice(base)) is not None:
            end = position + 1 if second.body else len(items)
            return self.second_rate(second, second.body or items[position + 1 :]), end
        if isinstance(base, Fraction) and (wrt := self.waiting(base)) is not None:
            if position + 1 == len(items):
                raise NotUnderstoodError("a derivative of nothing")
            value = self.rate(self.product(items[position + 1 :]), wrt)
            return (self.marked(value, item) if isinstance(item, Scripted) else value), len(items)
        if is_sign(self.table, items, position):
            value, end = self.unit(items, position + 1)
            return differential_of(self.table, value), end
        return self.call(items, position) or (self.factor(item), position + 1)

    # Factors

    def factor(self, item: Node) -> Typed:
        """The meaning of one factor."""
        found = self.table.page.survey.name(item)
        if found is not None:
            return self.named(found)
        match item:
            case Atom(token):
                return self.atom(token)
            case Group():
                return self.group(item)
            case Fraction():
                return self.fraction(item)
            case Root(body):
                return typed.raised(self.sum(body), Number(sp.Rational(1, 2)))
            case Scripted():
                return self.scripted(item)
            case Truth():
                return self.truth(item)
            case Cases():
                branches = [(self.sum(value), [self.truth(t).node for t in tests]) for value, tests in item.branches]
                return branched(branches, self.table.sizes)
            case Matrix():
                return array([[self.sum(cell) for cell in row] for row in item.rows], self.table.sizes)
        raise NotUnderstoodError("a factor that is not read")

    def atom(self, token: Token) -> Typed:
        """The meaning of one token."""
        if token.kind == "NUM" and len(token.text) < DEPTH_LIMIT:
            return Typed(Number(sp.Rational(token.text)))
        if token.kind == "ONE":
            axis = self.table.sizes.fresh()
            return Typed(Ones(axis), (axis,))
        if token.kind == "NUM":
            raise NotUnderstoodError(f"a number of more than {DEPTH_LIMIT} digits")
        raise NotUnderstoodError(f"the sign {token.text}")

    def group(self, item: Group) -> Typed:
        """What stands in brackets."""
        values = [self.sum(member) for member in item.members]
        if item.bracket == ANGLE and len(values) == 2:
            return typed.inner(values[0], values[1], self.table.sizes)
        if len(values) > 1 and item.bracket in ("(", "["):
            return column(values, self.table.sizes)
        if len(values) != 1:
            raise NotUnderstoodError("a list in brackets")
        (value,) = values
        if item.bracket == NORM:
            return typed.norm(value, "F" if len(value.axes) == 2 else "")
        if item.bracket == "|" and len(value.axes) == 2:
            return typed.determinant(value, self.table.sizes)
        if item.bracket == "|":
            if value.axes:
                raise NotUnderstoodError("bars around a vector")
            return replace(value, node=Applied("abs", value.node))
        return value

    def truth(self, item: Truth) -> Typed:
        """An Iverson bracket: of two letters, or of two numbers of which one is larger."""
        left, right = (self.lone_letter(side) for side in (item.left, item.right))
        if left is not None and right is not None:
            self.table.sizes.unify(left, right)
            return Typed(between_letters(left, item.relation, right))
        return between_numbers(self.sum(item.left), item.relation, self.sum(item.right), self.table.sizes)

    def lone_letter(self, side: Sum) -> Ix | None:
        """The index that a side of a relation is; None if it is none."""
        only = side.only.items if side.only is not None else ()
        found = self.table.page.survey.name(only[0]) if len(only) == 1 else None
        if found is None or found.parts is not None or len(found.name) != 1 or not is_plain(found):
            return None
        known = found.name in self.letters or any(found.name in scope for scope in self.dummies)
        return self.letter(found.name) if known or found.name in self.table.page.index_letters else None

    def scripted(self, item: Scripted) -> Typed:
        """Scripts on a bracket, a fraction or a number: entries, transposes, powers."""
        if isinstance(item.base, Group) and item.base.bracket == NORM and item.below:
            kind = "".join(token.text for token in item.below if token.kind not in ("{", "}"))
            value = typed.norm(self.sum(item.base.members[0]), kind)
            return self.with_powers(value, item.above)
        if item.primes:
            raise NotUnderstoodError("a mark on an expression")
        value = self.factor(item.base)
        if item.along:
            return self.marked(value, item)
        marks = [tokens for tokens in item.above if not is_transpose(tokens)]
        if len(marks) < len(item.above):
            value = typed.transpose(value)
        if [token.kind for token in item.below if token.kind not in ("{", "}")] == ["PLUS"]:
            value = replace(value, node=Applied("relu", value.node))
        elif item.below:
            found = subscript(item.below)
            if found.label or found.unreadable:
                raise NotUnderstoodError("a label on an expression")
            value = typed.at(value, self.places(found.parts), self.table.sizes)
        return self.with_powers(value, marks)

    def with_powers(self, value: Typed, above: Sequence[Sequence[Token]]) -> Typed:
        """The value raised to each power in turn."""
        for tokens in above:
            value = self.power(value, tokens)
        return value

    def power(self, value: Typed, tokens: Sequence[Token]) -> Typed:
        """A power; of a matrix, its inverse or the product with itself; behind a circle, that of every entry."""
        if len(tokens) > 1 and tokens[0].kind == "ODOT":
            return self.entry_power(value, tokens[1:])
        mark = inverse_mark(tokens)
        if len(value.axes) == 2 and mark:
            found = typed.inverse(value, self.table.sizes)
            return found if mark == "-1" else typed.transpose(found)
        if len(value.axes) == 1 and (mark or is_transpose(tokens)):
            raise NotUnderstoodError("the inverse of a vector")
        exponent = self.tokens(tokens)
        if exponent.axes:
            raise NotUnderstoodError("an exponent that is an array")
        if len(value.axes) == 1 and not isinstance(exponent.node, Number):
            raise NotUnderstoodError("a mark above a vector that may count steps")
        if len(value.axes) == 2:
            count = exponent.node.value if isinstance(exponent.node, Number) else None
            if count not in (2, 3):
                raise NotUnderstoodError("a power of a matrix")
            result = value
            for _ in range(int(count) - 1):
                result = typed.product(result, again(self.table, value), self.table.sizes)
            return result
        return typed.raised(value, exponent.node)

    def entry_power(self, value: Typed, tokens: Sequence[Token]) -> Typed:
        """The power of every entry."""
        exponent = self.tokens(tokens)
        if exponent.axes:
            raise NotUnderstoodError("an exponent that is an array")
        return typed.raised(value, exponent.node)

    def marked(self, value: Typed, item: Scripted) -> Typed:
        """A derivative with the marks behind it: a bar alone."""
        if item.above or item.below or item.primes:
            raise NotUnderstoodError("a mark on a derivative")
        return barred(self.table, value, item.along, [self.at_bar(part) for part in names_at(item.along)])

    def at_bar(self, tokens: Sequence[Token]) -> Typed:
        """The tensor that the tokens at the foot of a bar name."""
        try:
            tree = script(tuple(tokens)).only
        except IndexCalcError as error:
            raise NotUnderstoodError(str(error)) from None
        if tree is None:
            raise NotUnderstoodError("a derivative along an expression")
        return self.target(tree.items)

    def tokens(self, tokens: Sequence[Token]) -> Typed:
        """The meaning of the tokens of a superscript."""
        try:
            return self.sum(script(tuple(tokens)))
        except IndexCalcError as error:
            raise NotUnderstoodError(str(error)) from None

    # Names

    def named(self, found: Named) -> Typed:
        """The meaning of a name with its scripts."""
        if found.unreadable or found.primes:
            raise NotUnderstoodError(f"the marks on {found.name}")
        if found.name == "e" and found.powers and found.parts is None:
            argument = self.tokens(found.powers[0])
            return self.with_powers(replace(argument, node=Applied("exp", argument.node)), found.powers[1:])
        if (target := short_target(self.table, found.name)) is not None:
            return self.varied(replace(found, name=target))
        value = self.value(found)
        if found.transposed:
            value = (
                typed.transpose(value)
                if value.axes or found.parts is None
                else self.value(replace(found, parts=tuple(reversed(found.parts or ()))))
            )
        return self.with_powers(value, found.powers)

    def varied(self, found: Named) -> Typed:
        """The differential of a name; of its inverse, if it bears the sign of one."""
        if any(inverse_mark(tokens) != "-1" for tokens in found.powers):
            raise NotUnderstoodError(f"a power behind {found.name}: of the differential, or in it?")
        return differential_of(self.table, self.named(found))

    def value(self, found: Named) -> Typed:
        """A name, whole or at an index; a parameter is what it stands for."""
        if found.name in self.bound:
            value = again(self.table, self.bound[found.name])
            return value if found.parts is None else typed.at(value, self.places(found.parts), self.table.sizes)
        constant = self.constant(found)
        return self.tensor(found) if constant is None else constant

    def constant(self, found: Named) -> Typed | None:
        """What a name stands for that is no tensor of the document's: ones, deltas, pi, a size, a short gradient."""
        name, parts = found.name, found.parts
        if (unit := unit_of(self.table, found, self.place)) is not None:
            return unit
        if name == "pi" and parts is None and name not in self.table.page.defining:
            return Typed(Number(sp.pi))
        if (target := self.table.page.gradient_target(name)) is not None:
            wrt = self.value(replace(found, name=target))
            if not isinstance(wrt.node, Entry):
                raise NotUnderstoodError(f"a gradient by {target}")
            return self.rate(Typed(Entry(loss_of_gradients(self.table, name, target))), wrt)
        if parts is None and self.table.is_size(name):
            return Typed(Size(self.table.sizes.named(name)))
        return None

    def tensor(self, found: Named) -> Typed:
        """A tensor, whole or at an index; a name without indices may stand for one entry."""
        name, parts = found.name, found.parts
        if parts is None and (usual := self.table.usual_entry(name)) is not None:
            found, parts = replace(found, parts=usual), usual
        if parts is not None and len(parts) == 1 and parts[0].isdigit():
            found = self.numbered(found, parts[0])
            parts = found.parts
        name, slots = self.table.symbol(found)
        if parts is None:
            own = tuple(self.table.like(slot) for slot in slots)
            axes = own
        else:
            parts = self.table.page.slice_parts(replace(found, parts=parts), len(slots), self.table.number)
            own = tuple(self.place(part) or self.table.sizes.fresh() for part in parts)
            axes = tuple(index for index, part in zip(own, parts, strict=True) if part == COLON)
            for index, slot in zip(own, slots, strict=True):
                self.table.sizes.unify(index, slot)
        if not slots and parts is None:
            tied = self.table.tie(name)
            if tied is not None:
                return Typed(Size(tied))
        return Typed(Entry(name, own), axes, COLUMN)

    def numbered(self, found: Named, digits: str) -> Named:
        """A name with a number below it: 0 is a label, and the digits of ``A_12`` are those of a row and a column."""
        if digits == "0":
            usage = self.table.page.survey.usages.get(found.name)
            if usage is not None and usage.indexed:
                self.table.open.setdefault(f"{found.name}_0", f"{found.name}_0 may be an entry of {found.name}")
            return replace(found, name=f"{found.name}_0", parts=None)
        if len(digits) == 2 and len(self.table.symbol(replace(found, parts=None))[1]) == 2:
            return replace(found, parts=tuple(digits))
        return found

    def places(self, parts: Sequence[str]) -> tuple[Ix | None, ...]:
        """The index variables of the parts of a subscript."""
        return tuple(self.place(part) for part in parts)

    def place(self, part: str) -> Ix | None:
        """The index variable of one part of a subscript; None for a whole axis."""
        if part == COLON:
            return None
        if part.isdigit():
            if not 0 < int(part) <= 9:
                raise NotUnderstoodError(f"an entry numbered {part}")
            return self.table.sizes.fresh(part, fixed=int(part))
        return self.letter(part)

    def letter(self, name: str) -> Ix:
        """The index variable of a letter: the innermost dummy, else a free letter of the relation."""
        for scope in reversed(self.dummies):
            if name in scope:
                return scope[name]
        if name in self.table.page.given_letters:
            return self.table.sizes.fresh(name, fixed=1)  # which entry it is makes no difference
        if name not in self.letters:
            self.letters[name] = self.table.new_letter(name)
        return self.letters[name]

    # Functions

    def call(self, items: Sequence[Node], position: int) -> tuple[Typed, int] | None:
        """A function and its argument; None if no function stands here."""
        found = self.table.page.survey.name(items[position])
        following = items[position + 1] if position + 1 < len(items) else None
        function = self.function(found, following) if found is not None and found.name not in self.bound else None
        if found is None or function is None:
            if found is not None and isinstance(following, Group) and len(following.members) > 1:
                raise NotUnderstoodError(f"{found.name} of {len(following.members)} arguments")
            return None
        if following is None:
            raise NotUnderstoodError(f"{found.name} without an argument")
        behind = following if isinstance(following, Scripted) and is_bracket(following.base) else None
        group = behind.base if behind is not None else following
        if is_bracket(group):
            assert isinstance(group, Group)
            arguments = [self.sum(member) for member in group.members]
            end = position + 2
        else:
            argument, end = self.unit(items, position + 1)
            arguments = [argument]
        value = self.with_powers(function(arguments), found.powers)
        if behind is not None:
            value = self.scripted_value(value, behind)
        return value, end

    def function(self, found: Named, following: Node | None) -> Function | None:
        """The function that a name is before what follows it: defined, known, or unknown; None if it is none."""
        number = self.table.function(found.name) if following is not None and is_bracket(bare(following)) else None
        if number is not None:
            entry = self.places(found.parts or ())
            return lambda arguments: self.defined(found, number, arguments, entry)
        if found.name in ("max", "min") and isinstance(following, Group) and len(following.members) > 1:
            return lambda arguments: largest(arguments, self.table.sizes, 1 if found.name == "max" else -1)
        if found.parts is not None:
            return None
        name = self.table.page.context.functions.get(found.name, found.name)
        word = name if name in FUNCTIONS else name.partition("_")[0]
        known = FUNCTIONS.get(word)
        if word == "sigma" and following is not None and is_bracket(following):
            known = "sigmoid" if self.table.is_function(word, following) else None
        if known is None and word not in MATRIX_FUNCTIONS:
            if not self.table.is_function(found.name, following):
                return None
            return lambda arguments: self.applied(found.name, self.unknown(found.name, found.primes), arguments)
        if not found.primes:
            return lambda arguments: self.applied(word, known, arguments)
        if known is None:
            raise NotUnderstoodError(f"the derivative of {word}")

        def of_one(argument: Typed) -> Typed:
            return self.applied(word, known, [argument])

        return lambda arguments: derivative_at(self.table, of_one, lone(arguments), found.primes)

    def unknown(self, name: str, primes: int) -> str:
        """A function of which nothing is known."""
        self.table.open.setdefault(name, f"the function {name} is not defined")
        return unknown(name, primes)

    def defined(self, found: Named, number: int, arguments: Sequence[Typed], entry: tuple[Ix | None, ...]) -> Typed:
        """The value of a function that the document defines, or of its derivative, or an entry of these."""

        def value(argument: Typed) -> Typed:
            return value_at(self.table, number, [argument])

        if found.primes:
            result = derivative_at(self.table, value, lone(arguments), found.primes)
        else:
            result = value_at(self.table, number, arguments)
        return typed.at(result, entry, self.table.sizes) if entry else result

    def scripted_value(self, value: Typed, item: Scripted) -> Typed:
        """The scripts behind the bracket of a function belong to its value."""
        marks = [tokens for tokens in item.above if not is_transpose(tokens)]
        if len(marks) < len(item.above):
            value = typed.transpose(value)
        if item.below:
            found = subscript(item.below)
            value = typed.at(value, self.places(found.parts), self.table.sizes)
        return self.with_powers(value, marks)

    def applied(self, word: str, known: str | None, arguments: Sequence[Typed]) -> Typed:
        """The value of a function."""
        argument = lone(arguments, word)
        if known is not None:
            if word == "sigma" and argument.axes:
                self.table.open.setdefault(word, "sigma of an array may be a softmax")
            return replace(argument, node=Applied(known, argument.node))
        if word in ("softmax", "Softmax") and isinstance(argument.node, Entry) and not argument.axes:
            return self.softmax_entry(argument.node)
        if word in MATRIX_FUNCTIONS:
            return MATRIX_FUNCTIONS[word](argument, self)
        raise NotUnderstoodError(f"the function {word}")

    def softmax_entry(self, entry: Entry) -> Typed:
        """The softmax of an entry: that of the row that holds it."""
        if not entry.slots:
            raise NotUnderstoodError("a softmax of a number")
        dummy = self.table.like(entry.slots[-1])
        row = Entry(entry.name, (*entry.slots[:-1], dummy))
        total = Total((dummy,), Applied("exp", row))
        return Typed(times(Applied("exp", entry), over(total)))

    # Sums over indices

    def big_sum(self, item: Node, rest: Sequence[Node]) -> Typed:
        """A sum over dummies that reaches to the end of its product."""
        atom = item.base if isinstance(item, Scripted) else item
        assert isinstance(atom, Atom)
        if atom.text not in ("sum", "prod"):
            raise NotUnderstoodError(f"the sign {atom.text}")
        if not isinstance(item, Scripted) or not item.below:
            if isinstance(item, Scripted) and item.above:
                raise NotUnderstoodError("the limits of a sum")
            names, first = [self.lone_dummy(rest)], ""
            conditions: list[tuple[str, str, str]] = []
        else:
            names, conditions, first = bound_letters(item.below)
        if any(part not in self.table.page.index_letters for _, sign, part in conditions if sign == ">="):
            raise NotUnderstoodError("the limits of a sum")
        scope = {name: self.table.new_letter(name) for name in names}
        inner = replace(self, dummies=(*self.dummies, scope))
        if isinstance(item, Scripted) and item.above:
            conditions = [*conditions, *self.limit(item.above[-1], scope, first)]
        body = inner.product(rest)
        for left, relation, right in conditions:
            a, b = inner.place(left), inner.place(right)
            assert a is not None
            assert b is not None
            self.table.sizes.unify(a, b)
            one, other = (b, a) if relation in (">", ">=") else (a, b)
            body = replace(body, node=times(body.node, Relation(one, relation.replace(">", "<"), other)))
        for name, index in scope.items():
            if index not in free(body.node) and not self.table.sized(name, index):
                raise NotUnderstoodError(f"a sum over {name} that binds nothing")
        if any(isinstance(node, Derivative) for node in factors_of(body.node)):
            self.table.spoken.add((SUMS.key, "written"))
        if atom.text == "prod":
            if conditions:
                raise NotUnderstoodError("the limits of a product")
            logarithm = Total(tuple(scope.values()), Applied("log", body.node))
            return replace(body, node=Applied("exp", logarithm))  # of factors that are positive
        return replace(body, node=Total(tuple(scope.values()), body.node))

    def lone_dummy(self, rest: Sequence[Node]) -> str:
        """The letter of a sum without one: the only one that neither the first member has nor a sum around it binds."""
        page, table = self.table.page, self.table
        first = page.statements[table.number].sides[0].tree
        head = table.head or frozenset()
        if not table.inside and first is not None and not sums_barely(first):
            head = frozenset(part for node in nodes_of(first) for part in page.letters(node))
        inside = {part for item in rest for part in page.letters(item) if is_letter(part)}
        found = sorted(inside - head - {name for scope in self.dummies for name in scope})
        if len(found) != 1:
            raise NotUnderstoodError("a sum without an index")
        return found[0]

    def limit(self, tokens: Sequence[Token], scope: Mapping[str, Ix], first: str) -> list[tuple[str, str, str]]:
        """The conditions that the last value of a sum's letter sets; a size sets none, but is that of the letter."""
        plain = [token for token in tokens if token.kind not in ("{", "}")]
        texts = [token.text for token in plain]
        shorter = texts[-2:] == ["-", "1"]
        plain = plain[:-2] if shorter else plain
        if len(scope) != 1 or not plain or plain[0].kind != "NAME":
            raise NotUnderstoodError("the limits of a sum")
        (name,) = scope
        last = limit_name(plain)
        if not last:
            raise NotUnderstoodError("the limits of a sum")
        if last in self.table.letters:
            return [(name, "<" if shorter else "<=", last)]
        if shorter and first not in ("", "0"):
            raise NotUnderstoodError("the limits of a sum")
        self.table.sizes.unify(self.table.sizes.named(last), scope[name])
        if first in ("", "0", "1"):
            return []
        return [(name, ">=", first)]

    # Derivatives

    def fraction(self, item: Fraction) -> Typed:
        """A quotient, or a derivative written as one."""
        above, below = item.numerator.only, item.denominator.only
        if above is not None and below is not None and is_rate(above, below):
            return self.rate(self.differentiated(above.items[1:]), self.target(below.items[1:]))
        if above is not None and below is not None and is_other_rate(above, below):
            raise NotUnderstoodError("a second derivative")
        return typed.divided(self.sum(item.numerator), self.sum(item.denominator), self.table.sizes)

    def second_rate(self, second: Twice, body: Sequence[Node]) -> Typed:
        """A second derivative of a number; by two vectors a matrix."""
        if not body:
            raise NotUnderstoodError("a derivative of nothing")
        value, first, other = self.differentiated(body), self.target(second.first), self.target(second.second)
        if value.axes:
            raise NotUnderstoodError("a second derivative of an array")
        inner = self.table.derivative(value.node, other_entry(first))
        return Typed(self.table.derivative(inner, other_entry(other)), (*first.axes, *other.axes))

    def waiting(self, item: Fraction) -> Typed | None:
        """The target of a derivative that waits for what stands behind it."""
        above, below = item.numerator.only, item.denominator.only
        if above is None or below is None or len(above.items) != 1 or not is_differential(above.items[0]):
            return None
        return self.target(below.items[1:]) if len(below.items) > 1 and is_differential(below.items[0]) else None

    def inline_rate(self, items: Sequence[Node], position: int) -> tuple[Typed, int]:
        r"""``\partial a/\partial b`` on a line."""
        following = items[position + 1 : position + 5]
        signs = [isinstance(node, Atom) and node.kind for node in following]
        if len(following) < 4 or signs[1] != "SLASH" or signs[2] != "PARTIAL":
            raise NotUnderstoodError("a sign of a derivative that stands alone")
        return self.rate(self.differentiated(following[:1]), self.target(following[3:4])), position + 5

    def nabla(self, item: Node, items: Sequence[Node], position: int) -> tuple[Typed, int]:
        """The gradient of what stands behind a nabla, by what stands below it, or by what it is a function of."""
        order = self.order_of(item)
        if position + 1 == len(items):
            raise NotUnderstoodError("a nabla without what it is taken of")
        if isinstance(item, Scripted) and item.below:
            only = parse(item.below).only
            if only is None:
                raise NotUnderstoodError("a nabla by an expression")
            return self.gradient(self.product(items[position + 1 :]), only.items, order), len(items)
        wrt, end = self.parameter(items, position + 1)
        body = self.factors(items[position + 1 : end])
        return self.gradient(body, wrt, order), end

    def order_of(self, item: Node) -> int:
        """How often a nabla differentiates."""
        above = [token.text for tokens in item.above for token in tokens] if isinstance(item, Scripted) else []
        if above not in ([], ["2"]):
            raise NotUnderstoodError("a nabla with this mark")
        return 2 if above else 1

    def gradient(self, body: Typed, wrt: Sequence[Node], order: int) -> Typed:
        """The gradient of a number, or its matrix of second derivatives."""
        value = self.rate(body, self.target(wrt))
        if order == 1:
            return value
        if body.axes:
            raise NotUnderstoodError("a second derivative of an array")
        other = self.target(wrt)
        return Typed(self.table.derivative(value.node, other_entry(other)), (*value.axes, *other.axes))

    def parameter(self, items: Sequence[Node], position: int) -> tuple[Sequence[Node], int]:
        """What the function behind a nabla is a function of, and where the next factor starts."""
        found = self.table.page.survey.name(items[position])
        numbers = self.table.page.functions.get(found.name, ()) if found is not None else ()
        following = items[position + 1] if position + 1 < len(items) else None
        group = following if isinstance(following, Group) and following.bracket == "(" else None
        if group is not None and len(group.members) == 1 and group.members[0].only is not None:
            return group.members[0].only.items, position + 2
        if group is None and len(numbers) == 1:
            head = self.table.page.statements[numbers[0]].sides[0].tree
            assert head is not None
            assert head.only is not None
            return self.parameter(head.only.items, 0)[0], position + 1
        raise NotUnderstoodError("a nabla without what it is taken by")

    def differentiated(self, items: Sequence[Node]) -> Typed:
        """What is differentiated; a lone name without a definition is a loss, though a size may have its letter."""
        found = self.table.page.survey.name(items[0]) if len(items) == 1 else None
        if found is not None and found.parts is None and not found.powers and self.table.is_size(found.name):
            self.table.known.setdefault(found.name, ())
            return Typed(Entry(found.name))
        return self.product(items)

    def target(self, items: Sequence[Node]) -> Typed:
        """What a derivative is taken by: one tensor, whole or at an index."""
        while len(items) == 1 and isinstance(items[0], Group) and len(items[0].members) == 1:
            only = items[0].members[0].only
            if only is None:
                break
            items = only.items
        found = self.table.page.survey.name(items[0]) if len(items) == 1 else None
        if found is None or found.powers:
            raise NotUnderstoodError("a derivative by what is no name")
        value = self.value(found)
        if not isinstance(value.node, Entry):
            raise NotUnderstoodError(f"a derivative by {found.name}")
        return typed.transpose(value) if found.transposed and value.axes else value

    def rate(self, body: Typed, wrt: Typed) -> Typed:
        """The derivative of an expression by a tensor, laid out as the document does."""
        assert isinstance(wrt.node, Entry)
        node = self.table.derivative(body.node, wrt.node)
        if not body.axes:
            layout = self.table.asking(LAYOUT).name if wrt.axes else "gradient"
            if layout == "gradient":
                return Typed(node, wrt.axes, wrt.orientation)
            axes = tuple(reversed(wrt.axes))
            return Typed(node, axes, ROW if len(axes) == 1 and wrt.orientation == COLUMN else COLUMN)
        if not wrt.axes:
            return Typed(node, body.axes, body.orientation)
        if len(body.axes) > 1 or len(wrt.axes) > 1:
            return Typed(node, (*body.axes, *wrt.axes), jacobian=True)
        layout = self.table.asking(LAYOUT).name
        axes = (*body.axes, *wrt.axes) if layout == "Jacobian" else (*wrt.axes, *body.axes)
        return Typed(node, axes)


@lru_cache(SCRIPTS)
def script(tokens: tuple[Token, ...]) -> Sum:
    """The syntax tree of a script."""
    return parse(tokens)


def read(table: Table, letters: dict[str, Ix], tree: Sum, bound: Bound) -> Typed:
    """The meaning of a formula whose free letters are these, and whose parameters stand for what they are bound to."""
    return Reader(table, letters, bound=bound).sum(tree)


def row_sum(value: Typed) -> Typed:
    """The sum along the last axis."""
    if len(value.axes) != 2:
        raise NotUnderstoodError("the sums of rows of what is no matrix")
    return Typed(Total((value.axes[1],), value.node), value.axes[:1])


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


def other_entry(value: Typed) -> Entry:
    """The entry by which a derivative is taken."""
    assert isinstance(value.node, Entry)
    return value.node


def lone(arguments: Sequence[Typed], name: str = "a function") -> Typed:
    """The only argument of a function."""
    if len(arguments) != 1:
        raise NotUnderstoodError(f"{name} of {len(arguments)} arguments")
    return arguments[0]


def bare(item: Node) -> Node:
    """An item without its scripts."""
    return item.base if isinstance(item, Scripted) else item


def is_operator(item: Node) -> bool:
    """Whether an item stands between two factors."""
    return isinstance(item, Atom) and item.kind in OPERATORS


def is_bracket(item: Node) -> bool:
    """Whether an item is a bracket in which an argument may stand."""
    return isinstance(item, Group) and item.bracket in ("(", "[", "{")


def is_big(item: Node) -> bool:
    """Whether a factor takes all that follows it: a sum, or a derivative that waits for its argument."""
    base = item.base if isinstance(item, Scripted) else item
    if isinstance(base, Atom):
        return base.kind == "SUM"
    above = base.numerator.only if isinstance(base, Fraction) else None
    return above is not None and len(above.items) == 1 and is_differential(above.items[0])


def is_rate(above: Product, below: Product) -> bool:
    """Whether a fraction is a derivative: both parts begin with the sign of one, and go on."""
    return all(len(part.items) > 1 and is_differential(part.items[0]) for part in (above, below))


def is_other_rate(above: Product, below: Product) -> bool:
    """Whether a fraction that is no derivative looks like a higher one: a plain d alone may also be a name."""
    if len(below.items) < 2 or not is_differential(below.items[0]):
        return False
    bases = (item.base if isinstance(item, Scripted) else item for item in above.items)
    curly = isinstance(below.items[0], Atom) and below.items[0].kind == "PARTIAL"
    return curly or any(map(is_differential, bases))


def bound_letters(tokens: Sequence[Token]) -> tuple[list[str], list[tuple[str, str, str]], str]:
    """The letters below a sum, the conditions on them, and the first value of one."""
    kept = [token for token in with_primes(tokens) if token.kind not in ("{", "}", "(", ")")]
    plain = [token for token in kept if token.kind != "COMMA"]
    if all(token.kind != "REL" for token in plain):
        if not plain or any(token.kind != "NAME" or len(token.text.rstrip("'")) > 1 for token in plain):
            raise NotUnderstoodError("what stands below a sum")
        return [token.text for token in plain], [], ""
    if [token.kind for token in plain] == ["NAME", "REL", "NAME"] and plain[1].text == "in":
        return [plain[0].text], [], ""
    (name, relation, value), *others = (bound(part) for part in split(kept, "COMMA"))
    if any(sign == "=" or name not in (left, right) for left, sign, right in others):
        raise NotUnderstoodError("what stands below a sum")
    if relation == "=" and value.isdigit():
        return [name], others, value
    return [name], [(name, ">=" if relation == "=" else relation, value), *others], ""


def bound(tokens: Sequence[Token]) -> tuple[str, str, str]:
    """A relation below a sum: of a letter and a letter, or of the first value of a letter."""
    kinds, texts = [token.kind for token in tokens], [token.text for token in tokens]
    first = kinds == ["NAME", "REL", "NUM"] and texts[1] == "="
    if not first and (kinds != ["NAME", "REL", "NAME"] or texts[1] not in ("=", "!=", "<", "<=", ">", ">=")):
        raise NotUnderstoodError("what stands below a sum")
    return texts[0], texts[1], texts[2]
