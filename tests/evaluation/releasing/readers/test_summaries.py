import copy
import hashlib
import json
from collections import Counter
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.kinds.comparison import Side
from annotation.records.report import FileReport, UnreadableFile
from evaluation.releasing.readers.discover import discover
from evaluation.releasing.readers.summaries import (
    CaseRecord,
    HumanSummaries,
    ModelSummaries,
    SummaryRecord,
    case_differences,
    reference_conflict,
)


def case(**fields: Any) -> dict[str, Any]:
    return {
        "summary/long": "A suit was filed.",
        "filing_date": "2023-02-28",
        "case_type": "Policing",
        "total_token_num": 30138,
        "total_length_bin": "32K",
        **fields,
    }


def read(reader, folder, data: object, name="20_cases.json"):
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(data), encoding="utf-8")
    report = FileReport(f"data/summaries/{name}")
    return list(reader.read(path, report)), report


def human(folder, data):
    return read(HumanSummaries(), folder, data)


def model(folder, data):
    return read(ModelSummaries(), folder, data, "m1/20_cases_thinking_True.json")


def test_a_case_and_its_reference(tmp_path):
    (record, summary), report = human(tmp_path, {"46310": case(court="D. Mass.")})
    assert record == CaseRecord(
        "46310", date(2023, 2, 28), "Policing", 30138, "32K", {"court": "D. Mass."}
    )
    assert summary == SummaryRecord(
        case_id="46310",
        side=Side.REFERENCE,
        producer="human",
        text="A suit was filed.",
        original_sha256=hashlib.sha256(b"A suit was filed.").hexdigest(),
        metadata={"file": "20_cases.json"},
    )
    assert report.found == {"cases": 1, "references": 1}
    assert (report.repairs, report.problems) == ({}, [])


@pytest.mark.parametrize(
    ("fields", "repair", "attribute", "value"),
    [
        ({"total_length_bin": 193603}, "length_bin_number", "length_bin", "193603"),
        ({"total_length_bin": None}, "length_bin_missing", "length_bin", None),
        ({"total_token_num": None}, "token_count_missing", "token_count", None),
        ({"filing_date": None}, "filing_date_missing", "filing_date", None),
        ({"case_type": None}, "case_type_missing", "case_type", ""),
        ({"case_type": "Policing "}, "case_type_outer_blanks", "case_type", "Policing"),
    ],
)
def test_quirks_of_a_case(tmp_path, fields, repair, attribute, value):
    (record, _), report = human(tmp_path, {"1": case(**fields)})
    assert getattr(record, attribute) == value
    assert report.repairs == {repair: 1}


@pytest.mark.parametrize(
    ("text", "stored", "repairs"),
    [
        ("Ongoing. \n", "Ongoing. \n", {"summary_outer_blanks": 1}),
        ("<hr>A<i>b</i> <a href='x'>c</a>", ..., {"summary_html_tags": 1}),
        ("a < b and c > d; <4>; <Doe>", ..., {}),
        ("\ufeffa\r\nb", "a\nb", {"byte_order_mark": 1, "line_ends": 1}),
        ("28\u00a0U.S.C.\u202f\u2011 **bold**", ..., {}),
    ],
)
def test_quirks_of_a_text(tmp_path, text, stored, repairs):
    (_, summary), report = human(tmp_path, {"1": case(**{"summary/long": text})})
    assert summary.text == (text if stored is ... else stored)
    assert summary.original_sha256 == hashlib.sha256(text.encode()).hexdigest()
    assert report.repairs == repairs


def test_offsets_lead_back_to_the_original(tmp_path):
    (_, summary), _ = human(tmp_path, {"1": case(**{"summary/long": "\ufeffa\r\nb"})})
    assert summary.removed == (0, 2)


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (None, "case 2: must be an object, and is null."),
        (case(**{"summary/long": ""}), "case 2, summary/long: must say something, and is empty."),
        (case(**{"summary/long": ["a"]}), "case 2, summary/long: must be a text, and is a list"),
        ({}, 'case 2: has no "summary/long", which is needed.'),
        (case(filing_date="28.2.2023"), 'case 2, filing_date: must be a date like 2023-02-28, and'),
        (case(filing_date="20230228"), "case 2, filing_date: must be a date like"),
        (case(filing_date="2023-02-30"), "case 2, filing_date: must be a day of the calendar"),
        (case(filing_date=2023), "case 2, filing_date: must be a date like"),
        (case(case_type=5), "case 2, case_type: must be a text, and is the number 5."),
        (case(total_token_num="30138"), 'case 2, total_token_num: must be a whole number, and is'),
        (case(total_token_num=-1), "case 2, total_token_num: must be from 0 to 2,147,483,647"),
        (case(total_token_num=2**31), "case 2, total_token_num: must be from 0 to"),
        (case(total_token_num=True), "case 2, total_token_num: must be a whole number, and is tr"),
        (case(total_length_bin=[]), "case 2, total_length_bin: must be a whole number"),
    ],
)  # fmt: skip
def test_a_bad_case_is_named_and_the_others_are_read(tmp_path, value, problem):
    records, report = human(tmp_path, {"1": case(), "2": value, "3": case()})
    assert [record.case_id for record in records] == ["1", "1", "3", "3"]
    (found,) = report.problems
    assert str(found).startswith(problem)
    assert report.repairs == {}


def test_a_refused_case_counts_no_repairs(tmp_path):
    _, report = human(tmp_path, {"1": case(total_length_bin=5, filing_date="x")})
    assert report.repairs == {}


@pytest.mark.parametrize("case_id", ["", " 1", "a\nb", "x" * 300])
def test_an_impossible_case_id(tmp_path, case_id):
    records, report = human(tmp_path, {case_id: case()})
    assert records == []
    assert len(report.problems) == 1
    assert len(report.problems[0].place) < 80


def test_the_summaries_of_a_model(tmp_path):
    records, report = model(
        tmp_path,
        {
            "meta_data": {
                "file_name": "m1/20_cases",
                "inference_model": "lab/m1",
                "enable_thinking": True,
            },
            "token_stats": {"num_prompts": 2},
            "results": {"46310": "First.", "CJ-FL-0009": "Second. "},
        },
    )
    metadata = {
        "file": "20_cases_thinking_True.json",
        "token_stats": {"num_prompts": 2},
        "file_name": "m1/20_cases",
        "inference_model": "lab/m1",
        "enable_thinking": True,
    }
    assert [(r.case_id, r.side, r.producer, r.text, r.metadata) for r in records] == [
        ("46310", Side.MODEL, "m1", "First.", metadata),
        ("CJ-FL-0009", Side.MODEL, "m1", "Second. ", metadata),
    ]
    assert report.repairs == {"summary_outer_blanks": 1}
    assert report.found == {"model_summaries": 2}


def test_a_model_file_needs_results_alone(tmp_path):
    (record,), _ = model(tmp_path, {"results": {"1": "First."}})
    assert record.metadata == {"file": "20_cases_thinking_True.json"}


def test_a_bad_summary_is_named_and_the_others_are_read(tmp_path):
    records, report = model(
        tmp_path, {"results": {"1": "a", "2": {"text": "b"}, "3": "", "4": " \n", "5": "c"}}
    )
    assert [record.case_id for record in records] == ["1", "5"]
    assert [str(problem) for problem in report.problems] == [
        "case 2: must be a text, and is an object with 1 keys.",
        "case 3: must say something, and is empty. Fill it in or take it out.",
        "case 4: must say something, and is blank. Fill it in or take it out.",
    ]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ([], "it must be an object, and is an empty list"),
        ({"1": "a"}, 'it has no "results", which is needed'),
        ({"results": []}, "results must be an object"),
        ({"results": {}, "meta_data": 3}, "meta_data must be an object"),
    ],
)
def test_another_file_is_refused(tmp_path, data, words):
    with pytest.raises(UnreadableFile, match=f"This is no file of summaries: {words}"):
        model(tmp_path, data)


def test_a_human_file_must_be_an_object(tmp_path):
    with pytest.raises(UnreadableFile, match="This is no file of summaries: it must be an object"):
        human(tmp_path, [])


@pytest.mark.parametrize(("read_file", "data"), [(human, {}), (model, {"results": {}})])
def test_no_summaries_is_a_problem(tmp_path, read_file, data):
    records, report = read_file(tmp_path, data)
    assert records == []
    assert [problem.message for problem in report.problems] == ["The file holds no summaries."]


def test_one_case_in_two_files(tmp_path):
    (_, first), _ = human(tmp_path, {"1": case()})
    (_, same), _ = human(tmp_path, {"1": case(total_token_num=5)})
    (_, other), _ = human(tmp_path, {"1": case(**{"summary/long": "Another."})})
    stored = {"stored_sha256": first.original_sha256, "stored_file": "data/a.json"}
    assert reference_conflict("1", here=same, file="data/b.json", **stored) is None
    problem = reference_conflict("1", here=other, file="data/b.json", **stored)
    assert str(problem) == (
        "case 1: The reference summary in data/b.json is not the one in data/a.json. "
        "Keep one of the two files, or correct the text."
    )


def test_two_files_may_differ_about_a_case(tmp_path):
    (first, _), _ = human(tmp_path, {"1": case()})
    assert case_differences(first, replace(first, metadata={"x": 1})) == ()
    changed = replace(first, token_count=30151, filing_date=None)
    assert case_differences(first, changed) == ("filing_date", "token_count")


HUMAN_FILE = {"1": case(), "2": case(total_length_bin=5, extra={"a": [1]})}
MODEL_FILE = {"meta_data": {"enable_thinking": True}, "results": {"1": "a", "2": "b"}}
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=4,
)


def places(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    below = data.items() if isinstance(data, dict) else ()
    return [path, *(p for key, child in below for p in places(child, (*path, key)))]


def changed_at(data: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    data = copy.deepcopy(data)
    inner = data
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return data


@given(
    st.sampled_from(
        [(HumanSummaries(), HUMAN_FILE, path) for path in places(HUMAN_FILE)]
        + [(ModelSummaries(), MODEL_FILE, path) for path in places(MODEL_FILE)]
    ),
    anything,
    st.integers(0, 40),
)
def test_anything_anywhere_is_read_or_named(tmp_path_factory, target, value, cut):
    reader, data, path = target
    file = tmp_path_factory.getbasetemp() / "m1" / "fuzz.json"
    file.parent.mkdir(exist_ok=True)
    raw = json.dumps(changed_at(data, path, value)).encode()
    file.write_bytes(raw if cut > 10 else raw[: len(raw) - cut])
    report = FileReport("fuzz.json")
    try:
        records = list(reader.read(file, report))
    except UnreadableFile as error:
        assert error.reason  # noqa: PT017 - any other exception fails the test
    else:
        assert len(records) + len(report.problems) >= 1
        for record in records:
            json.dumps(record.metadata, allow_nan=False).encode()


@pytest.mark.release
def test_the_public_release(release_dir):
    totals: Counter[str] = Counter()
    repairs: Counter[str] = Counter()
    producers = set()
    for file in discover(release_dir, ["summaries"]):
        reader = HumanSummaries() if file.kind is HumanSummaries().kind else ModelSummaries()
        report = FileReport(file.name)
        records = list(reader.read(file.path, report))
        assert report.problems == []
        producers |= {r.producer for r in records if isinstance(r, SummaryRecord)}
        totals.update(report.found)
        repairs.update(report.repairs)
    assert totals == {"cases": 70, "references": 70, "model_summaries": 600}
    assert len(producers) == 13
    assert "gemini-2.5-pro" in producers
    assert repairs == {
        "length_bin_number": 13,
        "token_count_missing": 4,
        "case_type_outer_blanks": 1,
        "summary_html_tags": 4,
        "summary_outer_blanks": 3,
    }


@pytest.mark.release
def test_the_case_in_both_human_files_is_the_same(release_dir):
    seen: dict[str, tuple[CaseRecord, SummaryRecord]] = {}
    differences = {}
    for file in discover(release_dir / "data" / "summaries", ["summaries"])[:2]:
        records = list(HumanSummaries().read(file.path, FileReport(file.name)))
        for record, summary in zip(records[::2], records[1::2], strict=True):
            if record.case_id in seen:
                first, text = seen[record.case_id]
                stored = {"stored_sha256": text.original_sha256, "stored_file": "the first"}
                assert not reference_conflict("", here=summary, file=file.name, **stored)
                differences[record.case_id] = case_differences(first, record)
            seen[record.case_id] = (record, summary)
    assert differences == {"46239": ("token_count",)}
