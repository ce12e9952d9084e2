"""Twelve training and assembly steps as specs, beside the same steps written in PyTorch."""
