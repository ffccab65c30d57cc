"""A study in the shapes of a release: what came from one goes back and says the same."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.errors import InvalidInput, Refused
from annotation.models import (
    Checklist,
    ChecklistItem,
    ChecklistValue,
    Evidence,
    Study,
    Summary,
)
from evaluation.exporting.release_shapes import inside, known_path, of_a_run
from evaluation.exporting.services import CSV, RELEASE, Wanted, export_study
from evaluation.exporting.verifying import verify
from evaluation.models import ChecklistComparison, ItemVerdict
from evaluation.releasing.services import import_release
from tests.evaluation.exporting.studies import GOLDEN, add_evidence
from tests.factories import make_case, make_summary, make_task_set

pytestmark = pytest.mark.django_db

TEXT = "Filed on May 1, 2020.\n\nThe  court ruled. The suit is ongoing. "


def at(*quotes: str) -> dict[str, Any]:
    starts = [TEXT.index(quote) for quote in quotes]
    ends = [start + len(quote) for start, quote in zip(starts, quotes, strict=True)]
    return {
        "evidences_indices": [list(pair) for pair in zip(starts, ends, strict=True)],
        "evidences": list(quotes),
    }


# A cell for each quirk of the gold checklists.
CELLS = {
    "Trials": [],
    "Filing Date": [{**at("May 1, 2020"), "value": "May 1, 2020"}],
    # The same value twice, with outer blanks and a line break.
    "Court Rulings": [
        {**at("The  court ruled."), "value": " A ruling\n"},
        {**at("The suit is ongoing."), "value": " A ruling\n"},
    ],
    # Unsorted, duplicate and overlapping spans; outer blanks; across paragraphs.
    "Appeal": [
        {**at("suit", "Filed", "Filed"), "value": "unsorted, twice"},
        {**at("Filed on", "on May 1"), "value": "overlapping"},
        {**at(" court ", ".\n\nThe"), "value": "[Yes]."},
    ],
    "Remedy Sought": [{"evidences_indices": [], "evidences": [], "value": "none given"}],
    "Note Important Filings": [{**at(*["e"] * 101), "value": "many"}],
}
HUMAN: dict[str, Any] = {
    "metadata": {"name": "made up", "description": "with quirks", "extra": [1, None]},
    "results": {"CJ-FL-0009": CELLS, "12": {"Trials": []}},
}
SUMMARIES = {
    case: {
        "summary/long": TEXT,
        "filing_date": "2020-05-01",
        "case_type": "Education",
        "total_token_num": 5,
        "total_length_bin": "0-8k",
    }
    for case in HUMAN["results"]
}
# What a release does not know of a case, and a size that it writes as a number.
SUMMARIES["12"] |= {
    "filing_date": None,
    "case_type": None,
    "total_token_num": None,
    "total_length_bin": 32,
    "court": "D. Mass.",
}
SUMMARIES["13"] = {**SUMMARIES["12"], "total_length_bin": None}
CHECKLISTS = {
    "meta_data": {
        "file_name": "model-one_summarization/f", "inference_model": "org/judge-one",
        "enable_thinking": True,
    },
    "token_stats": {"total_input_tokens": 5},
    "results": {
        "12": {
            "Filing Date": {
                "reasoning": "It is stated.",
                "extracted": [
                    {"evidence": ["Filed \u201con\u201d May 1", "found nowhere"], "value": "1 May"},
                    {"evidence": [], "value": ["May", "2020"]},
                ],
            },
            "Trials": {"reasoning": "", "extracted": []},
        }
    },
}  # fmt: skip
VERDICTS = {
    "meta_data": {
        "file_name": "judge-one/model-one_summarization/f", "inference_model": "org/comparer",
    },
    "token_stats": {},
    "results": {
        "12": {
            "Filing Date": {
                "common": [{"model_index": [1, 2], "reference_index": None}],
                "only_in_model": [0], "only_in_reference": [-1],
            },
            "Appeal": "reference equals model",
            "Trials": "a reply that is no verdict",
        }
    },
}  # fmt: skip
# What a file says of itself, in places and under names that no release has.
ODD_RUN = {
    "meta_data": {
        "file_name": "model-two_summarization/f", "inference_model": "org/judge-one",
        "file": "../../x", "removed": [1], "sha256": "no hash", "as_in_file": {"top": {}},
        "meta_data": {"n": 1}, "sampling": {"top_p": 1}, "notes": None, "twice": "in",
    },
    "version": 3, "notes": {"n": 2}, "twice": {"n": 3}, "tools": ["a"], "removed": {"n": 4},
}  # fmt: skip
FILES = {
    "data/summaries/cases_1.json": SUMMARIES,
    "data/summaries/model-one/f.json": {
        "meta_data": {"file_name": "x", "inference_model": "m"},
        "token_stats": {"n": 1.5},
        "results": {"12": "Filed 'on' May 1. " + TEXT},
    },
    "data/summaries/model-two/f.json": {**ODD_RUN, "results": {"12": TEXT}},
    "data/summaries/model-two/g.json": {**ODD_RUN, "results": {"CJ-FL-0009": TEXT}},
    "data/document_checklists/human.json": HUMAN,
    "data/summary_checklists/model-one_summarization/f.json": CHECKLISTS,
    "data/summary_checklists/model-two_summarization/g.json": {
        **ODD_RUN, "results": {"12": {"Appeal": {"reasoning": "", "extracted": []}}},
    },
    "data/evaluation/model-one_summarization/f_thinking_False.json": VERDICTS,
}  # fmt: skip


@pytest.fixture
def release(tmp_path: Path) -> Path:
    for name, value in FILES.items():
        path = tmp_path / "release" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value), encoding="utf-8")
    return tmp_path / "release"


def exported(study: Study, out: Path) -> dict[str, Any]:
    export_study(study, Wanted(RELEASE), out)
    assert verify(out) == []
    return {
        path.relative_to(out).as_posix(): json.loads(path.read_bytes())
        for path in sorted(out.rglob("*.json"))
        if path.name != "manifest.json"
    }


def test_every_file_comes_out_as_it_came_in(study: Study, release: Path, tmp_path: Path) -> None:
    report = import_release(release, study)
    assert report.totals["problems"] == 0, report.to_text()
    files = exported(study, tmp_path / "out")
    assert set(files) == set(FILES)
    for name, value in FILES.items():
        assert files[name] == value, name
    # People's checklists keep the order of cases, items and keys as well.
    human = files["data/document_checklists/human.json"]
    assert json.dumps(human["results"]) == json.dumps(HUMAN["results"])


def test_what_was_exported_is_what_is_there_when_it_is_imported_again(
    study: Study, release: Path, tmp_path: Path
) -> None:
    import_release(release, study)
    exported(study, tmp_path / "out")
    again = import_release(tmp_path / "out", study)
    assert (again.totals["created"], again.totals["problems"]) == (0, 0), again.to_text()


def test_line_ends_are_those_of_the_stored_text(
    study: Study, release: Path, tmp_path: Path
) -> None:
    raw = "Line one\r\nLine two: TRO\r\n"
    summary = {**SUMMARIES["12"], "summary/long": raw}
    value = {"evidences_indices": [[20, 23]], "evidences": ["TRO"], "value": "a\r\nb"}
    human = {"metadata": {}, "results": {"12": {"Trials": [value]}}}
    for name, content in (
        ("summaries/cases_1.json", {"12": summary}),
        ("document_checklists/human.json", human),
    ):
        (release / "data" / name).write_text(json.dumps(content), encoding="utf-8")
    import_release(release, study, only=["summaries", "human"])
    files = exported(study, tmp_path / "out")
    text = files["data/summaries/cases_1.json"]["12"]["summary/long"]
    (written,) = files["data/document_checklists/human.json"]["results"]["12"]["Trials"]
    assert text == raw.replace("\r\n", "\n")
    assert written == {"evidences_indices": [[19, 22]], "evidences": ["TRO"], "value": "a\nb"}
    assert text[19:22] == "TRO"


def gold(summary: Summary, study: Study, **fields: Any) -> Checklist:
    return Checklist.objects.create(
        case=summary.case, summary=summary, template=study.template,
        **{"producer_kind": "gold", "producer": "human", **fields},
    )  # fmt: skip


def test_items_that_no_file_named_have_their_first_alias(study: Study, tmp_path: Path) -> None:
    summary = make_summary(make_case(study), TEXT)
    add_evidence(gold(summary, study), "court_rulings", "Filed", summary, 0, 5)
    files = exported(study, tmp_path / "out")
    results = files["data/document_checklists/human.json"]["results"]
    assert list(results["1001"]) == ["Court Rulings"]
    assert files["data/summaries/cases.json"]["1001"]["total_length_bin"] is None


def test_checklists_without_a_place_are_counted(study: Study, tmp_path: Path) -> None:
    summary = make_summary(make_case(study), TEXT)
    gold(summary, study, producer="another")
    gold(summary, study, producer_kind="annotator", producer="anna")
    gold(summary, study, producer_kind="agent", producer="model")
    out = tmp_path / "out"
    manifest = export_study(study, Wanted(RELEASE), out).manifest
    assert manifest["checklists_left_out"] == {"agent": 1, "annotator": 1, "gold": 1}
    assert not (out / "data" / "document_checklists").exists()


def test_a_quote_that_the_text_does_not_say_is_not_written(study: Study, tmp_path: Path) -> None:
    summary = make_summary(make_case(study), TEXT)
    add_evidence(gold(summary, study), "court_rulings", "Filed", summary, 1, 6)
    with pytest.raises(Refused, match="checklist 1001 / human / court_rulings, value 1: its evid"):
        exported(study, tmp_path / "out")
    Evidence.objects.update(start=None, end=None, found="not_found")
    with pytest.raises(Refused, match="was not found in the summary"):
        exported(study, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_changed_evidence_is_found(study: Study, release: Path, tmp_path: Path) -> None:
    import_release(release, study, only=["summaries", "human"])
    out = tmp_path / "out"
    path = out / "data/document_checklists/human.json"
    human = exported(study, out)["data/document_checklists/human.json"]
    value = human["results"]["CJ-FL-0009"]["Filing Date"][0]
    value["evidences"] = ["May 2, 2020"]
    human["results"]["77"] = {"Trials": []}
    path.write_text(json.dumps(human), encoding="utf-8")
    problems = " ".join(verify(out))
    assert 'the summary says "May 1, 2020" at 9-20, and the evidence is "May 2, 2020"' in problems
    assert "case 77: its reference summary is not here" in problems


def test_hostile_names_stay_below_the_folder(study: Study, tmp_path: Path) -> None:
    case = make_case(study, "../../etc")
    make_summary(case, "x", "../up", metadata={"file": "../../a/b.json"})
    make_summary(case, "y", "..up", metadata={"file": "a b.json"})
    comparison = ChecklistComparison.objects.create(
        case=case, comparer="..", model_name="a/b", extractor="e",
        source_file="data/evaluation/../../x.json",
    )  # fmt: skip
    ItemVerdict.objects.create(
        comparison=comparison, item_key="trials", orientation="known", status="not_scored", raw=[]
    )
    files = exported(study, tmp_path / "out")
    assert sorted(files) == [
        "data/evaluation/a-b_summarization/unnamed.json",
        "data/summaries/-up/-..-a-b.json",
        "data/summaries/up/a-b.json",
    ]


@given(st.text(max_size=30), st.text(max_size=30))
def test_no_name_leads_elsewhere(one: str, two: str) -> None:
    for path in (inside("data/x", one, two), known_path(f"{one}/x/{two}", "data/x", 1) or "data/x"):
        parts = path.split("/")
        assert parts[:2] == ["data", "x"]
        assert not {"", ".", ".."} & set(parts)


def test_what_a_run_says_of_itself_is_sorted_as_it_was() -> None:
    assert of_a_run(
        {"file": "a.json", "token_stats": {"n": 1}, "enable_thinking": False, "seed": 3}, {"1": "x"}
    ) == {
        "meta_data": {"enable_thinking": False, "seed": 3},
        "token_stats": {"n": 1},
        "results": {"1": "x"},
    }


def test_options_that_do_not_fit_are_refused(study: Study, tmp_path: Path) -> None:
    task_set = make_task_set(study)
    for wanted in (Wanted(RELEASE, task_set), Wanted(RELEASE, None, frozenset({"skipped"}))):
        with pytest.raises(InvalidInput, match="of the whole study and no answers"):
            export_study(study, wanted, tmp_path / "out")


@pytest.mark.parametrize(("text", "quote", "start", "end"), GOLDEN)
def test_golden_offsets_in_the_release_shape_and_the_table(
    study: Study, tmp_path: Path, text: str, quote: str, start: int, end: int
) -> None:
    summary = make_summary(make_case(study), text)
    add_evidence(gold(summary, study), "trials", quote, summary, start, end)
    files = exported(study, tmp_path / "out")
    ((value,),) = files["data/document_checklists/human.json"]["results"]["1001"].values()
    stored = files["data/summaries/cases.json"]["1001"]["summary/long"]
    assert (value["evidences_indices"], value["evidences"]) == ([[start, end]], [quote])
    assert stored[start:end] == quote
    export_study(study, Wanted(CSV), tmp_path / "csv")
    with (tmp_path / "csv" / "evidence.csv").open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert (int(row["start"]), int(row["end"]), row["quote"]) == (start, end, quote)


@pytest.mark.release
def test_the_released_human_checklists_come_out_as_they_came_in(
    study: Study, release_dir: Path, tmp_path: Path
) -> None:
    import_release(release_dir, study, only=["summaries", "human"])
    assert ChecklistValue.objects.count() == 1357
    files = exported(study, tmp_path / "out")
    for name, written in files.items():
        source = json.loads((release_dir / name).read_bytes())
        if name.count("/") == 2 and "summaries" in name:
            # A case stands in the file that brought it first.
            assert all(
                written[case]["summary/long"] == source[case]["summary/long"] for case in written
            )
        else:
            assert written == source, name
    human = "data/document_checklists/human.json"
    source = json.loads((release_dir / human).read_bytes())
    assert json.dumps(files[human]["results"]) == json.dumps(source["results"])
    assert ChecklistItem.objects.filter(state="absent").exists()
