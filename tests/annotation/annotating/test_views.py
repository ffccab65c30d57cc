"""The work pages without script: plain forms do everything, and nobody sees another's work."""

from __future__ import annotations

import re
from html import unescape
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from annotation.models import Answer, Assignment, Event, TaskSet, User
from tests.design.html_checks import (
    duplicate_ids,
    foreign_loads,
    inline_code,
    key_clashes,
    undocumented_keys,
)
from tests.factories import make_case, make_comparison, make_member, make_task_set

HOSTILE = (
    "<b>x</b>\"'><img src=x onerror=alert(1)> {{7*7}} {% now %} &lt; "
    "\u202e\u05e9 R&D 28\u00a0U.S.C. \U0001f600"
)


def assign(task: Any, user: User, first_side: str = "reference") -> Assignment:
    return Assignment.objects.create(
        task=task,
        annotator=user,
        first_side=first_side,
        position=Assignment.objects.of(user).count() + 1,
    )


@pytest.fixture
def single(study: Any, annotator: User) -> Assignment:
    return assign(make_comparison(make_task_set(study), "July 18", "July 21"), annotator)


@pytest.fixture
def lists(study: Any, annotator: User, single: Assignment) -> Assignment:
    task = make_comparison(single.task.task_set, ["m1", "m2"], ["r1", "r2"], item_key="parties")
    return assign(task, annotator)


@pytest.fixture
def anna(annotator: User, as_user: Any) -> Any:
    return as_user(annotator)


def fields_of(html: str) -> dict[str, str]:
    """What the task form would post, as a browser collects it."""
    form = html[html.index('<form id="task"') : html.index("</form>", html.index('id="task"'))]
    fields = {}
    for tag in re.findall(r"<input[^>]*>", form):
        attributes = dict(re.findall(r'([\w-]+)="([^"]*)"', tag))
        kind = attributes.get("type", "text")
        if kind in ("radio", "checkbox") and " checked" not in tag:
            continue
        fields[attributes["name"]] = unescape(attributes.get("value", "on"))
    for name, text in re.findall(r'<textarea[^>]*name="(\w+)"[^>]*>(.*?)</textarea>', form, re.S):
        fields[name] = unescape(text)
    return fields


def url(assignment: Assignment, act: str = "") -> str:
    return f"/work/a/{assignment.pk}/" + (f"{act}/" if act else "")


def press(client: Any, assignment: Assignment, button: str, **fields: str) -> Any:
    """Open the page, fill in ``fields``, press the ``button``."""
    page = client.get(url(assignment))
    assert page.status_code == 200
    return client.post(url(assignment, button), fields_of(page.text) | fields)


def test_a_single_pair_is_answered_by_one_form(
    anna: Any, single: Assignment, lists: Assignment
) -> None:
    page = anna.get(url(single))
    assert page.text.index('July <mark class="diff">21') < page.text.index(
        'July <mark class="diff">18'
    )  # A is the reference
    done = press(anna, single, "submit", relation="a_contains_b", comment="see <i>")
    assert (done.status_code, done.url) == (302, f"/work/a/{lists.pk}/?from={single.pk}")
    answer = Answer.objects.get()
    assert answer.payload == {"form": "single", "relation": "reference_contains_model"}
    assert answer.comment == "see <i>"
    assert answer.metadata["active_measured"] is False
    assert "Take the last one back" in anna.get(done.url).text


def test_lists_are_matched_by_plain_buttons(anna: Any, lists: Assignment) -> None:
    page = anna.get(url(lists)).text
    assert 'value="match 1 2"' in page  # the current row is A1
    back = press(anna, lists, "act", act="match 1 2")
    assert (back.status_code, back.url) == (302, url(lists))
    page = anna.get(url(lists)).text
    assert 'id="a-2"' in page
    assert 'value="match 2 1"' in page  # the first open row is current now
    assert "A1 – B2" in page
    assert 'value="match 1 1"' in anna.get(url(lists) + "?row=a1").text
    press(anna, lists, "act", act="none a 2")
    refused = press(anna, lists, "submit")
    assert refused.status_code == 422
    assert "1 value is not settled yet" in refused.text
    press(anna, lists, "act", act="none b 1")
    assert press(anna, lists, "submit").status_code == 302
    # A is the reference: A1-B2 is reference 0 with model 1.
    assert Answer.objects.get().payload == {
        "form": "list",
        "pairs": [[1, 0]],
        "only_model": [0],
        "only_reference": [1],
    }


def test_undo_and_redo_by_plain_buttons(anna: Any, lists: Assignment) -> None:
    press(anna, lists, "act", act="match 1 1")
    press(anna, lists, "undo")
    lists.refresh_from_db()
    assert lists.draft == {}
    press(anna, lists, "redo")
    lists.refresh_from_db()
    assert lists.draft == {"pairs": [[0, 0]]}


def test_what_was_typed_survives_a_refusal(anna: Any, single: Assignment) -> None:
    refused = press(anna, single, "submit", comment="half a thought", flagged="on")
    assert refused.status_code == 422
    assert "Choose one of the four answers first" in refused.text
    assert fields_of(refused.text)["comment"] == "half a thought"
    assert "flagged" in fields_of(refused.text)
    assert not Event.objects.exists()


def test_skipping_asks_for_a_reason_and_goes_on(
    anna: Any, single: Assignment, lists: Assignment
) -> None:
    refused = press(anna, single, "skip", skip_reason="")
    assert refused.status_code == 422
    assert "why this task should be skipped" in refused.text
    done = press(anna, single, "skip", skip_reason="cut off", flagged="on", flag_reason="A ends")
    assert done.url.startswith(url(lists))
    answer = Answer.objects.get()
    assert (answer.outcome, answer.skip_reason, answer.flagged) == ("skipped", "cut off", True)
    assert answer.metadata["flag_reason"] == "A ends"


def test_the_same_plain_form_posted_twice_is_one_answer(anna: Any, single: Assignment) -> None:
    fields = fields_of(anna.get(url(single)).text) | {"relation": "equal"}
    first = anna.post(url(single, "submit"), fields)
    second = anna.post(url(single, "submit"), fields | {"active_ms": "900"})
    assert first.status_code == second.status_code == 302
    assert first.url == second.url
    assert Answer.objects.count() == 1


def test_another_button_of_a_page_already_used_is_a_conflict_not_silence(
    anna: Any, lists: Assignment
) -> None:
    fields = fields_of(anna.get(url(lists)).text)
    anna.post(url(lists, "act"), fields | {"act": "match 1 1"})
    # Back in the browser, and another button of the same old page.
    stale = anna.post(url(lists, "act"), fields | {"act": "match 2 2"})
    assert stale.status_code == 409
    assert "A1–B1, A2–B2" in stale.text
    lists.refresh_from_db()
    assert lists.draft == {"pairs": [[0, 0]]}


def test_two_tabs_one_answer_and_a_choice(anna: Any, single: Assignment) -> None:
    one = fields_of(anna.get(url(single)).text)
    other = fields_of(anna.get(url(single)).text)
    anna.post(url(single, "submit"), one | {"relation": "equal"})
    conflict = anna.post(url(single, "submit"), other | {"relation": "different"})
    assert conflict.status_code == 409
    assert "Equal" in conflict.text
    assert "Different" in conflict.text
    assert Answer.objects.get().payload["relation"] == "equal"
    # "Keep mine" posts the same again, for the version that is stored.
    form = conflict.text[conflict.text.index("conflict-choice") :]
    kept = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', form))
    assert kept["version"] == "1"
    done = anna.post(url(single, "submit"), kept)
    assert done.status_code == 302
    answers = Answer.objects.order_by("version")
    assert [a.payload["relation"] for a in answers] == ["equal", "different"]


def test_taking_the_last_one_back_reopens_it(
    anna: Any, single: Assignment, lists: Assignment
) -> None:
    done = press(anna, single, "submit", relation="equal")
    page = anna.get(done.url).text
    form = page[page.index('<form id="take-back"') :]
    assert f'action="/work/a/{single.pk}/reopen/"' in form
    fields = dict(re.findall(r'name="(\w+)" value="([^"]*)"', form[: form.index("</form>")]))
    back = anna.post(url(single, "reopen"), fields)
    assert (back.status_code, back.url) == (302, url(single))
    single.refresh_from_db()
    assert single.status == "in_progress"
    # A made-up "from" shows no such button.
    for came_from in ("999999", "x", str(lists.pk)):
        assert "Take the last one back" not in anna.get(url(lists) + f"?from={came_from}").text


def test_next_goes_to_the_first_open_task_then_says_that_all_are_done(
    anna: Any, single: Assignment, lists: Assignment
) -> None:
    queue = f"/work/{single.task.task_set_id}/"
    assert anna.get(queue + "next/").url == url(single)
    press(anna, lists, "act", act="rest")
    assert press(anna, lists, "submit").url.startswith(url(single))  # round to the one left
    done = press(anna, single, "submit", relation="equal")
    assert done.url == queue + "next/"
    page = anna.get(done.url)
    assert "been through all 2 tasks" in page.text
    assert "2 submitted, 0 skipped, 0 flagged" in page.text
    assert "Begin, or go on" not in anna.get(queue).text, "no key for a button that is not there"


def test_the_queue_lists_and_filters(anna: Any, single: Assignment, lists: Assignment) -> None:
    press(anna, single, "submit", relation="equal", flagged="on")
    queue = f"/work/{single.task.task_set_id}/"
    page = anna.get(queue).text
    assert "1 of 2 done" in page
    assert "Begin, or go on with the next open task" in page
    for state, shown in (
        ("open", [lists]),
        ("submitted", [single]),
        ("flagged", [single]),
        ("skipped", []),
        ("changed", []),
        ("nonsense", [single, lists]),
    ):
        page = anna.get(queue, {"state": state}).text
        assert [f'href="{url(a)}"' in page for a in (single, lists)] == [
            a in shown for a in (single, lists)
        ], state
    press(anna, single, "act", relation="different")
    assert url(single) in anna.get(queue, {"state": "changed"}).text


def test_a_closed_set_can_be_read_and_takes_nothing(anna: Any, single: Assignment) -> None:
    fields = fields_of(anna.get(url(single)).text) | {"relation": "equal"}
    TaskSet.objects.update(closed_at=timezone.now())
    late = anna.post(url(single, "submit"), fields)
    assert late.status_code == 409
    assert "was closed on" in late.text
    page = anna.get(url(single)).text
    assert '<fieldset class="controls" disabled>' in page
    assert not Answer.objects.exists()


def test_a_kind_without_a_page_is_not_offered(study: Any, annotator: User, anna: Any) -> None:
    task_set = make_task_set(study, "style", kind="style")
    assign(make_comparison(task_set, "a", "b"), annotator)
    page = anna.get(f"/work/{task_set.pk}/")
    assert page.status_code == 200
    assert "There is no page to answer tasks of this kind" in page.text
    assert "/next/" not in page.text
    refused = anna.get(f"/work/{task_set.pk}/next/")
    assert refused.status_code == 404
    assert "have no work page here" in refused.text


GETS = ("",)
POSTS = ("act", "submit", "skip", "undo", "redo", "reopen", "visit", "fast")


def test_the_task_of_another_does_not_exist(
    study: Any, single: Assignment, as_user: Any, outsider: User, admin: User, researcher: User
) -> None:
    ben = make_member(study, "annotator", "ben")
    for user in (ben, outsider, admin, researcher):
        client = as_user(user)
        assert client.get(url(single)).status_code == 404
        for act in POSTS:
            fields = {"op_id": str(uuid4()), "version": "0", "visit": "x"}
            assert client.post(url(single, act), fields).status_code in (404, 422), act
    single.refresh_from_db()
    assert (single.version, single.draft) == (0, {})
    assert not Event.objects.exists()


def test_pages_are_for_annotators_of_the_study(
    single: Assignment, as_user: Any, outsider: User, researcher: User, client: Any
) -> None:
    queue = f"/work/{single.task.task_set_id}/"
    for address in (queue, queue + "next/", queue + "guidelines/"):
        assert as_user(single.annotator).get(address).status_code in (200, 302)
        assert as_user(outsider).get(address).status_code == 404
        assert as_user(researcher).get(address).status_code == 403
        assert client.get(address).url.startswith("/login/")
        assert as_user(single.annotator).post(address).status_code == 405
    for act in POSTS:
        assert as_user(single.annotator).get(url(single, act)).status_code == 405
    assert as_user(single.annotator).get("/work/99999/").status_code == 404
    assert as_user(single.annotator).get("/work/a/99999/").status_code == 404


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"op_id": "x", "version": "0"},
        {"op_id": str(uuid4())},
        {"op_id": str(uuid4()), "version": "-1"},
        {"op_id": str(uuid4()), "version": "0", "relation": "a_bit_alike"},
        {"op_id": str(uuid4()), "version": "0", "act": "match 1 1"},
    ],
)
def test_requests_that_make_no_sense_are_refused(
    anna: Any, single: Assignment, fields: dict[str, str]
) -> None:
    assert anna.post(url(single, "act"), fields).status_code == 422
    assert not Event.objects.exists()


def test_hostile_text_is_shown_as_it_is(study: Any, annotator: User, anna: Any) -> None:
    task_set = make_task_set(study)
    case = make_case(study, "9 <i>9</i>", title="<script>alert(1)</script>")
    one = assign(
        make_comparison(task_set, HOSTILE, HOSTILE + "!", case_id=case.external_id), annotator
    )
    two = assign(make_comparison(task_set, [HOSTILE, "m"], [HOSTILE, "r"]), annotator)
    for assignment in (one, two):
        press(anna, assignment, "act", comment=HOSTILE, flagged="on", flag_reason=HOSTILE)
        page = anna.get(url(assignment)).text
        assert "<img src=x" not in page
        assert "<script>alert" not in page
        assert "49" not in re.sub(r"<[^>]*>", "", page[page.index("values") :])
        shown = unescape(re.sub(r"<[^>]*>", "", page))
        assert HOSTILE in shown
        assert fields_of(page)["comment"] == HOSTILE
    press(anna, one, "submit", relation="equal")
    assert Answer.objects.get().comment == HOSTILE
    assert "<script>alert" not in anna.get(f"/work/{task_set.pk}/").text


FRUIT = {"Quince": "Sorrel", "Medlar": "Tansy", "Sorrel": "Quince", "Tansy": "Medlar"}


def test_no_page_tells_which_side_is_the_model(
    annotator: User, anna: Any, single: Assignment
) -> None:
    """Pages of the two orders differ by the values shown and by nothing else."""
    task_set = single.task.task_set
    fruit = assign(make_comparison(task_set, ["Quince", "Medlar"], ["Sorrel", "Tansy"]), annotator)
    one_each = assign(make_comparison(task_set, "Quince", "Sorrel"), annotator)
    for assignment in (fruit, one_each):
        pages = []
        for first in ("model", "reference"):
            Assignment.objects.update(first_side=first, draft={}, version=0, status="new")
            page = anna.get(url(assignment)).text
            for word in ("model-one", "reference", "model_source", "first_side", "imported"):
                assert word not in page.lower(), word
            assert not re.search(r"\bmodel\b", page.lower())
            page = re.sub(
                r'name="(csrf\w*|op_id|visit)" value="[^"]*"|hx-headers=\S+ \S+', "", page
            )
            if first == "reference":
                page = re.sub("|".join(FRUIT), lambda match: FRUIT[match[0]], page)
            pages.append(page)
        assert pages[0] == pages[1]


def test_time_is_reported_without_touching_the_version(anna: Any, single: Assignment) -> None:
    token = fields_of(anna.get(url(single)).text)["visit"]
    assert not single.visits.exists()  # a page that is only opened leaves no time
    done = anna.post(url(single, "visit"), {"visit": token, "active_ms": "1500"})
    assert done.status_code == 204
    assert single.visits.get().active_seconds == 1.5
    single.refresh_from_db()
    assert (single.version, single.status) == (0, "new")
    for bad in ({"visit": "forged", "active_ms": "1"}, {}):
        assert anna.post(url(single, "visit"), bad).status_code == 422
    for odd in ("nan", "inf", "-4", "x"):
        anna.post(url(single, "visit"), {"visit": token, "active_ms": odd})
    assert single.visits.get().active_seconds == 1.5


def test_an_act_never_fails_for_its_time(anna: Any, single: Assignment) -> None:
    for active_ms in ("nan", "-1", "x", "9" * 400):
        press(anna, single, "act", relation="equal", active_ms=active_ms, visit="forged")
        press(anna, single, "act", relation="different", active_ms=active_ms)
    assert Event.objects.count() == 8
    assert single.visits.count() == 4
    assert {visit.active_seconds for visit in single.visits.all()} == {0}


def test_the_visit_of_one_task_does_not_count_for_another(
    anna: Any, single: Assignment, lists: Assignment
) -> None:
    token = fields_of(anna.get(url(single)).text)["visit"]
    assert anna.post(url(lists, "visit"), {"visit": token, "active_ms": "9"}).status_code == 422


def test_a_script_gets_the_next_task_as_a_fragment(
    anna: Any, single: Assignment, lists: Assignment
) -> None:
    fields = fields_of(anna.get(url(single)).text) | {"relation": "equal"}
    done = anna.post(url(single, "submit"), fields, headers={"HX-Request": "true"})
    assert done.status_code == 200
    assert done["HX-Push-Url"] == f"{url(lists)}?from={single.pk}"
    assert done.text.count('<form id="task"') == 1
    assert "<html" not in done.text
    stale = anna.post(
        url(single, "submit"),
        fields | {"op_id": str(uuid4())},
        headers={"HX-Request": "true"},
    )
    assert stale.status_code == 409
    assert "conflict-choice" in stale.text
    unfinished = anna.post(
        url(lists, "submit"),
        fields_of(anna.get(url(lists)).text),
        headers={"HX-Request": "true"},
    )
    assert unfinished.status_code == 422
    assert unfinished.json()["detail"].startswith("4 values are not settled")


def test_pages_keep_the_rules_of_the_design(
    anna: Any, single: Assignment, lists: Assignment
) -> None:
    press(anna, single, "submit", relation="equal", flagged="on")
    press(anna, lists, "act", act="match 1 1")
    press(anna, lists, "act", act="none a 2")
    queue = f"/work/{single.task.task_set_id}/"
    addresses = [url(single), url(lists), f"{url(lists)}?from={single.pk}&panel=skip", queue]
    for address in [*addresses, queue + "guidelines/"]:
        page = anna.get(address).text
        for check in (key_clashes, inline_code, foreign_loads, duplicate_ids):
            assert check(page) == [], (check, address)
        if "/a/" in address:
            assert undocumented_keys(page) == [], address


def test_fast_mode_is_switched_on_the_page(anna: Any, single: Assignment) -> None:
    press(anna, single, "fast", fast="on")
    assert "data-fast" in anna.get(url(single)).text
    press(anna, single, "fast", fast="off")
    assert "data-fast" not in anna.get(url(single)).text


@pytest.mark.parametrize("size", [100, 10_000])
def test_opening_a_task_takes_few_queries_however_many_there_are(
    study: Any,
    annotator: User,
    anna: Any,
    size: int,
    django_assert_max_num_queries: Any,
) -> None:
    task_set = make_task_set(study)
    model = make_comparison(task_set, ["m1", "m2"], ["r1", "r2"])
    fields = {f.attname: getattr(model, f.attname) for f in model._meta.fields if f.name != "id"}
    tasks = model.__class__.objects.bulk_create(
        [model.__class__(**fields | {"key": f"t{n}", "position": n}) for n in range(2, size + 1)],
        batch_size=1000,
    )
    Assignment.objects.bulk_create(
        [
            Assignment(task=t, annotator=annotator, position=t.position, first_side="model")
            for t in [model, *tasks]
        ],
        batch_size=1000,
    )
    middle = Assignment.objects.get(position=size // 2)
    before = Assignment.objects.get(position=size // 2 - 1)
    press(anna, before, "act", act="rest")
    done = press(anna, before, "submit")
    press(anna, middle, "act", act="match 1 1")
    with django_assert_max_num_queries(12):
        page = anna.get(done.url)
    assert f"{size // 2} of {size}" in page.text
    with django_assert_max_num_queries(12):
        assert anna.get(f"/work/{task_set.pk}/").status_code == 200


def test_position_and_progress_are_told_apart(anna: Any, single: Assignment) -> None:
    page = anna.get(url(single)).text
    assert "<dt>A value</dt>" not in page, "A is a side"
    assert 'aria-valuetext="0 of 1 done"' in page
    assert ">Task 1 of 1</span>" in page


def test_signing_in_supposes_nothing_unsent(client: Any, single: Assignment) -> None:
    page = client.get(url(single), follow=True).text
    assert "<p>Sign in to go on.</p>" in page
    assert "see how far the grading can be trusted" in page
