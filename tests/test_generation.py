"""Everything that is written about a problem: it holds what was derived, and the check sees what is wrong."""

from __future__ import annotations

import ast
import json
import sys
import time
from dataclasses import replace

import pytest

from indexcalc.errors import UnsupportedError
from indexcalc.generation import BrokenCodeError, checked, generate, loaded, render, validate
from indexcalc.language import load_problem, read_problem
from indexcalc.library import shipped_paths
from indexcalc.rewrite.derive import derive

SPEC = """
title "A product"
index i : N
index k : K
input x[i,k], w[k]
y[i] = sum[k](x[i,k] * w[k])
"""


@pytest.fixture(scope="module")
def derivation():
    return derive(read_problem(SPEC, slug="product"))


def test_four_files_named_after_the_derivation(derivation):
    files = generate(derivation).files
    assert list(files) == ["product.md", "product.tex", "product.py", "validation.json"]
    assert all(text.endswith("\n") for text in files.values())


def test_code_for_other_libraries_is_a_file_more(derivation, monkeypatch):
    monkeypatch.setattr("indexcalc.generation.is_installed", lambda target: False)
    outputs = generate(derivation, targets=["numpy", "torch", "jax"])
    files = ["product.md", "product.tex", "product.py", "product_torch.py", "product_jax.py", "validation.json"]
    assert list(outputs.files) == files
    assert outputs.report.ok
    assert [reason.split(":")[0] for reason in outputs.unchecked] == [
        "the check of the code for torch",
        "the check of the code for jax",
    ]


def test_wrong_code_for_another_library_fails_the_check(derivation, monkeypatch):
    pytest.importorskip("torch")
    texts = render(derivation, targets=["torch"])
    assert checked(derivation, texts).report.ok
    (module,) = texts.targets
    wrong = replace(module, source=module.source.replace("return Gradients(dx, dw)", "return Gradients(dx, -dw)"))
    report = checked(derivation, replace(texts, targets=(wrong,))).report
    assert {(c.tensor, c.method) for c in report.failures} == {
        ("dw", "complex step, torch"),
        ("product", "torch.autograd.gradcheck"),
    }


def test_the_report_is_json_and_says_how_it_was_checked(derivation):
    report = json.loads(generate(derivation).files["validation.json"])
    assert report["ok"] is True
    assert {check["tensor"] for check in report["checks"]} >= {"y", "dx", "dw"}
    assert all(check["relative_error"] <= check["bound"] for check in report["checks"])
    assert any(1 in sizes.values() for sizes in report["sizes"])


def test_the_same_problem_gives_the_same_texts(derivation):
    again = derive(read_problem(SPEC, slug="product"))
    assert generate(again).files == generate(derivation).files


def test_an_infinite_error_is_valid_json(derivation):
    code = render(derivation).code + "\n\ndef backward(values, G):\n    raise ZeroDivisionError\n"
    report = validate(derivation, code)
    assert not report.ok
    assert "Infinity" not in json.dumps(report.to_json(), allow_nan=False)


def test_wrong_code_is_refuted(derivation):
    code = render(derivation).code
    wrong = ast.unparse(Negated().visit(ast.parse(code)))
    assert validate(derivation, code).ok
    report = validate(derivation, wrong)
    assert {comparison.tensor for comparison in report.failures} == {"dx", "dw"}


class Negated(ast.NodeTransformer):
    """Flip the sign of every array that `backward` assigns from a call or a product."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if node.name != "backward":
            return node
        for statement in node.body:
            if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                statement.value = ast.UnaryOp(ast.USub(), statement.value)
        return ast.fix_missing_locations(node)


def test_code_that_cannot_be_imported_is_reported():
    with pytest.raises(BrokenCodeError, match="SyntaxError"):
        loaded("def forward(:\n")


def test_importing_leaves_no_trace():
    flag, modules = sys.dont_write_bytecode, set(sys.modules)
    assert loaded("x = 1\n").x == 1
    assert sys.dont_write_bytecode is flag
    assert set(sys.modules) == modules


def chain_of(length):
    lines = "\n".join(f"x{n}[i] = tanh(x{n - 1}[i])" for n in range(1, length + 1))
    return f"index i : N\ninput x0[i]\n{lines}\nupstream G[i] = dL/dx{length}[i]\nderive x0\n"


ORDINARY = {
    "a chain of 300 statements": chain_of(300),
    "38 nested functions": f"index i : N\ninput x[i]\ny[i] = {'tanh(' * 38}x[i]{')' * 38}\n",
    "a sum of 300 products": "index i : N\n"
    + "\n".join(f"input x{n}[i]" for n in range(300))
    + f"\ny[i] = {' + '.join(f'x{n}[i] * x{(n + 1) % 300}[i]' for n in range(300))}\nderive x0, x1\n",
    "matrices of a thousand rows": "index i, l : 1000\nindex j : 1000\ninput x[i,j], w[j]\n"
    "y[i] = sum[j](softmax[j](x[i,j]) * w[j])\n",
}
SHIPPED = {"grouped-query attention": "grouped_query_attention"}


def seconds_of(problem):
    """What it takes this thread to write and check all files."""
    start = time.thread_time()
    assert generate(derive(problem)).report.ok
    return time.thread_time() - start


def test_what_is_ordinary_takes_the_time_of_a_few_blocks_of_attention():
    paths = shipped_paths()
    block = min(seconds_of(load_problem(paths["multi_head_attention"])) for _ in range(2))
    problems = {name: read_problem(text) for name, text in ORDINARY.items()}
    problems |= {name: load_problem(paths[slug]) for name, slug in SHIPPED.items()}
    slow = {name: found for name, problem in problems.items() if (found := seconds_of(problem)) > 3 * block}
    assert not slow, f"a block takes {block:.2f} s"


def test_a_tower_without_a_value_is_refused_in_short_order():
    start = time.thread_time()
    with pytest.raises(UnsupportedError, match="no random inputs were found at which the program is defined"):
        generate(derive(read_problem(f"index i : N\ninput x[i]\ny[i] = {'exp(' * 38}x[i]{')' * 38}\n")))
    assert time.thread_time() - start < 5
