"""The requests of editors, each answered from what is known of the open document."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from lsprotocol import types
from pygls import uris
from pygls.exceptions import JsonRpcInvalidParams

from indexcalc.editors.completion import proposals
from indexcalc.editors.hover import hover_text
from indexcalc.editors.occurrences import Kind, Occurrence
from indexcalc.editors.opened import Opened
from indexcalc.editors.renaming import RenamingError, renamable, renamed
from indexcalc.editors.server import Server, diagnostic, range_of
from indexcalc.errors import IndexCalcError
from indexcalc.library import find_spec, shipped

PATIENCE = 2.0
"""Seconds for which a hover waits for the engine."""

SYMBOLS = {
    "keyword": types.CompletionItemKind.Keyword,
    "function": types.CompletionItemKind.Function,
    "variable": types.CompletionItemKind.Variable,
    "index": types.CompletionItemKind.Unit,
    "constant": types.CompletionItemKind.Constant,
    "type": types.CompletionItemKind.TypeParameter,
    "module": types.CompletionItemKind.Module,
}

Found = tuple[Opened, int, Occurrence]


def add_features(server: Server) -> None:
    """Let a server answer."""
    server.feature(types.INITIALIZED)(initialized)
    server.feature(types.TEXT_DOCUMENT_DID_OPEN)(changed)
    server.feature(types.TEXT_DOCUMENT_DID_CHANGE)(changed)
    server.feature(types.TEXT_DOCUMENT_DID_CLOSE)(closed)
    server.feature(types.TEXT_DOCUMENT_HOVER)(hover)
    server.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=["[", "/"]))(complete)
    server.feature(types.TEXT_DOCUMENT_DEFINITION)(definition)
    server.feature(types.TEXT_DOCUMENT_REFERENCES)(references)
    server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)(prepare_rename)
    server.feature(types.TEXT_DOCUMENT_RENAME)(rename)
    server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix])
    )(quick_fixes)


def initialized(server: Server, _: types.InitializedParams) -> None:
    """The engine is imported while the first document is opened."""
    server.workers.start()


def changed(server: Server, params: types.DidOpenTextDocumentParams | types.DidChangeTextDocumentParams) -> None:
    """A document was opened, or has another text."""
    server.refresh(params.text_document.uri)


def closed(server: Server, params: types.DidCloseTextDocumentParams) -> None:
    """A document was closed."""
    server.close(params.text_document.uri)


def place(server: Server, uri: str, position: types.Position) -> tuple[Opened, int] | None:
    """The document and the offset; None if it is not open."""
    opened = server.opened.get(uri)
    return None if opened is None else (opened, opened.text.offset(position.line, position.character))


def name_at(server: Server, uri: str, position: types.Position) -> Found | None:
    """The document, the offset and the name that stands there."""
    where = place(server, uri, position)
    found = None if where is None else where[0].names.at(where[1])
    return None if where is None or found is None else (*where, found)


async def hover(server: Server, params: types.HoverParams) -> types.Hover | None:
    """Shape, meaning, equation and gradient of a name; the engine gets a moment to come so far."""
    where = place(server, params.text_document.uri, params.position)
    if where is None or not where[0].is_spec:
        return None
    opened, offset = where
    with suppress(TimeoutError):
        await asyncio.wait_for(opened.told.wait(), PATIENCE)
    said = hover_text(opened.names, offset, opened.known)
    if said is None:
        return None
    text, start, end = said
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text), range_of(opened.text, start, end))


def complete(server: Server, params: types.CompletionParams) -> types.CompletionList:
    """Words, functions, names and indices that fit."""
    where = place(server, params.text_document.uri, params.position)
    if where is None or not where[0].is_spec:
        return types.CompletionList(False, [])
    opened, offset = where
    titles = tuple((one.name, one.title) for one in shipped())
    found = proposals(opened.names, offset, titles)
    items = [types.CompletionItem(one.text, kind=SYMBOLS[one.kind], detail=one.detail or None) for one in found]
    return types.CompletionList(False, items)


def definition(server: Server, params: types.DefinitionParams) -> types.Location | None:
    """Where a name is declared; of a used spec its file."""
    uri = params.text_document.uri
    found = name_at(server, uri, params.position)
    if found is None:
        return None
    opened, _, name = found
    if name.kind is Kind.SPEC:
        with suppress(IndexCalcError):
            start = types.Position(0, 0)
            return types.Location(uris.from_fs_path(str(find_spec(name.name))) or uri, types.Range(start, start))
        return None
    declared = opened.names.declared.get((name.kind, name.name)) or maker(opened, name)
    return None if declared is None else types.Location(uri, range_of(opened.text, declared.start, declared.end))


def maker(opened: Opened, name: Occurrence) -> Occurrence | None:
    """The ``use`` line that makes a tensor, by its prefix."""
    prefixes = [one for one in opened.names.of_kind(Kind.PREFIX) if name.name.startswith(f"{one.name}_")]
    return max(prefixes, key=lambda one: len(one.name), default=None) if name.kind is Kind.TENSOR else None


def references(server: Server, params: types.ReferenceParams) -> list[types.Location]:
    """Everywhere that a name stands."""
    uri = params.text_document.uri
    found = name_at(server, uri, params.position)
    if found is None:
        return []
    opened, _, name = found
    shown = (one for one in opened.names.all_of(name) if params.context.include_declaration or not one.declares)
    return [types.Location(uri, range_of(opened.text, one.start, one.end)) for one in shown]


def prepare_rename(server: Server, params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder | None:
    """The name that would be changed."""
    where = place(server, params.text_document.uri, params.position)
    if where is None:
        return None
    opened, offset = where
    try:
        name = renamable(opened.names, offset)
    except RenamingError as error:
        raise JsonRpcInvalidParams(error.message) from error
    return types.PrepareRenamePlaceholder(range_of(opened.text, name.start, name.end), name.name)


def rename(server: Server, params: types.RenameParams) -> types.WorkspaceEdit | None:
    """The edits that change a name everywhere it has this meaning."""
    uri = params.text_document.uri
    where = place(server, uri, params.position)
    if where is None:
        return None
    opened, offset = where
    try:
        edits = renamed(opened.names, offset, params.new_name)
    except RenamingError as error:
        raise JsonRpcInvalidParams(error.message) from error
    changes = [types.TextEdit(range_of(opened.text, one.start, one.end), one.text) for one in edits]
    return types.WorkspaceEdit(changes={uri: changes})


def quick_fixes(server: Server, params: types.CodeActionParams) -> list[types.CodeAction]:
    """What would be right in place of what is wrong at a place."""
    uri = params.text_document.uri
    opened = server.opened.get(uri)
    if opened is None:
        return []
    first = opened.text.offset(params.range.start.line, params.range.start.character)
    last = opened.text.offset(params.range.end.line, params.range.end.character)
    fixes = []
    for one in opened.findings:
        if one.instead and one.start <= last and first <= one.end:
            edit = types.TextEdit(range_of(opened.text, one.start, one.end), one.instead)
            shown = one.instead if len(one.instead) <= 60 else one.instead[:59] + "…"
            fixes.append(
                types.CodeAction(
                    f"replace by {shown}",
                    kind=types.CodeActionKind.QuickFix,
                    diagnostics=[diagnostic(one, opened.text)],
                    edit=types.WorkspaceEdit(changes={uri: [edit]}),
                    is_preferred=True,
                )
            )
    return fixes
