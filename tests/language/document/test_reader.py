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


def test_the_marks_of_a_quotation_are_no_relations():
    document = read_document("text\n\n> ```math\n> a = b\n> ```\n>\n> and $$c\n> = d$$\n")
    assert [span.text.split() for span in document.spans] == [["a", "=", "b"], ["c", "=", "d"]]


def test_a_comment_within_code_says_nothing():
    document = read_document("A comment `<!-- indexcalc … -->` and\n\n```\n<!-- indexcalc a = b -->\n```\n")
    assert document.contexts == ()


def test_sections_are_headings_items_and_rows():
    text = "# One\n\ntext\n1. first\n   more\n2. second\n\nafter\n\n| a |\n| - |\nlast\n\n## Two\n\n```\n# code\n```\n"
    found = [
        (text[section.start :].split("\n", maxsplit=1)[0], section.level) for section in read_document(text).sections
    ]
    assert found == [
        ("# One", 1),
        ("1. first", 7),
        ("2. second", 7),
        ("after", 6),
        ("| a |", 8),
        ("| - |", 8),
        ("last", 7),
        ("## Two", 2),
    ]


def test_sections_of_latex_are_commands_and_numbered_items():
    text = (
        r"\section{A} \begin{enumerate} \item one \begin{itemize}\item x\end{itemize} \item two \end{enumerate} "
        r"rest \begin{itemize}\item y\end{itemize} \subsection{B}"
    )
    levels = [section.level for section in read_document(text, "a.tex").sections]
    assert levels == [1, 7, 7, 7, 6, 2]


def test_a_context_in_a_row_of_a_table_is_that_row_s():
    text = "<!-- indexcalc a = b -->\n\n| x | y |\n|---|---|\n| $p$ <!-- indexcalc c = d --> | $q$ |\n\n$r$\n"
    document = read_document(text)
    assert document.contexts == ("a = b",)
    assert [(row.context, text[row.start : row.end][:5]) for row in document.rows] == [("c = d", "| $p$")]
    assert [([span.text for span in part.spans], own) for part, own in document.parts()] == [
        (["r"], ""),
        (["p", "q"], "c = d"),
    ]
