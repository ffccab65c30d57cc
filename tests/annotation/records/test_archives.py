"""Unpacking a ZIP of a folder: nothing leaves its place, and everything left out is named."""

from __future__ import annotations

import io
import stat
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.records.archives import first_of, only_folder, safe_name, unpack
from annotation.records.cases.zip_files import BadZip
from annotation.records.report import FileStatus

NAMES = [
    ("../Case 7.json", "_Case 7.json"),
    ("", "file"),
    (".", "_"),
    ("..", "file"),
    (".env", "_env"),
    ("a\x00b\n\x1b[31m.json", "a_b___31m.json"),
    ("exe\u202enosj.txt", "exe_nosj.txt"),
    ("C:\\temp\\x.json", "C__temp_x.json"),
    ("Stra\u00dfe M\u00fcller.json", "Stra\u00dfe M\u00fcller.json"),
    ("a" * 300 + ".json", "a" * 95 + ".json"),
    ("<b>\"'&.json", "_b____.json"),
    ("ends with dots...", "ends with dots"),
]


@pytest.mark.parametrize(("given_name", "expected"), NAMES, ids=range(len(NAMES)))
def test_a_name_becomes_harmless(given_name: str, expected: str) -> None:
    assert safe_name(given_name) == expected


@given(st.text())
def test_any_name_can_be_a_file_and_only_that(name: str) -> None:
    safe = safe_name(name)
    assert safe
    assert safe not in (".", "..")
    assert not safe.startswith((".", " "))
    assert not set(safe) & set("/\\\x00")
    assert len(safe.encode()) <= 100


def packed(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def names_in(folder: Path) -> list[str]:
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


def silent(done: int, total: int) -> None:
    pass


def test_members_keep_their_places_and_what_systems_add_is_passed_over(tmp_path: Path) -> None:
    path = packed(
        tmp_path / "a.zip",
        {
            "data/summaries/a.json": b"[]",
            "data\\summaries\\b.json": b"{}",
            "__MACOSX/data/._a.json": b"x",
            "data/.DS_Store": b"x",
        },
    )
    told: list[tuple[int, int]] = []
    left_out = unpack(path, tmp_path / "out", lambda *step: told.append(step))
    assert left_out == []
    assert names_in(tmp_path / "out") == ["data/summaries/a.json", "data/summaries/b.json"]
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o700
    assert told == [(1, 4), (2, 4)]
    assert only_folder(tmp_path / "out") == tmp_path / "out" / "data" / "summaries"


def test_what_is_dangerous_or_damaged_is_left_out_and_named(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("good.json", b"[1]")
        archive.writestr("../../up.json", b"[1]")
        archive.writestr("/etc/cron.d/job", b"* * * * *")
        link = zipfile.ZipInfo("link.json")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, b"/etc/passwd")
        archive.writestr("burst.json", b" " * 5_000_000)
        archive.writestr("/".join("abcdefghijklmnopqrstuvw") + ".json", b"1")
        archive.writestr("damaged.json", b"damaged " * 9)
    raw = path.read_bytes()
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        at = archive.getinfo("damaged.json").header_offset + 30 + len("damaged.json")
    path.write_bytes(raw[:at] + b"\xff\xff\xff" + raw[at + 3 :])
    left_out = {r.path: r for r in unpack(path, tmp_path / "out", silent)}
    assert names_in(tmp_path / "out") == ["good.json"]
    assert set(left_out) == {
        "../../up.json", "/etc/cron.d/job", "link.json", "burst.json",
        "a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r/s/t/u/v/w.json", "damaged.json",
    }  # fmt: skip
    assert all(len(report.problems) == 1 for report in left_out.values())
    assert "leads out" in str(left_out["../../up.json"].problems[0])
    assert "link" in str(left_out["link.json"].problems[0])
    assert left_out["burst.json"].status is FileStatus.UNREADABLE
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.zip", "out"]


def test_two_names_that_become_one_are_not_mixed(tmp_path: Path) -> None:
    path = packed(tmp_path / "a.zip", {"a?.json": b"1", "a*.json": b"2", "a": b"3", "a/b": b"4"})
    left_out = unpack(path, tmp_path / "out", silent)
    assert [r.path for r in left_out] == ["a*.json", "a/b"]
    assert (tmp_path / "out" / "a_.json").read_bytes() == b"1"


def test_limits_hold_before_anything_is_written(tmp_path: Path) -> None:
    path = packed(tmp_path / "a.zip", {"a.json": b"1" * 10, "b.json": b"2"})
    with pytest.raises(BadZip, match="2 files, more than 1"):
        unpack(path, tmp_path / "out", silent, most_files=1)
    with pytest.raises(BadZip, match="11 bytes, more than 10"):
        unpack(path, tmp_path / "out", silent, most_bytes=10)
    (tmp_path / "no.zip").write_bytes(b"PK not really")
    with pytest.raises(BadZip, match="no ZIP"):
        unpack(tmp_path / "no.zip", tmp_path / "out", silent)
    assert not (tmp_path / "out").exists()


def test_the_first_file_speaks_for_a_zip(tmp_path: Path) -> None:
    path = packed(
        tmp_path / "a.zip", {"z/b.json": b"later", "z/a.json": b"first of", "__MACOSX/a": b""}
    )
    assert first_of(path, 5) == ("z/a.json", b"first", {"z", "__MACOSX"})
    with pytest.raises(BadZip, match="no file"):
        first_of(packed(tmp_path / "b.zip", {"__MACOSX/a": b""}), 5)
