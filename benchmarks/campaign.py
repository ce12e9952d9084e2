"""A campaign of random cases at full length: ``python benchmarks/campaign.py programs --count 10000``.

Any module of `tests/campaign` with ``cases(seed, count)`` and ``verdict(case)`` can be run, those of its packages by a
dotted name: ``documents.ablation --among own,notes``. What was judged is kept in a file, a line for each seed, so that
a run that ends early goes on where it was. At the end: how many cases failed, in which way, by feature and by style;
how many findings there are in a thousand of what the cases are about, such as claims, if they say so; what was refused,
by message; and the failing seeds, each with a smaller program if ``--shrink`` asks for them. The exit code is 1 if a
case failed.
"""

from __future__ import annotations

import argparse
import inspect
import json
import multiprocessing
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from indexcalc.cli.app import collect_rarely  # noqa: E402
from tests.campaign.case import counts, failures, refusals  # noqa: E402

CHUNK = 5
"""How many cases a worker takes at a time."""

RENEWED = 20
"""How many times it does, until another process takes its place: SymPy's memory of expressions only grows."""


@dataclass(frozen=True)
class Judged:
    """What is kept of one case.

    Attributes:
        seed: of the case.
        features: what was in it.
        verdict: what was wrong with the engine.
        seconds: of processor time.
    """

    seed: int
    features: tuple[str, ...]
    verdict: str
    seconds: float


@dataclass(frozen=True)
class Job:
    """Cases to judge: of which campaign, the seeds, what to judge, and what to draw from."""

    name: str
    seed: int
    count: int
    styles: str
    among: str

    def told(self, function: Callable[..., Any]) -> dict[str, Any]:
        """What a function of the campaign is told of the job, if it can be."""
        said: dict[str, Any] = {
            name: tuple(text.split(",")) for name, text in (("styles", self.styles), ("among", self.among)) if text
        }
        return {name: value for name, value in said.items() if name in inspect.signature(function).parameters}


def drawn(job: Job) -> Iterator[Any]:
    """The cases of a job."""
    module: Any = import_module(f"tests.campaign.{job.name}")
    return iter(module.cases(job.seed, job.count, **job.told(module.cases)))


def judge_chunk(job: Job) -> list[Judged]:
    """Draw and judge so many cases from a seed on."""
    module: Any = import_module(f"tests.campaign.{job.name}")
    found = []
    for case in drawn(job):
        start = time.process_time()
        verdict = module.verdict(case, **job.told(module.verdict))
        found.append(Judged(case.seed, tuple(sorted(case.features)), verdict, time.process_time() - start))
    return found


def kept(path: Path) -> dict[int, Judged]:
    """What was judged before, by seed."""
    if not path.exists():
        return {}
    rows = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    return {row["seed"]: Judged(**{**row, "features": tuple(row["features"])}) for row in rows}


def jobs(every: Job, seeds: Iterable[int]) -> Iterator[Job]:
    """A job for each run of at most `CHUNK` seeds."""
    run: list[int] = []
    for seed in seeds:
        if run and (seed != run[-1] + 1 or len(run) == CHUNK):
            yield replace(every, seed=run[0], count=len(run))
            run = []
        run.append(seed)
    if run:
        yield replace(every, seed=run[0], count=len(run))


def kind_of(line: str) -> str:
    """A finding without names, numbers and sizes, for counting."""
    style, kind, *rest = line.split(": ", 2)
    if kind == "wrong":
        return f"{style}: wrong"
    return re.sub(r"[0-9]+", "#", f"{style}: {kind}: {rest[0].split(' at ')[0]}" if rest else line)


def figures(judged: Mapping[int, Judged]) -> str:
    """How many cases failed, by feature, by style and by kind, and what was refused."""
    rows = judged.values()
    failing = [row for row in rows if failures(row.verdict)]
    lines = [f"{len(judged)} cases, {len(failing)} fail; {sum(row.seconds for row in rows):.0f} s of processor time"]
    met, failed = Counter[str](), Counter[str]()
    for row in rows:
        met.update(row.features)
    for row in failing:
        failed.update(row.features)
    lines += ["", f"{'feature':32} {'cases':>7} {'fail':>6}"]
    lines += [f"{name:32} {count:7} {failed[name]:6}" for name, count in sorted(met.items())]
    kinds = counted(kind for row in failing for kind in {kind_of(line) for line in failures(row.verdict)})
    styles = counted(style for row in failing for style in {line.split(":")[0] for line in failures(row.verdict)})
    refused = counted(kind for row in rows for kind in {kind_of(line) for line in refusals(row.verdict)})
    for title, found in (("by style", styles), ("by kind", kinds), ("refused", refused)):
        lines += ["", f"{title}:", *(f"{count:6}  {kind}" for kind, count in found)]
    points = counted(str(found["points"]) for row in rows if "points" in (found := counts(row.verdict)))
    if points:
        lines += ["", "compared at: " + ", ".join(f"{count} points in {cases} cases" for count, cases in points)]
    lines += rates(rows)
    slowest = sorted(rows, key=lambda row: -row.seconds)[:5]
    lines += ["", "slowest: " + ", ".join(f"{row.seconds:.1f} s (seed {row.seed})" for row in slowest)]
    return "\n".join(lines)


def rates(rows: Collection[Judged]) -> Iterator[str]:
    """What the cases are about, and how many findings of each kind there are in a thousand of it; by feature too."""
    about = Counter[str]()
    found = Counter[tuple[str, str]]()
    for row in rows:
        total = sum(count for what, count in counts(row.verdict).items() if what != "points")
        for feature in ("", *row.features):
            about[feature] += total
            found.update((feature, kind_of(line).partition(": ")[2]) for line in failures(row.verdict))
    if not about[""]:
        return
    for feature, total in sorted(about.items()):
        yield from ("", f"{total} counted, {feature or 'in all'}; findings, and in a thousand:")
        own = [(kind, count) for (where, kind), count in found.most_common() if where == feature]
        yield from (f"{count:6} {1000 * count / max(1, total):7.1f}  {kind}" for kind, count in own)


def counted(kinds: Iterable[str]) -> list[tuple[str, int]]:
    """Kinds and how often, the most frequent first."""
    return Counter(kinds).most_common()


def shrunk(job: Job) -> str:
    """A smaller case that fails alike, if the campaign can make cases smaller."""
    module: Any = import_module(f"tests.campaign.{job.name}")
    shrink: Callable[..., str] | None = getattr(module, "shrunk", None)
    if shrink is None:
        return ""
    (case,) = drawn(job)
    return shrink(case, **job.told(shrink))


def main() -> int:
    """Run a campaign, or go on with one, and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", help="a module of tests/campaign, such as programs or documents.ablation")
    parser.add_argument("--count", type=int, default=10_000, help="how many cases")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--workers", type=int, default=2, help="how many processes")
    parser.add_argument("--styles", default="", help="what to judge, such as numpy,fast; by default everything")
    parser.add_argument("--among", default="", help="what to draw from, such as own,notes; by default everything")
    parser.add_argument("--shrink", type=int, default=0, help="how many failing cases to make smaller")
    parser.add_argument("--out", type=Path, help="the file of what was judged; by default out/campaign_NAME.jsonl")
    arguments = parser.parse_args()
    kind = "_".join(filter(None, (arguments.name, arguments.among.replace(",", "_"))))
    path = arguments.out or ROOT / "out" / f"campaign_{kind}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    every = Job(arguments.name, 0, 0, arguments.styles, arguments.among)
    wanted = range(arguments.seed, arguments.seed + arguments.count)
    known = kept(path)
    left = list(jobs(every, (seed for seed in wanted if seed not in known)))
    # As the command does, so that times are what a user waits.
    workers = multiprocessing.get_context("spawn").Pool(
        arguments.workers, initializer=collect_rarely, maxtasksperchild=RENEWED
    )
    with workers as pool, path.open("a", encoding="utf-8") as file:
        for rows in pool.imap_unordered(judge_chunk, left):
            for row in rows:
                known[row.seed] = row
                file.write(json.dumps(asdict(row), ensure_ascii=False) + "\n")
                for line in failures(row.verdict)[:1]:
                    print(f"seed {row.seed}: {line}", flush=True)
            file.flush()
    judged = {seed: known[seed] for seed in wanted if seed in known}
    print(figures(judged))
    failing = [row for row in judged.values() if failures(row.verdict)]
    print("\nfailing seeds:", ", ".join(str(row.seed) for row in sorted(failing, key=lambda row: row.seed)) or "none")
    for row in one_of_each(failing)[: arguments.shrink]:
        smaller = shrunk(replace(every, seed=row.seed, count=1))
        print(f"\nseed {row.seed}: {failures(row.verdict)[0]}\n{smaller}", flush=True)
    return 1 if failing else 0


def one_of_each(rows: list[Judged]) -> list[Judged]:
    """A quick case of each kind first, then the others."""
    ordered = sorted(rows, key=lambda row: row.seconds)
    first: dict[str, Judged] = {}
    for row in ordered:
        first.setdefault(kind_of(failures(row.verdict)[0]), row)
    return [*first.values(), *(row for row in ordered if row not in first.values())]


if __name__ == "__main__":
    sys.exit(main())
