"""Documents: a tutorial as found, as blocks with spans into the original text."""
