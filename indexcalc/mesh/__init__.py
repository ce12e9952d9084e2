"""Floor 6: a derivation over a mesh: what each device does and sends, which split is fastest, what XLA made of it."""

from indexcalc.mesh.comparison import Verdict, compared
from indexcalc.mesh.rates import Rates, read_rates
from indexcalc.mesh.report import MeshReport, mesh_report
from indexcalc.mesh.search import Search, fastest

__all__ = ["MeshReport", "Rates", "Search", "Verdict", "compared", "fastest", "mesh_report", "read_rates"]
