"""Commands that are imported when they are called: the others start without what these need."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup

LAZY = {
    "check": ("indexcalc.cli.check", "check_documents"),
    "cost": ("indexcalc.cli.cost", "show_cost"),
    "worksheet": ("indexcalc.cli.worksheet", "write_worksheet"),
}
"""The module and the function of each command, by its name."""


class LazyCommands(TyperGroup):
    """The commands of the program: those at hand, and those of `LAZY`."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The names of all commands."""
        return [*super().list_commands(ctx), *LAZY]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of a name, imported if it is one of `LAZY`."""
        if cmd_name not in LAZY:
            return super().get_command(ctx, cmd_name)
        module, function = LAZY[cmd_name]
        single = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
        single.command(cmd_name)(getattr(import_module(module), function))
        return typer.main.get_command(single)
