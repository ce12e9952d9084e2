"""Values of statements as they are written where they are read."""

from indexcalc.codegen.fast.block import block_of
from indexcalc.codegen.fast.blocking import Loop
from indexcalc.codegen.fast.names import Names
from indexcalc.codegen.fast.writing import Writer
from indexcalc.codegen.operands import Scope
from indexcalc.codegen.source import Atom, Binary
from indexcalc.codegen.statements import Statement
from tests.support.build import N, at, i, j, term


def test_an_expression_that_is_turned_round_is_put_in_brackets():
    statement = Statement("W", (j, i), (term(at("P", i, j), coeff=2),))
    scope = Scope({"P": "P", "W": "W"}, {N: "N"}, "dtype")
    names = Names(scope, {"size": "size", "dtype": "dtype"})
    block = block_of([statement], names, frozenset(), Loop((i.extent, j.extent), (statement,), {"W": (i, j)}))
    number = block.node(statement)
    storage = block.storage([number], {}, [])
    writer = Writer(block.lowering.graph.nodes, storage, names, {}, block.reads([number]), ("i", "j"))
    writer.nested[number] = Binary("*", Atom("P_block"), Atom("2"))
    writer.variables[number] = "P_block * 2"
    assert block.value(writer, statement) == "(P_block * 2).T"
