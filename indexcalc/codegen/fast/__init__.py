"""Code for speed: the statements of both passes in one order, in blocks that stay in cache, over threads."""

from indexcalc.codegen.fast.module import FastModule, FastOptions, fast_module

__all__ = ["FastModule", "FastOptions", "fast_module"]
