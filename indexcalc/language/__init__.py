"""Floor 4: readers of spec texts, and the Python API that builds the same problems."""

from indexcalc.language.read import load_problem, read_problem

__all__ = ["load_problem", "read_problem"]
