"""A page as one of its statements sees it: which equation, which declaration and which rank its names have there.

Of several that may be meant, the nearest is the usual one; where that leaves a choice open, it is asked.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from indexcalc.document.choices import Asking, Choice, Kind, Option, choice, meaning_choice, system_choice
from indexcalc.document.page import Page
from indexcalc.document.ranks import SIZE, entries_choice, family_choice, rank_choice, row_choice, size_choice
from indexcalc.document.statements.scripts import BETWEEN_INDICES, Named
from indexcalc.document.statements.settings import Setting
from indexcalc.document.statements.shapes import Declared
from indexcalc.document.statements.survey import Usage
from indexcalc.language.latex.tree import Sum

CASE_REACH = 12
"""Behind how many words of a page a case of which it speaks is usually over."""

SYMMETRIC = "symmetric"
PROJECTION = "a projection"
PROJECTIONS = re.compile(r"P_.+|(?:H|Pi)(?:_.+)?")
"""The names of matrices that may be projections: of P alone nothing is known, for probabilities are called so, too."""
"""The option of a matrix that is equal to its transpose."""

EXAMPLE_REACH = 3
"""How many statements behind one that gives an example are usually about it."""


@dataclass(frozen=True)
class View:
    """What a page says, seen from one statement under one interpretation.

    Attributes:
        page: the page.
        asking: the interpretation, noting what is asked of it.
        number: the statement.
    """

    page: Page
    asking: Asking
    number: int

    # Sections

    def is_within(self, position: int) -> bool:
        """Whether a position is in the section of the statement, if it may stand alone; a context is everywhere."""
        section = self.page.standing(self.number)
        return section is None or position < 0 or section[0] <= position < section[1]

    def stands_alone(self) -> bool:
        """Whether the section around the statement gives its names itself, and takes nothing from other sections."""
        section = self.page.standing(self.number)
        if section is None:
            return False
        return self.asking(self.page.sections.standing_choice(section)).name == "alone"

    # Shapes

    def usage(self, name: str) -> Usage | None:
        """How a name is used in the section of the statement; None if it is not used there."""
        return self.page.usage(name, self.number)

    def is_size(self, name: str) -> bool:
        """Whether a name is that of a size."""
        if name not in self.page.sizes:
            return False
        if self.page.survey.rank(name) is None and name not in self.page.defining:
            return name not in self.page.added_to_arrays or self.asking(size_choice(name)).name == SIZE
        # An array elsewhere may be a size in a section that stands alone.
        usage, section = self.usage(name), self.page.standing(self.number)
        if section is None or usage is None or usage.indexed:
            return False
        shapes = (one for shapes in self.page.declared.values() for one in shapes)
        return any(name in one.sizes and self.is_within(one.start) for one in shapes) and self.stands_alone()

    def declared(self, name: str) -> tuple[str, ...] | None:
        """The sizes that the nearest declaration gives a name: the last one before, else the first one."""
        if name not in self.page.declared and name not in self.page.written:
            return None
        nearest = self.nearest_shape(self.page.declared.get(name, ()))
        before = nearest is not None and nearest.start <= self.page.start(self.number)
        written = self.written(name, nearest.start if nearest is not None and before else -1)
        if written is not None or nearest is None:
            return written
        return nearest.sizes if self.is_meant(name, nearest) else None

    def is_meant(self, name: str, shape: Declared) -> bool:
        """Whether a declaration is about the name here.

        It is not if the section here gives the name a meaning of its own. It may not be if it stands in a section
        behind, or if others give the name other shapes, in this section or where this one gives it none.
        """
        page, sections, here = self.page, self.page.sections, self.page.start(self.number)
        own = page.section(self.number)
        if min(shape.start, here) < 0:
            return True
        elsewhere = sections.around(shape.start) != own
        if elsewhere and any(page.section(n) == own for n in page.defining.get(name, ())):
            return False
        behind = elsewhere and shape.start > here
        shapes = page.declared[name]
        beside = [one for one in shapes if sections.around(one.start) == own]
        several = len({one.sizes for one in beside or shapes}) > 1
        near = not elsewhere and shape.start < here and self.is_near(shape.start)
        if near or not (behind or several):
            return True
        line = page.document.place(shape.start)[0]
        words = f"{name} has the shape of which line {line} speaks", f"{name} has any shape"
        return self.holds_from(line, f"the shape of {name}", *words)

    def nearest_shape(self, shapes: Sequence[Declared]) -> Declared | None:
        """The last of several shapes that is declared before the statement, else the first one."""
        if any(not self.is_within(one.start) for one in shapes) and self.stands_alone():
            shapes = tuple(one for one in shapes if self.is_within(one.start))
        start = self.page.start(self.number)
        before = [one for one in shapes if one.start <= start]
        return before[-1] if before else shapes[0] if shapes else None

    def written(self, name: str, behind: int) -> tuple[str, ...] | None:
        """The shape of a name that is written out by its own entries, behind a place and in the statement's section."""
        shape = self.shape_written(name, behind)
        if shape is None or not self.is_near(shape.start):
            return None
        line = self.page.document.place(shape.start)[0]
        words = f"{name} has the shape in which line {line} writes it", f"{name} has any shape"
        return shape.sizes if self.holds_from(line, f"the shape of {name}", *words) else None

    def shape_written(self, name: str, behind: int) -> Declared | None:
        """The last such shape before the statement."""
        around, start, section = self.page.sections.around, self.page.start(self.number), self.page.section(self.number)
        written = self.page.written.get(name, ())
        shapes = [one for one in written if behind < one.start < start and around(one.start) == section]
        return shapes[-1] if shapes else None

    def is_near(self, start: int) -> bool:
        """Whether few words stand between a place and the statement: what is said there for a case holds here."""
        words = self.page.words
        return bisect_left(words, self.page.start(self.number)) - bisect_left(words, start) <= CASE_REACH

    def holds_from(self, line: int, subject: str, said: str, otherwise: str) -> bool:
        """Whether what a line says for a case is meant here."""
        question = choice(
            Kind.CONDITION,
            f"{subject} from line {line} on",
            Option("said", 0.0, said, stated=True),
            Option("any", 0.1, otherwise, free=True),
        )
        return self.asking(question).name == "said"

    def past_case(self, name: str, shape: Sequence[str | None]) -> str:
        """What may still hold of a name in a case of which the page spoke further back; empty if it spoke of none."""
        settings = [setting for size in shape if size is not None and (setting := self.nearest_setting(size))]
        places = [one.start for one in (*settings, self.shape_written(name, -1)) if one is not None]
        past = next((start for start in places if not self.is_near(start)), None)
        return f"line {self.page.document.place(past)[0]} may still hold of {name}" if past is not None else ""

    def member(self, name: str) -> tuple[str, ...] | None:
        """The shape of one array of a family, if the page declares it of the name with an index."""
        shape = self.nearest_shape(self.page.members.get(name, ()))
        family = self.family(name, 1, numbered=False) if shape is not None else None
        if shape is None or family is None or int(self.asking(family).name) != len(shape.sizes):
            return None
        return shape.sizes

    def family(self, name: str, count: int, *, numbered: bool) -> Choice | None:
        """Whether a name with so many indices is one of several arrays; None where nothing hints at it.

        Sizes of two axes beside one index say so. Those of one may as well be said of all entries. A matrix with the
        same letter as its name, in a capital, may hold the arrays. Behind what is transposed stands an array.
        """
        shape = self.nearest_shape(self.page.members.get(name, ())) if count == 1 else None
        said = self.page.called.get((name, count))
        if shape is not None and len(shape.sizes) > 1:
            said = len(shape.sizes)
        usage = self.usage(name)
        hint = shape is not None or len(self.shape(self.page.capitals.get(name, "")) or ()) == 2
        hint = hint or (usage is not None and usage.paired > 0)
        return family_choice(name, count, usage, numbered=numbered, said=said, hint=hint)

    def setting(self, name: str) -> int | None:
        """The number that a size is in the case of which the words before the statement speak, if they do."""
        nearest = self.nearest_setting(name)
        if nearest is None or not self.is_near(nearest.start):
            return None
        line = self.page.document.place(nearest.start)[0]
        words = f"{name} is {nearest.value}, as line {line} says", f"{name} is any number"
        return nearest.value if self.holds_from(line, name, *words) else None

    def nearest_setting(self, name: str) -> Setting | None:
        """The last number that words before the statement give a size, in its section if that may stand alone."""
        start = self.page.start(self.number)
        before = [one for one in self.page.settings.get(name, ()) if one.start < start and self.is_within(one.start)]
        return before[-1] if before else None

    def shape(self, name: str) -> tuple[str | None, ...] | None:
        """The sizes of the slots of a name, as it is declared, or the same tensor at another step.

        A tensor has as many slots at all of its steps. Of their sizes, only numbers are the same.
        """
        declared = self.declared(name)
        if declared is not None:
            return declared
        if (member := self.member(name)) is not None:
            return (None, *member)
        others = map(self.declared, self.page.steps.others(name))
        elsewhere = next((sizes for sizes in others if sizes is not None), None)
        return tuple(size if size.isdigit() else None for size in elsewhere) if elsewhere is not None else None

    def rank(self, found: Named, *, defined: bool) -> int:
        """How many slots a name has: its indices say it, or its declaration, or else a choice."""
        name = self.page.steps.alike(found.name)
        if name in self.page.sizes and name in self.page.added_to_arrays and found.parts is None:
            taken = self.asking(size_choice(name)).name
            return 0 if taken == SIZE else int(taken)
        usage = self.usage(name)
        indexed = max(usage.indexed, default=None) if usage is not None else None
        shape = self.shape(name)
        if shape is not None and (indexed is None or indexed <= len(shape)):
            return len(shape)
        if found.parts is not None or indexed is not None:
            count = max(len(found.parts or ()), indexed or 0)
            numbered = not indexed and all(part.isdigit() for part in found.parts or ())
            family = self.family(name, count, numbered=numbered)
            return count if family is None else count + int(self.asking(family).name)
        if name in self.page.numbered_entries:
            usages = (self.page.survey.usages[one] for one in self.page.numbered_entries)
            return int(self.asking(entries_choice(usages)).name)
        # A name that has an equation, which is not looked at, says less about itself.
        unknown = defined or name not in self.page.defining
        said = self.page.called.get((name, 0))
        whole = self.page.survey.usages.get(name)
        return int(self.asking(rank_choice(name, whole, usage, unknown=unknown, said=said)).name)

    def property_of(self, name: str) -> str:
        """``symmetric`` or ``orthogonal``, as the words of the section may say of a matrix; else ``none``.

        By its letter it may be a projection, which leaves open what it would make true, and proves nothing.
        """
        said = self.page.sections.said(self.page.start(self.number))
        options = [Option("none", 0.0, f"{name} is any matrix")]
        for one in (SYMMETRIC, "orthogonal"):
            stated = one in said or (one == SYMMETRIC and name in self.page.laws.values())
            options.append(Option(one, 0.1 if stated else 1.0, f"{name} is {one}", stated=stated))
        if PROJECTIONS.fullmatch(name):
            options.append(Option(PROJECTION, 0.5, f"{name} is {PROJECTION}"))
        return self.asking(choice(Kind.PROPERTY, name, *options)).name

    def is_square(self, name: str) -> bool:
        """Whether a statement that holds here says of a matrix that it is equal to its transpose."""
        return any(one == name and self.is_within(self.page.start(n)) for n, one in self.page.laws.items())

    def entries_of(self, name: str, slots: int) -> str:
        """What words say of an input's entries: ``one``, that they sum to one, ``one-hot``, ``unit``; else ``free``.

        The words of the document say what is likely; that only one entry is not zero is never meant without a word.
        What has one index given another, ``p_{j|i}``, may be a distribution without a word.
        """
        said = self.page.said_anywhere
        written = self.summed_slot(name) is not None
        stated, given = "one" in said or written, name.endswith(BETWEEN_INDICES)
        cost = 0.0 if written else 0.3 if stated or given else 0.6
        options = [
            Option("free", 0.2 if written else 0.0, f"the entries of {name} are any numbers"),
            Option("one", cost, f"the entries of {name} sum to one", stated=stated, free=given),
        ]
        if "one-hot" in said:
            options.append(Option("one-hot", 0.4, f"{name} is one-hot", stated=True))
        if "unit" in said and slots == 1:
            options.append(Option("unit", 0.3, f"{name} has the length one", stated=True))
        return self.asking(choice(Kind.PROPERTY, f"the entries of {name}", *options)).name

    def summed_slot(self, name: str) -> int | None:
        """The slot of an input over which a sentence sums it to get one; None if none does, or several do.

        A shape that another section gives the name since is that of another array.
        """
        page, here = self.page, self.page.start(self.number)
        declared = [one.start for one in (*page.declared.get(name, ()), *page.members.get(name, ()))]
        slots = set[int]()
        for number, (other, slot) in page.distributions.items():
            said = page.start(number)
            around = page.sections.around(said)
            anew = any(said < place <= here and not around[0] <= place < around[1] for place in declared)
            if other == name and self.is_within(said) and not anew:
                slots.add(slot)
        return slots.pop() if len(slots) == 1 else None

    # Equations

    def definition_of(self, found: Named) -> int | None:
        """The statement that gives a name its meaning here: the nearest before, else the first one behind.

        One with another number of indices is about another array of this name.
        """
        name, count = found.name, len(found.parts or ())
        defining = [
            number
            for number in self.page.defining.get(name, ())
            if number != self.number and self.page.dotted(number) == found.dotted
        ]
        numbers = [
            number
            for number in defining
            if self.page.indexed(number) in (None, count or None, *(() if found.parts else (1, 2, 3)))
        ]
        rows = [number for number in defining if (self.page.indexed(number) or 0) > count]
        if rows and count and not numbers and self.is_row(name, count):
            numbers = rows
        return self.nearest(name, numbers or self.page.functions.get(name, ()))

    def step_of(self, found: Named, *, own: bool) -> tuple[int, Sum] | None:
        """The statement that gives a name at another step, and what it gives at this one; None if none does.

        Args:
            found: the name.
            own: whether the statement's own equation, at another step, may be it.
        """
        count = len(found.parts or ())
        places = {
            number: (letter, target)
            for number, letter, target in self.page.steps.equations(found.name, self.number)
            if self.page.indexed(number) in (None, count or None, *(() if found.parts else (1, 2, 3)))
        }
        numbers = sorted(number for number in places if own or number != self.number)
        head = self.page.heads[numbers[0]] if numbers else None
        # A step further back may be where the author begins.
        back = any(not target.text.isdigit() and target.offset < 0 for _, target in places.values())
        name = found.name if back or head is None else head.name
        number = self.nearest(name, numbers, own=own, given=back)
        tree = self.page.steps.side(number, *places[number]) if number is not None else None
        return (number, tree) if number is not None and tree is not None else None

    def system_of(self, name: str) -> int | None:
        """The statement that determines a name here without giving it, if one does."""
        numbers, follows = self.page.systems.get(name, ()), self.page.may_follow.get(name)
        if follows is not None and self.asking(system_choice(name, self.page.line(follows))).name == "determined":
            numbers = (follows,)
        return self.nearest(name, numbers)

    def is_row(self, name: str, count: int) -> bool:
        """Whether a name with fewer indices than its definition is a row of that array, or what is left of it."""
        return self.asking(row_choice(name, count)).name == "row"

    def function(self, name: str) -> int | None:
        """The statement that defines a function; None if the name is none, or a factor before a bracket."""
        numbers = self.page.functions.get(name, ())
        if not numbers:
            return None
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

    def nearest(self, name: str, numbers: Sequence[int], *, own: bool = False, given: bool = False) -> int | None:
        """The one of several statements that gives a name its meaning here; a choice if they are several.

        The statement's own equation is the last of them, where it may be one; none is, where the name may be given.
        """
        page = self.page
        last = [n for n in numbers if own and n == self.number]
        numbers = [n for n in numbers if n != self.number] or last
        if any(not self.is_within(page.start(n)) for n in numbers) and self.stands_alone():
            numbers = [n for n in numbers if self.is_within(page.start(n))]
        if unit := page.unit(self.number):  # an item or a row that gives a name itself means that
            numbers = [n for n in numbers if page.unit(n) == unit] or numbers
        if not numbers:
            return None
        before = [number for number in numbers if number < self.number]
        grounded = {page.section(n) for n in before if n not in page.definitions.circles}
        # One that leads back to the name says less than another one of its section.
        before.sort(key=lambda n: n not in page.definitions.circles or page.section(n) not in grounded)
        before.sort(key=self.is_past_example)
        # Equations that say the same are one: the nearest stands for all.
        behind = (number for number in numbers if number > self.number)
        ordered = self.page.different((*reversed(before), *behind, *last))
        line, apart = self.page.line(ordered[0]), self.apart(ordered[0]) or ordered[0] in self.page.examples
        apart = apart or ordered[0] in self.page.remainders
        given = given or self.is_solved_for(name, ordered[0])
        if len(ordered) == 1 and not (apart or given):
            return ordered[0]
        given = given or (apart and (self.is_given(name, ordered[0]) or self.is_past_example(ordered[0])))
        options = [
            Option(str(n), 0.1 * given + 0.15 * place, f"{name} is what line {self.page.line(n)} says", free=True)
            for place, n in enumerate(ordered[:4])
        ]
        if apart or given:
            options.append(Option("none", 0.1 * (not given), f"{name} is not what line {line} says", free=True))
        taken = self.asking(meaning_choice(name, line, *options)).name
        # The same is asked of a name at another step, for which other equations may stand.
        return next((n for n in ordered if str(n) == taken), None)

    def is_past_example(self, number: int) -> bool:
        """Whether a statement writes out an array of an example that is over here, or has not begun."""
        return number in self.page.examples and not 0 <= self.number - number <= EXAMPLE_REACH

    def is_given(self, name: str, number: int) -> bool:
        """Whether a name is declared before this statement, and a later section alone gives it a meaning."""
        page, here = self.page, self.page.start(self.number)
        declared = (*page.declared.get(name, ()), *page.members.get(name, ()))
        return number > self.number and any(one.start <= here for one in declared)

    def is_solved_for(self, name: str, number: int) -> bool:
        """Whether a statement behind may say where a derivative by the name is zero, which is taken here.

        What is differentiated has its equation before, so that all was known without that of the name.
        """
        page = self.page
        differentiated = {above.name for above, below in page.slopes[self.number] if below.name == name}
        if name in page.slopes_by_nablas[self.number]:
            trees = page.statements[self.number].trees
            differentiated |= {found.name for tree in trees for found in page.survey.names(tree)}
        equations = (n for one in differentiated for n in (*page.defining.get(one, ()), *page.functions.get(one, ())))
        return number > self.number and any(n < self.number for n in equations)

    def apart(self, number: int) -> bool:
        """Whether a definition stands in another item or row, or in a section that only follows."""
        page = self.page
        if min(number, self.number) < page.told:
            return False
        own, other = page.unit(self.number), page.unit(number)
        follows = number > self.number and page.section(number) != page.section(self.number)
        return follows or (bool(own) and bool(other) and own != other)
