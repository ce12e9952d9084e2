"""Floor 5: a derivation as readable source, in NumPy or for another array library."""

from indexcalc.codegen.dialect import NUMPY
from indexcalc.codegen.module import numpy_module
from indexcalc.codegen.names import python_name, python_names
from indexcalc.codegen.outline import gradient_fields, module_names, module_symbols
from indexcalc.codegen.targets import TARGETS, TargetModule, target_module

__all__ = [
    "NUMPY",
    "TARGETS",
    "TargetModule",
    "gradient_fields",
    "module_names",
    "module_symbols",
    "numpy_module",
    "python_name",
    "python_names",
    "target_module",
]
