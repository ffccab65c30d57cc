"""The paragraph tool's files: every place checked, everything odd counted, nothing lost."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.records.report import FileReport, UnreadableFile
from annotation.records.thresh_file import parse_thresh, preview, read_thresh, touched
from tests.annotation.records.thresh_files import (
    BOUNDS,
    TARGET,
    at,
    edit,
    paragraph,
    sound,
    worked_on,
)
from tests.evaluation.exporting.studies import GOLDEN

ITEMS = {
    "filing_date": "filing_date", "Filing Date": "filing_date",
    "court_rulings": "court_rulings", "Court Rulings": "court_rulings",
    "judge_name": "judge_name",
}  # fmt: skip


def parse(data: object):
    report = FileReport("46310.json")
    return parse_thresh(data, ITEMS.get, report), report


def test_a_sound_file():
    record, report = parse(sound())
    assert (record.case_id, record.model, record.target.text) == ("46310", "model-one", TARGET)
    assert not record.was_in_the_tool
    first, second = record.paragraphs
    assert [(p.key, p.number, p.count, p.start, p.end) for p in record.paragraphs] == [
        ("46310_p0", 0, 2, *BOUNDS[0]),
        ("46310_p1", 1, 2, *BOUNDS[1]),
    ]
    ruling = first.edits[1]
    assert (ruling.category, ruling.item_key, ruling.item_name, ruling.number, ruling.text) == (
        "court_rulings", "court_rulings", "Court Rulings", 1, "A ruling",
    )  # fmt: skip
    assert [span.quote for span in ruling.spans] == ["Woodcock ruled", "ruled on R&D"]
    assert (ruling.paragraphs, ruling.is_added) == ((0, 1), False)
    assert second.edits[0].paragraphs is None
    assert report.found == {
        "paragraphs": 2, "values": 3, "spans": 4, "values_in_several_paragraphs": 1,
    }  # fmt: skip
    assert (report.repairs, report.problems) == ({}, [])


def test_offsets_count_in_the_whole_summary_not_in_the_paragraph():
    record, _ = parse(sound())
    (span,) = record.paragraphs[1].edits[0].spans
    assert (span.start, span.end) == tuple(at("R&D")[0])
    assert span.start > BOUNDS[1][0]
    assert all(s.matches(TARGET) for p in record.paragraphs for e in p.edits for s in e.spans)


def test_what_people_added_in_the_tool_is_kept_apart():
    record, report = parse(worked_on())
    assert record.was_in_the_tool
    added = record.paragraphs[0].edits[2]
    assert (added.is_added, added.item_name, added.number, added.text) == (
        True,
        None,
        1,
        "Woodcock",
    )
    assert record.paragraphs[0].tool == {"_thresh_id": 1, "bookmark": True, "comment": "sure?"}
    assert record.paragraphs[1].tool == {"_thresh_id": 2}
    assert report.found["values_added_by_people"] == 1
    assert (report.repairs, report.problems) == ({}, [])


def test_a_summary_with_other_line_ends_has_its_offsets_mapped():
    raw = "\ufeffLine one\r\nLine two: TRO\r\n\r\nLast TRO."
    data = [paragraph(0, {**edit("filing_date", "Filing Date", 0, "x\r\ny"), "output_idx": []})]
    start = raw.index("TRO")
    data[0] |= {
        "target": raw,
        "target_paragraph": raw[: raw.index("\r\n\r\n")],
        "target_paragraph_indices": [0, raw.index("\r\n\r\n")],
    }
    data[0]["metadata"]["total_paragraphs"] = 1
    data[0]["edits"][0]["output_idx"] = [[start, start + 3]]
    record, report = parse(data)
    assert record.target.text == "Line one\nLine two: TRO\n\nLast TRO."
    (value,) = record.paragraphs[0].edits
    assert [(s.start, s.end, s.quote) for s in value.spans] == [(19, 22, "TRO")]
    assert value.text == "x\ny"
    assert (record.paragraphs[0].start, record.paragraphs[0].end) == (0, 22)
    assert report.repairs == {
        "byte_order_mark": 1, "line_ends": 4, "values_line_breaks": 1,
    }  # fmt: skip
    data[0]["edits"][0]["output_idx"] = [[9, 10]]
    _, report = parse(data)
    assert "holds nothing but half of a line end" in str(report.problems[0])


@pytest.mark.parametrize(
    ("change", "repairs"),
    [
        ({"output_idx": []}, {"values_without_evidence": 1}),
        ({"output_idx": [*at("Woodcock"), *at("Filed")]}, {"values_spans_unsorted": 1}),
        ({"output_idx": at("Filed", "Filed")}, {"values_spans_duplicate": 1}),
        ({"output_idx": [*at("Filed on"), *at("on May")]}, {"values_spans_overlapping": 1}),
        ({"output_idx": [[5, 8], [8, 15]]}, {"spans_outer_blanks": 2}),
        ({"output_idx": at("ruled.\n\nThe")}, {"spans_across_paragraphs": 1,
                                             "spans_paragraphs_differ": 1}),
        ({"output_idx": at("R&D")}, {"values_of_other_paragraphs": 1}),
        ({"output_idx": at("Filed", "R&D")}, {"spans_paragraphs_differ": 1}),
        ({"id": 5, "output_idx": at("Filed")}, {"ids_out_of_order": 1}),
    ],
)  # fmt: skip
def test_quirks_are_kept_and_counted(change, repairs):
    value = {**edit("filing_date", "Filing Date", 0, "May 1"), **change}
    record, report = parse([paragraph(0, value), paragraph(1)])
    (kept,) = record.paragraphs[0].edits
    assert [[span.start, span.end] for span in kept.spans] == value["output_idx"]
    assert report.repairs == repairs
    assert report.problems == []
    assert report.found["paragraphs_without_values"] == 1


def test_quirks_of_values_and_of_the_paragraphs_themselves():
    data = [
        paragraph(1, edit("filing_date", "Filing Date", 0, " [Yes]. ", "R&D")),
        paragraph(0, edit("filing_date", "Filing Date", 0, " [Yes]. ", "Filed")),
    ]
    data[0]["metadata"]["total_paragraphs"] = 3
    data[0] |= {"source": "a source", "colour": "red"}
    data[0]["edits"][0] |= {"votes": 2}
    data[0]["edits"][0]["annotation"]["sure"] = True
    record, report = parse(data)
    assert report.repairs == {
        "values_outer_blanks": 2,
        "items_same_value_twice": 1,
        "paragraph_numbers_out_of_order": 2,
        "paragraph_counts_differ": 1,
    }
    assert record.paragraphs[0].fields == {"source": "a source", "colour": "red"}
    assert record.paragraphs[0].edits[0].fields == {
        "edit": {"votes": 2},
        "annotation": {"sure": True},
    }


def test_a_value_may_rest_on_a_hundred_spans():
    spans = [[i, i + 1] for i in range(BOUNDS[0][1])] * 3
    value = {**edit("filing_date", "Filing Date", 0, "the"), "output_idx": spans[:101]}
    record, report = parse([paragraph(0, value), paragraph(1)])
    assert len(record.paragraphs[0].edits[0].spans) == 101
    assert report.found["spans"] == 101


def set_at(data: Any, path: tuple[Any, ...], value: Any) -> None:
    for step in path[:-1]:
        data = data[step]
    if value is ...:
        del data[path[-1]]
    else:
        data[path[-1]] = value


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ((1,), 7, "[1]: must be an object"),
        ((1, "id"), "46310_p0", '[1].id: is "46310_p0", and so is [0].id. Take one out.'),
        ((1, "metadata", "case_id"), "12", '[1].metadata.case_id: is "12", and that of the first'),
        ((1, "metadata", "model"), "m", '[1].metadata.model: is "m", and that of the first'),
        ((1, "target"), "other", "[1].target: is not the summary of the first paragraph"),
        ((1, "target_paragraph"), "x", "[1].target_paragraph_indices: the summary says"),
        ((1, "target_paragraph_indices"), [0, 10**6], "[1].target_paragraph_indices: 0-1000000 is"),
        ((1, "edits"), {}, "[1].edits: must be a list"),
        ((1, "edits", 0, "category"), "colour", '[1].edits[0].category: "colour" is no item'),
        (
            (1, "edits", 0, "annotation", "checklist_item"), "Filing Date",
            '[1].edits[0].category: is "court_rulings", and checklist_item is "Filing Date"',
        ),
        (
            (1, "edits", 0, "annotation", "checklist_item"), "Colour",
            '[1].edits[0].annotation: "Colour" is no item',
        ),
        ((1, "edits", 0, "annotation", "explanation"), " ", "[1].edits[0].annotation.explanation"),
        ((1, "edits", 0, "annotation", "explanation"), 3, "[1].edits[0].annotation.explanation"),
        ((1, "edits", 0, "annotation"), None, "[1].edits[0].annotation: must be an object"),
        ((1, "edits", 0, "output_idx"), [[3]], "[1].edits[0].output_idx[0]: must be a list of 2"),
        ((1, "edits", 0, "output_idx"), [[3, 3]], "[1].edits[0].output_idx[0]: 3-3 is no part"),
        ((1, "edits", 0, "output_idx"), [[5, 3]], "[1].edits[0].output_idx[0]: 5-3 is no part"),
        ((1, "edits", 0, "output_idx"), [[-1, 3]], "[1].edits[0].output_idx[0][0]: must be from 0"),
        ((1, "edits", 0, "output_idx"), [[0, 9999]], "[1].edits[0].output_idx[0]: 0-9999 is no"),
        ((1, "edits", 0, "output_idx"), [[0, True]], "[1].edits[0].output_idx[0][1]: must be a"),
        ((1, "edits", 0, "id"), "0", "[1].edits[0].id: must be a whole number"),
        (
            (1, "edits", 0, "annotation", "spans_paragraphs"), "0",
            "[1].edits[0].annotation.spans_paragraphs: must be a list",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_accepted_is_named_and_the_rest_is_read(path, value, message):
    data = sound()
    set_at(data, path, value)
    record, report = parse(data)
    assert [p.key for p in record.paragraphs] == ["46310_p0"]
    (problem,) = report.problems
    assert str(problem).startswith(message)


@pytest.mark.parametrize("data", [{}, 7, None, "x", [7], [[]], [{"id": "1"}]])
def test_another_file_is_refused_as_a_whole(data):
    with pytest.raises(UnreadableFile, match="This is no file of annotation paragraphs"):
        parse(data)


def test_an_empty_list_is_a_problem():
    record, report = parse([])
    assert record is None
    assert "holds no paragraphs" in str(report.problems[0])


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=4,
)


def places(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    steps = (
        data.items()
        if isinstance(data, dict)
        else enumerate(data)
        if isinstance(data, list)
        else ()
    )
    return [path] * bool(path) + [p for key, child in steps for p in places(child, (*path, key))]


@given(st.sampled_from(places(worked_on())), anything | st.just(...))
def test_anything_anywhere_is_read_or_named(path, value):
    data = copy.deepcopy(worked_on())
    set_at(data, path, value)
    report = FileReport("46310.json")
    try:
        record = parse_thresh(data, ITEMS.get, report)
    except UnreadableFile as error:
        assert error.reason  # noqa: PT017 - any other exception fails the test
        return
    json.dumps(report.to_json(), allow_nan=False).encode()
    assert record is not None or report.problems
    for p in record.paragraphs if record else ():
        assert all(s.matches(record.target.text) for e in p.edits for s in e.spans)


@pytest.mark.parametrize(("text", "quote", "start", "end"), GOLDEN)
def test_golden_offsets(text, quote, start, end):
    data = [
        paragraph(0, {**edit("filing_date", "Filing Date", 0, "x"), "output_idx": [[start, end]]})
    ]
    data[0] |= {
        "target": text,
        "target_paragraph": text,
        "target_paragraph_indices": [0, len(text)],
    }
    record, _ = parse(data)
    (span,) = record.paragraphs[0].edits[0].spans
    assert (span.start, span.end, span.quote) == (start, end, quote)


def test_pieces():
    assert touched([(3, 5), (11, 12)], [(0, 4), (4, 10), (10, 20)]) == [0, 1, 2]
    assert touched([(4, 6)], [(0, 4), (6, 10)]) == []
    assert preview("x" * 100) == "x" * 100
    assert preview("x" * 101) == "x" * 100 + "..."


@pytest.mark.release
def test_the_public_files(release_dir):
    from annotation.checklists.loader import load_builtin

    resolve = load_builtin("legal-26").key_for
    report = FileReport("all")
    for path in sorted((release_dir / "thresh").glob("*.json")):
        record = read_thresh(path, resolve, report)
        assert record.case_id == path.stem
        assert {p.metadata["paragraph_text_preview"] for p in record.paragraphs} == {
            preview(record.target.text[p.start : p.end]) for p in record.paragraphs
        }
    assert report.problems == []
    assert report.found == {
        "paragraphs": 254, "paragraphs_without_values": 15, "values": 1586, "spans": 2458,
        "values_in_several_paragraphs": 215,
    }  # fmt: skip
    assert report.repairs == {"items_same_value_twice": 3}
