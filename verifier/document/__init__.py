"""Documents: a tutorial as found, as blocks with spans into the original text.

::

    document = read("tutorial.txt")
    for sentence in sentences(document): ...
    for line in text_lines(coverage(document, claim_files)): ...
"""

from verifier.document.anchors import AnchorProblem, Span, resolve
from verifier.document.blocks import Block, Document
from verifier.document.coverage import Coverage, Part, coverage, text_lines
from verifier.document.read import DocumentError, read
from verifier.document.sentences import Sentence, sentences

__all__ = [
    "AnchorProblem",
    "Block",
    "Coverage",
    "Document",
    "DocumentError",
    "Part",
    "Sentence",
    "Span",
    "coverage",
    "read",
    "resolve",
    "sentences",
    "text_lines",
]
