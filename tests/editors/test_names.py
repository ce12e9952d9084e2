"""Names of spec texts: what they are, against the trees of the reader; and renaming, which reading must not notice."""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass
from functools import cache

import pytest

from indexcalc.editors.names import OWN, SpecNames
from indexcalc.editors.occurrences import Kind
from indexcalc.editors.renaming import RenamingError, applied, at_of, renamed
from indexcalc.editors.statements import TEXT_LIMIT
from indexcalc.language import lines
from indexcalc.language.files import source_of
from indexcalc.language.read import load_problem, read_problem
from indexcalc.language.reader import parse
from indexcalc.language.syntax import Entry, Gradient
from indexcalc.library import shipped_paths
from indexcalc.notes import formula_text

SPECS = shipped_paths()


@cache
def text_of(name):
    return SPECS[name].read_text(encoding="utf-8")


def nodes(value):
    """Every entry, gradient and equation line in the trees of the reader."""
    if isinstance(value, tuple):
        for one in value:
            yield from nodes(one)
    elif is_dataclass(value):
        yield value
        for field in fields(value):
            yield from nodes(getattr(value, field.name))


@pytest.mark.parametrize("name", SPECS)
def test_every_entry_of_the_reader_is_a_tensor_here(name):
    text = text_of(name)
    here = {(at_of(text, one.start).line, at_of(text, one.start).column): one for one in SpecNames(text).found}
    seen = 0
    for node in nodes(parse(source_of(text, name))):
        if isinstance(node, Entry) and node.at and node.slots is not None and node.name != "delta":
            one = here[node.at.line, node.at.column]
            assert (one.kind, one.name) == (Kind.TENSOR, node.name)
            seen += 1
        elif isinstance(node, Gradient) and node.at:
            one = here[node.at.line, node.at.column + len("dL/d")]
            assert (one.kind, one.name) == (Kind.TENSOR, node.of)
            seen += 1
    assert seen or "use " in text


@pytest.mark.parametrize("name", SPECS)
def test_every_declaration_of_the_reader_is_one_here(name):
    text = text_of(name)
    declared = {(one.kind, one.name) for one in SpecNames(text).found if one.declares}
    expected = set()
    for line in parse(source_of(text, name)):
        match line:
            case lines.IndexLine(names=names, extent=extent):
                expected |= {(Kind.INDEX, slot.name) for slot in names}
                expected |= {(Kind.EXTENT, one) for one in extent if isinstance(one, str) and one.isidentifier()}
            case lines.ParameterLine(name=own):
                expected.add((Kind.PARAMETER, own))
            case lines.InputLine(entry=entry) | lines.EquationLine(left=entry) | lines.UpstreamLine(given=entry):
                expected.add((Kind.TENSOR, entry.name))
            case lines.NameLine(name=own):
                expected.add((Kind.TENSOR, own))
    assert expected <= declared


@pytest.mark.parametrize("name", SPECS)
def test_no_name_of_a_shipped_spec_is_left_open(name):
    names = SpecNames(text_of(name))
    assert names.unread == ()
    assert [one for one in names.found if one.kind in (Kind.BARE, Kind.SLOT, Kind.BOUND)] == []


def shape_of(problem):
    """All equations with names replaced by when they come first, so that only what they are counts."""
    numbers = {}

    def number(found):
        return str(numbers.setdefault((found[1], bool(found[2])), len(numbers))) + found[2]

    program = problem.program
    texts = [formula_text(equation) for equation in program.equations]
    texts += [f"{one.name}{[i.extent for i in one.slots]}" for one in program.inputs]
    return [re.sub(r"([^\W\d]\w*)(\[?)", number, text) for text in texts]


@pytest.mark.parametrize("name", [name for name in SPECS if "\nuse " not in text_of(name)])
def test_a_spec_with_all_names_changed_is_the_same_spec(name):
    before = after = text_of(name)
    # A digit 0 behind each name keeps their order, by which commuting factors are sorted.
    own = sorted((one for one in SpecNames(before).declared.values() if one.kind in OWN), key=lambda one: one.name)
    given = []
    for one in reversed(own):
        names, new = SpecNames(after), f"{one.name}0"
        while any(other.name == new for other in names.found):
            new += "0"
        given.append(new)
        after = applied(after, renamed(names, names.declared[one.kind, one.name].start, new))
    assert sorted(given) == sorted(one.name for one in SpecNames(after).declared.values() if one.kind in OWN)
    assert shape_of(read_problem(after)) == shape_of(load_problem(SPECS[name]))
    if len({one.name for one in own}) == len(own):
        for one, new in zip(own, reversed(given), strict=True):
            names = SpecNames(after)
            after = applied(after, renamed(names, names.declared[one.kind, new].start, one.name))
        assert after == before


USE = """index n : N
index m : M
input H[n,m], g[m], b[m]
use layer_norm(X = H[n,m], g = g, b = b) as ln giving Y
Z[n,m] = Y[n,m] * ln_mu[n]
upstream G[n,m] = dL/dZ[n,m]
derive H
"""


def test_a_name_that_is_given_as_it_is_gets_its_new_name_behind_it():
    names = SpecNames(USE)
    after = applied(USE, renamed(names, USE.index("Y[n"), "X_norm"))
    assert "giving Y as X_norm\n" in after
    assert "X_norm[n,m] * ln_mu" in after
    given = applied(after, renamed(SpecNames(after), after.index("X_norm"), "W"))
    assert "giving Y as W\n" in given


def test_what_a_use_line_makes_is_named_there():
    with pytest.raises(RenamingError, match="giving"):
        renamed(SpecNames(USE), USE.index("ln_mu"), "mean")


@pytest.mark.parametrize(
    ("of", "new", "said"),
    [
        ("H[n", "g", "the tensor here"),
        ("n : N", "ln", "the prefix here"),
        ("index", "q", "no tensor"),
        ("H[n", "a b", "not a name"),
    ],
)
def test_what_can_not_be_renamed_is_told(of, new, said):
    with pytest.raises(RenamingError, match=said):
        renamed(SpecNames(USE), USE.index(of), new)


def test_a_text_with_a_line_that_cannot_be_read_is_mended_first():
    text = USE + "y[n] = = 2\n"
    names = SpecNames(text)
    assert len(names.unread) == 1
    with pytest.raises(RenamingError, match="line 8 can't be read"):
        renamed(names, text.index("H[n"), "q")


def test_an_open_bracket_leaves_the_other_lines_readable():
    names = SpecNames("index i : N\ninput x[i]\ny[i] = exp(x[i]\nz[i] = y[i]\n")
    assert (Kind.TENSOR, "z") in names.declared
    assert [piece.text for piece in names.unread] == ["y[i] = exp(x[i]"]
    broken = [(one.name, one.kind) for one in names.found if 23 <= one.start < 38]
    kinds = [Kind.TENSOR, Kind.INDEX, Kind.FUNCTION, Kind.TENSOR, Kind.INDEX]
    assert broken == list(zip(["y", "i", "exp", "x", "i"], kinds, strict=True))


def test_of_a_text_that_is_too_long_nothing_is_read():
    assert SpecNames("x = y\n" * TEXT_LIMIT).found == ()
