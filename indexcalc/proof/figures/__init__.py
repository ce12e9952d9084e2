"""Floor 6: the numbers that a worksheet states, each a claim at its stated precision."""

from indexcalc.proof.figures.check import check_figures
from indexcalc.proof.figures.model import Model, model_of

__all__ = ["Model", "check_figures", "model_of"]
