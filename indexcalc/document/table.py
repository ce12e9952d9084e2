"""The names of one relation and of all that it rests on, under one interpretation.

A table is made for one reading and thrown away after it. A name gets its slots when it is first met: from its
definition, its indices, its declaration, or, where all of these are silent, by a choice. Nothing is shared between
readings, so that none can change what another one means.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from indexcalc.document.choices import Asking, Choice, Key, Kind, Option, choice
from indexcalc.document.meaning.nodes import Derivative, Entry, Meaning, free, names_of, rebuilt, renamed, walk
from indexcalc.document.meaning.sizes import Ix, ShapeError, Sizes
from indexcalc.document.meaning.slopes import refreshed
from indexcalc.document.meaning.symbols import Definition, NotUnderstoodError, Symbols, depends_on
from indexcalc.document.meaning.typed import Typed
from indexcalc.document.page import Page
from indexcalc.document.statements.scripts import GREEK, Named
from indexcalc.document.statements.survey import Usage
from indexcalc.language.latex.tree import Group, Sum

LOSS = "loss"
"""The loss of a document that has only short names of its gradients, such as dX."""

DEFINITION_DEPTH = 30
"""The most definitions that rest one upon another."""


Bound = Mapping[str, Typed]
"""What the parameters of a function stand for while its formula is read."""

Read = Callable[["Table", dict[str, Ix], Sum, Bound], Typed]


@dataclass
class Table:
    """The names met in one reading.

    Attributes:
        page: the page.
        asking: the interpretation, noting what is asked of it.
        number: the statement that is read.
        read: how a formula is read with a table, its letters being index variables.
        defined: whether names stand for their definitions.
        letters: the index letters of the statement.
        sizes: the sizes of slots.
        known: the slots of each name.
        definitions: what names are equal to.
        losses: numbers that are differentiated and have no definition.
        wanted: what they are differentiated by.
        open: names whose meaning is not known: what is false of them says nothing.
        symmetric: matrices that are equal to their transposes.
        orthonormal: matrices with orthonormal columns.
        simplex: names whose entries sum to one, with the places of the slots that are summed.
        inside: the names whose definitions are being read.
        head: the free letters of the relation.
        spoken: the options that the way in which the members are written speaks for.
        used: the statements that gave names their meanings.
        ties: the slots whose size a number is.
        applied: how many values of functions were put in.
    """

    page: Page
    asking: Asking
    number: int
    read: Read
    defined: bool = True
    letters: frozenset[str] = frozenset()
    sizes: Sizes = field(default_factory=Sizes)
    known: dict[str, tuple[Ix, ...]] = field(default_factory=dict)
    definitions: dict[str, Definition] = field(default_factory=dict)
    losses: set[str] = field(default_factory=set)
    wanted: dict[str, None] = field(default_factory=dict)
    open: dict[str, str] = field(default_factory=dict)
    symmetric: set[str] = field(default_factory=set)
    orthonormal: set[str] = field(default_factory=set)
    simplex: dict[str, tuple[int, ...]] = field(default_factory=dict)
    inside: tuple[str, ...] = ()
    head: frozenset[str] | None = None
    spoken: set[tuple[Key, str]] = field(default_factory=set)
    used: set[int] = field(default_factory=set)
    ties: dict[str, tuple[str, int]] = field(default_factory=dict)
    applied: int = 0

    def __post_init__(self) -> None:
        """The sizes that the context says."""
        self.ties.update({size.name: (size.tensor, size.slot - 1) for size in self.page.context.sizes})

    # Indices and sizes

    def like(self, slot: Ix) -> Ix:
        """A new index variable of the same size."""
        index = self.sizes.fresh(slot.name)
        self.sizes.unify(index, slot)
        return index

    def new_letter(self, name: str) -> Ix:
        """The index variable of a letter, whose size may be one that a number is tied to."""
        return self.sizes.fresh(name)

    def is_inner(self, index: Ix) -> bool:
        """Whether a letter is no free one of the relation."""
        return self.head is not None and index.name not in self.head

    def is_size(self, name: str) -> bool:
        """Whether a name is that of a size."""
        if name not in self.page.sizes:
            return False
        if self.page.survey.rank(name) is None and name not in self.page.defining:
            return True
        # An array elsewhere may be a size in a section that stands alone.
        usage, section = self.page.usage(name, self.number), self.page.standing(self.number)
        if section is None or usage is None or usage.indexed:
            return False
        shapes = (one for shapes in self.page.declared.values() for one in shapes)
        return any(name in one.sizes and self.is_within(one.start) for one in shapes) and self.stands_alone()

    def tie(self, name: str) -> Ix | None:
        """The size that a number is, if it is one: that of a slot of an array beside it, if the context says none."""
        if name in self.ties:
            return self.sizes.named(name)
        usage = self.page.survey.usages.get(name)
        if name in self.page.defining or not re.fullmatch(r"[A-Za-z]", name) or name == "e":
            return None
        if usage is None or usage.numerator:
            return None
        options = [Option("free", 0.0)]
        for tensor, place, letter in self.page.slots_beside(name):
            own = letter == name.lower() and name.isupper()
            phrase = f"{name} is the size of slot {place + 1} of {tensor}"
            options.append(Option(f"{tensor}.{place}", 0.05 if own else 0.2, phrase, free=True))
        if len(options) == 1:
            return None
        chosen = self.asking(choice(Kind.TIE, name, *options)).name
        if chosen == "free":
            return None
        tensor, _, digits = chosen.rpartition(".")
        self.ties[name] = (tensor, int(digits))
        self.tied(tensor)
        return self.sizes.named(name)

    def tied(self, tensor: str) -> None:
        """The numbers that are sizes of slots of a tensor, once it has slots."""
        for name, (other, place) in self.ties.items():
            if other == tensor and place < len(self.known.get(tensor, ())):
                self.sizes.unify(self.known[tensor][place], self.sizes.named(name))

    def sized(self, letter: str, index: Ix) -> bool:
        """Whether a letter over which a sum runs has a size, although nothing behind the sum has the letter."""
        if any(self.sizes.find(own) == self.sizes.find(index) for own in self.sizes.owners.values()):
            return True
        size = letter.upper()
        if size in self.page.sizes or size in self.page.survey.usages:
            self.sizes.unify(self.sizes.named(size), index)
            self.tie(size)
            return True
        return False

    # Names

    def symbol(self, found: Named) -> tuple[str, tuple[Ix, ...]]:
        """What a name stands for, and its slots: with another number of indices it is another symbol."""
        name = found.name
        if name not in self.known:
            self.meet(found)
        slots = self.known[name]
        given = len(found.parts) if found.parts is not None else len(slots)
        if given == len(slots) or (given < len(slots) and ":" in (found.parts or ())):
            return name, slots
        if 0 < given < len(slots) and (given == len(slots) - 1 or self.is_row(name, given)):
            return name, slots
        other = f"{name} with {given} indices"
        if other not in self.known:
            self.known[other] = tuple(self.sizes.fresh(name) for _ in range(given))
            self.open.setdefault(other, f"{name} has {len(slots)} indices elsewhere")
        return other, self.known[other]

    def meet(self, found: Named) -> None:
        """Give a name its slots, and its definition if it has one."""
        name = found.name
        if name in self.inside:
            raise NotUnderstoodError(f"the definition of {name} leads back to it")
        number = self.definition_of(found) if self.defined else None
        if number is not None:
            self.used.add(number)
            try:
                self.define(name, number)
                self.tied(name)
                return
            except (NotUnderstoodError, ShapeError) as error:
                self.open[name] = f"the equation for {name} is not understood: {error}"
        self.known[name] = tuple(self.sizes.fresh(name) for _ in range(self.rank(found)))
        declared = self.declared(name)
        if declared is not None and len(declared) == len(self.known[name]):
            for slot, size in zip(self.known[name], declared, strict=True):
                self.sizes.unify(slot, self.sizes.named(size, declared=True))
        self.tied(name)
        if len(self.known[name]) == 2:
            self.learn_property(name)
        if name in self.page.context.simplex:
            self.simplex[name] = self.page.context.simplex[name]
        elif self.known[name] and name in self.page.given:
            stated = "sums to one" in self.page.said_anywhere
            question = choice(
                Kind.PROPERTY,
                f"the entries of {name}",
                Option("free", 0.0),
                Option("one", 0.3 if stated else 0.6, f"the entries of {name} sum to one", stated=stated),
            )
            if self.asking(question).name == "one":
                self.simplex[name] = (len(self.known[name]) - 1,)

    def learn_property(self, name: str) -> None:
        """What the words of the section may say of a matrix."""
        if name in self.page.symmetric:
            self.sizes.unify(*self.known[name])
            self.symmetric.add(name)
            return
        said = self.page.said(self.page.start(self.number))
        options = [Option("none", 0.0)]
        for one in ("symmetric", "orthogonal"):
            stated = one in said or (one == "symmetric" and name in self.page.laws.values())
            options.append(Option(one, 0.1 if stated else 1.0, f"{name} is {one}", stated=stated))
        chosen = self.asking(choice(Kind.PROPERTY, name, *options)).name
        if chosen != "none":
            first, second = self.known[name]
            self.sizes.unify(first, second)
            (self.symmetric if chosen == "symmetric" else self.orthonormal).add(name)

    def declared(self, name: str) -> tuple[str, ...] | None:
        """The sizes that the nearest declaration gives a name: the last one before, else the first one."""
        shapes = self.page.declared.get(name, ())
        if any(not self.is_within(one.start) for one in shapes) and self.stands_alone():
            shapes = tuple(one for one in shapes if self.is_within(one.start))
        start = self.page.start(self.number)
        before = [one for one in shapes if one.start <= start]
        nearest = before[-1] if before else shapes[0] if shapes else None
        return nearest.sizes if nearest is not None else None

    def rank(self, found: Named) -> int:
        """How many slots a name has: its indices say it, or its declaration, or else a choice."""
        name = found.name
        usage = self.page.usage(name, self.number)
        indexed = max(usage.indexed, default=None) if usage is not None else None
        declared = self.declared(name)
        if declared is not None and (indexed is None or indexed <= len(declared)):
            return len(declared)
        if found.parts is not None or indexed is not None:
            count = max(len(found.parts or ()), indexed or 0)
            family = family_choice(name, count, usage)
            return count if family is None else count + int(self.asking(family).name)
        # A name that has an equation, which is not looked at, says less about itself.
        unknown = self.defined or name not in self.page.defining
        return int(self.asking(rank_choice(name, self.page, unknown=unknown)).name)

    def is_function(self, name: str, following: object) -> bool:
        """Whether a bracket follows a name wherever it stands, so that it is a function of which nothing is known."""
        usage = self.page.survey.usages.get(name)
        bracket = isinstance(following, Group) and following.bracket == "(" and len(following.members) == 1
        unknown = name not in self.page.defining and name not in self.page.declared
        return bracket and unknown and usage is not None and usage.called > 0 and usage.only_called

    def usual_entry(self, name: str) -> tuple[str, ...] | None:
        """The indices with which a name without any stands for one of its entries; None if it stands for all."""
        usage = self.page.usage(name, self.number)
        if usage is None or self.letters or len(usage.letters) != 1 or name in self.page.declared or self.inside:
            return None
        question = choice(
            Kind.ENTRY,
            str(self.number),
            Option("whole", 0.0),
            Option("entry", 0.1, "a name without its indices is any one entry", free=True),
        )
        return next(iter(usage.letters)) if self.asking(question).name == "entry" else None

    # Definitions

    def definition_of(self, found: Named) -> int | None:
        """The statement that gives a name its meaning here: the nearest before, else the first one behind.

        One with another number of indices is about another array of this name.
        """
        name, count = found.name, len(found.parts or ())
        defining = [number for number in self.page.defining.get(name, ()) if number != self.number]
        numbers = [
            number
            for number in defining
            if self.page.indexed(number) in (None, count or None, *(() if found.parts else (1, 2, 3)))
        ]
        rows = [number for number in defining if (self.page.indexed(number) or 0) > count]
        if rows and count and not numbers and self.is_row(name, count):
            numbers = rows
        return self.nearest(name, numbers or self.page.functions.get(name, ()))

    def is_row(self, name: str, count: int) -> bool:
        """Whether a name with fewer indices than its definition is a row of that array, or what is left of it."""
        question = choice(
            Kind.RANK,
            f"{name} with {count} indices",
            Option("row", 0.0, f"{name} with {count} of its indices is a row"),
            Option("other", 0.1, f"{name} with {count} indices is another array"),
        )
        return self.asking(question).name == "row"

    def function(self, name: str) -> int | None:
        """The statement that defines a function; None if the name is none, or a factor before a bracket."""
        numbers = self.page.functions.get(name, ())
        if not numbers:
            return None
        if name in self.inside:
            raise NotUnderstoodError(f"the definition of {name} leads back to it")
        usage = self.page.survey.usages.get(name)
        question = choice(
            Kind.APPLICATION,
            name,
            Option("applied", 0.0, f"{name} is a function"),
            Option("multiplied", 0.5, f"{name} is a factor before a bracket"),
        )
        if usage is not None and not usage.only_called and self.asking(question).name == "multiplied":
            return None
        return self.nearest(name, numbers)

    def nearest(self, name: str, numbers: Sequence[int]) -> int | None:
        """The one of several statements that gives a name its meaning here; a choice if they are several."""
        numbers = [n for n in numbers if n != self.number]
        if any(not self.is_within(self.page.start(n)) for n in numbers) and self.stands_alone():
            numbers = [n for n in numbers if self.is_within(self.page.start(n))]
        if not numbers:
            return None
        before = [number for number in numbers if number < self.number]
        ordered = [*reversed(before), *(number for number in numbers if number > self.number)]
        apart = self.apart(ordered[0])
        if len(ordered) == 1 and not apart:
            return ordered[0]
        options = [
            Option(str(number), 0.15 * place, f"{name} as in line {self.line(number)}", free=True)
            for place, number in enumerate(ordered[:4])
        ]
        if apart:
            options.append(Option("none", 0.1, f"{name} is not what line {self.line(ordered[0])} says", free=True))
        taken = self.asking(choice(Kind.DEFINITION, f"{name} at line {self.line(ordered[0])}", *options)).name
        return None if taken == "none" else int(taken)

    def apart(self, number: int) -> bool:
        """Whether a definition stands in another item or row, or in a section that only follows."""
        page = self.page
        if min(number, self.number) < page.told:
            return False
        start, here = page.start(number), page.start(self.number)
        own, other = page.unit(here), page.unit(start)
        follows = number > self.number and page.section(start) != page.section(here)
        return follows or (bool(own) and bool(other) and own != other)

    def is_within(self, position: int) -> bool:
        """Whether a position is in the section of the statement, if it may stand alone; a context is everywhere."""
        section = self.page.standing(self.number)
        return section is None or position < 0 or section[0] <= position < section[1]

    def stands_alone(self) -> bool:
        """Whether the section around the statement gives its names itself, and takes nothing from other sections."""
        section = self.page.standing(self.number)
        if section is None:
            return False
        return self.asking(standing_choice(self.page, section)).name == "alone"

    def line(self, number: int) -> int:
        """The line of a statement."""
        return 0 if number < self.page.told else self.page.document.place(self.page.statements[number].span.start)[0]

    def define(self, name: str, number: int) -> None:
        """Read the definition of a name; of a function, its value at the names in its bracket."""
        slots, node = self.formula(name, number, {})
        declared = self.declared(name)
        if declared is not None and len(declared) == len(slots):
            for slot, size in zip(slots, declared, strict=True):
                self.sizes.unify(slot, self.sizes.named(size, declared=True))
        self.known[name] = slots
        self.definitions[name] = Definition(slots, node, self.line(number))

    def formula(self, name: str, number: int, bound: Bound) -> tuple[tuple[Ix, ...], Meaning]:
        """The slots and the formula of a definition, its parameters bound."""
        tree = self.page.statements[number].sides[1].tree
        parts = self.page.defined_at(number)
        assert tree is not None
        given = {index for value in bound.values() for index in (*free(value.node), *value.axes)}
        with self.within(name, frozenset(parts or ())):
            letters = {part: self.new_letter(part) for part in parts or ()}
            own = tuple(letters.values())
            value = self.read(self, letters, tree, bound)
        slots = (*own, *value.axes)
        usage = self.page.survey.usages.get(name)
        whole = usage is not None and len(slots) in usage.indexed  # with all of its indices somewhere
        if (parts is not None and value.axes and not whole) or not set(free(value.node)) <= {*slots, *given}:
            raise NotUnderstoodError("its two sides have other indices")
        return slots, value.node

    @contextmanager
    def within(self, name: str, head: frozenset[str]) -> Iterator[None]:
        """While the definition of a name is read, whose free letters are these."""
        if len(self.inside) >= DEFINITION_DEPTH:
            raise NotUnderstoodError("too many definitions rest one upon another")
        outer, around = self.inside, self.head
        self.inside, self.head = (*outer, name), head
        try:
            yield
        finally:
            self.inside, self.head = outer, around

    # Derivatives

    def derivative(self, body: Meaning, wrt: Entry) -> Meaning:
        """The derivative of an expression by an entry."""
        body = self.without_gradients(body)
        if isinstance(body, Entry) and body.name != wrt.name and body.name not in self.definitions:
            if not body.slots and body.name not in self.open and self.may_be_loss(body.name):
                self.losses.add(body.name)
                self.wanted[wrt.name] = None
                self.lead_to_loss(body.name, wrt.name)
                return Derivative(body, wrt)
            name = f"d {body.name}/d {wrt.name}"
            if name not in self.known:
                self.known[name] = tuple(self.like(slot) for slot in (*body.slots, *wrt.slots))
            self.open[body.name] = f"how {body.name} depends on {wrt.name} is not known"
            return Entry(name, (*body.slots, *wrt.slots))
        if wrt.name not in self.all_read(body) and self.all_read(body):
            # Zero, it may be, only because a path was not read.
            self.open.setdefault(f"{wrt.name} in no formula", f"nothing that is read depends on {wrt.name}")
        return Derivative(body, wrt, self.is_local(body, wrt))

    def lead_to_loss(self, loss: str, name: str) -> None:
        """What the loss is computed from: what it is differentiated by here, or also what lies on the way to it.

        Whatever holds for any function of the first holds; but a softmax's gradient adds up to zero only since the
        loss is one of what the softmax leads to.
        """
        further = [
            found
            for found in self.page.loss_targets.get(loss, ())
            if found.name not in (*self.wanted, *self.inside) and self.page.rests_on(found.name, name)
        ]
        if not further:
            return
        question = choice(
            Kind.DERIVATIVE,
            f"{loss} in statement {self.number}",
            Option("here", 0.0),
            Option("further", 0.05, f"{loss} is computed from {further[-1].name}", free=True),
        )
        if self.asking(question).name == "further":
            for found in further:
                self.wanted[found.name] = None
                if found.name not in self.known:
                    self.meet(found)

    def without_gradients(self, node: Meaning) -> Meaning:
        """The expression with formulas for the names that are made from derivatives, which are differentiated again."""
        definition = self.definitions.get(node.name) if isinstance(node, Entry) else None
        if definition is None:
            return rebuilt(node, self.without_gradients) if not isinstance(node, Derivative) else node
        assert isinstance(node, Entry)
        again = any(
            definition.differentiates and not self.losses.intersection(definition.reads)
            for definition in map(self.definitions.get, {node.name, *self.all_read(node)})
            if definition is not None
        )
        if not again:
            return node
        formula = renamed(definition.body, dict(zip(definition.slots, node.slots, strict=True)))
        return self.without_gradients(refreshed(formula, self.sizes))

    def all_read(self, body: Meaning) -> set[str]:
        """The names in an expression, and all that they are made from."""
        found, pending = set[str](), list(names_of(body))
        while pending:
            name = pending.pop()
            if name not in found:
                found.add(name)
                pending.extend(self.definitions[name].reads if name in self.definitions else ())
        return found

    def may_be_loss(self, name: str) -> bool:
        """Whether a number without a definition may be the loss: nothing is differentiated by it."""
        usage = self.page.survey.usages.get(name)
        return usage is None or not usage.below

    def is_local(self, body: Meaning, wrt: Entry) -> bool:
        """Whether the derivative of a name holds all other names: only where that makes a difference."""
        if not isinstance(body, Entry) or body.name == wrt.name:
            return False
        reads = self.definitions[body.name].reads
        if wrt.name not in reads or not any(
            name != wrt.name and depends_on(self.definitions, name, wrt.name) for name in reads
        ):
            return False
        question = choice(
            Kind.DERIVATIVE,
            f"{body.name} by {wrt.name}",
            Option("total", 0.0, f"the derivative of {body.name} by {wrt.name} is total"),
            Option("local", 0.2, f"the derivative of {body.name} by {wrt.name} holds the other names"),
        )
        return self.asking(question).name == "local"

    def unknown_between(self, node: Meaning) -> Iterator[str]:
        """What the derivatives in an expression leave open: names on the way that have no definition.

        A name that the document differentiates is computed from others, even where no equation says how.
        """
        for inner in walk(node):
            if not isinstance(inner, Derivative):
                continue
            if isinstance(inner.body, Entry) and inner.body.name == LOSS:
                yield from self.unconnected()
            for name in self.known:
                usage = self.page.survey.usages.get(name)
                between = usage is not None and usage.numerator and name not in self.definitions
                if between and name != inner.wrt.name and name not in self.losses:
                    yield f"{name} may depend on {inner.wrt.name}"
            for name in self.wanted:
                if self.may_be_between(name, inner.wrt.name):
                    yield f"{name} may depend on {inner.wrt.name}"

    def may_be_between(self, name: str, wrt: str) -> bool:
        """Whether the loss may depend on a tensor through a name that nothing defines, and nothing reads beside it."""
        beside = any({name, wrt} <= set(definition.reads) for definition in self.definitions.values())
        known = name in self.definitions or beside
        return name != wrt and not known and not depends_on(self.definitions, wrt, name)

    def unconnected(self) -> Iterator[str]:
        """What short gradients leave open: names without a definition that lead to none of the others."""
        for name in self.wanted:
            apart = not any(other != name and depends_on(self.definitions, other, name) for other in self.wanted)
            if len(self.wanted) > 1 and apart and name not in self.definitions:
                yield f"how {name} is computed is not known"

    # For the numbers

    def symbols(self) -> Symbols:
        """What the evaluation at points needs to know."""
        wanted = list(self.wanted)
        last = tuple(
            name for name in wanted if not any(o != name and depends_on(self.definitions, o, name) for o in wanted)
        )
        return Symbols(
            sizes=self.sizes,
            slots=dict(self.known),
            definitions=dict(self.definitions),
            losses=set(self.losses),
            outputs=last,
            symmetric=frozenset(self.symmetric),
            exchanged=frozenset(self.symmetric),
            orthonormal=frozenset(self.orthonormal),
            simplex=dict(self.simplex),
        )


def family_choice(name: str, count: int, usage: Usage | None) -> Choice | None:
    """Whether an index says which of several vectors is meant, as in ``x_i^T x_j``; None where nothing hints at it."""
    if usage is None or count != 1 or not (usage.transposed or usage.bold):
        return None
    entry, vector = (0.2, 0.0) if usage.transposed else (0.1, 0.0)
    return choice(
        Kind.RANK,
        f"{name} with an index",
        Option("1", vector, f"{name} with an index is a vector"),
        Option("0", entry, f"{name} with an index is a number"),
    )


SAID = {"matrix": 2, "vector": 1, "scalar": 0}
"""How many slots a name has that is a word, as in ``keyMatrix``, by the end of the word."""


def standing_choice(page: Page, section: tuple[int, int]) -> Choice:
    """Whether a section that gives names which others give too stands alone."""
    where = f"the section at line {page.document.place(section[0])[0]}"
    return choice(
        Kind.SECTION,
        where,
        Option("continues", 0.0, f"{where} goes on with what others say"),
        Option("alone", 0.1, f"{where} stands alone"),
    )


def rank_choice(name: str, page: Page, *, unknown: bool) -> Choice:
    """How many slots a name has that never bears an index and has no shape: what its letter says comes first."""
    costs = rank_costs(name, page, unknown=unknown)
    words = ("a number", "a vector", "a matrix")
    return choice(
        Kind.RANK, name, *(Option(str(rank), cost, f"{name} is {words[rank]}") for rank, cost in costs.items())
    )


def rank_costs(name: str, page: Page, *, unknown: bool) -> Mapping[int, float]:
    """The costs of being a number, a vector or a matrix."""
    usage = page.survey.usages.get(name)
    if usage is not None and usage.numerator and not usage.below and not usage.indexed and unknown:
        return {0: 0.0, 1: 0.5, 2: 1.0}
    if usage is not None and usage.scalar and not usage.transposed:
        return {0: 0.0, 1: 1.0, 2: 1.0}
    letter = re.sub(r"^(?:\w+ )+", "", name).partition("_")[0].partition("^")[0]
    said = next((rank for word, rank in SAID.items() if letter.lower().endswith(word)), None)
    if said is not None:
        return {said: 0.0} | {rank: 1.0 for rank in (0, 1, 2) if rank != said}
    bold = usage is not None and usage.bold
    if letter.isupper() and len(letter) == 1:
        return {2: 0.0, 1: 1.0, 0: 1.0}
    if bold:
        return {1: 0.0, 2: 1.0, 0: 1.0}
    if letter in GREEK:
        return {0: 0.0, 1: 0.6, 2: 1.0}
    if usage is not None and usage.transposed:
        return {1: 0.0, 0: 1.0, 2: 1.5}
    if letter in ("a", "b", "c", "u", "v", "w", "x", "y", "z"):
        return {0: 0.0, 1: 0.1, 2: 1.5}
    return {0: 0.0, 1: 0.5, 2: 1.5}
