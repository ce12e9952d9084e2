"""The language server as an editor meets it: a process that is spoken to over standard input and output."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("pygls")
pytest.importorskip("pytest_lsp")

import pytest_lsp
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import ClientServerConfig, LanguageClient

from indexcalc.document.check import check
from indexcalc.library import shipped_paths
from tests.editors.support import ATTENTION, WRONG_NOTE, covered, edited, position
from tests.playground.support import slow
from tests.support.pages import ROOT

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork"),
    pytest.mark.asyncio,
]

PATH = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
CONFIG = ClientServerConfig(
    server_command=[sys.executable, "-m", "indexcalc", "lsp"], server_env={**os.environ, "PYTHONPATH": PATH}
)
SPEC = "file:///nowhere/mine.ixc"
NOTE = "file:///nowhere/note.md"
WAIT = 120
"""Seconds within which an answer is there on any machine."""


@pytest_lsp.fixture(config=CONFIG)
async def client(lsp_client: LanguageClient):
    await lsp_client.initialize_session(
        types.InitializeParams(capabilities=types.ClientCapabilities(), workspace_folders=[])
    )
    yield
    await lsp_client.shutdown_session()


class Editor:
    """An open document."""

    def __init__(self, client, uri, text, language="indexcalc"):
        self.client, self.uri, self.text, self.version = client, uri, text, 1
        item = types.TextDocumentItem(uri, language, 1, text)
        client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    @property
    def document(self):
        return types.TextDocumentIdentifier(self.uri)

    def type(self, text):
        """Put a whole text in place of the old one."""
        self.version += 1
        self.text = text
        whole = types.TextDocumentContentChangeWholeDocument(text)
        versioned = types.VersionedTextDocumentIdentifier(self.version, self.uri)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(versioned, [whole]))

    async def told(self, condition):
        """The diagnostics, once they are as wished for."""
        end = time.monotonic() + WAIT
        while time.monotonic() < end:
            found = self.client.diagnostics.get(self.uri)
            if found is not None and condition(found):
                return found
            await asyncio.sleep(0.05)
        raise AssertionError(f"told instead: {self.client.diagnostics.get(self.uri)}")

    async def hover(self, of, after=0):
        where = position(self.text, of, after)
        found = await self.client.text_document_hover_async(types.HoverParams(self.document, where))
        return None if found is None else found.contents.value

    async def gradient(self, of, after=0):
        """What is said of a name once its gradient is there."""
        end = time.monotonic() + WAIT
        while time.monotonic() < end:
            found = await self.hover(of, after)
            if found and "its gradient:" in found:
                return found
        raise AssertionError(found)

    async def labels(self, of, after=0):
        params = types.CompletionParams(self.document, position(self.text, of, after))
        found = await self.client.text_document_completion_async(params)
        return {item.label for item in found.items}

    async def fixes(self, diagnostic):
        context = types.CodeActionContext([diagnostic])
        params = types.CodeActionParams(self.document, diagnostic.range, context)
        return await self.client.text_document_code_action_async(params)

    async def rename(self, of, new, after=0):
        where = position(self.text, of, after)
        found = await self.client.text_document_rename_async(types.RenameParams(self.document, where, new))
        return edited(self.text, found.changes[self.uri])


async def test_a_mistake_is_told_at_its_place_and_goes_when_it_is_mended(client):
    wrong = ATTENTION.replace("V[j,p])", "Vv[j,p])")
    editor = Editor(client, SPEC, wrong)
    (found,) = await editor.told(len)
    assert covered(wrong, found.range) == "Vv"
    assert found.severity is types.DiagnosticSeverity.Error
    assert "the tensor Vv is not known" in found.message
    (fix,) = await editor.fixes(found)
    mended = edited(wrong, fix.edit.changes[SPEC])
    assert mended == ATTENTION
    editor.type(mended)
    await editor.told(lambda found: not found)


async def test_a_false_claim_is_told_on_its_line(client):
    text = ATTENTION.replace("(dL/dS[i,j]) = 0", "(dL/dS[i,j]) = 1")
    (found,) = await Editor(client, SPEC, text).told(len)
    assert covered(text, found.range).startswith("sum[j](dL/dS")
    assert "false" in found.message


async def test_hover_says_shape_meaning_equation_and_gradient(client):
    editor = Editor(client, SPEC, ATTENTION)
    said = await editor.gradient("A[i,j] * V")
    assert "tensor `A` of shape T × T: weights" in said
    assert "A[i,j] = exp(S[i,j]) / sum[l](exp(S[i,l]))" in said
    assert "dL/dA[i,j] = Σ_p G[i,p] V[j,p]" in said
    assert "tensor `Q` of shape T × d: queries" in await editor.hover("Q[i,k] *")
    assert "index `l`: positions" in await editor.hover("sum[l]", 4)
    assert "sum over all values" in await editor.hover("sum[l]")
    assert "e^x" in await editor.hover("exp(S")
    assert "upstream G[i,p] = dL/dO[i,p]" in await editor.hover("upstream")
    assert await editor.hover("positions") is None


async def test_completion_knows_words_functions_names_and_indices(client):
    editor = Editor(client, SPEC, ATTENTION + "\nB[i,j] = A[i,j] * \nC[i] = A[i,\nderive \n")
    assert {"derive", "index", "use", "A"} <= await editor.labels("\nB[i", 0)
    expression = await editor.labels("B[i,j] = A[i,j] * ", 18)
    assert {"A", "Q", "exp", "softmax", "sum", "d"} <= expression
    assert not {"i", "derive"} & expression
    slots = await editor.labels("C[i] = A[i,", 11)
    assert {"i", "j", "k", "l", "p"} <= slots
    assert not {"A", "exp"} & slots
    assert await editor.labels('"weights"', 3) == set()


async def test_definition_and_references(client):
    editor = Editor(client, SPEC, ATTENTION)
    where = position(ATTENTION, "S[i,l]")
    found = await client.text_document_definition_async(types.DefinitionParams(editor.document, where))
    assert (found.uri, found.range.start) == (SPEC, position(ATTENTION, "S[i,j] = 1"))
    params = types.ReferenceParams(types.ReferenceContext(True), editor.document, where)
    places = await client.text_document_references_async(params)
    assert [one.range.start.line for one in places] == [5, 6, 6, 9, 10]
    assert {covered(ATTENTION, one.range) for one in places} == {"S"}


async def test_definition_of_a_used_derivation_is_its_spec(client):
    text = "index n : N\nindex m : M\ninput H[n,m]\nuse layer_norm(X = H[n,m]) as ln giving Y as X_norm\n"
    editor = Editor(client, SPEC, text)
    params = types.DefinitionParams(editor.document, position(text, "layer_norm"))
    found = await client.text_document_definition_async(params)
    assert found.uri == shipped_paths()["layer_norm"].as_uri()


async def test_rename_keeps_to_tensors_or_to_indices(client):
    text = ATTENTION.replace("V[j,p]", "i[j,p]").replace("derive V", "derive i")
    editor = Editor(client, SPEC, text)
    assert await editor.rename("i[j,p]", "V") == ATTENTION
    swapped = await editor.rename("i, j", "q")
    assert swapped == text.replace("[i,", "[q,").replace("index i,", "index q,")
    with pytest.raises(JsonRpcException, match="j is taken"):
        await editor.rename("i, j", "j")
    with pytest.raises(JsonRpcException, match="not a name"):
        await editor.rename("i, j", "2x")


async def test_positions_count_what_the_editor_counts(client):
    text = 'index i : N\ninput x[i] "𝔵𝔵", w[i]\ny[i] = x[i] * ww[i]\n'
    editor = Editor(client, SPEC, text)
    (found,) = await editor.told(len)
    assert found.range.start == types.Position(2, 14)
    renamed = await client.text_document_rename_async(types.RenameParams(editor.document, types.Position(1, 19), "v"))
    (edit,) = renamed.changes[SPEC]
    assert (edit.range.start, edit.range.end) == (types.Position(1, 19), types.Position(1, 20))


async def test_a_wrong_document_has_a_quick_fix_that_makes_it_right(client):
    editor = Editor(client, NOTE, WRONG_NOTE, "markdown")
    (found,) = await editor.told(len)
    assert covered(WRONG_NOTE, found.range) == r"\sum_i W_{ij} \frac{\partial L}{\partial y_j}"
    assert found.severity is types.DiagnosticSeverity.Error
    assert "y has the index j" in found.message or "refuted" in found.message
    (fix,) = await editor.fixes(found)
    mended = edited(WRONG_NOTE, fix.edit.changes[NOTE])
    assert check(mended, "note.md").ok
    editor.type(mended)
    await editor.told(lambda found: not found)


async def test_an_older_version_is_not_worked_on_any_longer(client):
    editor = Editor(client, SPEC, slow(40))
    await editor.told(lambda found: not found)
    editor.type(ATTENTION)
    assert "dL/dA[i,j]" in await editor.gradient("A[i,j] * V")


async def test_a_hostile_document_stops_nobody(client):
    deep = Editor(client, "file:///nowhere/deep.ixc", "index i : N\ninput x[i]\ny[i] = " + "(" * 5_000 + "x[i]")
    long = Editor(client, "file:///nowhere/long.md", "$a = b$ " * 20_000, "markdown")
    huge = Editor(client, "file:///nowhere/huge.ixc", "y[i] = " + "x[i] + " * 60_000)
    small = Editor(client, SPEC, ATTENTION)
    assert "dL/dA[i,j]" in await small.gradient("A[i,j] * V")
    for editor in (deep, long, huge):
        (found,) = await editor.told(len)
        assert found.severity is types.DiagnosticSeverity.Error
        assert "mistake of indexcalc" not in found.message
    assert await huge.hover("x[i]") is None


@pytest.mark.skipif(not Path("/proc/self/stat").is_file(), reason="processes are listed in /proc")
async def test_nothing_is_left_when_the_editor_ends_while_something_is_worked_on(tmp_path):
    process = subprocess.Popen(
        CONFIG.server_command, env=CONFIG.server_env, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    opening = {"textDocument": {"uri": SPEC, "languageId": "indexcalc", "version": 1, "text": slow(40)}}
    messages = [
        {"id": 1, "method": "initialize", "params": {"capabilities": {}, "processId": None, "rootUri": None}},
        {"method": "initialized", "params": {}},
        {"method": "textDocument/didOpen", "params": opening},
    ]
    for message in messages:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    process.stdin.flush()
    assert await until(lambda: any(map(children, children(process.pid))))
    (zygote,) = children(process.pid)
    process.stdin.close()
    process.wait(WAIT)
    process.stdout.close()
    assert await until(lambda: not os.path.exists(f"/proc/{zygote}") and not children(zygote))


def children(process):
    """The processes that a process started."""
    found = Path("/proc").glob("[0-9]*/stat")
    return [int(path.parent.name) for path in found if parent(path) == process]


def parent(path):
    """Who started a process; 0 if it has ended meanwhile."""
    try:
        return int(path.read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


async def until(condition):
    """Whether something becomes so."""
    end = time.monotonic() + WAIT
    while time.monotonic() < end:
        if condition():
            return True
        await asyncio.sleep(0.05)
    return False


async def test_what_is_closed_is_no_longer_complained_of(client):
    editor = Editor(client, SPEC, "y[i] = x[i]\n")
    await editor.told(len)
    client.text_document_did_close(types.DidCloseTextDocumentParams(editor.document))
    await editor.told(lambda found: not found)
