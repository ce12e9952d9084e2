"""The words of LaTeX mathematics as tables: what a control sequence means to the reader."""

from __future__ import annotations

SWITCHES = {"bf": "mathbf", "cal": "mathcal", "it": "mathit", "rm": "mathrm", "sf": "mathsf"}
r"""Switches of the font that authors give an argument, ``\bf{k}``, with the fonts that they mean."""

DROPPED = frozenset(
    [
        "left",
        "right",
        "middle",
        "big",
        "Big",
        "bigg",
        "Bigg",
        "bigl",
        "bigr",
        "Bigl",
        "Bigr",
        "biggl",
        "biggr",
        "Biggl",
        "Biggr",
        "qty",
        "bigm",
        "Bigm",
        "displaystyle",
        "textstyle",
        "scriptstyle",
        "limits",
        "nolimits",
        "nonumber",
        "qed",
        "qedhere",
        "blacksquare",
        "notag",
        "hfill",
        "noindent",
        "centering",
        "mathstrut",
        "strut",
        "space",
        "enspace",
        "thinspace",
        "medspace",
        "thickspace",
        "nobreakspace",
        "negthinspace",
        "relax",
        "hline",
        "allowbreak",
        "therefore",
        "because",
        ",",
        ";",
        ":",
        "!",
        ">",
        "/",
        "rm",
        "bf",
        "it",
        "cal",
        " ",
        "\n",
        "-",
    ]
)

DROPPED_WITH_ARGUMENTS = {
    **dict.fromkeys(
        (
            *("label", "tag", "tag*", "color", "hspace", "hspace*", "vspace", "vspace*"),
            *("phantom", "hphantom", "vphantom", "eqref", "ref", "cite", "footnote", "stepcounter", "refstepcounter"),
        ),
        1,
    ),
    **dict.fromkeys(("setcounter", "addtocounter", "setlength", "addtolength", "rule"), 2),
}
"""What says nothing in mathematics, with its number of arguments."""

TRANSPARENT = {
    "boxed": 1,
    "fbox": 1,
    "underline": 1,
    "ensuremath": 1,
    "underbrace": 1,
    "overbrace": 1,
    "mathop": 1,
    "mathrel": 1,
    "mathbin": 1,
    "smash": 1,
    "textcolor": 2,
    "colorbox": 2,
    "bbox": 1,
}
"""Decoration around mathematics, with its number of arguments; the last is the mathematics."""

TEXT_FONTS = frozenset(
    ["text", "textbf", "textit", "textrm", "textsf", "texttt", "mbox", "operatorname", "operatorname*", "hbox"]
)

FONTS = TEXT_FONTS | frozenset(
    [
        "mathbf",
        "bm",
        "vect",
        "bold",
        "boldsymbol",
        "mathrm",
        "mathit",
        "mathsf",
        "mathcal",
        "mathscr",
        "mathfrak",
        "mathbb",
        "mathnormal",
        "pmb",
        "mathtt",
    ]
)

ACCENTS = {
    "hat": "hat",
    "widehat": "hat",
    "bar": "bar",
    "overline": "bar",
    "tilde": "tilde",
    "widetilde": "tilde",
    "dot": "dot",
    "ddot": "ddot",
    "vec": "vec",
    "check": "check",
    "breve": "breve",
}

FRACTIONS = frozenset({"frac", "dfrac", "tfrac", "cfrac"})

RELATIONS = {
    "equiv": "=",
    **dict.fromkeys(("triangleq", "coloneqq", "doteq", "leftarrow", "gets"), ":="),
    **dict.fromkeys(("approx", "simeq", "cong", "approxeq", "thickapprox", "asymp"), "≈"),
    **dict.fromkeys(("sim", "thicksim"), "~"),
    **dict.fromkeys(("propto", "varpropto"), "∝"),
    **dict.fromkeys(("to", "rightarrow", "longrightarrow", "mapsto", "longmapsto", "leftrightarrow"), "->"),
    **dict.fromkeys(("Rightarrow", "Longrightarrow", "implies"), "=>"),
    **dict.fromkeys(("Leftrightarrow", "Longleftrightarrow", "iff"), "=>"),
    "in": "in",
    "ni": "∋",
    "notin": "∉",
    **dict.fromkeys(("neq", "ne"), "!="),
    **dict.fromkeys(("le", "leq", "leqslant", "leqq"), "<="),
    **dict.fromkeys(("ge", "geq", "geqslant", "geqq"), ">="),
    **dict.fromkeys(("lt", "ll", "lll"), "<"),
    **dict.fromkeys(("gt", "gg", "ggg"), ">"),
    **dict.fromkeys(("lesssim", "lessapprox"), "≲"),
    **dict.fromkeys(("gtrsim", "gtrapprox"), "≳"),
    **dict.fromkeys(("prec", "preceq", "preccurlyeq"), "≺"),
    **dict.fromkeys(("succ", "succeq", "succcurlyeq"), "≻"),
    **dict.fromkeys(("subset", "subseteq", "subsetneq"), "⊂"),
    **dict.fromkeys(("supset", "supseteq", "supsetneq"), "⊃"),
    "perp": "⊥",
    "forall": "for",
}
"""The relations, each with the sign of its kind: nearly equal, proportional, distributed as, part of, and so on."""

NEGATIONS = {"=": "!=", "in": "∉", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
r"""What a relation is behind ``\not``; any other is one of which no more is known than that it does not hold."""

DENIED = "≁"

SCRIPT_SIGNS = {"perp": "perp", "parallel": "parallel", "⊥": "perp", "∥": "parallel"}
r"""Signs that are a label in a script, ``U^\perp``."""

SIMPLE: dict[str, tuple[str, str]] = {
    "cdot": ("TIMES", "cdot"),
    "times": ("TIMES", "times"),
    "ast": ("TIMES", "*"),
    "odot": ("ODOT", "odot"),
    "circ": ("ODOT", "circ"),
    "otimes": ("TIMES", "otimes"),
    "oplus": ("ODD", "oplus"),
    "pm": ("ODD", "pm"),
    "div": ("SLASH", "/"),
    "partial": ("PARTIAL", "partial"),
    "nabla": ("NABLA", "nabla"),
    "sum": ("SUM", "sum"),
    "prod": ("SUM", "prod"),
    "int": ("SUM", "int"),
    "sqrt": ("SQRT", "sqrt"),
    "top": ("TOP", "T"),
    "intercal": ("TOP", "T"),
    "infty": ("NAME", "infty"),
    "ldots": ("DOTS", "..."),
    "cdots": ("DOTS", "..."),
    "dots": ("DOTS", "..."),
    "dotsc": ("DOTS", "..."),
    "dotsb": ("DOTS", "..."),
    "vdots": ("DOTS", "..."),
    "ddots": ("DOTS", "..."),
    "quad": ("QUAD", " "),
    "qquad": ("QUAD", " "),
    "\\": ("NEWLINE", "\\\\"),
    "cr": ("NEWLINE", "\\\\"),
    "newline": ("NEWLINE", "\\\\"),
    **{bracket: (bracket, bracket) for bracket in "()[]"},  # as Markdown escapes them
    "{": ("(", "{"),
    "}": (")", "}"),
    "lbrace": ("(", "{"),
    "rbrace": (")", "}"),
    "lbrack": ("[", "["),
    "rbrack": ("]", "]"),
    "lvert": ("LBAR", "|"),
    "rvert": ("RBAR", "|"),
    "vert": ("BAR", "|"),
    "mid": ("BAR", "|"),
    "|": ("NORM", "||"),
    "Vert": ("NORM", "||"),
    "parallel": ("NORM", "||"),
    "lVert": ("LNORM", "||"),
    "rVert": ("RNORM", "||"),
    "prime": ("PRIME", "'"),
    "colon": ("COLON", ":"),
    "_": ("NAME", "_"),
    "&": ("ODD", "&"),
    "%": ("ODD", "%"),
    "epsilon": ("NAME", "epsilon"),
    "varepsilon": ("NAME", "epsilon"),
    "varphi": ("NAME", "phi"),
    "vartheta": ("NAME", "theta"),
}

UNICODE: dict[str, tuple[str, str]] = {
    "+": ("PLUS", ""),
    "-": ("MINUS", ""),
    "−": ("MINUS", "-"),
    "*": ("TIMES", ""),
    "×": ("TIMES", "times"),
    "·": ("TIMES", "cdot"),
    "@": ("TIMES", "cdot"),
    "⊙": ("ODOT", "odot"),
    "⊗": ("TIMES", "otimes"),
    "/": ("SLASH", ""),
    "=": ("REL", ""),
    "<": ("REL", ""),
    ">": ("REL", ""),
    "<=": ("REL", ""),
    **dict.fromkeys(("=>", "<=>"), ("REL", "=>")),
    ">=": ("REL", ""),
    "≈": ("REL", ""),
    "≃": ("REL", "≈"),
    "≅": ("REL", "≈"),
    "∼": ("REL", "~"),
    "∝": ("REL", ""),
    "≡": ("REL", "="),
    "≜": ("REL", ":="),
    "≔": ("REL", ":="),
    "≠": ("REL", "!="),
    "≤": ("REL", "<="),
    "≥": ("REL", ">="),
    "≪": ("REL", "<"),
    "≫": ("REL", ">"),
    "≺": ("REL", ""),
    "≼": ("REL", "≺"),
    "⪯": ("REL", "≺"),
    "≻": ("REL", ""),
    "≽": ("REL", "≻"),
    "⪰": ("REL", "≻"),
    "∈": ("REL", "in"),
    "∋": ("REL", ""),
    "∉": ("REL", ""),
    "⊂": ("REL", ""),
    "⊆": ("REL", "⊂"),
    "⊃": ("REL", ""),
    "⊇": ("REL", "⊃"),
    "⊥": ("REL", ""),
    "←": ("REL", ":="),
    "→": ("REL", "->"),
    "↦": ("REL", "->"),
    "↔": ("REL", "->"),
    "⇒": ("REL", "=>"),
    "⇔": ("REL", "=>"),
    "^": ("SUP", ""),
    "_": ("SUB", ""),
    "{": ("{", ""),
    "}": ("}", ""),
    "(": ("(", ""),
    ")": (")", ""),
    "[": ("[", ""),
    "]": ("]", ""),
    "|": ("BAR", ""),
    "‖": ("NORM", ""),
    "∥": ("NORM", "||"),
    ",": ("COMMA", ""),
    ";": ("SEMICOLON", ""),
    ".": ("DOT", ""),
    ":": ("COLON", ""),
    "'": ("PRIME", ""),
    "’": ("PRIME", "'"),
    "&": ("AMP", ""),
    "~": ("QUAD", " "),
    "∂": ("PARTIAL", "partial"),
    "∵": ("TEXT", "because"),
    "∇": ("NABLA", "nabla"),
    "∑": ("SUM", "sum"),
    "Σ": ("NAME", "Sigma"),
    "√": ("SQRT", "sqrt"),
    "⊤": ("TOP", "T"),
    "…": ("DOTS", "..."),
    "α": ("NAME", "alpha"),
    "β": ("NAME", "beta"),
    "γ": ("NAME", "gamma"),
    "δ": ("NAME", "delta"),
    "ε": ("NAME", "epsilon"),
    "η": ("NAME", "eta"),
    "θ": ("NAME", "theta"),
    "λ": ("NAME", "lambda"),
    "μ": ("NAME", "mu"),
    "π": ("NAME", "pi"),
    "σ": ("NAME", "sigma"),
    "φ": ("NAME", "phi"),
}

DIFFERENTIALS = frozenset({"d", "dd", "dif", "diff", "differential"})
"""Macros of packages and sites for an upright d, where a document does not say that they are something else."""

FUNCTIONS: dict[str, str] = {
    "exp": "exp",
    "log": "log",
    "ln": "log",
    "sin": "sin",
    "cos": "cos",
    "tanh": "tanh",
    "arctan": "atan",
    "atan": "atan",
    "sigmoid": "sigmoid",
    "Sigmoid": "sigmoid",
    "softplus": "softplus",
    "relu": "relu",
    "ReLU": "relu",
    "ReLu": "relu",
    "RELU": "relu",
    "gelu": "gelu",
    "GELU": "gelu",
    "silu": "silu",
    "SiLU": "silu",
    "swish": "silu",
    "erf": "erf",
    "abs": "abs",
    "sign": "sign",
    "sgn": "sign",
    "step": "step",
    "reach": "reach",
}
"""Entrywise functions, by the names that authors give them."""

ELEMENTARY = frozenset(
    [
        "tan",
        "cot",
        "sec",
        "csc",
        "sinh",
        "cosh",
        "coth",
        "sech",
        "csch",
        "arccos",
        "arccot",
        "arcsin",
        "arccosh",
        "arcsinh",
        "arctanh",
        "acos",
        "acosh",
        "asin",
        "asinh",
        "atanh",
        "arg",
        "deg",
        "dim",
        "gcd",
        "ker",
        "null",
        "range",
        "span",
        "lg",
        "logit",
    ]
)
"""Functions that work entry by entry and are no functions of the algebra, or of which nothing is read."""

STRUCTURAL = ELEMENTARY | frozenset(
    [
        "softmax",
        "Softmax",
        "rowsoftmax",
        "smx",
        "tr",
        "Tr",
        "trace",
        "chol",
        "Chol",
        "cholesky",
        "Cholesky",
        "det",
        "logdet",
        "LogDet",
        "diag",
        "Diag",
        "max",
        "min",
        "mean",
        "Concat",
        "concat",
        "var",
        "Var",
        "sum",
        "vec",
        "logsumexp",
    ]
)
"""Functions that look at more than one entry, or that are not functions of the algebra."""

SEVERAL = {"max": 2, "min": 2, "clip": 3, "where": 3, "atan2": 2, "arctan2": 2}
"""Functions of several arguments, with how many; the larger and the smaller of some may have more."""

MEASURES = frozenset({"CE", "KL", "MSE", "BCE", "ELBO", "NLL", "RSS", "SSE", "SSR", "MAE", "RMSE"})
"""Names of numbers in capitals."""

PRODUCTS = frozenset({"lg"})
"""Names of functions that are products of their letters where no backslash stands before them: a length times g."""

WORDS = (MEASURES | FUNCTIONS.keys() | STRUCTURAL | SEVERAL.keys() | {"if", "for", "otherwise", "keepdim", "True"}) - (
    PRODUCTS | {"where"}
)
"""Runs of letters that are one name; a function where is written as an operator, else it is a word of prose."""

LABELS = frozenset(
    [
        "new",
        "old",
        "next",
        "prev",
        "init",
        "out",
        "test",
        "train",
        "pred",
        "true",
        "target",
        "opt",
        "ref",
        "tot",
        "total",
        "loss",
        "reg",
        "hid",
        "hidden",
        "input",
        "output",
        "ideal",
        "best",
        "pos",
        "neg",
        "mse",
        "nll",
    ]
)
"""Words that are a label where they are all of a script, though no font says that they are words."""

REASONS = frozenset({"because"})
"""Signs that say, in the place of a word, that a reason follows."""

CONNECTIVES = frozenset(
    [
        "and",
        "because",
        "for",
        "given",
        "hence",
        "if",
        "or",
        "define",
        "let",
        "since",
        "then",
        "therefore",
        "thus",
        "when",
        "where",
        "with",
    ]
)
"""Words between formulas; none is the name of anything."""

OPENERS = frozenset({"{", "(", "[", "LBAR", "LNORM", "BEGIN"})
CLOSERS = frozenset({"}", ")", "]", "RBAR", "RNORM", "END"})
