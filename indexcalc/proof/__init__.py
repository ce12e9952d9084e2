"""Floor 6: oracles that know nothing of the calculus, and the checks built on them."""
