"""Floor 9: what editors ask while somebody writes a spec or a document (``indexcalc lsp``)."""
