"""What differs between code for speed in one array library and in another, in one place."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from indexcalc.codegen.dialect import Dialect
from indexcalc.codegen.fast.blocking import Blocking, Schedule
from indexcalc.codegen.fast.names import Names
from indexcalc.codegen.special import Special


@dataclass(frozen=True)
class Body:
    """The lines of a function, and what never exists in full while it runs.

    Attributes:
        lines: the statements.
        schedule: what they follow.
        whole: the tensors of loops that are there in full afterwards.
        functions: the source of what the lines call, which stands in the module.
        kernels: the source of what they run on a grid, which needs another package.
    """

    lines: tuple[str, ...]
    schedule: Schedule
    whole: frozenset[str]
    functions: tuple[str, ...] = ()
    kernels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Setting:
    """The keyword argument of every function that says how it is to run.

    Attributes:
        name: in `LOCALS`, or among the library's own variables.
        kind: its type and default.
        meaning: what is said of it.
    """

    name: str
    kind: str
    meaning: str


@dataclass(frozen=True, eq=False)
class Library:
    """One array library; equal to itself alone.

    Attributes:
        dialect: its words.
        template: of a module.
        setting: the keyword argument that says how a function runs.
        body: the lines that compute the wanted tensors of a problem; the last argument begins the names of functions.
        like: the variable that new arrays are made like, from the function's own names.
        dtype: the expression for the dtype of new arrays, from the function's own names.
        like_lines: the lines that make that variable from the given arrays.
        ends: lines for a result without axes that grew from block to block.
        decorators: what stands over every function that users call.
        variables: what functions call variables of their own, beside `LOCALS`.
        private: the private functions that a module holds where it uses them.
        has_steps: whether it has loops over steps.
        copies_windows: whether windows are copied before they are multiplied as matrices.
        has_bounds: whether functions can keep within a bound of memory.
    """

    dialect: Dialect
    template: str
    setting: Setting
    body: Callable[[Blocking, Names, str | None, str], Body]
    like: Callable[[Mapping[str, str]], str]
    dtype: Callable[[Mapping[str, str]], str]
    like_lines: Callable[[str, Sequence[str]], list[str]]
    ends: tuple[str, ...]
    decorators: tuple[str, ...]
    variables: tuple[str, ...]
    private: Mapping[str, Special]
    has_steps: bool
    copies_windows: bool
    has_bounds: bool
