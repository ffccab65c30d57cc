"""Small functions that make rows for tests; each takes what matters and fills the rest."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from annotation.managing.services import add_member, create_study
from annotation.models import Case, Study, Summary, Task, TaskSet, User


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
