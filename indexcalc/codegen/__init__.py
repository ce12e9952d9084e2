"""Floor 5: a derivation as readable NumPy source."""

from indexcalc.codegen.module import numpy_module
from indexcalc.codegen.names import python_name, python_names
from indexcalc.codegen.outline import gradient_fields, module_names, module_symbols

__all__ = ["gradient_fields", "module_names", "module_symbols", "numpy_module", "python_name", "python_names"]
