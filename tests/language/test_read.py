"""Spec files and texts from outside: whatever they hold, a problem or one clear error comes of it."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexcalc.errors import SpecError
from indexcalc.language import load_problem, read_problem

DERIVATIONS = Path(__file__).parents[2] / "derivations"
TEXT = 'title "t"\nindex i : T\ninput x[i]\ny[i] = exp(x[i])\n'


def test_a_file_gives_its_name_to_the_derivation(tmp_path):
    path = tmp_path / "mine.ixc"
    path.write_bytes(b"\xef\xbb\xbf" + TEXT.replace("\n", "\r\n").encode())
    assert load_problem(path) == read_problem(TEXT, slug="mine")
    assert load_problem(str(path)).slug == "mine"


def test_errors_name_the_file(tmp_path):
    path = tmp_path / "mine.ixc"
    path.write_text(TEXT + "z = q\n")
    with pytest.raises(SpecError) as caught:
        load_problem(path)
    assert str(caught.value).startswith(f"{path}:5:5: the scalar q is not known")
    assert str(caught.value).endswith("  z = q\n      ^")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "cannot read"),
        (b"\xff\xfe\x00binary", "not a text in UTF-8"),
        (b"# " + b"x" * 300_000, "longer than 200000 bytes"),
        (b"", "there is no equation"),
        (b"\x00\x01\x02", "the character U+0000"),
    ],
)
def test_files_that_are_no_specs(tmp_path, content, words):
    path = tmp_path / "mine.ixc"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(SpecError) as caught:
        load_problem(path)
    assert words in str(caught.value)


def test_a_folder_is_no_spec(tmp_path):
    with pytest.raises(SpecError, match="cannot read"):
        load_problem(tmp_path)


def test_a_long_text_is_refused():
    with pytest.raises(SpecError, match="longer than"):
        read_problem("#" * 200_001)


def test_reading_twice_gives_the_same():
    for path in sorted(DERIVATIONS.glob("*/*.ixc")):
        assert load_problem(path) == load_problem(path)


@pytest.mark.parametrize("path", sorted(DERIVATIONS.glob("*/*.ixc")), ids=lambda path: path.stem)
def test_shipped_specs_are_complete(path):
    problem = load_problem(path)
    assert problem.slug == path.parent.name
    assert problem.program.title
    assert all(tensor.doc for tensor in problem.program.inputs)
    assert all(equation.doc or equation.hoisted for equation in problem.program.explicit.equations)
    assert all(unknown.tensor.doc or unknown.hoisted for unknown in problem.program.unknowns)
    assert set(problem.program.index_docs) == {index.name for index in problem.program.indices}


WORDS = (
    "index input upstream derive name prove assume loss param title i j T x y exp sum softmax mean delta sqrt max pi"
)
SIGNS = '( ) [ ] , : = + - * / ^ ** <= == 2 0 0.5 1e-3 dL/dx Z G "t" # \\ é'
PIECES = st.sampled_from([*WORDS.split(), *SIGNS.split(), "\n"])


def mistake_in(text):
    """The error that reading the text gives, if it gives one."""
    try:
        read_problem(text)
    except SpecError as error:
        return error
    return None


@given(st.lists(PIECES, max_size=40).map(" ".join))
def test_any_text_gives_a_problem_or_one_clear_error(text):
    for whole in (text, TEXT + text, TEXT + "z[i] = " + text):
        error = mistake_in(whole)
        assert error is None or 1 <= error.place.line <= whole.count("\n") + 1


FORMULAS = st.recursive(
    st.sampled_from(["x[i]", "y[i]", "a", "2", "0", "T", "pi", "0.5", "[i <= j]", "delta[i,j]", "x[j]"]),
    lambda inner: st.one_of(
        st.builds("({} {} {})".format, inner, st.sampled_from("+-*/^"), inner),
        st.builds("{}({})".format, st.sampled_from(["exp", "log", "sqrt", "tanh", "abs", "relu", "gelu"]), inner),
        st.builds(
            "{}[{}]({})".format, st.sampled_from(["sum", "mean", "var", "softmax"]), st.sampled_from("ij"), inner
        ),
        st.builds("-{}".format, inner),
    ),
    max_leaves=12,
)


@given(FORMULAS)
def test_any_formula_gives_a_program_or_one_clear_error(formula):
    error = mistake_in(f"index i, j : T\ninput x[i], y[i], a\nz[i] = {formula}")
    assert error is None or error.place.line == 3
