"""Shipped derivations: found by name, by path, and never by accident."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexcalc import library
from indexcalc.language import load_problem
from indexcalc.language.paths import title_of
from indexcalc.library import LibraryError, find_spec, shipped

SHIPPED = ("attention", "layer_norm", "linear", "softmax", "softmax_cross_entropy")


def test_every_shipped_derivation_has_a_title_and_a_spec():
    entries = shipped()
    assert set(SHIPPED) <= {entry.name for entry in entries}
    assert [entry.name for entry in entries] == sorted(entry.name for entry in entries)
    for entry in entries:
        assert entry.title == load_problem(entry.path).program.title
        assert entry.title


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ('title "Plain"', "Plain"),
        ('  title\t"With \\"quotes\\" "  # and a comment', 'With "quotes"'),
        ('# title "no"\ntitle "∂L and é"', "∂L and é"),
        ("", "mine"),
        ('input title[i] "title"', "mine"),
    ],
)
def test_the_title_that_is_read_alone_is_the_title_of_the_whole(tmp_path, line, title):
    path = tmp_path / "mine.ixc"
    path.write_text(f"index i : N\n{line}\ninput x[i]\ny[i] = 2 * x[i]\n", encoding="utf-8")
    assert title_of(path) == load_problem(path).program.title == title


@pytest.mark.parametrize("name", SHIPPED)
def test_a_name_finds_its_spec(name):
    path = find_spec(name)
    assert path.is_file()
    assert (path.stem, path.parent.name, path.suffix) == (name, name, ".ixc")


def test_a_path_is_taken_as_it_is(tmp_path):
    spec = tmp_path / "mine.ixc"
    spec.write_text("")
    assert find_spec(spec) == spec
    assert find_spec(str(spec)) == spec


def test_a_shipped_name_wins_over_a_file_of_that_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("attention").write_text("")
    assert find_spec("attention").parent.parent == library.shipped_folder()
    Path("attention.ixc").write_text("")
    assert find_spec("attention.ixc") == Path("attention.ixc")


def test_a_file_without_the_ending_is_found(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine").write_text("")
    assert find_spec("mine") == Path("mine")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("attentoin", "did you mean attention?"),
        ("Layer-Norm", "did you mean layer_norm?"),
        ("zzz", "`indexcalc list` names what is shipped"),
        ("mine", "did you mean the file mine.ixc?"),
        ("nime.ixc", "did you mean mine.ixc?"),
        ("folder/mine.ixc", "there is no file folder/mine.ixc"),
        ("nowhere/mine.ixc", "there is no file nowhere/mine.ixc"),
        ("folder.ixc", "folder.ixc is a folder"),
        ("", "is a folder"),
        (".", "is a folder"),
    ],
)
def test_what_is_not_there_is_said_with_a_way_out(tmp_path, monkeypatch, given, words):
    monkeypatch.chdir(tmp_path)
    Path("mine.ixc").write_text("")
    Path("folder").mkdir()
    Path("folder.ixc").mkdir()
    with pytest.raises(LibraryError) as caught:
        find_spec(given)
    assert words in str(caught.value)


def test_the_folder_inside_the_package_comes_first(tmp_path, monkeypatch):
    package = tmp_path / "indexcalc"
    (tmp_path / "derivations").mkdir()
    package.mkdir()
    monkeypatch.setattr(library, "__file__", str(package / "library.py"))
    assert library.shipped_folder() == tmp_path / "derivations"
    (package / "derivations").mkdir()
    assert library.shipped_folder() == package / "derivations"


def test_an_installation_without_derivations_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(library, "__file__", str(tmp_path / "indexcalc" / "library.py"))
    with pytest.raises(LibraryError, match="give the path of a spec"):
        find_spec("attention")
