"""``python -m evaluation.agreement NAME < data.json``: any statistic on plain JSON.

Prints one JSON object. Exit 0 on success, 1 for data that cannot be used, 2 for wrong usage.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence

from evaluation.agreement.inputs import BadData, read_json
from evaluation.agreement.registry import ENTRIES, STATISTICS, Entry, nearest


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.list:
        sys.stdout.write(_listing_json() if options.json else _listing())
        return 0
    if options.name is None:
        parser.error("which statistic? Give a NAME, or --list to see them.")
    entry = STATISTICS.get(options.name)
    if entry is None:
        near = nearest(options.name)
        hint = f"did you mean {' or '.join(near)}?" if near else "see --list."
        parser.error(f"there is no statistic {options.name!r}; {hint}")
    try:
        result = entry.run(read_json(sys.stdin.buffer.read()))
    except BadData as error:
        sys.stderr.write(f"{entry.name}: {error}\n")
        return 1
    sys.stdout.write(json.dumps(result.to_json(), allow_nan=False) + "\n")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m evaluation.agreement",
        description="Compute a statistic of agreement from one JSON object on standard input.",
    )
    parser.add_argument("name", metavar="NAME", nargs="?", help="a statistic of --list")
    parser.add_argument("--list", action="store_true", help="name the statistics and their inputs")
    parser.add_argument("--json", action="store_true", help="--list as JSON too")
    return parser


def _listing() -> str:
    lines = []
    for entry in ENTRIES:
        fields = entry.data.model_fields
        lines.append(f"{entry.name}: {entry.summary}")
        lines += [f"    {name}: {fields[name].description}" for name in entry.required]
        lines.append(f"    optional: {', '.join(entry.optional)}")
    return "\n".join(lines) + "\n"


def _listing_json() -> str:
    return json.dumps([_description(entry) for entry in ENTRIES]) + "\n"


def _description(entry: Entry) -> dict[str, object]:
    return {
        "name": entry.name,
        "summary": entry.summary,
        "required": entry.required,
        "optional": entry.optional,
        "inputs": {name: field.description for name, field in entry.data.model_fields.items()},
    }


if __name__ == "__main__":
    sys.exit(main())
