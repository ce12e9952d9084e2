"""How long the whole of a derivation takes for large programs: read, derive, write, check; or until it is refused.

Run it with ``python benchmarks/scale.py``. Times are processor seconds of one process, and the exit code is 1
if a program beyond a bound takes more than `REFUSAL` seconds, or one that is ordinary more than `ORDINARY`.
"""

from __future__ import annotations

import sys
import time
from itertools import combinations

from indexcalc.errors import IndexCalcError
from indexcalc.generation import checked, render
from indexcalc.language import read_problem
from indexcalc.rewrite.derive import derive

ORDINARY, REFUSAL = 5.0, 5.0
"""The most seconds for a program of `LENGTH` statements, and for a refusal."""

LENGTH = 300


def chain(step: str, head: str = "index i : N\ninput x0[i]\n", slots: str = "[i]", length: int = LENGTH) -> str:
    """A program in which each statement reads the one before; `step` has {n} and {b} for the two numbers."""
    lines = "\n".join(step.format(n=n, b=n - 1) for n in range(1, length + 1))
    return f"{head}{lines}\nupstream G{slots} = dL/dx{length}{slots}\nderive x0\n"


def entrywise(right: str) -> str:
    """One equation from one vector."""
    return f"index i : N\ninput x[i]\nY[i] = {right}\nupstream G[i] = dL/dY[i]\n"


def clique(size: int) -> str:
    """A sum over the product of one matrix at all pairs of indices."""
    names = [f"i{n}" for n in range(size)]
    pairs = " * ".join(f"A[{a},{b}]" for a, b in combinations(names, 2))
    return f"index {', '.join(names)} : N\ninput A[i0,i1]\nL = sum[{','.join(names)}]({pairs})\nloss L\n"


def axes(count: int) -> str:
    """The exponential of a tensor with many slots."""
    slots = ",".join(f"i{n}" for n in range(count))
    head = "".join(f"index i{n} : N{n}\n" for n in range(count))
    return f"{head}input x[{slots}]\nY[{slots}] = exp(x[{slots}])\nupstream G[{slots}] = dL/dY[{slots}]\n"


LAYER_HEAD = "index n : N\nindex h, k : H\ninput x0[n,h]\n"
LAYER = "input W{n}[h,k]\nz{n}[n,k] = sum[h](x{b}[n,h]*W{n}[h,k])\nx{n}[n,h] = tanh(z{n}[n,h])"

PROGRAMS = {
    f"a chain of {LENGTH} tanh": chain("x{n}[i] = tanh(x{b}[i])"),
    f"{LENGTH} residual statements": chain("x{n}[i] = x{b}[i] + sin(x{b}[i])"),
    f"{LENGTH // 2} dense layers": chain(LAYER, LAYER_HEAD, "[n,h]", LENGTH // 2),
    "20 nested exp": entrywise("exp(-" * 19 + "x[i]" + ")" * 19),
    "36 nested tanh": entrywise("tanh(" * 36 + "x[i]" + ")" * 36),
    "1900 terms": entrywise(" + ".join(f"sin({n + 1}*x[i])" for n in range(1900))),
    "400 factors": entrywise(" * ".join(f"(x[i] + {n})" for n in range(400))),
    "a tower of exponents": entrywise("x[i] * N^N^N^N^N"),
    "60 indices": axes(60),
    "a clique of 14": clique(14),
}


def outcome(text: str) -> tuple[float, str]:
    """Seconds, and what came of it."""
    start = time.process_time()
    try:
        derivation = derive(read_problem(text))
        report = checked(derivation, render(derivation)).report
        found = "checked" if report.ok else "WRONG"
    except IndexCalcError as error:
        found = f"refused: {str(error).splitlines()[0]}"
    return time.process_time() - start, found


def main() -> int:
    """Print the table; 0 if every program is done or refused in time."""
    outcome(entrywise("exp(x[i])"))
    met = True
    for name, text in PROGRAMS.items():
        seconds, found = outcome(text)
        fine = found != "WRONG" and seconds <= (REFUSAL if found.startswith("refused") else ORDINARY)
        met = met and fine
        print(f"{name:<28} {seconds:6.2f} s  {'' if fine else 'MISSED  '}{found}", flush=True)
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
