"""Suggestions are shown only where the study asks for them, and never as a match."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.models import Study, User
from tests.factories import make_assignment, make_comparison, make_task_set

pytestmark = pytest.mark.django_db

MODEL = ["May 1, 2020: filed", "the monitor resigned"]
REFERENCE = ["a bed for all", "Filed on 1 May 2020"]


def page(study: Study, annotator: User, as_user: Any, options: dict[str, Any]) -> str:
    task_set = make_task_set(study, options=options)
    task = make_comparison(task_set, MODEL, REFERENCE)
    assignment = make_assignment(task, annotator)
    return str(as_user(annotator).get(f"/work/a/{assignment.pk}/").content.decode())


def test_a_likely_counterpart_is_named_with_its_reason(
    study: Study, annotator: User, as_user: Any
) -> None:
    html = page(study, annotator, as_user, {"suggestions": True})
    assert html.count('class="suggestion"') == 1
    assert 'title="same date"' in html
    assert "0</dd></div><div><dt>none" in html.replace("\n", "")  # no pair was made


def test_nothing_is_suggested_unless_the_study_says_so(
    study: Study, annotator: User, as_user: Any
) -> None:
    assert "suggestion" not in page(study, annotator, as_user, {})
