"""The files of the page: they come with the package, and no other file is given out."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
"""The media types by the ends of names."""

SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)
"""The script in the template of the notes."""


@cache
def assets() -> Mapping[str, tuple[bytes, str]]:
    """The bytes and the media type of each file, by its name."""
    found = {}
    for file in files("indexcalc.playground").joinpath("assets").iterdir():
        ending = file.name.rpartition(".")[2]
        if ending in TYPES:
            found[file.name] = (file.read_bytes(), TYPES[ending])
    return found


def note_script() -> str:
    """The hash of the script of the notes, as a Content-Security-Policy names it."""
    template = files("indexcalc.notes").joinpath("templates", "note.html.jinja2").read_text(encoding="utf-8")
    (script,) = SCRIPT.findall(template)
    return f"sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}"
