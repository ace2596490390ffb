"""The reports of a run, written into its folder."""

from __future__ import annotations

from pathlib import Path

from verifier.model import Results
from verifier.report.errors import ReportError
from verifier.report.results import write_json, write_whole

__all__ = ["ReportError", "write_reports"]


def write_reports(results: Results, folder: Path) -> list[Path]:
    """Writes ``results.json`` and ``index.html`` into `folder`, making it where needed.

    Gives the files written. Raises ReportError where one could not be; the
    results come first, so that a report that fails can be made from them later.
    """
    from verifier.report import html  # costs a start-up that only a report is worth

    data, page = folder / "results.json", folder / "index.html"
    write_json(results, data)
    write_whole(page, html.render(results).encode())
    return [data, page]
