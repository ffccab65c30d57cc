"""Files of many cases: split without being held, judged like small ones."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.records.cases import full, splitter
from annotation.records.cases.full import FullCase, looks_like_full_cases, read_full_cases
from annotation.records.cases.metadata import case_notes
from annotation.records.cases.record import numbered
from annotation.records.report import FileReport, FileStatus, UnreadableFile

CASE: dict[str, Any] = {
    "case_id": "46210",
    "case_type": "Environmental Justice",
    "filing_date": "2023-02-28",
    "case_url": "an address",
    "summary/long": "The government sued.\r\n",
    "total_token_num": 620071,
    "total_length_bin": "240K+",
    "case_documents": ["One", "Two", "Three"],
    "case_documents_text": ["One", "Two", "Three"],
    "case_documents_title": ["Complaint", "Order", "Order"],
    "case_documents_doc_type": ["Complaint", "Order/Opinion", None],
    "case_documents_date": ["2023-02-28", "2023-04-15", None],
    "case_documents_id": [157685, 157686, 157687],
    "case_documents_token_num": [1, 2, 3],
}


def case(**changes: Any) -> dict[str, Any]:
    return {key: value for key, value in {**CASE, **changes}.items() if value is not ...}


def read(path: Path) -> tuple[list[FullCase], FileReport]:
    report = FileReport("full.json")
    return list(read_full_cases(path, report, lambda done, total: None)), report


def written(path: Path, content: object) -> Path:
    raw = content if isinstance(content, bytes) else json.dumps(content).encode()
    path.write_bytes(raw)
    return path


def test_a_case_as_the_release_has_it(tmp_path: Path) -> None:
    (found,), report = read(written(tmp_path / "f.json", [CASE]))
    head = found.head
    assert (head.case_id, head.title, head.filing_date) == ("46210", "", date(2023, 2, 28))
    assert (head.case_type, head.length_bin) == ("Environmental Justice", "240K+")
    assert head.metadata == {"case_url": "an address", "total_token_num": "620071"}
    assert head.reference is not None
    assert head.reference.text == "The government sued.\n"
    assert head.reference.removed == (20,)
    told = [(d.position, d.name, d.text.text, d.document_type, d.date) for d in found.documents]
    assert told == [
        (1, "Complaint", "One", "Complaint", date(2023, 2, 28)),
        (2, "Order (001)", "Two", "Order/Opinion", date(2023, 4, 15)),
        (3, "Order (002)", "Three", "", None),
    ]  # fmt: skip
    assert found.documents[0].metadata == {"doc_id": "157685", "token_num": "1"}
    assert found.documents[1].metadata == {"doc_id": "157686", "token_num": "2", "title": "Order"}
    assert report.repairs == {"line_ends": 1}
    assert report.found == {"cases": 1, "documents": 3}
    assert report.problems == []


OBJECTS = [
    {"title": "Complaint", "text": "One", "document_type": "Complaint", "date": "2023-02-28"},
    {"name": "Order", "content": "Two", "judge": "Barbier", "id": 5},
]
NO_LISTS = {key: ... for key in CASE if key.startswith("case_documents")}


def test_documents_may_be_objects(tmp_path: Path) -> None:
    (found,), _ = read(written(tmp_path / "f.json", [case(**NO_LISTS, documents=OBJECTS)]))
    first, second = found.documents
    assert (first.name, first.text.text, first.document_type) == ("Complaint", "One", "Complaint")
    assert (second.name, second.text.text) == ("Order", "Two")
    assert second.metadata == {"judge": "Barbier", "doc_id": "5"}


def test_texts_may_stand_under_either_name_or_that_of_the_older_set(tmp_path: Path) -> None:
    for key in ("case_documents_text", "case_documents", "sources"):
        given_ = {"id": "x", key: ["One", "Two"]}
        (found,), report = read(written(tmp_path / "f.json", [given_]))
        assert [d.name for d in found.documents] == ["Document 1", "Document 2"]
        assert report.repairs == {"document_title_missing": 2}


def test_names_beside_texts_are_no_texts(tmp_path: Path) -> None:
    given_ = case(case_documents=["a.pdf", "b.pdf", "c.pdf"])
    (found,), report = read(written(tmp_path / "f.json", [given_]))
    assert [d.text.text for d in found.documents] == ["One", "Two", "Three"]
    assert report.repairs["second_list_of_documents_ignored"] == 1


@pytest.mark.parametrize(
    ("changes", "place", "says"),
    [
        ({"case_id": ...}, "object 1 (from byte 1)", 'has no "case_id"'),
        ({"case_id": " 7"}, "object 1 (from byte 1), case_id", "no blanks at its ends"),
        ({"case_id": "a\x00"}, "object 1 (from byte 1), case_id", "control characters"),
        (NO_LISTS, "case 46210", "has no documents"),
        ({"case_documents_text": "One"}, "case 46210, case_documents_text", "must be a list"),
        ({"case_documents_title": ["a"]}, "case 46210, case_documents_title", "1 entries for 3"),
        ({"case_documents_text": ["a", 5, "b"]}, "case 46210, case_documents_text[1]", "a text"),
        ({"case_documents_text": ["", None, " \n"]}, "case 46210", "no document with a text"),
        ({"summary/long": ["x"]}, "case 46210, summary/long", "must be a text"),
    ],
)
def test_a_case_that_cannot_be_accepted_is_named_and_others_are_read(
    tmp_path: Path, changes: dict[str, Any], place: str, says: str
) -> None:
    found, report = read(written(tmp_path / "f.json", [case(**changes), case(case_id="other")]))
    assert [one.head.case_id for one in found] == ["other"]
    (problem,) = report.problems
    assert problem.place == place
    assert says in problem.message


def test_a_case_that_comes_twice_is_named(tmp_path: Path) -> None:
    found, report = read(written(tmp_path / "f.json", [CASE, CASE]))
    assert len(found) == 1
    assert [str(p) for p in report.problems] == [
        "case 46210: is there twice in this file. Take one of the two out."
    ]


def test_oddities_are_counted_and_kept(tmp_path: Path) -> None:
    given_ = case(
        filing_date="2023-02-28T00:00:00",
        case_type=None,
        total_length_bin=240,
        total_token_num=None,
        **{"summary/long": " "},
        case_documents=...,
        case_documents_text=["\ufeffOne\x00", "", "x"],
        case_documents_title=["T" * 501, None, "  a\n title "],
        case_documents_date=["April 2023", None, "2023-13-01"],
        blob="x" * 20_001,
    )
    (found,), report = read(written(tmp_path / "f.json", [given_]))
    assert found.head.filing_date == date(2023, 2, 28)
    assert (found.head.case_type, found.head.length_bin, found.head.reference) == ("", "240", None)
    first, last = found.documents
    assert (first.position, last.position) == (1, 3)
    assert first.text.text == "One\ufffd"
    assert first.name == "T" * 497 + "..."
    assert first.metadata["title"] == "T" * 501
    assert first.metadata["document_date"] == "April 2023"
    assert last.name == "a title"
    assert report.repairs == {
        "byte_order_mark": 1,
        "replaced_characters": 1,
        "document_title_cut": 1,
        "document_title_missing": 1,
        "document_date_unreadable": 2,
        "empty_documents_left_out": 1,
        "empty_summaries_left_out": 1,
        "long_fields_left_out": 1,
    }


def test_a_document_that_is_too_long_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(full, "LONGEST_DOCUMENT", 4)
    found, report = read(written(tmp_path / "f.json", [CASE]))
    assert found == []
    assert "has 5 characters, more than 4" in str(report.problems[0])


@pytest.mark.parametrize(
    ("titles", "names"),
    [
        ([], []),
        (["A", "B"], ["A", "B"]),
        (["A", "B", "A"], ["A (001)", "B", "A (002)"]),
        (["A", "A (001)", "A"], ["A (002)", "A (001)", "A (003)"]),
        (["A (001)", "A (001)", "A"], ["A (001) (001)", "A (001) (002)", "A"]),
        (["T" * 500] * 2, ["T" * 494 + " (001)", "T" * 494 + " (002)"]),
    ],
)
def test_equal_titles_are_numbered(titles: list[str], names: list[str]) -> None:
    assert numbered(titles) == names


@given(st.lists(st.sampled_from(["A", "A (001)", "A (002)", "B", "A (001) (001)"]), max_size=9))
def test_names_are_always_told_apart(titles: list[str]) -> None:
    assert len(set(numbered(titles))) == len(titles)


LINES = b"".join(json.dumps(case(case_id=str(n))).encode() + b"\n" for n in range(3))


@pytest.mark.parametrize(
    "raw",
    [
        json.dumps([case(case_id=str(n)) for n in range(3)]).encode(),
        json.dumps([case(case_id=str(n)) for n in range(3)], indent=1).encode(),
        LINES,
        LINES.replace(b"\n", b"\r\n\r\n"),
        LINES.rstrip(),
    ],
)
@pytest.mark.parametrize("block", [1, 7, 100, 1_000_000])
def test_lists_and_lines_are_the_same_cases(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, raw: bytes, block: int
) -> None:
    monkeypatch.setattr(splitter, "BLOCK", block)
    steps: list[tuple[int, int]] = []
    path = written(tmp_path / "f.json", raw)
    report = FileReport("f.json")
    found = list(read_full_cases(path, report, lambda done, total: steps.append((done, total))))
    assert [one.head.case_id for one in found] == ["0", "1", "2"]
    assert steps[-1] == (len(raw), len(raw))
    assert steps == sorted(steps)
    assert len(steps) == -(-len(raw) // block)


@pytest.mark.parametrize("raw", [b"[]", b" [ ] "])
def test_an_empty_list_holds_no_case(tmp_path: Path, raw: bytes) -> None:
    assert read(written(tmp_path / "f.json", raw))[0] == []


def test_a_byte_order_mark_is_counted(tmp_path: Path) -> None:
    _, report = read(written(tmp_path / "f.json", b"\xef\xbb\xbf" + LINES))
    assert report.repairs["byte_order_mark"] == 1


WHOLE = json.dumps([CASE, case(case_id="2")]).encode()
HALF = len(json.dumps(CASE)) + 3  # "[" and ", "


@pytest.mark.parametrize(
    ("raw", "status", "place", "says"),
    [
        (b"", FileStatus.EMPTY, "", "is empty"),
        (b" \n ", FileStatus.EMPTY, "", "is empty"),
        (WHOLE[:-1], FileStatus.TRUNCATED, "after object 2", "cut off after"),
        (WHOLE[:-2], FileStatus.TRUNCATED, f"object 2 (from byte {HALF:,})", "cut off after"),
        (WHOLE[: HALF - 2], FileStatus.TRUNCATED, "after object 1", "cut off after"),
        (WHOLE[:60], FileStatus.TRUNCATED, "object 1 (from byte 1)", "cut off after 60 bytes"),
        (LINES[:-9], FileStatus.TRUNCATED, None, "cut off"),
        (b"7", FileStatus.UNREADABLE, "byte 0", "a JSON list of objects"),
        (b'"text"', FileStatus.UNREADABLE, "byte 0", "a JSON list of objects"),
        (b"[1, 2]", FileStatus.UNREADABLE, "byte 1", "a JSON list of objects"),
        (b"[{}, null]", FileStatus.UNREADABLE, "after object 1, byte 5", "a JSON list"),
        (b"[{},]", FileStatus.UNREADABLE, "after object 1, byte 4", "a JSON list"),
        (b"[{} {}]", FileStatus.UNREADABLE, "after object 1, byte 4", "a JSON list"),
        (b"[{}] {}", FileStatus.UNREADABLE, "after object 1, byte 5", "a JSON list"),
        (b"{}, {}", FileStatus.UNREADABLE, "after object 1, byte 2", "a JSON list"),
        (b"[{}]]", FileStatus.UNREADABLE, "after object 1, byte 4", "a JSON list"),
        (b'[{"a": 1]]', FileStatus.UNREADABLE, None, "not JSON"),
        (b'[{"a": NaN}]', FileStatus.UNREADABLE, "object 1 (from byte 1), line 1, column 7", "NaN"),
        (b'[{"a": 1, "a": 2}]', FileStatus.UNREADABLE, None, "twice"),
        (b'[{"a": "\xff"}]', FileStatus.UNREADABLE, "object 1 (from byte 1), byte 7", "not UTF-8"),
        (b'[{"a" 1}]', FileStatus.UNREADABLE, "object 1 (from byte 1), line 1, column 6", "JSON"),
        (b"[{" + b'"a":[' * 200 + b"]" * 200 + b"}]", FileStatus.UNREADABLE, None, "JSON"),
        ("[{}]".encode("utf-16"), FileStatus.UNREADABLE, "", "UTF-16"),
        ("[{}]".encode("utf-16-le"), FileStatus.UNREADABLE, "", "UTF-16"),
    ],
)  # fmt: skip
def test_a_damaged_file_is_refused_with_its_place(
    tmp_path: Path, raw: bytes, status: FileStatus, place: str | None, says: str
) -> None:
    with pytest.raises(UnreadableFile) as refused:
        read(written(tmp_path / "f.json", raw))
    assert refused.value.status is status
    assert says in refused.value.reason
    if place is not None:
        assert refused.value.place == place


def test_an_object_larger_than_the_limit_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "f.json", WHOLE)
    report = FileReport("f.json")
    objects = splitter.json_objects(path, report, lambda done, total: None, max_bytes=50)
    with pytest.raises(UnreadableFile, match="larger than the limit of 50 bytes"):
        list(objects)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text('"\\{}[],: a', max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)
objects = st.lists(st.dictionaries(st.text('"\\{}[]a\u00fc', max_size=4), values), max_size=4)


@settings(max_examples=150)
@given(told=objects, block=st.integers(1, 40), lines=st.booleans(), plain=st.booleans())
def test_the_objects_are_those_of_the_whole_file(
    tmp_path_factory: pytest.TempPathFactory,
    told: list[dict[str, Any]],
    block: int,
    lines: bool,
    plain: bool,
) -> None:
    dumped = [json.dumps(one, ensure_ascii=plain) for one in told]
    text = "\n".join(dumped) if lines and told else "[" + ", ".join(dumped) + "]"
    path = tmp_path_factory.getbasetemp() / "objects.json"
    path.write_bytes(text.encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(splitter, "BLOCK", block)
        found = list(splitter.json_objects(path, FileReport("f"), lambda done, total: None))
    assert [value for _, value in found] == told
    assert all(text.encode()[p.start :].startswith(p.raw) for p, _ in found)


@settings(max_examples=200)
@given(data=st.data())
def test_a_damaged_file_gives_cases_or_a_sentence(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    raw = bytearray(WHOLE if data.draw(st.booleans()) else LINES)
    for _ in range(data.draw(st.integers(0, 5))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(
            st.sampled_from(b'"\\{}[],:0a\x00\xff\n')
        )
    path = tmp_path_factory.getbasetemp() / "damaged.json"
    path.write_bytes(bytes(raw[: data.draw(st.integers(0, len(raw)))]))
    try:
        _, report = read(path)
    except UnreadableFile as error:
        assert error.reason.endswith(".")  # noqa: PT017 - either end is right
    else:
        assert all(problem.message for problem in report.problems)


@settings(max_examples=150)
@given(key=st.sampled_from(sorted(CASE)), value=values)
def test_any_value_in_any_field_gives_a_case_or_a_problem(
    tmp_path_factory: pytest.TempPathFactory, key: str, value: object
) -> None:
    path = tmp_path_factory.getbasetemp() / "value.json"
    found, report = read(written(path, [case(**{key: value})]))
    assert len(found) + len(report.problems) == 1


@pytest.mark.parametrize(
    ("beginning", "is_one"),
    [
        (json.dumps([CASE]).encode(), True),
        (b"\xef\xbb\xbf\n" + LINES, True),
        (b'[{"id": "1", "sources": ["a"]}]', True),
        (b'{"keys": [], "value_pairs": []}', False),
        (b"case_documents", False),
        (b"", False),
    ],
)
def test_files_of_cases_are_recognised(beginning: bytes, is_one: bool) -> None:
    assert looks_like_full_cases(beginning) is is_one


DOCS = Path(__file__).resolve().parents[4] / "docs" / "formats.md"


def example(heading: str) -> str:
    """The first example below a heading of docs/formats.md."""
    section = DOCS.read_text(encoding="utf-8").split(f"### {heading}\n", 1)[1]
    return section.split("```json\n", 1)[1].split("\n```", 1)[0]


def test_the_example_of_many_cases_is_read_without_a_word(tmp_path: Path) -> None:
    (found,), report = read(written(tmp_path / "f.json", example("Many cases").encode()))
    assert [d.name for d in found.documents] == ["Complaint", "Order (001)", "Order (002)"]
    assert (report.repairs, report.problems) == ({}, [])


def test_the_example_of_metadata_is_read_without_a_word() -> None:
    report = FileReport("metadata.json")
    notes = case_notes(json.loads(example("A folder or ZIP")), "", report)
    assert (notes.head.case_id, notes.head.length_bin) == ("46210", "240K+")
    assert [note.order for note in notes.documents.values()] == [1, 2]
    assert notes.documents["complaint.pdf"].title == "First Amended Complaint"
    assert (report.repairs, report.problems) == ({}, [])
