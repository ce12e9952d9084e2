"""Floor 0: indices, terms and their canonical form."""
