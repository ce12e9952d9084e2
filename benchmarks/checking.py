"""How long it takes to check a note: every shipped one, and what each relation of the longest costs.

Run it with ``python benchmarks/checking.py [NAME ...]``. Times are of the processor, in seconds; the
exit code is 1 if a note takes longer than the target. The last lines are ratios within the one run:
the time a relation in the longest note over that in the others, and a note without proofs over one with.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from unittest.mock import patch

from indexcalc.document import CheckReport, check
from indexcalc.library import shipped_paths

TARGET = 5.0
"""The longest note; most take about a second."""


def timed(source: str, name: str) -> tuple[float, CheckReport]:
    """The processor time of a check, and its report."""
    start = time.process_time()
    report = check(source, name)
    return time.process_time() - start, report


def main() -> int:
    """Print the table; 0 if every note meets the target."""
    options = argparse.ArgumentParser(description="Time the checker.")
    options.add_argument("names", nargs="*", help="shipped derivations; all of them by default")
    names = options.parse_args().names or list(shipped_paths())
    sources = {name: shipped_paths()[name].with_suffix(".md").read_text(encoding="utf-8") for name in names}
    check("$a = b$", "warm.md")
    spent, costs = {}, {}
    for name, source in sources.items():
        spent[name], report = timed(source, f"{name}.md")
        costs[name] = spent[name] / len(report.claims)
        met = "" if spent[name] <= TARGET else f"   at most {TARGET:g} s: MISSED"
        print(f"  {name:<32} {spent[name]:6.2f} s {len(report.claims):6} relations {1000 * costs[name]:6.1f} ms{met}")
    longest = max(sources, key=lambda name: len(sources[name]))
    print(f"  a relation of {longest} over the median: {costs[longest] / statistics.median(costs.values()):.2f}")
    with patch("indexcalc.document.check.proved", lambda *reading: False):
        quick, _ = timed(sources[longest], f"{longest}.md")
    print(f"  {longest} without proofs over with them: {quick / spent[longest]:.2f}")
    return int(max(spent.values()) > TARGET)


if __name__ == "__main__":
    sys.exit(main())
