"""``pytest --regenerate`` writes the golden files, instead of comparing with them; ``--thorough`` runs all cases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.shipped import PATHS, Shipped


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--regenerate", action="store_true", help="write generated files instead of comparing with them")
    parser.addoption("--thorough", action="store_true", help="run all cases of tests that are marked with one_in")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "one_in(n): without --thorough or -k one in n of the cases is run")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--thorough") or config.option.keyword:  # who names some cases wants these
        return
    seen, left = Counter[str](), []
    for item in items:
        if (marker := item.get_closest_marker("one_in")) is not None:
            name = item.nodeid.partition("[")[0]
            left += [item] if seen[name] % marker.args[0] else []
            seen[name] += 1
    config.hook.pytest_deselected(items=left)
    items[:] = [item for item in items if item not in set(left)]


@pytest.fixture(scope="session", params=PATHS)
def shipped(request: pytest.FixtureRequest) -> Shipped:
    """Each shipped derivation: tests of one run after another, in one process, so that what they share is made once."""
    return Shipped(request.param)


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[Path, str], None]:
    """Compare a text with the file that holds it, byte for byte, or write the file."""

    def compare(path: Path, text: str) -> None:
        if request.config.getoption("--regenerate"):
            path.write_text(text, encoding="utf-8", newline="\n")
        assert path.is_file(), f"{path} is missing; pytest --regenerate writes it"
        # Compared by line, so that a failure shows the lines that differ.
        found = path.read_bytes().decode("utf-8")
        assert text.split("\n") == found.split("\n"), f"{path} differs; pytest --regenerate writes it anew"

    return compare


@pytest.fixture
def regenerated(request: pytest.FixtureRequest) -> Callable[[Path, str, str], bool]:
    """With ``--regenerate``, replace a piece of a page; whether that was done."""

    def replace(page: Path, old: str, new: str) -> bool:
        if not request.config.getoption("--regenerate"):
            return False
        text = page.read_text(encoding="utf-8")
        assert text.count(old) == 1
        page.write_text(text.replace(old, new), encoding="utf-8", newline="\n")
        return True

    return replace
