"""Commands that are imported when they are called: the program starts without what they need."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup


@dataclass(frozen=True)
class Lazy:
    """A command by where it is written.

    Attributes:
        module: it is imported when the command is called.
        function: the command in it.
        summary: the first line of its docstring, which the help of the program shows.
    """

    module: str
    function: str
    summary: str


COMMANDS: Mapping[str, Lazy] = {
    "list": Lazy("indexcalc.cli.listing", "list_shipped", "List the shipped derivations."),
    "derive": Lazy(
        "indexcalc.cli.derive",
        "derive_spec",
        "Derive the backward pass of a forward pass: a note, NumPy code, and a check of the code.",
    ),
    "check": Lazy("indexcalc.cli.check", "check_documents", "Check the derivations of documents, line by line."),
    "cost": Lazy(
        "indexcalc.cli.cost",
        "show_cost",
        "Count operations, bytes moved and peak memory of both passes; with a mesh, what each device does and sends.",
    ),
    "worksheet": Lazy(
        "indexcalc.cli.worksheet",
        "write_worksheet",
        "Work a derivation out with real numbers: every entry of both passes, then the update.",
    ),
    "serve": Lazy(
        "indexcalc.cli.serve",
        "serve_page",
        "Open a page on this machine: derive as one types, and check documents.",
    ),
    "lsp": Lazy(
        "indexcalc.cli.lsp",
        "serve_editor",
        "Answer an editor over standard input and output (Language Server Protocol).",
    ),
    "completion": Lazy(
        "indexcalc.cli.completion",
        "print_completion",
        "Print a script that completes commands, options and names in bash, zsh or fish.",
    ),
}
"""All commands, by name."""


class LazyCommands(TyperGroup):
    """The commands of the program: names and summaries until one is called."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        for name, command in COMMANDS.items():
            self.add_command(TyperCommand(name, help=command.summary))

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """The command that is called, imported."""
        name, stub, rest = super().resolve_command(ctx, args)
        return name, stub if name is None else imported(name), rest


def imported(name: str) -> Any:
    """The command of a name, ready to be called."""
    command = COMMANDS[name]
    single = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    single.command(name)(getattr(import_module(command.module), command.function))
    return typer.main.get_command(single)
