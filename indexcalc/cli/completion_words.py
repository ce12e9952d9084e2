"""What can be completed: commands, their options and what these take, read from the commands themselves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from indexcalc.cli.lazy import COMMANDS, imported
from indexcalc.language.paths import SUFFIX

DOCUMENTS = (".md", ".tex", ".html", ".htm")


@dataclass(frozen=True, slots=True)
class Taken:
    """What an option or an argument takes.

    Attributes:
        words: the words that it may be.
        endings: of the files that it may be; an empty one stands for any file.
        folders: whether it may be a folder alone.
        list: whether words are given with commas between.
        metavar: what the help calls it.
    """

    words: tuple[str, ...] = ()
    endings: tuple[str, ...] = ()
    folders: bool = False
    list: bool = False
    metavar: str = ""


@dataclass(frozen=True, slots=True)
class Option:
    """An option: all its spellings, its help, and what it takes; None for a flag."""

    names: tuple[str, ...]
    help: str
    takes: Taken | None


@dataclass(frozen=True, slots=True)
class Command:
    """A command: its summary, its options, and what its arguments are, the last of them repeated."""

    name: str
    summary: str
    options: tuple[Option, ...]
    argument: Taken | None


def commands() -> tuple[Command, ...]:
    """All commands."""
    return tuple(command_of(name) for name in COMMANDS)


def command_of(name: str) -> Command:
    """One command, as its declaration has it."""
    command = imported(name)
    with command.make_context(name, [], resilient_parsing=True) as context:
        parameters = command.get_params(context)
        options = tuple(option_of(one, context) for one in parameters if one.param_type_name == "option")
        arguments = [taken_by(one, context) for one in parameters if one.param_type_name == "argument"]
    return Command(name, COMMANDS[name].summary, options, arguments[-1] if arguments else None)


def option_of(parameter: Any, context: Any) -> Option:
    """One option."""
    takes = None if parameter.is_flag else taken_by(parameter, context)
    return Option((*parameter.opts, *parameter.secondary_opts), parameter.help or "", takes)


def taken_by(parameter: Any, context: Any) -> Taken:
    """What a parameter takes, by its declared words and by the name that its help gives to it."""
    metavar = parameter.metavar or ""
    words = tuple(one.value for one in parameter.shell_complete(context, "") if one.type == "plain" and one.value)
    return Taken(words, tuple(endings(metavar)), metavar == "DIR", metavar == "LIST", metavar)


def endings(metavar: str) -> Iterator[str]:
    """The endings of the files that a parameter may be."""
    if "PATH" in metavar:
        yield SUFFIX
    elif "NOTE" in metavar:
        yield from DOCUMENTS
    elif metavar == "FILE":
        yield ""
