"""What notation leaves open, as data: choices with options, and interpretations that take one option for each.

Reading is a function of a text and an interpretation. The reader asks for an option where it needs one, and what
it asked for is recorded: interpretations that agree on that are one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum


class Kind(StrEnum):
    """What a choice is about.

    RANK: how many slots a name has that stands without an index.
    DEFINITION: which equation gives a name its meaning.
    DERIVATIVE: whether a derivative is total, or holds the other names.
    LAYOUT: whether the derivative of an array by an array has the axes of the array first, or those of the other.
    SUMS: which repeated letters are summed although no sum is written.
    PROPERTY: what is known of a matrix: that it is symmetric, orthogonal.
    TIE: whether a number is the size of something, or an array holds what another name numbers.
    WORD: what a name made of a sign and another name is.
    ENTRY: whether a name without its indices stands for any one of its entries.
    CONDITION: whether a condition on indices, said beside a statement, holds for it.
    SECTION: whether a section stands alone that gives names which others give too, or goes on with theirs.
    APPLICATION: whether a bracket behind the name of a function is its argument, or a factor.
    RANDOM: whether a name in an expectation is random, or constant.
    NUMBERING: whether the values of indices begin with zero or with one.
    BASE: to which base log is.
    FUNCTION: which function a sign for several ones is.
    """

    RANK = "rank"
    DEFINITION = "definition"
    DERIVATIVE = "derivative"
    LAYOUT = "layout"
    SUMS = "sums"
    PROPERTY = "property"
    TIE = "tie"
    WORD = "word"
    ENTRY = "entry"
    CONDITION = "condition"
    SECTION = "section"
    APPLICATION = "application"
    RANDOM = "random"
    NUMBERING = "numbering"
    BASE = "base"
    FUNCTION = "function"


NEAR = 0.1
"""What the other options cost at least where the page as a whole prefers one."""


@dataclass(frozen=True, slots=True)
class Option:
    """One answer to a choice.

    Attributes:
        name: what tells it from the others.
        cost: how far it is from what is usual, from 0.
        phrase: how a report says it, and a context.
        stated: whether the document says it, by a word or a declaration.
        free: whether an author may mean it without saying so anywhere, as long as nothing speaks against it.
        general: whether what is true under it is true under the others, too: it assumes nothing that they don't.
    """

    name: str
    cost: float
    phrase: str
    stated: bool = False
    free: bool = False
    general: bool = False


Key = tuple[Kind, str]


@dataclass(frozen=True, slots=True)
class Choice:
    """A question that notation leaves open.

    Attributes:
        kind: what it is about.
        subject: what tells it from others of its kind.
        options: the answers, the usual one first.
        name: whose meaning it asks for, if it asks for that of a name.
    """

    kind: Kind
    subject: str
    options: tuple[Option, ...]
    name: str = ""

    @property
    def key(self) -> Key:
        """What tells it from other choices."""
        return (self.kind, self.subject)

    def option(self, name: str) -> Option:
        """The option of a name."""
        return next(option for option in self.options if option.name == name)


def choice(kind: Kind, subject: str, *options: Option) -> Choice:
    """A choice with its options in the order of their cost."""
    return Choice(kind, subject, tuple(sorted(options, key=lambda option: option.cost)))


def preferring(asked: Choice, name: str | None) -> Choice:
    """The same choice with another option as the usual one; the others are as unusual as before, or nearly as usual."""
    if name is None or name == asked.options[0].name:
        return asked
    options = (replace(option, cost=0.0 if option.name == name else max(option.cost, NEAR)) for option in asked.options)
    return replace(asked, options=choice(asked.kind, asked.subject, *options).options)


def meaning_choice(name: str, line: int, *options: Option) -> Choice:
    """Which equation gives a name its meaning; the usual one is at a line."""
    kind, subject = meaning_key(name, line)
    return Choice(kind, subject, choice(kind, subject, *options).options, name)


def system_choice(name: str, line: int) -> Choice:
    """Whether an equation determines a name that it does not give.

    What something is differentiated by varies freely as a rule: an equation with it asks where it holds.
    """
    return choice(
        Kind.DEFINITION,
        f"{name} by line {line}",
        Option("free", 0.0, f"{name} varies freely"),
        Option("determined", 0.2, f"line {line} determines {name}"),
    )


def meaning_key(name: str, line: int) -> Key:
    """The key of that choice."""
    return (Kind.DEFINITION, f"{name} at line {line}")


@dataclass(frozen=True)
class Interpretation:
    """An option for each choice: the usual one where nothing is said."""

    chosen: Mapping[Key, str] = field(default_factory=dict)

    def option(self, asked: Choice) -> Option:
        """The option for a choice."""
        name = self.chosen.get(asked.key)
        return next((option for option in asked.options if option.name == name), asked.options[0])

    def but(self, asked: Choice, option: Option) -> Interpretation:
        """The same, with another option for one choice."""
        return Interpretation({**self.chosen, asked.key: option.name})


@dataclass
class Asking:
    """An interpretation, and the choices that were asked for while it was used, in order.

    Attributes:
        interpretation: the interpretation.
        settled: the phrases of the options that a context says.
        preferred: the options that the page as a whole prefers to the usual ones.
        asked: the choices that were open.
        heard: the phrases of the context that answered one.
    """

    interpretation: Interpretation
    settled: Collection[str] = ()
    preferred: Mapping[Key, str] = field(default_factory=dict)
    asked: dict[Key, Choice] = field(default_factory=dict)
    heard: set[str] = field(default_factory=set)

    def __call__(self, question: Choice) -> Option:
        """The option for a choice, which is noted; what the document's context says is no choice."""
        if self.settled:
            said = next((option for option in question.options if option.phrase in self.settled), None)
            if said is not None:
                self.heard.add(said.phrase)
                return said
        key = question.key
        if key not in self.asked:
            self.asked[key] = preferring(question, self.preferred.get(key))
        return self.interpretation.option(self.asked[key])


def alternatives(asking: Asking) -> Iterator[tuple[Choice, Option, float]]:
    """The options not taken of the choices asked for, each with what it costs more."""
    for question in asking.asked.values():
        current = asking.interpretation.option(question)
        for option in question.options:
            if option != current:
                yield question, option, option.cost - current.cost


SUMS = choice(
    Kind.SUMS,
    "the document",
    Option("written", 0.0, "sums are written"),
    Option("chain", 0.1, "a letter that is repeated across a chain rule is summed", free=True),
    Option("repeated", 0.5, "a letter that is repeated in a product is summed"),
)
"""Which repeated letters are summed although no sum is written."""

NUMBERING = choice(
    Kind.NUMBERING,
    "the document",
    Option("zero", 0.0, "the first value of an index is 0"),
    Option("one", 0.1, "the first value of an index is 1", free=True),
)
"""Which number the first entry of an axis has: it matters only where an index is a part of an expression."""

LAYOUT = choice(
    Kind.LAYOUT,
    "the document",
    Option("gradient", 0.0, "the derivative of a number has the shape of what it is taken by"),
    Option("Jacobian", 0.3, "the derivative by a column is a row"),
)
"""Which axes come first in the derivative of an array."""
