"""Floor 2: derivatives with delta bookkeeping, and the reverse sweep."""
