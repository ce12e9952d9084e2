"""Whether a relation is true: readings, points, proofs, and what forbids a refutation."""
