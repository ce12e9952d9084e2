"""LaTeX mathematics as it is written: tokens, chains of relations, syntax trees. No meaning yet."""
