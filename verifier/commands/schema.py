"""``verifier schema``: print the JSON Schema of claim files or of results."""

from __future__ import annotations

import argparse
import json

from verifier.exits import Exit


def run(arguments: argparse.Namespace) -> Exit:
    """Print the schema that was asked for."""
    if arguments.format == "claims":
        from verifier.claimfile.schema import json_schema

        schema = json_schema()
    else:
        from verifier.report.results import results_schema

        schema = results_schema()
    print(json.dumps(schema, indent=2, sort_keys=True, ensure_ascii=False))
    return Exit.OK
