"""How long the commands take to start, as multiples of ``python -c "import numpy"`` on the same machine.

Run it with ``python benchmarks/startup.py``. The processes take turns, so that a busy machine slows all of them, and
medians are compared. Seconds say little about another machine; these ratios say more. No test holds a time;
`tests/test_startup.py` holds what each command imports.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence

from indexcalc.library import find_spec

NUMPY = "import numpy"


def command(*arguments: str) -> list[str]:
    """A command of the package in an interpreter of its own."""
    return [sys.executable, "-m", "indexcalc", *arguments]


def seconds(process: Sequence[str], folder: str) -> float:
    """The wall clock time of a process."""
    start = time.perf_counter()
    subprocess.run(process, cwd=folder, check=True, capture_output=True)
    return time.perf_counter() - start


def main() -> None:
    """Print the median of each process, and its ratio."""
    options = argparse.ArgumentParser(description="Time how the commands start.")
    options.add_argument("--runs", type=int, default=7, help="runs of which the median is taken")
    runs = max(1, options.parse_args().runs)
    note = find_spec("attention").with_suffix(".md").resolve()
    processes = {
        NUMPY: [sys.executable, "-c", NUMPY],
        "import sympy": [sys.executable, "-c", "import sympy"],
        "indexcalc --help": command("--help"),
        "indexcalc list": command("list"),
        "indexcalc derive attention": command("derive", "attention"),
        "indexcalc check attention.md": command("check", str(note)),
    }
    times: dict[str, list[float]] = {label: [] for label in processes}
    with tempfile.TemporaryDirectory() as folder:
        for process in processes.values():
            seconds(process, folder)  # bytecode is written, files are in memory
        for _ in range(runs):
            for label, process in processes.items():
                times[label].append(seconds(process, folder))
    medians = {label: statistics.median(found) for label, found in times.items()}
    for label, median in medians.items():
        print(f"  {label:<30} {median:7.3f} s   {median / medians[NUMPY]:6.1f} times numpy")


if __name__ == "__main__":
    main()
