"""A study in which everything that an export may hold is there once, hostile texts included."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import uuid4

from django.db.models import JSONField, Value

from agent.models import ExtractionRun, Judge, RunStep
from annotation.annotating import services
from annotation.annotating.services import Stay, Write
from annotation.annotating.work import Note
from annotation.kinds.style import ASPECTS
from annotation.managing.services import add_member, create_study, set_guidelines
from annotation.models import (
    Answer,
    Assignment,
    Case,
    Checklist,
    ChecklistItem,
    ChecklistValue,
    Evidence,
    SourceDocument,
    Study,
    Summary,
    Task,
    TaskSet,
    User,
)
from evaluation.models import (
    ChecklistComparison,
    ItemVerdict,
    JudgeCall,
    JudgeRun,
    JudgeTask,
    MetaEvaluation,
    Verdict,
)
from tests.factories import make_case, make_comparison, make_summary, make_task_set, make_user

NOW = datetime(2026, 3, 4, 12, 3, 0, 123456, tzinfo=UTC)
FIRE_FIGHTER = "\U0001f468\U0001f3fb\u200d\U0001f692"
HOSTILE = (
    f"=cmd|' /C calc'!A0 {FIRE_FIGHTER} <script>alert(1)</script>\n"
    "Mu\u00f1oz\u202e \U0001d538 \u2028 end"
)

# Text as it is stored, quote, code points: rows of the published table of offsets. The two rows
# about files (line ends, byte order mark) are as the import stores them.
GOLDEN = [
    ("Judge \U0001f600 Woodcock ruled", "Woodcock", 8, 16),
    (f"{FIRE_FIGHTER} firemen drive firetrucks", "firetrucks", 19, 29),
    ("Line one\nLine two: TRO", "TRO", 19, 22),
    ("Jose\u0301 Ruiz v. Mu\u00f1oz", "Mu\u00f1oz", 14, 19),
    ("28\u00a0U.S.C. \u00a7\u00a01491 applies", "applies", 17, 24),
    ("R&D <b>not bold</b> {{x}} end", "end", 26, 29),
    ("\U0001d538 v. \U0001d539, 2020 WL 4218003", "2020 WL 4218003", 8, 23),
    ("Filed on April 7", "April 7", 9, 16),
    ("a\u200bb zero width Smith", "Smith", 15, 20),
    ("\u05e9\u05dc\u05d5\u05dd Smith", "Smith", 5, 10),
]


def make_rich_study(slug: str = "rich") -> Study:
    """Four kinds, drafts, events, skips, flags, versions, runs, comparisons, saved figures."""
    study = create_study(slug, name="A rich study", seed=2**60 + 7, is_synthetic=True)
    study.description = HOSTILE
    study.time_zone = "America/New_York"
    study.save()
    set_guidelines(study, "# First\n" + HOSTILE)
    people = _people(study)
    cases = _texts(study)
    _checklists(study, cases)
    set_guidelines(study, "# Second")
    comparison = _comparisons(study, people)
    _extraction(study, people, cases)
    _residual(study, people, cases)
    _style(study, people, cases)
    _runs(study, people, comparison)
    people["chi"].is_active = False
    people["chi"].save()
    return study


def _people(study: Study) -> dict[str, User]:
    people = {}
    for name, role in (
        ("ada-secret", "admin"),
        ("rita-secret", "researcher"),
        ("anna-secret", "annotator"),
        ("ben-secret", "annotator"),
        ("chi-secret", "annotator"),
    ):
        user = make_user(f"{name}-{study.slug}", email=f"{name}@example.org", first_name="Secret")
        add_member(study, user, role)
        people[name.removesuffix("-secret")] = user
    return people


def _texts(study: Study) -> list[Case]:
    first = make_case(
        study, "1001", title=HOSTILE, filing_date=date(2019, 2, 3), token_count=0, length_bin="0-8k"
    )
    second = make_case(study, "CJ-FL-0009 é", metadata={"b": [1, 2.5, None, True], "a": HOSTILE})
    for position, name in enumerate(("order.txt", "complaint.txt")):
        SourceDocument.objects.create(
            case=first,
            name=name,
            position=position,
            text=f"{name}: {HOSTILE}",
            date=date(2020, 1, 1 + position),
            original_sha256=hashlib.sha256(name.encode()).hexdigest(),
        )
    make_summary(first, HOSTILE)
    make_summary(first, GOLDEN[0][0], "model-one", kept_share=1.0)
    make_summary(second, GOLDEN[1][0], metadata={"removed": [3, 5]})
    return [first, second]


def _checklists(study: Study, cases: list[Case]) -> None:
    summary = cases[0].summaries.get(producer="model-one")
    document = cases[0].documents.get(name="order.txt")
    checklist = Checklist.objects.create(
        case=cases[0], summary=summary, producer_kind="gold", producer="human",
        template=study.template, metadata={"file": "human.json"},
    )  # fmt: skip
    add_evidence(checklist, "filing_date", "Woodcock", summary, 8, 16)
    ChecklistItem.objects.create(checklist=checklist, item_key="appeals", state="absent")
    of_documents = Checklist.objects.create(
        case=cases[0], producer_kind="agent", producer="model-one", method="all",
        template=study.template,
    )  # fmt: skip
    value = add_evidence(of_documents, "filing_date", "order.txt", document, 0, 9)
    Evidence.objects.create(value=value, position=1, quote="nowhere", found="not_found")
    _more_evidence(of_documents, document)
    _extraction_runs(cases, of_documents)
    _compared(cases, of_documents, checklist)


def _more_evidence(checklist: Checklist, document: SourceDocument) -> None:
    """Every way to find a quote, two places of one quote, and a document that is not here."""
    item = ChecklistItem.objects.create(
        checklist=checklist, item_key="remedy_sought", state="values", metadata={"name": HOSTILE}
    )
    for position, metadata in enumerate(({}, {"reasoning": HOSTILE, "raw": [1, {"a": None}]})):
        ChecklistValue.objects.create(item=item, position=position, text="v", metadata=metadata)
    first, second = item.values.order_by("position")
    place = {"document": document, "source_name": "order.txt", "location": "p. 3\u2013Smith"}
    for position, (found, start, end) in enumerate(
        (("exact", 0, 5), ("normalised", 6, 9), ("fuzzy", 11, 14))
    ):
        Evidence.objects.create(
            value=first, position=position, start=start, end=end, found=found,
            quote=document.text[start:end], **place,
        )  # fmt: skip
    for position, start in enumerate((0, 11)):
        Evidence.objects.create(
            value=second, position=position, start=start, end=start + 2, found="fuzzy",
            quote=document.text[start : start + 2], **place,
        )  # fmt: skip
    Evidence.objects.create(value=second, position=2, quote="x", found="not_found", **place)
    Evidence.objects.create(
        value=second, position=3, quote=HOSTILE, found="not_sought", source_name="Dkt. 12",
        location=HOSTILE,
    )  # fmt: skip


def _extraction_runs(cases: list[Case], checklist: Checklist) -> None:
    run = ExtractionRun.objects.create(
        case=cases[0], checklist=checklist, source="imported", source_file="a/stats.json",
        model="model-one", method="all", steps=3, prompt_tokens=2**40, completion_tokens=0,
        stop_reason="done", stats={"cost": 0.25, "tools": {"read": 2}}, metadata={"b": HOSTILE},
        started_at=NOW, finished_at=NOW + timedelta(seconds=9),
    )  # fmt: skip
    ExtractionRun.objects.create(
        case=cases[1], source="own", model="model-two", method="grouped", unit="basics"
    )
    for kind, position, fields in (
        ("event", 0, {"step": 1, "name": "read_document", "content": {"tokens": [0, 99]}}),
        ("event", 1, {"step": 1, "name": HOSTILE[:40], "at": NOW}),
        ("answer", 0, {"step": -1, "text": HOSTILE}),
    ):
        RunStep.objects.create(run=run, kind=kind, position=position, **fields)


def _compared(cases: list[Case], model: Checklist, reference: Checklist) -> None:
    """A verdict of each orientation, one that could not be read, and a file without checklists."""
    comparison = ChecklistComparison.objects.create(
        case=cases[0], comparer="judge-one", model_name="model-one", extractor="model-one",
        method="all", model_checklist=model, reference_checklist=reference,
        source_file="a/evaluation.json", metadata={"file": HOSTILE},
    )  # fmt: skip
    bare = ChecklistComparison.objects.create(
        case=cases[1], comparer="judge-one", model_name="model-two", extractor="extractor"
    )
    matched = {"form": "list", "pairs": [[0, 1], [1, 0]], "only_model": [], "only_reference": [2]}
    single = {"form": "single", "relation": "equal"}
    for row in (
        ItemVerdict(
            comparison=comparison, item_key="filing_date", form="single", orientation="known",
            status="read", payload=single, raw="equal", n_model=1, n_reference=1,
        ),
        ItemVerdict(
            comparison=comparison, item_key="remedy_sought", form="list", orientation="recovered",
            first_side="reference", status="read", payload=matched, raw={"common": HOSTILE},
            shown={"form": "list", "pairs": [[0, 1], [1, 0]], "only_a": [2], "only_b": []},
            repairs={"duplicate_index": 2}, n_model=2, n_reference=3,
        ),
        ItemVerdict(
            comparison=bare, item_key="appeals", form="single", orientation="unknown",
            status="read", reason=HOSTILE, shown={"relation": "a_contains_b"}, raw="A contains B",
        ),
        ItemVerdict(
            comparison=bare, item_key="filing_date", form="single", orientation="not_needed",
            status="read", payload=single, raw="A equals B",
        ),
        ItemVerdict(
            comparison=bare, item_key="remedy_sought", orientation="unknown", status="not_scored",
            reason="It is empty.", raw=Value(None, JSONField()), repairs={"unreadable_verdict": 1},
        ),
    ):  # fmt: skip
        row.save()


def add_evidence(
    checklist: Checklist, item: str, quote: str, text: Any, start: int, end: int
) -> ChecklistValue:
    """One value with one quote in ``text``, a summary or a document."""
    row = ChecklistItem.objects.create(checklist=checklist, item_key=item, state="values")
    value = ChecklistValue.objects.create(item=row, position=0, text=f"= {quote}")
    where = {"summary" if isinstance(text, Summary) else "document": text}
    Evidence.objects.create(
        value=value, position=0, start=start, end=end, quote=quote, found="exact", **where
    )
    return value


def _assign(task: Task, user: User, first_side: str = "model") -> Assignment:
    return Assignment.objects.create(
        task=task, annotator=user, position=task.position, first_side=first_side
    )


def _write(assignment: Assignment, minute: int) -> Write:
    assignment.refresh_from_db()
    at = NOW + timedelta(minutes=minute)
    stay = Stay(uuid4(), at - timedelta(seconds=30), 12.5)
    return Write(op_id=uuid4(), version=assignment.version, now=at, stay=stay)


def _act(assignment: Assignment, minute: int, **fields: str) -> None:
    acts = services.read_acts(assignment, fields)
    services.act(assignment.annotator, assignment.pk, acts, _write(assignment, minute))


def _submit(assignment: Assignment, minute: int, note: Note | None = None, **fields: str) -> Answer:
    acts = [*services.read_acts(assignment, fields), *([note] if note else [])]
    return services.submit(assignment.annotator, assignment.pk, acts, _write(assignment, minute))[1]


def _comparisons(study: Study, people: dict[str, User]) -> TaskSet:
    task_set = make_task_set(study, "pairs", options={"many_to_many": True})
    single = make_comparison(task_set, HOSTILE, "July 21, 2025")
    lists = make_comparison(task_set, ["m1", HOSTILE, "m3"], ["r1", "r2"], case_id="CJ-FL-0009 é")
    skipped = make_comparison(task_set, "+1", "-1")
    open_one = make_comparison(task_set, "one", "two")
    # Two versions, the second reopened once more and left unfinished.
    twice = _assign(single, people["anna"], "reference")
    _submit(twice, 1, relation="a_contains_b")
    _submit(twice, 2, Note(HOSTILE, False, ""), relation="different")
    _act(twice, 3, relation="equal")
    # Flagged.
    flagged = _assign(single, people["ben"])
    _submit(flagged, 4, Note("", True, "typing error in A"), relation="equal")
    # Lists; undone and redone on the way.
    matched = _assign(lists, people["anna"], "reference")
    for minute, act in enumerate(("match 1 2", "match 1 3", "rest"), 5):
        _act(matched, minute, act=act)
    services.undo(matched.annotator, matched.pk, _write(matched, 8))
    services.redo(matched.annotator, matched.pk, _write(matched, 9))
    _submit(matched, 10)
    closed = _assign(skipped, people["chi"])
    services.skip(closed.annotator, closed.pk, [], "unreadable", _write(closed, 11))
    draft = _assign(open_one, people["anna"])
    _act(draft, 12, relation="equal")
    _assign(open_one, people["ben"])
    return task_set


def answer(assignment: Assignment, payload: dict[str, Any]) -> Answer:
    """An answer that came without acts, as an import makes it."""
    study = assignment.task.task_set.study
    made = Answer.objects.create(
        assignment=assignment,
        version=1,
        op_id=uuid4(),
        outcome="submitted",
        payload=payload,
        first_side=assignment.first_side,
        active_seconds=3.25,
        wall_seconds=4,
        template=study.template,
        submitted_at=NOW,
    )
    assignment.status = "submitted"
    assignment.current = made
    assignment.save()
    return made


def make_task(task_set: TaskSet, summary: Summary, content: dict[str, Any]) -> Task:
    """A task about one summary."""
    return Task.objects.create(
        task_set=task_set,
        key=f"{summary.case.external_id}-{summary.producer}",
        position=task_set.tasks.count() + 1,
        case=summary.case,
        summary=summary,
        content=content,
        content_hash=hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest(),
    )


def extraction_payload(item: str, quote: str, start: int, end: int) -> dict[str, Any]:
    span = {"start": start, "end": end, "quote": quote}
    return {"items": {item: {"state": "values", "values": [{"text": "v", "evidence": [span]}]}}}


def _extraction(study: Study, people: dict[str, User], cases: list[Case]) -> None:
    task_set = make_task_set(study, "whole", kind="extraction")
    summary = cases[0].summaries.get(producer="model-one")
    task = make_task(task_set, summary, {"seed_source": ""})
    answer(_assign(task, people["anna"]), extraction_payload("filing_date", "Woodcock", 8, 16))


def _residual(study: Study, people: dict[str, User], cases: list[Case]) -> None:
    task_set = make_task_set(study, "rest", kind="residual", closed_at=NOW)
    text, quote, start, end = GOLDEN[1]
    summary = cases[1].summaries.get()
    assert summary.text == text
    spans = [
        {"start": 0, "end": 4, "quote": text[:4]},
        {"start": start, "end": end, "quote": quote},
    ]
    task = make_task(task_set, summary, {"spans": spans})
    payload = {"facts": [{"text": HOSTILE, "spans": [1]}], "no_fact": [0]}
    answer(_assign(task, people["ben"]), payload)


def _style(study: Study, people: dict[str, User], cases: list[Case]) -> None:
    task_set = make_task_set(study, "style", kind="style")
    summary = cases[0].summaries.get(producer="model-one")
    content = {
        "model_text": HOSTILE, "reference_text": "plain", "model_source": "m",
        "reference_source": "r", "imported_first": "reference",
    }  # fmt: skip
    task = make_task(task_set, summary, content)
    ratings = {aspect: level for level, aspect in enumerate(ASPECTS, 1)}
    answer(_assign(task, people["anna"]), {"ratings": ratings, "reasons": {}})


def _runs(study: Study, people: dict[str, User], task_set: TaskSet) -> None:
    judge = Judge.objects.get_or_create(
        name="gemma", kind="openai", base_url="http://127.0.0.1:9/v1", model="gemma",
        api_key_env="GEMMA_API_KEY", params={"temperature": 0},
    )[0]  # fmt: skip
    run = JudgeRun.objects.create(
        study=study, task_set=task_set, judge=judge, judge_snapshot={"name": "gemma"},
        prompt_hash="0" * 64, code_version="0.1.0", seed=5, swap=True, status="running",
        started_by=people["rita"],
    )  # fmt: skip
    tasks = list(task_set.tasks.order_by("position"))
    answered, unread, asked, waiting = (
        JudgeTask.objects.create(run=run, task=task, first_side="model", status=status, **more)
        for task, status, more in zip(
            tasks,
            ("done", "not_scored", "running", "pending"),
            (
                {"attempts": 2, "finished_at": NOW},
                {"error_kind": "unreadable_prose", "error": HOSTILE},
                {"claimed_by": "secret-host-1", "lease_until": NOW, "attempts": 1},
                {"not_before": NOW},
            ),
            strict=True,
        )
    )
    JudgeTask.objects.create(
        run=run, task=tasks[0], first_side="reference", swapped=True, status="pending"
    )
    _call(answered, 1, error_kind="timeout", error="too slow", tries=[{"kind": "429"}])
    call = _call(answered, 2, reply={"text": HOSTILE}, reply_text=HOSTILE, prompt_tokens=7)
    _call(unread, 1, reply={"deep": [[[[]]]]}, reply_text="prose")
    assert asked.pk < waiting.pk
    Verdict.objects.create(
        judge_task=answered, call=call, payload={"form": "single", "relation": "equal"},
        repairs={"fence": 1}, explanation={"why": HOSTILE}, at=NOW,
    )  # fmt: skip
    MetaEvaluation.objects.create(
        study=study,
        inputs={"runs": [run.pk], "judge": "gemma"},
        seed=11,
        draws=999,
        rows=[{"metric": "kappa", "value": None, "run": run.pk}, {"run": None, "value": 0.5}],
        versions={"gavel": "0.1.0"},
        created_by=people["rita"],
    )


def _call(question: JudgeTask, attempt: int, **fields: Any) -> JudgeCall:
    return JudgeCall.objects.create(
        judge_task=question,
        attempt=attempt,
        request={"messages": [{"role": "user", "content": HOSTILE}]},
        request_hash="f" * 64,
        at=NOW,
        **fields,
    )
