"""How long a request may be, and the names in it."""

from __future__ import annotations

BODY_LIMIT = 1_000_000
"""The most bytes of a request."""

NAME_LIMIT = 200
"""The most characters of a file name, of the name of a page, and of a list of targets."""
