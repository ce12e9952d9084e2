"""Names of a function's own variables: apart from all that the author named."""

from indexcalc.codegen.fast.names import LOCALS, Names, own_names, with_names
from indexcalc.codegen.operands import Scope
from tests.support.build import N


def test_names_that_nobody_took_stay():
    assert own_names(["Q", "K", "blocky"]) == {name: name for name in LOCALS}


def test_a_name_that_is_taken_or_begins_another_is_changed():
    own = own_names(["threads", "loop_1", "space_", "part_x", "part__2"])
    assert own["threads"] == "threads_"
    assert own["loop"] == "loop_"
    assert own["part"] == "part__"
    assert not any(other.startswith(f"{own[name]}_") for name in LOCALS for other in ("loop_1", "part_x", "part__2"))


def test_all_names_in_use():
    names = Names(Scope({"X": "X_"}, {N: "N"}, "dtype"), {"part": "part"})
    assert names.taken == {"X_", "N", "part"}


def test_a_block_may_call_a_tensor_something_else():
    names = Names(Scope({"X": "X", "Y": "Y"}, {}, "dtype"), {})
    assert with_names(names, {"X": "X_part"}).scope.tensors == {"X": "X_part", "Y": "Y"}
    assert names.scope.tensors["X"] == "X"
