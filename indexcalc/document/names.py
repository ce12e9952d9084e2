"""The meanings of names, whole or at an index: tensors, sizes, parameters, constants and gradients."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import sympy as sp

from indexcalc.document import wedges
from indexcalc.document.applications import again
from indexcalc.document.choices import Kind, Option, choice
from indexcalc.document.densities import learn_density
from indexcalc.document.derivatives import rate
from indexcalc.document.divergences import learn_divergence
from indexcalc.document.functions import EXTREMES
from indexcalc.document.gradients import loss_of_gradients
from indexcalc.document.meaning import typed
from indexcalc.document.meaning.nodes import (
    ONE,
    Entry,
    Gathered,
    Number,
    Raised,
    Size,
    Value,
    between,
    names_of,
)
from indexcalc.document.meaning.sizes import Ix
from indexcalc.document.meaning.symbols import Definition, NotUnderstoodError
from indexcalc.document.meaning.typed import COLUMN, Typed
from indexcalc.document.means import learn_average
from indexcalc.document.mirrors import learn_mirror
from indexcalc.document.normals import learn_normal
from indexcalc.document.places import counted, delta_of, entry, first_value
from indexcalc.document.rows import learn_rows
from indexcalc.document.scope import Scope
from indexcalc.document.spreads import learn_spread
from indexcalc.document.statements.calls import SIGN, is_call, is_indicator, words_in
from indexcalc.document.statements.conditions_below import MEMBER
from indexcalc.document.statements.index_expressions import ROWS
from indexcalc.document.statements.letters import slice_parts
from indexcalc.document.statements.scripts import COLON, Named
from indexcalc.document.statements.values import Spread
from indexcalc.document.table import Bound, Table
from indexcalc.document.units import unit_of
from indexcalc.document.values import is_readable, learn_mean
from indexcalc.language.latex.tree import Group, Node


@dataclass(frozen=True)
class Names:
    """What names mean.

    Attributes:
        scope: the letters of their indices.
        bound: what the parameters of the function stand for whose formula is read.
    """

    scope: Scope
    bound: Bound = field(default_factory=dict)

    @property
    def table(self) -> Table:
        """The names met so far."""
        return self.scope.table

    def value(self, found: Named) -> Typed:
        """A name, whole or at an index; a parameter is what it stands for."""
        if found.name in self.bound:
            value = again(self.table, self.bound[found.name])
            return value if found.parts is None else typed.at(value, self.scope.places(found.parts), self.table.sizes)
        found = self.table.styled(found)
        if (made := wedges.named(self.table, found, self.value)) is not None:
            return made
        constant = self.constant(found)
        return self.tensor(found) if constant is None else constant

    def constant(self, found: Named) -> Typed | None:
        """What a name stands for that is no tensor of the document's: ones, deltas, pi, a size, a short gradient."""
        table, name, parts = self.table, found.name, found.parts
        if (unit := unit_of(table, found, self.scope.place)) is not None:
            return unit
        if name == "delta" and len(parts or ()) == 2 and name not in table.page.defining:
            return Typed(delta_of(self.scope, found))
        if self.is_value(found):
            first = self.scope.firsts.get(name)
            start = first_value(table).value if first is None else sp.Integer(first)
            return Typed(counted(Value(self.scope.letter(name)), start))
        if name == "pi" and parts is None and name not in table.page.defining:
            return Typed(Number(sp.pi))
        if (target := table.page.gradient_target(name)) is not None:
            wrt = self.value(replace(found, name=target))
            inner = wrt.node.body if isinstance(wrt.node, Gathered) else wrt.node
            if not isinstance(inner, Entry):
                raise NotUnderstoodError(f"a gradient by {target}")
            return rate(table, Typed(Entry(loss_of_gradients(table, name, target))), wrt)
        if parts is None and table.view.is_size(name):
            return Typed(Size(table.sizes.named(name)))
        return None

    def is_value(self, found: Named) -> bool:
        """Whether a name is the letter of an index, beside names that bear it: then it is the number of the entry."""
        table, name = self.table, found.name
        if found.parts is not None or found.primes or found.transposed:
            return False
        if self.scope.binds(name):
            return True
        return name in ROWS and name in (table.head or ())

    def tensor(self, found: Named) -> Typed:
        """A tensor, whole or at an index; a name without indices may stand for one entry, or for a size."""
        table = self.table
        if found.name == SIGN and table.page.writes_expectations and found.name not in table.page.defining:
            raise NotUnderstoodError("an expectation without a bracket")
        if found.name in EXTREMES and found.name not in table.page.defining:
            raise NotUnderstoodError(f"{found.name} of what is no list")
        if is_call(found.name) and not (is_indicator(found.name) or learn_divergence(table, found.name)):
            self.hold(found.name)
            if self.has_formula(found) or found.name not in table.page.defining:
                table.open.setdefault(found.name, f"no equation says what {found.name} is")
        if found.parts is None and (usual := usual_entry(table, found.name)) is not None:
            found = replace(found, parts=usual)
        if found.parts is not None and len(found.parts) == 1 and found.parts[0].isdigit():
            found = self.numbered(found, found.parts[0])
        if found.parts is not None and self.is_labelled(found):
            found = replace(found, name=f"{found.name}_{''.join(found.parts)}", parts=None)
        if found.parts is not None and len(found.parts) == 1 and found.name in table.page.blocks:
            table.open.setdefault(found.name, f"{found.name} with an index may be a block of {found.name}")
        learn_average(table, found)
        learn_rows(table, found)
        learn_members(table, found)
        learn_mirror(table, found)
        name, slots = table.symbol(found)
        if found.parts is not None:
            usage = table.view.usage(found.name) or table.page.survey.usages.get(found.name)
            parts = self.along_rows(slots, found.parts) or slice_parts(found, len(slots), usage)
            node = entry(self.scope, name, slots, parts)
            inner = node.body if isinstance(node, Gathered) else node
            assert isinstance(inner, Entry)
            return Typed(node, tuple(i for i, part in zip(inner.slots, parts, strict=True) if part == COLON))
        if not slots and (tied := table.tie(name)) is not None:
            return Typed(Size(tied))
        own = tuple(table.sizes.like(slot) for slot in slots)
        return Typed(Entry(name, own), own, COLUMN)

    def along_rows(self, slots: Sequence[Ix], parts: tuple[str, ...]) -> tuple[str, ...] | None:
        """The indices of a row or a column that bears one for its entries alone; None for what is neither."""
        sizes = self.table.sizes
        single = [sizes.exact.get(sizes.find(slot)) == 1 for slot in slots]
        if not any(single) or len(parts) != single.count(False):
            return None
        given, first = iter(parts), str(1 - self.table.page.counts_from_zero)
        return tuple(first if one else next(given) for one in single)

    def has_formula(self, found: Named) -> bool:
        """Whether a value means something of itself: a density does, and what is what it is written as."""
        learnt = any(learn(self.table, found) for learn in (learn_density, learn_normal))
        return learnt or self.is_as_written(found)

    def is_as_written(self, found: Named) -> bool:
        """Whether an expectation, integral or variance is what it is written as, and no equation for it is taken."""
        table, name = self.table, found.name
        spread = isinstance(table.page.values.of(name), Spread)
        learn = learn_spread if spread else learn_mean
        if name in table.known or not is_readable(table, name, learn):
            return False
        number = table.view.definition_of(found)
        if number is not None:
            question = choice(
                Kind.DEFINITION,
                f"{name} as it is written",
                Option("written", 0.1 * spread, f"{name} is what it is written as", free=spread),
                Option("said", 0.1 * (not spread), f"{name} is what line {table.page.line(number)} says", free=True),
            )
            if table.asking(question).name == "said":
                return False
        return learn(table, name)

    def hold(self, name: str) -> None:
        """Refuse a value like ``p(x|t)`` where it is no single one: a sum or a function's argument stands in it."""
        table, words = self.table, words_in(name)
        varied = [word for word in sorted(words) if self.moves(word) or word in table.letters or self.scope.binds(word)]
        if varied:
            raise NotUnderstoodError(f"{varied[0]} varies in {name}")

    def moves(self, name: str) -> bool:
        """Whether a name is the parameter of a function whose formula is read, and stands for something else there."""
        return name in self.bound and names_of(self.bound[name].node) != (name,)

    def numbered(self, found: Named, digits: str) -> Named:
        """A name with a number below it: 0 is a label, and the digits of ``A_12`` are those of a row and a column."""
        if digits == "0":
            usage = self.table.page.survey.usages.get(found.name)
            if usage is not None and usage.indexed:
                self.table.open.setdefault(f"{found.name}_0", f"{found.name}_0 may be an entry of {found.name}")
            return replace(found, name=f"{found.name}_0", parts=None)
        usage = self.table.page.survey.usages.get(found.name)
        indexed = usage is not None and len(digits) in usage.indexed
        if len(digits) > 1 and (indexed or len(self.table.symbol(replace(found, parts=None))[1]) == len(digits)):
            return replace(found, parts=tuple(digits))
        if (found.name, digits) in self.table.page.numbered and self.is_own(found, 0.2):
            return replace(found, name=f"{found.name}_{digits}", parts=None)
        return found

    def is_labelled(self, found: Named) -> bool:
        """Whether sizes below a capital are those of a matrix of its own, as in ``K_{mn}``, and no indices."""
        parts, page = found.parts or (), self.table.page
        if len(parts) != 2 or not found.name.isupper() or not page.sizes_of_names.issuperset(parts):
            return False
        if any(self.scope.binds(part) for part in parts) or found.name in (*page.declared, *page.defining):
            return False
        return self.is_own(found, 0.0)

    def is_own(self, found: Named, cost: float) -> bool:
        """Whether what stands below a name makes another name of it, and is no index; what that costs."""
        own = f"{found.name}_{''.join(found.parts or ())}"
        question = choice(
            Kind.WORD,
            own,
            Option("entry", 0.0 if cost else 0.05, f"{own} is an entry or a row of {found.name}", free=not cost),
            Option("name", cost, f"{own} is a name of its own", free=bool(cost)),
        )
        return self.table.asking(question).name == "name"

    def target(self, items: Sequence[Node]) -> Typed:
        """What a derivative is taken by: one tensor, whole or at an index."""
        while len(items) == 1 and isinstance(items[0], Group) and len(items[0].members) == 1:
            only = items[0].members[0].only
            if only is None:
                break
            items = only.items
        found = self.table.page.survey.name(items[0]) if len(items) == 1 else None
        exponent = exponent_of(found) if found is not None else None
        if found is None or exponent is None:
            raise NotUnderstoodError("a derivative by what is no name")
        value = self.value(found)
        inner = value.node.body if isinstance(value.node, Gathered) else value.node
        if not isinstance(inner, Entry):
            raise NotUnderstoodError(f"a derivative by {found.name}")
        if exponent > 1 and (value.axes or inner is not value.node):
            raise NotUnderstoodError(f"a derivative by a power of {found.name}")
        if exponent > 1:
            return replace(value, node=Raised(inner, Number(sp.Integer(exponent))))
        return typed.transpose(value) if found.transposed and value.axes else value


def learn_members(table: Table, found: Named) -> None:
    """Say more of what is in a set that no equation gives, if that is meant: what is false under all is so for any."""
    if not found.name.startswith(MEMBER) or found.name in table.known:
        return
    bare, (_, slots) = found.name.removeprefix(MEMBER), table.symbol(found)
    if len(slots) < len("ij"):
        return
    one, other = slots[0], slots[-1]
    question = choice(
        Kind.PROPERTY,
        f"what is in {bare}",
        Option("some", 0.0, f"{bare} may hold a part of what there is", general=True),
        Option("all", 0.1, f"{bare} holds all that there is"),
        Option("others", 0.1, f"{bare} holds all but the one that it is of"),
        Option("parts", 0.1, f"each one is in {bare} once"),
    )
    chosen = table.asking(question).name
    if chosen == "parts":
        table.simplex[found.name] = (0,)
    elif chosen != "some":
        if chosen == "others":
            table.sizes.equate(one, other)
        table.definitions[found.name] = Definition(slots, ONE if chosen == "all" else between(one, "!=", other))


def exponent_of(found: Named) -> int | None:
    r"""The power of a name that a derivative is taken by, ``\sigma^2``; None if above it stands anything else."""
    above = [token.text for tokens in found.powers for token in tokens if token.kind not in ("{", "}")]
    if not above:
        return 1
    return int(above[0]) if len(above) == 1 and above[0] in "23456789" else None


def usual_entry(table: Table, name: str) -> tuple[str, ...] | None:
    """The indices with which a name without any stands for one of its entries; None if it stands for all."""
    usage = table.view.usage(name)
    if usage is None or table.letters or len(usage.letters) != 1 or name in table.page.declared or table.inside:
        return None
    question = choice(
        Kind.ENTRY,
        str(table.number),
        Option("whole", 0.0, "a name without its indices is the whole array"),
        Option("entry", 0.1, "a name without its indices is any one entry", free=True),
    )
    return next(iter(usage.letters)) if table.asking(question).name == "entry" else None
