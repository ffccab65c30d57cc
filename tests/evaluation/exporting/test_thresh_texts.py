"""Any text, any places: what is written says what was read."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.importing.thresh import new_task
from annotation.kinds.extraction import Content
from annotation.models import Summary
from annotation.records.report import FileReport
from annotation.records.thresh_file import ThreshSummary, parse_thresh
from annotation.text.normalise import normalise_excerpt
from evaluation.exporting.thresh import TaskParagraph, paragraph_list

# All planes, and the characters that move offsets: line ends, byte order marks, joiners.
CHARACTERS = st.one_of(
    st.characters(exclude_categories=["Cs"]),
    st.sampled_from("\r\n\ufeff\u200d\u00a0 \U0001f468\U0001f3fb\u0301\u05e9a."),
)


@st.composite
def files(draw: st.DrawFn) -> list[dict[str, Any]]:
    text = "x" + draw(st.text(CHARACTERS, min_size=2, max_size=60))
    cut = draw(st.integers(1, len(text) - 1))
    place = st.integers(0, len(text) - 1)
    data = []
    for number, (start, end) in enumerate([(0, cut), (cut, len(text))]):
        spans = draw(st.lists(st.tuples(place, st.integers(1, 9)), max_size=4))
        edit = {
            "category": "trials",
            "output_idx": [[s, min(s + n, len(text))] for s, n in spans],
            "annotation": {
                "explanation": draw(st.sampled_from([" a ", "b\nc", "[Yes]."])),
                "checklist_item": "Trials",
                "spans_paragraphs": None,
            },
            "id": draw(st.integers(0, 9)),
        }
        data.append(
            {
                "id": f"1_p{number}",
                "metadata": {
                    "case_id": "1", "paragraph_num": number, "total_paragraphs": 2, "model": "m",
                    "paragraph_text_preview": "",
                },
                "source": "", "target": text, "target_paragraph": text[start:end],
                "target_paragraph_indices": [start, end], "edits": [edit],
            }
        )  # fmt: skip
    return data


def read(data: object) -> tuple[ThreshSummary | None, FileReport]:
    report = FileReport("1.json")
    return parse_thresh(data, lambda name: name.lower(), report), report


def written(record: ThreshSummary) -> list[dict[str, Any]]:
    tasks = [new_task(record, paragraph, Summary()) for paragraph in record.paragraphs]
    stored: list[Any] = [task.metadata["thresh"] for task in tasks]
    paragraphs = [
        TaskParagraph(task.key, task.case_id, Content.model_validate(task.content), kept)
        for task, kept in zip(tasks, stored, strict=True)
    ]
    return paragraph_list(paragraphs, record.target.text, {}, {})


@settings(max_examples=300)
@given(files())
def test_what_is_written_says_what_was_read(data: list[dict[str, Any]]) -> None:
    record, report = read(data)
    if record is None or report.problems:
        # A place that is only the CR of a CRLF is none in the stored text.
        assert all("half of a line end" in str(problem) for problem in report.problems)
        return
    raw, text = data[0]["target"], record.target.text
    for source, paragraph in zip(data, record.paragraphs, strict=True):
        for (start, end), span in zip(
            source["edits"][0]["output_idx"], paragraph.edits[0].spans, strict=True
        ):
            assert text[span.start : span.end] == span.quote
            piece = raw[start:end]
            if not (piece.endswith("\r") or (start and raw[start - 1] == "\r")):
                assert span.quote == normalise_excerpt(piece)
    out = written(record)
    if text == raw:
        assert [{k: v for k, v in each.items() if k != "_thresh_id"} for each in out] == data
    again, problems = read(out)
    assert again is not None
    assert problems.problems == []
    assert written(again) == out
