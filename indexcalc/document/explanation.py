"""How a relation was read: each name with its shape and what says so, and each choice with what supports it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from indexcalc.document.choices import Choice, Key, Kind, Option
from indexcalc.document.evidence import Votes, is_guess, others
from indexcalc.document.meaning.sizes import ShapeError
from indexcalc.document.meaning.symbols import NotUnderstoodError
from indexcalc.document.outcomes import Outcome, Relation, comparison, table_of
from indexcalc.document.page import Page
from indexcalc.document.report import ChoiceTaken, Explanation, NameRead
from indexcalc.document.statements.calls import shown
from indexcalc.document.table import Table
from indexcalc.errors import IndexCalcError

WORDS = {0: "a number", 1: "a vector", 2: "a matrix"}


def explanation(page: Page, relation: Relation, result: Outcome, votes: Votes) -> Explanation:
    """How a relation was read in the reading that decided."""
    table = table_of(page, relation, result.interpretation)
    with suppress(NotUnderstoodError, ShapeError, IndexCalcError, RecursionError):
        comparison(table, relation)
    choices = tuple(
        taken(page, result, key, votes, relation.number) for key in result.asked if matters(result, key, votes)
    )
    return Explanation(tuple(names(page, table)), choices)


def matters(result: Outcome, key: Key, votes: Votes) -> bool:
    """Whether a choice is worth a word: it is not taken as usual, or could well be taken otherwise, or lines speak."""
    asked = result.asked[key]
    usual = result.interpretation.option(asked) == asked.options[0]
    return not usual or is_guess(result, key) or any(votes.get(key, {}).values())


def names(page: Page, table: Table) -> Iterator[NameRead]:
    """The names of a reading in the order in which they were met."""
    for name in table.known:
        if name not in page.survey.usages:
            continue  # a derivative, or another array of the name
        yield NameRead(shown(name), shape(table, name), source(page, table, name))


def shape(table: Table, name: str) -> str:
    """The shape of a name in words, with the sizes that are known."""
    slots = table.known[name]
    sizes = [table.sizes.name_of(slot) for slot in slots]
    words = WORDS.get(len(slots), f"an array with {len(slots)} axes")
    if not slots or "?" in sizes:
        return words
    return f"{words}, {' × '.join(sizes)}" if len(slots) > 1 else f"{words} with {sizes[0]} entries"


def source(page: Page, table: Table, name: str) -> str:
    """What says the shape of a name."""
    definition = table.definitions.get(name)
    if name in table.supposed and definition is not None:
        arguments = (one for one in definition.reads if not one.endswith(f" of {name}"))
        return f"any function of {' and '.join(arguments)}"
    if definition is not None:
        given = "defined by the context" if name in page.defining else "its name says what it is"
        return f"defined at line {definition.line}" if definition.line else given
    usage = page.survey.usages.get(name)
    if table.view.declared(name) is not None:
        return "declared"
    if usage is not None and len(table.known[name]) in usage.indexed:
        return "its indices"
    if (Kind.RANK, name) in table.asking.asked:
        return "its letter, and what it is multiplied with"
    return "how it is used"


def taken(page: Page, result: Outcome, key: Key, votes: Votes, number: int) -> ChoiceTaken:
    """A choice as the reading took it, with what supports that."""
    asked = result.asked[key]
    option = result.interpretation.option(asked)
    rest = tuple(one.phrase for one in asked.options if one.name != option.name)
    return ChoiceTaken(shown(option.phrase), support(page, asked, option, votes, number), tuple(map(shown, rest)))


def support(page: Page, asked: Choice, option: Option, votes: Votes, number: int) -> str:
    """What supports an option: the lines that speak for it and against it, and whether it is usual."""
    says = votes.get(asked.key, {})
    spoken = lines(page, {voter for voter, _ in others(says.get(option.name, set()), number)})
    against = lines(page, {v for name, who in says.items() if name != option.name for v, _ in others(who, number)})
    usual = option.name == asked.options[0].name
    parts = ["usual" if usual else "stated" if option.stated else "not usual"]
    parts += [f"{spoken} for it"] if spoken else []
    parts += [f"{against} against it"] if against else []
    if not usual and not option.stated and not spoken:
        parts.append("nothing against it" if option.free and not against else "nothing for it")
    return "; ".join(parts)


def lines(page: Page, numbers: set[int]) -> str:
    """The lines of some statements; empty if there are none."""
    found = sorted({page.document.place(page.start(number))[0] for number in numbers if number >= page.told})
    if not found:
        return "the context" if numbers else ""
    return f"line {found[0]}" if len(found) == 1 else f"lines {', '.join(map(str, found))}"
