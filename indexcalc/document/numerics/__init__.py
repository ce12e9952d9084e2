"""Meanings as numbers and as terms of the algebra: random points, and where two sides agree."""
