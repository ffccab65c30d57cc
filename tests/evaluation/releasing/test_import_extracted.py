"""Summary checklists, document checklists and agent runs into the database."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agent.models import ExtractionRun, RunStep
from annotation.importing.cancelling import Cancelled
from annotation.models import (
    Case,
    Checklist,
    ChecklistItem,
    ChecklistValue,
    Evidence,
    ImportReport,
    SourceDocument,
    Study,
    Summary,
)
from annotation.records.report import FileReport, FileStatus
from evaluation.releasing.services import import_release
from tests.evaluation.releasing.folders import (
    RUN,
    SHORT,
    TEXT,
    cell,
    files,
    part,
    table,
    value,
    write,
)

SUMMARIES = "summaries/cases.json"
MODEL_SUMMARIES = "summaries/model-one/cases.json"
OF_REFERENCE = "summary_checklists/cases.json"
OF_MODEL = "summary_checklists/model-one_summarization/cases.json"
END_TO_END = "document_checklists/end_to_end/batch_1.json"


def imported(study: Study, folder: Path, contents: dict[str, Any], **options: Any) -> FileReport:
    """The report of the last of ``contents`` after an import of all."""
    report = import_release(write(folder, contents), study, **options)
    last = f"data/{list(contents)[-1]}"
    return next(file for file in report.files if file.path == last)


def part_of(*names: str, **changes: Any) -> dict[str, Any]:
    return {name: changes.get(name, files()[name]) for name in names}


def test_a_release_with_a_file_of_every_kind(study: Study, tmp_path: Path) -> None:
    report = import_release(write(tmp_path, files()), study)
    assert [str(problem) for file in report.files for problem in file.problems] == []
    assert {file.status for file in report.files} == {FileStatus.READ}
    found = Checklist.objects.values_list(
        "producer_kind", "producer", "method", "summary__producer"
    )
    assert sorted(map(str, found)) == sorted(
        map(
            str,
            [
                ("gold", "human", "", "reference"),
                ("judge", "judge-1", "", "reference"),
                ("judge", "judge-1", "", "model-one"),
                ("agent", "judge-1", "end_to_end", None),
                ("agent", "judge-1", "chunk_by_chunk", None),
                ("agent", "model-one", "agent grouped", None),
            ],
        )
    )
    before = counted()
    again = import_release(tmp_path, study)
    assert again.totals["created"] == 0
    assert again.totals["unchanged"] == report.totals["created"]
    assert again.totals["problems"] == 0
    assert counted() == before


def counted() -> dict[str, int]:
    models = (Case, Summary, Checklist, ChecklistItem, ChecklistValue, Evidence,
              ExtractionRun, RunStep)  # fmt: skip
    return {model.__name__: model.objects.count() for model in models}


def test_evidence_is_looked_for_in_the_summary(study: Study, tmp_path: Path) -> None:
    quotes = [
        "Judge Moreno ruled",  # as it stands
        'sued the "City".',  # other quotation marks
        "Ada sued ... Judge Moreno",  # with something left out
        "Judge Morena ruled twice",  # mistyped
        "The moon is made of green cheese",
    ]
    items = {"Filing Date": cell(*(value(f"v{n}", quote) for n, quote in enumerate(quotes)))}
    report = imported(study, tmp_path, part_of(SUMMARIES) | {OF_REFERENCE: table(items)})
    rows = list(Evidence.objects.order_by("value__position", "position"))
    assert [(row.value.text, row.found, row.quote) for row in rows] == [
        ("v0", "exact", "Judge Moreno ruled"),
        ("v1", "normalised", "sued the “City”."),
        ("v2", "normalised", "Ada sued"),
        ("v2", "normalised", "Judge Moreno"),
        ("v3", "fuzzy", "Judge Moreno ruled twice"),
        ("v4", "not_found", quotes[4]),
    ]
    for row in rows[:-1]:
        assert row.start is not None
        assert TEXT[row.start : row.end] == row.quote
    assert (rows[-1].start, rows[-1].end) == (None, None)
    assert {row.summary_id for row in rows} == {Summary.objects.get().pk}
    assert {name: n for name, n in report.found.items() if name.startswith("evidence")} == {
        "evidence": 5,
        "evidence_exact": 1,
        "evidence_normalised": 2,
        "evidence_fuzzy": 1,
        "evidence_not_found": 1,
    }
    kept = {v.text: v.metadata for v in ChecklistValue.objects.all()}
    assert kept["v0"] == kept["v4"] == {}
    assert kept["v2"] == {"evidence": [quotes[2]]}
    assert kept["v3"] == {"evidence": [quotes[3]]}


def test_a_quote_that_stands_there_twice_is_said_to(study: Study, tmp_path: Path) -> None:
    items = {"Trials": cell(value("v", "e"), value("w", "e"))}
    report = imported(study, tmp_path, part_of(SUMMARIES) | {OF_REFERENCE: table(items)})
    assert report.found["evidence_several_times"] == 2


def test_offsets_in_the_file_count_when_the_text_agrees(study: Study, tmp_path: Path) -> None:
    second = SHORT.rindex("r")
    documented = [
        {"value": "v", "evidences": ["r"], "evidences_indices": [[second, second + 1]]},
        {"value": "w", "evidences": ["Ada"], "evidences_indices": [[5, 8]]},
        {"value": "x", "evidences": ["Ada"], "evidences_indices": [[5000, 5003]]},
    ]
    contents = part_of(SUMMARIES, MODEL_SUMMARIES) | {OF_MODEL: table({"Trials": documented})}
    report = imported(study, tmp_path, contents)
    starts = Evidence.objects.order_by("value__position").values_list("start", flat=True)
    assert list(starts) == [second, 0, 0]
    assert report.repairs == {"items_as_bare_lists": 1, "evidence_offsets_wrong": 2}


def test_items_keep_their_state_and_reasoning(study: Study, tmp_path: Path) -> None:
    imported(study, tmp_path, part_of(SUMMARIES, OF_REFERENCE))
    items = {item.item_key: item for item in ChecklistItem.objects.all()}
    assert {key: item.state for key, item in items.items()} == {
        "filing_date": "values",
        "judge_name": "values",
        "trials": "absent",
    }
    assert items["trials"].metadata["reasoning"] == "It says so."


@pytest.mark.parametrize(
    ("name", "whose"), [(OF_REFERENCE, "reference summary"), (OF_MODEL, "summary by model-one")]
)
def test_without_its_summary_nothing_is_stored_and_the_report_says_what_to_do(
    study: Study, tmp_path: Path, name: str, whose: str
) -> None:
    report = imported(study, tmp_path, part_of(name))
    assert report.status is FileStatus.SKIPPED
    assert str(report.problems[0]).startswith(f"case 77: its {whose} is not in the study")
    assert "--only summaries,checklists" in str(report.problems[0])
    assert Checklist.objects.count() == 0


def test_what_is_sound_of_a_file_is_stored_when_it_is_asked_for(
    study: Study, tmp_path: Path
) -> None:
    data = table({"Trials": cell(value("v", "Ada")), "Weather": cell()})
    contents = part_of(SUMMARIES) | {OF_REFERENCE: data}
    assert imported(study, tmp_path, contents).created == 0
    assert ChecklistItem.objects.count() == 0
    report = imported(study, tmp_path, contents, accept_partial=True)
    assert (report.created, len(report.problems)) == (1, 1)
    assert ChecklistItem.objects.get().item_key == "trials"


def test_other_values_for_a_stored_item_are_a_problem(study: Study, tmp_path: Path) -> None:
    imported(study, tmp_path, part_of(SUMMARIES, OF_REFERENCE))
    other = table({"Filing Date": cell(value("May 2, 2020", "May 1, 2020")), "Appeal": cell()})
    report = imported(study, tmp_path, {OF_REFERENCE: other})
    assert report.status is FileStatus.SKIPPED
    assert str(report.problems[0]).startswith("case 77, Filing Date: is stored for judge-1")
    assert not ChecklistItem.objects.filter(item_key="appeals").exists()


def test_a_second_file_adds_items_to_the_checklist_of_the_same_model(
    study: Study, tmp_path: Path
) -> None:
    more = table(
        {"Trials": cell(), "Filing Date": files()[END_TO_END]["results"]["77"]["Filing Date"]}
    )
    contents = part_of(END_TO_END) | {"document_checklists/end_to_end/batch_2.json": more}
    report = imported(study, tmp_path, contents)
    assert (report.created, report.unchanged) == (1, 1)
    assert Checklist.objects.get().items.count() == 2


def test_evidence_of_documents_that_are_not_here_is_not_sought(
    study: Study, tmp_path: Path
) -> None:
    report = imported(study, tmp_path, part_of(END_TO_END))
    row = Evidence.objects.get()
    assert (row.found, row.start, row.document, row.summary) == ("not_sought", None, None, None)
    assert (row.quote, row.source_name, row.location) == ("filed May 1", "Docket", "page 1")
    assert report.found["evidence_not_sought"] == 1
    assert report.found["new_cases_without_texts"] == 1


def test_evidence_of_documents_that_are_here_is_aligned(study: Study, tmp_path: Path) -> None:
    case = Case.objects.create(study=study, external_id="77")
    text = "It was filed May 1.\n\nThe “City” answered."
    document = SourceDocument.objects.create(
        case=case, name="Docket [PACER]", position=0, text=text, original_sha256="x"
    )
    quotes = [
        part("filed May 1", "Docket [PACER]"),
        part('the "City"', "docket pacer"),
        part("no such words at all", "Docket [PACER]"),
        part("filed May 1", "Complaint"),
        part("", "Docket [PACER]"),
    ]
    data = table({"Filing Date": cell(value("v", *quotes))})
    report = imported(study, tmp_path, {END_TO_END: data})
    rows = list(Evidence.objects.order_by("position"))
    assert [(row.found, row.document_id) for row in rows] == [
        ("exact", document.pk),
        ("normalised", document.pk),
        ("not_found", document.pk),
        ("not_sought", None),
        ("not_sought", None),
    ]
    for row in rows[:2]:
        assert text[row.start : row.end] == row.quote
    assert [row.source_name for row in rows] == [quote["source_document"] for quote in quotes]
    assert report.repairs == {"evidence_without_text": 1}
    assert ChecklistValue.objects.get().metadata == {"evidence": quotes}


def test_of_two_documents_of_nearly_one_name_the_exact_one_counts_then_the_one_that_says_it(
    study: Study, tmp_path: Path
) -> None:
    case = Case.objects.create(study=study, external_id="77")
    for position, name in enumerate(("Order (1)", "Order 1")):
        SourceDocument.objects.create(
            case=case, name=name, position=position, text=f"Text {name}", original_sha256=name
        )
    quotes = [
        part("Text", "Order 1"),
        part("Text", "order 1"),
        part("Text Order 1", "order 1"),
        part("Nobody says this anywhere", "order 1"),
    ]
    imported(study, tmp_path, {END_TO_END: table({"Trials": cell(value("v", *quotes))})})
    found = Evidence.objects.order_by("position").values_list("document__name", "found")
    assert list(found) == [
        ("Order 1", "exact"),
        ("Order (1)", "exact"),
        ("Order 1", "exact"),
        (None, "not_found"),
    ]


def test_a_run_with_its_four_files(study: Study, tmp_path: Path) -> None:
    imported(study, tmp_path, {name: data for name, data in files().items() if RUN in name})
    run = ExtractionRun.objects.get()
    assert (run.case.external_id, run.model, run.method, run.unit) == (
        "77", "model-one", "grouped", "01_basics",
    )  # fmt: skip
    assert (run.source, run.source_file) == ("imported", f"data/{RUN}")
    assert (run.steps, run.prompt_tokens, run.completion_tokens) == (2, 130, 7)
    assert run.checklist is not None
    assert run.checklist.method == "agent grouped"
    assert run.stop_reason == "stop"
    assert run.started_at is not None
    assert run.finished_at is not None
    assert (run.finished_at - run.started_at).total_seconds() == 90
    steps = RunStep.objects.order_by("kind", "position")
    assert [(s.kind, s.position, s.step, s.name, s.text) for s in steps] == [
        ("answer", 0, 1, "list_documents", "Answer 1."),
        ("answer", 1, 2, "list_documents", "Answer 2."),
        ("event", 0, 1, "list_documents", ""),
        ("event", 1, 2, "stop", ""),
    ]
    item = ChecklistItem.objects.get(item_key="trials")
    assert item.state == "not_applicable"
    assert item.metadata["not_applicable"][0]["evidence"] == [part("no trial")]


@pytest.mark.parametrize(
    "order", [("raw_responses.jsonl", "stats.json", "checklist.json", "ledger.jsonl"),
              ("ledger.jsonl", "checklist.json", "raw_responses.jsonl", "stats.json")]
)  # fmt: skip
def test_the_files_of_a_run_may_come_in_any_order(
    study: Study, tmp_path: Path, order: tuple[str, ...]
) -> None:
    for number, name in enumerate(order):
        imported(study, tmp_path / str(number), part_of(f"{RUN}/{name}"))
    run = ExtractionRun.objects.get()
    assert run.checklist is not None
    assert (run.steps, run.run_steps.count()) == (2, 4)


@pytest.mark.parametrize("name", ["stats.json", "ledger.jsonl", "raw_responses.jsonl"])
def test_a_run_never_changes(study: Study, tmp_path: Path, name: str) -> None:
    path = f"{RUN}/{name}"
    imported(study, tmp_path, part_of(path))
    data = files()[path]
    other = {**data, "steps": 3} if isinstance(data, dict) else data[:1]
    report = imported(study, tmp_path, {path: other})
    assert report.status is FileStatus.SKIPPED
    assert "This run is stored with other content" in str(report.problems[0])
    assert RunStep.objects.count() in (0, 2)


def test_several_parts_of_one_setting_fill_one_checklist(study: Study, tmp_path: Path) -> None:
    other = RUN.replace("01_basics", "02_more")
    more = {"Appeal": {"key": "Appeal", "extracted": []}}
    imported(study, tmp_path, part_of(f"{RUN}/checklist.json") | {f"{other}/checklist.json": more})
    assert sorted(Checklist.objects.get().items.values_list("item_key", flat=True)) == [
        "appeals", "filing_date", "trials",
    ]  # fmt: skip
    assert ExtractionRun.objects.count() == 2


def test_a_cut_ledger_leaves_nothing_behind(study: Study, tmp_path: Path) -> None:
    line = json.dumps(files()[f"{RUN}/ledger.jsonl"][0]).encode() + b"\n"
    report = imported(study, tmp_path, {f"{RUN}/ledger.jsonl": line * 700 + line[:-9]})
    assert report.status is FileStatus.TRUNCATED
    assert report.problems[0].place.startswith("line 701")
    assert (report.created, report.found) == (0, {})
    assert (ExtractionRun.objects.count(), RunStep.objects.count()) == (0, 0)
    assert Case.objects.count() == 0


def test_a_rehearsal_tells_what_would_come_and_stores_nothing(study: Study, tmp_path: Path) -> None:
    write(tmp_path, files())
    rehearsal = import_release(tmp_path, study, dry_run=True)
    assert set(counted().values()) == {0}
    assert ImportReport.objects.count() == 0
    assert import_release(tmp_path, study).totals == rehearsal.totals


def test_an_import_can_be_given_up_in_the_middle_of_a_file(study: Study, tmp_path: Path) -> None:
    data = table({})
    data["results"] = {str(n): {"Trials": cell()} for n in range(30)}
    contents = part_of(SUMMARIES) | {END_TO_END: data}
    calls = []

    def progress(done: int, total: int) -> None:
        calls.append(done)
        if calls.count(1) > 5:
            raise Cancelled("Given up.")

    with pytest.raises(Cancelled):
        import_release(write(tmp_path, contents), study, progress=progress)
    assert Summary.objects.count() == 1
    assert (Checklist.objects.count(), Case.objects.count()) == (0, 1)


def test_queries_grow_with_batches_of_cases_and_not_with_what_they_hold(
    study: Study, tmp_path: Path
) -> None:
    def queries(number: str, items: dict[str, Any]) -> int:
        data = table({})
        data["results"] = {f"{number}-{n}": items for n in range(10)}
        folder = write(tmp_path / number, {END_TO_END: data})
        with CaptureQueriesContext(
            connection,
        ) as captured:
            import_release(folder, study)
        return len(captured)

    few = queries("a", {"Trials": cell(value("v", part("e")))})
    names = ("Trials", "Appeal", "Filing Date")
    many = queries("b", {name: cell(*[value("v", part("e"))] * 3) for name in names})
    assert many - few <= 6  # rows are inserted a few hundred at a time
    assert few <= 25


@pytest.mark.release
@pytest.mark.slow
def test_the_whole_shared_part_twice(study: Study, release_dir: Path) -> None:
    first = import_release(release_dir, study)
    damaged = {file.path: file.status for file in first.files if file.problems}
    assert Counter(damaged.values()) == {FileStatus.EMPTY: 7, FileStatus.TRUNCATED: 1}
    assert all(file.created == 0 for file in first.files if file.problems)
    assert len(first.files) == 3083

    totals = first.totals
    found: Any = totals["found"]
    kinds = [found[f"evidence_{kind}"] for kind in ("exact", "normalised", "fuzzy", "not_found")]
    assert sum(kinds) == 15_244  # all of the summary checklists
    assert kinds[0] == 13_884
    assert kinds[3] / sum(kinds) < 0.01
    aligned = Evidence.objects.exclude(found__in=["not_found", "not_sought"])
    for row in aligned.select_related("summary").iterator():
        assert row.summary is not None
        assert row.summary.text[row.start : row.end] == row.quote
    judged = Checklist.objects.filter(producer_kind="judge")
    assert (judged.count(), ChecklistValue.objects.filter(item__checklist__in=judged).count()) == (
        300,
        12_016,
    )

    repairs: Any = totals["repairs"]
    assert (repairs["values_list"], repairs["values_object"]) == (1, 1)
    assert repairs["not_applicable_values"] == 834
    assert ChecklistItem.objects.filter(state="not_applicable").count() == 834
    methods = Checklist.objects.filter(producer_kind="agent").values_list("method", flat=True)
    assert Counter(methods) == {
        "end_to_end": 20,
        "chunk_by_chunk": 20,
        "agent all": 40,
        "agent grouped": 40,
        "agent individual": 40,
    }
    assert ExtractionRun.objects.count() == 1440
    steps = Counter(RunStep.objects.values_list("kind", flat=True))
    assert steps == {"event": 1034, "answer": 888}

    second = import_release(release_dir, study).totals
    assert second["created"] == 0
    assert second["unchanged"] == totals["created"] + totals["unchanged"]  # type: ignore[operator]
    assert second["problems"] == totals["problems"]
