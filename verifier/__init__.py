"""verifier: a fact-checker for technical tutorials."""

__version__ = "0.1.0"
