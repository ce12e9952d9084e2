"""Campaigns over documents that need no labels: what must hold of the checker's verdicts on any true document."""
