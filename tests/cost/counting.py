"""Arrays that count: every NumPy operation on them adds the operations it takes."""

from __future__ import annotations

import numpy as np


class Meter:
    """How many operations were counted."""

    def __init__(self) -> None:
        self.count = 0

    def array(self, *shape: int) -> Counted:
        return Counted(np.full(shape, 0.5), self)


class Counted(np.lib.mixins.NDArrayOperatorsMixin):
    """An array whose additions, multiplications, divisions and functions are counted entry by entry.

    Only the arithmetic of plain NumPy is here: what the formulas of a hand-written pass do.
    """

    def __init__(self, values, meter: Meter) -> None:
        self.values, self.meter = np.asarray(values), meter

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        plain = [one.values if isinstance(one, Counted) else one for one in inputs]
        result = getattr(ufunc, method)(*plain, **options)
        if method == "reduce":
            self.meter.count += plain[0].size
        elif ufunc is np.matmul:
            self.meter.count += 2 * result.size * plain[0].shape[-1]
        else:
            assert method == "__call__"
            self.meter.count += result.size
        return Counted(result, self.meter)

    @property
    def T(self) -> Counted:
        return Counted(self.values.T, self.meter)

    def __getitem__(self, key) -> Counted:
        return Counted(self.values[key], self.meter)

    def sum(self, axis=None, keepdims=False) -> Counted:
        return np.add.reduce(self, axis=axis, keepdims=keepdims)
