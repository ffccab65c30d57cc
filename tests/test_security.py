"""Hostile texts, headers, cookies, sign-in, uploads: what must hold on every page."""

from __future__ import annotations

import os
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as site_settings
from django.test import Client

from annotation.annotating.services import assignment_of
from annotation.managing.services import set_guidelines
from annotation.models import ImportJob, ImportReport, Study, User
from evaluation.models import JudgeTask, MetaEvaluation
from tests.factories import (
    make_answer,
    make_assignment,
    make_case,
    make_comparison,
    make_member,
    make_run,
    make_task_set,
    make_user,
    make_verdict,
)

ROOT = Path(__file__).resolve().parent.parent
PASSWORD = "a-long-test-password"  # the one that make_user gives

SCRIPT = "<script id=pwned>document.title='pwned'</script>"
ATTRIBUTE = '" onmouseover="pwned()" id=pwned x=\'><img id=pwned src=x onerror=pwned()>'
SVG = "<svg id=pwned onload=pwned()><use href=#x></svg>"
TEMPLATE = "{{7*7}}{% debug %}${7*7}#{7*7}"
BACKWARDS = "\u202eevil\u202c\u2066x\u2069"
CLOSING = "</textarea></title></style></script><b id=pwned>"
FORMULA = '=HYPERLINK("http://x","pwned")'
HOSTILE = " ".join([SCRIPT, ATTRIBUTE, SVG, TEMPLATE, BACKWARDS, CLOSING, FORMULA])

HANDLERS = ("onload", "onerror", "onclick", "onmouseover", "onfocus", "style", "srcdoc")


class Page(HTMLParser):
    """The elements, handlers and texts that a browser would make of a page."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.ids: list[str] = []
        self.bad: list[str] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if given.get("id"):
            self.ids.append(str(given["id"]))
        self.bad += [f"{tag} {name}" for name in given if name in HANDLERS]
        if tag == "script" and not given.get("src"):
            self.bad.append("script without src")
        if tag in ("style", "iframe", "object", "embed", "base"):
            self.bad.append(tag)
        for name in ("href", "src", "action", "formaction"):
            value = (given.get(name) or "").strip().lower()
            elsewhere = value.startswith(("//", "http:", "https:")) and tag != "a"
            if elsewhere or value.startswith(("javascript:", "data:", "vbscript:")):
                self.bad.append(f"{tag} {name}={value}")

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture
def paths(study: Study, annotator: User, admin: User) -> dict[str, list[str]]:
    """Addresses of every kind of page of a study in which every text is hostile, by user name."""
    study.name, study.description = HOSTILE[:200], HOSTILE
    study.save()
    annotator.first_name, annotator.last_name = SCRIPT, SVG
    annotator.save()
    study.memberships.filter(user=annotator).update(pseudonym=SCRIPT[:40])
    set_guidelines(study, HOSTILE + "\n\n[go](javascript:pwned())\n\n![i](https://x/y.png)")
    make_case(study, "<i id=pwned>7", title=HOSTILE[:300], case_type=HOSTILE[:200])
    pairs = make_task_set(study, "pairs")
    pairs.title = HOSTILE[:200]
    pairs.save()
    make_task_set(study, "other-pairs")
    kinds = (HOSTILE, [HOSTILE, "b"])
    tasks = [
        make_comparison(
            pairs, value, value, case_id="<i id=pwned>7",
            model_source=HOSTILE, reference_source=HOSTILE,
        )
        for value in kinds
    ]  # fmt: skip
    unknown = make_comparison(pairs, "a", "b", item_key="<b id=pwned>unknown")
    open_ones = [make_assignment(task, annotator) for task in tasks]
    open_ones[0].draft = {"comment": HOSTILE, "flagged": True, "flag_reason": HOSTILE}
    open_ones[0].version = 1
    open_ones[0].save()
    answered = make_assignment(unknown, annotator)
    make_answer(answered, {"form": "single", "relation": "equal"}, comment=HOSTILE, flagged=True)
    skipped = make_assignment(tasks[0], make_member(study, "annotator", "bert"))
    make_answer(skipped, None, skip_reason=HOSTILE, comment=HOSTILE)
    run = make_run(pairs, judge="hostile")
    run.error = HOSTILE
    run.judge_snapshot = {"name": HOSTILE, "model": HOSTILE, "params": {HOSTILE: HOSTILE}}
    run.save()
    first, second, third = run.judge_tasks.order_by("pk")
    make_verdict(
        first,
        {"form": "single", "relation": "equal"},
        reply_text=HOSTILE,
        reply={"choices": [HOSTILE]},
        notes=[HOSTILE],
        tries=[{"kind": HOSTILE, "message": HOSTILE}],
        served_model=HOSTILE[:200],
        error_kind=SCRIPT[:40],
        error=HOSTILE,
    )
    first.verdict.explanation = {HOSTILE: HOSTILE}
    first.verdict.repairs = {HOSTILE: 1}
    first.verdict.save()
    make_verdict(third, {"form": "single", "relation": "different"})
    second.status = JudgeTask.Status.NOT_SCORED
    second.error, second.error_kind = HOSTILE, SCRIPT[:40]
    second.save()
    row = {"metric": HOSTILE, "subject": HOSTILE, "task_set": HOSTILE, "stratum": HOSTILE,
           "level": HOSTILE, "undefined_reason": HOSTILE, "value": None, "low": None}  # fmt: skip
    saved = MetaEvaluation.objects.create(
        study=study, seed=0, draws=1, rows=[row], versions={HOSTILE: HOSTILE},
        inputs={"gold": HOSTILE, "method": HOSTILE, "runs": [HOSTILE]},
    )  # fmt: skip
    file = {"path": HOSTILE, "status": HOSTILE, "created": 0, "unchanged": 0,
            "repairs": {HOSTILE: 1}, "problems": [HOSTILE]}  # fmt: skip
    report = ImportReport.objects.create(
        study=study, source=HOSTILE[:500], kind=SCRIPT[:40],
        report={"files": [file], "totals": {"read": HOSTILE}},
    )  # fmt: skip
    job = ImportJob.objects.create(
        study=study, format="comparison", names=[HOSTILE], options={"task_set": HOSTILE},
        status="checked", preview={"files": [file], "totals": {}},
    )  # fmt: skip
    lost = ImportJob.objects.create(
        study=study, format=SCRIPT[:40], names=[HOSTILE] * 9, status="failed", error=HOSTILE
    )
    base = "/studies/study/"
    return {
        "anna": [
            "/", base, f"/work/{pairs.pk}/", f"/work/{pairs.pk}/guidelines/",
            *(f"/work/a/{one.pk}/?row={SCRIPT}&panel=comment" for one in [*open_ones, answered]),
            f"/work/a/{open_ones[1].pk}/?from={answered.pk}",
        ],
        "ada-admin": [
            "/", "/account/", base, f"{base}people/", f"{base}imports/",
            f"{base}imports/{report.pk}/?show={SCRIPT}&sort={SCRIPT}", f"{base}imports/new/",
            *(f"{base}uploads/{one.pk}/" for one in (job, lost)),
            f"{base}sets/pairs/", f"{base}sets/pairs/assign/",
            f"{base}sets/pairs/?case={SCRIPT}&item={SCRIPT}&page={SCRIPT}",
            *(f"{base}sets/pairs/tasks/{task.pk}/" for task in [*tasks, unknown]),
            f"{base}runs/", f"{base}runs/{run.pk}/", f"{base}runs/{run.pk}/?status={SCRIPT}",
            f"{base}runs/{run.pk}/progress/", f"{base}export/",
            *(f"{base}questions/{one.pk}/" for one in (first, second, third)),
            *(f"{base}verdicts/{task.pk}/" for task in [*tasks, unknown]),
            f"{base}agreement/judges/", f"{base}agreement/people/",
            f"{base}agreement/pairs/rows/", f"{base}agreement/pairs/rows/?run={run.pk}",
            f"{base}agreement/pairs/ratings/", f"{base}agreement/saved/{saved.pk}/",
        ],
    }  # fmt: skip


def check(html: str) -> Page:
    page = Page(html)
    assert "pwned" not in page.ids
    assert page.bad == []
    return page


@pytest.mark.parametrize("html", [SCRIPT, ATTRIBUTE, SVG, CLOSING, f'<p title="{ATTRIBUTE}">'])
def test_the_check_sees_what_is_not_escaped(html: str) -> None:
    page = Page(html)
    assert "pwned" in page.ids or page.bad


def test_hostile_texts_are_shown_as_text(
    paths: dict[str, list[str]], annotator: User, admin: User, as_user: Any
) -> None:
    shown = ""
    for user in (annotator, admin):
        client = as_user(user)
        for path in paths[user.username]:
            response = client.get(path)
            assert response.status_code in (200, 286), path
            page = check(response.content.decode())
            assert "{{7*7}}" in page.text or "49" not in page.text.split(), path
            shown += page.text
    # The words are there, as they were written: nothing was dropped to be safe.
    for text in (SCRIPT, ATTRIBUTE, SVG, TEMPLATE, BACKWARDS, FORMULA):
        assert text in shown


def test_what_is_sent_back_in_an_error_is_text(
    paths: dict[str, list[str]], annotator: User, admin: User, as_user: Any
) -> None:
    own, chief = as_user(annotator), as_user(admin)
    answers = [
        chief.post("/studies/study/people/", {"username": SCRIPT, "role": SVG}),
        chief.post("/studies/study/runs/", {"judge": SCRIPT, "repeats": SVG}),
        chief.post("/studies/study/export/", {"format": SCRIPT}),
        chief.post("/studies/study/imports/new/", {"format": SCRIPT, "case-case_id": SVG}),
        chief.post("/account/", {"theme": SVG, "time_zone": SCRIPT}),
        chief.get("/studies/study/agreement/judges/", {"set": SCRIPT}),
        own.get(f"/work/9/{SCRIPT}"),
        Client().post("/login/", {"username": ATTRIBUTE, "password": "x", "next": ATTRIBUTE}),
    ]
    assert [answer.status_code for answer in answers] == [422, 422, 422, 422, 422, 404, 404, 200]
    for answer in answers:
        check(answer.content.decode())


def test_a_conflict_page_shows_both_sides_as_text(
    paths: dict[str, list[str]], annotator: User, as_user: Any
) -> None:
    number = next(p for p in paths["anna"] if "/work/a/" in p).split("/")[3]
    response = as_user(annotator).post(
        f"/work/a/{number}/act/",
        {"version": 99, "op_id": "0" * 32, "note": "1", "comment": HOSTILE, "flagged": "on",
         "flag_reason": ATTRIBUTE, SCRIPT: ATTRIBUTE},
    )  # fmt: skip
    assert response.status_code == 409
    check(response.content.decode())
    assert assignment_of(annotator, int(number)).version == 1


def test_tables_for_spreadsheets_hold_no_formula(
    paths: dict[str, list[str]], admin: User, as_user: Any
) -> None:
    MetaEvaluation.objects.update(rows=[{"metric": FORMULA, "subject": "@x", "task_set": "-1+1"}])
    saved = next(p for p in paths["ada-admin"] if "/saved/" in p)
    response = as_user(admin).get(saved, {"format": "csv"})
    assert response["Content-Type"].startswith("text/csv")
    text = response.content.decode()
    assert "'=HYPERLINK" in text
    assert "'@x" in text
    assert "'-1+1" in text


POLICY = {
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:",
    "font-src 'self'", "connect-src 'self'", "form-action 'self'", "frame-ancestors 'none'",
    "base-uri 'none'",
}  # fmt: skip


def test_every_answer_carries_the_headers(as_user: Any, study: Study, admin: User) -> None:
    chief, nobody = as_user(admin), Client()
    answers = {
        "page": chief.get("/studies/study/"),
        "refused form": chief.post("/account/", {}),
        "not found": chief.get("/nothing/"),
        "wrong method": chief.post("/"),
        "domain error": chief.get("/studies/nothing/"),
        "api": chief.get("/api/v1/studies/"),
        "api error": nobody.get("/api/v1/studies/"),
        "schema page": chief.get("/api/v1/docs/"),
        "login": nobody.get("/login/"),
        "sent to login": nobody.get("/"),
        "health": nobody.get("/health/"),
        "csrf": Client(enforce_csrf_checks=True).post("/login/", {}),
    }
    for name, answer in answers.items():
        given = {part.strip() for part in answer["Content-Security-Policy"].split(";")}
        assert given == POLICY, name
        assert answer["X-Frame-Options"] == "DENY", name
        assert answer["X-Content-Type-Options"] == "nosniff", name
        assert answer["Referrer-Policy"] == "same-origin", name
        assert answer["Cross-Origin-Opener-Policy"] == "same-origin", name
        assert "no-store" in answer["Cache-Control"], name
        assert "private" in answer["Cache-Control"], name


def test_static_files_carry_the_policy_and_may_be_cached(db: None) -> None:
    answer = Client().get("/static/css/base.css")
    assert b"".join(answer.streaming_content)
    assert answer.status_code == 200
    assert "default-src 'none'" in answer["Content-Security-Policy"]
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert "no-store" not in answer.get("Cache-Control", "")


def test_a_page_that_broke_carries_the_headers_too(
    admin: User, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = Client(raise_request_exception=False)
    client.force_login(admin)

    def broken(*_: Any) -> None:
        raise RuntimeError("secret-in-a-traceback")

    monkeypatch.setattr("annotation.managing.pages.study_page", broken)
    answer = client.get("/studies/study/")
    assert answer.status_code == 500
    assert "default-src 'none'" in answer["Content-Security-Policy"]
    assert "no-store" in answer["Cache-Control"]
    assert "secret-in-a-traceback" not in answer.content.decode()


def test_cookies_are_out_of_reach_of_scripts_and_other_sites(researcher: User) -> None:
    client = Client()
    client.post("/login/", {"username": "rita", "password": PASSWORD})
    session, csrf = client.cookies["sessionid"], client.cookies["csrftoken"]
    assert session["httponly"]
    assert (session["samesite"], csrf["samesite"]) == ("Lax", "Lax")


def test_production_sends_cookies_over_https_alone(tmp_path: Path) -> None:
    code = (
        "import django; django.setup()\n"
        "from django.conf import settings as s\n"
        "names = ('SESSION_COOKIE_SECURE', 'CSRF_COOKIE_SECURE', 'SECURE_SSL_REDIRECT')\n"
        "print([getattr(s, n) for n in names], s.SECURE_HSTS_SECONDS, s.DEBUG)\n"
    )
    env = {
        "PATH": os.environ["PATH"],
        "DJANGO_SETTINGS_MODULE": "gavel_site.settings",
        "GAVEL_PRODUCTION": "1",
        "GAVEL_SECRET_KEY": "k" * 50 + "0123456789",
        "DATABASE_URL": f"sqlite:///{tmp_path / 'db.sqlite3'}",
    }
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=env, capture_output=True, text=True, check=True
    )
    assert done.stdout.split("\n")[0] == "[True, True, True] 31536000 False"


def sign_in(client: Client, password: str, name: str = "rita", **more: str) -> Any:
    return client.post("/login/", {"username": name, "password": password, **more})


def test_guessing_a_password_is_stopped_with_a_sentence(researcher: User, settings: Any) -> None:
    settings.AXES_FAILURE_LIMIT = 3
    client = Client()
    answers = [sign_in(client, f"guess-{n}") for n in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert "Wait a quarter of an hour" in answers[-1].content.decode()
    locked = sign_in(client, PASSWORD)
    assert locked.status_code == 429
    assert "sessionid" not in client.cookies


def test_one_locked_name_does_not_lock_others(researcher: User, settings: Any) -> None:
    settings.AXES_FAILURE_LIMIT = 2
    make_user("sam")
    for n in range(3):
        sign_in(Client(), f"guess-{n}")
    assert sign_in(Client(), PASSWORD, "sam").status_code == 302


def test_a_right_password_clears_the_count(researcher: User, settings: Any) -> None:
    settings.AXES_FAILURE_LIMIT = 3
    for _ in range(3):
        assert sign_in(Client(), "guess").status_code == 200
        assert sign_in(Client(), "guess").status_code == 200
        assert sign_in(Client(), PASSWORD).status_code == 302


def test_a_failed_sign_in_does_not_say_whether_the_name_exists(researcher: User) -> None:
    def words(name: str) -> str:
        return Page(sign_in(Client(), "guess", name).content.decode()).text

    assert words("rita") == words("nobody")


@pytest.mark.parametrize(
    "target", ["https://example.org/", "//example.org", "/\\example.org", "javascript:alert(1)"]
)
def test_signing_in_leads_nowhere_else(researcher: User, target: str) -> None:
    assert sign_in(Client(), PASSWORD, next=target)["Location"] == "/"
    asked = Client().post(f"/login/?next={target}", {"username": "rita", "password": PASSWORD})
    assert asked["Location"] == "/"


def test_signing_in_leads_back_to_the_page_asked_for(researcher: User) -> None:
    assert sign_in(Client(), PASSWORD, next="/studies/study/")["Location"] == "/studies/study/"


def test_a_session_from_before_signing_in_is_not_kept(researcher: User) -> None:
    client = Client()
    session = client.session
    session["planted"] = True
    session.save()
    before = session.session_key
    sign_in(client, PASSWORD)
    assert client.cookies["sessionid"].value != before
    after = client.cookies["sessionid"].value
    client.post("/logout/")
    client.cookies["sessionid"] = after
    assert client.get("/account/").status_code == 302


POSTS = (
    "/login/", "/logout/", "/account/", "/account/token/", "/studies/study/people/",
    "/studies/study/sets/pairs/assign/", "/studies/study/runs/", "/studies/study/runs/1/act/",
    "/studies/study/agreement/saved/", "/studies/study/export/", "/api/v1/studies/",
    "/studies/study/imports/new/", "/studies/study/uploads/1/act/",
    *(f"/work/a/1/{act}/" for act in
      ("act", "submit", "skip", "undo", "redo", "reopen", "visit", "fast")),
    "/admin/auth/group/add/",
)  # fmt: skip


@pytest.mark.parametrize("path", POSTS)
def test_a_post_without_the_csrf_token_is_refused(path: str, study: Study) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(make_user("chief", is_staff=True, is_superuser=True))
    response = client.post(path, {})
    assert response.status_code == 403
    assert "CSRF" in response.content.decode() or "form" in response.content.decode()


def test_every_address_that_takes_a_post_stands_in_the_list_above() -> None:
    from tests.test_permissions import TABLE

    takes = {route for route, row in TABLE.items() if row.post.split()[-1] != "405"}
    filled = {
        route.replace("<slug:slug>", "study")
        .replace("<slug:key>", "pairs")
        .replace("<int:pk>", "1")
        for route in takes
    }
    assert {f"/{route}" for route in filled} <= set(POSTS)


def test_a_body_beyond_the_limit_is_refused(as_user: Any, researcher: User) -> None:
    too_much = "x" * (site_settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1)
    response = as_user(researcher).post("/account/", {"time_zone": too_much})
    assert response.status_code in (400, 413)
    many = {f"f{n}": "x" for n in range(1001)}
    assert as_user(researcher).post("/account/", many).status_code == 400


def test_no_page_names_another_host(as_user: Any, admin: User, study: Study) -> None:
    for path in ("/", "/account/", "/studies/study/", "/api/v1/docs/", "/login/"):
        text = as_user(admin).get(path).content.decode()
        assert "http://" not in text, path
        assert "https://" not in text, path
