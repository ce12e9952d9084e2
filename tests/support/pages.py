"""The fenced blocks, commands and links of the project's pages."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md")))

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
LINK = re.compile(r"""(?:\]\(|src=")(?!https?:|#)([^)#"]+)""")
COMMAND = r"<!-- command: {name} -->\n```sh\n(.*?)```"


@dataclass(frozen=True)
class Block:
    """A fenced block: the language it names, its text, and the page."""

    language: str
    text: str
    page: str


def blocks(page: Path, language: str) -> list[Block]:
    found = FENCE.findall(page.read_text(encoding="utf-8"))
    return [Block(name, text, page.name) for name, text in found if name == language]


def all_blocks(language: str) -> list[Block]:
    return [block for page in PAGES for block in blocks(page, language)]


def links(page: Path) -> list[str]:
    """The targets of the relative links of a page; code and comments hold none."""
    prose = COMMENT.sub("", CODE.sub("", FENCE.sub("", page.read_text(encoding="utf-8"))))
    return LINK.findall(prose)


def command(name: str) -> str:
    """A command of the README by the name in the comment before it; the tests and `.ci/run` use the same one."""
    (text,) = re.findall(COMMAND.format(name=name), (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    return text.strip()
