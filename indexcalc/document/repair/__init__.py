"""Corrections of refuted formulas: the author's own with one mistake taken back, or a derived one."""
