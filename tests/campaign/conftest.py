"""The tests here judge what is right; how long it takes is for the campaigns, on a machine that does nothing else."""

from __future__ import annotations

import pytest

from tests.campaign import judge

PATIENCE = 10 * judge.PATIENCE
"""A machine may be slow and share its time: so many seconds stop only what would never end."""


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge, "PATIENCE", PATIENCE)
