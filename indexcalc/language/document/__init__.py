"""Documents as they are: where the mathematics stands in Markdown, LaTeX and HTML, and what surrounds it."""

from indexcalc.language.document.model import Document, Span
from indexcalc.language.document.reader import read_document

__all__ = ["Document", "Span", "read_document"]
