"""From the syntax of a formula to its meaning, with the document's symbols at hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from indexcalc.language.latex.tree import Atom, Fraction, Node, Scripted, Sum
from indexcalc.proof.document.meaning import typed
from indexcalc.proof.document.meaning.nodes import (
    Total,
    names_of,
    negated,
)
from indexcalc.proof.document.meaning.symbols import NotUnderstoodError
from indexcalc.proof.document.meaning.typed import Typed
from indexcalc.proof.document.reading.bars import barred
from indexcalc.proof.document.reading.binders import big_sum
from indexcalc.proof.document.reading.calls import called
from indexcalc.proof.document.reading.derivatives import derivative
from indexcalc.proof.document.reading.factors import factor
from indexcalc.proof.document.reading.nablas import nabla
from indexcalc.proof.document.reading.rates import inline_derivative, operator
from indexcalc.proof.document.reading.reductions import entry_by_entry
from indexcalc.proof.document.reading.scope import Scope
from indexcalc.proof.document.reading.variations import differential_of, is_sign
from indexcalc.proof.document.written.ellipses import DUMMY, Run, run_in
from indexcalc.proof.document.written.trees import is_differential

PRODUCT_DEPTH = 60
"""The deepest nesting of products, sums and derivatives."""

OPERATORS = ("TIMES", "SLASH", "DOT")
"""Tokens that stand between two factors."""


@dataclass
class Reader(Scope):
    """Reads the members of one chain."""

    def sum(self, tree: Sum) -> Typed:
        """The meaning of a sum of products."""
        run = run_in(tree)
        values = [] if run is None else [self.run(run)]
        for place, (sign, term) in enumerate(tree.terms):
            if run is not None and run.start <= place < run.end:
                continue
            value = self.product(term.items)
            values.append(value if sign > 0 else replace(value, node=negated(value.node)))
        return typed.added(values, self.sizes)

    def run(self, run: Run) -> Typed:
        """The meaning of a run of terms with an ellipsis: a sum over all entries."""
        index = self.sizes.fresh(DUMMY)
        self.sizes.unify(self.sizes.named(run.last), index)
        value = replace(self, dummies=(*self.dummies, {DUMMY: index})).product(run.term.items)
        node = Total((index,), value.node)
        return replace(value, node=node if run.sign > 0 else negated(node))

    def product(self, items: Sequence[Node]) -> Typed:
        """The meaning of a product: entrywise products bind last, sums and derivatives reach to its end."""
        if self.depth > PRODUCT_DEPTH:
            raise NotUnderstoodError(f"products nested deeper than {PRODUCT_DEPTH}")
        if not items:
            raise NotUnderstoodError("a factor is missing")
        inner = replace(self, depth=self.depth + 1)
        colons = [n for n, item in enumerate(items) if isinstance(item, Atom) and item.kind == "COLON"]
        if colons:
            left, right = inner.product(items[: colons[0]]), inner.product(items[colons[0] + 1 :])
            return typed.inner(left, right, self.sizes)
        split = entrywise_split(items)
        if split is not None:
            left, right = inner.product(items[:split]), inner.product(items[split + 1 :])
            return typed.entrywise(left, right, self.sizes)
        return inner.factors(items)

    def factors(self, items: Sequence[Node]) -> Typed:
        """Factors in a row, from the left; a slash divides by the one factor after it."""
        value, position = self.unit(items, 0) if not is_operator(items[0]) else (None, 0)
        if value is None:
            raise NotUnderstoodError("an operator where a factor must stand")
        while position < len(items):
            sign = items[position]
            if not is_operator(sign):
                following, position = self.unit(items, position)
                value = self.multiplied(value, following)
                continue
            if position + 1 == len(items):
                raise NotUnderstoodError("a factor is missing")
            if is_operator(items[position + 1]):
                raise NotUnderstoodError("an operator where a factor must stand")
            following, position = self.unit(items, position + 1)
            value = self.joined(value, sign, following)
        return value

    def joined(self, value: Typed, sign: Node, following: Typed) -> Typed:
        """Two factors with an operator between them; asterisks of arrays and crosses of vectors are entrywise."""
        if isinstance(sign, Atom) and sign.kind == "SLASH":
            return typed.divided(value, following, self.sizes)
        if isinstance(sign, Atom) and sign.text == "*" and value.axes and following.axes:
            return typed.entrywise(value, following, self.sizes)
        if isinstance(sign, Atom) and sign.text == "times" and is_dot(value, following):
            return typed.entrywise(value, following, self.sizes)
        if isinstance(sign, Atom) and sign.text == "otimes":
            return typed.outer(value, following, self.sizes)
        if isinstance(sign, Atom) and sign.text == "cdot" and is_dot(value, following):
            self.guesses.append("a dot between two vectors is their inner product")
            return typed.inner(value, following, self.sizes)
        return self.multiplied(value, following)

    def multiplied(self, left: Typed, right: Typed) -> Typed:
        """The product by juxtaposition; beside sums along axes, entry by entry where only that fits."""
        if self.codelike and entry_by_entry(left, right, self.sizes):
            return typed.entrywise(left, right, self.sizes)
        if of_one_vector(left, right):
            self.guesses.append("the product of two functions of one vector is entry by entry")
            return typed.entrywise(left, right, self.sizes)
        return typed.product(left, right, self.sizes)

    def unit(self, items: Sequence[Node], position: int) -> tuple[Typed, int]:
        """The next factor, with what it takes to its right; and where the next one starts."""
        item = items[position]
        base = item.base if isinstance(item, Scripted) else item
        kind = base.kind if isinstance(base, Atom) else ""
        if kind == "SUM":
            return big_sum(self, item, items[position + 1 :]), len(items)
        if kind == "PARTIAL":
            return inline_derivative(self, items, position)
        if kind == "NABLA":
            return nabla(self, items, position)
        if self.variation is not None and is_sign(item) and position + 1 < len(items):
            body, end = self.unit(items, position + 1)
            return differential_of(self, body), end
        if isinstance(base, Fraction) and (wrt := operator(self, base)) is not None:
            if position + 1 == len(items):
                raise NotUnderstoodError("a derivative of nothing")
            value = derivative(self, self.product(items[position + 1 :]), wrt)
            bar = item.along if isinstance(item, Scripted) else ()
            return barred(self, value, bar) if bar else value, len(items)
        found = called(self, items, position)
        if found is not None:
            return found
        return factor(self, item), position + 1


def entrywise_split(items: Sequence[Node]) -> int | None:
    """Where the first sign of an entrywise product stands, if no sum or derivative takes it in."""
    for position, item in enumerate(items):
        if is_big(item):
            return None
        if isinstance(item, Atom) and item.kind == "ODOT":
            return position
    return None


def is_dot(left: Typed, right: Typed) -> bool:
    """Whether two factors are vectors of one kind, of which no matrix product fits."""
    return len(left.axes) == len(right.axes) == 1 and left.orientation == right.orientation


def is_operator(item: Node) -> bool:
    """Whether an item stands between two factors."""
    return isinstance(item, Atom) and item.kind in OPERATORS


def is_big(item: Node) -> bool:
    """Whether a factor takes all that follows it: a sum, or a derivative waiting for its argument."""
    base = item.base if isinstance(item, Scripted) else item
    if isinstance(base, Atom):
        return base.kind == "SUM"
    if isinstance(base, Fraction):
        above = base.numerator.only
        return above is not None and len(above.items) == 1 and is_differential(above.items[0])
    return False


def of_one_vector(left: Typed, right: Typed) -> bool:
    """Whether two vectors that lie the same way are made of one vector, so that no product of theirs fits."""
    alike = len(left.axes) == len(right.axes) == 1 and left.orientation == right.orientation
    return alike and len(set(names_of(left.node))) == 1 and set(names_of(left.node)) == set(names_of(right.node))
