"""Hostile inputs: generated code at magnitudes and patterns where careless arithmetic breaks.

An oracle with more range and precision than any format says what is right there, and how much of an error
the program itself explains.
"""
