"""Shipped specs in the campaign's own words, for programs that use them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tests.campaign.formulas import (
    Apply,
    Axis,
    Formula,
    Negative,
    Number,
    Over,
    Plus,
    Power,
    Ratio,
    Read,
    Statement,
    Symbol,
    Times,
    Use,
    entry,
)

Bindings = Mapping[str, Read]
Body = Callable[["Placed"], list[tuple[str, tuple[Axis, ...], Formula]]]

ONE, TWO = Number("1"), Number("2")


@dataclass(frozen=True)
class Placed:
    """A spec in its place: what stands for its inputs, and for its indices.

    Attributes:
        inputs: the entry of this program that stands for each input.
        index: the index of this program that stands for each index.
        extent: the extent of each of them as a scalar.
        prefix: what the names of its tensors begin with.
    """

    inputs: Bindings
    index: Mapping[str, str]
    extent: Mapping[str, Formula]
    prefix: str

    def own(self, name: str, *letters: str) -> Read:
        """An entry of a tensor of the spec."""
        return Read(f"{self.prefix}_{name}", self.axes(*letters))

    def axes(self, *letters: str) -> tuple[Axis, ...]:
        """Axes by the letters of the spec."""
        return tuple((self.index[letter],) for letter in letters)


@dataclass(frozen=True)
class Shipped:
    """A shipped spec.

    Attributes:
        name: by which it is used.
        slots: the letters in the slots of each input.
        parameters: that it shares with this program.
        body: its equations.
    """

    name: str
    slots: Mapping[str, tuple[str, ...]]
    body: Body
    parameters: tuple[str, ...] = ()


def minus(one: Formula, other: Formula) -> Plus:
    """A difference."""
    return Plus((one, Negative(other)))


def layer_norm(at: Placed) -> list[tuple[str, tuple[Axis, ...], Formula]]:
    """Mean, variance, and the row that they normalise."""
    x, h = at.inputs["X"], at.index["h"]
    part = Ratio(ONE, at.extent["h"])
    centred = minus(x, at.own("mu", "n"))
    return [
        ("mu", at.axes("n"), Times((part, Over("sum", (h,), x)))),
        ("var", at.axes("n"), Times((part, Over("sum", (h,), Power(centred, TWO))))),
        ("rs", at.axes("n"), Ratio(ONE, Apply("sqrt", Plus((at.own("var", "n"), Symbol("eps")))))),
        ("xh", at.axes("n", "h"), Times((centred, at.own("rs", "n")))),
        ("Y", at.axes("n", "h"), Plus((Times((at.inputs["g"], at.own("xh", "n", "h"))), at.inputs["b"]))),
    ]


def rms_norm(at: Placed) -> list[tuple[str, tuple[Axis, ...], Formula]]:
    """The row over its root mean square."""
    x, h = at.inputs["X"], at.index["h"]
    square = Times((Ratio(ONE, at.extent["h"]), Over("sum", (h,), Power(x, TWO))))
    return [
        ("rms", at.axes("n"), Apply("sqrt", Plus((square, Symbol("eps"))))),
        ("xh", at.axes("n", "h"), Ratio(x, at.own("rms", "n"))),
        ("Y", at.axes("n", "h"), Times((at.inputs["g"], at.own("xh", "n", "h")))),
    ]


def linear(at: Placed) -> list[tuple[str, tuple[Axis, ...], Formula]]:
    """X W^T + b."""
    product = Over("sum", (at.index["f"],), Times((at.inputs["X"], at.inputs["W"])))
    return [("Y", at.axes("n", "o"), Plus((product, at.inputs["b"])))]


def softmax(at: Placed) -> list[tuple[str, tuple[Axis, ...], Formula]]:
    """Exponentials over their sum."""
    return [("p", at.axes("n", "c"), Over("softmax", (at.index["c"],), at.inputs["z"]))]


def l2_normalize(at: Placed) -> list[tuple[str, tuple[Axis, ...], Formula]]:
    """The row over its length."""
    x = at.inputs["x"]
    return [
        ("r", at.axes("n"), Apply("sqrt", Over("sum", (at.index["h"],), Power(x, TWO)))),
        ("y", at.axes("n", "h"), Ratio(x, at.own("r", "n"))),
    ]


def swiglu(at: Placed) -> list[tuple[str, tuple[Axis, ...], Formula]]:
    """A gated layer."""
    x, m, h = at.inputs["X"], at.index["m"], at.index["h"]
    gated = Times((Apply("silu", at.own("Z", "n", "h")), at.own("U", "n", "h")))
    return [
        ("Z", at.axes("n", "h"), Over("sum", (m,), Times((x, at.inputs["W_gate"])))),
        ("U", at.axes("n", "h"), Over("sum", (m,), Times((x, at.inputs["W_up"])))),
        ("A", at.axes("n", "h"), gated),
        ("Y", at.axes("n", "m"), Over("sum", (h,), Times((at.own("A", "n", "h"), at.inputs["W_down"])))),
    ]


SHIPPED: tuple[Shipped, ...] = (
    Shipped("layer_norm", {"X": ("n", "h"), "g": ("h",), "b": ("h",)}, layer_norm, ("eps",)),
    Shipped("rms_norm", {"X": ("n", "h"), "g": ("h",)}, rms_norm, ("eps",)),
    Shipped("linear", {"X": ("n", "f"), "W": ("o", "f"), "b": ("o",)}, linear),
    Shipped("softmax", {"z": ("n", "c")}, softmax),
    Shipped("l2_normalize", {"x": ("n", "h")}, l2_normalize),
    Shipped("swiglu", {"X": ("n", "m"), "W_gate": ("m", "h"), "W_up": ("m", "h"), "W_down": ("h", "m")}, swiglu),
)


def used(spec: Shipped, at: Placed) -> Use:
    """The line that uses a spec, and the equations it stands for."""
    bound = ", ".join(f"{name} = {entry(read.tensor, read.axes)}" for name, read in at.inputs.items())
    statements = tuple(
        Statement(f"{at.prefix}_{name}", axes, right, hidden=True) for name, axes, right in spec.body(at)
    )
    return Use(f"use {spec.name}({bound}) as {at.prefix}", statements)
