"""The sentences of a note: one table of templates, filled with algebra objects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from string import Formatter

from indexcalc.calculus.steps import Rule
from indexcalc.notes.blocks import Sign, Span, Spans
from indexcalc.notes.result_prose import RESULTS

RULES: Mapping[Rule, str] = {
    Rule.CHAIN: "The chain rule:",
    Rule.FORWARD: "The equation at this entry:",
    Rule.PRODUCT: "Differentiate term by term, and products factor by factor:",
    Rule.QUOTIENT: "The dividend and the divisor both depend on {target}, so the quotient rule applies:",
    Rule.CONSTANT: "Nothing here depends on {target}, so the derivative is zero:",
    Rule.POINTWISE: "The chain rule through {outer}: the derivative at the argument, times that of the argument:",
    Rule.JACOBI: "Jacobi's formula: the logarithm of a determinant changes by what the entries of the matrix change "
    "by, each times the entry of the inverse with its indices exchanged:",
    Rule.DETERMINANT: "Jacobi's formula: relative to itself, a determinant changes by what the entries of the matrix "
    "change by, each times the entry of the inverse with its indices exchanged:",
    Rule.CHOLESKY: "What the matrix changes by, between the inverse of the factor and its transpose, is a lower "
    "triangle plus its transpose. The factor changes by itself times that triangle, which has half of the diagonal:",
    Rule.SYMMETRIC_INVERSE: "The inverse of a symmetric matrix is symmetric:",
    Rule.ENTRY: "Each entry of {target} is a variable of its own here, so there is one delta for each index slot:",
    Rule.INSERT: "Combining:",
    Rule.COLLAPSE: "{delta} collapses the sum over {killed}; only {match} is left:",
    Rule.REUSE: "Write {used} for what the forward pass already computed:",
    Rule.COLLECT: "Combine like terms:",
    Rule.CASES: "Two of the terms are cases that cover every value of an index, one place and all others. At that "
    "place both read the same, so that they are one term:",
    Rule.TURN: "Write the difference the other way round:",
    Rule.EXPAND: "Multiply out:",
    Rule.FACTOR: "Take out the common factors:",
    Rule.RELABEL: "Relabel {renamings}; only the name of a dummy changes:",
    Rule.ALONG: "Each tensor that is read contributes its own derivative along the direction, times a local one:",
    Rule.GAUSS_NEWTON: "The second derivative of the loss between two derivatives of what it is a function of:",
    Rule.SUBSTITUTE: "Substitute back into the chain rule:",
    Rule.PATHS: "Add the contributions of all paths:",
    Rule.NAME: "A part gets a name:",
    Rule.UNFOLD: "Insert the equation of {used}:",
    Rule.FOLD: "The right side of the equation of {used} stands here; write its name for it:",
    Rule.SAME_SYSTEM: "Its matrix does not change when rows and columns are exchanged. So it is that of the system for "
    "{used}, and its right side is a multiple of that system's. The solution is this multiple of {used}:",
    Rule.LEMMA: "Apply the identity {identity}:",
    Rule.DIAGONAL: "{used} is zero unless the indices of its delta agree, so the delta may stand beside it:",
    Rule.SUPPORT: "Where the bracket is zero, {used} is zero already, so the bracket goes:",
}
"""What introduces a step of each rule, where `SENTENCES` has nothing more exact."""

REASONS: Mapping[Rule, str] = {
    Rule.COLLAPSE: "the delta collapses the sum over {killed}",
    Rule.REUSE: "by the equation of {used}",
    Rule.COLLECT: "like terms combined",
    Rule.CASES: "the two cases joined",
    Rule.TURN: "the difference the other way round",
    Rule.EXPAND: "multiplied out",
    Rule.FACTOR: "common factors taken out",
    Rule.RELABEL: "another name for a dummy",
    Rule.UNFOLD: "with {used} put in",
    Rule.FOLD: "by the equation of {used}",
    Rule.LEMMA: "since {identity}",
}
"""What stands beside a line of a proof, by the rule that gave it."""

SENTENCES: Mapping[str, str] = {
    **RESULTS,
    "opening.long": "This derivation has {steps} steps, and a note tells {limit} at most. So of every gradient it "
    "holds what each path contributes, and the result. The note of a problem that derives fewer gradients holds their "
    "steps.",
    "fold.many": "The right sides of the equations of {used} stand here; write their names for them:",
    "name.narrow": "A part with fewer indices gets a name of its own:",
    "name.narrow.many": "Parts with fewer indices get names of their own:",
    "name.narrow.of": "A part that depends on {indices} alone gets a name of its own:",
    "name.narrow.of.many": "Parts that depend on {indices} alone get names of their own:",
    "name.shared": "A sum that another gradient contains too gets a name:",
    "name.shared.many": "Sums that another gradient contains too get names:",
    "name.both": "A part that has fewer indices, or that another gradient contains too, gets a name:",
    "name.both.many": "Parts that have fewer indices, or that another gradient contains too, get names:",
    "chain.only": "{loss} depends on {target} only through {consumer}. "
    "The full chain rule sums over every entry of {consumer}, with {noun} {dummies}:",
    "chain.again": "{loss} depends on {target} only through {consumer}:",
    "chain.path.again": "For the part that passes through {consumer}:",
    "chain.path": "For the part that passes through {consumer}, "
    "the full chain rule sums over every entry of {consumer}, with {noun} {dummies}:",
    "chain.scalar": "{loss} depends on {target} through the scalar {consumer}:",
    "chain.loss": "{consumer} is the loss itself, so its derivative by {target} is the gradient.",
    "chain.direct": "The equation of {consumer} itself reads {target}. Its derivative there is the whole of this path.",
    "path.direct": "The direct path, in the equation of {consumer}",
    "bar.via": "A gradient with a bar, such as {share}, is the part of it that passes "
    "through the tensor below the bar.",
    "bar.held": "A derivative with a bar and the word held, such as {partial}, is taken as if the tensors "
    "below the bar were constant; they depend on {target} too, and what passes through them is counted with their own "
    "gradients.",
    "bar.held.itself": "In a derivative of {itself} or with respect to {itself}, at one step, what is held of {itself} "
    "are its entries at all other steps.",
    "functions": "Functions that occur, entry by entry:",
    "brackets": "A bracket such as {bracket} is 1 where the relation inside it holds, and 0 elsewhere.",
    "deltas": "The derivative of an entry of a tensor by an entry of the same tensor is a product of deltas, one for "
    "each index slot, and forward equations may have deltas of their own. Each collapses a sum, or stands in the "
    "result:",
    "path.heading": "The path through {consumer}",
    "paths.heading": "The paths through {consumers}",
    "paths.intro": "{target} is read by {consumers}. Each is a path from {target} to {loss}; "
    "every path is derived on its own, then the contributions are added.",
    "paths.one": "{target} is read by {consumers}, which is one path from {target} to {loss}.",
    "paths.direct": " To this is added {given}, what {loss} gets from {target} itself.",
    "paths.none": "No other tensor reads {target}: what {loss} gets from it directly is all.",
    "statistic.heading": "The derivative of {statistic}",
    "statistics.one": "{consumer} depends on {target} {also}through {statistics}, whose derivative comes first.",
    "statistics.above.one": "{consumer} depends on {target} {also}through {statistics}, whose derivative is found "
    "above:",
    "statistics.above": "{consumer} depends on {target} {also}through {statistics}, whose derivatives are found above:",
    "statistics.known.one": " That of {statistics} is found above:",
    "statistics.known": " Those of {statistics} are found above:",
    "statistics": "{consumer} depends on {target} {also}through {statistics}, whose derivatives come first.",
    "back.heading": "Back to {loss}",
    "forward.entry": "The equation of {tensor} at this entry:",
    "forward.scalar": "The equation of {tensor}:",
    "forward.dummies": "The equation of {tensor}, with its own {noun} {dummies}:",
    "inside.constant": "Pull the derivative inside the sum. Here {held} {is_held} held, so {entries} {be} constant.",
    "inside.apart": "Pull the derivative inside the sum. {apart} {does} not depend on {target}, so {entries} {be} "
    "constant.",
    "inside.alone": "Pull the derivative inside the sum. {apart} is computed from {origins} alone, so it does not "
    "depend on {target}, and {entries} {be} constant.",
    "inside.mixed": "Pull the derivative inside the sum. Here {held} {is_held} held, and {apart} {does} not depend on "
    "{target}, so {entries} {be} constant.",
    "inside.others": "Pull the derivative inside the sum. Whatever does not depend on {target} is held constant.",
    "inside": "Pull the derivative inside the sum:",
    "forward.again": "The equation of {entry} is as above. ",
    "copy.again": "The equation {copy} is a copy, so there is one delta for each index slot:",
    "entry.again": "Each entry of {target} is a variable of its own: {deltas}. ",
    "entry.again.scalar": "{target} is a scalar: {deltas}. ",
    "entry.insert": "Combining:",
    "entry.insert.and": "Combining; ",
    "brackets.go": "{brackets} {hold} wherever the delta that comes is not zero, and need not stand.",
    "entry.collapse": "With this inserted, ",
    "back.again": "Back in the chain rule, ",
    "run.one": "{deltas} collapses the sum over {killed}; only {matches} is left:",
    "run": "{deltas} collapse the sums over {killed}; only {matches} are left:",
    "run.relabel": "{deltas} collapse the sums over {killed}; only {matches} are left. Relabelling {renamings}:",
    "run.one.relabel": "{deltas} collapses the sum over {killed}; only {matches} is left. Relabelling {renamings}:",
    "collapse.part.relabel": "{deltas} collapses the sum over {killed} where it stands: only {matches} is left there. "
    "Terms without this delta keep the sum. Relabelling {renamings}:",
    "collapse.part": "{delta} collapses the sum over {killed} where it stands: only {match} is left there. "
    "Terms without this delta keep the sum:",
    "collapse.part.range": "{delta} collapses the sum over {killed} where it stands: only {match} is left there, and "
    "only where that lies in the range of {killed}, which a bracket says. Terms without this delta keep the sum:",
    "collapse.range": "{delta} collapses the sum over {killed}; only {match} is left, and only where that lies in the "
    "range of {killed}, which a bracket says:",
    "fold.nested": "Take the sum over {indices} first. It is the right side of the equation of {used}; write its name "
    "for it:",
    "reordered": "Write the terms in another order:",
    "drops": " The terms without {target} drop out.",
    "factors.constant": "Differentiate the right side. Here {held} {is_held} held, so {entries} {be} constant.",
    "factors.apart": "Differentiate the right side. {apart} {does} not depend on {target}, so {entries} {be} constant.",
    "factors.alone": "Differentiate the right side. {apart} is computed from {origins} alone, so it does not depend "
    "on {target}, and {entries} {be} constant.",
    "factors.mixed": "Differentiate the right side. Here {held} {is_held} held, and {apart} {does} not depend on "
    "{target}, so {entries} {be} constant.",
    "factors.others": "Differentiate the right side. Whatever does not depend on {target} is held constant.",
    "factors": "Differentiate the right side:",
    "power": "The derivative of a power, times that of its base:",
    "reciprocal": "The derivative of 1/u is -1/u^2, times that of u:",
    "power.also": "A power gives its own derivative times that of its base:",
    "terms": "Differentiate term by term:",
    "several": "The chain rule through {outer}: the derivative by each argument, times that of the argument:",
    "self": "The chain rule through {outer} gives the function back, times the derivative of its argument:",
    "entry.scalar": "The derivative of a scalar with respect to itself is 1:",
    "remains": "{deltas} remains, ready to collapse the sum over {own} of the chain rule.",
    "remains.many": "{deltas} remain, ready to collapse the sums over {own} of the chain rule.",
    "remains.inner": "{deltas} remains: {entry} depends on {wrt} only where {matches}.",
    "remains.inner.many": "{deltas} remain: {entry} depends on {wrt} only where {matches}.",
    "independent": "{deltas} is a factor of every term: {entry} depends on {wrt} only where {matches}, "
    "so different values of {indices} are independent of each other.",
    "independent.many": "{deltas} are factors of every term: {entry} depends on {wrt} only where {matches}, "
    "so different values of {indices} are independent of each other.",
    "part.heading": "The part {part}",
    "part": "{part} stands for this:",
    "part.first": "{part} occurs in {readers} and has fewer indices:",
    "unfolded": "With {gradients} put in:",
    "reading": "Reading the result. ",
    "whole": "The entries of {entries} are whole numbers from 0 on and below {extent}, used as indices.",
    "domains": "Every entry lies in its domain: {entries}.",
    "definite": "{name} is positive definite as well.",
    "definite.over": "{name} is positive definite as well, as a matrix over {over}.",
    "hoisted": "The sum in the equation of {readers} has a name of its own:",
    "hoisted.next": "The sum in the next equation has a name of its own:",
    "hoisted.part": "A part of the equation of {readers} has a name of its own:",
    "hoisted.part.next": "A part of the next equation has a name of its own:",
    "cited": "The steps are those for {earlier}, with {swaps}. They give",
    "cited.path": "The steps are those of the path through {earlier}, with {swaps}. They give",
    "cited.all": "The steps are those for {earlier}, with {swaps}:",
    "cited.path.all": "The steps are those of the path through {earlier}, with {swaps}:",
    "cited.paths": "The steps are those of the path through {earlier}, with {swaps}.",
    "cited.sections": "The steps are those for {earlier}, with {swaps}.",
    "joined.only": "{loss} depends on {target} only through {consumer}, which reads it in {terms}.",
    "joined.path": "{consumer} reads {target} in {terms}.",
    "joined.inner": "There, {deltas} collapses the sum over {killed}.",
    "joined.inner.many": "There, {deltas} collapse the sums over {killed}.",
    "joined.back": "In the chain rule, {deltas} collapses the sum over {killed}.",
    "joined.back.many": "In the chain rule, {deltas} collapse the sums over {killed}.",
    "joined.each": "In each of these chain rules, {deltas} collapses the sum over {killed}.",
    "joined.each.many": "In each of these chain rules, {deltas} collapse the sums over {killed}.",
    "joined.relabel": " Relabelling {renamings}.",
    "cited.mirror": "The right side for {consumer} stays the same if {one} and {other} change places{together}. "
    "So the steps are those for {earlier} with this exchange",
    "cited.mirror.local": "; they give {local}, and in the chain rule",
    "cited.result": "and in the chain rule",
    "matrix.none": "Left in index notation: {entries}.",
    "matrix.every": "Every line is written between whole arrays. ",
    "matrix.some": "What matrices can say is written between whole arrays, the rest entry by entry. ",
    "cost.none": "No equation of the backward pass is a contraction, a sum of products. ",
    "cost.one": "One equation of the backward pass is a contraction, a sum of products: that of {entries}. ",
    "cost.few": "{number} equations of the backward pass are contractions, sums of products: those of {entries}. ",
    "cost.many": "Of the equations of the backward pass, {number} are contractions, sums of products. ",
    "cost": "FLOPs are additions, multiplications, divisions and functions "
    "of one entry each, with sums of products in the cheapest pairwise order",
    "cost.newton": "Of {unknowns}, these are the FLOPs of one round of Newton's method.",
    "cost.totals": "In all; an equation reads every tensor once and writes its own once",
    "cost.before": ". The last row is what the chain rule gives, before parts get names and known right sides are "
    "recognised",
    "cost.ends": "Inputs and results hold {ends} entries, and there is no other tensor to hold.",
    "cost.peak": "Inputs and results hold {ends} entries. Besides them, at most {moments}.",
    "cost.moment": "{entries} entries are held while {made} is computed",
    "implementation": "The same as a list of assignments. A name such as dX stands for the gradient with respect to X; "
    "every line reads only what stands above it, what is given, or what the forward pass kept.",
    "implementation.systems": "A line without an arrow is a system, to be solved for what it names.",
    "implementation.systems.between": "A line without an arrow is a system, to be solved for what it names, with the "
    "lines above put in that read it.",
    "implementation.steps": "The same as a list of assignments. A name such as dX stands for the gradient with "
    "respect to X. The lines of a recurrence run together, one step after the other: at each step they read of each "
    "other what the steps before made. Else every line reads only what stands above it, what is given, or what the "
    "forward pass kept.",
    "recurrence": "{names} {are} computed step by step, from {first} to {last}: each step reads what steps before it "
    "in this order made. An entry outside of its tensor counts as zero.",
    "system.inverse": "The derivative of the determinant reads the inverse of the matrix. ",
    "system.factor": "The derivative of the Cholesky factor reads its inverse. ",
    "system": "{unknown} is what this equation determines:",
    "system.each": "{unknown} is what this system determines, one equation for each {rows}:",
    "system.linear": "It is linear in {unknown}, and has one solution unless its matrix is singular. What the right "
    "side exceeds the left by is the residual, zero at the solution:",
    "system.steps": "It falls into steps: with what is known of those before, each is linear in {unknown}, and has one "
    "solution unless its matrix is singular. What the right side exceeds the left by is the residual, zero at the "
    "solution:",
    "system.root": "{unknown} is the solution that Newton's method finds from zero on. What the right side exceeds the "
    "left by is the residual, zero at the solution:",
    "system.joint": "{unknown} are what these equations determine together:",
    "system.linear.joint": "They are linear in {unknown}, and have one solution unless the matrix of all is singular. "
    "What a right side exceeds its left by is a residual, zero at the solution:",
    "system.steps.joint": "They fall into steps, at each of which {unknown} follow one after the other: with what is "
    "known before it, the equation of each is linear in it, and has one solution unless its matrix is singular. What a "
    "right side exceeds its left by is a residual, zero at the solution:",
    "system.root.joint": "{unknown} are the solution that Newton's method finds from zero on. What a right side "
    "exceeds its left by is a residual, zero at the solution:",
    "adjoint.reminder": "{adjoint} is the adjoint variable of {unknown}, the gradient with respect to {residual}. Here "
    "{unknown} is held, and {loss} stands for its sum with all {adjoint} {residual}, which is the same number.",
    "adjoint.heading": "The adjoint variable of {unknown}",
    "adjoint": "{unknown} is given by no formula: it moves with everything that its system reads, so that {residual} "
    "stays zero. Adding the sum of {adjoint} {residual} to {loss} therefore changes nothing, whatever {adjoint} is. "
    "Choose {adjoint} so that this total does not change with {unknown}. Then all other derivatives may be taken as "
    "if {unknown} were constant, and the gradient with respect to {residual} is {adjoint}.",
    "adjoint.joint": "{unknowns} are given by no formulas: they move with everything that their system reads, so that "
    "{residuals} stay zero. Adding the sums of {products} to {loss} therefore changes nothing, whatever {adjoints} "
    "are. Choose them so that this total does not change with {unknowns}. Then all other derivatives may be taken as "
    "if {unknowns} were constant, and the gradient with respect to a residual is its adjoint variable.",
    "adjoint.result.joint": "The adjoint variables {adjoints} are those for which {totals} are zero, together. "
    "Of {total}, this says:",
    "adjoint.total": "The derivative of the total with respect to {unknown} is called {total}. It is {gradient}, "
    "through all that reads {unknown} outside of its system, plus what the system adds.",
    "adjoint.result": "The adjoint variable {adjoint} is that for which {total} is zero:",
    "summary.system": "{unknown} is the solution of the system in which it stands.",
    "summary.system.many": "{unknown} are the solutions of the systems in which they stand.",
    "summary.system.between": "{unknown} is the solution of the system in which it stands, with the equations above "
    "that read it put in.",
    "summary.system.between.many": "{unknown} are the solutions of the systems in which they stand, with the equations "
    "above that read them put in.",
    "symbols.unknown": "determined by a system",
    "symbols.residual": "residual of the system for {unknown}, zero",
    "symbols.adjoint": "adjoint variable of {unknown}",
    "symbols.solution": "solution of a system",
    "rows": "With all indices but the last one fixed, a row of a tensor is a vector:",
    "entries": "Everything that the backward pass names is put in, down to what is given "
    "and to tensors of the forward pass:",
    "recompute": "{names} {are} not kept after the forward pass. "
    "The backward pass computes {again} again by the same equations, from {sources}.",
    "recompute.unread": "{names} {are} not kept after the forward pass, and the backward pass does without.",
    "recompute.summary": "First what was not kept, computed again from {sources}:",
    "recompute.then": "Then the gradients, in an order in which they can be computed:",
    "recompute.meaning": "computed again",
    "recompute.cost": "not kept: computed again from {sources} in {cost}",
    "store.blocks": "The fast code runs in blocks of {indices}; of {tensors} only one block is ever there.",
    "store": "The tensors of the forward pass that the backward pass reads:",
    "store.many": "The tensors of the forward pass that the backward pass reads; each row takes the others as kept:",
    "store.cheap": "cheap to compute again, entry by entry, from {sources}",
    "store.keep": "keep, or compute again from {sources} in {cost}",
    "stream": "{names} hold {entries} entries each, a size that no input and no output of the forward pass "
    "has. Their readers either read them entry by entry or sum over some of their indices, so they can be made "
    "block by block where they are read: none needs to be materialised{asked}.",
    "stream.asked": ", unless it is asked for, as {results} here",
    "stream.one": "{names} holds {entries} entries, a size that no input and no output of the forward pass "
    "has. Its readers either read it entry by entry or sum over some of its indices, so it can be made "
    "block by block where it is read: it need not be materialised{asked}.",
    "jacobians": "A Jacobian on the way, every entry differentiated by every entry:",
    "jacobians.many": "Jacobians on the way, every entry differentiated by every entry:",
    "unfold.counted": "Insert the equation of {used}; it does not depend on {indices}, so the sum over {indices} "
    "gives {count} times its value:",
    "identity.sum": "The sum of {tensor} over {indices}:",
    "identity.symmetry": "{tensor} does not change when indices are exchanged:",
    "identity.form": "Another form of {tensor}:",
    "identity.exchanged": "The right side does not change when {indices} are exchanged{reasons}, "
    "so it is that of {entry} too:",
    "identity.cancelled": "The right side of the equation of {used} stands here, and cancels:",
    "identity.other": "A sum that comes up on the way:",
    "symbols": "Every tensor of both passes, with the shape of the array that holds it, "
    "in an order in which they can be computed:",
    "symbols.hoisted": "the sum inside {readers}",
    "symbols.hoisted.mean": "the mean inside {readers}",
    "symbols.hoisted.part": "a part of {readers}",
    "symbols.gradient": "gradient of {loss} with respect to {target}",
    "symbols.upstream": "gradient of {loss} with respect to {target} from outside of the program",
    "symbols.part": "part of {readers}",
    "direction": "Given is a direction {direction}, an array of the shape of {target}.",
    "jacobian.heading": "The Jacobian {whole}",
    "hessian.heading": "The second derivative {whole}",
    "jacobian.intro": "Every entry of one tensor is differentiated with respect to every entry of the other:",
    "hessian.intro": "A second derivative is the derivative of a gradient. The backward pass is a program like any "
    "other, so the same rules apply to its equations and to those of the forward pass together:",
    "total.through": "{of} depends on {target} through {through}. The derivatives of these come first, and each is "
    "put in where the next one meets it, so that in the end the derivative goes through all of them.",
    "total.through.also": "{of} depends on {target} directly, and through {through}. The derivatives of these come "
    "first, and each is put in where the next one meets it, so that in the end the derivative goes through all of "
    "them.",
    "total.result": "The result:",
    "jacobian.product": "The product of the Jacobian of {of} with {directions}",
    "hessian.product": "The product of the second derivatives with {directions}",
    "summary.steps": "The equations that are computed step by step, in the order within a step:",
    "summary.parts": "Derivatives that are kept in parts, put together from arrays:",
    "symbols.order": "part of {results}",
    "symbols.along": "derivative of {of} along the direction",
    "total.arrays": "The deltas say which entries are zero. What stands beside them is held by arrays:",
    "jacobian.along": "The Jacobian itself is not needed for this. Move {moved}, and write a derivative with "
    "respect to {letter} at {start} "
    "with an R. Each tensor has one, found in the order of the forward pass from those of what it reads; a local "
    "derivative takes whatever else is read as constant. That of {of} is {result}:",
    "hessian.along": "The second derivatives themselves are not needed for this. Move {moved}, and write a derivative "
    "with respect to {letter} at {start} with an R (Pearlmutter, 1994). Each tensor of both passes has one, found "
    "in order, forward through "
    "the backward pass too, from those of what it reads; a local derivative takes whatever else is read as constant. "
    "That of {of} is {result}; all of it costs about two gradients:",
    "along.heading": "Along the direction: {entry}",
    "along.system": "{unknowns} is given by no formula, but {residual} stays zero as everything moves. So {own} is "
    "zero, and this determines {tangents}:",
    "along.system.joint": "{unknowns} are given by no formulas, but {residual} stays zero as everything moves. So "
    "{own} is zero; this and the same of the others determine {tangents} together:",
    "along.system.result": "That {residual} is zero says:",
    "middle.heading": "The Gauss-Newton part {entry}",
    "middle.intro": "The second derivative of {loss} has two parts: what comes from the curvature of {loss} as a "
    "function of {through}, and what comes from that of {through} itself. The first alone has no second derivative of "
    "{through}, and is positive semidefinite where {loss} is convex in {through}:",
    "middle.part": "The derivative {partial}",
    "middle.again": "The same under other indices:",
    "middle.product": "All three together",
    "along.zero": "Nothing on the way depends on what moves:",
    "structure.zero": "All entries are zero: what {entry} is the derivative of does not change.",
    "structure.blocks": "{deltas} is a factor of every term: entries are zero unless {matches}, so this is block "
    "diagonal, one block for each value of {indices}. Within a block:",
    "structure.blocks.many": "{deltas} are factors of every term: entries are zero unless {matches}, so this is block "
    "diagonal, one block for each value of {indices}. Within a block:",
    "structure.all": "Entries are zero unless {matches}: this is a diagonal.",
    "structure.diagonal": "{term} is a diagonal.",
    "structure.block": "{term} is block diagonal: it is zero but where the indices of its delta agree.",
    "structure.rank": "{term} has rank one: one factor has the rows, the other the columns.",
    "structure.sum": "It is a sum of arrays that are there: nothing is computed before its entries are asked for.",
    "structure.full": "{term} has all entries.",
    "structure.constant": "{term} does not depend on all indices, and stands for all of their values.",
    "structure.kronecker": "{term} is a Kronecker product: each factor has indices of rows and of columns.",
    "structure.product": "{term} is a product of arrays that is never written out.",
    "structure.size": "All entries would be {whole} numbers; the arrays that hold them are {stored}.",
    "structure.symmetric": "Rows and columns may change places: {identity}, since the right side stays the same.",
    "structure.matrix": "Between whole arrays:",
    "structure.matrix.block": "One block, between whole arrays:",
}

CONVENTION = (
    "A derivative with respect to an entry such as {entry} has that entry's indices free. The chain rule "
    "therefore sums "
    "over upstream entries under fresh dummies, never under names that already stand on the left. "
    "The derivative of one entry of a tensor by another entry of the same tensor is a product of Kronecker "
    "deltas, one for each index slot, because each entry counts as a variable of its own. A delta is 1 where its two "
    "indices are equal and 0 elsewhere, so a sum over one of them collapses: only the term in which they are equal is "
    "left."
)


def fill(template: str, **values: Span | Spans | list[Span]) -> Spans:
    """The template's text with spans in its fields; a list of spans is put in one after another."""
    spans: list[Span] = []
    for text, field, _, _ in Formatter().parse(template):
        if text:
            spans.append(text)
        if field is not None:
            value = values[field]
            if isinstance(value, list):
                spans.extend(value)
            else:
                spans.append(value)  # type: ignore[arg-type]
    return tuple(spans)


def say(key: str, **values: Span | list[Span]) -> Spans:
    """One sentence of the table."""
    return fill(SENTENCES[key], **values)


def listed(items: Iterable[Span], word: str = "and") -> list[Span]:
    """``x``, ``x and y``, ``x, y and z``."""
    return listed_groups(((item,) for item in items), word)


def listed_groups(groups: Iterable[Iterable[Span]], word: str = "and") -> list[Span]:
    """The same of things that several spans say."""
    every = list(groups)
    spans: list[Span] = []
    for number, group in enumerate(every):
        if number:
            spans.append(f" {word} " if number == len(every) - 1 else ", ")
        spans += group
    return spans


def figures(number: str) -> Sign:
    """A number in figures as a formula: ``1e-05`` is a power of ten."""
    mantissa, _, exponent = number.partition("e")
    power = rf"10^{{{int(exponent)}}}" if exponent else ""
    return Sign(power if mantissa == "1" else rf"{mantissa} \cdot {power}" if power else mantissa)


def sentence_case(spans: Spans) -> Spans:
    """The spans with a capital at the start, where the start is text."""
    if spans and isinstance(spans[0], str):
        return (spans[0][:1].upper() + spans[0][1:], *spans[1:])
    return spans
