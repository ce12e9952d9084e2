"""Loops in programs of hundreds of equations: what is looked at grows with the program, not with its square."""

import indexcalc as ic
from indexcalc.codegen.fast.growing import Growth
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
    growth = Growth(problem, (first.axes[0].extent,))
    for statement in problem.statements:
        if statement is not last:
            growth.join(statement, (statement.axes[0],))
    problem.__dict__["sources"] = counted = Counted(problem.sources)
    assert growth.meetings(last, 0) == {last.axes[0]}
    assert first.name in growth.members
    return counted.reads


def test_a_statement_looks_at_its_neighbours_only():
    assert reads_to_meet(60) == reads_to_meet(6)


def test_readers_of_one_input_are_not_looked_at_one_by_one():
    text = "\n".join(
        ("index i : N", "index j : M", "input x[i,j]", *(f"y{n}[i,j] = tanh({n} * x[i,j])" for n in range(2, 30)), "")
    )
    problem = outlined(ic.derive(ic.read_problem(text)), {}, None).problem
    first, *others = (statement for statement in problem.statements if statement.name.startswith("y"))
    growth = Growth(problem, tuple(axis.extent for axis in first.axes))
    growth.join(first, first.axes)
    problem.__dict__["sources"] = counted = Counted(problem.sources)
    for statement in others:
        assert list(growth.candidates(statement)) == [statement.axes]
    assert counted.reads == 2 * len(others)
