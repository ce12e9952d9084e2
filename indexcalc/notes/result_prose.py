"""The sentences that say what a result means: what contributes, what only passes through, what a zero sum says."""

from __future__ import annotations

from collections.abc import Mapping

RESULTS: Mapping[str, str] = {
    "read.moved": "The sum over {indices} is what survives: {delta} says at which entry of {target} each of its terms "
    "is added up.",
    "read.moved.many": "The sums over {indices} are what survives: {delta} says at which entry of {target} each of "
    "their terms is added up.",
    "read.sum": "The sum over {indices} survives, since no delta tied {origins} to an index of "
    "{target}{share}{weight}.",
    "read.sum.many": "The sums over {indices} survive, since no delta tied {origins} to an index of "
    "{target}{share}{weight}.",
    "read.sum.again": "The sum over {indices} survives{share}{weight}.",
    "read.sum.again.many": "The sums over {indices} survive{share}{weight}.",
    "read.stays": "The sum over {indices} comes from the derivative of {consumer}.",
    "read.stays.many": "The sums over {indices} come from the derivative of {consumer}.",
    "read.share": ": all {who} contribute",
    "read.share.of": ": all {who} contribute to the gradient of the {what}",
    "read.weight": ", each with the factor {weight}{called}",
    "read.weight.alone": "; each term has the factor {weight}{called}",
    "read.rows": "So row {row} is a sum of rows of {vectors}, row {summed} times {weight}.",
    "read.inner": "So each entry is the inner product of row {row} of {first} and row {other} of {second}.",
    "read.pass": "The index {indices} only passes through: {deltas} collapsed the sum over {killed}, "
    "so this step does not mix different {values}.",
    "read.pass.many": "The indices {indices} only pass through: {deltas} collapsed the sums over {killed}, "
    "so this step does not mix different values of them.",
    "read.pass.again": "The index {indices} only passes through.",
    "read.pass.again.many": "The indices {indices} only pass through.",
    "read.fixed": "The sum over {killed} is gone: the derivative is by a single entry, so {deltas} leaves "
    "what has the free index {indices}.",
    "read.fixed.many": "The sums over {killed} are gone: the derivative is by a single entry, so {deltas} "
    "leave what has the free indices {indices}.",
    "read.part": "No sum stands in the result; {parts} {hold} sums.",
    "read.zero": "Nothing is left: the result is zero.",
    "read.none": "No sum stands in the result.",
    "read.deltas": "The delta in the result is structure: only entries where its indices agree are not zero.",
    "read.deltas.some": "A delta stays in the result: its term counts only where the indices of the delta agree.",
    "read.mean": "{part} is the mean of {entry} over {indices}. So {entry} counts by how far it lies from its mean: "
    "if it is the same for all {indices}, nothing is left.",
    "read.mean.weighted": "{part} is the mean of {entry} over {indices} with the weights {weight}{called}, "
    "which add up to 1. So {entry} counts by how far it lies from its mean: if it is the same for all {indices}, "
    "nothing is left.",
    "read.mean.of": "{part} is the mean of {inner} over {indices}.",
    "read.freed.inner": "So {part} is the inner product of {sources} over {indices}; {freed} {are} not needed for it.",
    "read.freed": "So {part} is computed from {sources} alone; {freed} {are} not needed for it.",
    "shift": "So {loss} does not change when the same number is added to {entry}{called} for all {indices}{each}: "
    "this sum is the derivative in that direction, and zero.",
    "shift.along": "So {loss} does not change when a multiple of {direction} is added to {entry}{called} for all "
    "{indices}{each}: this sum is the derivative in that direction, and zero.",
    "shift.scaled": "So {loss} does not change when {entry}{called} is multiplied by the same positive number for all "
    "{indices}{each}: this sum is the derivative along that change, and zero.",
    "shift.each": " (one number for each {fixed})",
    "memory.ahead": "Every entry of {reader} reads {part}, which was defined by {freed}. Computed from {sources} "
    "it is there before the first block of them. So a block, and the sums that it reads, can be made where it is read.",
    "reason.cancelled": "by the equation of {used}, which cancels",
    "reason.ones": "multiplied out, where the sum over {indices} of 1 is {count}",
    "expand.ones": "Multiply out. Where a term does not depend on {indices}, the sum over {indices} gives {count} "
    "times the term:",
    "reason.counted": "with {used} put in, the same for all {count} values of {indices}",
}
"""The table of the sentences about results, a part of that of all sentences."""
