"""Messages between the server and its workers: JSON behind its length, four bytes, the most significant first."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

HEAD = 4
"""The bytes that hold the length."""

Message = dict[str, Any]


def framed(message: Mapping[str, Any]) -> bytes:
    """A message with its length in front."""
    text = json.dumps(message, ensure_ascii=False).encode()
    return len(text).to_bytes(HEAD, "big") + text


def length(head: bytes) -> int:
    """How many bytes follow."""
    return int.from_bytes(head, "big")


def message_of(text: bytes) -> Message:
    """The message in these bytes, which one of us wrote."""
    found = json.loads(text)
    assert isinstance(found, dict)
    return found
