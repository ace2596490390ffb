"""Every word that a report says, in one place, so that a translation is one more table."""

from __future__ import annotations

#: Of a text with a "|" the first half is for one, the second for any other number.
ENGLISH = {
    "verdict.verified": "verified",
    "verdict.refuted": "refuted",
    "verdict.inconclusive": "inconclusive",
    "verdict.not-checked": "not checked",
    "verdict.error": "error",
    "verdict.unverifiable": "unverifiable",
    "severity.critical": "critical",
    "severity.major": "major",
    "severity.minor": "minor",
    "severity.info": "info",
    "role.precondition": "precondition",
    "role.control": "control",
    "role.expect": "the statement predicts",
    "role.refuted_by": "seen instead",
    # counts
    "count.claims": "Of {n} claim: |Of {n} claims: ",
    "count.none": "No claims.",
    "count.verified": "{n} verified",
    "count.refuted": "{n} newly refuted",
    "count.refuted-as-recorded": "{n} refuted as recorded",
    "count.inconclusive": "{n} inconclusive",
    "count.not-checked": "{n} not checked",
    "count.error": "{n} error|{n} errors",
    "count.unverifiable": "{n} unverifiable",
    "count.interrupted": "The run was interrupted: what follows is what it had by then.",
    "count.not-checked-cases": "{n} case not checked: {why}|{n} cases not checked: {why}",
    "count.drift": "{n} case is right, but its values print differently now"
    "|{n} cases are right, but their values print differently now",
    "count.unrecorded": "{n} claim has no recorded verdict: verifier record writes it"
    "|{n} claims have no recorded verdict: verifier record writes them",
    # changes
    "change.title": "Changed against the record",
    "change.new": "Not recorded yet",
    "change.errors": "Errors",
    "change.none": "Nothing changed against the record.",
    "change.from-to": "recorded as {before}, now {now}",
    "change.unrecorded": "{now}, no verdict recorded",
    # the parts of a failure
    "part.statement": "Statement",
    "part.expected": "Expected",
    "part.observed": "Observed",
    "part.where": "Where",
    "part.instead": "Instead",
    "part.correction": "Correction",
    "part.reason": "Reason",
    "part.recorded": "Record",
    "part.output": "Output",
    "part.reproduce": "Reproduce",
    "part.report": "Report",
    # places
    "place.line": "line {first}",
    "place.lines": "lines {first}-{last}",
    "place.sentence": "sentence {n}",
    "place.of": "{place} of {source}",
    "place.quote": "“{quote}”",
}


def text(key: str, /, **values: object) -> str:
    """The text `key` with `values` filled in; a value `n` picks singular or plural."""
    one, _, many = ENGLISH[key].partition("|")
    form = many if many and values.get("n") != 1 else one
    return form.format(**values)
