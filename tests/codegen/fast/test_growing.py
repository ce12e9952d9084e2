"""Loops in programs of hundreds of equations: what is looked at grows with the program, not with its square."""

import indexcalc as ic
from indexcalc.codegen.fast.growing import meetings
from indexcalc.codegen.fast.outline import outlined


class Counted(dict):
    """A table that counts how often it is read."""

    reads = 0

    def __getitem__(self, key):
        self.reads += 1
        return super().__getitem__(key)


def chain_of(length):
    lines = [f"x{number + 1}[i,j] = tanh(x{number}[i,j])" for number in range(length)]
    text = "\n".join(("index i : N", "index j : M", "input x0[i,j]", *lines, f"derive x{length - 1}", ""))
    return outlined(ic.derive(ic.read_problem(text)), {}, None).problem


def reads_to_meet(length):
    problem = chain_of(length)
    first, *_, last = problem.statements
    members = {s.name: (s.axes[0],) for s in problem.statements if s is not last}
    problem.__dict__["accesses"] = counted = Counted(problem.accesses)
    assert meetings(problem, last, members, 0) == {last.axes[0]}
    assert first.name in members
    return counted.reads


def test_a_statement_looks_at_its_neighbours_only():
    assert reads_to_meet(60) == reads_to_meet(6)
