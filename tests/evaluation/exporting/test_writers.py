"""Folders that appear whole or not at all, and archives that are the same each time."""

from __future__ import annotations

import errno
import io
import os
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from annotation.errors import InvalidInput, Refused
from evaluation.exporting.rows import FileNames
from evaluation.exporting.writers import (
    new_folder,
    write_json,
    write_lines,
    write_manifest,
    write_table,
    write_zip,
)


def fill(folder: Path, text: str = "a") -> None:
    write_lines(folder, "rows.jsonl", [text.encode() + b"\n"])
    write_manifest(folder, {"format": "gavel-test"})


def fill_and_fail(folder: Path, error: Exception) -> None:
    fill(folder)
    raise error


def test_a_folder_appears_when_it_is_complete(tmp_path: Path) -> None:
    out = tmp_path / "deep" / "out"
    with new_folder(out) as folder:
        fill(folder)
        assert not out.exists()
    assert sorted(path.name for path in out.iterdir()) == ["manifest.json", "rows.jsonl"]
    assert list(out.parent.iterdir()) == [out]


def test_an_empty_folder_is_taken(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with new_folder(tmp_path / "out") as folder:
        fill(folder)
    assert (tmp_path / "out" / "rows.jsonl").exists()


def test_nothing_stays_of_a_folder_that_fails(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), new_folder(tmp_path / "out") as folder:
        fill_and_fail(folder, ZeroDivisionError())
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_leaves_nothing_and_is_said(tmp_path: Path) -> None:
    with (
        pytest.raises(Refused, match=r"the disk is full\. Make room .* Nothing was left there"),
        new_folder(tmp_path / "out") as folder,
    ):
        fill_and_fail(folder, OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))
    assert list(tmp_path.iterdir()) == []


def test_a_killed_export_leaves_no_folder_of_that_name(tmp_path: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path\n"
        "from evaluation.exporting.writers import new_folder, write_lines\n"
        "with new_folder(Path(sys.argv[1])) as folder:\n"
        "    write_lines(folder, 'rows.jsonl', [b'1\\n'])\n"
        "    print('written', flush=True)\n"
        "    time.sleep(60)\n"
    )
    out = tmp_path / "out"
    with subprocess.Popen(
        [sys.executable, "-c", code, str(out)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "written\n"
        process.kill()
    assert not out.exists()
    with new_folder(out) as folder:
        fill(folder)
    assert out.exists()


def test_a_full_folder_a_file_and_a_foreign_folder_are_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(InvalidInput, match="is a file"), new_folder(tmp_path / "file"):
        pass
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    (foreign / "thesis.docx").write_text("x")
    with pytest.raises(InvalidInput, match="is not empty"), new_folder(foreign):
        pass
    with (
        pytest.raises(InvalidInput, match="is no export of Gavel"),
        new_folder(foreign, force=True),
    ):
        pass
    (foreign / "manifest.json").write_text('{"format": "other"}')
    with (
        pytest.raises(InvalidInput, match="is no export of Gavel"),
        new_folder(foreign, force=True),
    ):
        pass
    assert (foreign / "thesis.docx").read_text() == "x"


def test_force_replaces_an_export_whole(tmp_path: Path) -> None:
    out = tmp_path / "out"
    for text, force in (("first", False), ("second", True)):
        with new_folder(out, force=force) as folder:
            fill(folder, text)
    assert (out / "rows.jsonl").read_text() == "second\n"
    assert list(tmp_path.iterdir()) == [out]
    with pytest.raises(ZeroDivisionError), new_folder(out, force=True) as folder:
        fill_and_fail(folder, ZeroDivisionError())
    assert (out / "rows.jsonl").read_text() == "second\n"


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(Refused, match="could not be written"), new_folder(tmp_path / "file" / "x"):
        pass


def test_entries_tell_rows_and_hash(tmp_path: Path) -> None:
    # SHA-256 of "1\n2\n", computed with sha256sum.
    entry = write_lines(tmp_path, "a.jsonl", [b"1\n", b"2\n"])
    assert (entry.rows, entry.sha256) == (
        2,
        "a6e2b7a040683432de03a18fd8a1939a2fdf82585b364bfc874bdd4095c4cae1",
    )
    table = write_table(tmp_path, "a.csv", ["x", "y"], [["=1", 2], ["a\nb", None]])
    assert table.rows == 2
    assert (tmp_path / "a.csv").read_bytes() == b'x,y\r\n\'=1,2\r\n"a\nb",\r\n'


def test_a_zip_is_the_same_whenever_it_is_made(tmp_path: Path) -> None:
    archives = []
    for name in ("one", "two"):
        with new_folder(tmp_path / name) as folder:
            fill(folder)
            write_json(folder, "sub/a.json", {"b": 1})
        os.utime(tmp_path / name / "rows.jsonl", (time.time() - 9_000_000,) * 2)
        archive = io.BytesIO()
        write_zip(tmp_path / name, archive, top="study-bundle")
        archives.append(archive.getvalue())
    assert archives[0] == archives[1]
    with zipfile.ZipFile(io.BytesIO(archives[0])) as packed:
        assert packed.namelist() == [
            "study-bundle/manifest.json",
            "study-bundle/rows.jsonl",
            "study-bundle/sub/a.json",
        ]


def test_names_are_safe_and_given_once() -> None:
    names = FileNames()
    assert [names.take(stem) for stem in ("a/../b", "A-..-B", "", ".hidden", "x" * 999)] == [
        "a-..-b.json",
        "A-..-B_2.json",
        "unnamed.json",
        "hidden.json",
        "x" * 180 + ".json",
    ]
