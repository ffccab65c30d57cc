"""One case from a folder or a ZIP: what is read, in which order, and what is dangerous."""

from __future__ import annotations

import hashlib
import io
import json
import os
import struct
import zipfile
from collections import Counter
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.models import Case, SourceDocument
from annotation.records.cases import zip_files
from annotation.records.cases.case_files import natural, open_case
from annotation.records.cases.record import (
    DOCUMENT_NAME_LENGTH,
    DOCUMENT_TYPE_LENGTH,
    TITLE_LENGTH,
    CaseDocument,
    CaseHead,
)
from annotation.records.cases.zip_files import BadZip, ZipFile
from annotation.records.report import FileReport, FileStatus, UnreadableFile
from tests.case_making import add, docx, paragraph, pdf, zipped

METADATA = {
    "case_id": "46210",
    "title": "United States v. Denka",
    "filing_date": "2023-02-28",
    "case_type": "Environmental Justice",
    "court": "E.D. La.",
    "documents": {
        "b.txt": {"type": "Complaint", "date": "2023-02-28", "order": 1, "title": "Complaint"},
        "a.txt": {"type": "Order", "order": 2, "judge": "Barbier"},
    },
}


Read = tuple[CaseHead, list[CaseDocument], FileReport, list[FileReport]]


def read(*paths: Path, case_id: str = "") -> Read:
    report = FileReport("case")
    with open_case(paths, report, case_id=case_id) as files:
        documents = list(files.documents(lambda done, total: None))
        return files.head, documents, report, files.files


def folder(path: Path, files: dict[str, bytes | str]) -> Path:
    for name, content in files.items():
        target = path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def a_zip(path: Path, files: dict[str, bytes | str]) -> Path:
    path.write_bytes(zipped(files))
    return path


def names(documents: list[CaseDocument]) -> list[str]:
    return [document.name for document in documents]


def problems(files: list[FileReport]) -> dict[str, str]:
    return {f.path: str(f.problems[0]) for f in files if f.problems}


def test_lengths_are_those_of_the_columns() -> None:
    assert Case._meta.get_field("title").max_length == TITLE_LENGTH
    assert SourceDocument._meta.get_field("name").max_length == DOCUMENT_NAME_LENGTH
    assert SourceDocument._meta.get_field("document_type").max_length == DOCUMENT_TYPE_LENGTH


def test_a_folder_without_metadata_is_read_in_natural_order(tmp_path: Path) -> None:
    path = folder(
        tmp_path / "46210",
        {
            "doc10.txt": "ten",
            "doc2.md": "# two",
            "Doc1.html": "<p>one",
            "exhibits/a.pdf": pdf("An exhibit"),
            "letter.docx": docx(paragraph("A letter")),
        },
    )
    head, documents, report, files = read(path)
    assert head == CaseHead("46210")
    assert [(d.position, d.name, d.text.text) for d in documents] == [
        (1, "Doc1.html", "one"),
        (2, "doc2.md", "# two"),
        (3, "doc10.txt", "ten"),
        (4, "exhibits/a.pdf", "An exhibit"),
        (5, "letter.docx", "A letter"),
    ]
    assert documents[2].file_sha256 == hashlib.sha256(b"ten").hexdigest()
    assert all(file.status is FileStatus.READ and not file.problems for file in files)
    assert report.found == {"cases_without_metadata": 1}


def test_the_metadata_say_what_a_case_and_its_documents_are(tmp_path: Path) -> None:
    path = folder(
        tmp_path / "x",
        {"a.txt": "A", "b.txt": "B", "c2.txt": "C", "metadata.json": json.dumps(METADATA)},
    )
    head, documents, report, _ = read(path)
    assert head == CaseHead(
        "46210",
        "United States v. Denka",
        date(2023, 2, 28),
        "Environmental Justice",
        metadata={"court": "E.D. La."},
    )
    assert names(documents) == ["b.txt", "a.txt", "c2.txt"]
    first, second, _ = documents
    assert (first.document_type, first.date) == ("Complaint", date(2023, 2, 28))
    assert first.metadata == {"title": "Complaint"}
    assert second.metadata == {"judge": "Barbier"}
    assert report.repairs == {"documents_not_in_metadata": 1}
    assert report.problems == []


def test_documents_may_be_a_list_in_reading_order(tmp_path: Path) -> None:
    listed = [
        {"filename": "z.txt", "doc_type": "Complaint", "token_count": 9},
        "b.txt",
        {"file": "a.txt"},
    ]
    metadata = json.dumps({"case_id": 7, "documents": listed})
    path = folder(tmp_path, {"a.txt": "A", "b.txt": "B", "z.txt": "Z", "metadata.json": metadata})
    head, documents, _, _ = read(path)
    assert head.case_id == "7"
    assert names(documents) == ["z.txt", "b.txt", "a.txt"]
    assert documents[0].metadata == {"token_count": 9}


def test_odd_metadata_are_named_or_counted(tmp_path: Path) -> None:
    metadata = {
        "filing_date": "28 February 2023",
        "case_type": ["x"],
        "documents": {
            "a.txt": {"order": 1, "date": "2023-02-30"},
            "b.txt": {"order": 1},
            "gone.txt": {},
            "c.txt": {"order": "first"},
            "d.txt": 7,
        },
    }
    files: dict[str, bytes | str] = dict.fromkeys(("a.txt", "b.txt", "c.txt", "d.txt"), "x")
    path = folder(tmp_path / "k", {**files, "metadata.json": json.dumps(metadata)})
    head, documents, report, _ = read(path)
    assert head.filing_date is None
    assert head.metadata == {"filing_date": "28 February 2023"}
    assert documents[0].metadata == {"document_date": "2023-02-30"}
    assert report.repairs == {
        "filing_date_unreadable": 1,
        "case_type_unreadable": 1,
        "document_date_unreadable": 1,
        "order_twice": 1,
        "documents_not_in_metadata": 2,
    }
    assert report.repair_places["document_date_unreadable"] == ["documents.a.txt"]
    assert [str(problem) for problem in report.problems] == [
        'documents.c.txt.order: must be a whole number, and is "first".',
        "documents.d.txt: must be an object, and is the number 7.",
        "metadata.json: names 'gone.txt', which is not there. Add the file, or take the name out.",
    ]


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (b"", "is empty"),
        (b'{"case_id": "1"', "cut off"),
        (b"[]", "no metadata of a case"),
        (b'{"case_id": ""}', "case_id must say something"),
        (b'{"case_id": "' + b"x" * 121 + b'"}', "120 characters or fewer"),
        (b'{"case_id": "a", "case_id": "b"}', "twice"),
    ],
)
def test_damaged_metadata_refuse_the_case(tmp_path: Path, raw: bytes, says: str) -> None:
    path = folder(tmp_path, {"a.txt": "A", "metadata.json": raw})
    with pytest.raises(UnreadableFile, match=says):
        read(path)


def test_hidden_files_are_left_out_and_others_named(tmp_path: Path) -> None:
    path = folder(
        tmp_path / "c",
        {
            "a.txt": "A",
            ".DS_Store": b"\0",
            "__MACOSX/._a.txt": b"\0",
            ".git/x.txt": "no",
            "Thumbs.db": b"\0",
            "scan.png": b"\x89PNG",
            "inner.zip": zipped({"b.txt": "B"}),
            "old.doc": b"\xd0\xcf",
            "blank.txt": b"",
        },
    )
    _, documents, report, files = read(path)
    assert names(documents) == ["a.txt"]
    assert report.repairs == {"hidden_files_left_out": 4}
    assert {file.path: file.status for file in files} == {
        "case/a.txt": FileStatus.READ,
        "case/blank.txt": FileStatus.EMPTY,
        "case/inner.zip": FileStatus.SKIPPED,
        "case/old.doc": FileStatus.SKIPPED,
        "case/scan.png": FileStatus.SKIPPED,
    }
    assert "A ZIP inside is not opened" in problems(files)["case/inner.zip"]


def test_links_in_a_folder(tmp_path: Path) -> None:
    path = folder(tmp_path / "c", {"a.txt": "A"})
    (path / "loop.txt").symlink_to("loop.txt")
    (path / "up").symlink_to(tmp_path)
    os.mkfifo(path / "pipe.txt")
    _, documents, _, files = read(path)
    assert names(documents) == ["a.txt"]
    assert problems(files) == {
        "case/loop.txt": "The link leads back to itself. Put the file itself here.",
        "case/pipe.txt": "This is not a file. Name a file.",
        "case/up": "It is a link to a folder. Put the folder itself here.",
    }


def test_loose_files_are_one_case(tmp_path: Path) -> None:
    folder(tmp_path, {"b10.txt": "ten", "b9.txt": "nine", "other/b9.txt": "again"})
    head, documents, _, _ = read(tmp_path / "b10.txt", tmp_path / "b9.txt", case_id="77")
    assert head.case_id == "77"
    assert names(documents) == ["b9.txt", "b10.txt"]
    assert read(tmp_path / "b9.txt")[0].case_id == "b9"
    _, documents, _, files = read(tmp_path / "b9.txt", tmp_path / "other" / "b9.txt")
    assert documents == []
    assert "same name" in problems(files)[str(tmp_path / "b9.txt")]


@pytest.mark.parametrize("make", [Path.mkdir, lambda path: folder(path, {"a.png": "x"})])
def test_a_folder_without_documents_is_refused(tmp_path: Path, make: object) -> None:
    make(tmp_path / "c")  # type: ignore[operator]
    with pytest.raises(UnreadableFile, match="There is no document here"):
        read(tmp_path / "c")


def test_a_zip_of_a_folder_is_read_like_the_folder(tmp_path: Path) -> None:
    files = {"a.txt": "A", "b.txt": "B", "metadata.json": json.dumps(METADATA)}
    plain = read(folder(tmp_path / "46210", files))
    inside = {f"46210/{name}": content for name, content in files.items()}
    litter = {"__MACOSX/46210/._a.txt": b"\0", "46210/.DS_Store": b"\0"}
    for content in (files, inside, {**inside, **litter}):
        head, documents, _, _ = read(a_zip(tmp_path / "c.zip", content))
        assert (head, documents) == (plain[0], plain[1])


def test_the_id_of_a_case_is_the_name_of_its_zip(tmp_path: Path) -> None:
    assert read(a_zip(tmp_path / "CJ-FL-0009.zip", {"a.txt": "A"}))[0].case_id == "CJ-FL-0009"


def test_every_danger_of_a_zip_is_named(tmp_path: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        add(archive, "good.txt", "Good")
        add(archive, "../up.txt", "x")
        add(archive, "/etc/abs.txt", "x")
        add(archive, "C:\\win.txt", "x")
        add(archive, "a\\..\\b.txt", "x")
        add(archive, "link.txt", "/etc/passwd", mode=0o120777)
        add(archive, "bomb.txt", b"0" * 3_000_000)
        add(archive, "twice.txt", "one")
        with pytest.warns(UserWarning, match="Duplicate name"):
            add(archive, "twice.txt", "two")
        add(archive, "nested.zip", zipped({"a.txt": "x"}))
    path = tmp_path / "c.zip"
    path.write_bytes(out.getvalue())
    _, documents, _, files = read(path)
    assert sorted(names(documents)) == ["good.txt", "twice.txt"]
    said = {
        file.path.removeprefix("case/"): str(file.problems[0]) for file in files if file.problems
    }
    outside = "Its name leads out of the ZIP. It was not read; make the ZIP anew."
    assert said.pop("bomb.txt").startswith("It would grow to 3,000,000 bytes from ")
    assert said.pop("nested.zip").startswith("A ZIP inside is not opened")
    assert said == {
        "../up.txt": outside,
        "/etc/abs.txt": outside,
        "C:\\win.txt": outside,
        "a\\..\\b.txt": outside,
        "link.txt": "It is a link. Put the file itself into the ZIP.",
        "twice.txt": "It is there twice, and only one could be kept. Take one out.",
    }


def locked(raw: bytes) -> bytes:
    """The same ZIP with its first member marked as encrypted."""
    changed = bytearray(raw)
    changed[6] |= 1
    changed[changed.rfind(b"PK\x01\x02") + 8] |= 1
    return bytes(changed)


def test_an_encrypted_member_is_named(tmp_path: Path) -> None:
    path = tmp_path / "c.zip"
    path.write_bytes(locked(zipped({"a.txt": "A"})))
    _, documents, _, files = read(path)
    assert documents == []
    assert problems(files) == {
        "case/a.txt": "It is protected by a password. Make the ZIP without one."
    }


def test_a_member_that_was_changed_is_named(tmp_path: Path) -> None:
    raw = bytearray(zipped({"a.txt": "Filed on April 7", "b.txt": "B"}))
    raw[40] ^= 0xFF
    path = tmp_path / "c.zip"
    path.write_bytes(raw)
    _, documents, _, files = read(path)
    assert names(documents) == ["b.txt"]
    assert problems(files) == {"case/a.txt": "It is damaged inside the ZIP. Get the ZIP again."}


def test_names_in_a_zip_that_say_no_encoding() -> None:
    raw = zipped({"Mu\u00f1oz.txt": "x"})
    # The same bytes without the flag that says UTF-8, as some systems write them.
    unmarked = bytearray(raw)
    unmarked[7] &= 0xF7
    unmarked[unmarked.rfind(b"PK\x01\x02") + 9] &= 0xF7
    repairs: Counter[str] = Counter()
    with ZipFile.of_bytes(bytes(unmarked), repairs) as archive:
        assert [member.name for member in archive.members] == ["Mu\u00f1oz.txt"]
        assert archive.read("Mu\u00f1oz.txt") == b"x"
    assert repairs == {"zip_names_guessed": 1}
    old = bytes(unmarked).replace("\u00f1".encode(), b"\xa4")  # code page 437 says it in one byte
    old = old.replace(struct.pack("<H", 10), struct.pack("<H", 9))
    repairs.clear()
    with ZipFile.of_bytes(_shorter(old), repairs) as archive:
        assert [member.name for member in archive.members] == ["Mu\u00f1oz.txt"]
    assert repairs == {"zip_names_guessed": 1}


def _shorter(raw: bytes) -> bytes:
    """Correct the places in the end record of a ZIP in which one name became a byte shorter."""
    end = raw.rfind(b"PK\x05\x06")
    size, place = struct.unpack_from("<LL", raw, end + 12)
    return raw[: end + 12] + struct.pack("<LL", size - 1, place - 1) + raw[end + 20 :]


@pytest.mark.parametrize(
    ("limit", "value", "says"),
    [
        ("MOST_BYTES", 10, "more than 10"),
        ("MOST_FILES", 1, "holds 2 files, more than 1"),
        ("_LARGEST_INDEX", 40, "holds more than"),
    ],
)
def test_a_zip_beyond_a_limit_is_refused_before_it_is_unpacked(
    monkeypatch: pytest.MonkeyPatch, limit: str, value: int, says: str
) -> None:
    raw = zipped({"a.txt": "A" * 8, "b.txt": "B" * 8})
    limits = {"most_bytes": 10} if limit == "MOST_BYTES" else {}
    limits |= {"most_files": 1} if limit == "MOST_FILES" else {}
    if not limits:
        monkeypatch.setattr(zip_files, limit, value)
    with pytest.raises(BadZip, match=says):
        ZipFile(io.BytesIO(raw), Counter(), **limits)


@pytest.mark.parametrize("raw", [b"", b"PK", b"x" * 100, zipped({"a.txt": "A"})[:-10]])
def test_what_is_no_zip_is_refused(tmp_path: Path, raw: bytes) -> None:
    path = tmp_path / "c.zip"
    path.write_bytes(raw)
    with pytest.raises(UnreadableFile, match="no ZIP file"):
        read(path)


@settings(max_examples=120)
@given(data=st.data())
def test_a_damaged_zip_gives_members_or_sentences(data: st.DataObject) -> None:
    raw = bytearray(zipped({"a.txt": "Filed on April 7", "b/c.txt": "B" * 50}))
    for _ in range(data.draw(st.integers(0, 6))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    try:
        with ZipFile.of_bytes(bytes(raw), Counter()) as archive:
            for member in archive.members:
                try:
                    archive.read(member.name)
                except BadZip as error:
                    assert str(error).endswith(".")  # noqa: PT017
    except BadZip as error:
        assert str(error).endswith(".")  # noqa: PT017


@given(st.lists(st.integers(0, 3000), unique=True))
def test_natural_order_is_that_of_the_numbers(numbers: list[int]) -> None:
    found = sorted((f"doc{number}.txt" for number in numbers), key=natural)
    assert found == [f"doc{number}.txt" for number in sorted(numbers)]


def test_natural_order_of_folders_and_capitals() -> None:
    given_ = ["b.txt", "A10.txt", "a2.txt", "a/10.txt", "a/9.txt", "10.txt", "9.txt"]
    expected = ["9.txt", "10.txt", "a/9.txt", "a/10.txt", "a2.txt", "A10.txt", "b.txt"]
    assert sorted(given_, key=natural) == expected
