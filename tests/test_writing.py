"""Files are written all or none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from indexcalc import writing
from indexcalc.writing import OutputError, write

FILES = {"a.md": "α\n", "b.py": "x = 1\n", "c.json": "{}\n"}


def tree(folder: Path) -> dict[str, str]:
    return {str(p.relative_to(folder)): p.read_text(encoding="utf-8") for p in sorted(folder.rglob("*")) if p.is_file()}


def test_all_files_are_written_into_a_new_folder(tmp_path):
    paths = write(FILES, tmp_path / "deep" / "out")
    assert [path.name for path in paths] == list(FILES)
    assert tree(tmp_path / "deep" / "out") == FILES
    assert (tmp_path / "deep" / "out" / "a.md").read_bytes() == "α\n".encode()


def test_old_files_are_replaced_and_others_left_alone(tmp_path):
    (tmp_path / "a.md").write_text("old")
    (tmp_path / "other.txt").write_text("mine")
    write(FILES, tmp_path)
    assert tree(tmp_path) == {**FILES, "other.txt": "mine"}


def test_new_files_have_the_permissions_of_ordinary_files(tmp_path):
    ordinary = tmp_path / "ordinary"
    ordinary.write_text("")
    (path, *_) = write(FILES, tmp_path)
    assert path.stat().st_mode == ordinary.stat().st_mode


@pytest.mark.parametrize("failing", range(1, len(FILES) + 1))
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()], ids=["disk", "stop"])
def test_a_failure_midway_leaves_everything_as_it_was(tmp_path, monkeypatch, failing, error):
    (tmp_path / "b.py").write_text("old")
    before = tree(tmp_path)
    calls = []
    replace = os.replace

    def fail(source, target):
        if Path(source).parent.name == "new":
            calls.append(target)
            if len(calls) == failing:
                raise error
        replace(source, target)

    monkeypatch.setattr(writing.os, "replace", fail)
    with pytest.raises(OutputError if isinstance(error, OSError) else KeyboardInterrupt):
        write(FILES, tmp_path)
    assert len(calls) == failing
    assert tree(tmp_path) == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["b.py"]


def test_a_failure_removes_the_folders_it_made(tmp_path, monkeypatch):
    def fail(source, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writing.os, "replace", fail)
    with pytest.raises(OutputError, match="No space left on device"):
        write(FILES, tmp_path / "deep" / "out")
    assert not list(tmp_path.iterdir())


def test_a_file_in_the_way_of_the_folder(tmp_path):
    (tmp_path / "out").write_text("a file")
    for folder in (tmp_path / "out", tmp_path / "out" / "deeper"):
        with pytest.raises(OutputError, match="choose another folder"):
            write(FILES, folder)
    assert tree(tmp_path) == {"out": "a file"}


def test_a_folder_in_the_way_of_a_file(tmp_path):
    (tmp_path / "b.py").mkdir()
    with pytest.raises(OutputError, match="it is a folder"):
        write(FILES, tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["b.py"]


def test_a_link_is_replaced_and_not_followed(tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("mine")
    out = tmp_path / "out"
    out.mkdir()
    (out / "a.md").symlink_to(elsewhere)
    write(FILES, out)
    assert elsewhere.read_text() == "mine"
    assert tree(out) == FILES


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "../a", "a\\b", "a\0b"])
def test_a_name_that_is_a_path_is_refused(tmp_path, name):
    with pytest.raises(OutputError, match="not a plain file name"):
        write({name: ""}, tmp_path / "out")
    assert not list(tmp_path.iterdir())
