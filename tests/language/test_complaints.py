"""Syntax errors point to their cause: the bracket that is open, the mistyped word, what is not supported."""

import pytest

from indexcalc.errors import SpecError
from indexcalc.language.read import read_problem

HEAD = """\
index i, j : N
index k : K
input x[i,k], w[k], s, A[i,k], B[k,j]
"""


def complaint(text: str) -> SpecError:
    """What is said of the text; its lines are counted after those of the head."""
    with pytest.raises(SpecError) as caught:
        read_problem(HEAD + text)
    return caught.value


@pytest.mark.parametrize(
    ("text", "line", "sign"),
    [
        ("y[i] = sum[k](x[i,k] * w[k]", 1, "("),
        ("y[i] = sum[k](x[i,k * w[k])", 1, "[i,k *"),
        ("y[i = sum[k](x[i,k] * w[k])", 1, "[i ="),
        ("y[i] = sum[k(x[i,k] * w[k])", 1, "[k("),
        ("y[i] = exp(w[k) + s", 1, "[k)"),
        ("y[i] = (sum[k](x[i,k])\n+ s\n\nz = s", 1, "(sum"),
        ("y[i] = sum[k](x[i,k]\nz[i] = sum[k](x[i,k])", 1, "(x"),
        ("y[i] = sum[k]((x[i,k] + s)\nindex q : Q", 1, "((x"),
        ('y[i] = sum[k](x[i,k] "a text with ) in it"', 1, "("),
        ("y[i] = sum[k](x[i,k] # a comment with )\nz = s", 1, "("),
        ("z = (s\ny[i = s)", 1, "("),
        ("use softmax(S = x[i,k],\n  T = x[i k]\n", 1, "("),
        ("use softmax(S = x[i,k\n) as p", 1, "[i,k"),
    ],
)
def test_an_open_bracket_is_pointed_to(text, line, sign):
    found = complaint(text)
    place = found.place
    assert found.message == f"this {sign[0]} is never closed"
    assert place.line == HEAD.count("\n") + line
    assert place.text[place.column - 1 :].startswith(sign[0])
    assert place.column - 1 == place.text.index(sign)


def test_a_bracket_that_closes_nothing_is_pointed_to():
    found = complaint("y[i] = sum[k](x[i,k]))")
    assert (found.message, found.place.column) == ("this ) closes nothing; no bracket is open here", 22)


@pytest.mark.parametrize(
    ("text", "wrong", "meant"),
    [
        ("indx q : Q", "indx", "index"),
        ("inptu q[i]", "inptu", "input"),
        ("derve x", "derve", "derive"),
        ("upsteam G[i] = dL/dy[i]", "upsteam", "upstream"),
        ("los y", "los", "loss"),
        ("porve s = s", "porve", "prove"),
        ("assum s = 1", "assum", "assume"),
        ("recompte y", "recompte", "recompute"),
        ('titel "t"', "titel", "title"),
        ("y[i] = sun[k](x[i,k])", "sun", "sum"),
        ("y[i,k] = epx(x[i,k])", "epx", "exp"),
        ("y[i] = sum[kk](x[i,kk])", "kk", "k"),
        ("hidden[i,k] = x[i,k]\ny[i] = sum[k](hiden[i,k])", "hiden", "hidden"),
        ("y[i] = sum[k](X[i,k])", "X", "x"),
        ("hidden = s\ny = hiddn", "hiddn", "hidden"),
        ("y = s\nloss yy", "yy", "y"),
        ("use softmax(S = x[i,k]) sa p", "sa", "as"),
    ],
)
def test_a_mistyped_word_gets_a_suggestion(text, wrong, meant):
    found = complaint(text)
    assert f"did you mean {meant}?" in found.message
    assert wrong in found.message


@pytest.mark.parametrize(
    ("text", "at", "words"),
    [
        ("y[i,k] = x[i^2,k]", "^", "no powers"),
        ("y[i] = x[i,:]", ":", "not a range"),
        ("y[i,k] = x[B[k,i],k]", "B[k,i]", "no input of whole numbers"),
        ("y[i] = sum[k < i](w[k])", "<", "[k < i] *"),
        ("y[i] = prod[k](x[i,k])", "prod", "exp(sum[k](log(x[k])))"),
        ("y[i] = cumsum[k](x[i,k])", "cumsum", "[j <= i]"),
        ("y[i] = argmax[k](x[i,k])", "argmax", "max[k](...)"),
        ("y[i] = sum_top[k](x[i,k])", "sum_top", "[r[i] < 3]"),
        ("y = slogdet[i,k](x[i,k])", "slogdet", "logdet[i,j](A[i,j])"),
        ("y = determinant[i,k](x[i,k])", "determinant", "det[i,j](A[i,j])"),
        ("y[i] = qr[i,k](x[i,k])", "qr", "give other factors as inputs"),
        ("y[i,k] = cond(x[i,k], s, 0)", "cond", "where(x > 0, a, b)"),
        ("y[i,k] = x[i,k] if s else 0", "if", "where(x > 0, a, b)"),
        ("y[i,k] = (x[i,k] > 0) * s", ">", "[a > b]"),
        ("y[i,j] = A @ B", "@", "sum[k](A[i,k] * B[k,j])"),
        ("y[i,j] = A * B", "A", "sum[k](A[i,k] * B[k,j])"),
        ("y = x.T", ".", "a transpose as A[j,i]"),
        ("y[i,k] = x'[i,k]", "'", "a transpose swaps indices"),
        ("y = np.exp(s)", ".", "functions stand alone"),
        ("y = integral(s)", "integral", "no integrals"),
        ("y = \\sum_k s", "\\", "plain text"),
        ("y = std[k](w[k])", "std", "sqrt(var[k](x[k]))"),
        ("y = tanh[k](w[k])", "tanh", "takes one entry"),
        ("y = sum_k(w[k])", "sum_k", "sum[k](...)"),
        ("for i in N", "for", "no loops"),
    ],
)
def test_what_is_not_supported_says_what_to_write(text, at, words):
    found = complaint(text)
    assert words in found.message
    assert found.place.text[found.place.column - 1 :].startswith(at)
