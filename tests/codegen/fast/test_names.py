"""Names of a function's own variables: apart from all that the author named."""

from indexcalc.algebra.terms import Index
from indexcalc.codegen.fast.body import IN_NUMPY
from indexcalc.codegen.fast.graph import Axis
from indexcalc.codegen.fast.names import LOCALS, Names, letters_of, own_names, with_names
from indexcalc.codegen.fast.outline import outlined
from indexcalc.codegen.fast.torch_body import IN_TORCH
from indexcalc.codegen.operands import Scope
from indexcalc.language import load_problem
from indexcalc.library import find_spec
from indexcalc.rewrite.derive import derive
from tests.support.build import M, N, i, j, k


def test_names_that_nobody_took_stay():
    assert own_names(["Q", "K", "blocky"]) == {name: name for name in LOCALS}


def test_a_name_that_is_taken_or_begins_another_is_changed():
    own = own_names(["threads", "loop_1", "space_", "part_x", "part__2"])
    assert own["threads"] == "threads_"
    assert own["loop"] == "loop_"
    assert own["part"] == "part__"
    assert not any(other.startswith(f"{own[name]}_") for name in LOCALS for other in ("loop_1", "part_x", "part__2"))


def test_a_library_has_more_names_of_its_own():
    assert own_names(["tile_1"], ("tile", "by")) == {**{name: name for name in LOCALS}, "tile": "tile_", "by": "by"}


def test_each_library_has_variables_of_its_own_alone():
    derivation = derive(load_problem(find_spec("huber")))
    in_numpy, in_torch = (outlined(derivation, {}, None, library).names.taken for library in (IN_NUMPY, IN_TORCH))
    assert {"memory", "out", "room", "need"} <= in_numpy - in_torch
    assert {"like", "by", "at", "inside", "tile", "result"} <= in_torch - in_numpy


def test_all_names_in_use():
    names = Names(Scope({"X": "X_"}, {N: "N"}, "dtype"), {"part": "part"})
    assert names.taken == {"X_", "N", "part"}


def test_a_block_may_call_a_tensor_something_else():
    names = Names(Scope({"X": "X", "Y": "Y"}, {}, "dtype"), {})
    assert with_names(names, {"X": "X_part"}).scope.tensors == {"X": "X_part", "Y": "Y"}
    assert names.scope.tensors["X"] == "X"


def test_letters_are_those_of_blocks_then_of_the_author_then_any():
    names = Names(Scope({}, {}, "dtype"), {}, letters_of([i, j, k, Index("row", M)]))
    cut, whole, features, other = Axis(N, 0), Axis(N), Axis(k.extent), Axis(M)
    assert names.letters_for([whole, cut], ["i"]) == ["j", "i"]
    assert names.letters_for([whole, whole, whole, features], []) == ["i", "j", "a", "k"]
    assert names.letters_for([other, features], []) == ["a", "k"]
    assert names.letters_for([cut], ["index"]) == ["i"]
