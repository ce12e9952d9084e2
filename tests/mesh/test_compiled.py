"""Collective operations read from the text of compiled programs."""

from __future__ import annotations

import pytest

from indexcalc.mesh.compiled import Compiled, CompiledError, collectives_in, totals

MESH = "replica_groups=mesh['axis_0'=2,'axis_1'=4] {'axis_1'}"
PARTS = "replica_groups=mesh['axis_0'=2,'axis_1'=4], device_ids=([4,2]T(1,0)) {'axis_0', 'axis_1':(2)2}"


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (f"%a = f32[32,16]{{1,0}} all-reduce(%dot), channel_id=1, {MESH}", Compiled("all-reduce", (2048,), 4)),
        (f"ROOT %a = f32[] all-reduce(%d), {PARTS}", Compiled("all-reduce", (4,), 4)),
        (
            f"%a = (f32[8]{{0}}, /*index=1*/bf16[2,3]{{1,0}}) all-reduce(%b, %c), {MESH}",
            Compiled("all-reduce", (32, 12), 4),
        ),
        ("%g = f64[8,4] all-gather(%x), replica_groups=[2,4]<=[8], dimensions={0}", Compiled("all-gather", (256,), 4)),
        ("%r = f32[2] reduce-scatter(%x), replica_groups={{0,1},{2,3}}", Compiled("reduce-scatter", (8,), 2)),
        (f"%e = (f32[8,1], f32[8,1]) all-to-all(%x, %y), {MESH}", Compiled("all-to-all", (64,), 4)),
        (f"%s = (f32[2], f32[8]) all-gather-start(%x), {MESH}", Compiled("all-gather", (32,), 4)),
        ("%p = f32[4] collective-permute(%x), source_target_pairs={{0,1}}", Compiled("collective-permute", (16,), 2)),
    ],
)
def test_one_line(line: str, found: Compiled):
    assert collectives_in(f"HloModule x\n  {line}\n") == [found]


def test_what_is_no_operation_or_of_one_device_is_left_out():
    text = """
      %f = f32[4] fusion(%all-reduce, %x), kind=kLoop, calls=%all-reduce.clone
      %a = f32[4] all-reduce(%x), replica_groups=[8,1]<=[8]
      %d = f32[4] all-reduce-done(%s)
    """
    assert collectives_in(text) == []


def test_without_groups_it_is_not_guessed():
    with pytest.raises(CompiledError, match="doesn't say between which devices"):
        collectives_in("%a = f32[4] all-reduce(%x), to_apply=%add")


def test_bytes():
    found = [Compiled("all-reduce", (64, 64), 4), Compiled("all-reduce", (8,), 2), Compiled("reduce-scatter", (8,), 4)]
    assert totals(found) == {"all-reduce": 2 * 128 * 0.75 + 8.0, "reduce-scatter": 24.0}
