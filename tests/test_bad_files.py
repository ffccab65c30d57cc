"""Files that are none, given to every command that reads one: a sentence, and nothing stored."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Case, ChecklistVersion, ImportReport, Task

pytestmark = pytest.mark.django_db

GOOD = {
    "keys": [{"case_id": "1", "checklist_item": "Filing Date", "source_pair_idx": 0}],
    "value_pairs": [{"item_A": "a", "item_B": "b", "is_list": False}],
    "orders": [["m_summarization.json", "h.json"]],
}
PLAIN = json.dumps(GOOD).encode()


def with_key(**changes: object) -> bytes:
    return json.dumps({**GOOD, "keys": [{**GOOD["keys"][0], **changes}]}).encode()


def fifo(path: Path) -> None:
    os.mkfifo(path)


def bytes_of(content: bytes) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        path.write_bytes(content)

    return make


BAD: dict[str, Callable[[Path], object]] = {
    "nothing there": lambda path: None,
    "a folder": Path.mkdir,
    "a pipe": fifo,
    "a link to itself": lambda path: path.symlink_to(path.name),
    "a link to nowhere": lambda path: path.symlink_to("/nonexistent/file"),
    "empty": bytes_of(b""),
    "cut off": bytes_of(PLAIN[: len(PLAIN) // 2]),
    "another type": bytes_of(b"[1, 2]"),
    "a number": bytes_of(b"7"),
    "deep": bytes_of(b"[" * 100_000 + b"]" * 100_000),
    "one key twice": bytes_of(PLAIN[:-1] + b', "keys": []}'),
    "UTF-16": bytes_of(PLAIN.decode().encode("utf-16")),
    "no text at all": bytes_of(bytes(range(256)) * 16),
    "NUL": bytes_of(b"\0" * 1000),
    "one line of 10 MB": bytes_of(b'"' + b"x" * 10_000_000),
    "NaN": bytes_of(PLAIN.replace(b'"a"', b"NaN")),
    "a case id of 121 characters": bytes_of(with_key(case_id="c" * 121)),
    "a case id with NUL": bytes_of(with_key(case_id="c\0")),
    "an index beyond any column": bytes_of(with_key(source_pair_idx=10**30)),
}


def command(name: str, *words: str) -> str:
    """The sentence with which a command refuses."""
    with pytest.raises(CommandError) as refused:
        call_command(name, *words, stdout=StringIO(), stderr=StringIO())
    assert refused.value.returncode == 1
    return str(refused.value)


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_refused_and_its_report_kept(name: str, tmp_path: Path) -> None:
    path = tmp_path / "given.json"
    BAD[name](path)
    for number, kind in enumerate(("comparison", "style", "thresh"), 1):
        said = command("import_tasks", str(path), "--study", "s", "--format", kind)
        assert "given.json" in said
        assert (Task.objects.count(), Case.objects.count()) == (0, 0)
        # A folder without files holds nothing that a report could be about.
        assert ImportReport.objects.count() == (0 if name == "a folder" else number)
    assert "given.json" in command("import_case", str(path), "--study", "c")
    assert "given.json" in command("load_checklist", str(path))
    assert ChecklistVersion.objects.count() == 1  # the study's own
    command("import_bundle", str(path), "--study", "b")
    command("verify_export", str(path))


@pytest.mark.parametrize("name", ["new\nline.json", "bad\udcff.json", "\u202eevil.json", "😀.json"])
def test_an_odd_name_of_a_good_file_is_read(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(PLAIN)
    out = StringIO()
    call_command(
        "import_tasks", str(path), "--study", "s", "--format", "comparison", "--json", stdout=out,
        stderr=StringIO(),
    )  # fmt: skip
    assert json.loads(out.getvalue())["totals"]["created"] == 1
    assert "\n" not in ImportReport.objects.get().report["files"][0]["path"]


@pytest.mark.parametrize("name", ["x" * 300, "/dev/zero", "/dev/null", "a\x00b"])
def test_a_name_that_is_no_file_is_refused(name: str) -> None:
    command("import_tasks", name, "--study", "s", "--format", "comparison")
    command("import_release", name, "--study", "s")
    command("import_case", name, "--study", "s")
    command("load_checklist", name)
    command("import_bundle", name, "--study", "b")
    command("verify_export", name)
    assert (Task.objects.count(), Case.objects.count()) == (0, 0)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("create_study", "s", "--seed", "99999999999999999999"), "must be from 0"),
        (("create_study", "s", "--seed", "-1"), "must be from 0"),
        (("create_study", "s", "--name", "n" * 201), "200 characters"),
        (("create_study", "s" * 81), "cannot name a study"),
        (("import_tasks", "f", "--study", "s", "--format", "comparison", "--overlap", "0"), "1 to"),
        (
            ("import_tasks", "f", "--study", "s", "--format", "comparison", "--task-set", "a b"),
            "cannot name a task set",
        ),
        (("run_judge", "--study", "s", "--resume", "9" * 25), "must be from 0"),
        (("run_judge", "--study", "s", "--limit", "nan"), "no whole number"),
        (("meta_evaluate", "--study", "s", "--draws", "1000000000000"), "must be from 100"),
    ],
)
def test_a_number_or_a_name_that_no_column_holds_is_refused(
    words: tuple[str, ...], says: str
) -> None:
    with pytest.raises(CommandError, match=says) as refused:
        call_command(*words, stdout=StringIO(), stderr=StringIO())
    assert refused.value.returncode in (1, 2)
