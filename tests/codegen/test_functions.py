"""The bodies of functions: no name is changed once it is bound, and parts are numbered as they are read."""

import re

import pytest

import indexcalc as ic
from indexcalc.codegen.layout import WIDTH, numbered
from indexcalc.codegen.source import Atom, Call, chain
from indexcalc.errors import LimitError, UnsupportedError
from indexcalc.library import shipped_paths
from tests.campaign.programs import cases
from tests.support.bindings import changed_names

CHANGES = {
    "a product in its own memory": """
def backward(h):
    dn = h
    dn *= 1 - h**2
    return dn
""",
    "another value of the same name": """
def forward(x):
    part = x + 1
    y = part * part
    part = y + 1
    return part
""",
    "an argument": """
def forward(x):
    x = x + 1
    return x
""",
    "in one branch": """
def forward(x):
    y = x
    if x:
        y = 2 * x
    return y
""",
    "under a with": """
def forward(x):
    y = x
    with quiet():
        y = 2 * x
    return y
""",
    "within a step": """
def forward(x):
    for t in x:
        a = t
        a = a + 1
    return x
""",
    "from step to step": """
def forward(x):
    total = 0
    for t in x:
        total = total + t
    return total
""",
    "a function": """
def forward(x):
    def step(n):
        return n
    def step(n):
        return x
    return step(x)
""",
}
KEEPS = {
    "each step has its own": """
def forward(x):
    for t in x:
        a = t
        h[t] += a
    for t in x:
        a = t
""",
    "one of two branches": """
def forward(x):
    if x:
        y = 1
    else:
        y = 2
    return y
""",
    "errors": """
def _f(x):
    if x:
        message = 1
        raise E(message)
    message = 2
    raise E(message)
""",
    "arguments as arrays": """
def backward(values, G, H):
    *_, G = _checked(y=values.y, G=G)
    arrays = _checked(H=H)
    H = arrays[0]
    _, n = G.shape
    _, m = G.shape
""",
    "a private function carries": """
def _ratio(x):
    top = x[0]
    for c in x:
        top = top * x + c
    return top
""",
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_changes_a_name_is_seen(name):
    assert len(changed_names(CHANGES[name])) == 1


@pytest.mark.parametrize("name", KEEPS)
def test_what_changes_none_is_left(name):
    assert changed_names(KEEPS[name]) == []


@pytest.mark.parametrize("name", shipped_paths())
def test_shipped_code_changes_no_name(name):
    source = shipped_paths()[name].with_suffix(".py").read_text(encoding="utf-8")
    assert changed_names(source) == []


SEED = 41_000


@pytest.mark.parametrize("seed", range(SEED, SEED + 48))
def test_code_for_random_programs_changes_no_name(seed):
    (case,) = cases(seed, 1)
    try:
        derivation = ic.derive(ic.read_problem(case.text))
        sources = [ic.numpy_module(derivation), ic.target_module(derivation, "torch").source]
    except (LimitError, UnsupportedError):
        pytest.skip("beyond a bound")
    assert [changed_names(source) for source in sources] == [[], []]


def parts_of(lines):
    return [found[1] for line in lines if (found := re.match(r"(part\w*) = ", line))]


def sums(count):
    """A sum of calls none of which fits on a line."""
    long = [
        Call(
            "np.where",
            (Atom(f"mask_{n}"), chain("*", [Atom(f"a_rather_long_name_{n}_{k}") for k in range(5)]), Atom("0.0")),
        )
        for n in range(count)
    ]
    return Call("np.sqrt", (chain("*", long),))


@pytest.mark.parametrize("count", [1, 3, 12])
def test_parts_are_numbered_as_they_are_read_and_no_name_is_used_twice(count):
    taken = {"x", "part_3"}
    first, second = numbered("y", sums(count), taken, 1), numbered("z", sums(count), taken, 1)
    names = [*parts_of(first), *parts_of(second)]
    assert len(names) >= 2 * count
    assert names == ["part", *(f"part_{n}" for n in range(2, len(names) + 2) if n != 3)]
    assert all(len(line) + 4 <= WIDTH for line in (*first, *second))
