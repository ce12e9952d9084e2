"""From the syntax of a formula to its meaning, under one interpretation.

Reading is pure: what a formula means depends on the page, the interpretation and the formulas that are read with it
alone. A name is read with the slots that the table gives it; where notation leaves a question open, the table is
asked, and notes what it was asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import sympy as sp

from indexcalc.document import wedges
from indexcalc.document.bars import barred, names_at
from indexcalc.document.derivatives import rate
from indexcalc.document.differentials import differential_of, is_sign, short_target
from indexcalc.document.elementary import CIRCULAR, DIVISOR, of_row, reach
from indexcalc.document.expectations import expectation
from indexcalc.document.fields import Sign, along, applied, component, directed, partial, sign_at
from indexcalc.document.functions import applied as applied_function
from indexcalc.document.functions import function_of, is_bracket
from indexcalc.document.gradients import is_of_loss
from indexcalc.document.lists import listed
from indexcalc.document.literals import array, between_letters, between_numbers, bracketed, branched
from indexcalc.document.meaning import typed
from indexcalc.document.meaning.nodes import HALF, ONE, ZERO, Applied, Entry, Number, Ones, negated
from indexcalc.document.meaning.sizes import Ix, ShapeError, Sizes
from indexcalc.document.meaning.symbols import NotUnderstoodError, RankError
from indexcalc.document.meaning.typed import Typed
from indexcalc.document.names import Names
from indexcalc.document.places import compared
from indexcalc.document.products import joined, power, read_dots, weighted_norm, without_dots
from indexcalc.document.rates import Rates, awaited, is_other_rate, is_rate, twice, waits
from indexcalc.document.runs import ORDER, is_descending, is_over_steps, reaching, written_out
from indexcalc.document.scope import Scope
from indexcalc.document.statements.expectations import body_of, is_expectation
from indexcalc.document.statements.field_signs import is_point
from indexcalc.document.statements.limits import is_sum
from indexcalc.document.statements.scripts import Named, inverse_mark, is_transpose, subscript
from indexcalc.document.statements.trees import is_operator, without_scripts
from indexcalc.document.sums import binding_of, summed, total
from indexcalc.document.table import Bound, Table
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
    Root,
    Scripted,
    Sum,
    Truth,
)

DEPTH_LIMIT = 60
"""The deepest nesting of formulas."""

SCRIPTS = 1000
"""How many syntax trees of scripts are remembered."""


def read(table: Table, letters: dict[str, Ix], tree: Sum, bound: Bound) -> Typed:
    """The meaning of a formula whose free letters are these, and whose parameters stand for what they are bound to."""
    return Reader(Names(Scope(table, letters), bound)).sum(tree)


@dataclass(frozen=True)
class Reader:
    """Reads the members of one relation.

    Attributes:
        names: reads names, with the letters of the relation.
        depth: how deep this formula stands in others.
        around: the letters of the factors beside this one, which no term inside it sums.
    """

    names: Names
    depth: int = 0
    around: frozenset[str] = frozenset()

    @property
    def scope(self) -> Scope:
        """The letters of the relation, and those that sums bind here."""
        return self.names.scope

    @property
    def table(self) -> Table:
        """The names, and the interpretation."""
        return self.names.scope.table

    @property
    def sizes(self) -> Sizes:
        """The sizes of slots."""
        return self.table.sizes

    @property
    def rates(self) -> Rates:
        """Reads the derivatives that stand here."""
        return Rates(self.names, self.product)

    # Sums and products

    def sum(self, tree: Sum) -> Typed:
        """The meaning of a sum of products."""
        values = []
        for sign, term in reaching(self.table.page, tree, self.is_known).terms:
            value = summed(self.scope, self.product(term.items), self.around)
            values.append(value if sign > 0 else replace(value, node=negated(value.node)))
        return typed.added(values, self.sizes)

    def is_known(self, letter: str) -> bool:
        """Whether a letter has a meaning here: a sum around binds it, or the first member has it."""
        return self.scope.binds(letter) or letter in self.table.page.letters_of_first(self.table.at)

    def product(self, items: Sequence[Node]) -> Typed:
        """The meaning of a product: entrywise products bind last, sums and derivatives reach to its end."""
        if self.depth > DEPTH_LIMIT:
            raise NotUnderstoodError(f"formulas nested deeper than {DEPTH_LIMIT}")
        if not items:
            raise NotUnderstoodError("a factor is missing")
        inner = replace(self, depth=self.depth + 1)
        items = without_dots(self.table, items)
        for kind, join in (("COLON", typed.inner), ("ODOT", typed.entrywise)):
            place = next((n for n, item in enumerate(items) if isinstance(item, Atom) and item.kind == kind), None)
            if place is not None and not any(map(is_big, items[:place])):
                left, right = inner.product(items[:place]), inner.product(items[place + 1 :])
                return join(left, right, self.sizes)
        return inner.crossed(items)

    def crossed(self, items: Sequence[Node]) -> Typed:
        r"""Factors of which signs ``\otimes`` join those that stand side by side, as in ``I \otimes A B``."""
        places = [n for n, item in enumerate(items) if isinstance(item, Atom) and item.text == "otimes"]
        bounds = list(zip((-1, *places), (*places, len(items)), strict=True))
        if not places or all(end - start == 2 for start, end in bounds) or any(map(is_big, items)):
            return self.factors(items)
        if any(end - start < 2 for start, end in bounds):
            raise NotUnderstoodError("a factor is missing")
        try:
            first, *others = (self.factors(items[start + 1 : end]) for start, end in bounds)
        except (NotUnderstoodError, ShapeError):
            return self.factors(items)
        for sign, value in zip(places, others, strict=True):
            first = joined(self.table, first, items[sign], value)
        return first

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
            if is_point(sign) and self.is_along(items, position):
                following, position = self.beside(items, position + 1).unit(items, position + 1)
                value = along(self.table, value, following)
                continue
            end = self.divisor_end(items, position) if is_slash(sign) else position + 1
            if end - position > 1:
                following, position = self.factors(items[position:end]), end
            else:
                following, position = self.beside(items, position).unit(items, position)
            value = joined(self.table, value, sign, following)
        return value

    def divisor_end(self, items: Sequence[Node], position: int) -> int:
        r"""Where the divisor behind a slash ends: ``1/2\sigma^2`` may be one divided by all that follows."""
        end = reach(self.table.page, items, position)
        in_row = end - position > 1 and self.table.asking(DIVISOR).name == "row"
        return end if in_row else position + 1

    def beside(self, items: Sequence[Node], position: int) -> Reader:
        """The reader for one factor, which knows the letters of the others; one that reaches to the end takes them."""
        if isinstance(items[position], Atom) or len(items) == 1:
            return self
        end = position + 1 if is_big(items[position]) else len(items)
        others = (self.table.page.letters(item) for n, item in enumerate(items[:end]) if n != position)
        return replace(self, around=self.around.union(*others))

    def unit(self, items: Sequence[Node], position: int) -> tuple[Typed, int]:
        """The next factor, with what it takes to its right; and where the next one starts."""
        item, behind = items[position], items[position + 1 :]
        base = without_scripts(item)
        kind = base.kind if isinstance(base, Atom) else ""
        if kind == "SUM":
            return self.big_sum(item, behind), len(items)
        if (sign := sign_at(self.table, items, position)) is not None and not self.is_gradient_of_function(
            sign, behind
        ):
            return self.field(sign, items, position)
        if behind and (before := directed(item)) is not None:
            value, end = self.unit(items, position + 1)
            return along(self.table, self.factors(before), value), end
        if kind == "PARTIAL":
            return self.rates.inline(behind), position + 5
        if kind == "NABLA":
            return self.nabla(item, behind, position)
        if isinstance(base, Fraction) and (second := twice(base)) is not None:
            end = position + 1 if second.body else len(items)
            return self.rates.second(second, second.body or behind), end
        if isinstance(base, Fraction) and (wrt := awaited(base)) is not None:
            value = self.rates.waiting(wrt, behind)
            return (self.marked(value, item) if isinstance(item, Scripted) else value), len(items)
        if is_sign(self.table, items, position):
            value, end = self.unit(items, position + 1)
            return differential_of(self.table, value), end
        return self.call(items, position) or (self.factor(item), position + 1)

    def is_gradient_of_function(self, sign: Sign, behind: Sequence[Node]) -> bool:
        """Whether a nabla alone stands before a function that says what it is a function of."""
        known = self.rates.has_parameter(behind) or bool(self.rates.usual_names(behind))
        return sign.kind in ("gradient", "Laplacian") and known

    def is_along(self, items: Sequence[Node], position: int) -> bool:
        """Whether the nabla of a field stands here, before what is no other sign."""
        sign = sign_at(self.table, items, position)
        found = sign is not None and sign.kind == "gradient" and position + 1 < len(items)
        return found and not self.rates.has_parameter(items[position + 1 :])

    def field(self, sign: Sign, items: Sequence[Node], position: int) -> tuple[Typed, int]:
        """The derivative of the field behind a sign, and where the next factor starts."""
        position += sign.length
        if position == len(items):
            raise NotUnderstoodError("a sign of a derivative that stands alone")
        value, end = self.unit(items, position)
        if sign.kind == "partial":
            wrt = component(self.scope, script(sign.below), self.names.target)
            for _ in range(sign.times):
                value = partial(self.table, value, wrt)
            return value, end
        if sign.kind == "gradient" and isinstance(value.node, Entry) and value.axes and is_of_loss(self.table):
            return rate(self.table, self.rates.loss(value), value), end
        return applied(self.table, sign, value), end

    def nabla(self, sign: Node, behind: Sequence[Node], position: int) -> tuple[Typed, int]:
        r"""A gradient; what stands above the bracket of its function, ``\nabla f(x)^T``, belongs to it."""
        if isinstance(sign, Scripted) and sign.below and any(map(is_transpose, sign.above)):
            value, _ = self.rates.nabla(replace(sign, above=()), ())
            return self.scripted_value(value, replace(sign, below=())), position + 1
        scripts = behind[1] if len(behind) > 1 and isinstance(behind[1], Scripted) else None
        whole = scripts is not None and is_bracket(scripts.base) and not (isinstance(sign, Scripted) and sign.below)
        if scripts is None or not whole:
            value, count = self.rates.nabla(sign, behind)
            return value, position + 1 + count
        value, count = self.rates.nabla(sign, (behind[0], scripts.base, *behind[2:]))
        return (self.scripted_value(value, scripts) if count == 2 else value), position + 1 + count

    def big_sum(self, item: Node, behind: Sequence[Node]) -> Typed:
        """A sum over dummies that reaches to the end of its product."""
        if is_over_steps(self.table.page, item, behind):
            return self.over_steps(item, behind)
        binding = binding_of(self.scope, item, behind)
        scope = self.scope.within(binding.dummies, binding.firsts)
        return total(scope, binding, replace(self, names=replace(self.names, scope=scope)).product(behind))

    def over_steps(self, item: Node, behind: Sequence[Node]) -> Typed:
        """A sum or a product over steps, term by term; one of no terms is 0, or 1."""
        base = without_scripts(item)
        above = (token for tokens in item.above for token in tokens) if isinstance(item, Scripted) else ()
        if not self.table.inside and any(token.index for token in above):
            self.table.open.setdefault("steps", "no line says from which step to which its sum over steps runs")
        values = [self.product(items) for items in written_out(self.table.page, item, behind)]
        if isinstance(base, Atom) and base.text == "sum":
            return typed.added(values, self.sizes) if values else Typed(ZERO)
        if any(len(value.axes) > 1 for value in values[1:]) and not is_descending(item):
            backwards = self.table.asking(ORDER).name == "descending"
            values = values[::-1] if backwards else values
        elif is_descending(item):
            values.reverse()
        whole = Typed(ONE)
        for value in values:
            whole = joined(self.table, whole, item, value)
        return whole

    def call(self, items: Sequence[Node], position: int) -> tuple[Typed, int] | None:
        """A function and its argument; None if no function stands here."""
        if is_expectation(items, position):
            sign, body = items[position], items[position + 1]
            assert isinstance(sign, Atom)
            value = expectation(self.table, sign.text, self.sum(body_of(items, position)))
            return (self.scripted_value(value, body) if isinstance(body, Scripted) else value), position + 2
        found = self.table.page.survey.name(items[position])
        following = items[position + 1] if position + 1 < len(items) else None
        known = found is not None and found.name not in self.names.bound
        function = function_of(self.scope, found, following) if found is not None and known else None
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
            argument, end = self.argument(items, position + 1)
            arguments = [argument]
        if found.name in CIRCULAR and any(inverse_mark(tokens) == "-1" for tokens in found.powers):
            raise NotUnderstoodError(f"the inverse of {found.name}, or one divided by it")
        value = self.with_powers(function(arguments), found.powers)
        return (value if behind is None else self.scripted_value(value, behind)), end

    def argument(self, items: Sequence[Node], position: int) -> tuple[Typed, int]:
        """What a function without a bracket is applied to: one factor, or numbers and names in a row."""
        end = reach(self.table.page, items, position)
        if end - position > 1 and of_row(self.table, items[position]):
            return self.factors(items[position:end]), end
        return self.unit(items, position)

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
                return typed.raised(self.sum(body), HALF)
            case Scripted():
                return self.scripted(item)
            case Truth():
                return self.truth(item)
            case Cases():
                branches = [(self.sum(value), [self.truth(t).node for t in tests]) for value, tests in item.branches]
                return branched(branches, self.sizes)
            case Matrix():
                return array([[self.sum(cell) for cell in row] for row in item.rows], self.sizes)
        raise NotUnderstoodError("a factor that is not read")

    def atom(self, token: Token) -> Typed:
        """The meaning of one token."""
        if token.kind == "NUM" and len(token.text) < DEPTH_LIMIT:
            return Typed(Number(sp.Rational(token.text)))
        if token.kind == "ONE":
            axis = self.table.axis_of_ones()
            return Typed(Ones(axis), (axis,))
        if token.kind == "NUM":
            raise NotUnderstoodError(f"a number of more than {DEPTH_LIMIT} digits")
        raise NotUnderstoodError(f"the sign {token.text}")

    def group(self, item: Group) -> Typed:
        """What stands in brackets."""
        values = [self.sum(member) for member in item.members]
        if len(values) > 1 and item.bracket in ("(", "["):
            return listed(self.table, item.bracket, values)
        return bracketed(self.table, item.bracket, values)

    def fraction(self, item: Fraction) -> Typed:
        """A quotient, or a derivative written as one."""
        above, below = item.numerator.only, item.denominator.only
        if above is not None and below is not None and is_rate(above, below):
            return self.rates.first(above.items[1:], below.items[1:], above.items[0])
        if above is not None and below is not None and is_other_rate(above, below):
            raise NotUnderstoodError("a second derivative")
        return typed.divided(self.sum(item.numerator), self.sum(item.denominator), self.sizes)

    def truth(self, item: Truth) -> Typed:
        """An Iverson bracket: of two letters, or of two numbers of which one is larger."""
        left, right = self.scope.lone(item.left), self.scope.lone(item.right)
        if left is not None and right is not None:
            (self.sizes.equate if item.relation in ("=", "!=") else self.sizes.compare)(left, right)
            return Typed(between_letters(left, item.relation, right))
        if (condition := compared(self.scope, item.left, item.relation, item.right)) is not None:
            return Typed(condition)
        return between_numbers(self.sum(item.left), item.relation, self.sum(item.right), self.sizes)

    def named(self, found: Named) -> Typed:
        """The meaning of a name with its scripts."""
        if found.unreadable or found.primes:
            raise NotUnderstoodError(f"the marks on {found.name}")
        if found.dotted:
            read_dots(self.table)
        if found.name == "e" and found.powers and found.parts is None:
            argument = self.tokens(found.powers[0])
            return self.with_powers(applied_function(self.table, "exp", "exp", [argument]), found.powers[1:])
        if (target := short_target(self.table, found.name)) is not None:
            return self.varied(replace(found, name=target))
        value = self.names.value(found)
        if found.transposed and found.parts is None and not value.axes:
            raise RankError(f"the transpose of a number: {found.name}")
        if found.transposed:
            value = (
                typed.transpose(value)
                if value.axes or found.parts is None
                else self.names.value(replace(found, parts=tuple(reversed(found.parts or ()))))
            )
        return self.with_powers(value, found.powers)

    def varied(self, found: Named) -> Typed:
        """The differential of a name; of its inverse, if it bears the sign of one."""
        if any(inverse_mark(tokens) != "-1" for tokens in found.powers):
            raise NotUnderstoodError(f"a power behind {found.name}: of the differential, or in it?")
        return differential_of(self.table, self.named(found))

    # Scripts

    def scripted(self, item: Scripted) -> Typed:
        """Scripts on a bracket, a fraction or a number: entries, transposes, powers."""
        if isinstance(item.base, Group) and item.base.bracket == NORM and item.below:
            return self.with_powers(self.norm(self.sum(item.base.members[0]), item.below), item.above)
        if item.primes:
            raise NotUnderstoodError("a mark on an expression")
        if isinstance(item.base, Group) and item.base.bracket == ANGLE and is_usual_product(item.below):
            item = replace(item, below=())
        value = self.factor(item.base)
        if item.along:
            return self.marked(value, item)
        if wedges.is_cross(item.below) and isinstance(item.base, Group) and len(value.axes) == 1:
            value, item = wedges.skew(self.table, value), replace(item, below=())
        if [token.kind for token in item.below if token.kind not in ("{", "}")] == ["PLUS"]:
            value = replace(value, node=Applied("relu", value.node))
            item = replace(item, below=())
        found = subscript(item.below)
        if found.label or found.unreadable:
            raise NotUnderstoodError("a label on an expression")
        return self.scripted_value(value, item)

    def norm(self, value: Typed, below: Sequence[Token]) -> Typed:
        """A norm with a mark below it: the number of its kind, or a matrix that weighs it."""
        mark = [token for token in below if token.kind not in ("{", "}")]
        kind = "".join(token.text for token in mark)
        if kind in typed.NORMS or len(mark) != 1 or mark[0].kind != "NAME":
            return typed.norm(value, kind)
        matrix = self.tokens(below)
        return weighted_norm(self.table, value, matrix) if len(matrix.axes) == 2 else typed.norm(value, kind)

    def scripted_value(self, value: Typed, item: Scripted) -> Typed:
        """The entry, the transpose and the powers of a value that the scripts behind it say."""
        marks = [tokens for tokens in item.above if not is_transpose(tokens)]
        if len(marks) < len(item.above):
            inside = item.base.members if isinstance(item.base, Group) else ()
            lone = self.table.page.survey.lone(inside[0]) if len(inside) == 1 else None
            if lone is not None and lone.parts is None and not value.axes:  # R (t)^T: R as a function of t, it may be
                raise RankError(f"the transpose of a number: {lone.name}")
            value = typed.transpose(value)
        if item.below:
            value = typed.at(value, self.scope.places(subscript(item.below).parts), self.sizes)
        return self.with_powers(value, marks)

    def with_powers(self, value: Typed, above: Sequence[Sequence[Token]]) -> Typed:
        """The value raised to each power in turn."""
        for tokens in above:
            value = power(self.table, value, tokens, self.tokens)
        return value

    def tokens(self, tokens: Sequence[Token]) -> Typed:
        """The meaning of the tokens of a superscript."""
        return self.sum(script(tuple(tokens)))

    def marked(self, value: Typed, item: Scripted) -> Typed:
        """A derivative with the marks behind it: a bar alone."""
        if item.above or item.below or item.primes:
            raise NotUnderstoodError("a mark on a derivative")
        return barred(self.table, value, item.along, [self.at_bar(part) for part in names_at(item.along)])

    def at_bar(self, tokens: Sequence[Token]) -> Typed:
        """The tensor that the tokens at the foot of a bar name."""
        tree = script(tuple(tokens)).only
        if tree is None:
            raise NotUnderstoodError("a derivative along an expression")
        found = self.names.target(tree.items)
        if not isinstance(found.node, Entry):
            raise NotUnderstoodError("a bar with an entry at a computed place")
        return found


@lru_cache(SCRIPTS)
def script(tokens: tuple[Token, ...]) -> Sum:
    """The syntax tree of a script."""
    try:
        return parse(tokens)
    except IndexCalcError as error:
        raise NotUnderstoodError(str(error)) from None


def is_usual_product(below: Sequence[Token]) -> bool:
    r"""Whether a mark below an inner product names the usual one, ``\langle A, B \rangle_F``, or real numbers."""
    mark = [token for token in below if token.kind not in ("{", "}")]
    return bool(mark) and (mark[0].kind == "REALS" or "".join(token.text for token in mark) in ("2", "F"))


def is_slash(item: Node) -> bool:
    """Whether an item is a slash between factors."""
    return isinstance(item, Atom) and item.kind == "SLASH"


def is_big(item: Node) -> bool:
    """Whether a factor takes all that follows it: a sum, or a derivative that waits for its argument."""
    base = without_scripts(item)
    return is_sum(base) or (isinstance(base, Fraction) and waits(base))
