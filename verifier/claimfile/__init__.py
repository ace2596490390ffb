"""Claim files: YAML to claims with their places, and measured verdicts back into the file.

`record` and `schema` are imported by whoever needs them: a run does not.
"""

from verifier.claimfile.ledger import recorded
from verifier.claimfile.matrix import cases
from verifier.claimfile.reader import duplicate_ids, read

__all__ = ["cases", "duplicate_ids", "read", "recorded"]
