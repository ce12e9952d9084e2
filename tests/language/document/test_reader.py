from __future__ import annotations

import pytest

from indexcalc.errors import LimitError
from indexcalc.language.document import read_document
from indexcalc.language.document.reader import SOURCE_LIMIT


def spans(source, name="note.md"):
    return [(span.text.strip(), span.display) for span in read_document(source, name).spans]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a $x$ b", [("x", False)]),
        ("$$x$$", [("x", True)]),
        ("a $`x`$ b", [("x", False)]),
        ("```math\nx\n```", [("x", True)]),
        ("```{math}\nx\n```", [("x", True)]),
        (r"a \(x\) b \[y\]", [("x", False), ("y", True)]),
        ("`$x$` and\n\n    code $y$\n", []),
        ("```python\nx = '$y$'\n```", []),
        ("---\ntitle: $x$\n---\n$y$", [("y", False)]),
        ("<!-- $x$ --> $y$", [("y", False)]),
        ("\\begin{align*}\nx\n\\end{align*}", [("x", True)]),
        (r"costs \$5 and $x$", [("x", False)]),
        ("1. one\n\n    $$x$$\n", [("x", True)]),
    ],
)
def test_markdown(source, expected):
    assert spans(source) == expected


def test_latex_comments_and_macros():
    source = "\\newcommand{\\al}[1]{\\begin{align*} #1 \\end{align*}}\n% $x$\n\\al{ y }\n$z$"
    assert spans(source, "note.tex") == [("y", True), ("z", False)]


def test_html():
    assert spans("<p>\\(x\\)</p><code>$y$</code><script>$z$</script>", "note.html") == [("x", False)]


def test_places_are_lines_and_columns():
    document = read_document("one\ntwo $x$")
    assert document.place(document.spans[0].start) == (2, 6)


def test_contexts_are_comments():
    assert read_document("<!-- indexcalc alias F = A -->").contexts == ("alias F = A",)


def test_a_document_that_is_too_long_is_refused():
    with pytest.raises(LimitError):
        read_document("x" * (SOURCE_LIMIT + 1))
