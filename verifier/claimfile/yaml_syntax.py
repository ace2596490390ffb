"""What libyaml says about a syntax error, in words for people."""

from __future__ import annotations

from typing import Final

import yaml

#: libyaml's problem -> what to tell. Problems not listed are told as they are.
_MEANINGS: Final[dict[str, str]] = {
    "did not find expected key": (
        "this line does not fit: it is indented differently from its neighbours, or text "
        "follows a closing quote or bracket (quote the whole value)"
    ),
    "did not find expected '-' indicator": (
        'this line does not fit the list above it: begin it with "- ", or indent it otherwise'
    ),
    "did not find expected ',' or ']'": (
        'the list opened by "[" on line {line} is not closed here: '
        "quote entries that contain , [ ] {{ }} or #"
    ),
    "did not find expected ',' or '}'": (
        'the mapping opened by "{{" on line {line} is not closed here: '
        "quote values that contain , [ ] {{ }} or #"
    ),
    "could not find expected ':'": 'expected "key: value" on this line',
    "found unexpected end of stream": "the quote opened here is never closed",
    "found unexpected document indicator": "the quote opened here is never closed",
    "found unknown escape character": (
        "unknown escape after the backslash: use single quotes, where a backslash is itself"
    ),
    "found invalid Unicode character escape code": "this escape is no Unicode character",
    "did not find expected hexdecimal number": "the escape needs hexadecimal digits",
    "block sequence entries are not allowed in this context": (
        'a list begins on the line after its key: put "- " on a line of its own'
    ),
    "did not find expected comment or line break": (
        'after "|" or ">" the text begins on the next line'
    ),
    "did not find expected alphabetic or numeric character": (
        "a value cannot begin with * or &: quote it"
    ),
    "did not find expected node content": "expected a value here: quote it if it is text",
    "did not find expected <document start>": (
        "expected the end of the file: the first key and this one are not aligned"
    ),
    "found a tab character that violates indentation": "a tab: indent with spaces",
    "found a tab character where an indentation space is expected": "a tab: indent with spaces",
    "exceeded maximum nesting depth": "nested too deeply",
    "found undefined tag handle": "tags (!name) are not supported: remove it",
}
#: Problems that tell on which line a bracket was opened.
_OPENED: Final = ("did not find expected ',' or ']'", "did not find expected ',' or '}'")
#: Problems whose cause is where libyaml began to read the value, not where it gave up.
_AT_CONTEXT: Final = ("found unexpected end of stream", "found unexpected document indicator")


def explain(error: yaml.MarkedYAMLError, text: str) -> tuple[int, str]:
    """Index into `text` and message for a syntax error."""
    problem = error.problem or "the text cannot be read"
    mark = error.problem_mark
    if problem in _AT_CONTEXT and error.context_mark is not None:
        mark = error.context_mark
    index = min(mark.index, len(text)) if mark is not None else 0
    meaning = _meaning(problem, text, index)
    if error.context_mark is not None and problem in _OPENED:
        meaning = meaning.format(line=error.context_mark.line + 1)
    return index, f"not valid YAML: {meaning}"


def _meaning(problem: str, text: str, index: int) -> str:
    if problem == "found character that cannot start any token":
        if text[index : index + 1] == "\t":
            return "a tab: indent with spaces"
        return f"a value cannot begin with {text[index : index + 1]}: quote it"
    if problem == "mapping values are not allowed in this context":
        line = text[text.rfind("\n", 0, index) + 1 : index]
        if ":" in line:
            return 'a second ":" on this line: quote the whole value'
        return "this key is indented more than the line above it allows"
    return _MEANINGS.get(problem, problem)
