"""The demo study: three invented civil-rights cases with answers to all four tasks. PURE.

Everything in it was written for this project; no party, judge, citation or annotator exists.
The study, and the ``metadata`` of every case, document and summary, say so: pages must too.

``load_demo()`` reads ``content/*.json`` (shapes in ``evaluation.demo.sources``), turns quotes into
offsets, checks everything with the kinds' own ``check_answer``, and returns::

    DemoStudy                        (classes in evaluation.demo.study)
    ├── key, title, notice, guidelines, template (key), seed
    ├── annotators   (key, name)                       3: ada, ben, chi
    ├── models       (key, description)                2: model-north, model-south
    ├── cases                                          3
    │   ├── case_id, title, court, docket_number, filing_date, case_type, metadata
    │   ├── documents        (key, name, type, date, text, metadata), in order of date
    │   ├── reference        (key "reference", text, metadata)
    │   └── model_summaries  (key = model, text, metadata)
    ├── checklists   (case_id, summary_key, producer, payload)   3 cases x 3 summaries
    └── tasks        (key, kind, case_id, summary_key, item_key, content, answers)
        ├── extraction   one a case: the whole checklist of the reference, started from nothing
        ├── residual     one a case: what the reference's checklist by hand does not cover
        ├── comparison   one for each model and item with values on both sides
        └── style        one for each model's summary

``content`` and each answer's ``payload`` are JSON as it is stored: the ``Content`` and ``Answer``
of the kind in ``annotation.kinds``, said of model and reference. Offsets are code points into the
summary's ``text``, which is to be stored as it stands. The order of A and B is not part of
the demo: whoever loads it draws it, as for any other assignment.

Comparison tasks come from the checklists by hand, not from the annotators' extractions. An item
with values on one side only has no task: it needs no judgement.
"""

from __future__ import annotations

from annotation.checklists.loader import load_builtin
from annotation.kinds.extraction import Answer as Checklist
from evaluation.demo.sources import (
    AnswersFile,
    CaseFile,
    ChecklistsFile,
    StudyFile,
    read,
)
from evaluation.demo.study import (
    KINDS,
    REFERENCE,
    DemoAnnotator,
    DemoAnswer,
    DemoCase,
    DemoChecklist,
    DemoDocument,
    DemoModel,
    DemoStudy,
    DemoSummary,
    DemoTask,
    Metadata,
)
from evaluation.demo.tasks import (
    CaseSources,
    TaskDraft,
    checklists_by_hand,
    comparison_tasks,
    extraction_task,
    residual_task,
    style_tasks,
)
from evaluation.demo.timing import Clock


def load_demo() -> DemoStudy:
    """The demo study, built anew from its content files: equal every time, and the caller's own.

    Raises ``InvalidFile``, naming the file and the place, when a quote does not stand in its text
    exactly once, an answer does not settle its task, or anything is missing or unknown.
    The files as shipped raise nothing: the tests build the study.
    """
    study = read("study.json", StudyFile)
    cases, checklists, drafts = [], [], []
    for name in study.cases:
        source = _sources(study, name)
        by_hand = checklists_by_hand(source)
        cases.append(_case(source.case, study))
        checklists += _checklists(source, by_hand)
        drafts += [
            extraction_task(source),
            residual_task(source, by_hand[REFERENCE]),
            *comparison_tasks(source, by_hand),
            *style_tasks(source),
        ]
    return DemoStudy(
        key=study.key,
        title=study.title,
        notice=study.notice,
        guidelines=study.guidelines.text,
        template=study.template,
        seed=study.seed,
        annotators=tuple(DemoAnnotator(a.key, a.name) for a in study.annotators),
        models=tuple(DemoModel(m.key, m.description) for m in study.models),
        cases=tuple(cases),
        checklists=tuple(checklists),
        tasks=_timed(sorted(drafts, key=lambda draft: KINDS.index(draft.kind)), study),
    )


def _sources(study: StudyFile, name: str) -> CaseSources:
    return CaseSources(
        case=read(f"{name}.json", CaseFile),
        checklists=read(f"{name}.checklists.json", ChecklistsFile),
        answers=read(f"{name}.answers.json", AnswersFile),
        annotators=tuple(annotator.key for annotator in study.annotators),
        models=tuple(model.key for model in study.models),
        item_keys=load_builtin(study.template).item_keys,
        prepared_by=study.prepared_by,
    )


def _case(case: CaseFile, study: StudyFile) -> DemoCase:
    notice: Metadata = {"synthetic": True, "notice": study.notice}
    documents = [
        DemoDocument(d.key, d.name, d.type, d.date, d.text, notice)
        for d in sorted(case.documents, key=lambda document: document.date)
    ]
    return DemoCase(
        case_id=case.case_id,
        title=case.title,
        court=case.court,
        docket_number=case.docket_number,
        filing_date=case.filing_date,
        case_type=case.case_type,
        documents=tuple(documents),
        reference=DemoSummary(REFERENCE, case.reference.text, notice),
        model_summaries=tuple(
            DemoSummary(model.key, case.models[model.key].text, notice) for model in study.models
        ),
        metadata={**notice, "court": case.court, "docket_number": case.docket_number},
    )


def _checklists(source: CaseSources, by_hand: dict[str, Checklist]) -> list[DemoChecklist]:
    return [
        DemoChecklist(
            case_id=source.case.case_id,
            summary_key=key,
            producer=source.prepared_by,
            payload=checklist.model_dump(mode="json"),
        )
        for key, checklist in by_hand.items()
    ]


def _timed(drafts: list[TaskDraft], study: StudyFile) -> tuple[DemoTask, ...]:
    """The drafts in their order as tasks: each annotator works through them from the first on."""
    clocks = {
        a.key: Clock(a.starts_at, pace=a.pace, seed=f"{study.seed}/{a.key}")
        for a in study.annotators
    }
    return tuple(
        DemoTask(
            key=draft.key,
            kind=draft.kind,
            case_id=draft.case_id,
            summary_key=draft.summary_key,
            item_key=draft.item_key,
            content=draft.content,
            answers=tuple(_answer(draft, name, clock) for name, clock in clocks.items()),
        )
        for draft in drafts
    )


def _answer(draft: TaskDraft, annotator: str, clock: Clock) -> DemoAnswer:
    visit = clock.visit(draft.key, draft.typical_seconds[annotator])
    return DemoAnswer(
        annotator=annotator,
        payload=draft.answers[annotator],
        active_seconds=visit.active_seconds,
        wall_seconds=visit.wall_seconds,
        opened_at=visit.opened_at.isoformat(),
        submitted_at=visit.submitted_at.isoformat(),
    )
