"""Floor 6: a derivation over a mesh of devices: what each does and sends, which split is fastest, what XLA made of it."""
