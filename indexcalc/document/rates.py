"""Derivatives as they are written: fractions with signs of a derivative above and below, such on a line, and nablas."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from indexcalc.document.choices import Kind, Option, choice
from indexcalc.document.derivatives import derivative, rate
from indexcalc.document.gradients import is_before_factors, loss_of_gradients
from indexcalc.document.meaning.nodes import Derivative, Entry, Meaning
from indexcalc.document.meaning.symbols import NotUnderstoodError
from indexcalc.document.meaning.typed import Typed
from indexcalc.document.names import Names
from indexcalc.document.statements.calls import is_call
from indexcalc.document.statements.trees import is_differential
from indexcalc.document.table import Table
from indexcalc.language.latex.grammar import parse
from indexcalc.language.latex.tree import Atom, Fraction, Group, Node, Product, Scripted, nodes_of
from indexcalc.language.latex.vocabulary import FUNCTIONS

Items = Sequence[Node]
"""Factors in a row."""


WITHOUT = "a nabla without what it is taken by, as in \\nabla_w L, or in L(w) where L is defined"


@dataclass(frozen=True)
class Rates:
    """Reads derivatives.

    Attributes:
        names: reads what they are taken by.
        product: reads what is differentiated.
    """

    names: Names
    product: Callable[[Items], Typed]

    def first(self, body: Items, wrt: Items, sign: Node | None = None) -> Typed:
        """The derivative of what stands above by what stands below, with a sign of a derivative before both."""
        straight = isinstance(sign, Atom) and sign.kind != "PARTIAL"
        return rate(self.names.table, self.differentiated(body), self.names.target(wrt), straight=straight)

    def second(self, found: Twice, body: Items) -> Typed:
        """A second derivative of a number; by two vectors a matrix."""
        if not body:
            raise NotUnderstoodError("a derivative of nothing")
        value, first = self.differentiated(body), self.names.target(found.first)
        other = self.names.target(found.second)
        if value.axes:
            raise NotUnderstoodError("a second derivative of an array")
        inner = derivative(self.names.table, value.node, entry_of(first))
        return Typed(again(self.names.table, inner, entry_of(other)), (*first.axes, *other.axes))

    def waiting(self, wrt: Items, behind: Items) -> Typed:
        """The derivative of what stands behind the fraction."""
        target = self.names.target(wrt)
        if not behind:
            raise NotUnderstoodError("a derivative of nothing")
        return rate(self.names.table, self.product(behind), target)

    def inline(self, behind: Items) -> Typed:
        r"""``\partial a/\partial b`` on a line, from what stands behind the first sign: three items and a target."""
        signs = [isinstance(node, Atom) and node.kind for node in behind[:4]]
        if len(signs) < 4 or signs[1] != "SLASH" or signs[2] != "PARTIAL":
            raise NotUnderstoodError("a sign of a derivative that stands alone")
        return self.first(behind[:1], behind[3:4])

    def nabla(self, sign: Node, behind: Items) -> tuple[Typed, int]:
        """The gradient of what stands behind a nabla, by what stands below it, or by what it is a function of.

        And how many items behind it that takes.
        """
        order = order_of(sign)
        if isinstance(sign, Scripted) and sign.below:
            only = parse(sign.below).only
            if only is None:
                raise NotUnderstoodError("a nabla by an expression")
            body = self.product(behind) if behind else None
            if body is None or (is_factor(body) and is_before_factors(self.names.table)):
                return self.gradient(self.loss(self.names.target(only.items)), only.items, order), 0
            return self.gradient(body, only.items, order), len(behind)
        if not behind:
            raise NotUnderstoodError("a nabla without what it is taken of")
        wrt, count = self.parameter(behind) if self.has_parameter(behind) else self.usual(behind)
        return self.gradient(self.product(behind[:count]), wrt, order), count

    def loss(self, wrt: Typed) -> Typed:
        r"""What is differentiated where only a variable is named, as in ``\nabla_W`` or ``\nabla W``."""
        if not isinstance(wrt.node, Entry):
            raise NotUnderstoodError("a nabla without what it is taken of")
        name = wrt.node.name
        return Typed(Entry(loss_of_gradients(self.names.table, f"nabla {name}", name)))

    def gradient(self, body: Typed, wrt: Items, order: int) -> Typed:
        """The gradient of a number, or its matrix of second derivatives."""
        value = rate(self.names.table, body, self.names.target(wrt))
        if order == 1:
            return value
        if body.axes:
            raise NotUnderstoodError("a second derivative of an array")
        other = self.names.target(wrt)
        return Typed(again(self.names.table, value.node, entry_of(other)), (*value.axes, *other.axes))

    def has_parameter(self, items: Items) -> bool:
        """Whether what stands behind a nabla says what it is a function of."""
        try:
            return bool(items) and bool(self.parameter(items)[0])
        except NotUnderstoodError:
            return False

    def usual(self, items: Items) -> tuple[Items, int]:
        """What other gradients of the page are taken by, where one does not say it, and how many items it takes.

        Raises:
            NotUnderstoodError: if there are none.
        """
        table, names = self.names.table, self.usual_names(items)
        if not names:
            raise NotUnderstoodError(WITHOUT)
        options = [
            Option(name, 0.1 * place, f"a gradient that does not say so is taken by {name}", free=True)
            for place, name in enumerate(names[:3])
        ]
        taken = table.asking(choice(Kind.DERIVATIVE, f"the gradients of statement {table.number}", *options)).name
        return (table.page.gradients[taken],), 2 if self.is_function(items) else 1

    def usual_names(self, items: Items) -> list[str]:
        """The names that other gradients of the page are taken by, as far as they are written in what stands here."""
        page = self.names.table.page
        first = page.survey.name(items[0]) if items else None
        bracket = bool(items) and isinstance(items[0], Group) and items[0].bracket == "("
        function = not bracket and first is not None and self.is_function(items)
        if not (bracket or function or (first is not None and is_call(first.name))):
            return []
        written = frozenset(text for item in items[: 1 + function] for text in written_in(item))
        return [name for name in page.gradients if name in written]

    def is_function(self, items: Items) -> bool:
        """Whether a function such as a logarithm stands here, before its argument."""
        first = self.names.table.page.survey.name(items[0])
        return first is not None and first.name in FUNCTIONS

    def parameter(self, items: Items) -> tuple[Items, int]:
        """What the function behind a nabla is a function of, and how many items it takes with its bracket."""
        page = self.names.table.page
        found = page.survey.name(items[0])
        numbers = page.functions.get(found.name, ()) if found is not None else ()
        following = items[1] if len(items) > 1 else None
        group = following if isinstance(following, Group) and following.bracket == "(" else None
        if group is not None and len(group.members) == 1 and group.members[0].only is not None:
            return group.members[0].only.items, 2
        if group is None and len(numbers) == 1:
            head = page.statements[numbers[0]].sides[0].tree
            assert head is not None
            assert head.only is not None
            return self.parameter(head.only.items)[0], 1
        raise NotUnderstoodError(WITHOUT)

    def differentiated(self, items: Items) -> Typed:
        """What is differentiated; a lone name without a definition is a loss, though a size may have its letter."""
        table = self.names.table
        found = table.page.survey.name(items[0]) if len(items) == 1 else None
        if found is not None and found.parts is None and not found.powers and table.view.is_size(found.name):
            table.known.setdefault(found.name, ())
            return Typed(Entry(found.name))
        return self.product(items)


def written_in(item: Node) -> Iterator[str]:
    """The names in a factor, those in values that are read as one name too."""
    pending = [node.token for node in nodes_of(item) if isinstance(node, Atom)]
    while pending:
        token = pending.pop()
        pending.extend(token.inside.tokens if token.inside is not None else ())
        yield token.text


def again(table: Table, slope: Meaning, wrt: Entry) -> Meaning:
    """The derivative of a derivative; of one that holds other names it is not known what it holds.

    Raises:
        NotUnderstoodError: for such a one.
    """
    if isinstance(slope, Derivative) and slope.local:
        raise NotUnderstoodError("a second derivative that holds other names")
    return derivative(table, slope, wrt)


def is_factor(value: Typed) -> bool:
    """Whether what stands behind the gradient of the loss may multiply it: an array or an entry of one is no loss."""
    return bool(value.axes) or (isinstance(value.node, Entry) and bool(value.node.slots))


def entry_of(value: Typed) -> Entry:
    """The entry by which a second derivative is taken.

    Raises:
        NotUnderstoodError: for an entry at a place that is computed.
    """
    if not isinstance(value.node, Entry):
        raise NotUnderstoodError("a second derivative by an entry at a computed place")
    return value.node


def order_of(sign: Node) -> int:
    """How often a nabla differentiates."""
    above = [token.text for tokens in sign.above for token in tokens] if isinstance(sign, Scripted) else []
    if above not in ([], ["2"]):
        raise NotUnderstoodError("a nabla with this mark")
    return 2 if above else 1


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


def waits(item: Fraction) -> bool:
    """Whether nothing but the sign of a derivative stands above: it takes all that follows."""
    above = item.numerator.lone
    return above is not None and is_differential(above)


def awaited(item: Fraction) -> Items | None:
    """What a derivative is taken by that waits for what stands behind it; None for other fractions."""
    below = item.denominator.only
    if below is None or not waits(item):
        return None
    return below.items[1:] if len(below.items) > 1 and is_differential(below.items[0]) else None


@dataclass(frozen=True, slots=True)
class Twice:
    """A second derivative: of what, if that stands in the fraction, and by what first and second."""

    body: tuple[Node, ...]
    first: tuple[Node, ...]
    second: tuple[Node, ...]


def twice(item: Fraction) -> Twice | None:
    r"""The second derivative that a fraction is, as ``\frac{d^2 f}{dx^2}`` or ``\frac{d^2 f}{dx dy}``, or None."""
    above, below = item.numerator.only, item.denominator.only
    if above is None or below is None or not is_doubled(above.items[0]):
        return None
    signs = [place for place, node in enumerate(below.items) if is_differential(node)]
    if signs == [0] and len(below.items) == 2:
        target = without_square(below.items[1])
        return Twice(above.items[1:], (target,), (target,)) if target is not None else None
    if signs == [0, 2] and len(below.items) == 4:
        return Twice(above.items[1:], below.items[1:2], below.items[3:4])
    return None


def is_doubled(node: Node) -> bool:
    """Whether a node is the sign of a second derivative."""
    return isinstance(node, Scripted) and is_differential(node.base) and is_square(node.above)


def without_square(node: Node) -> Node | None:
    """What bears a square, without it; None if it bears none."""
    if not isinstance(node, Scripted) or not is_square(node.above[-1:]):
        return None
    rest = replace(node, above=node.above[:-1])
    return rest if rest.below or rest.above or rest.primes else rest.base


def is_square(above: Sequence[Sequence[object]]) -> bool:
    """Whether superscripts are one square."""
    return len(above) == 1 and [getattr(token, "text", "") for token in above[0]] == ["2"]
