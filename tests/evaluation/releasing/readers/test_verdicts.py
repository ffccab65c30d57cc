"""Files of comparisons: whose they are, what is refused, what other files say of lost lists."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotation.records.report import FileReport, FileStatus, UnreadableFile
from evaluation.releasing.readers.discover import FileKind
from evaluation.releasing.readers.verdicts import Compared, VerdictRecord, Verdicts

ITEMS = {"Trials": "trials", "Appeal": "appeals", "appeals": "appeals"}
SUMMARIES, DOCUMENTS = FileKind.EVALUATION, FileKind.EVALUATION_DOCUMENTS


def write(
    folder: Path, place: str, results: object, named: str | None = None, **meta: object
) -> Path:
    path = folder / place
    path.parent.mkdir(parents=True, exist_ok=True)
    meta = {"inference_model": "maker/judge-27b", "enable_thinking": False, **meta}
    if named is not None:
        meta["file_name"] = named
    data = {"meta_data": meta, "token_stats": {"num_prompts": 3}, "results": results}
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def read(
    path: Path, kind: FileKind = SUMMARIES, others: list[Path] | None = None
) -> tuple[list[VerdictRecord], FileReport]:
    report = FileReport(path.name)
    return list(Verdicts(kind, ITEMS.get, others or []).read(path, report)), report


@pytest.mark.parametrize(
    ("kind", "place", "named", "compared"),
    [
        (SUMMARIES, "m-1_summarization/50_thinking_False.json", "x-20b/m-1_summarization/50",
         Compared("judge-27b", "m-1", "x-20b")),
        (SUMMARIES, "m-1_summarization/50.json", None, Compared("judge-27b", "m-1", "")),
        (DOCUMENTS, "end_to_end/m-1_thinking_False.json", "end_to_end/m-1",
         Compared("judge-27b", "m-1", "m-1", "end_to_end")),
        (DOCUMENTS, "chunk_by_chunk/m-1_thinking_True_thinking_False.json", None,
         Compared("judge-27b", "m-1", "m-1", "chunk_by_chunk")),
        (DOCUMENTS, "agent/m_1_grouped_thinking_False.json", "agent/m_1_grouped",
         Compared("judge-27b", "m_1", "m_1", "agent", "grouped")),
        (DOCUMENTS, "agent/m_1_thinking_False.json", "agent/m_1",
         Compared("judge-27b", "m_1", "m_1", "agent")),
    ],
)  # fmt: skip
def test_whose_comparison_of_what(
    tmp_path: Path, kind: FileKind, place: str, named: str | None, compared: Compared
) -> None:
    path = write(tmp_path, place, {"7": {"Trials": "model equals reference"}}, named)
    (record,), report = read(path, kind)
    assert record.compared == compared
    assert (record.case_id, record.item_key, record.item_name) == ("7", "trials", "Trials")
    assert (record.raw, record.place) == ("model equals reference", 'case 7, "Trials"')
    assert record.metadata["token_stats"] == {"num_prompts": 3}
    assert record.metadata["inference_model"] == "maker/judge-27b"
    assert report.found == {"verdicts": 1}
    assert report.repairs == ({} if compared.extractor else {"extractor_missing": 1})


@pytest.mark.parametrize(
    ("kind", "place", "named"),
    [
        (SUMMARIES, "m-1_summarization/50.json", "x-20b/m-2_summarization/50"),
        (DOCUMENTS, "end_to_end/m-1.json", "chunk_by_chunk/m-1"),
    ],
)
def test_a_file_that_calls_itself_another_is_refused(
    tmp_path: Path, kind: FileKind, place: str, named: str
) -> None:
    path = write(tmp_path, place, {"7": {"Trials": "model equals reference"}}, named)
    with pytest.raises(UnreadableFile, match="Put it where it belongs"):
        read(path, kind)


@pytest.mark.parametrize(
    "data",
    [[], {}, {"results": {}}, {"meta_data": {}, "results": {}}, {"meta_data": 1, "results": {}},
     {"meta_data": {"inference_model": 3}, "results": {}},
     {"meta_data": {"inference_model": "j", "file_name": 3}, "results": {}},
     {"meta_data": {"inference_model": "j"}, "results": []}],
)  # fmt: skip
def test_what_is_no_file_of_comparisons(tmp_path: Path, data: object) -> None:
    path = tmp_path / "m_summarization.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(UnreadableFile, match="no file of comparisons"):
        read(path)


def test_a_file_cut_off_at_a_block_is_named_and_yields_nothing(tmp_path: Path) -> None:
    path = write(tmp_path, "m_summarization/a.json", {"7": {"Trials": "**Reasoning**" * 20_000}})
    path.write_bytes(path.read_bytes()[:131_072])
    with pytest.raises(UnreadableFile, match="1 x 131,072") as caught:
        read(path)
    assert caught.value.status is FileStatus.TRUNCATED


def test_odd_cases_and_items_are_problems_and_the_rest_is_read(tmp_path: Path) -> None:
    results: dict[str, Any] = {
        " 7": {"Trials": "A equals B"},
        "8": ["A equals B"],
        "9": {"Tryals": "A equals B", "Appeal": None, "appeals": "A equals B", "Trials": 3},
    }
    records, report = read(write(tmp_path, "m_summarization/a.json", results))
    assert [(record.item_name, record.raw) for record in records] == [
        ("Appeal", None),
        ("Trials", 3),
    ]
    assert [problem.place for problem in report.problems] == [
        "case  7", "case 8", 'case 9, "Tryals"', 'case 9, "appeals"',
    ]  # fmt: skip


def test_a_file_without_comparisons_is_a_problem(tmp_path: Path) -> None:
    records, report = read(write(tmp_path, "m_summarization/a.json", {}))
    assert (records, len(report.problems)) == ([], 1)


def test_nul_and_lone_surrogates_do_not_reach_the_database(tmp_path: Path) -> None:
    path = write(tmp_path, "m_summarization/a.json", {"7": {"Trials": {"a\0": "\ud800"}}})
    (record,), _ = read(path)
    assert record.raw == {"a\ufffd": "\ufffd"}


def own(only_reference: list[int]) -> dict[str, Any]:
    return {"common": [], "only_in_model": [1], "only_in_reference": only_reference}


def test_other_files_say_how_long_the_reference_list_is(tmp_path: Path) -> None:
    """All of one extractor and one kind; a file that cannot be read says nothing."""
    shown = {"common": [], "only_in_A": [1], "only_in_B": [1, 2, 3]}
    places = {"a": shown, "b": own([1, 2]), "c": own([1, 3]), "d": own([1, 2, 3])}
    paths = [
        write(tmp_path, f"{name}_summarization/1.json", {"7": {"Trials": cell}},
              f"{'y' if name == 'd' else 'x'}/{name}_summarization/1")
        for name, cell in places.items()
    ]  # fmt: skip
    broken = tmp_path / "e_summarization.json"
    broken.write_text("{")
    (record,), _ = read(paths[0], others=[*paths, broken])
    assert record.claims == {Compared("judge-27b", "b", "x"): 2}
    (record,), _ = read(paths[1])
    assert record.claims == {Compared("judge-27b", "b", "x"): 2}
