"""Cases with their documents in the database: once, wholly, and whoever cancels leaves nothing."""

from __future__ import annotations

import json
from datetime import date
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.errors import InvalidInput
from annotation.importing import case_spool
from annotation.importing.cancelling import Cancelled
from annotation.importing.cases import CaseImportReport, import_cases
from annotation.importing.formats import ImportRequest, format_called
from annotation.models import AuditEntry, Case, ImportReport, SourceDocument, Study, Summary
from annotation.records.report import FileStatus
from annotation.text.normalise import NormalisedText
from tests.case_making import pdf, zipped
from tests.factories import make_study

pytestmark = pytest.mark.django_db


def words(text: str) -> int:
    return len(text.split())


def bring(*paths: Path, study: Study, **options: Any) -> CaseImportReport:
    return import_cases(list(paths), study, count_tokens=words, **options)


def folder(path: Path, files: dict[str, bytes | str]) -> Path:
    path.mkdir(exist_ok=True)
    for name, content in files.items():
        (path / name).write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def full(path: Path, *cases: dict[str, Any]) -> Path:
    path.write_text(json.dumps(list(cases)), encoding="utf-8")
    return path


def told(case_id: str = "1", **fields: Any) -> dict[str, Any]:
    return {
        "case_id": case_id,
        "filing_date": "2023-02-28",
        "case_type": "Prison Conditions",
        "total_length_bin": 240,
        "total_token_num": 99,
        "summary/long": "The government sued.",
        "case_documents_text": ["One two", "Three"],
        "case_documents_title": ["Complaint", "Order"],
        "case_documents_doc_type": ["Complaint", None],
        "case_documents_date": ["2023-02-28", None],
        **fields,
    }


def stored() -> tuple[int, int, int]:
    return Case.objects.count(), SourceDocument.objects.count(), Summary.objects.count()


METADATA = json.dumps(
    {
        "case_id": "46210",
        "title": "A v. B",
        "filing_date": "2023-02-28",
        "documents": {"b.txt": {"type": "Complaint", "date": "2023-03-01", "order": 1}},
    }
)


def test_a_folder_becomes_a_case_with_its_documents(tmp_path: Path) -> None:
    study = make_study()
    path = folder(
        tmp_path / "c", {"b.txt": "One two\r\n", "a.txt": "Three", "metadata.json": METADATA}
    )
    report = bring(path, study=study)
    case = study.cases.get()
    assert (case.external_id, case.title, case.filing_date) == (
        "46210",
        "A v. B",
        date(2023, 2, 28),
    )
    assert case.token_count == 3
    first, second = case.documents.order_by("position")
    assert (first.name, first.position, first.text) == ("b.txt", 1, "One two\n")
    assert (first.document_type, first.date) == ("Complaint", date(2023, 3, 1))
    assert (first.token_count, second.token_count) == (2, 1)
    assert first.metadata["removed"] == [7]
    assert (second.name, second.position) == ("a.txt", 2)
    told_ = report.to_json()
    assert (told_["case"], told_["documents"], told_["tokens"]) == ("46210", 2, 3)
    assert [file.created for file in report.files] == [1, 1, 1]
    kept = ImportReport.objects.get()
    assert kept.kind == "case"
    assert kept.report["case"] == "46210"
    assert AuditEntry.objects.filter(action="import.finished", target="case").count() == 1


def test_importing_again_changes_nothing(tmp_path: Path) -> None:
    study = make_study()
    path = folder(tmp_path / "c", {"b.txt": "One", "a.pdf": pdf("Two"), "metadata.json": METADATA})
    bring(path, study=study)
    before = list(SourceDocument.objects.order_by("pk").values())
    report = bring(path, study=study)
    assert report.totals["created"] == 0
    assert report.totals["unchanged"] == 3
    assert list(SourceDocument.objects.order_by("pk").values()) == before


def test_another_text_of_a_stored_document_is_a_problem(tmp_path: Path) -> None:
    study = make_study()
    bring(folder(tmp_path / "c", {"a.txt": "One"}), study=study)
    path = folder(tmp_path / "c", {"a.txt": "Another", "b.txt": "New"})
    report = bring(path, study=study)
    assert str(report.files[0].problems[0]) == (
        "case c: a.txt is stored with another text, and texts never change. Give the document "
        "another name, or import the case into another study."
    )
    assert [file.status for file in report.files] == [FileStatus.SKIPPED] * 3
    assert report.cases == []
    assert stored() == (1, 1, 0)
    bring(path, study=study, accept_partial=True)
    assert stored() == (1, 2, 0)
    assert Case.objects.get().token_count == 2


def test_the_same_pdf_is_the_same_document_however_its_text_was_drawn(tmp_path: Path) -> None:
    study = make_study()
    path = folder(tmp_path / "c", {"a.pdf": pdf("Two")})
    bring(path, study=study)
    SourceDocument.objects.update(text="2", original_sha256="0" * 64)
    assert bring(path, study=study).totals["unchanged"] == 2


def test_line_ends_of_windows_move_no_span(tmp_path: Path) -> None:
    """T41: the same case from a CRLF file and from an LF file."""
    text = "\ufeffLine one\nLine two: TRO\n\nFiled on April 7"
    spans = []
    for name, ends in (("lf", "\n"), ("crlf", "\r\n"), ("cr", "\r")):
        study = make_study(name)
        path = folder(tmp_path / "46210", {"a.txt": text.replace("\n", ends)})
        bring(path, study=study)
        document = SourceDocument.objects.get(case__study=study)
        found = [document.text.index(quote) for quote in ("TRO", "April 7")]
        spans.append((document.text, found))
        # Offsets into the file as it was lead to the same place.
        original = NormalisedText(
            document.text, document.original_sha256, tuple(document.metadata["removed"])
        )
        place = text.replace("\n", ends).index("April 7")
        assert original.map_offset(place) == found[1]
    assert spans == [spans[0]] * 3
    assert spans[0][1] == [19, 33]
    # In one study, either file is the same document.
    assert bring(path, study=Study.objects.get(slug="lf")).totals["unchanged"] == 2


# text of a file, quote, its offsets in the file, and in the stored document
GOLDEN = [
    (b"Line one\r\nLine two: TRO", "TRO", (20, 23), (19, 22)),
    (b"\xef\xbb\xbfFiled on April 7", "April 7", (10, 17), (9, 16)),
]


@pytest.mark.parametrize(("raw", "quote", "in_file", "in_database"), GOLDEN)
def test_golden_offsets_of_a_file(
    tmp_path: Path, raw: bytes, quote: str, in_file: tuple[int, int], in_database: tuple[int, int]
) -> None:
    assert raw.decode()[slice(*in_file)] == quote
    bring(folder(tmp_path / "c", {"a.txt": raw}), study=make_study())
    document = SourceDocument.objects.get()
    assert document.text[slice(*in_database)] == quote
    original = NormalisedText(document.text, "", tuple(document.metadata["removed"]))
    assert tuple(original.map_offset(offset) for offset in in_file) == in_database


def test_a_case_known_by_its_id_is_filled(tmp_path: Path) -> None:
    study = make_study()
    Case.objects.create(study=study, external_id="1", metadata={"kept": True})
    report = bring(full(tmp_path / "f.json", told(case_url="u")), study=study)
    case = Case.objects.get()
    assert (case.case_type, case.length_bin, case.token_count) == ("Prison Conditions", "240", 3)
    assert case.metadata == {"kept": True, "case_url": "u", "total_token_num": "99"}
    assert report.totals["created"] == 4  # the case, two documents, the reference


def test_what_is_known_of_a_case_stays_and_is_counted(tmp_path: Path) -> None:
    study = make_study()
    Case.objects.create(study=study, external_id="1", case_type="Policing", token_count=98)
    report = bring(full(tmp_path / "f.json", told()), study=study)
    case = Case.objects.get()
    assert (case.case_type, case.filing_date) == ("Policing", date(2023, 2, 28))
    assert report.totals["repairs"] == {"case_case_type_differs": 1}
    # The count of our own vocabulary replaces one of a file without documents, which is kept.
    assert (case.token_count, case.metadata["token_count_before"]) == (3, 98)


def test_a_file_of_many_cases(tmp_path: Path) -> None:
    study = make_study()
    path = full(tmp_path / "f.json", told("1"), told("2", case_documents_text=["A b c", "d"]))
    steps: list[tuple[int, int]] = []
    report = bring(path, study=study, progress=lambda done, total: steps.append((done, total)))
    assert stored() == (2, 4, 2)
    json_ = report.to_json()
    assert json_["cases"] == [
        {"case": "1", "documents": 2, "tokens": 3},
        {"case": "2", "documents": 2, "tokens": 4},
    ]
    assert (json_["documents"], json_["tokens"]) == (4, 7)
    reference = Summary.objects.get(case__external_id="1")
    assert (reference.kind, reference.producer) == ("reference", "reference")
    assert reference.metadata == {"file": "f.json", "removed": []}
    size = path.stat().st_size
    assert (size, size) in steps
    assert steps[-1] == (6, 6)
    assert bring(path, study=study).totals["unchanged"] == 8


def test_another_reference_summary_is_a_problem(tmp_path: Path) -> None:
    study = make_study()
    bring(full(tmp_path / "f.json", told()), study=study)
    path = full(tmp_path / "g.json", told(**{"summary/long": "Another"}))
    report = bring(path, study=study)
    assert "its reference summary is stored with another text" in str(report.files[0].problems[0])
    assert Summary.objects.get().text == "The government sued."


def test_a_damaged_file_of_many_stores_nothing_even_in_part(tmp_path: Path) -> None:
    study = make_study()
    path = full(tmp_path / "f.json", told("1"), told("2"))
    path.write_bytes(path.read_bytes()[:-40])
    report = bring(path, study=study, accept_partial=True)
    assert report.files[0].status is FileStatus.TRUNCATED
    assert "object 2 (from byte" in str(report.files[0].problems[0])
    assert stored() == (0, 0, 0)
    assert report.totals["found"] == {}


def test_a_bad_case_refuses_its_file_unless_the_sound_ones_are_wanted(tmp_path: Path) -> None:
    study = make_study()
    path = full(tmp_path / "f.json", told("1"), told("2", case_documents_title=["x"]))
    report = bring(path, study=study)
    assert stored() == (0, 0, 0)
    assert report.files[0].status is FileStatus.SKIPPED
    assert report.to_json()["cases"] == []
    bring(path, study=study, accept_partial=True)
    assert list(Case.objects.values_list("external_id", flat=True)) == ["1"]


def test_a_document_that_cannot_be_read_refuses_its_case_unless_the_rest_is_wanted(
    tmp_path: Path,
) -> None:
    study = make_study()
    path = folder(tmp_path / "c", {"a.txt": "One", "b.txt": b"", "c.pdf": pdf("x", "")})
    report = bring(path, study=study)
    assert stored() == (0, 0, 0)
    assert [(Path(f.path).name, f.status) for f in report.files] == [
        ("c", FileStatus.SKIPPED),
        ("a.txt", FileStatus.SKIPPED),
        ("b.txt", FileStatus.EMPTY),
        ("c.pdf", FileStatus.SKIPPED),
    ]
    assert str(report.files[0].problems[0]) == (
        "2 of its files cannot be read whole. They are named below."
    )
    report = bring(path, study=study, accept_partial=True)
    assert list(SourceDocument.objects.values_list("name", "position")) == [
        ("a.txt", 1),
        ("c.pdf", 3),
    ]


def test_a_case_without_a_readable_document_is_not_stored(tmp_path: Path) -> None:
    path = folder(tmp_path / "c", {"a.txt": b"", "b.pdf": b"no"})
    report = bring(path, study=make_study(), accept_partial=True)
    assert stored() == (0, 0, 0)
    assert all(file.status is not FileStatus.READ for file in report.files)
    assert "None of its documents can be read" in str(report.files[0].problems[-1])


@pytest.mark.parametrize("kind", ["folder", "many"])
def test_a_dry_run_tells_the_same_and_stores_nothing(tmp_path: Path, kind: str) -> None:
    study = make_study()
    Case.objects.create(study=study, external_id="1")
    if kind == "many":
        path = full(tmp_path / "f.json", told("1"), told("2"))
    else:
        path = folder(tmp_path / "1", {"a.txt": "One", "b.txt": "Two"})
    dry = bring(path, study=study, dry_run=True)
    assert stored() == (1, 0, 0)
    assert Case.objects.get().case_type == ""
    finished = AuditEntry.objects.filter(action="import.finished")
    assert (ImportReport.objects.count(), finished.count()) == (0, 0)
    assert bring(path, study=study).to_json() == dry.to_json()
    assert bring(path, study=study, dry_run=True).totals["created"] == 0


@pytest.mark.parametrize("at", [0, 1, 2, 3, 4, 5])
def test_whoever_cancels_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    path = full(tmp_path / "f.json", told("1"), told("2"))
    calls = 0

    def progress(done: int, total: int) -> None:
        nonlocal calls
        calls += 1
        if calls > at:
            raise Cancelled("Cancelled.")

    study = make_study()
    with pytest.raises(Cancelled):
        bring(path, study=study, progress=progress)
    assert stored() == (0, 0, 0)
    assert bring(path, study=study).totals["created"] == 8


def test_positions_that_are_taken_move_on(tmp_path: Path) -> None:
    study = make_study()
    bring(folder(tmp_path / "1", {"m.txt": "One"}), study=study)
    bring(folder(tmp_path / "1", {"a.txt": "New", "m.txt": "One", "z.txt": "Z"}), study=study)
    named = list(SourceDocument.objects.order_by("position").values_list("position", "name"))
    assert named == [(1, "m.txt"), (2, "a.txt"), (3, "z.txt")]


def test_several_paths_are_several_cases_and_loose_files_one(tmp_path: Path) -> None:
    study = make_study()
    folder(tmp_path, {"x.txt": "X", "y.txt": "Y", "2.zip": zipped({"a.txt": "A"})})
    one = folder(tmp_path / "1", {"a.txt": "A"})
    given = [tmp_path / "x.txt", one, tmp_path / "y.txt", tmp_path / "2.zip"]
    report = bring(*given, full(tmp_path / "f.jsonl", told("9")), study=study)
    assert sorted(count.case for count in report.cases) == ["1", "2", "9", "x"]
    with pytest.raises(InvalidInput, match="only be given to one case"):
        bring(one, tmp_path / "2.zip", study=study, case_id="7")
    bring(tmp_path / "x.txt", study=study, case_id="7")
    assert Case.objects.get(external_id="7").documents.get().name == "x.txt"


def test_a_full_disk_is_said_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_room(*args: object, **kwargs: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(case_spool.tempfile, "TemporaryFile", no_room)
    path = folder(tmp_path / "1", {"a.txt": "A"})
    with pytest.raises(case_spool.NotConfigured, match="No space left on device"):
        bring(path, study=make_study())
    assert stored() == (0, 0, 0)


def run(*arguments: object) -> dict[str, Any]:
    out = StringIO()
    words_ = [str(argument) for argument in arguments]
    call_command("import_case", *words_, "--json", stdout=out, stderr=StringIO())
    return json.loads(out.getvalue())


def test_the_command_tells_case_documents_and_tokens(tmp_path: Path) -> None:
    files = {"a.txt": "Filed on April 7", "b.html": "<p>Denied.</p>"}
    path = tmp_path / "46210.zip"
    path.write_bytes(zipped(files))
    result = run(path, "--study", "new")
    # o200k_base: "Filed", " on", " April", " ", "7" and "Denied", "."
    assert (result["case"], result["documents"], result["tokens"]) == ("46210", 2, 7)
    assert Study.objects.get().slug == "new"
    assert run(path, "--study", "new", "--case-id", "other", "--dry-run")["case"] == "other"
    assert Case.objects.count() == 1


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("f.json", b"", "is empty"),
        ("f.json", b"[{", "cut off"),
        ("f.jsonl", b"7", "list of objects"),
        ("f.zip", b"PK", "no ZIP file"),
        ("f.txt", b"", "is empty"),
        ("f.exe", b"MZ", "no document here"),
        ("nothing/there", None, "no such file"),
        ("nothing.json", None, "no such file"),
        ("x" * 300 + ".zip", None, "too long"),
        ("a\0.zip", None, "cannot be the name"),
        ("a\0", None, "cannot be the name"),
    ],
)  # fmt: skip
def test_the_command_refuses_with_a_sentence(
    tmp_path: Path, name: str, content: bytes | None, says: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(CommandError, match=says) as refused:
        run(f"{tmp_path}/{name}", "--study", "s")
    assert refused.value.returncode == 1
    assert "Traceback" not in str(refused.value)
    assert stored() == (0, 0, 0)
    assert ImportReport.objects.count() == 1


def test_the_pages_offer_both_formats(tmp_path: Path) -> None:
    study = make_study()
    path = folder(tmp_path, {"a.txt": "One"}) / "a.txt"
    request = ImportRequest(paths=(path,), study=study, options={"case_id": "7"})
    assert format_called("case").run(request).totals["created"] == 2
    many = ImportRequest(paths=(full(tmp_path / "f.json", told()),), study=study)
    assert format_called("cases").run(many).totals["created"] == 4
    assert set(Case.objects.values_list("external_id", flat=True)) == {"7", "1"}
