"""Floor 5: writers of notes."""
