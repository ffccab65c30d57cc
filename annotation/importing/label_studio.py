"""Label Studio projects: tasks, and as checklists what people and models marked in texts there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Unpack

from annotation.errors import InvalidInput
from annotation.importing.checklists import store_items
from annotation.importing.formats import Manner
from annotation.importing.services import content_hash, files_of, import_each
from annotation.importing.summaries import StudySummaries
from annotation.importing.tasks import NewTask, WantedSet, store_tasks, task_set_for
from annotation.kinds.extraction import ItemState
from annotation.managing.services import template_of
from annotation.models import Checklist, ChecklistItem, Study, Summary
from annotation.records.label_studio.reading import TOOL, Marks, TaskRecord, read_tasks
from annotation.records.report import FileReport, ImportReport


def import_label_studio(
    paths: Iterable[Path],
    study: Study,
    *,
    task_set_key: str = "",
    overlap: int = 3,
    options: Mapping[str, Any] | None = None,
    **how: Unpack[Manner],
) -> ImportReport:
    """Make tasks, summaries and checklists from what Label Studio exports as JSON.

    ``paths`` are files or folders (all their .json files). Without ``task_set_key``
    tasks go into the set that they came from, those of other projects into one called
    ``label-studio`` and the kind. What people marked becomes a checklist of the annotator called
    ``label-studio <who>``, what models predicted one of that agent; answers to comparisons and
    style pairs are not taken over, and counted. The same file again changes nothing.
    """
    template = template_of(study)

    def store(path: Path, report: FileReport) -> None:
        records = read_tasks(path, template.key_for, report)
        summaries = StudySummaries(study, {r.case_id for r in records}, report)
        tasks: dict[tuple[str, str], list[NewTask]] = {}
        for record in records:
            key = task_set_key or record.task_set or f"{TOOL}-{record.kind}"
            task = _task(record, summaries, path)
            if task is not None:
                tasks.setdefault((key, record.kind), []).append(task)
        for (key, kind), new in tasks.items():
            try:
                wanted = WantedSet(key, kind, overlap, options or {})
                task_set = task_set_for(study, wanted, path)
            except InvalidInput as error:  # the key may be one that the file names
                report.problem("", error.message)
            else:
                store_tasks(task_set, new, report)
        _store_marks(study, records, summaries, report)

    return import_each(files_of(paths), study, store, kind=TOOL, **how)


def _task(record: TaskRecord, summaries: StudySummaries, path: Path) -> NewTask | None:
    """The task of a record, its summary stored; None when that is stored with another text."""
    summary = None
    if record.text is not None:
        summary = _summary(record, summaries, path)
        if summary is None:
            return None
    elif record.producer is not None:
        summary = summaries.linked(record.case_id, record.producer, record.original_sha256)
    return NewTask(
        key=record.key,
        case_id=record.case_id,
        content=record.content,
        place=record.place,
        item_key=record.item_key,
        form=record.form,
        summary=summary,
        metadata=record.metadata,
    )


def _summary(record: TaskRecord, summaries: StudySummaries, path: Path) -> Summary | None:
    assert record.text is not None  # noqa: S101  only records with a text come here
    if record.producer is None:
        # The file does not say whose text it is: it may be one that is here.
        same = summaries.with_text(record.case_id, record.text.text)
        if same is not None:
            return same
    return summaries.put(
        record.case_id,
        record.side,
        record.producer or TOOL,
        record.text,
        place=record.place,
        metadata={"file": path.name},
    )


def _store_marks(
    study: Study, records: list[TaskRecord], summaries: StudySummaries, report: FileReport
) -> None:
    """Each annotation as a checklist; a person's second one of a text has a number."""
    times: Counter[tuple[int, str, str]] = Counter()
    for record in records:
        if record.text is None or not record.marks:
            continue
        summary = summaries.stored(record.case_id, record.producer, record.text.text)
        if summary is None:
            continue
        for marks in record.marks:
            kind = Checklist.Producer.ANNOTATOR if marks.is_person else Checklist.Producer.AGENT
            times[summary.pk, kind, marks.who] += 1
            number = times[summary.pk, kind, marks.who]
            method = "" if number == 1 else str(number)
            _store_checklist(study, summary, kind, method, marks, report)


def _store_checklist(
    study: Study,
    summary: Summary,
    kind: str,
    method: str,
    marks: Marks,
    report: FileReport,
) -> None:
    items = marks.marked.items
    digest = content_hash({key: item.model_dump(mode="json") for key, item in items.items()})
    stored = Checklist.objects.filter(
        case=summary.case,
        summary=summary,
        producer_kind=kind,
        producer=marks.who,
        method=method,
    ).first()
    if stored is not None:
        if stored.metadata.get("content_hash") == digest:
            report.unchanged += 1
        else:
            report.problem(
                marks.place,
                f"a checklist of {summary} by {marks.who} is stored with other values. Import "
                "this file into another study.",
            )
        return
    checklist = Checklist.objects.create(
        case=summary.case,
        summary=summary,
        producer_kind=kind,
        producer=marks.who,
        method=method,
        template=study.template,
        metadata={**marks.metadata, "content_hash": digest},
    )
    store_items(
        checklist,
        {
            key: list(item.values)
            for key, item in items.items()
            if item.state is not ItemState.NOT_APPLICABLE
        },
    )
    ChecklistItem.objects.bulk_create(
        ChecklistItem(checklist=checklist, item_key=key, state=item.state)
        for key, item in items.items()
        if item.state is ItemState.NOT_APPLICABLE
    )
    report.created += 1
    report.found["checklists"] += 1
    report.found["values"] += sum(len(item.values) for item in items.values())
    report.found["spans"] += sum(
        len(value.evidence) for item in items.values() for value in item.values
    )
