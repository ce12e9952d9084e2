"""Floor 5: writers of source code."""
