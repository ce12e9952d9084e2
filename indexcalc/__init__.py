"""Write a forward pass in index notation; get its backward pass derived, explained, coded and checked."""
