"""Code that keeps the state of a recurrence at a few steps, and computes the steps between again on its way back."""
