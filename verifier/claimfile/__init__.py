"""Claim files: YAML to claims with their places, and measured verdicts back into the file."""

from verifier.claimfile.files import looks_like_claim_file
from verifier.claimfile.ledger import recorded
from verifier.claimfile.matrix import cases
from verifier.claimfile.plan import Measured
from verifier.claimfile.reader import duplicate_ids, read
from verifier.claimfile.record import Change, FileChangedError, Proposal, Skipped, apply, propose
from verifier.claimfile.schema import json_schema

__all__ = [
    "Change",
    "FileChangedError",
    "Measured",
    "Proposal",
    "Skipped",
    "apply",
    "cases",
    "duplicate_ids",
    "json_schema",
    "looks_like_claim_file",
    "propose",
    "read",
    "recorded",
]
