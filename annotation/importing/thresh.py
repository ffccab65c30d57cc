"""Extraction tasks from the paragraph tool's files, and the checklist of the model behind them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Unpack

from annotation.checklists.schema import Template
from annotation.importing.checklists import holds, store_items
from annotation.importing.services import files_of
from annotation.importing.tasks import NewTask, TaskManner, import_tasks
from annotation.kinds.extraction import Content, Paragraph, Seed, Value
from annotation.managing.services import template_of
from annotation.models import Case, Checklist, Study, Summary
from annotation.records.quoting import brief, printable
from annotation.records.report import FileReport, ImportReport
from annotation.records.thresh_file import (
    ThreshEdit,
    ThreshParagraph,
    ThreshSummary,
    read_thresh,
)

IN_THE_TOOL = "paragraph tool"
"""The producer of what people made in the tool: its files do not say who."""
ADDED = " (added)"
"""What the origin of a seed ends with when a person added it in the tool."""


def import_thresh(
    paths: Iterable[Path],
    study: Study,
    *,
    task_set_key: str = "thresh",
    **how: Unpack[TaskManner],
) -> ImportReport:
    """Make an extraction task of each paragraph, and the model's checklist of each summary.

    A file's text is the reference summary of its case: stored if the case has none, and a problem
    if it has another. The checklist is that of a judge called as the file's model; an item without
    a value is absent. A file that was in the tool may hold what people changed: then a model's
    checklist that is stored already stands, and what people made is kept as an annotator's.
    Otherwise as :func:`annotation.importing.comparison.import_comparisons`.
    """
    template = template_of(study)

    def read(path: Path, report: FileReport) -> list[NewTask]:
        record = read_thresh(path, template.key_for, report)
        if record is None:
            return []
        summary = _reference(study, record, path, report)
        if summary is None:
            return []
        _store_checklists(study, template, summary, record, path, task_set_key, report)
        return [new_task(record, paragraph, summary) for paragraph in record.paragraphs]

    return import_tasks(
        files_of(paths), study, (task_set_key, "extraction"), read, kind="thresh", **how
    )


def new_task(record: ThreshSummary, paragraph: ThreshParagraph, summary: Summary) -> NewTask:
    """The task that a paragraph becomes; ``metadata.thresh`` is what its export needs besides."""
    content = Content(
        seed_source=record.model,
        paragraph=Paragraph(
            number=paragraph.number,
            count=paragraph.count,
            start=paragraph.start,
            end=paragraph.end,
        ),
        seeds=[
            Seed(
                item_key=edit.item_key,
                text=edit.text,
                evidence=list(edit.spans),
                origin=_origin(paragraph, edit),
            )
            for edit in paragraph.edits
        ],
    )
    return NewTask(
        key=paragraph.key,
        case_id=record.case_id,
        content=content.model_dump(mode="json"),
        place=paragraph.place,
        summary=summary,
        metadata={
            "thresh": {
                "metadata": dict(paragraph.metadata),
                "edits": [_edit_metadata(edit) for edit in paragraph.edits],
                "tool": dict(paragraph.tool),
                "fields": dict(paragraph.fields),
            }
        },
    )


def _origin(paragraph: ThreshParagraph, edit: ThreshEdit) -> str:
    return f"{paragraph.key}/{edit.category}/{edit.number}{ADDED if edit.is_added else ''}"


def _edit_metadata(edit: ThreshEdit) -> dict[str, object]:
    return {
        "category": edit.category,
        "item_name": edit.item_name,
        "id": edit.number,
        "spans_paragraphs": None if edit.paragraphs is None else list(edit.paragraphs),
        "fields": dict(edit.fields),
    }


def _reference(
    study: Study, record: ThreshSummary, path: Path, report: FileReport
) -> Summary | None:
    """The reference summary of the case, which the file is about."""
    case, _ = Case.objects.get_or_create(study=study, external_id=record.case_id)
    text = record.target.text
    stored = case.summaries.filter(kind=Summary.Kind.REFERENCE).first()
    if stored is None:
        report.created += 1
        return Summary.objects.create(
            case=case,
            kind=Summary.Kind.REFERENCE,
            producer="reference",
            text=text,
            original_sha256=record.target.original_sha256,
            word_count=len(text.split()),
            metadata={"file": printable(path.name), "removed": list(record.target.removed)},
        )
    if stored.text == text:
        report.unchanged += 1
        return stored
    source = brief(str(stored.metadata.get("file", "an earlier import")))
    report.problem(
        "[0].target",
        f"The text of this file is not the reference summary of case {brief(record.case_id)} that "
        f"is stored (from {source}): they part at character {_first_difference(text, stored.text)}."
        " Import this file into another study, or correct the text.",
    )
    return None


def _first_difference(one: str, other: str) -> int:
    """The first code point, from 0, at which two different texts differ."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(one), len(other)))


def _store_checklists(
    study: Study,
    template: Template,
    summary: Summary,
    record: ThreshSummary,
    path: Path,
    task_set_key: str,
    report: FileReport,
) -> None:
    keys = [item.key for item in template.items]
    edits = [(p, edit) for p in record.paragraphs for edit in p.edits]
    own = [(p, edit) for p, edit in edits if not edit.is_added]
    model = Checklist(
        case=summary.case,
        summary=summary,
        producer_kind=Checklist.Producer.JUDGE,
        producer=record.model,
        template=study.template,
        metadata={"file": printable(path.name), "was_in_the_tool": record.was_in_the_tool},
    )
    agrees = _store(model, keys, own, report, may_differ=record.was_in_the_tool)
    if agrees and len(own) == len(edits):
        return
    people = Checklist(
        case=summary.case,
        summary=summary,
        producer_kind=Checklist.Producer.ANNOTATOR,
        producer=IN_THE_TOOL,
        method=task_set_key,
        template=study.template,
        metadata={"file": printable(path.name), "model": record.model},
    )
    _store(people, keys, edits, report, may_differ=False)


def _store(
    checklist: Checklist,
    keys: list[str],
    edits: list[tuple[ThreshParagraph, ThreshEdit]],
    report: FileReport,
    *,
    may_differ: bool,
) -> bool:
    """Store the checklist with ``edits``; whether what is stored now is the same as these.

    One that is there with other values stands: counted with ``may_differ``, else a problem.
    """
    values: dict[str, list[Value]] = {key: [] for key in keys}
    metadata: dict[str, list[dict[str, Any]]] = {key: [] for key in keys}
    names: dict[str, str] = {}
    for paragraph, edit in edits:
        values[edit.item_key].append(Value(text=edit.text, evidence=list(edit.spans)))
        metadata[edit.item_key].append({"origin": _origin(paragraph, edit)})
        if edit.item_name is not None:
            names.setdefault(edit.item_key, edit.item_name)
    known = Checklist.objects.filter(
        summary=checklist.summary,
        producer_kind=checklist.producer_kind,
        producer=checklist.producer,
        method=checklist.method,
    ).first()
    if known is None:
        checklist.save()
        store_items(checklist, values, names=names, value_metadata=metadata)
        report.created += len(edits)
        return True
    if holds(known, values):
        report.unchanged += len(edits)
        return True
    if may_differ:
        report.repairs["values_changed_in_the_tool"] += 1
        return False
    report.problem(
        "",
        f"A checklist of {brief(checklist.producer)} with other values is stored for the "
        f"reference summary of case {brief(checklist.case.external_id)}. Import this file into "
        "another study.",
    )
    return True
