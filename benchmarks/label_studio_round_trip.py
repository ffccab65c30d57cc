"""Send an export through a running Label Studio and keep what it exports again.

A check by hand, for Label Studio is no dependency of Gavel. Install it in an environment of its own
(``python -m venv LS && LS/bin/pip install label-studio``) and start it on this machine::

    COLLECT_ANALYTICS=false LABEL_STUDIO_BASE_DATA_DIR=DATA \\
    LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN=true \\
    LS/bin/label-studio start --no-browser --internal-host 127.0.0.1 --port 8391 \\
        --username someone@example.org --password ... --user-token TOKEN

Then ``manage.py export_study STUDY --format label-studio --out EXPORT`` and::

    LABEL_STUDIO_TOKEN=TOKEN python benchmarks/label_studio_round_trip.py EXPORT OUT

For each project of the export it makes one there from its config.xml, imports its tasks, and writes
what Label Studio exports to ``OUT/<project>.json``. To the first extraction task it then adds an
annotation behind an emoji, and makes two projects that Gavel knows nothing of (spans, and
choices over two texts). ``manage.py import_tasks OUT --format label-studio`` reads all of it.
"""

from __future__ import annotations

import argparse
import json
import os
import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

FOREIGN_TEXT = (
    "\U0001f468\U0001f3fb\u200d\U0001f692 firemen. Filed on April 7.\n"
    "Judge \U0001d538 Woodcock ruled."
)
FOREIGN_SPANS = """<View><Labels name="label" toName="txt"><Label value="Filing date"/>
<Label value="Colour"/></Labels><Text name="txt" value="$text"/>
<Choices name="mood" toName="txt"><Choice value="calm"/><Choice value="angry"/></Choices></View>"""
FOREIGN_CHOICES = """<View><Text name="l" value="$model"/><Text name="r" value="$reference"/>
<Choices name="same" toName="l"><Choice value="yes"/><Choice value="no"/></Choices></View>"""


class Server:
    """The API of a Label Studio on this machine."""

    def __init__(self, address: str, token: str) -> None:
        if urlsplit(address).hostname not in ("127.0.0.1", "localhost", "::1"):
            raise SystemExit("Only a Label Studio on this machine is asked.")
        self._address, self._token = address.rstrip("/"), token

    def call(self, method: str, path: str, body: object = None) -> Any:
        request = urllib.request.Request(  # noqa: S310  checked above
            self._address + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Token {self._token}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=120) as reply:  # noqa: S310
            return json.loads(reply.read() or b"null")

    def project(self, title: str, config: str, tasks: list[Any]) -> int:
        """Make a project with tasks; its number."""
        made = self.call("POST", "/api/projects/", {"title": title, "label_config": config})
        counts = self.call("POST", f"/api/projects/{made['id']}/import", tasks)
        print(f"{title}: {counts['task_count']} tasks, {counts['annotation_count']} annotations, "
              f"{counts['prediction_count']} predictions")  # fmt: skip
        return int(made["id"])

    def export(self, project: int) -> list[Any]:
        """All tasks of a project, as the format JSON has them."""
        path = f"/api/projects/{project}/export?exportType=JSON&download_all_tasks=true"
        found: list[Any] = self.call("GET", path)
        return found

    def annotate(self, task: int, results: list[Any]) -> None:
        self.call("POST", f"/api/tasks/{task}/annotations/", {"result": results})


def region(text: str, quote: str, label: str, name: str, to: str) -> dict[str, Any]:
    """A marked piece, as the page of Label Studio sends it: code points."""
    start = text.index(quote)
    value = {"start": start, "end": start + len(quote), "text": quote, "labels": [label]}
    return {
        "id": f"r{start}-{len(quote)}", "from_name": name, "to_name": to, "type": "labels",
        "origin": "manual", "value": value,
    }  # fmt: skip


def write(out: Path, name: str, tasks: list[Any]) -> None:
    text = json.dumps(tasks, indent=1, ensure_ascii=False)
    (out / f"{name}.json").write_text(text + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description="An export through Label Studio and back.")
    parser.add_argument("export", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--server", default="http://127.0.0.1:8391")
    options = parser.parse_args()
    server = Server(options.server, os.environ["LABEL_STUDIO_TOKEN"])
    print("Label Studio", server.call("GET", "/api/version")["release"])
    options.out.mkdir(parents=True, exist_ok=True)
    for config in sorted(options.export.glob("*/config.xml")):
        name = config.parent.name
        tasks = [
            task
            for file in sorted(config.parent.glob("tasks-*.json"))
            for task in json.loads(file.read_bytes())
        ]
        project = server.project(name, config.read_text(encoding="utf-8"), tasks)
        write(options.out, name, server.export(project))
        if name.endswith("-extraction"):
            task = server.export(project)[0]
            text = task["data"]["text"]
            last = text.split()[-1]
            label = "Filing date" if "Filing date" in config.read_text() else "Appeals"
            server.annotate(task["id"], [region(text, last, label, "item", "text")])
            write(options.out, f"{name}-annotated", server.export(project))
    project = server.project(
        "spans", FOREIGN_SPANS, [{"data": {"text": FOREIGN_TEXT, "docket": 7}}]
    )
    marks = [
        region(FOREIGN_TEXT, "April 7", "Filing date", "label", "txt"),
        region(FOREIGN_TEXT, "Woodcock", "Colour", "label", "txt"),
        {"id": "m", "from_name": "mood", "to_name": "txt", "type": "choices",
         "value": {"choices": ["calm"]}},
    ]  # fmt: skip
    server.annotate(server.export(project)[0]["id"], marks)
    write(options.out, "foreign-spans", server.export(project))
    pair = {"case": "77", "item": "Filing date", "model": "April 7", "reference": "7 April 2019"}
    project = server.project("choices", FOREIGN_CHOICES, [{"data": pair}])
    yes = {"from_name": "same", "to_name": "l", "type": "choices", "value": {"choices": ["yes"]}}
    server.annotate(server.export(project)[0]["id"], [{"id": "c", **yes}])
    write(options.out, "foreign-choices", server.export(project))


if __name__ == "__main__":
    main()
