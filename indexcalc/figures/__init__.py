"""Floor 8: the numbers that a worksheet states, each a claim at its stated precision."""

from indexcalc.figures.check import check_figures
from indexcalc.figures.model import Model, model_of

__all__ = ["Model", "check_figures", "model_of"]
