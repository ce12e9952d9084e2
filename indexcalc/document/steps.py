"""What a page says at other steps: names of one tensor at its steps, equations there, and how many steps are read."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property

from indexcalc.document.meaning.symbols import NotUnderstoodError
from indexcalc.document.statements.labels import Layer, of_any_layer
from indexcalc.document.statements.limits import bound_in
from indexcalc.document.statements.outline import Statement
from indexcalc.document.statements.steps import moved_tree, step_between, steps_in
from indexcalc.document.statements.survey import Survey
from indexcalc.language.latex.tree import Node, Sum


@dataclass(frozen=True)
class Steps:
    """The steps and layers of a page.

    Attributes:
        survey: how its names are used.
        statements: in order.
        defining: the numbers of the statements that give each name.
        declared: the names whose shapes are declared.
        counted: the letters that end sums over steps, with the numbers at which each relation is read.
        firsts, moved, written_out, reaching, at_count: what was found before.
    """

    survey: Survey
    statements: Sequence[Statement]
    defining: Mapping[str, tuple[int, ...]]
    declared: Collection[str]
    counted: dict[tuple[int, int, int], dict[str, int]] = field(default_factory=dict, compare=False, repr=False)
    firsts: dict[int, Mapping[str, int]] = field(default_factory=dict, compare=False, repr=False)
    moved: dict[tuple[int, str, str], Sum | None] = field(default_factory=dict, compare=False, repr=False)
    written_out: dict[tuple[int, int], tuple[Node, tuple[Node, ...] | None]] = field(
        default_factory=dict, compare=False, repr=False
    )
    reaching: dict[tuple[int, frozenset[str]], tuple[Sum, Sum]] = field(default_factory=dict, compare=False, repr=False)
    at_count: dict[tuple[int, str], tuple[Sum, Sum | None]] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def numbered(self) -> Mapping[str, tuple[str, ...]]:
        """The names with the number of a step or a layer that stand in it, by what they have in common at all steps."""
        found: dict[str, list[str]] = {}
        for name in (*self.defining, *(name for name in self.survey.usages if name not in self.defining)):
            if (plain := of_any_layer(name)) != name:
                found.setdefault(plain, []).append(name)
        return {plain: tuple(names) for plain, names in found.items()}

    def alike(self, name: str) -> str:
        """A name that stands in the document: the name, or that of the same tensor at another step."""
        if name in self.survey.usages:
            return name
        return next(iter(self.numbered.get(of_any_layer(name), ())), name)

    def others(self, name: str) -> tuple[str, ...]:
        """The names of the same tensor at other steps that stand in the document."""
        return self.numbered.get(of_any_layer(name), ()) if self.letters and name not in self.declared else ()

    def equations(self, name: str, number: int) -> Iterator[tuple[int, str, Layer]]:
        """The equations that give a name at another step: their numbers, the letter in them, and what stands for it.

        A statement sees the steps from the first that it speaks of: an equation leads back to no earlier one.
        Its own equation is among them.
        """
        letters = self.statements[number].families.layers
        for general in self.numbered.get(of_any_layer(name), ()) if letters else ():
            found = step_between(general, name, letters) if general in self.defining else None
            if found is not None and self.is_reached(found[1], name, number):
                yield from ((one, *found) for one in self.defining[general])

    def is_reached(self, target: Layer, name: str, number: int) -> bool:
        """Whether a step is none before the first of which a statement speaks."""
        if target.text.isdigit():
            return True
        offset = min(step.offset for _, step in steps_in(name) if step.text == target.text)
        return offset > self.first(number).get(target.text, 0) - 1

    def first(self, number: int) -> Mapping[str, int]:
        """The letters of steps in a statement, each with the least that is added to it."""
        if number not in self.firsts:
            found: dict[str, int] = {}
            for tree in self.statements[number].trees:
                for one in self.survey.names(tree):
                    for _, step in steps_in(one.name):
                        found[step.text] = min(step.offset, found.get(step.text, step.offset))
            self.firsts[number] = found
        return self.firsts[number]

    @cached_property
    def letters(self) -> frozenset[str]:
        """The letters that number steps or layers."""
        return frozenset(name for statement in self.statements for name, _ in statement.families.layers)

    def counted_out(self, tree: Sum, counts: Mapping[str, int]) -> Sum:
        """A formula with numbers for the letters that count steps; one that a sum in it binds stays.

        Raises:
            NotUnderstoodError: if a letter does more in it than number steps.
        """
        for letter, count in counts.items():
            key = id(tree), f"{letter}{count}"
            if key not in self.at_count:
                bound = letter in bound_in(tree)
                self.at_count[key] = tree, tree if bound else moved_tree(tree, letter, Layer(str(count)))
            moved = self.at_count[key][1]
            if moved is None:
                raise NotUnderstoodError(f"{letter} does more than number steps")
            tree = moved
        return tree

    @contextmanager
    def one_fewer(self, place: tuple[int, int, int]) -> Iterator[None]:
        """While a relation is read for one step less."""
        counts = self.counted[place]
        self.counted[place] = {letter: count - 1 for letter, count in counts.items()}
        try:
            yield
        finally:
            self.counted[place] = counts

    def side(self, number: int, letter: str, target: Layer) -> Sum | None:
        """The second member of a statement at another step."""
        key = number, letter, str(target)
        if key not in self.moved:
            tree = self.statements[number].sides[1].tree
            self.moved[key] = moved_tree(tree, letter, target) if tree is not None else None
        return self.moved[key]
