"""Floor 6: a derivation worked out by hand with real numbers, from the inputs to the updated parameters."""

from indexcalc.worksheet.drawn import drawn_values
from indexcalc.worksheet.sheet import worked, worksheet
from indexcalc.worksheet.values import Values, ValuesError, load_values, read_values

__all__ = ["Values", "ValuesError", "drawn_values", "load_values", "read_values", "worked", "worksheet"]
