"""Floor 6: numerical oracles and checks."""
