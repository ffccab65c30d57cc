"""Files of checklists that models extracted, from summaries and from documents."""

import json
from typing import Any

import pytest

from annotation.records.report import FileReport, UnreadableFile
from evaluation.releasing.readers.discover import FileKind
from evaluation.releasing.readers.document_checklists import DocumentChecklists
from evaluation.releasing.readers.summary_checklists import SummaryChecklists

KEYS = {"Trials": "trials", "Whether the Settlement is Court-enforced or Not": "enforced"}
META = {"inference_model": "org/judge-1", "enable_thinking": True}
CELL = {"reasoning": "r", "extracted": [{"evidence": ["e"], "value": "v"}]}


def table(*cases: str, meta: Any = META, **others: Any) -> dict[str, Any]:
    results = {case: {"Trials": CELL} for case in cases}
    return {"meta_data": meta, "token_stats": {"n": 1}, "results": results, **others}


def read(reader, path, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data), encoding="utf-8")
    report = FileReport("data/a.json")
    return list(reader.read(path, report)), report


def summaries(tmp_path, data, folder="model-1_summarization"):
    path = tmp_path / "summary_checklists" / folder / "a.json"
    return read(SummaryChecklists(KEYS.get), path, data)


def test_whose_summary_and_who_extracted(tmp_path):
    records, report = summaries(tmp_path, table("7", "8"))
    assert [(r.case_id, r.about, r.producer, r.method) for r in records] == [
        ("7", "model-1", "judge-1", ""),
        ("8", "model-1", "judge-1", ""),
    ]
    assert records[0].metadata == {"file": "a.json", "token_stats": {"n": 1}, **META}
    assert report.found == {"checklists": 2, "items": 2, "values": 2, "evidence": 2}
    assert (report.repairs, report.problems) == ({}, [])


def test_a_file_above_the_folders_is_about_the_reference(tmp_path):
    (record,), _ = summaries(tmp_path, table("7"), folder=".")
    assert record.about == "reference"


@pytest.mark.parametrize(
    ("folder", "name", "about"),
    [
        ("model-1_summarization", "model-1_summarization/50_cases", "model-1"),
        ("model-1_summarization", "x/model-1_summarization/50_cases", "model-1"),
        ("model-1_summarization", "50_cases", "model-1"),
        ("model-1", "model-1_summarization/50_cases", "model-1"),
        (".", "50_cases", "reference"),
    ],
)
def test_the_name_in_the_file_agrees(tmp_path, folder, name, about):
    (record,), _ = summaries(tmp_path, table("7", meta={**META, "file_name": name}), folder)
    assert record.about == about


@pytest.mark.parametrize("folder", [".", "model-2_summarization"])
def test_a_file_in_the_folder_of_another_is_refused(tmp_path, folder):
    data = table("7", meta={**META, "file_name": "model-1_summarization/50_cases"})
    with pytest.raises(UnreadableFile, match='names summaries by "model-1", and its folder'):
        summaries(tmp_path, data, folder)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ([], "it must be an object"),
        ({"meta_data": META}, 'has no "results"'),
        (table(meta=None), "meta_data must be an object"),
        (table(meta={}), 'has no "inference_model"'),
        (table(meta={"inference_model": 7}), "meta_data.inference_model must be a text"),
        (table(meta={"inference_model": "x" * 201}), "200 characters or fewer"),
        ({**table(), "results": []}, "results must be an object"),
    ],
)
def test_what_is_no_such_file(tmp_path, data, says):
    with pytest.raises(UnreadableFile, match=says):
        summaries(tmp_path, data)


def test_an_empty_table_and_bad_cases_are_problems(tmp_path):
    assert str(summaries(tmp_path, table())[1].problems[0]).startswith("results: The file holds")
    data = table("7")
    data["results"] |= {"8": [], " 9": {}}
    records, report = summaries(tmp_path, data)
    assert [record.case_id for record in records] == ["7"]
    assert [problem.place for problem in report.problems] == ["case 8", "case  9"]


def documents(tmp_path, data, kind=FileKind.DOCUMENTS_CHUNK_BY_CHUNK, folder="chunk_by_chunk/m"):
    path = tmp_path / "document_checklists" / folder / "a.json"
    return read(DocumentChecklists(lambda n: KEYS.get(n.replace("_", " ")), kind), path, data)


def test_documents_by_both_methods_and_with_both_spellings_of_items(tmp_path):
    data = table()
    evidence = [
        {"text": "t", "source_document": "Docket", "location": "page 2 (tokens 1-2)"},
        {"text": "t", "source_document": "Docket"},
        {"text": "t", "location": None, "source_document": ""},
        {"source_document": "Docket", "location": "p"},
        "alone",
    ]
    data["results"] = {
        "7": {
            "Whether_the_Settlement_is_Court-enforced_or_Not": {
                "reasoning": "",
                "extracted": [{"value": {"a": "b"}, "evidence": evidence}],
            },
            "Trials": CELL,
        }
    }
    (record,), report = documents(tmp_path, data)
    assert [item.item_key for item in record.items] == ["enforced", "trials"]
    assert (record.about, record.producer, record.method) == (None, "judge-1", "chunk_by_chunk")
    first = record.items[0].values[0].quotes[0]
    assert (first.text, first.source_name, first.location) == (
        "t",
        "Docket",
        "page 2 (tokens 1-2)",
    )
    assert report.repairs == {
        "values_object": 1,
        "evidence_without_location": 4,
        "evidence_without_document": 3,
        "evidence_without_text": 1,
    }
    (other,), _ = documents(tmp_path, data, FileKind.DOCUMENTS_END_TO_END, "end_to_end")
    assert other.method == "end_to_end"


def test_the_folder_names_the_model_where_the_file_does_not(tmp_path):
    (record,), _ = documents(tmp_path, table("7", meta={}))
    assert record.producer == "m"
    with pytest.raises(UnreadableFile, match="inference_model"):
        documents(tmp_path, table("7", meta={}), folder="chunk_by_chunk")


@pytest.mark.parametrize("data", [[], {}, {"results": 1}, table(meta=[1])])
def test_what_is_no_file_of_document_checklists(tmp_path, data):
    with pytest.raises(UnreadableFile, match="no file of checklists extracted from documents"):
        documents(tmp_path, data)
