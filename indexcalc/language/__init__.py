"""Floor 4: readers, from text or Python to a problem."""
