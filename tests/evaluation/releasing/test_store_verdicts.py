"""Verdicts of a release in the database: links, lengths, a second run, refusals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotation.models import Case, Checklist, ChecklistItem, ChecklistValue, Study
from annotation.records.report import FileReport, FileStatus
from evaluation.models import ChecklistComparison, ItemVerdict
from evaluation.releasing.services import import_release
from tests.factories import make_case, make_summary

TRIALS, APPEAL, JUDGE = "Trials", "Appeal", "First and Last name of Judge"


def cell(side_1: str, side_2: str, pairs: list[tuple[int, int]], only_1: Any, only_2: Any) -> Any:
    return {
        "common": [{f"{side_1}_index": one, f"{side_2}_index": two} for one, two in pairs],
        f"only_in_{side_1}": only_1,
        f"only_in_{side_2}": only_2,
    }


def shown(pairs: list[tuple[int, int]], only_a: Any = (), only_b: Any = ()) -> Any:
    return cell("A", "B", pairs, list(only_a), list(only_b))


def own(pairs: list[tuple[int, int]], only_model: Any = (), only_reference: Any = ()) -> Any:
    return cell("model", "reference", pairs, list(only_model), list(only_reference))


def write(folder: Path, place: str, named: str, items: object, case_id: str = "77") -> None:
    path = folder / "data" / place
    path.parent.mkdir(parents=True, exist_ok=True)
    meta = {"inference_model": "maker/judge", "file_name": named}
    path.write_text(json.dumps({"meta_data": meta, "results": {case_id: items}}))


def summaries(folder: Path, model: str, items: object, *, file: str = "50.json") -> None:
    write(folder, f"evaluation/{model}_summarization/{file}", f"ex/{model}_summarization/50", items)


def run(folder: Path, study: Study, **options: Any) -> list[FileReport]:
    return import_release(folder, study, only=["evaluations", "documents"], **options).files


def checklist(case: Case, values: dict[str, int], **fields: Any) -> Checklist:
    made = Checklist.objects.create(case=case, template=case.study.template, **fields)
    for key, n in values.items():
        item = ChecklistItem.objects.create(
            checklist=made, item_key=key, state="values" if n else "absent"
        )
        for position in range(n):
            ChecklistValue.objects.create(item=item, position=position, text=f"{key} {position}")
    return made


def model_checklist(study: Study, model: str, values: dict[str, int]) -> Checklist:
    case = make_case(study, "77")
    summary = make_summary(case, "It was filed.", producer=model)
    return checklist(case, values, summary=summary, producer_kind="judge", producer="ex")


def test_each_cell_is_a_verdict_with_its_names(study: Study, tmp_path: Path) -> None:
    summaries(tmp_path, "m", {TRIALS: "model contains reference", APPEAL: own([(2, 1)], [1])})
    (report,) = run(tmp_path, study)
    assert (report.status, report.created, report.problems) == (FileStatus.READ, 2, [])
    comparison = ChecklistComparison.objects.get()
    assert (comparison.comparer, comparison.model_name, comparison.extractor) == (
        "judge",
        "m",
        "ex",
    )
    assert (comparison.method, comparison.case.external_id) == ("", "77")
    assert comparison.model_checklist is comparison.reference_checklist is None
    assert comparison.source_file == "data/evaluation/m_summarization/50.json"
    single, listed = ItemVerdict.objects.order_by("-form")
    assert (single.item_key, single.form, single.orientation) == ("trials", "single", "known")
    assert single.payload == {"form": "single", "relation": "model_contains_reference"}
    assert (single.n_model, single.n_reference) == (None, 1)
    assert listed.payload == {
        "form": "list", "pairs": [[1, 0]], "only_model": [0], "only_reference": [],
    }  # fmt: skip
    assert listed.raw == own([(2, 1)], [1])
    assert report.found == {
        "verdicts": 2, "verdicts_single": 1, "verdicts_list": 1, "orientation_known": 2,
        "verdicts_list_length_unknown": 1, "new_cases_without_texts": 1,
    }  # fmt: skip


def test_a_second_run_creates_nothing(study: Study, tmp_path: Path) -> None:
    summaries(tmp_path, "m", {TRIALS: None, APPEAL: shown([(1, 2)], [2]), JUDGE: "A contains B"})
    first = run(tmp_path, study)
    again = run(tmp_path, study)
    assert (first[0].created, again[0].created, again[0].unchanged) == (3, 0, 3)
    assert first[0].found - again[0].found == {"new_cases_without_texts": 1}
    assert first[0].repairs == again[0].repairs == {"unreadable_verdict": 1, "unmentioned": 1}


def test_another_verdict_for_a_stored_cell_is_a_problem(study: Study, tmp_path: Path) -> None:
    summaries(tmp_path / "a", "m", {TRIALS: "A equals B"})
    summaries(tmp_path / "b", "m", {TRIALS: "A contains B", APPEAL: "A equals B"})
    run(tmp_path / "a", study)
    (report,) = run(tmp_path / "b", study)
    assert report.status is FileStatus.SKIPPED
    assert 'case 77, "Trials"' in str(report.problems[0])
    assert "data/evaluation/m_summarization/50.json" in str(report.problems[0])
    assert ItemVerdict.objects.get().raw == "A equals B"
    (report,) = run(tmp_path / "b", study, accept_partial=True)
    assert (report.created, ItemVerdict.objects.count()) == (1, 2)


def test_the_order_is_recovered_from_the_model_s_checklist(study: Study, tmp_path: Path) -> None:
    made = model_checklist(study, "m", {"trials": 3, "appeals": 1, "judge_name": 2})
    summaries(
        tmp_path,
        "m",
        {
            TRIALS: shown([(1, 3)], [2], [1, 2]),  # B has three values, as the model's list
            APPEAL: shown([(1, 2)], [], [1]),  # A has one
            JUDGE: shown([(1, 2)], [2], [1]),  # both have two
        },
    )
    (report,) = run(tmp_path, study)
    rows = {verdict.item_key: verdict for verdict in ItemVerdict.objects.all()}
    assert rows["trials"].comparison.model_checklist == made
    assert (rows["trials"].orientation, rows["trials"].first_side) == ("recovered", "reference")
    assert rows["trials"].payload == {
        "form": "list", "pairs": [[2, 0]], "only_model": [0, 1], "only_reference": [1],
    }  # fmt: skip
    assert (rows["appeals"].orientation, rows["appeals"].first_side) == ("recovered", "model")
    assert (rows["judge_name"].orientation, rows["judge_name"].payload) == ("unknown", None)
    assert rows["judge_name"].shown == {
        "form": "list", "pairs": [[0, 1]], "only_a": [1], "only_b": [0],
    }  # fmt: skip
    assert "Both orders" in rows["judge_name"].reason
    assert report.found["orientation_recovered"] == 2
    assert report.found["orientation_unknown"] == 1


def test_another_file_lends_the_length_of_a_lost_list(study: Study, tmp_path: Path) -> None:
    """It is read after the file that needs it, or was stored by an earlier import."""
    summaries(tmp_path / "a", "m-a", {TRIALS: shown([(1, 2)], [], [1, 3])})
    summaries(tmp_path / "b", "m-b", {TRIALS: own([(1, 1)], [2], [2, 3])})
    first, _ = run_both(tmp_path, study)
    assert first.found["orientation_recovered"] == 1
    verdict = ItemVerdict.objects.get(comparison__model_name="m-a")
    assert (verdict.first_side, verdict.n_model, verdict.n_reference) == ("model", None, 3)
    # Alone the file knows no less: what is stored says it.
    (again,) = run(tmp_path / "a", study)
    assert (again.created, again.found["orientation_recovered"]) == (0, 1)
    assert "verdicts_read_anew" not in again.found


def run_both(folder: Path, study: Study) -> list[FileReport]:
    """The files of both folders as those of one release."""
    for file in sorted(folder.glob("[ab]/data/evaluation/*/*.json")):
        target = folder / "all" / "data" / "evaluation" / file.parent.name / file.name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(file.read_bytes())
    return run(folder / "all", study)


def test_what_is_learnt_later_is_used_at_the_next_import(study: Study, tmp_path: Path) -> None:
    summaries(tmp_path, "m", {TRIALS: shown([(1, 3)], [2], [1, 2]), APPEAL: "A contains B"})
    run(tmp_path, study)
    assert set(ItemVerdict.objects.values_list("orientation", flat=True)) == {"unknown"}
    made = model_checklist(study, "m", {"trials": 2, "appeals": 1})
    (report,) = run(tmp_path, study)
    assert (report.created, report.unchanged, report.found["verdicts_read_anew"]) == (0, 2, 2)
    verdict = ItemVerdict.objects.get(item_key="trials")
    assert (verdict.orientation, verdict.first_side) == ("recovered", "model")
    assert (verdict.reason, verdict.comparison.model_checklist) == ("", made)
    appeal = ItemVerdict.objects.get(item_key="appeals")
    assert (appeal.payload, appeal.n_model) == (None, 1)
    assert ItemVerdict.objects.filter(payload__isnull=True).get() == appeal


@pytest.mark.parametrize(
    ("place", "named", "method"),
    [
        ("end_to_end/r_thinking_False.json", "end_to_end/r", "end_to_end"),
        ("agent/r_grouped_thinking_False.json", "agent/r_grouped", "agent grouped"),
    ],
)
def test_document_checklists_are_compared_with_people_s(
    study: Study, tmp_path: Path, place: str, named: str, method: str
) -> None:
    case = make_case(study, "77")
    gold = checklist(
        case,
        {"trials": 2, "appeals": 0},
        summary=make_summary(case, "It was filed."),
        producer_kind="gold",
        producer="human",
    )
    mine = checklist(case, {"trials": 1}, producer_kind="judge", producer="r", method=method)
    checklist(case, {"trials": 9}, producer_kind="judge", producer="r", method="another")
    tail = f"```json\n{json.dumps(shown([], [1], [1]))}\n```"
    write(
        tmp_path,
        f"evaluation_documents_checklist/{place}",
        named,
        {TRIALS: own([(1, 2), (1, 5)]), APPEAL: own([(1, 1)]), JUDGE: tail},
    )
    (report,) = run(tmp_path, study)
    comparison = ChecklistComparison.objects.get()
    assert (comparison.model_checklist, comparison.reference_checklist) == (mine, gold)
    assert (comparison.model_name, comparison.extractor, comparison.method) == ("r", "r", method)
    verdict = ItemVerdict.objects.get(item_key="trials")
    assert (verdict.n_model, verdict.n_reference) == (1, 2)
    assert verdict.repairs == {"pair_out_of_range": 1, "unmentioned": 1}
    appeal = ItemVerdict.objects.get(item_key="appeals")
    assert (appeal.n_model, appeal.n_reference) == (None, 0)
    assert appeal.repairs == {
        "list_verdict_on_empty_side": 1, "pair_out_of_range": 1, "unmentioned": 1,
    }  # fmt: skip
    reply = ItemVerdict.objects.get(item_key="judge_name")
    assert (reply.orientation, reply.repairs["raw_reply"]) == ("not_needed", 1)
    assert report.repairs["raw_reply"] == 1


def test_of_two_checklists_none_is_taken_for_the_one_compared(study: Study, tmp_path: Path) -> None:
    made = model_checklist(study, "m", {"trials": 2})
    checklist(
        made.case, {"trials": 3}, summary=made.summary, producer_kind="judge", producer="ex",
        method="again",
    )  # fmt: skip
    summaries(tmp_path, "m", {TRIALS: shown([(1, 2)], [], [1])})
    (report,) = run(tmp_path, study)
    assert report.found["checklists_ambiguous"] == 1
    assert ItemVerdict.objects.get().comparison.model_checklist is None
