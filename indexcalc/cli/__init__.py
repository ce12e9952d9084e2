"""Floor 9: the command line; no algebra."""

from indexcalc.cli.app import main

__all__ = ["main"]
