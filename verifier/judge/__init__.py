"""Judging: an observation against a statement gives a verdict."""
