"""What a user of each system writes for a program, in lines: of a spec, or of a function and all that it calls.

Blank lines, comments, docstrings and decorators don't count; what several programs share counts for each.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

from .programs import SPECS

SOURCES = {"PyTorch": "autograd.py", "JAX": "jax_steps.py", "tensorgrad": "tensor_networks.py"}


def lines_written(name: str) -> Mapping[str, int]:
    """The lines of a program by who writes them: a user of a spec, or of another system."""
    own = Path(__file__).parent
    others = {system: lines_of_function(own / file, name) for system, file in SOURCES.items()}
    return {"spec": lines_of_spec(name), **others}


def lines_of_spec(name: str) -> int:
    """The lines of a spec that say something, and those of each spec that it uses, once."""
    text = (SPECS / f"{name}.ixc").read_text(encoding="utf-8")
    said = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    used = {line.split('"')[1].removesuffix(".ixc") for line in said if line.startswith('use "')}
    return len(said) + sum(lines_of_spec(other) for other in used)


def lines_of_function(path: Path, name: str) -> int:
    """The lines of a function of a file that do something, and those of the functions there that it calls."""
    text = path.read_text(encoding="utf-8")
    found = {node.name: node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}
    pending, needed = [name], set[str]()
    while pending:
        one = pending.pop()
        if one not in needed:
            needed.add(one)
            names = (node.id for statement in found[one].body for node in ast.walk(statement) if type(node) is ast.Name)
            pending += [other for other in names if other in found]
    lines = text.splitlines()
    numbers = {number for one in needed for number in lines_of(found[one])}
    return sum(bool(lines[number - 1].partition("#")[0].strip()) for number in numbers)


def lines_of(function: ast.FunctionDef) -> Iterator[int]:
    """The numbers of the lines of a function without its docstring and decorators."""
    assert function.end_lineno is not None
    first = function.body[0]
    is_docstring = ast.get_docstring(function) is not None
    told = range(first.lineno, (first.end_lineno or first.lineno) + 1) if is_docstring else ()
    yield from (number for number in range(function.lineno, function.end_lineno + 1) if number not in told)
