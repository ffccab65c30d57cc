"""A release into the database: real figures, a second run that changes nothing, refusals."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.models import (
    Case,
    Checklist,
    ChecklistItem,
    ChecklistValue,
    Evidence,
    Study,
    Summary,
)
from annotation.records.report import FileStatus
from evaluation.releasing.services import import_release

TEXT = "On May 1, 2020, Ada sued.\r\nJudge Moreno ruled 🏛 twice."


def release(tmp_path: Path, *, text: str = TEXT, human: dict[str, Any] | None = None) -> Path:
    data = tmp_path / "data"
    (data / "summaries" / "model-one").mkdir(parents=True)
    (data / "document_checklists").mkdir()
    case = {
        "summary/long": text,
        "filing_date": "2020-05-01",
        "case_type": "Prison",
        "total_token_num": 1000,
        "total_length_bin": 32,
    }
    write(data / "summaries" / "cases.json", {"77": case})
    write(
        data / "summaries" / "model-one" / "cases_x.json",
        {"meta_data": {"inference_model": "m"}, "results": {"77": "Short.", "78": "Other."}},
    )
    start = text.index("Judge Moreno")
    default = {
        "Filing Date": [
            {"value": "May 1, 2020", "evidences": ["May 1, 2020"], "evidences_indices": [[3, 14]]}
        ],
        "First and Last name of Judge": [
            {
                "value": "Moreno",
                "evidences": [text[start:]],
                "evidences_indices": [[start, len(text)]],
            }
        ],
        "Trials": [],
    }
    write(data / "document_checklists" / "human.json", {"results": {"77": human or default}})
    return tmp_path


def write(path: Path, data: object) -> None:
    path.write_text(json.dumps(data), encoding="utf-8")


def test_summaries_and_human_values_with_evidence_that_slices(study: Study, tmp_path: Path) -> None:
    report = import_release(release(tmp_path), study)
    assert [file.status for file in report.files] == [FileStatus.READ] * 3
    reference = Summary.objects.get(kind="reference")
    assert "\r" not in reference.text
    assert reference.metadata["removed"] == [TEXT.index("\r")]
    assert Summary.objects.get(case__external_id="78").producer == "model-one"
    case = Case.objects.get(external_id="77")
    assert (case.length_bin, case.token_count, str(case.filing_date)) == ("32", 1000, "2020-05-01")
    for evidence in Evidence.objects.select_related("summary"):
        assert evidence.summary is not None
        assert evidence.summary.text[evidence.start : evidence.end] == evidence.quote
    assert Evidence.objects.get(quote__startswith="Judge").quote.endswith("🏛 twice.")
    states = dict(ChecklistItem.objects.values_list("item_key", "state"))
    assert states == {"filing_date": "values", "judge_name": "values", "trials": "absent"}
    assert Checklist.objects.get().producer_kind == "gold"


def test_a_second_run_creates_nothing(study: Study, tmp_path: Path) -> None:
    import_release(release(tmp_path), study)
    again = import_release(tmp_path, study)
    assert again.totals["created"] == 0
    assert again.totals["unchanged"] == 1 + 1 + 2 + 2  # case, reference, model's, values


def test_evidence_that_is_not_in_the_text_keeps_the_file_out(study: Study, tmp_path: Path) -> None:
    wrong = {
        "Filing Date": [
            {"value": "May 2", "evidences": ["May 2, 2020"], "evidences_indices": [[3, 14]]}
        ]
    }
    report = import_release(release(tmp_path, human=wrong), study)
    human = report.files[-1]
    assert human.status is FileStatus.SKIPPED
    assert 'case 77, "Filing Date", value 1' in str(human.problems[0])
    assert ChecklistValue.objects.count() == 0
    assert Checklist.objects.count() == 0


def test_human_values_without_their_summary_say_what_to_do(study: Study, tmp_path: Path) -> None:
    report = import_release(release(tmp_path), study, only=["human"])
    assert "--only summaries,human" in str(report.files[0].problems[0])


def test_another_text_for_a_stored_reference_is_a_conflict(study: Study, tmp_path: Path) -> None:
    import_release(release(tmp_path / "a"), study, only=["summaries"])
    other = release(tmp_path / "b", text="Quite another. Judge Moreno.")
    report = import_release(other, study, only=["summaries"])
    assert report.files[0].status is FileStatus.SKIPPED
    assert "is not the one in" in str(report.files[0].problems[0])
    assert Summary.objects.get(kind="reference").text.startswith("On May 1")


def test_a_case_known_by_its_id_alone_is_filled_in_later(study: Study, tmp_path: Path) -> None:
    Case.objects.create(study=study, external_id="77")
    import_release(release(tmp_path), study, only=["summaries"])
    assert Case.objects.get(external_id="77").case_type == "Prison"


def test_files_of_no_known_kind_are_skipped_with_the_reason(study: Study, tmp_path: Path) -> None:
    folder = release(tmp_path)
    write(folder / "data" / "document_checklists" / "other.json", {})
    report = import_release(folder, study)
    skipped = [file for file in report.files if file.status is FileStatus.SKIPPED]
    assert [file.path for file in skipped] == ["data/document_checklists/other.json"]
    assert "none of the files that a release is made of" in str(skipped[0].problems[0])


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("only", "folder", "says"),
    [("summaries,poems", ".", "poems"), ("summaries", "no-such-folder", "nothing here")],
)
def test_the_command_names_what_it_cannot_use(
    tmp_path: Path, only: str, folder: str, says: str
) -> None:
    with pytest.raises(CommandError, match=says) as refused:
        call_command(
            "import_release", str(release(tmp_path) / folder), study="s", only=only.split(",")
        )
    assert refused.value.returncode == 1


@pytest.mark.release
@pytest.mark.django_db
def test_the_shared_part_of_the_release(release_dir: Path) -> None:
    def run() -> dict[str, Any]:
        out = StringIO()
        call_command(
            "import_release", str(release_dir), study="real", only=["summaries", "human"],
            json=True, stdout=out, stderr=StringIO(),
        )  # fmt: skip
        result: dict[str, Any] = json.loads(out.getvalue())
        return result

    first = run()
    assert first["totals"]["problems"] == 0
    assert ChecklistValue.objects.count() == 1357
    evidence = Evidence.objects.select_related("summary")
    assert evidence.count() == 2002
    assert all(e.summary.text[e.start : e.end] == e.quote for e in evidence if e.summary)
    second = run()
    assert second["totals"]["created"] == 0
    assert ChecklistValue.objects.count() == 1357
