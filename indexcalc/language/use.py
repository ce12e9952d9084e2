"""Programs from programs: ``use layer_norm(X = H[(b,s),m]) as ln`` becomes the equations of layer_norm.

The text of the other spec is read and checked on its own, its own ``use`` lines are written out, and
its statements are taken over with tensors and indices renamed (see `Instance`). After this pass no
``use`` line is left.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from indexcalc.language.comparisons import with_comparisons
from indexcalc.language.files import source_of
from indexcalc.language.instance import Instance
from indexcalc.language.lines import EquationLine, SolveLine, Statement, UseLine
from indexcalc.language.paths import SUFFIX, file_text
from indexcalc.language.reader import parse
from indexcalc.language.source import Source, line_of
from indexcalc.language.syntax import At

Resolve = Callable[[str], str | None]
"""The spec text of a derivation by its name; None if there is none."""

Check = Callable[[tuple[Statement, ...], Source], object]
"""Reads statements without ``use`` lines, and complains about their mistakes."""

USE_DEPTH = 8
"""How deep specs may use specs."""

STATEMENT_LIMIT = 5_000
"""The most statements that a spec may have once all that it uses is written out."""


@dataclass
class Uses:
    """The specs in use: who uses whom, and what was read already.

    Attributes:
        resolve: finds a spec by name.
        check: complains about the mistakes of a spec on its own.
        trail: the specs that are being read, the outermost first.
        known: the statements of the specs read so far.
    """

    resolve: Resolve
    check: Check
    trail: tuple[str, ...] = ()
    known: dict[str, tuple[Statement, ...]] = field(default_factory=dict)

    def expand(self, lines: tuple[Statement, ...], source: Source) -> tuple[Statement, ...]:
        """The statements with every ``use`` line written out.

        Raises:
            SpecError: for a spec that can't be found, that uses itself, or that doesn't fit.
        """
        if not any(isinstance(line, UseLine) for line in lines):
            return lines
        prefixes: dict[str, At | None] = {}
        done: list[Statement] = []
        for number, line in enumerate(lines):
            if not isinstance(line, UseLine):
                done.append(line)
                continue
            if line.prefix in prefixes:
                where = line_of(prefixes[line.prefix])
                raise source.error(f"the name {line.prefix} is used already{where}; choose another after `as`", line.at)
            prefixes[line.prefix] = line.at
            rest = tuple(other for other in lines[number + 1 :] if not isinstance(other, UseLine))
            instance = Instance(line, self.statements(line, source), (*done, *rest), source)
            done.extend(instance.statements())
            if len(done) > STATEMENT_LIMIT:
                raise source.error(f"more than {STATEMENT_LIMIT} statements, with all that is used", line.at)
        return tuple(done)

    def statements(self, line: UseLine, source: Source) -> tuple[Statement, ...]:
        """The statements of the used spec, checked on its own, with its own uses written out."""
        key, text = self.text(line, source)
        if key in self.trail:
            chain = " uses ".join((*self.trail[self.trail.index(key) :], key))
            raise source.error(f"a spec can't use itself: {chain}", line.at)
        if len(self.trail) >= USE_DEPTH:
            raise source.error(f"specs use specs more than {USE_DEPTH} levels deep", line.at)
        if key not in self.known:
            inner = source_of(text, key)
            deeper = Uses(self.resolve, self.check, (*self.trail, key), self.known)
            found = with_comparisons(deeper.expand(parse(inner), inner))
            self.check(found, inner)
            self.known[key] = found
        found = self.known[key]
        if not any(isinstance(statement, EquationLine | SolveLine) for statement in found):
            raise source.error(f"{line.spec} has no equations", line.at)
        return found

    def text(self, line: UseLine, source: Source) -> tuple[str, str]:
        """The file name of the used spec, for errors, and its text."""
        if not line.is_path:
            found = self.resolve(line.spec)
            if found is None:
                beside = f'a spec beside this one is used as "{line.spec}{SUFFIX}"'
                raise source.error(f"there is no shipped derivation {line.spec}; {beside}", line.at)
            return line.spec + SUFFIX, found
        path, here = PurePosixPath(line.spec), Path(source.file)
        if path.is_absolute() or ".." in path.parts or "\\" in line.spec or path.suffix != SUFFIX:
            raise source.error(f"a used spec lies beside this one or below, and ends in {SUFFIX}", line.at)
        if not here.is_file():
            raise source.error("a spec is used by path only from a spec file, beside which it lies", line.at)
        found_path = here.parent / path
        if not found_path.is_file():
            raise source.error(f"there is no file {found_path}", line.at)
        return str(found_path), file_text(found_path)
