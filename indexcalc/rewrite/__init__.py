"""Floor 3: transformations of programs that keep their value."""
