"""The four files of a run of the agent."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from annotation.kinds.extraction import ItemState
from annotation.records.report import FileReport, FileStatus, UnreadableFile
from evaluation.releasing.readers.agent_runs import (
    AgentChecklists,
    AgentLines,
    AgentStats,
    RunName,
)
from evaluation.releasing.readers.discover import FileKind

RUN = RunName("46310", "model-1", "grouped", "03_judge_info")
KEYS = {
    "Trials": "trials",
    "Monitor_Reports": "monitor_reports",
    "Monitor Reports": "monitor_reports",
}
PART = {"text": "no trial", "source_document": "Docket", "location": "tokens 0-9"}
NOT_APPLICABLE = {"value": "Not Applicable", "evidence": [PART]}


def folder(tmp_path: Path, setting: str = "grouped") -> Path:
    path = tmp_path / "model-1" / "46310" / setting / "03_judge_info"
    path.mkdir(parents=True, exist_ok=True)
    return path


def read(reader, path: Path, raw: Any):
    path.write_text(raw if isinstance(raw, str) else json.dumps(raw), encoding="utf-8")
    report = FileReport("data/a")
    return list(reader.read(path, report)), report


def cell(*values: Any, key: Any = "Trials", **others: Any) -> dict[str, Any]:
    return {"key": key, "extracted": list(values), "last_updated": "2025-11-20", **others}


def checklist(tmp_path: Path, data: Any, setting: str = "grouped"):
    return read(AgentChecklists(KEYS.get), folder(tmp_path, setting) / "checklist.json", data)


def test_the_place_of_the_file_names_the_run(tmp_path):
    (record,), report = checklist(tmp_path, {"Trials": cell({"value": "v", "evidence": [PART]})})
    assert record.run == RUN
    made = record.checklist
    assert (made.case_id, made.about, made.producer, made.method) == (
        "46310", None, "model-1", "agent grouped",
    )  # fmt: skip
    assert made.items[0].metadata == {"key": "Trials", "last_updated": "2025-11-20"}
    assert report.found == {"run_checklists": 1, "items": 1, "values": 1, "evidence": 1}
    assert report.repairs == {}


def test_not_applicable_is_a_state_and_keeps_its_evidence(tmp_path):
    (record,), report = checklist(tmp_path, {"Trials": cell(NOT_APPLICABLE)})
    (item,) = record.checklist.items
    assert (item.state, item.values) == (ItemState.NOT_APPLICABLE, ())
    assert item.metadata["not_applicable"] == [{**NOT_APPLICABLE, "position": 0}]
    assert report.repairs == {"not_applicable_values": 1}
    assert report.found["values"] == 0


def test_not_applicable_beside_other_values(tmp_path):
    values = [{"value": "a", "evidence": [PART]}, {**NOT_APPLICABLE, "value": "not applicable."}]
    (record,), report = checklist(tmp_path, {"Trials": cell(*values, values[0])})
    (item,) = record.checklist.items
    assert (item.state, [v.text for v in item.values]) == (ItemState.VALUES, ["a", "a"])
    assert [moved["position"] for moved in item.metadata["not_applicable"]] == [1]
    assert report.repairs == {
        "not_applicable_values": 1,
        "not_applicable_beside_values": 1,
        "items_same_value_twice": 1,
    }


def test_words_that_hold_more_are_values(tmp_path):
    value = {"value": "Not applicable to minors", "evidence": [PART]}
    (record,), report = checklist(tmp_path, {"Trials": cell(value)})
    assert record.checklist.items[0].state is ItemState.VALUES
    assert report.repairs == {}


def test_an_item_that_nothing_was_written_to_is_absent(tmp_path):
    (record,), _ = checklist(tmp_path, {"Trials": cell()})
    assert record.checklist.items[0].state is ItemState.ABSENT


def test_the_key_in_the_cell(tmp_path):
    same = {"Monitor_Reports": cell(key="Monitor Reports")}
    (record,), report = checklist(tmp_path, same)
    assert report.repairs == {"item_keys_differ": 1}
    assert record.checklist.items[0].item_key == "monitor_reports"
    for key in ("Trials", 7):
        records, report = checklist(tmp_path, {"Monitor_Reports": cell(key=key)})
        assert records == []
        assert "another item" in str(report.problems[0])


@pytest.mark.parametrize("setting", ["all", "grouped", "individual"])
def test_settings(tmp_path, setting):
    (record,), _ = checklist(tmp_path, {"Trials": cell()}, setting)
    assert record.checklist.method == f"agent {setting}"


def test_another_setting_and_another_type_are_refused(tmp_path):
    with pytest.raises(UnreadableFile, match="none of all, grouped, individual"):
        checklist(tmp_path, {"Trials": cell()}, "alone")
    with pytest.raises(UnreadableFile, match="no file of a run"):
        checklist(tmp_path, [])
    assert checklist(tmp_path, {})[1].problems[0].message == "The file holds no items."


STATS = {
    "model": "org/model-1",
    "steps": 2,
    "total_system_prompt_tokens": 100,
    "total_user_prompt_tokens": 30,
    "total_completion_tokens": 7,
    "per_step_details": [{"step": 1}],
}


def stats(tmp_path: Path, data: Any):
    return read(AgentStats(), folder(tmp_path) / "stats.json", data)


def test_stats(tmp_path):
    (record,), report = stats(tmp_path, STATS)
    assert (record.run, record.steps, record.prompt_tokens, record.completion_tokens) == (
        RUN, 2, 130, 7,
    )  # fmt: skip
    assert record.content == STATS
    assert report.repairs == {}


def test_stats_with_less_or_of_another(tmp_path):
    (record,), report = stats(tmp_path, {"steps": 2, "model": "other"})
    assert (record.steps, record.prompt_tokens, record.completion_tokens) == (2, None, None)
    assert report.repairs == {"stats_missing": 3, "model_names_differ": 1}


@pytest.mark.parametrize("bad", [[], {**STATS, "steps": "2"}, {**STATS, "steps": -1},
                                 {**STATS, "total_user_prompt_tokens": 10**30}])  # fmt: skip
def test_stats_that_are_none(tmp_path, bad):
    with pytest.raises(UnreadableFile, match="no file of a run"):
        stats(tmp_path, bad)


EVENT = {
    "event_name": "read_document",
    "event": {"timestamp": "2025-11-20T22:06:47.019547-05:00", "tokens_read": 5},
    "run_id": "r",
    "step": 1,
}
ANSWER = {
    "step": 2,
    "run_id": "r",
    "timestamp": "2025-11-20T22:06:50Z",
    "raw_response": "Let us <stop>.\0",
    "parsed_action": {"tool": None, "decision": "stop"},
    "stats": {"prompt_tokens": 3},
}


def lines(tmp_path: Path, *rows: Any, kind=FileKind.AGENT_LEDGER, raw: str | None = None):
    text = raw if raw is not None else "".join(json.dumps(row) + "\n" for row in rows)
    return read(AgentLines(kind), folder(tmp_path) / "lines.jsonl", text)


def test_ledger(tmp_path):
    (line,), report = lines(tmp_path, EVENT)
    assert (line.run, line.kind.value, line.step, line.name, line.text) == (
        RUN, "event", 1, "read_document", "",
    )  # fmt: skip
    assert line.at == datetime(2025, 11, 21, 3, 6, 47, 19547, tzinfo=UTC)
    assert line.content == EVENT
    assert (report.found, report.repairs) == ({"run_events": 1}, {})


def test_answers(tmp_path):
    tool = {**ANSWER, "parsed_action": {"tool": "list_documents"}}
    read_lines, report = lines(tmp_path, ANSWER, tool, kind=FileKind.AGENT_ANSWERS)
    assert [(line.kind.value, line.name) for line in read_lines] == [
        ("answer", "stop"), ("answer", "list_documents"),
    ]  # fmt: skip
    assert read_lines[0].text == "Let us <stop>.\ufffd"
    assert "raw_response" not in read_lines[0].content
    assert read_lines[0].content["stats"] == {"prompt_tokens": 3}
    assert report.found == {"run_answers": 2}


@pytest.mark.parametrize(
    ("change", "repairs"),
    [
        ({"event": {}}, {"timestamps_missing": 1}),
        ({"event": {"timestamp": "2025-11-20T22:06:47"}}, {"timestamps_without_zone": 1}),
        ({"event": {"timestamp": "yesterday"}}, {"timestamps_unreadable": 1}),
        ({"event": {"timestamp": 5}}, {"timestamps_unreadable": 1}),
        ({"event": {"timestamp": "0001-01-01T00:00:00+14:00"}}, {"timestamps_unreadable": 1}),
        ({"step": None}, {"steps_missing": 1}),
        ({"event_name": None}, {"events_without_name": 1}),
        ({"event_name": "n" * 121}, {"step_names_shortened": 1}),
    ],
)
def test_quirks_of_lines_are_counted_and_kept(tmp_path, change, repairs):
    (line,), report = lines(tmp_path, {**EVENT, **change})
    assert report.repairs == repairs
    assert line.content == {**EVENT, **change}
    assert (line.at is None) == any(name.startswith("timestamps") for name in repairs)


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        (7, "line 2: must be an object"),
        ({"step": 1}, 'line 2: has no "event"'),
        ({**EVENT, "event": "x"}, "line 2, event: must be an object"),
        ({**EVENT, "step": "one"}, "line 2, step: must be a whole number"),
        ({**EVENT, "event_name": 7}, "line 2: the name of a tool must be a text"),
    ],
)
def test_a_bad_line_is_named(tmp_path, bad, says):
    read_lines, report = lines(tmp_path, EVENT, bad, EVENT)
    assert len(read_lines) == 2
    assert str(report.problems[0]).startswith(says)


def test_an_answer_without_text_is_named(tmp_path):
    for bad in ({**ANSWER, "raw_response": None}, {"step": 1}):
        read_lines, report = lines(tmp_path, bad, kind=FileKind.AGENT_ANSWERS)
        assert read_lines == []
        assert "raw_response" in str(report.problems[0])


@pytest.mark.parametrize("kind", [FileKind.AGENT_LEDGER, FileKind.AGENT_ANSWERS])
def test_empty_and_cut_files(tmp_path, kind):
    row = EVENT if kind is FileKind.AGENT_LEDGER else ANSWER
    with pytest.raises(UnreadableFile) as empty:
        lines(tmp_path, kind=kind, raw="")
    assert empty.value.status is FileStatus.EMPTY
    text = json.dumps(row) + "\n" + json.dumps(row)
    with pytest.raises(UnreadableFile) as cut:
        lines(tmp_path, kind=kind, raw=text[:-5])
    assert (cut.value.status, cut.value.place[:6]) == (FileStatus.TRUNCATED, "line 2")
