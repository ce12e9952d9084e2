"""What the names of a document stand for: declarations, definitions, functions, gradients, the loss."""
