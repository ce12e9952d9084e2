"""Floor 5: a derivation as readable NumPy source."""

from indexcalc.codegen.module import gradient_fields, module_names, module_symbols, numpy_module
from indexcalc.codegen.names import python_name, python_names

__all__ = ["gradient_fields", "module_names", "module_symbols", "numpy_module", "python_name", "python_names"]
