"""Floor 8: what results show in a notebook, results as LaTeX and as functions, and the cell magic."""
