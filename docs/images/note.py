"""Draw docs/images/note.png: a section of a shipped note, set in LaTeX, with one Kronecker delta marked.

Run it with ``python docs/images/note.py``; it needs pdflatex, pypdfium2 and Pillow. Text and formulas are those
of ``derivations/attention/attention.tex``: only the page's size and the colour behind the delta are added. The
picture holds the text that it was made of, so that a test can tell when the note has moved on.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import pypdfium2
from PIL import Image
from PIL.PngImagePlugin import PngInfo

HERE = Path(__file__).parent
NOTE = HERE.parents[1] / "derivations" / "attention" / "attention.tex"
SECTION = r"\section{The gradient \(\partial L/\partial V\)}"
DELTA = r"\delta_{cj}"
MARKED = rf"\mathpalette\marked{{{DELTA}}}"

LOOK = r"""
\usepackage{xcolor}
\geometry{paperwidth=16cm,paperheight=40cm,margin=6mm}
\pagestyle{empty}
\setcounter{section}{1}
\newcommand{\marked}[2]{{\setlength{\fboxsep}{1.5pt}\colorbox{yellow}{\(#1#2\)}}}
"""
"""A page as narrow as a column of text, and the mark."""

SCALE = 150 / 72
"""Pixels a point of the page: the picture is shown at half its size where it should be sharp."""

BORDER = 20
COLOURS = 16


def section(tex: str) -> str:
    """The section of a note about one gradient."""
    return SECTION + tex.partition(SECTION)[2].partition(r"\section{")[0]


def page(tex: str) -> str:
    """This section as a document of its own, each `DELTA` in it marked."""
    preamble = tex.partition(r"\begin{document}")[0]
    return f"{preamble}{LOOK}\\begin{{document}}\n{section(tex).replace(DELTA, MARKED)}\\end{{document}}\n"


def picture(tex: str) -> Image.Image:
    """The only page of a document, without its empty margins."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "page.tex")
        source.write_text(tex, encoding="utf-8")
        command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", source.name]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
        with pypdfium2.PdfDocument(source.with_suffix(".pdf")) as document:
            (only,) = document
            drawn = only.render(scale=SCALE).to_pil().convert("RGB")
    left, top, right, bottom = drawn.convert("L").point(lambda grey: 255 * (grey < 255)).getbbox()
    return drawn.crop((left - BORDER, top - BORDER, right + BORDER, bottom + BORDER))


if __name__ == "__main__":
    note = NOTE.read_text(encoding="utf-8")
    source = PngInfo()
    source.add_itxt("Source", section(note))
    picture(page(note)).quantize(COLOURS).save(HERE / "note.png", optimize=True, pnginfo=source)
