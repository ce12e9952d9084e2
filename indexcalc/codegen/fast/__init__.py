"""Code for speed: the statements of both passes in one order, in blocks that stay in cache, over threads."""
