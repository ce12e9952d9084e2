from __future__ import annotations

import json

import sympy as sp

from indexcalc.cli.outcome import stand_ins_text
from indexcalc.generation import VALIDATION_FILE, Texts, checked, generate, render
from indexcalc.language import read_problem
from indexcalc.proof.stand_ins import stand_ins
from indexcalc.rewrite.derive import derive

CLASSIFIER = """index n : N
index i : 784
index h : 128
index c, e : 10
input X[n,i], W[i,h], V[h,c], y[n,c]
m[n] = mean[i](X[n,i])
H[n,h] = tanh(1/28 * sum[i]((X[n,i] - m[n]) * W[i,h]))
z[n,c] = 1/784 * sum[h](H[n,h] * V[h,c])
p[n,c] = exp(z[n,c]) / sum[e](exp(z[n,e]))
L = -1/N * sum[n,c](y[n,c] * log(p[n,c]))
loss L
derive W, V
"""


def test_means_follow_their_extent_and_other_numbers_stay():
    standing = stand_ins(read_problem(CLASSIFIER))
    assert standing is not None
    assert list(standing.literal.values()) == [10, 128, 784]
    definitions = standing.problem.program.definitions
    (pixels,) = (symbol for symbol, number in standing.literal.items() if number == 784)
    assert definitions["m"].terms[0].coeff == 1 / pixels
    assert definitions["z"].terms[0].coeff == sp.Rational(1, 784)
    assert not any(slot.extent.is_Integer for t in standing.problem.program.tensors.values() for slot in t.slots)


def test_large_literal_extents_are_checked_at_small_sizes_and_the_report_says_so():
    outputs = generate(derive(read_problem(CLASSIFIER)))
    assert outputs.report.ok
    assert set(outputs.report.stand_ins.values()) == {784, 128, 10}
    assert max(size for sizes in outputs.report.sizes for size in sizes.values()) < 10
    assert any(c.method == "complex step, at the literal extents" for c in outputs.report.comparisons)
    found = json.loads(outputs.files[VALIDATION_FILE])
    assert found["stand_ins"] == {"n10": 10, "n128": 128, "n784": 784}
    assert found["compared_at_literal_extents"] is True
    assert "784" in stand_ins_text(outputs.report)


def test_wrong_code_is_refuted_at_the_literal_extents():
    derivation = derive(read_problem(CLASSIFIER))
    texts = render(derivation)
    wrong = texts.code.replace("784", "785")
    assert wrong != texts.code
    assert not checked(derivation, Texts(texts.notes, wrong)).report.ok


def test_extents_that_are_too_large_to_run_are_checked_at_small_sizes_only():
    text = CLASSIFIER.replace("784", "90000").replace("128", "70000")
    report = generate(derive(read_problem(text))).report
    assert report.ok
    assert not report.own_sizes
    assert "not compared" in stand_ins_text(report)


def test_a_large_matrix_is_checked_at_small_sizes():
    text = "index i : 1000\nindex j : 1000\ninput x[i,j], w[j]\ny[i] = sum[j](softmax[j](x[i,j]) * w[j])\n"
    report = generate(derive(read_problem(text))).report
    assert report.ok
    assert list(report.stand_ins.values()) == [1000]
    assert max(size for sizes in report.sizes for size in sizes.values()) < 10
    assert "1000" in stand_ins_text(report)


def test_small_literal_extents_stay():
    assert stand_ins(read_problem("index i : 3\ninput x[i]\ny[i] = exp(x[i])\nupstream g[i] = dL/dy[i]")) is None
