"""Storing the runs of the agent: what they extracted, what they took, what happened."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from datetime import datetime

from agent.models import ExtractionRun, RunStep
from annotation.importing.services import BATCH
from annotation.importing.tasks import cases_called
from annotation.models import Checklist, Study
from annotation.records.report import FileReport
from annotation.text.normalise import storable_text
from evaluation.releasing.readers.agent_runs import RunChecklist, RunLine, RunName, RunStats
from evaluation.releasing.readers.discover import FoundFile
from evaluation.releasing.storing.document_checklists import store_from_documents
from evaluation.releasing.storing.extracted import batches

_STOP = "stop"


def store_run_checklists(
    study: Study, records: Iterator[object], file: FoundFile, report: FileReport
) -> None:
    """Store what a run extracted into the checklist of its model, case and setting."""
    for record in records:
        if isinstance(record, RunChecklist):
            (checklist,) = store_from_documents(study, [record.checklist], file, report)
            run = _run(study, record.run, file, report, checklist)
            if run.checklist_id != checklist.pk:
                run.checklist = checklist
                run.save(update_fields=["checklist"])


def store_run_stats(
    study: Study, records: Iterator[object], file: FoundFile, report: FileReport
) -> None:
    """Store what a run took. Other figures for a run that has some are a problem."""
    for record in records:
        if not isinstance(record, RunStats):
            continue
        run = _run(study, record.run, file, report)
        if not run.stats:
            run.steps = record.steps
            run.prompt_tokens = record.prompt_tokens
            run.completion_tokens = record.completion_tokens
            run.stats = dict(record.content)
            run.save()
            report.created += 1
        elif run.stats == record.content:
            report.unchanged += 1
        else:
            report.problem("", _OTHER)


def store_run_lines(
    study: Study, records: Iterator[object], file: FoundFile, report: FileReport
) -> None:
    """Store what happened in a run, line by line; a run that has other lines is a problem."""
    lines = (record for record in records if isinstance(record, RunLine))
    digest = hashlib.sha256()
    run: ExtractionRun | None = None
    stored = ""
    position = 0
    for batch in batches(lines, BATCH):
        if run is None:
            run = _run(study, batch[0].run, file, report)
            stored = str(run.metadata.get(_digest_name(batch[0]), ""))
        for line in batch:
            digest.update(json.dumps(line.to_json(), sort_keys=True).encode() + b"\n")
        if not stored:
            RunStep.objects.bulk_create(
                [_step(run, line, position + n) for n, line in enumerate(batch)], batch_size=BATCH
            )
            _note(run, batch)
        last = batch[-1]
        position += len(batch)
    if run is None:
        return
    if not stored:
        run.metadata[_digest_name(last)] = digest.hexdigest()
        run.save()
        report.created += position
    elif stored == digest.hexdigest():
        report.unchanged += position
    else:
        report.problem("", _OTHER)


_OTHER = (
    "This run is stored with other content. A run never changes: import this file into another "
    "study."
)


def _run(
    study: Study,
    name: RunName,
    file: FoundFile,
    report: FileReport,
    checklist: Checklist | None = None,
) -> ExtractionRun:
    """The run called ``name``, made when it is new: any of its files may come first."""
    known = ExtractionRun.objects.filter(
        case__study=study,
        case__external_id=name.case_id,
        source=ExtractionRun.Source.IMPORTED,
        model=name.model,
        method=name.setting,
        unit=name.unit,
    ).first()
    if known is not None:
        return known
    if checklist is not None:
        case = checklist.case
    else:
        case = cases_called(study, {name.case_id}, report)[name.case_id]
    return ExtractionRun.objects.create(
        case=case,
        checklist=checklist,
        source=ExtractionRun.Source.IMPORTED,
        source_file=storable_text(file.name.rpartition("/")[0])[-500:],
        model=name.model,
        method=name.setting,
        unit=name.unit,
    )


def _step(run: ExtractionRun, line: RunLine, position: int) -> RunStep:
    return RunStep(
        run=run,
        kind=line.kind.value,
        position=position,
        step=line.step,
        name=line.name,
        text=line.text,
        content=dict(line.content),
        at=line.at,
    )


def _note(run: ExtractionRun, lines: list[RunLine]) -> None:
    """What the lines say of the run as a whole."""
    times = [line.at for line in lines if line.at is not None]
    if times:
        run.started_at = _chosen(min, run.started_at, min(times))
        run.finished_at = _chosen(max, run.finished_at, max(times))
    if any(line.name == _STOP for line in lines):
        run.stop_reason = _STOP


def _chosen(
    choose: Callable[[datetime, datetime], datetime], known: datetime | None, new: datetime
) -> datetime:
    return new if known is None else choose(known, new)


def _digest_name(line: RunLine) -> str:
    return f"{line.kind}s_sha256"
