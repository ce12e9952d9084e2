"""``indexcalc completion``: a script that completes commands, options and the names of derivations in a shell.

The script is made from the commands themselves, and holds all words, so that a shell starts no program to complete.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from indexcalc.cli.completion_scripts import SCRIPTS
from indexcalc.cli.completion_words import commands


class Shell(StrEnum):
    """The shells."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


def print_completion(shell: Annotated[Shell, typer.Argument(help="The shell that is to read the script.")]) -> None:
    """Print a script that completes commands, options and names in bash, zsh or fish."""
    typer.echo(SCRIPTS[shell.value](commands()), nl=False)
