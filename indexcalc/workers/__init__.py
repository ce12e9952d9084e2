"""Floor 8: work in processes of its own, with limits, that can be stopped at any moment."""
