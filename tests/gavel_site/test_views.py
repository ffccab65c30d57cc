"""Start page, own account, health, design samples."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from annotation.models import Study, User
from tests.factories import make_assignment, make_comparison, make_study, make_task_set, make_user


def text(client: Client, path: str) -> str:
    response = client.get(path)
    assert response.status_code == 200
    return response.content.decode()


def test_health_says_nothing_but_that_all_is_well(db: None) -> None:
    response = Client().get("/health/")
    assert response.json() == {"status": "ok"}


def test_the_start_page_leads_to_ones_studies_and_tasks(
    as_user: Any, annotator: User, study: Study
) -> None:
    make_study("not-mine")
    task_set = make_task_set(study)
    for _ in range(3):
        make_assignment(make_comparison(task_set, "a", "b"), annotator)
    page = text(as_user(annotator), "/")
    assert "/studies/study/" in page
    assert "not-mine" not in page
    assert f"/work/{task_set.pk}/" in page
    assert "0 of 3 done" in page


def test_the_start_page_of_somebody_without_a_study_says_whom_to_ask(
    as_user: Any, outsider: User
) -> None:
    assert "Ask the person who runs yours" in text(as_user(outsider), "/")


def test_a_site_admin_sees_all_studies(as_user: Any, study: Study) -> None:
    make_study("second")
    page = text(as_user(make_user("chief", is_superuser=True)), "/")
    assert "/studies/study/" in page
    assert "/studies/second/" in page


def test_the_start_page_asks_the_same_number_of_queries_for_many_studies(
    as_user: Any, django_assert_num_queries: Any, study: Study
) -> None:
    client = as_user(make_user("chief", is_superuser=True))
    # session, person, roles, studies, counts of own tasks
    with django_assert_num_queries(5):
        client.get("/")
    for n in range(10):
        make_study(f"study-{n}")
    with django_assert_num_queries(5):
        client.get("/")


def settings_form(**changes: str) -> dict[str, str]:
    return {
        "theme": "dark",
        "density": "compact",
        "text_size": "l",
        "time_zone": "America/New_York",
        "single_keys": "on",
        **changes,
    }


def test_settings_are_kept_and_shape_the_pages(as_user: Any, annotator: User) -> None:
    client = as_user(annotator)
    response = client.post("/account/", settings_form(), follow=True)
    assert "Your settings are saved" in response.content.decode()
    annotator.refresh_from_db()
    assert (annotator.theme, annotator.time_zone) == ("dark", "America/New_York")
    page = text(client, "/")
    assert 'data-theme="dark"' in page
    assert 'data-size="l"' in page
    assert 'data-density="compact"' in page


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("time_zone", "Mars/Olympus", "no known time zone"),
        ("time_zone", "../../etc/passwd", "no known time zone"),
        ("theme", "neon", "Select a valid choice"),
    ],
)
def test_a_setting_that_cannot_be_is_refused_in_words(
    as_user: Any, annotator: User, field: str, value: str, words: str
) -> None:
    response = as_user(annotator).post("/account/", settings_form(**{field: value}))
    assert response.status_code == 422
    assert words in response.content.decode()
    annotator.refresh_from_db()
    assert annotator.theme == "system"


def test_the_form_changes_nothing_that_it_does_not_show(as_user: Any, annotator: User) -> None:
    as_user(annotator).post(
        "/account/", settings_form(is_superuser="on", is_staff="on", username="root")
    )
    annotator.refresh_from_db()
    assert (annotator.username, annotator.is_superuser, annotator.is_staff) == (
        "anna", False, False,
    )  # fmt: skip


def test_times_are_shown_in_the_zone_of_the_person(as_user: Any, admin: User, study: Study) -> None:
    import datetime as dt

    from annotation.models import ImportReport

    report = ImportReport.objects.create(
        study=study, source="a.json", kind="comparison", report={"files": [], "totals": {}}
    )
    at = dt.datetime(2026, 1, 15, 3, 30, tzinfo=dt.UTC)
    ImportReport.objects.filter(pk=report.pk).update(created_at=at)
    assert "15 Jan 2026, 03:30" in text(as_user(admin), "/studies/study/imports/")
    User.objects.filter(pk=admin.pk).update(time_zone="America/New_York")
    assert "14 Jan 2026, 22:30" in text(as_user(admin), "/studies/study/imports/")
    User.objects.filter(pk=admin.pk).update(time_zone="Nowhere/AtAll")
    assert "15 Jan 2026, 03:30" in text(as_user(admin), "/studies/study/imports/")


def test_signing_out_ends_the_session(as_user: Any, annotator: User) -> None:
    client = as_user(annotator)
    assert client.post("/logout/")["Location"] == "/login/"
    assert client.get("/")["Location"] == "/login/?next=/"
