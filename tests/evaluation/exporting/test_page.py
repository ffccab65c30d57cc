"""The page and the admin: who may export, and what they get."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.contrib import admin as django_admin
from django.urls import reverse

from agent.models import Judge
from annotation.models import AuditEntry, Study, User
from evaluation.exporting.verifying import verify
from tests.evaluation.exporting.studies import make_rich_study
from tests.factories import make_comparison, make_member, make_task_set, make_user

pytestmark = pytest.mark.django_db
BUNDLE = {"format": "bundle", "task_set": ""}


def url(study: Study) -> str:
    return reverse("exporting:export", args=[study.slug])


def unpacked(response: Any, to: Path) -> Path:
    raw = b"".join(response.streaming_content)
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        archive.extractall(to)
    return next(to.iterdir())


@pytest.mark.parametrize(
    ("role", "status"),
    [("annotator", 403), ("adjudicator", 403), ("researcher", 200), ("admin", 200), (None, 404)],
)
def test_who_may_export(study: Study, as_user: Any, role: str | None, status: int) -> None:
    user = make_member(study, role, "somebody") if role else make_user("somebody")
    assert as_user(user).get(url(study)).status_code == status
    response = as_user(user).post(url(study), BUNDLE)
    assert response.status_code == status
    assert response.headers["Content-Type"].startswith("application/zip") is (status == 200)
    assert AuditEntry.objects.filter(action="study.exported").count() == (status == 200)
    assert b"".join(response)


def test_nobody_exports_without_logging_in(study: Study, client: Any) -> None:
    assert client.post(url(study), BUNDLE).status_code == 302


def test_the_download_is_a_bundle_that_verifies(as_user: Any, tmp_path: Path) -> None:
    study = make_rich_study()
    rita = User.objects.get(username="rita-secret-rich")
    response = as_user(rita).post(url(study), BUNDLE)
    assert response.headers["Content-Disposition"] == 'attachment; filename="rich-bundle.zip"'
    folder = unpacked(response, tmp_path)
    assert folder.name == "rich-bundle"
    assert verify(folder) == []


def test_the_same_study_gives_the_same_zip(as_user: Any) -> None:
    study = make_rich_study()
    client = as_user(User.objects.get(username="rita-secret-rich"))
    first, second = (b"".join(client.post(url(study), BUNDLE).streaming_content) for _ in range(2))
    assert first == second


def test_tables_of_one_set_can_be_chosen(as_user: Any, tmp_path: Path) -> None:
    study = make_rich_study()
    client = as_user(User.objects.get(username="rita-secret-rich"))
    data = {"format": "csv", "task_set": "pairs", "include": ["skipped", "drafts"]}
    folder = unpacked(client.post(url(study), data), tmp_path)
    assert folder.name == "rich-pairs-csv"
    assert b",skipped," in (folder / "answers.csv").read_bytes()


def test_the_page_shows_what_there_is_and_how_to_check_it(as_user: Any) -> None:
    study = make_rich_study()
    page = as_user(User.objects.get(username="rita-secret-rich")).get(url(study))
    text = page.content.decode()
    pairs = next(row for row in page.context["sets"] if row["task_set"].key == "pairs")
    assert {k: pairs[k] for k in ("submitted", "skipped", "flagged", "drafts")} == {
        "submitted": 3,
        "skipped": 1,
        "flagged": 1,
        "drafts": 2,
    }
    assert "verify_export" in text
    assert "import_bundle" in text
    assert "This study is synthetic" in text


def test_a_choice_that_does_not_fit_is_explained_on_the_page(as_user: Any) -> None:
    study = make_rich_study()
    client = as_user(User.objects.get(username="rita-secret-rich"))
    response = client.post(url(study), {"format": "answers", "task_set": "rest"})
    assert response.status_code == 422
    assert (
        "this format is of checklist comparison and writing style alone"
        in response.content.decode()
    )
    response = client.post(url(study), {"format": "xlsx"})
    assert response.status_code == 422


def test_a_task_set_of_another_study_cannot_be_chosen(
    study: Study, researcher: User, as_user: Any
) -> None:
    make_rich_study()
    response = as_user(researcher).post(url(study), {"format": "csv", "task_set": "pairs"})
    assert response.status_code == 422


@pytest.fixture
def root(db: None) -> User:
    return User.objects.create_superuser("root", password="a-long-test-password")


def test_every_list_and_row_of_the_admin_opens(root: User, as_user: Any) -> None:
    make_rich_study()
    client = as_user(root)
    client.get(reverse("admin:index"))
    for model, model_admin in django_admin.site._registry.items():
        if model._meta.app_label not in ("annotation", "agent", "evaluation"):
            continue
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        assert client.get(reverse(f"{name}_changelist")).status_code == 200, name
        row = model_admin.get_queryset(None).first()  # type: ignore[arg-type]
        if row is not None:
            assert client.get(reverse(f"{name}_change", args=[row.pk])).status_code == 200, name
            response = client.post(reverse(f"{name}_delete", args=[row.pk]), {"post": "yes"})
            assert response.status_code == 403, name


@pytest.mark.parametrize("model", ["answer", "event", "auditentry", "assignment", "case"])
def test_what_services_write_cannot_be_added_or_changed(
    root: User, as_user: Any, model: str
) -> None:
    make_rich_study()
    client = as_user(root)
    row = next(
        m for m in django_admin.site._registry if m._meta.model_name == model
    )._default_manager.first()
    assert client.get(reverse(f"admin:annotation_{model}_add")).status_code == 403
    change = reverse(f"admin:annotation_{model}_change", args=[row.pk])
    assert client.post(change, {"comment": "x"}).status_code == 403


def test_the_admin_exports_a_study_or_a_task_set(root: User, as_user: Any, tmp_path: Path) -> None:
    study = make_rich_study()
    client = as_user(root)
    action = {"action": "export_annotation_set"}
    of_study = client.post(
        reverse("admin:annotation_study_changelist"), {**action, "_selected_action": [study.pk]}
    )
    assert verify(unpacked(of_study, tmp_path / "a")) == []
    pairs = study.task_sets.get(key="pairs")
    of_set = client.post(
        reverse("admin:annotation_taskset_changelist"), {**action, "_selected_action": [pairs.pk]}
    )
    folder = unpacked(of_set, tmp_path / "b")
    assert (folder.name, verify(folder)) == ("rich-pairs-csv", [])


def test_the_admin_exports_one_at_a_time(root: User, as_user: Any) -> None:
    study = make_rich_study()
    sets = list(study.task_sets.values_list("pk", flat=True))
    response = as_user(root).post(
        reverse("admin:annotation_taskset_changelist"),
        {"action": "export_annotation_set", "_selected_action": sets},
        follow=True,
    )
    assert "Choose one row" in response.content.decode()


JUDGE = {
    "name": "new-judge", "kind": "openai", "base_url": "http://vllm:8000/v1/", "model": "m",
    "api_key_env": "MY_KEY", "params": "{}", "timeout_seconds": 60, "concurrency": 2,
    "is_active": "on",
}  # fmt: skip


def test_admins_make_judges(root: User, as_user: Any) -> None:
    as_user(root).post(reverse("admin:agent_judge_add"), JUDGE)
    judge = Judge.objects.get(name="new-judge")
    assert (judge.base_url, judge.params) == ("http://vllm:8000/v1", {})
    assert AuditEntry.objects.get(action="judge.added").actor == root


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("base_url", "http://user:secret@host/v1", "Leave names and passwords out"),
        ("base_url", "file:///etc/passwd", "is no http or https address"),
        ("api_key_env", "sk-1234567890", "never a key"),
        ("params", "[1]", "Give a JSON object"),
        ("name", "rules", "the built-in baseline"),
    ],
)
def test_a_judge_that_cannot_be_is_refused_with_words(
    root: User, as_user: Any, field: str, value: str, words: str
) -> None:
    before = Judge.objects.count()
    response = as_user(root).post(reverse("admin:agent_judge_add"), {**JUDGE, field: value})
    assert words in response.content.decode()
    assert Judge.objects.count() == before


def test_what_a_run_depends_on_is_fixed_once_a_judge_has_one(root: User, as_user: Any) -> None:
    make_rich_study()
    judge = Judge.objects.get(name="gemma")
    change = reverse("admin:agent_judge_change", args=[judge.pk])
    as_user(root).post(change, {**JUDGE, "concurrency": 9})
    judge.refresh_from_db()
    assert (judge.name, judge.model, judge.concurrency) == ("gemma", "gemma", 9)


def test_members_are_added_with_a_pseudonym_that_is_drawn(
    root: User, study: Study, as_user: Any
) -> None:
    anna = make_user("anna")
    as_user(root).post(
        reverse("admin:annotation_membership_add"),
        {"study": study.pk, "user": anna.pk, "role": "annotator"},
    )
    assert study.memberships.get(user=anna).pseudonym == "annotator-1"
    assert AuditEntry.objects.filter(action="member.set", actor=root).count() == 1


def test_lists_of_the_admin_do_not_ask_once_a_row(
    root: User, study: Study, as_user: Any, django_assert_max_num_queries: Any
) -> None:
    task_set = make_task_set(study)
    for n in range(30):
        make_comparison(task_set, "a", f"b{n}", case_id=f"c{n}")
    client = as_user(root)
    with django_assert_max_num_queries(12):
        client.get(reverse("admin:annotation_task_changelist"))
