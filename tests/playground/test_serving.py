"""The server as a process: where it listens, and what becomes of work when whoever asked has gone."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time

import pytest
from typer.testing import CliRunner

from indexcalc.cli.app import app
from tests.playground.support import slow
from tests.support.pages import ROOT

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")


@pytest.fixture
def server(tmp_path):
    """The server and its port."""
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    started = subprocess.Popen(
        [sys.executable, "-u", "-m", "indexcalc", "serve", "--no-open", "--port", "0"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path, "COLUMNS": "200"},
        stdout=subprocess.PIPE,
        text=True,
    )
    with started:
        yield started, int(re.search(r"http://127\.0\.0\.1:(\d+)/", started.stdout.readline())[1])
        started.terminate()


def children(process):
    """The processes that a process started."""
    result = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process)], capture_output=True, text=True, check=False)
    return [int(word) for word in result.stdout.split()]


def until(condition, seconds=30):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False


def asked(port, text):
    """A connection on which work was asked for."""
    body = json.dumps({"page": "a page", "text": text}).encode()
    host = f"127.0.0.1:{port}"
    head = f"POST /api/derive HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n"
    head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    connection = socket.create_connection(("127.0.0.1", port), timeout=60)
    connection.sendall(head.encode() + body)
    return connection


@pytest.mark.skipif(shutil.which("ps") is None, reason="ps, which lists processes, is not installed")
def test_work_ends_when_whoever_asked_has_gone_and_all_ends_with_the_server(server):
    process, port = server
    with asked(port, slow()) as connection:
        assert connection.recv(12) == b"HTTP/1.1 200"
        (zygote,) = children(process.pid)
        assert until(lambda: children(zygote))
    assert until(lambda: not children(zygote), 10)
    with asked(port, slow()) as connection:
        connection.recv(12)
        assert until(lambda: children(zygote))
        process.terminate()
        process.wait(30)
        assert until(lambda: not os.path.exists(f"/proc/{zygote}") and not children(zygote))


def test_a_port_that_is_taken_is_told(server):
    _, port = server
    result = CliRunner().invoke(app, ["serve", "--no-open", "--port", str(port)])
    assert result.exit_code == 2
    assert f"port {port} cannot be used" in result.stderr
    assert "--port 0" in result.stderr


def test_a_missing_library_is_told_with_the_way_out(monkeypatch):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    for name in [one for one in sys.modules if one.startswith("indexcalc.playground.serving")]:
        monkeypatch.delitem(sys.modules, name)
    result = CliRunner().invoke(app, ["serve", "--no-open"])
    assert result.exit_code == 2
    assert "pip install 'indexcalc[serve]'" in result.stderr
