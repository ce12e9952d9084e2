"""The server: what it answers, to whom, and where a mistake is."""

from __future__ import annotations

import json
import warnings

import pytest

pytest.importorskip("httpx")
pytest.importorskip("starlette")

with warnings.catch_warnings():
    # Newer versions of Starlette would rather have another client than httpx, which is all that is needed here.
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient

from indexcalc.language.read import read_problem
from indexcalc.library import shipped_paths
from indexcalc.notes import Detail, html_note, markdown_note
from indexcalc.playground.application import application
from indexcalc.playground.limits import BODY_LIMIT
from indexcalc.rewrite.derive import derive
from tests.playground.support import HERE, OWN, PORT, SMALL, WRONG_NOTE, ask


@pytest.fixture(scope="module")
def client():
    with TestClient(application(PORT), base_url=HERE) as found:
        yield found


def test_the_note_comes_first_and_is_that_of_the_engine(client):
    answers = ask(client, "derive", text=SMALL)
    assert [one["kind"] for one in answers] == ["note", "code", "cost", "worksheet", "checked", "done"]
    note, code, cost, sheet, checked, _ = answers
    assert note["html"] == html_note(derive(read_problem(SMALL)))
    assert note["results"] == ["dL/dW[i,j] = G[i] x[j]", "dL/dx[j] = Σ_i G[i] W[i,j]"]
    assert [file["name"] for file in code["files"]] == ["derivation.py"]
    assert "both passes" in [row["label"] for row in cost["rows"]]
    assert sheet["values"].startswith("[inputs]\nW = [[")
    assert "## 3 Backward pass" in sheet["sheet"]
    assert checked["ok"]


def test_other_code_is_written_when_it_is_asked_for(client):
    code = ask(client, "derive", text=SMALL, targets=["fast", "torch"])[1]
    assert [file["name"] for file in code["files"]] == ["derivation.py", "derivation_torch.py", "derivation_fast.py"]


def test_a_recurrence_may_be_asked_for_with_few_steps(client):
    text = "index t : T\ninput a[t]\nh[0] = a[0]\nh[t] = tanh(h[t-1]) + a[t] for t in 1 .. T-1\nL = h[T-1]\nloss L"
    code = ask(client, "derive", text=text, targets=["checkpoints"])[1]
    assert [file["name"] for file in code["files"]] == ["derivation.py", "derivation_checkpoints.py"]
    refused = ask(client, "derive", text=SMALL, targets=["checkpoints"])[1]
    assert (refused["kind"], refused["of"]) == ("refused", "code")


def test_a_worksheet_has_the_numbers_that_are_given_or_says_what_is_wrong_with_them(client):
    values = "[inputs]\nW = [[1, 2]]\nx = [3, 4]\n[upstream]\nG = [5]\n"
    answer = ask(client, "derive", text=SMALL, values=values)[3]
    assert answer["values"] == values
    assert "1 × 3 + 2 × 4 = 11" in answer["sheet"]
    answer = ask(client, "derive", text=SMALL, values=values.replace("[3, 4]", "[3]"))[3]
    assert "axis" in answer["mistake"]
    assert "sheet" not in answer


def test_a_false_claim_is_told(client):
    checked = ask(client, "derive", text=SMALL + "prove sum[j](W[i,j]) = 0\n")[4]
    assert not checked["ok"]
    assert next(one["word"] for one in checked["lines"] if not one["ok"]) == "false"


@pytest.mark.parametrize(
    ("old", "new", "line", "column", "said"),
    [
        ("W[i,j] * x", "W[i,q] * x", 4, 19, "index q"),
        ("upstream", "upstraem", 5, 1, "did you mean upstream"),
        ("derive W, x", "derive W, z", 6, 11, "z"),
    ],
)
def test_a_mistake_has_its_place(client, old, new, line, column, said):
    error, done = ask(client, "derive", text=SMALL.replace(old, new))
    assert error["kind"] == "error"
    assert said in error["message"]
    assert error["place"] == {"file": "spec", "line": line, "column": column}
    assert done == {"kind": "done"}


def test_no_file_is_read_for_a_spec(client, tmp_path, monkeypatch):
    (tmp_path / "other.ixc").write_text(SMALL)
    monkeypatch.chdir(tmp_path)
    error, _ = ask(client, "derive", text='index i : n\ninput x[i]\nuse "other.ixc"(x = x[i]) as one\n')
    assert error["kind"] == "error"


def test_what_is_typed_is_text_in_the_note(client):
    note = ask(client, "derive", text='title "<script>alert(1)</script>"\n' + SMALL)[0]
    assert "<script>alert" not in note["html"]


def test_a_file_of_the_note_is_what_the_command_writes(client):
    answer, _ = ask(client, "note", text=SMALL, format="md", detail="brief")
    assert answer["text"].startswith("#")
    lines = markdown_note(derive(read_problem(SMALL)), detail=Detail.BRIEF).splitlines()
    assert lines[:20] == answer["text"].splitlines()[:20]


def test_a_wrong_relation_is_marked_with_its_correction(client):
    answer, _ = ask(client, "check", text=WRONG_NOTE, name="note.md")
    (claim,) = [one for one in answer["claims"] if one["style"] == "wrong"]
    assert claim["line"] == 3
    assert claim["verdict"] == "refuted"
    assert r"\partial y_{i}" in claim["correction"]
    assert claim["counterexample"]
    assert ["W", "a matrix", "its indices"] in [[name, shape[:8], source] for name, shape, source in claim["names"]]
    number = answer["claims"].index(claim)
    assert [style for text, style, of in answer["rows"][2] if of == number] == ["wrong"]
    assert "".join(text for row in answer["rows"] for text, _, _ in row) == WRONG_NOTE.replace("\n", "")


def test_an_answer_to_an_open_choice_is_taken(client):
    answer, _ = ask(client, "check", text=WRONG_NOTE, name="note.md")
    choices = [choice for claim in answer["claims"] for choice in claim["choices"]]
    other = next(other for choice in choices for other in choice["others"])
    again, _ = ask(client, "check", text=WRONG_NOTE, name="note.md", context=f"assume {other}")
    assert again["kind"] == "document"
    assert other not in [one for claim in again["claims"] for choice in claim["choices"] for one in choice["others"]]


def test_a_mistake_in_a_context_is_told(client):
    error, _ = ask(client, "check", text=WRONG_NOTE, name="note.md", context="assume pigs fly")
    assert error["kind"] == "error"
    assert "pigs fly" in error["message"]


def test_the_examples_are_the_shipped_derivations(client):
    names = [one["name"] for one in client.get("/api/examples").json()]
    assert names == list(shipped_paths())
    text = client.get("/api/examples/attention").json()["text"]
    assert text == shipped_paths()["attention"].read_text(encoding="utf-8")
    assert client.get("/api/examples/..%2fattention").status_code == 404


def test_the_words_are_those_of_the_grammar(client):
    words = client.get("/api/words").json()
    assert {"index", "input", "upstream", "derive", "prove", "use", "solve", "hessian"} <= set(words["statements"])
    assert {"sum", "softmax", "max"} <= set(words["reductions"])
    assert {"exp", "tanh", "sqrt"} <= set(words["functions"])


def test_the_page_and_its_files_come_from_here(client):
    page = client.get("/")
    assert page.status_code == 200
    assert "http" not in page.text
    for name, kind in (("main.js", "text/javascript"), ("style.css", "text/css")):
        assert client.get(f"/assets/{name}").headers["content-type"].startswith(kind)
    assert client.get("/assets/../application.py").status_code == 404
    assert client.get("/assets/__init__.py").status_code == 404


def test_nothing_from_elsewhere_may_be_loaded(client):
    policy = client.get("/").headers["content-security-policy"]
    assert policy.startswith("default-src 'none'")
    assert "http" not in policy
    assert "unsafe-eval" not in policy
    assert "'unsafe-inline'" not in policy.partition("style-src")[0]


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", f"127.0.0.1.evil.example:{PORT}", "127.0.0.1:1", ""])
def test_another_host_is_refused(client, host):
    assert client.get("/", headers={"Host": host}).status_code == 403


@pytest.mark.parametrize("origin", ["http://evil.example", "null", f"https://127.0.0.1:{PORT}", "http://127.0.0.1:1"])
def test_another_origin_is_refused(client, origin):
    body = json.dumps({"page": "a", "text": SMALL})
    assert client.post("/api/derive", content=body, headers={**OWN, "Origin": origin}).status_code == 403
    assert client.get("/api/examples", headers={"Origin": origin}).status_code == 403


def test_a_request_for_work_without_origin_is_refused(client):
    body = json.dumps({"page": "a", "text": SMALL})
    assert client.post("/api/derive", content=body, headers={"Content-Type": "application/json"}).status_code == 403


def test_another_site_may_open_the_page_and_nothing_else(client):
    far = {"Sec-Fetch-Site": "cross-site"}
    assert client.get("/", headers=far).status_code == 200
    assert client.get("/api/examples", headers=far).status_code == 403


def test_localhost_is_this_machine(client):
    here = f"http://localhost:{PORT}"
    assert client.get("/", headers={"Host": f"localhost:{PORT}", "Origin": here}).status_code == 200


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("no JSON", 400),
        ("[" * 100_000, 400),
        ("[]", 400),
        ('{"text": "x"}', 400),
        ('{"page": "a"}', 400),
        ('{"page": "a", "text": 3}', 400),
        ('{"page": "a", "text": "", "detail": "none"}', 400),
        ('{"page": "a", "text": "", "targets": ["fortran"]}', 400),
        ('{"page": "a", "text": "", "shell": "ls"}', 400),
        (json.dumps({"page": "a", "text": "x" * BODY_LIMIT}), 413),
    ],
)
def test_what_no_page_of_ours_sends_is_refused_with_a_reason(client, body, status):
    response = client.post("/api/derive", content=body, headers=OWN)
    assert response.status_code == status
    assert response.json()["message"]


def test_a_form_of_another_site_is_no_request(client):
    response = client.post("/api/derive", content="page=a", headers={**OWN, "Content-Type": "text/plain"})
    assert response.status_code == 415
    assert client.post("/api/shell", content="{}", headers=OWN).status_code == 404
