"""Small functions that make rows for tests; each takes what matters and fills the rest."""

from __future__ import annotations

import hashlib
import json
import uuid
from typing import Any

from django.utils import timezone

from agent.models import Judge
from annotation.managing.services import add_member, create_study
from annotation.models import Answer, Assignment, Case, Study, Summary, Task, TaskSet, User
from evaluation.models import JudgeCall, JudgeRun, JudgeTask, Verdict


def make_user(name: str, **fields: Any) -> User:
    return User.objects.create_user(username=name, password="a-long-test-password", **fields)


def make_study(slug: str = "study", **fields: Any) -> Study:
    return create_study(slug, **fields)


def make_member(study: Study, role: str, name: str) -> User:
    user = make_user(name)
    add_member(study, user, role)
    return user


def make_case(study: Study, external_id: str = "1001", **fields: Any) -> Case:
    return Case.objects.get_or_create(study=study, external_id=external_id, defaults=fields)[0]


def make_summary(case: Case, text: str, producer: str = "reference", **fields: Any) -> Summary:
    return Summary.objects.create(
        case=case,
        kind="reference" if producer == "reference" else "model",
        producer=producer,
        text=text,
        original_sha256=hashlib.sha256(text.encode()).hexdigest(),
        word_count=len(text.split()),
        **fields,
    )


def make_task_set(study: Study, key: str = "pairs", kind: str = "comparison", **f: Any) -> TaskSet:
    return TaskSet.objects.create(study=study, key=key, title=key.title(), kind=kind, **f)


def make_comparison(
    task_set: TaskSet,
    model: list[str] | str,
    reference: list[str] | str,
    *,
    case_id: str = "1001",
    item_key: str = "filing_date",
    **content: Any,
) -> Task:
    """A single-value task from two strings, a list task from two lists."""
    single = isinstance(model, str)
    full = {
        "form": "single" if single else "list",
        "model": [model] if single else model,
        "reference": [reference] if single else reference,
        "model_source": "model-one",
        "reference_source": "reference",
        "imported_first": None,
        **content,
    }
    position = task_set.tasks.count() + 1
    return Task.objects.create(
        task_set=task_set,
        key=f"{case_id}-{item_key}-{position}",
        position=position,
        case=make_case(task_set.study, case_id),
        item_key=item_key,
        form=full["form"],
        content=full,
        content_hash=hashlib.sha256(json.dumps(full, sort_keys=True).encode()).hexdigest(),
    )


def make_assignment(task: Task, annotator: User, **fields: Any) -> Assignment:
    position = Assignment.objects.filter(annotator=annotator).count() + 1
    full = {"position": position, "first_side": "model", **fields}
    return Assignment.objects.create(task=task, annotator=annotator, **full)


def make_answer(assignment: Assignment, payload: Any = None, **fields: Any) -> Answer:
    """The next version of an answer, which now counts; without a payload the task is skipped."""
    full = {
        "version": assignment.answers.count() + 1,
        "op_id": uuid.uuid4(),
        "outcome": "skipped" if payload is None else "submitted",
        "payload": payload,
        "first_side": assignment.first_side,
        "template": assignment.task.task_set.study.template,
        "submitted_at": timezone.now(),
        **fields,
    }
    answer = Answer.objects.create(assignment=assignment, **full)
    assignment.current = answer
    assignment.status = full["outcome"]
    assignment.save()
    return answer


def make_run(task_set: TaskSet, *, judge: str = "rules", status: str = "done") -> JudgeRun:
    """A run of a rules judge, with a question a task and no answer yet."""
    row = Judge.objects.get_or_create(name=judge, defaults={"kind": "rules"})[0]
    run = JudgeRun.objects.create(
        study=task_set.study,
        task_set=task_set,
        judge=row,
        judge_snapshot={"name": judge, "kind": "rules", "params": {}},
        prompt_hash="0" * 64,
        code_version="test",
        seed=0,
        status=status,
    )
    JudgeTask.objects.bulk_create(
        JudgeTask(run=run, task=task, first_side="model") for task in task_set.tasks.all()
    )
    return run


def make_verdict(question: JudgeTask, payload: dict[str, Any], **fields: Any) -> Verdict:
    """The answer to one question of a run, read from one call."""
    now = timezone.now()
    call = JudgeCall.objects.create(
        judge_task=question, attempt=1, request={}, request_hash="0" * 64, at=now, **fields
    )
    question.status = JudgeTask.Status.DONE
    question.finished_at = now
    question.save()
    return Verdict.objects.create(judge_task=question, call=call, payload=payload, at=now)
