"""From the syntax of a formula to its meaning, with the document's symbols at hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import sympy as sp

from indexcalc.errors import IndexCalcError
from indexcalc.language.latex.grammar import parse
from indexcalc.language.latex.tokens import Token
from indexcalc.language.latex.tree import Atom, Environment, Fraction, Group, Node, Product, Root, Scripted, Sum, Truth
from indexcalc.language.latex.vocabulary import FUNCTIONS
from indexcalc.proof.document import typed
from indexcalc.proof.document.nodes import (
    ONE,
    ZERO,
    Applied,
    Derivative,
    Entry,
    Meaning,
    Number,
    Ones,
    Relation,
    Size,
    Total,
    free,
    names_of,
    negated,
    occurrences,
    over,
    renamed,
    times,
)
from indexcalc.proof.document.scripts import COLON, Named, is_label, is_transpose, subscript
from indexcalc.proof.document.sizes import Ix, Sizes
from indexcalc.proof.document.survey import Survey, is_differential
from indexcalc.proof.document.symbols import NotUnderstoodError, Symbols
from indexcalc.proof.document.typed import Typed

UNKNOWN_FUNCTIONS = frozenset({"f", "g", "h", "phi", "psi", "F", "ell"})
"""Names that stand for a function where a bracket follows and nothing else is known."""

PRODUCT_DEPTH = 60
"""The deepest nesting of products, sums and derivatives."""

RELATIONS = {"!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}


@dataclass
class Reader:
    """Reads the members of one chain; letters live as long as the reader.

    Attributes:
        symbols: the document's symbols.
        survey: how names are used.
        sizes: the sizes, a copy where a claim is read.
        letters: the free index letters of the chain.
        local: whether derivatives of tensors by tensors are local.
        dummies: letters that a sum binds here.
        notes: what had to be assumed.
        depth: how many products this one stands in.
        guesses: readings that may prove a claim, but never refute one.
    """

    symbols: Symbols
    survey: Survey
    sizes: Sizes
    letters: dict[str, Ix] = field(default_factory=dict)
    local: bool = False
    dummies: tuple[dict[str, Ix], ...] = ()
    arguments: dict[str, Typed] = field(default_factory=dict)
    scalars_only: bool = False
    notes: list[str] = field(default_factory=list)
    guesses: list[str] = field(default_factory=list)
    depth: int = 0

    # sums and products -----------------------------------------------------------------------------------------

    def sum(self, tree: Sum) -> Typed:
        """The meaning of a sum of products."""
        values = []
        for sign, term in tree.terms:
            value = self.product(term.items)
            values.append(value if sign > 0 else replace(value, node=negated(value.node)))
        return typed.added(values, self.sizes)

    def product(self, items: Sequence[Node]) -> Typed:
        """The meaning of a product: entrywise products bind last, sums and derivatives reach to its end."""
        if self.depth > PRODUCT_DEPTH:
            raise NotUnderstoodError(f"products nested deeper than {PRODUCT_DEPTH}")
        self = replace(self, depth=self.depth + 1)  # noqa: PLW0642
        for position, item in enumerate(items):
            if is_big(item):
                break
            if isinstance(item, Atom) and item.kind == "ODOT":
                return typed.entrywise(self.product(items[:position]), self.product(items[position + 1 :]), self.sizes)
        if not items:
            raise NotUnderstoodError("a factor is missing")
        value: Typed | None = None
        divide = False
        position = 0
        while position < len(items):
            item = items[position]
            if isinstance(item, Atom) and item.kind in ("TIMES", "SLASH", "DOT"):
                if divide or (value is None):
                    raise NotUnderstoodError("an operator where a factor must stand")
                divide = item.kind == "SLASH"
                position += 1
                if position == len(items):
                    raise NotUnderstoodError("a factor is missing")
                if not divide and item.text == "*" and value.axes:
                    following, position = self.unit(items, position)
                    if following.axes:
                        value = typed.entrywise(value, following, self.sizes)
                        continue
                    value = typed.product(value, following, self.sizes)
                continue
            factor, position = self.unit(items, position)
            if value is None:
                value = factor
            elif divide:
                value, divide = typed.divided(value, factor, self.sizes), False
            else:
                value = typed.product(value, factor, self.sizes)
        assert value is not None
        return value

    def unit(self, items: Sequence[Node], position: int) -> tuple[Typed, int]:
        """The next factor, with what it takes to its right; and where the next one starts."""
        item = items[position]
        base = item.base if isinstance(item, Scripted) else item
        if isinstance(base, Atom) and base.kind == "SUM":
            return self.big_sum(item, items[position + 1 :]), len(items)
        if isinstance(base, Atom) and base.kind == "PARTIAL":
            return self.inline_derivative(items, position)
        if isinstance(base, Atom) and base.kind == "NABLA":
            return self.gradient(item, items, position + 1)
        if isinstance(item, Fraction) and (operator := self.operator(item)) is not None:
            wrt = operator
            if position + 1 == len(items):
                raise NotUnderstoodError("a derivative of nothing")
            return self.derivative(self.product(items[position + 1 :]), wrt), len(items)
        called = self.call(items, position)
        if called is not None:
            return called
        if position + 1 < len(items) and isinstance(items[position + 1], (Group, Scripted)):
            bracket = self.bracket_index(item, items[position + 1])
            if bracket is not None:
                return bracket, position + 2
        return self.factor(item), position + 1

    # factors ---------------------------------------------------------------------------------------------------

    def factor(self, item: Node) -> Typed:
        """The meaning of one factor."""
        found = self.survey.name(item)
        if found is not None:
            return self.name(found)
        match item:
            case Atom(token):
                return self.atom(token)
            case Group(bracket, members):
                if len(members) != 1:
                    raise NotUnderstoodError("a list in brackets")
                inner = self.sum(members[0])
                return replace(inner, node=Applied("abs", inner.node)) if bracket == "|" else inner
            case Fraction():
                return self.fraction(item)
            case Root(body):
                return typed.raised(self.sum(body), Number(sp.Rational(1, 2)))
            case Scripted():
                return self.scripted(item)
            case Truth():
                return self.truth(item)
            case Environment(name):
                raise NotUnderstoodError(f"a {name} written out is not read")
        raise NotUnderstoodError("a factor that is not read")

    def truth(self, item: Truth) -> Typed:
        """An Iverson bracket of two index letters."""
        letters = []
        for side in (item.left, item.right):
            only = side.only.items[0] if side.only is not None and len(side.only.items) == 1 else None
            found = self.survey.name(only) if only is not None else None
            if found is None or found.parts is not None or len(found.name) != 1:
                raise NotUnderstoodError("a bracket with a relation that is not between two indices")
            letters.append(self.letter(found.name))
        left, right = letters
        self.sizes.unify(left, right)
        relation = {"=": "==", **RELATIONS}.get(item.relation)
        if relation is None:
            raise NotUnderstoodError(f"the relation {item.relation} in a bracket")
        if left == right:
            return Typed(ONE if relation in ("==", "<=", ">=") else ZERO)
        return Typed(Relation(*oriented(left, relation, right)))

    def atom(self, token: Token) -> Typed:
        """The meaning of one token."""
        if token.kind == "NUM":
            return Typed(Number(sp.Rational(token.text)))
        reasons = {"DOTS": "an ellipsis", "TEXT": f"the words “{token.text}”", "REALS": "a set", "COLON": "a colon"}
        raise NotUnderstoodError(reasons.get(token.kind, f"“{token.text}” is not read"))

    def scripted(self, item: Scripted) -> Typed:
        """Scripts on a bracket, a fraction or a number: entries, transposes, powers."""
        value = self.factor(item.base)
        if item.along:
            return self.part_along(value, item.along)
        powers = []
        for tokens in item.above:
            if is_transpose(tokens):
                value = typed.transpose(value)
            else:
                powers.append(tokens)
        if item.below:
            value = self.entries(value, item.below)
        for tokens in powers:
            value = self.power(value, tokens)
        if item.primes:
            raise NotUnderstoodError("a prime on an expression")
        return value

    def part_along(self, value: Typed, tokens: Sequence[Token]) -> Typed:
        """The part of a gradient that passes through one tensor: the chain rule over that tensor's entries."""
        node = value.node
        if not isinstance(node, Derivative) or not isinstance(node.body, Entry) or node.body.slots:
            raise NotUnderstoodError("a bar after what is no gradient")
        through = self.inner_names(tokens)
        if not isinstance(through.node, Entry):
            raise NotUnderstoodError("a derivative along an expression")
        self.grounded(through.node.name)
        if through.node.name == node.body.name:
            return replace(value, node=Derivative(node.body, node.wrt, True))
        up = Derivative(node.body, through.node)
        down = Derivative(through.node, node.wrt, self.local)
        return replace(value, node=Total(through.axes, times(up, down)) if through.axes else times(up, down))

    def inner_names(self, tokens: Sequence[Token]) -> Typed:
        """The tensor that a subscript names."""
        try:
            tree = parse(tokens).only
        except IndexCalcError as error:
            raise NotUnderstoodError(str(error)) from None
        if tree is None:
            raise NotUnderstoodError("a derivative along an expression")
        return self.target(tree.items)

    def entries(self, value: Typed, tokens: Sequence[Token]) -> Typed:
        """The entries of an expression in brackets."""
        found = self.index_parts(tokens)
        return typed.at(value, tuple(self.place(part) for part in found), self.sizes)

    def index_parts(self, tokens: Sequence[Token]) -> tuple[str, ...]:
        """The parts of a subscript that must be an index."""
        found = subscript(tokens)
        if found.label or found.unreadable:
            raise NotUnderstoodError(f"the subscript {found.label or '?'} on an expression")
        return found.parts

    def place(self, part: str) -> Ix | None:
        """The index variable of one part of a subscript; None for a whole axis."""
        if part == COLON:
            return None
        if part.isdigit():
            raise NotUnderstoodError("a numbered entry")
        return self.letter(part)

    def letter(self, name: str) -> Ix:
        """The index variable of a letter: the innermost dummy, else a free letter of the chain."""
        for scope in reversed(self.dummies):
            if name in scope:
                return scope[name]
        if name not in self.letters:
            self.letters[name] = self.sizes.fresh(name)
        return self.letters[name]

    def name(self, found: Named) -> Typed:
        """The meaning of a name with its scripts."""
        if found.unreadable:
            raise NotUnderstoodError(f"the subscript of {found.name}")
        if found.primes:
            raise NotUnderstoodError(f"the prime on {found.name}")
        if found.name == "e" and found.powers and found.parts is None:
            argument = self.inner(found.powers[0])
            return replace(argument, node=Applied("exp", argument.node))
        value = self.base(found)
        if found.transposed:
            if found.parts is not None and len(found.parts) == 2:
                value = self.base(replace(found, parts=(found.parts[1], found.parts[0])))
            elif value.axes:
                value = typed.transpose(value)
            elif found.parts is None and "T" in self.symbols.slots:
                value = typed.raised(value, Entry("T"))
        for tokens in found.powers:
            value = self.power(value, tokens)
        return value

    def base(self, found: Named) -> Typed:
        """The meaning of a name and its index."""
        name, parts = found.name, found.parts
        if parts is None and name in self.arguments:
            return self.arguments[name]
        if name == "1":
            return self.ones(parts)
        if name == "delta" and parts is not None and len(parts) == 2 and "delta" not in self.symbols.slots:
            left, right = self.place(parts[0]), self.place(parts[1])
            if left is None or right is None:
                raise NotUnderstoodError("a slice of a delta")
            self.sizes.unify(left, right)
            return Typed(Relation(left, "==", right) if left != right else ONE)
        if name == "I" and parts is None and "I" not in self.symbols.slots:
            left, right = self.sizes.fresh(), self.sizes.fresh()
            self.sizes.unify(left, right)
            return Typed(Relation(left, "==", right), (left, right))
        if parts is None and self.scalars_only and f"{name} as scalar" in self.symbols.slots:
            return Typed(Entry(f"{name} as scalar"))
        resolved = self.symbols.resolve(name)
        if resolved in self.symbols.adjoints:
            target = self.symbols.adjoints[resolved]
            whole = self.derivative(Typed(Entry(self.loss())), self.tensor(target, None))
            return whole if parts is None else typed.at(whole, tuple(self.place(part) for part in parts), self.sizes)
        return self.tensor(resolved, parts)

    def tensor(self, name: str, parts: tuple[str, ...] | None) -> Typed:
        """A tensor, whole or at an index."""
        if parts is None and self.scalars_only and f"{name} as scalar" in self.symbols.slots:
            return Typed(Entry(f"{name} as scalar"))
        if parts is None and name in self.sizes.owners and name not in self.symbols.definitions:
            return Typed(Size(self.sizes.owners[name]))
        slots = self.symbols.slots.get(name)
        if slots is None:
            if name == "pi":
                return Typed(Number(sp.pi))
            raise NotUnderstoodError(f"{name} is not known")
        if parts is None:
            own = tuple(self.sizes.fresh() for _ in slots)
        elif 0 < len(parts) < len(slots) and COLON not in parts:
            self.guesses.append(f"{name} with {len(parts)} of its {len(slots)} slots is read as a slice")
            parts = (*parts, *(COLON,) * (len(slots) - len(parts)))
            own = tuple(self.place(part) or self.sizes.fresh(COLON) for part in parts)
        elif len(parts) != len(slots):
            raise NotUnderstoodError(f"{name} has {len(slots)} slots elsewhere, but {len(parts)} here")
        else:
            own = tuple(self.place(part) or self.sizes.fresh(COLON) for part in parts)
        for index, slot in zip(own, slots, strict=True):
            self.sizes.unify(index, slot)
        whole = parts is None
        axes = tuple(index for n, index in enumerate(own) if whole or (parts is not None and parts[n] == COLON))
        return Typed(Entry(name, own), axes)

    def ones(self, parts: tuple[str, ...] | None) -> Typed:
        """A tensor of ones."""
        if parts is None:
            axis = self.sizes.fresh()
            return Typed(Ones(axis), (axis,))
        indices = [self.place(part) for part in parts]
        return Typed(times(*(Ones(index) for index in indices if index is not None)))

    def loss(self) -> str:
        """The loss whose gradients bear short names."""
        if len(self.symbols.losses) != 1:
            raise NotUnderstoodError("the loss is not clear")
        (name,) = self.symbols.losses
        return name

    def power(self, value: Typed, tokens: Sequence[Token]) -> Typed:
        """A power; of a matrix by a whole number, a product with itself."""
        if tokens and tokens[0].kind == "ODOT":
            return typed.raised(value, self.inner(tokens[1:]).node)
        exponent = self.inner(tokens)
        if exponent.axes:
            raise NotUnderstoodError("an exponent that is an array")
        if len(value.axes) == 2:
            if exponent.node == Number(sp.Integer(2)):
                return typed.product(value, self.again(value), self.sizes)
            raise NotUnderstoodError("a power of a matrix")
        return typed.raised(value, exponent.node)

    def again(self, value: Typed) -> Typed:
        """The same expression over axes of its own."""
        axes = tuple(self.sizes.fresh() for _ in value.axes)
        for own, axis in zip(axes, value.axes, strict=True):
            self.sizes.unify(own, axis)
        return replace(value, node=renamed(value.node, dict(zip(value.axes, axes, strict=True))), axes=axes)

    def inner(self, tokens: Sequence[Token]) -> Typed:
        """The meaning of the tokens of a superscript."""
        if is_label(tokens):
            raise NotUnderstoodError("a label where a power is expected")
        try:
            tree = parse(tokens)
        except IndexCalcError as error:
            raise NotUnderstoodError(str(error)) from None
        return self.sum(tree)

    # brackets, calls, sums -------------------------------------------------------------------------------------

    def bracket_index(self, item: Node, following: Node) -> Typed | None:
        """``A[i,j]``: a name followed by letters in square brackets."""
        if isinstance(following, Scripted) or not isinstance(following, Group) or following.bracket != "[":
            return None
        found = self.survey.name(item)
        if found is None or found.parts is not None or found.powers or found.transposed:
            return None
        parts = []
        for member in following.members:
            product = member.only
            only = product.items[0] if product is not None and len(product.items) == 1 else None
            if not isinstance(only, Atom) or only.kind not in ("NAME", "COLON") or len(only.text) > 1:
                return None
            parts.append(only.text)
        resolved = self.symbols.resolve(found.name)
        if resolved in self.symbols.adjoints:
            return self.base(replace(found, parts=tuple(parts)))
        slots = self.symbols.slots.get(resolved, ())
        if len(parts) != len(slots) or not all(part == COLON or part.islower() for part in parts):
            return None
        return self.tensor(self.symbols.resolve(found.name), tuple(parts))

    def call(self, items: Sequence[Node], position: int) -> tuple[Typed, int] | None:
        """A function and its argument."""
        item = items[position]
        found = self.survey.name(item)
        if found is None or found.parts is not None:
            return None
        name = found.name
        following = items[position + 1] if position + 1 < len(items) else None
        bracketed = isinstance(following, Group) and following.bracket in ("(", "[", "{")
        word = self.symbols.words.get(name, name)
        known = FUNCTIONS.get(word)
        if (
            known is None
            and word == "sigma"
            and bracketed
            and "sigma" not in self.symbols.slots
            and name not in self.symbols.functions
        ):
            known = "sigma"
        structural = word in ("softmax", "Softmax", "rowsoftmax", "smx", "tr", "Tr", "trace", "diag", "Diag", "max")
        defined = name in self.symbols.functions and bracketed
        usage = self.survey.usages.get(name)
        only_called = usage is not None and usage.bare == usage.called
        if bracketed and name in UNKNOWN_FUNCTIONS and not defined and only_called:
            raise NotUnderstoodError(f"the function {name} is not defined")
        if known is None and not structural and not defined:
            return None
        if following is None:
            raise NotUnderstoodError(f"{name} of nothing")
        if found.primes:
            raise NotUnderstoodError(f"the derivative {name}'")
        above = found.powers
        if bracketed:
            assert isinstance(following, Group)
            arguments = [self.sum(member) for member in following.members]
            position += 2
        else:
            argument, position = self.unit(items, position + 1)
            arguments = [argument]
        if name in self.symbols.functions and defined:
            result = self.apply_own(name, arguments)
        else:
            result = self.apply(known or word, arguments)
        for tokens in above:
            result = self.power(result, tokens)
        return result, position

    def apply(self, name: str, arguments: list[Typed]) -> Typed:
        """A known function of its arguments."""
        if name == "max":
            return self.maximum(arguments)
        if len(arguments) != 1:
            raise NotUnderstoodError(f"{name} of {len(arguments)} arguments")
        (argument,) = arguments
        if name in ("softmax", "Softmax", "rowsoftmax", "smx"):
            if not argument.axes and isinstance(argument.node, Entry) and argument.node.slots:
                return self.softmax_entry(argument.node)
            return typed.softmax(argument, self.sizes)
        if name in ("tr", "Tr", "trace"):
            return typed.trace(argument, self.sizes)
        if name in ("diag", "Diag"):
            return typed.diagonal(argument, self.sizes)
        if name == "sigma":
            if argument.axes and not self.scalar_like():
                raise NotUnderstoodError("the function sigma is not defined: a sigmoid, or a softmax?")
            self.notes.append("sigma is read as the logistic function")
            name = "sigmoid"
        return replace(argument, node=Applied(name, argument.node))

    def softmax_entry(self, entry: Entry) -> Typed:
        """``softmax(x_ij)``: the entry of the softmax of the row that holds it."""
        dummy = self.sizes.fresh("")
        self.sizes.unify(dummy, entry.slots[-1])
        row = Entry(entry.name, (*entry.slots[:-1], dummy))
        return Typed(times(Applied("exp", entry), over(Total((dummy,), Applied("exp", row)))))

    def scalar_like(self) -> bool:
        """Whether sigma is applied to scalars elsewhere, so that it is no softmax."""
        return "sigma is scalar" in self.symbols.assumed

    def maximum(self, arguments: list[Typed]) -> Typed:
        """``max(x, 0)`` is the rectifier."""
        rest = [argument for argument in arguments if argument.node != Number(sp.S.Zero)]
        if len(arguments) == 2 and len(rest) == 1:
            return replace(rest[0], node=Applied("relu", rest[0].node))
        raise NotUnderstoodError("a maximum of these arguments")

    def apply_own(self, name: str, arguments: list[Typed]) -> Typed:
        """A function that the document defines."""
        function = self.symbols.functions[name]
        if len(arguments) != 1:
            raise NotUnderstoodError(f"{name} of {len(arguments)} arguments")
        if function.parameter in self.arguments:
            raise NotUnderstoodError(f"{name} of itself")
        inner = replace(self, arguments={**self.arguments, function.parameter: arguments[0]})
        return inner.sum(function.body)

    def big_sum(self, item: Node, rest: Sequence[Node]) -> Typed:
        """A sum over dummies that reaches to the end of its product."""
        atom = item.base if isinstance(item, Scripted) else item
        assert isinstance(atom, Atom)
        if atom.text != "sum":
            raise NotUnderstoodError(f"{atom.text} is not read")
        if not rest:
            raise NotUnderstoodError("a sum of nothing")
        below = item.below if isinstance(item, Scripted) else ()
        if not below:
            return self.sum_without_index(rest)
        names, conditions, start = binder(below)
        scope = {name: self.sizes.fresh(name) for name in names}
        bound = tuple(scope.values())
        inner = replace(self, dummies=(*self.dummies, scope))
        if isinstance(item, Scripted) and item.above:
            self.limit(bound, item.above[-1], start)
        body = inner.product(rest)
        for left, relation, right in conditions:
            a, b = inner.letter(left), inner.letter(right)
            self.sizes.unify(a, b)
            body = replace(body, node=times(body.node, Relation(*oriented(a, relation, b))))
        missing = [index for index in bound if index not in free(body.node)]
        if missing:
            self.notes.append(f"the sum over {missing[0].name} binds nothing")
        return replace(body, node=Total(bound, body.node))

    def sum_without_index(self, rest: Sequence[Node]) -> Typed:
        """A sum without an index binds the one repeated index that nothing else binds."""
        body = self.product(rest)
        seen = [index for index in free(body.node) if index in self.letters.values()]
        repeated = [index for index in seen if list(occurrences(body.node)).count(index) > 1]
        if len(repeated) != 1 and len(seen) != 1:
            raise NotUnderstoodError("a sum without an index")
        index = (repeated or seen)[0]
        raise NotUnderstoodError(f"a sum without an index (over {index.name}?)")

    def limit(self, bound: tuple[Ix, ...], tokens: Sequence[Token], start: str) -> None:
        """The upper limit of a sum names the size of its index; it runs over the whole slot, from 0 or 1."""
        texts = [token.text for token in tokens]
        if len(bound) != 1 or not tokens or tokens[0].kind != "NAME":
            if tokens and tokens[0].kind == "NUM":
                raise NotUnderstoodError("a sum with numbers for limits")
            return
        name = "".join(texts[:-2]) if texts[-2:] == ["-", "1"] else "".join(texts)
        del start
        if not name.replace("_", "").isalnum():
            raise NotUnderstoodError(f"a sum up to {name}")
        self.sizes.unify(self.sizes.named(name), bound[0])

    # derivatives -----------------------------------------------------------------------------------------------

    def fraction(self, item: Fraction) -> Typed:
        """A quotient, or a derivative written as one."""
        above, below = item.numerator.only, item.denominator.only
        if above is not None and below is not None and is_rate(above, below):
            return self.derivative(self.product(above.items[1:]), self.target(below.items[1:]))
        if above is not None and is_second(above.items[0]):
            raise NotUnderstoodError("a second derivative")
        return typed.divided(self.sum(item.numerator), self.sum(item.denominator), self.sizes)

    def operator(self, item: Fraction) -> Typed | None:
        """The target of a derivative operator that waits for its argument."""
        above, below = item.numerator.only, item.denominator.only
        if above is None or below is None or len(above.items) != 1 or not is_differential(above.items[0]):
            return None
        if len(below.items) < 2 or not is_differential(below.items[0]):
            return None
        return self.target(below.items[1:])

    def target(self, items: Sequence[Node]) -> Typed:
        """What a derivative is taken by: one tensor, whole or at an index."""
        if len(items) == 2 and isinstance(items[1], Group) and items[1].bracket == "[":
            value = self.bracket_index(items[0], items[1])
            if value is not None:
                return value
        while len(items) == 1 and isinstance(items[0], Group) and items[0].bracket == "{" and items[0].members:
            only = items[0].members[0].only
            if only is None:
                break
            items = only.items
        if len(items) != 1 or (found := self.survey.name(items[0])) is None or (found.powers):
            raise NotUnderstoodError("a derivative by an expression")
        value = self.name(found)
        if not isinstance(value.node, Entry):
            raise NotUnderstoodError(f"a derivative by {found.name}")
        return value

    def derivative(self, body: Typed, wrt: Typed) -> Typed:
        """The derivative of an expression by a tensor."""
        assert isinstance(wrt.node, Entry)
        if (
            isinstance(body.node, Entry)
            and not body.axes
            and not body.node.slots
            and self.symbols.is_loss(body.node.name)
        ):
            return Typed(Derivative(body.node, wrt.node), wrt.axes)
        if isinstance(body.node, Entry) and body.node.name != wrt.node.name:
            self.grounded(body.node.name)
        node = body.node
        return Typed(
            Derivative(node, wrt.node, self.local and self.may_be_local(body.node, wrt.node)),
            (*body.axes, *wrt.axes),
            jacobian=bool(body.axes) and bool(wrt.axes),
        )

    def may_be_local(self, body: Meaning, wrt: Entry) -> bool:
        """Whether other tensors may be held: only where the definition itself names the target."""
        if not isinstance(body, Entry) or body.name == wrt.name:
            return True
        definition = self.symbols.definitions.get(body.name)
        return definition is not None and wrt.name in names_of(definition.body)

    def grounded(self, name: str) -> None:
        """Reject the derivative of a tensor of which nothing is known."""
        if name not in self.symbols.definitions:
            raise NotUnderstoodError(f"{name} is differentiated, but never defined")

    def inline_derivative(self, items: Sequence[Node], position: int) -> tuple[Typed, int]:
        """``∂y/∂x`` written in a line."""
        slash = next((n for n in range(position, len(items)) if is_slash(items[n])), None)
        if slash is None or slash + 2 >= len(items) or not is_differential(items[slash + 1]) or slash == position + 1:
            raise NotUnderstoodError("a stray sign of a derivative")
        body = self.product(items[position + 1 : slash])
        end = slash + 3
        following = items[end] if end < len(items) else None
        if isinstance(following, Group) and following.bracket == "[":
            end += 1
        return self.derivative(body, self.target(items[slash + 2 : end])), end

    def gradient(self, item: Node, items: Sequence[Node], position: int) -> tuple[Typed, int]:
        """``∇_X L``."""
        if not isinstance(item, Scripted) or item.above or position >= len(items):
            raise NotUnderstoodError("a gradient by something that is not named")
        try:
            tree = parse(item.below)
        except IndexCalcError as error:
            raise NotUnderstoodError(str(error)) from None
        product = tree.only
        if product is None:
            raise NotUnderstoodError("a gradient by an expression")
        wrt = self.target(product.items)
        body, position = self.unit(items, position)
        return self.derivative(body, wrt), position


def is_big(item: Node) -> bool:
    """Whether a factor takes all that follows it: a sum, or a derivative waiting for its argument."""
    base = item.base if isinstance(item, Scripted) else item
    if isinstance(base, Atom):
        return base.kind == "SUM"
    if isinstance(base, Fraction):
        above = base.numerator.only
        return above is not None and len(above.items) == 1 and is_differential(above.items[0])
    return False


def is_rate(above: Product, below: Product) -> bool:
    """Whether numerator and denominator are differentials."""
    longer = len(above.items) > 1 and len(below.items) > 1
    return longer and is_differential(above.items[0]) and is_differential(below.items[0])


def is_slash(item: Node) -> bool:
    """Whether a node is the sign of a division."""
    return isinstance(item, Atom) and item.kind == "SLASH"


def is_second(item: Node) -> bool:
    """Whether a factor is the sign of a second derivative."""
    return isinstance(item, Scripted) and is_differential(item.base)


def binder(tokens: Sequence[Token]) -> tuple[list[str], list[tuple[str, str, str]], str]:
    """``(dummies, conditions, first value)`` of what stands below a sum.

    Raises:
        NotUnderstoodError: for anything but letters, one ``k=1``, or a relation between two letters.
    """
    tokens = [token for token in tokens if token.kind not in ("{", "}", "(", ")", "COMMA", "NEWLINE")]
    relations = [n for n, token in enumerate(tokens) if token.kind == "REL"]
    if not relations:
        names: list[str] = []
        for token in tokens:
            if token.kind == "PRIME" and names:
                names[-1] += "'"
            elif token.kind == "NAME" and (token.text.islower()):
                names.append(token.text)
            else:
                raise NotUnderstoodError("what stands below a sum")
        return names, [], ""
    if len(relations) != 1 or len(tokens) != 3 or relations != [1]:
        raise NotUnderstoodError("what stands below a sum")
    left, relation, right = tokens
    if relation.text == "=" and right.kind == "NUM":
        return [left.text], [], right.text
    if relation.text in RELATIONS and right.kind == "NAME" and left.kind == "NAME":
        return [left.text], [(left.text, relation.text, right.text)], ""
    raise NotUnderstoodError("what stands below a sum")


def oriented(left: Ix, relation: str, right: Ix) -> tuple[Ix, str, Ix]:
    """The relation with ``<`` or ``<=``."""
    if relation in (">", ">="):
        return right, relation.replace(">", "<"), left
    return left, relation, right
