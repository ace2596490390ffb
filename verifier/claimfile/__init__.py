"""Claim files: YAML to claims with their places, and measured verdicts back into the file."""
