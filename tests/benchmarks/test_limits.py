"""The limits do the whole work that they stand for, and nothing else."""

import numpy as np
import pytest

from benchmarks import limits

KINDS = ((2, 100, 30, 70), (1, 33, 50, 20))


@pytest.mark.parametrize("rows", [None, 32, 64])
def test_every_multiplication_of_a_product_is_done_once(rows, monkeypatch):
    run, done, plain = limits.blocked(KINDS, rows) if rows else limits.whole(KINDS), [], np.matmul

    def counted(left, right, out):
        done.append(out.size * left.shape[-1])
        return plain(left, right, out=out)

    monkeypatch.setattr(np, "matmul", counted)
    run()
    assert sum(done) == sum(count * rows * inner * columns for count, rows, inner, columns in KINDS)


@pytest.mark.parametrize(("reads", "writes"), [(1000, 1000), (1001, 500), (7, 7), (300, 900)])
def test_what_is_copied_is_what_is_both_read_and_written(reads, writes, monkeypatch):
    run, done, plain = limits.traffic(reads, writes), [], np.copyto

    def counted(target, source):
        done.append(target.size)
        plain(target, source)

    monkeypatch.setattr(np, "copyto", counted)
    run()
    assert sum(done) == min(reads, writes)
