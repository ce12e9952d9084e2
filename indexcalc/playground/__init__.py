"""Floor 9: a page on this machine that derives as one types, and checks documents (``indexcalc serve``)."""
