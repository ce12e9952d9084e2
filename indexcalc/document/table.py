"""The names of one relation and of all that it rests on, under one interpretation.

A table is made for one reading and thrown away after it. A name gets its slots when it is first met: from its
definition, its indices, its declaration, or, where all of these are silent, by a choice. Nothing is shared between
readings, so that none can change what another one means.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace

from indexcalc.document.choices import Asking, Interpretation, Key, Kind, Option, choice
from indexcalc.document.meaning.generic import generic, inputs_of
from indexcalc.document.meaning.nodes import (
    HALF,
    TWO,
    Entry,
    Gathered,
    Meaning,
    Raised,
    Value,
    free,
    names_of,
    times,
    walk,
)
from indexcalc.document.meaning.sizes import Ix, ShapeError, Sizes
from indexcalc.document.meaning.structures import folded
from indexcalc.document.meaning.symbols import CountError, Definition, NotUnderstoodError, Symbols, all_read, depends_on
from indexcalc.document.meaning.typed import Typed
from indexcalc.document.page import Page
from indexcalc.document.runs import counted
from indexcalc.document.statements.calls import is_call
from indexcalc.document.statements.conditions_below import MEMBER
from indexcalc.document.statements.heads import is_elsewhere
from indexcalc.document.statements.index_expressions import GREEK
from indexcalc.document.statements.scripts import BETWEEN_INDICES, Named
from indexcalc.document.statements.shapes import ONES
from indexcalc.document.statements.survey import Usage
from indexcalc.document.systems import solution
from indexcalc.document.view import PROJECTION, View
from indexcalc.errors import IndexCalcError
from indexcalc.language.latex.tree import Sum

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
        further: whether they are computed from more than the relation differentiates them by.
        open: names whose meaning is not known: what is false of them says nothing.
        symmetric: matrices that are equal to their transposes.
        orthonormal: matrices with orthonormal columns.
        projections: symmetric matrices that are their own squares.
        simplex: names whose entries sum to one, with the places of the slots that are summed.
        one_hot: those of them of whose entries one is not zero, each with whether this is the first, which is given.
        whole: the names whose entries are places, each with the axis that they are places of.
        inside: the names whose definitions are being read.
        head: the free letters of the relation.
        at: the statement in which the formula stands that is read, as that of a definition.
        spoken: the options that the way in which the members are written speaks for.
        used: the statements that gave names their meanings.
        ties: the slots whose size a number is.
        ones: the axes of vectors of ones of which no size is said.
        idle: letters of sums in the members that bind nothing.
        ranges: the letters of sums, each with the set over which the sum runs; empty if it runs over all.
        applied: how many values of functions were put in.
        solved: names with the statements that say what they are, whatever else is said of them; None where none is.
        doubled: one of them that is to be twice as much.
        later: whether a later member is read than the one that gives a name its meaning.
        counts: the numbers of steps for the letters that count them.
        unread: the names whose equation at another step is not understood.
        uncounted: the letters up to which sums over steps run that have no number.
        supposed: the names that stand for any function of others.
        begun: the names whose equations are being read, each with whether it was met at a computed place.
        circular: whether some definition leads back to its name, at another place.
        view: the page as the statement sees it.
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
    further: bool = False
    open: dict[str, str] = field(default_factory=dict)
    symmetric: set[str] = field(default_factory=set)
    orthonormal: set[str] = field(default_factory=set)
    projections: set[str] = field(default_factory=set)
    simplex: dict[str, tuple[int, ...]] = field(default_factory=dict)
    one_hot: dict[str, bool] = field(default_factory=dict)
    whole: dict[str, Ix] = field(default_factory=dict)
    inside: tuple[str, ...] = ()
    head: frozenset[str] | None = None
    spoken: set[tuple[Key, str]] = field(default_factory=set)
    used: set[int] = field(default_factory=set)
    ties: dict[str, tuple[str, int]] = field(default_factory=dict)
    ones: list[Ix] = field(default_factory=list)
    idle: set[str] = field(default_factory=set)
    ranges: list[tuple[Ix, str]] = field(default_factory=list)
    applied: int = 0
    solved: Mapping[str, int | None] = field(default_factory=dict)
    doubled: str = ""
    later: bool = False
    counts: Mapping[str, int] = field(default_factory=dict)
    uncounted: set[str] = field(default_factory=set)
    unread: set[str] = field(default_factory=set)
    supposed: set[str] = field(default_factory=set)
    begun: dict[str, bool] = field(default_factory=dict)
    circular: bool = False
    at: int = field(init=False)
    view: View = field(init=False)

    def __post_init__(self) -> None:
        """What the statement sees, and the sizes that the context says."""
        self.at = self.number
        self.view = View(self.page, self.asking, self.number)
        self.ties.update({size.name: (size.tensor, size.slot - 1) for size in self.page.context.sizes})

    def follow(self, place: tuple[int, int, int]) -> None:
        """Read what stands at a place of the page: a member of a statement, beside another one."""
        number, member, _ = place
        self.later = number == self.number and member > 1
        self.counts = self.page.steps.counted.get(place, {})

    # Sizes

    def index(self, letter: str) -> Ix:
        """A new index variable of a letter, with as many values as the document says."""
        index = self.sizes.fresh(letter)
        extent = self.page.extent(letter, self.at)
        if extent is not None and extent.is_Symbol:
            self.sizes.unify(self.sizes.named(extent.name, declared=True), index)
        elif extent is not None:
            self.sizes.compute(index, extent)
        return index

    def is_inner(self, index: Ix) -> bool:
        """Whether a letter is no free one of the relation."""
        return self.head is not None and index.name not in self.head

    def tie(self, name: str) -> Ix | None:
        """The size that a number is, if it is one: that of a slot of an array beside it, if the context says none."""
        if name in self.ties:
            return self.sizes.named(name)
        usage = self.page.survey.usages.get(name)
        if name in self.page.defining or not re.fullmatch(r"[A-Za-z]", name) or name == "e":
            return None
        if usage is None or usage.numerator or name in self.page.fields.names:
            return None
        options = [Option("free", 0.0, f"{name} is a number of its own")]
        for tensor, place, letter in self.page.slots_beside.get(name, ()):
            own = letter == name.lower() and name.isupper()
            slot = "vectors of ones" if tensor == ONES else f"slot {place + 1} of {tensor}"
            phrase = f"{name} is the size of {slot}"
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
        if tensor == ONES:
            self.tie_ones()

    def tie_ones(self) -> None:
        """Vectors of ones have the size that a number is, if it is theirs."""
        for name in (name for name, (other, _) in self.ties.items() if other == ONES):
            for axis in self.ones:
                self.sizes.unify(axis, self.sizes.named(name))

    def axis_of_ones(self) -> Ix:
        """The axis of a vector of ones of which no size is said."""
        self.ones.append(self.sizes.fresh())
        self.tie_ones()
        return self.ones[-1]

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

    def run(self, letter: str, index: Ix, body: Meaning) -> None:
        """How far a sum runs whose letter stands in places alone: as far as its letter says, or a number beside it."""
        if not any(isinstance(node, Value) and node.index == index for node in walk(body)):
            return
        root = self.sizes.find(index)
        if root in self.sizes.names or root in self.sizes.formulas or not self.sizes.lonely(index):
            return
        if self.sized(letter, index):
            return
        beside = dict.fromkeys(
            found.name
            for tree in self.page.statements[self.number].trees
            for found in self.page.survey.names(tree)
            if found.parts is None and self.view.is_size(found.name)
        )
        question = choice(
            Kind.TIE,
            f"the sum over {letter} in statement {self.number}",
            Option("free", 0.0, f"{letter} has any number of values"),
            *(Option(name, 0.1, f"{letter} has {name} values", free=True) for name in beside),
        )
        if beside and (size := self.asking(question).name) != "free":
            self.sizes.unify(self.sizes.named(size), index)
        elif self.inside:
            self.open.setdefault(f"the size of {letter}", f"how many values {letter} has is not said")

    def measure(self, name: str, slots: tuple[Ix, ...]) -> None:
        """The slots of a name have the sizes that are declared for it, if these are as many."""
        shape = self.view.shape(name)
        if past := self.view.past_case(name, shape or ()):
            self.open.setdefault(name, past)
        if shape is not None and len(shape) == len(slots):
            for slot, size in zip(slots, shape, strict=True):
                if size is not None:
                    self.sizes.unify(slot, self.sizes.named(size, declared=True))
                    if (value := self.view.setting(size)) is not None:
                        self.sizes.unify(slot, self.sizes.measured(value))
        if shape is None:
            self.measure_by_letters(name, slots)

    def measure_by_letters(self, name: str, slots: tuple[Ix, ...]) -> None:
        """The slots of a name have as many entries as the letters that stand there have values, by the page."""
        usage = self.page.survey.usages.get(name)
        if usage is None or not self.page.extents:
            return
        uses = [letters for letters in usage.letters if len(letters) == len(slots)]
        for place, slot in enumerate(slots):
            found = {self.page.extent(letters[place], self.at) for letters in uses} - {None}
            if len(found) == 1 and (extent := found.pop()) is not None and extent.is_Symbol:
                self.sizes.unify(slot, self.sizes.named(extent.name, declared=True))

    # Names

    def symbol(self, found: Named) -> tuple[str, tuple[Ix, ...]]:
        """What a name stands for, and its slots: with another number of indices it is another symbol."""
        name = found.name
        if name in self.begun:
            self.recur(found)
        elif name not in self.known:
            self.meet(found)
        slots = self.known[name]
        given = len(found.parts) if found.parts is not None else len(slots)
        if given == len(slots) or (given < len(slots) and ":" in (found.parts or ())):
            return name, slots
        if 0 < given < len(slots) and (given == len(slots) - 1 or self.view.is_row(name, given)):
            return name, slots
        other = f"{name} with {given} indices"
        if other not in self.known:
            self.known[other] = tuple(self.sizes.fresh(name) for _ in range(given))
            self.open.setdefault(other, f"{name} has {len(slots)} indices elsewhere")
        return other, self.known[other]

    def recur(self, found: Named) -> None:
        """Note that the definition of a name leads back to it, at another place of its own or of one on the way.

        Raises:
            NotUnderstoodError: if it leads back to the same entry.
        """
        circle = self.inside[self.inside.index(found.name) :]
        if not (is_elsewhere(found) or any(self.begun.get(name) for name in circle[1:])):
            raise NotUnderstoodError(f"the definition of {found.name} leads back to it")
        self.circular = True

    @property
    def recurring(self) -> frozenset[str]:
        """The names that are computed step by step: their definitions lead back to them."""
        if not self.circular:
            return frozenset()
        found = self.definitions
        return frozenset(name for name in found if any(depends_on(found, other, name) for other in found[name].reads))

    def styled(self, found: Named) -> Named:
        """A name in plain letters, which is another one where a page has the letter in bold, too, and means two."""
        if found.bold or found.parts is not None or found.name not in self.page.in_two_fonts:
            return found
        question = choice(
            Kind.WORD,
            f"{found.name} in bold and in plain letters",
            Option("one", 0.0, f"{found.name} is one name in bold and in plain letters"),
            Option("two", 0.5, f"{found.name} in bold and in plain letters are two names", free=True),
        )
        return replace(found, name=f"plain {found.name}") if self.asking(question).name == "two" else found

    def meet(self, found: Named) -> None:
        """Give a name its slots, and its definition if it has one."""
        name = found.name
        if name in self.inside:
            raise NotUnderstoodError(f"the definition of {name} leads back to it")
        if self.defined and self.equate(found):
            self.tied(name)
            return
        if name in self.page.recurrent:
            self.open.setdefault(name, f"an equation gives the entries of {name} one by one")
        self.known[name] = tuple(self.sizes.fresh(name) for _ in range(self.view.rank(found, defined=self.defined)))
        self.measure(name, self.known[name])
        self.tied(name)
        self.learn_properties(name)
        if any(below.name != name for _, below in self.page.slopes[self.number]):
            self.note_system(name)
        accent, _, bare = name.partition(" ")
        if accent in ("dot", "ddot") and bare in self.page.survey.usages:
            self.open.setdefault(name, f"{name} may be the derivative of {bare} by time")
        base, sign, mark = name.partition("^")
        # No power stands in square brackets, and none is a word.
        label = mark.startswith("[") or (len(mark) > 1 and mark.isalpha() and mark not in GREEK)
        if sign and mark and not label and len(self.known[name]) == 2 and base in self.page.declared:
            self.open.setdefault(name, f"{name} may be a power of {base}")

    def note_system(self, name: str) -> None:
        """Leave open what an equation may determine that does not give it."""
        follows = self.page.may_follow.get(name)
        if follows is not None and self.is_solvable(name, follows):
            self.open.setdefault(name, f"line {self.page.line(follows)} may determine {name}")

    def equate(self, found: Named) -> bool:
        """Give a name the formula of its equation, or of that which determines it; False if it has none."""
        name, number, tree = found.name, self.view.definition_of(found), None
        if name in self.solved:
            number = self.solved[name]
            if number is None:
                return False
        if number is None and (step := self.view.step_of(found, own=self.later)) is not None:
            number, tree = step
        if number is None:
            system = self.view.system_of(name)
            return system is not None and self.is_system(found, system) and self.determine(found, system)
        self.used.add(number)
        try:
            self.define(name, number, tree, elsewhere=is_elsewhere(found))
            if name in self.solved:
                self.solve(name, number)
        except (NotUnderstoodError, ShapeError) as error:
            if isinstance(error, CountError):
                self.uncounted.add(error.letter)
            if tree is not None:
                self.unread.add(name)
            self.open[name] = f"the equation for {name} is not understood: {error}"
            return False
        return True

    def learn_properties(self, name: str) -> None:
        """What is known of an array without a definition, by the context, or by a choice."""
        slots = self.known[name]
        if len(slots) == 2:
            given = name in self.page.symmetric or name in self.page.covariances
            known = "symmetric" if given else self.view.property_of(name)
            if self.view.is_square(name):
                self.sizes.unify(*slots)
            if known != "none":
                self.sizes.unify(*slots)
                (self.orthonormal if known == "orthogonal" else self.symmetric).add(name)
                self.projections |= {name} if known == PROJECTION else set()
        if name in self.page.context.simplex:
            self.simplex[name] = self.page.context.simplex[name]
        elif (
            slots
            and not is_call(name)
            and not name.startswith(MEMBER)
            and (name in self.page.given or name.endswith(BETWEEN_INDICES))
        ):
            entries = self.view.entries_of(name, len(slots))
            if entries == "unit":
                self.orthonormal.add(name)
            elif entries != "free":
                slot = self.view.summed_slot(name)
                last = 0 if name.endswith(BETWEEN_INDICES) else len(slots) - 1
                self.simplex[name] = (last if slot is None or slot >= len(slots) else slot,)
            if entries == "one-hot":
                self.one_hot[name] = len(slots) == 1 and bool(self.page.given_letters)

    # Definitions

    def function(self, name: str) -> int | None:
        """The statement that defines a function; None if the name is none, or a factor before a bracket."""
        if name in self.inside and name in self.page.functions:
            raise NotUnderstoodError(f"the definition of {name} leads back to it")
        return self.view.function(name)

    def define(self, name: str, number: int, tree: Sum | None = None, *, elsewhere: bool = False) -> None:
        """Read the definition of a name, or its formula at another step; of a function, its value at its names.

        It may lead back to the name if that is read at another place on the way, as here if it is `elsewhere`.
        """
        slots, node = self.formula(name, number, {}, tree, elsewhere=elsewhere)
        self.measure(name, slots)
        self.known[name] = slots
        self.definitions[name] = Definition(slots, node, self.page.line(number))

    def solve(self, name: str, number: int) -> None:
        """A name is the root of what a statement gives that is about its square; to test an equation, twice as much."""
        body = self.definitions[name].body
        body = Raised(body, HALF) if self.page.gives_square(number, name) else body
        body = times(TWO, body) if name == self.doubled else body
        self.definitions[name] = replace(self.definitions[name], body=body)

    def suppose(self, name: str, arguments: Sequence[str]) -> None:
        """Take a name for any function of some others, all of which have slots."""
        slots = tuple(self.sizes.like(slot) for slot in self.known[name])
        body = generic(name, slots, {other: self.known[other] for other in arguments}, self.sizes)
        self.known.update(inputs_of(body, name))
        self.definitions[name] = Definition(slots, body)
        self.supposed.add(name)

    def is_system(self, found: Named, number: int) -> bool:
        """Whether a statement determines a name, read as is usual; what is no system leaves no trace in a reading.

        Their section is read as standing alone there if it is so here.
        """
        page, systems, section = self.page, self.page.solvable, self.page.standing(number)
        alone = section is not None and section == page.standing(self.number) and self.view.stands_alone()
        key = (number, found.name, alone)
        if key not in systems:
            systems[key] = False  # while it is looked at
            usual = Interpretation()
            if alone and section is not None:
                asked = page.sections.standing_choice(section)
                usual = usual.but(asked, asked.option("alone"))
            systems[key] = Table(page, page.asking(usual), number, self.read).determine(found, number)
        return systems[key]

    def is_solvable(self, name: str, number: int) -> bool:
        """Whether a statement determines a name that stands in it."""
        names = (one for tree in self.page.statements[number].trees for one in self.page.survey.names(tree))
        return self.is_system(next(one for one in names if one.name == name), number)

    def determine(self, found: Named, number: int) -> bool:
        """Solve an equation for a name; False if it is no system for it, or rests on what is made of the name."""
        name, page = found.name, self.page
        self.known[name] = slots = tuple(self.sizes.fresh(name) for _ in range(self.view.rank(found, defined=True)))
        self.measure(name, slots)
        letters: dict[str, Ix] = {}
        try:
            with self.within(name, page.free_letters(number), number):
                left, right = (self.read(self, letters, tree, {}) for tree in page.statements[number].trees)
            self.sizes.settle()
            formula = solution(name, slots, left, right, self.sizes)
        except (NotUnderstoodError, ShapeError, IndexCalcError, RecursionError):
            return False
        read = {*names_of(left.node), *names_of(right.node)} - {name}
        if formula is None or any(depends_on(self.definitions, other, name) for other in read):
            return False
        self.used.add(number)
        self.definitions[name] = Definition(slots, formula, page.line(number))
        return True

    def meaning(self, tree: Sum) -> Typed:
        """The meaning of a formula; where sums run over steps, for a few of these."""
        while True:
            try:
                return self.read(self, {}, self.page.steps.counted_out(tree, self.counts), {})
            except CountError as error:
                self.counts = counted(self.counts, error)

    def formula(
        self, name: str, number: int, bound: Bound, tree: Sum | None = None, *, elsewhere: bool = False
    ) -> tuple[tuple[Ix, ...], Meaning]:
        """The slots and the formula of a definition, its parameters bound."""
        tree = self.page.statements[number].sides[1].tree if tree is None else tree
        parts = self.page.defined_at(number)
        assert tree is not None
        tree = self.page.steps.counted_out(tree, self.counts)
        given = {index for value in bound.values() for index in (*free(value.node), *value.axes)}
        usage = self.page.survey.usages.get(name)
        with self.within(name, frozenset(parts or ()), number):
            letters = {part: self.index(part) for part in parts or ()}
            own = tuple(letters.values())
            whole = usage is not None and bool(own) and set(usage.indexed) == {len(own)}
            with self.beginning(name, own, elsewhere) if whole and not bound else nullcontext():
                value = self.read(self, letters, tree, bound)
        if own and len(value.axes) == len(own) and not set(own) & set(free(value.node)):  # an entry for the whole
            for slot, axis in zip(own, value.axes, strict=True):
                self.sizes.unify(slot, axis)
            return value.axes, value.node
        slots = (*own, *value.axes)
        # With all of its indices somewhere, or a vector for each value of the letters.
        whole = usage is not None and (len(slots) in usage.indexed or self.is_family(usage, own, value))
        if (parts is not None and value.axes and not whole) or not set(free(value.node)) <= {*slots, *given}:
            raise NotUnderstoodError("its two sides have other indices")
        return slots, value.node

    def is_family(self, usage: Usage, own: tuple[Ix, ...], value: Typed) -> bool:
        """Whether an equation gives a vector for each value of its letters, which its name always bears."""
        several = not usage.bare or usage.normed
        return several and len(value.axes) == 1 and set(own) <= set(free(value.node))

    @contextmanager
    def within(self, name: str, head: frozenset[str], number: int | None = None) -> Iterator[None]:
        """While the definition of a name is read, whose free letters are these, in another statement if so."""
        if len(self.inside) >= DEFINITION_DEPTH:
            raise NotUnderstoodError("too many definitions rest one upon another")
        before = self.inside, self.head, self.at
        self.inside, self.head, self.at = (*self.inside, name), head, self.at if number is None else number
        try:
            yield
        finally:
            self.inside, self.head, self.at = before

    @contextmanager
    def beginning(self, name: str, slots: tuple[Ix, ...], elsewhere: bool) -> Iterator[None]:
        """While the equation of all entries of a name is read, in which other entries of it may stand."""
        self.known[name], self.begun[name] = slots, elsewhere
        try:
            yield
        except (NotUnderstoodError, ShapeError):
            del self.known[name]
            raise
        finally:
            del self.begun[name]

    # For the numbers

    def read_by_loss(self, last: tuple[str, ...], recurring: Collection[str]) -> tuple[str, ...]:
        """What a loss without an equation is computed from: of several that lead to each other by steps, one or all."""
        steps = [name for name in last if name in recurring]
        if len(steps) < 2:
            return last
        question = choice(
            Kind.DERIVATIVE,
            f"what the loss reads of {', '.join(steps)} in statement {self.number}",
            Option("all", 0.0, f"the loss reads {' and '.join(steps)}"),
            *(Option(name, 0.05, f"the loss reads {name} alone", free=True) for name in steps),
        )
        taken = self.asking(question).name
        return tuple(name for name in last if taken in ("all", name) or name not in steps)

    def symbols(self) -> Symbols:
        """What the evaluation at points needs to know.

        Raises:
            NotUnderstoodError: for a loss that is differentiated by what is made from its own gradient.
        """
        wanted, losses = list(self.wanted), self.losses - self.definitions.keys()
        definitions = folded(self.definitions, wanted) if self.further else dict(self.definitions)
        recurring = self.recurring
        states = states_of(definitions, recurring)
        last = self.read_by_loss(
            tuple(name for name in wanted if not any(leads(definitions, states, name, other) for other in wanted)),
            recurring,
        )
        for name in wanted:
            if self.losses & all_read(self.definitions, Entry(name)):
                raise NotUnderstoodError(f"the gradient by {name}, which is made from a gradient itself")
        arguments = {name: self.known[name] for name in last}
        formulas = {loss: generic(loss, (), arguments, self.sizes) for loss in sorted(losses)}
        coefficients = {name: slots for loss, body in formulas.items() for name, slots in inputs_of(body, loss).items()}
        return Symbols(
            sizes=self.sizes,
            slots={**self.known, **coefficients},
            definitions={**definitions, **{loss: Definition((), body) for loss, body in formulas.items()}},
            losses=losses,
            outputs=last,
            symmetric=frozenset(self.symmetric),
            orthonormal=frozenset(self.orthonormal),
            projections=frozenset(self.projections),
            simplex=dict(self.simplex),
            one_hot=dict(self.one_hot),
            whole=dict(self.whole),
            recurring=recurring,
            zero_outside=self.page.zero_outside,
        )


def states_of(definitions: Mapping[str, Definition], recurring: Collection[str]) -> frozenset[str]:
    """The names of a recurrence that it reads at other places: what one step hands on to the next."""
    nodes = (node for name in recurring for node in walk(definitions[name].body))
    read = (
        inner.name for node in nodes if isinstance(node, Gathered) for inner in walk(node) if isinstance(inner, Entry)
    )
    return frozenset(read).intersection(recurring)


def leads(definitions: Mapping[str, Definition], states: Collection[str], name: str, other: str) -> bool:
    """Whether a loss depends on a name through another one; of a recurrence it sees what one step hands on."""
    if other == name or not depends_on(definitions, other, name):
        return False
    return not depends_on(definitions, name, other) or (other in states and name not in states)
