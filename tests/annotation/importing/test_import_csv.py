"""Tables into tasks and summaries: all or nothing, twice the same, problems with their line."""

from __future__ import annotations

import json
from datetime import date
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from annotation.errors import InvalidInput
from annotation.importing.csv_files import (
    import_comparison_csv,
    import_style_csv,
    import_summary_csv,
)
from annotation.importing.services import REFUSED
from annotation.models import Case, ImportReport, Study, Summary, Task, TaskSet
from tests.factories import make_case, make_summary

PAIRS = """Case ID,Item,Model values,Reference values,Model source,Reference source,Reviewer
11,Filing Date,"May 1, 2020",1 May 2020,gemma,human,ann
12,filing_date,"[""a"", ""b, c""]","[""d""]",gemma,human,
12,Filing Date,[sealed],"'=SUM(A1)",other,human,
"""


def write(folder: Path, text: str, name: str = "table.csv") -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


def test_a_row_is_a_comparison(study: Study, tmp_path: Path) -> None:
    report = import_comparison_csv([write(tmp_path, PAIRS)], study)
    assert report.totals["created"] == 3
    single, many, odd = Task.objects.order_by("position")
    assert single.key == "11/filing_date/gemma"
    assert single.content == {
        "form": "single", "model": ["May 1, 2020"], "reference": ["1 May 2020"],
        "model_source": "gemma", "reference_source": "human", "imported_first": None,
    }  # fmt: skip
    assert single.metadata == {"item_name": "Filing Date", "columns": {"Reviewer": "ann"}}
    assert (many.form, many.content["model"], many.content["reference"]) == (
        "list", ["a", "b, c"], ["d"],
    )  # fmt: skip
    assert (odd.content["model"], odd.content["reference"]) == (["[sealed]"], ["=SUM(A1)"])
    assert report.files[0].repairs == {"formula_guards": 1}
    assert report.files[0].found["singles"] == 2


def test_the_same_table_again_creates_nothing(study: Study, tmp_path: Path) -> None:
    path = write(tmp_path, PAIRS)
    import_comparison_csv([path], study)
    again = import_comparison_csv([path], study)
    assert (again.totals["created"], again.totals["unchanged"]) == (0, 3)


def test_sets_of_one_kind_can_be_told_apart(study: Study, tmp_path: Path) -> None:
    path = write(tmp_path, PAIRS)
    for key in ("first", "second", "second"):
        import_comparison_csv([path], study, task_set_key=key)
    assert list(TaskSet.objects.order_by("pk").values_list("title", flat=True)) == [
        "Checklist comparison",
        "Checklist comparison: second",
    ]


def test_a_bad_row_keeps_the_table_out_and_is_named_by_its_line(
    study: Study, tmp_path: Path
) -> None:
    bad = PAIRS + (
        '13,Colour,a,b,g,h,\n13,Filing Date,,b,g,h,\n13,Filing Date,"[""a"",]",b,g,h,\n'
        '11,Filing Date,"May 1, 2020",1 May 2020,gemma,human,\n14,Filing Date,a,b\n'
    )
    path = write(tmp_path, bad)
    report = import_comparison_csv([path], study)
    problems = [str(problem) for problem in report.files[0].problems]
    assert [problem.split(":")[0] for problem in problems[:-1]] == [
        "line 9", "line 5, item", "line 6, model_values", "line 7, model_values", "line 8",
    ]  # fmt: skip
    assert "is the same task as line 2" in problems[4]
    assert problems[-1] == REFUSED
    assert not Task.objects.exists()
    assert not Case.objects.exists()
    partial = import_comparison_csv([path], study, accept_partial=True)
    assert (partial.totals["created"], partial.totals["problems"]) == (3, 5)


def test_a_rehearsal_stores_nothing(study: Study, tmp_path: Path) -> None:
    report = import_comparison_csv([write(tmp_path, PAIRS)], study, dry_run=True)
    assert report.totals["created"] == 3
    assert not Task.objects.exists()
    assert not TaskSet.objects.exists()
    assert not ImportReport.objects.exists()


def test_two_rows_of_one_case_and_source_have_keys_of_their_own(
    study: Study, tmp_path: Path
) -> None:
    table = "case,item,model_values,reference_values\n1,appeals,a,b\n1,appeals,c,d\n"
    import_comparison_csv([write(tmp_path, table)], study)
    assert list(Task.objects.order_by("position").values_list("key", flat=True)) == [
        "1/appeals", "1/appeals#2",
    ]  # fmt: skip


def test_changed_values_of_a_key_are_refused(study: Study, tmp_path: Path) -> None:
    table = "task,case,item,model_values,reference_values\nt1,1,appeals,a,b\n"
    import_comparison_csv([write(tmp_path, table)], study)
    report = import_comparison_csv([write(tmp_path, table.replace(",a,", ",x,"))], study)
    assert "line 2: t1 is stored in comparison with other values" in str(
        report.files[0].problems[0]
    )


def test_a_row_is_a_style_pair_linked_to_its_summary(study: Study, tmp_path: Path) -> None:
    summary = make_summary(make_case(study, "7"), "Line one\nLine two \U0001f600", "gemma")
    table = (
        "case,model,model_text,reference_text,note\r\n"
        '7,gemma,"Line one\r\nLine two \U0001f600","He said ""no"".",n\r\n'
    )
    report = import_style_csv([write(tmp_path, table)], study)
    task = Task.objects.get()
    assert task.content == {
        "model_text": "Line one\nLine two \U0001f600", "reference_text": 'He said "no".',
        "model_source": "gemma", "reference_source": "", "imported_first": None,
    }  # fmt: skip
    assert (task.key, task.summary, task.task_set.kind) == ("7/gemma", summary, "style")
    assert task.metadata["pair_fields"] == {"note": "n"}
    assert report.files[0].repairs == {"line_ends": 1}
    assert import_style_csv([tmp_path], study).totals["created"] == 0


SUMMARIES = """case,model,kind,text,filing_date,case_type,length_bin,Judge
1,,reference,"First, ""quoted""
and a line",2020-02-29,Prison,0-8k,Woodcock
1,gemma,,Short,,,,
2,gemma,model,Shorter,,Other,,
"""


def test_a_row_is_a_summary_and_describes_its_case(study: Study, tmp_path: Path) -> None:
    make_case(study, "1", case_type="Jail")
    report = import_summary_csv([write(tmp_path, SUMMARIES)], study)
    assert report.totals["created"] == 3
    assert report.files[0].found == {
        "references": 1, "model_summaries": 2, "new_cases": 1, "further_columns_kept": 1,
    }  # fmt: skip
    assert report.files[0].repairs == {"case_case_type_differs": 1}
    reference = Summary.objects.get(kind="reference")
    assert (reference.producer, reference.text) == ("reference", 'First, "quoted"\nand a line')
    assert reference.metadata["Judge"] == "Woodcock"
    case = reference.case
    assert (case.filing_date, case.case_type, case.length_bin) == (
        date(2020, 2, 29), "Jail", "0-8k",
    )  # fmt: skip
    again = import_summary_csv([tmp_path], study)
    assert (again.totals["created"], again.totals["unchanged"]) == (0, 3)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("1,,,t,,,", "line 2, producer: is blank: whose summary is it"),
        ("1,m,judge,t,,,", "line 2, kind: must be reference or model"),
        ("1,m,,t,2020-02-30,,", "line 2, filing_date: must be a day of the calendar"),
        ("1,m,,t,3/4/2020,,", "line 2, filing_date: must be a date like"),
        (",m,,t,,,", "line 2, case: is blank"),
        ("1,m,,t,,,\n1,m,,u,,,", "line 3: is a second summary of case"),
    ],
)
def test_a_summary_that_cannot_be_accepted_is_named(
    study: Study, tmp_path: Path, row: str, words: str
) -> None:
    header = "case,producer,kind,text,filing_date,case_type,length_bin\n"
    report = import_summary_csv([write(tmp_path, header + row + "\n")], study)
    assert str(report.files[0].problems[0]).startswith(words)
    assert not Summary.objects.exists()


def test_another_text_of_a_stored_summary_is_a_problem(study: Study, tmp_path: Path) -> None:
    make_summary(make_case(study, "1"), "one", "m")
    report = import_summary_csv([write(tmp_path, "case,producer,text\n1,m,two\n")], study)
    assert "texts never change" in str(report.files[0].problems[0])


def test_a_folder_without_tables_is_refused(study: Study, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"holds no \.csv file"):
        import_summary_csv([tmp_path], study)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("format_", "table"), [("csv-comparison", PAIRS), ("csv-summaries", SUMMARIES)]
)
def test_the_command_imports_a_table(tmp_path: Path, format_: str, table: str) -> None:
    out = StringIO()
    path = str(write(tmp_path, table))
    call_command("import_tasks", path, study="s", format=format_, json=True, stdout=out)
    assert json.loads(out.getvalue())["totals"]["created"] == 3
