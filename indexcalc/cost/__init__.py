"""Floor 4: what a derivation costs, in symbols and in numbers: operations, entries moved, peak memory."""

from indexcalc.cost.counts import Count
from indexcalc.cost.mesh import Mesh, MeshError, read_mesh
from indexcalc.cost.report import CostReport, EquationCost, PassCost, Peak, cost_report
from indexcalc.cost.sizes import SizesError, checked_sizes, read_sizes

__all__ = [
    "CostReport",
    "Count",
    "EquationCost",
    "Mesh",
    "MeshError",
    "PassCost",
    "Peak",
    "SizesError",
    "checked_sizes",
    "cost_report",
    "read_mesh",
    "read_sizes",
]
