"""From syntax to meaning, with the symbols of the document at hand."""
