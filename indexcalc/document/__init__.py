"""Documents read as their authors meant them: choices, interpretations, and what the document says for each."""
