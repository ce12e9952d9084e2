"""One array library as a table: what is written otherwise than in NumPy.

Expressions are built in NumPy's vocabulary. A dialect says how each call, method and constant of it is
spelled elsewhere; what has no row is refused, never passed on. A row sees the call alone, so that a
dialect can't change what is computed, only how it is said.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from indexcalc.codegen.moving import NUMPY_MOVING
from indexcalc.codegen.newton import NUMPY_ROOT
from indexcalc.codegen.source import Atom, Binary, Call, Method, Node, Prefix, Trailer
from indexcalc.codegen.special import SPECIAL, Special
from indexcalc.errors import UnsupportedError

Arguments = tuple[Node, ...]
Keywords = Mapping[str, str]
Row = Callable[[Arguments, Keywords], Node]
"""What stands for a call: from its arguments and keywords, `device` among them where an array is made."""


def no_number(call: Call) -> Node:
    """``float(f(x))``: the result is no array."""
    return Call("float", (call,))


@dataclass(frozen=True, eq=False)
class Dialect:
    """How one array library spells NumPy; equal to itself alone.

    Attributes:
        name: as it is asked for, and the ending of file names.
        library: what people call it.
        array: the type of its arrays.
        template: of a module.
        prefix: what every name of NumPy's namespace that needs a row begins with; empty if none does.
        silenced: the head of a block in which infinity is a right answer; empty if nothing warns.
        calls: a row for each function, dotted name or private one.
        plain: the functions of plain numbers, by the name of NumPy's function.
        number: what stands for ``float(f(x))`` of plain numbers without such a function, from ``f(x)``.
        methods: the name of each method whose name differs.
        keywords: the name of each keyword that methods take, if it differs.
        constants: the atoms that are spelled otherwise.
        device: whether arrays made from nothing must be told where to live.
        private: the private functions that a module holds where it uses them.
        stack: what makes an array of a list, for a library that differentiates no array that is written into.
        along: whether loops over steps compute all that can go along with them.
        imports: for each name of another module, the line that imports it: the standard library, then the rest.
    """

    name: str
    library: str
    array: str
    template: str
    prefix: str = ""
    silenced: str = ""
    calls: Mapping[str, Row] = field(default_factory=dict)
    plain: Mapping[str, str] = field(default_factory=dict)
    number: Callable[[Call], Node] = no_number
    methods: Mapping[str, str] = field(default_factory=dict)
    keywords: Mapping[str, str] = field(default_factory=dict)
    constants: Mapping[str, str] = field(default_factory=dict)
    device: bool = False
    private: Mapping[str, Special] = field(default_factory=dict)
    imports: tuple[Mapping[str, str], ...] = ()
    loop: str = ""
    stack: str = ""
    along: bool = False

    @property
    def reserved(self) -> frozenset[str]:
        """The names that no variable may have."""
        return frozenset(name for block in self.imports for name in block) - {"NamedTuple", "np"}


def spelled(node: Node, dialect: Dialect, dtype: str) -> Node:
    """The expression in the words of a dialect.

    Args:
        node: the expression in NumPy's words.
        dialect: the words to use.
        dtype: an expression for the dtype of arrays made from nothing, such as ``X.dtype``.

    Raises:
        UnsupportedError: for a function that the dialect has no row for.
    """
    if not dialect.prefix:
        return node
    match node:
        case Atom(text):
            return Atom(dialect.constants.get(text, text))
        case Call("float", (Call() as call,), _):
            return plain_number(call, dialect, dtype)
        case Call(function, arguments, keywords):
            return respelled(
                function, tuple(spelled(part, dialect, dtype) for part in arguments), keywords, dialect, dtype
            )
        case Method(operand, name, arguments, keywords):
            pairs = (keyword.partition("=") for keyword in keywords)
            renamed = tuple(f"{dialect.keywords.get(key, key)}={value}" for key, _, value in pairs)
            return Method(spelled(operand, dialect, dtype), dialect.methods.get(name, name), arguments, renamed)
        case Trailer(operand, _) | Prefix(_, operand):
            return replace(node, operand=spelled(operand, dialect, dtype))
        case Binary(operator, left, right):
            return Binary(operator, spelled(left, dialect, dtype), spelled(right, dialect, dtype))


def respelled(function: str, arguments: Arguments, keywords: tuple[str, ...], dialect: Dialect, dtype: str) -> Node:
    """A call by its row; a function outside NumPy's namespace may do without one."""
    row = dialect.calls.get(function)
    if row is None:
        if function.startswith((dialect.prefix, "_")) and function not in dialect.private:
            raise UnsupportedError(f"{function} has no counterpart in {dialect.library}; leave it out, or use NumPy")
        return Call(function, arguments, keywords)
    given = {key: value for key, _, value in (keyword.partition("=") for keyword in keywords)}
    if "dtype" in given:
        given["dtype"] = dialect.constants.get(given["dtype"], given["dtype"])
        if dialect.device and dtype.endswith(".dtype"):
            given["device"] = dtype.removesuffix("dtype") + "device"
    return row(arguments, given)


def plain_number(call: Call, dialect: Dialect, dtype: str) -> Node:
    """``float(f(x))`` of plain numbers: by a function of plain numbers, if there is one for them."""
    if call.function in dialect.plain:
        arguments = tuple(spelled(part, dialect, dtype) for part in call.arguments)
        return Call(dialect.plain[call.function], arguments, call.keywords)
    written = spelled(call, dialect, dtype)
    assert isinstance(written, Call)
    return dialect.number(written)


def renamed(function: str, *kept: str, take: tuple[int, ...] | None = None) -> Row:
    """The row of a function that has another name, or fewer arguments.

    Args:
        function: its name.
        kept: the keywords that it takes, in order; others are left out.
        take: the places of the arguments that it takes; all by default.
    """

    def row(arguments: Arguments, keywords: Keywords) -> Node:
        taken = arguments if take is None else tuple(arguments[place] for place in take)
        return Call(function, taken, tuple(f"{name}={keywords[name]}" for name in kept if name in keywords))

    return row


NUMPY = Dialect(
    name="numpy",
    library="NumPy",
    array="np.ndarray",
    template="module.py.jinja2",
    silenced='with np.errstate(over="ignore"):',
    private={**SPECIAL, **NUMPY_MOVING, **NUMPY_ROOT},
    imports=(
        {"Callable": "from collections.abc import Callable", "NamedTuple": "from typing import NamedTuple"},
        {"np": "import numpy as np"},
    ),
)
