"""The names that a function of generated code binds again after they are bound."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)
CHECKS = {"_checked", "_promoted"}
"""What takes the arguments of a function to arrays of one dtype, under the same names."""


def changed_names(source: str) -> list[tuple[str, str]]:
    """Every function of a module with each name that it changes, on one way through it.

    Each step of a loop binds names of its own. Private functions may carry a value from step to step.
    """
    functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    return [(function.name, name) for function in functions for name in changed_in(function)]


def changed_in(function: ast.FunctionDef) -> list[str]:
    """The names that one function changes; those within it are looked at by themselves."""
    given = function.args
    arguments = {one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)}
    found: list[str] = []
    walk(function.body, arguments, frozenset(), found, function.name.startswith("_"))
    return found


def walk(body: Sequence[ast.stmt], known: set[str], carried: frozenset[str], found: list[str], private: bool) -> None:
    """Go through statements in order: `known` is what is bound where they stand, and grows."""

    def bind(names: Iterator[str]) -> None:
        for name in names:
            if name in known and name not in carried and name != "_":
                found.append(name)
            known.add(name)

    for statement in body:
        match statement:
            case ast.Assign(targets=targets, value=value):
                names = [name for target in targets for name in names_of(target)]
                known.difference_update(names if is_checked(value) else ())
                bind(iter(names))
            case ast.AugAssign(target=target) | ast.AnnAssign(target=target):
                bind(names_of(target))
            case ast.FunctionDef(name=name):
                bind(iter((name,)))
            case ast.For(target=target, body=inner):
                inside = set(known)
                walk(
                    [ast.Assign([target], ast.Constant(0)), *inner],
                    inside,
                    carried_by(known, carried, private),
                    found,
                    private,
                )
            case ast.While(body=inner):
                walk(inner, set(known), carried_by(known, carried, private), found, private)
            case ast.If(body=first, orelse=second):
                branches = []
                for branch in (first, second):
                    inside = set(known)
                    walk(branch, inside, carried, found, private)
                    branches.append(set() if branch and isinstance(branch[-1], LEAVES) else inside)
                known.update(*branches)
            case ast.With(body=inner):
                walk(inner, known, carried, found, private)


def is_checked(value: ast.expr) -> bool:
    """Whether this is the result of a check of arguments, or one of its arrays."""
    match value:
        case ast.Call(func=ast.Name(id=name)):
            return name in CHECKS
        case ast.Subscript(value=ast.Name(id="arrays")):
            return True
    return False


def carried_by(known: set[str], carried: frozenset[str], private: bool) -> frozenset[str]:
    """What a step of a loop may change."""
    return frozenset(known) | carried if private else carried


def names_of(target: ast.expr) -> Iterator[str]:
    """The names that an assignment binds; an entry of an array is none."""
    match target:
        case ast.Name(id=name):
            yield name
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            for element in elements:
                yield from names_of(element)
        case ast.Starred(value=value):
            yield from names_of(value)
