"""Acts, undo, submits, skips and time: nothing lost, nothing doubled, nothing overwritten."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import transaction

from annotation.annotating import services
from annotation.annotating.services import Stale, Stay, Write
from annotation.annotating.work import Note
from annotation.errors import InvalidInput, NotAllowed, NotFound, Refused
from annotation.managing.services import add_member, set_guidelines
from annotation.models import Answer, Assignment, Event, User
from tests.factories import make_comparison, make_member, make_task_set

NOW = datetime(2026, 3, 4, 12, 3, tzinfo=UTC)


def write(version: int = 0, op_id: UUID | None = None, **fields: Any) -> Write:
    return Write(op_id=op_id or uuid4(), version=version, now=fields.pop("now", NOW), **fields)


def assign(task: Any, user: User, first_side: str = "model", position: int = 1) -> Assignment:
    return Assignment.objects.create(
        task=task, annotator=user, position=position, first_side=first_side
    )


@pytest.fixture
def single(study: Any, annotator: User) -> Assignment:
    task = make_comparison(make_task_set(study), "July 18, 2025", "July 21, 2025")
    return assign(task, annotator, first_side="reference")


@pytest.fixture
def lists(study: Any, annotator: User) -> Assignment:
    task = make_comparison(make_task_set(study, "lists"), ["m1", "m2", "m3"], ["r1", "r2"])
    return assign(task, annotator, first_side="reference")


def act(assignment: Assignment, fields: dict[str, str], **kwargs: Any) -> Assignment:
    assignment.refresh_from_db()
    kwargs.setdefault("version", assignment.version)
    acts = services.read_acts(assignment, fields)
    return services.act(assignment.annotator, assignment.pk, acts, write(**kwargs))


def submit(assignment: Assignment, fields: dict[str, str], **kwargs: Any) -> Answer:
    assignment.refresh_from_db()
    kwargs.setdefault("version", assignment.version)
    acts = services.read_acts(assignment, fields)
    return services.submit(assignment.annotator, assignment.pk, acts, write(**kwargs))[1]


def test_what_is_said_of_a_and_b_is_stored_of_model_and_reference(single: Assignment) -> None:
    # A was the reference, so "A contains B" means the reference contains the model.
    after = act(single, {"relation": "a_contains_b"})
    assert after.draft == {"relation": "reference_contains_model"}
    assert (after.version, after.status) == (1, "in_progress")
    event = Event.objects.get()
    assert (event.action, event.before, event.after) == ("choose", {}, after.draft)
    assert (event.actor, event.at, event.version) == (single.annotator, NOW, 1)


def test_numbers_of_a_and_b_are_turned_too(lists: Assignment) -> None:
    # A is the reference: "match 2 3" is A2 (r2, place 1) with B3 (m3, place 2).
    after = act(lists, {"act": "match 2 3"})
    assert after.draft == {"pairs": [[2, 1]]}
    assert act(lists, {"act": "none a 1"}).draft["none_reference"] == [0]
    assert act(lists, {"act": "none b 1"}).draft["none_model"] == [0]


def test_the_same_act_sent_again_is_done_once(single: Assignment) -> None:
    op_id = uuid4()
    first = act(single, {"relation": "equal"}, version=0, op_id=op_id)
    again = act(single, {"relation": "equal"}, version=0, op_id=op_id)
    assert again.version == first.version == 1
    assert Event.objects.count() == 1


def test_an_act_that_changes_nothing_leaves_no_event(single: Assignment) -> None:
    act(single, {"relation": "equal"})
    assert act(single, {"relation": "equal"}).version == 1
    assert Event.objects.count() == 1


def test_a_stale_page_is_refused_and_told_what_is_stored(single: Assignment) -> None:
    act(single, {"relation": "equal"})
    with pytest.raises(Stale) as caught:
        act(single, {"relation": "different"}, version=0)
    assert caught.value.current.draft == {"relation": "equal"}
    assert Event.objects.count() == 1


def test_sixty_steps_can_be_undone_and_redone(lists: Assignment) -> None:
    drafts = [{}]
    for n in range(60):
        drafts.append(act(lists, {"act": f"match {n % 2 + 1} {n % 3 + 1}"}).draft)
    user, pk = lists.annotator, lists.pk
    for n in range(60):
        after = services.undo(user, pk, write(version=60 + n))
        assert after.draft == drafts[59 - n]
    with pytest.raises(InvalidInput, match="nothing to undo"):
        services.undo(user, pk, write(version=120))
    for n in range(60):
        after = services.redo(user, pk, write(version=120 + n))
        assert after.draft == drafts[n + 1]
    with pytest.raises(InvalidInput, match="nothing to redo"):
        services.redo(user, pk, write(version=180))
    assert Event.objects.count() == 180


def test_a_repeated_undo_goes_back_one_step_only(lists: Assignment) -> None:
    one = act(lists, {"act": "match 1 1"}).draft
    act(lists, {"act": "match 2 2"})
    op_id = uuid4()
    for _ in range(3):
        after = services.undo(lists.annotator, lists.pk, write(version=2, op_id=op_id))
    assert (after.draft, after.version) == (one, 3)


def test_submitting_stores_a_version_with_all_that_it_depends_on(
    study: Any, single: Assignment
) -> None:
    set_guidelines(study, "Ignore formatting.")
    note = Note(comment=" unsure ", flagged=True, flag_reason="typo in A")
    services.act(single.annotator, single.pk, [note], write(version=0))
    answer = submit(single, {"relation": "a_contains_b"})
    single.refresh_from_db()
    assert answer.payload == {"form": "single", "relation": "reference_contains_model"}
    assert (answer.version, answer.outcome) == (1, "submitted")
    assert answer.first_side == "reference"
    assert (answer.comment, answer.flagged) == ("unsure", True)
    assert answer.metadata["flag_reason"] == "typo in A"
    assert answer.metadata["options"]["many_to_many"] is True
    assert answer.guideline.version == 1
    assert answer.template == study.template
    assert answer.submitted_at == NOW
    assert single.status == "submitted"
    assert single.current == answer
    assert not single.has_unsent_changes


def test_a_double_submit_is_one_answer(single: Assignment) -> None:
    op_id = uuid4()
    answers = {submit(single, {"relation": "equal"}, version=0, op_id=op_id).pk for _ in range(3)}
    assert len(answers) == 1
    assert Answer.objects.count() == 1


def test_a_second_tab_cannot_submit_over_the_first(single: Assignment) -> None:
    submit(single, {"relation": "equal"}, version=0)
    with pytest.raises(Stale):
        submit(single, {"relation": "different"}, version=0)
    assert Answer.objects.get().payload["relation"] == "equal"


def test_an_unfinished_answer_is_refused_and_nothing_is_stored(lists: Assignment) -> None:
    with pytest.raises(InvalidInput, match="3 values are not settled"):
        submit(lists, {"act": "match 1 1"})
    lists.refresh_from_db()
    assert (lists.version, lists.status, lists.draft) == (0, "new", {})
    assert not Event.objects.exists()


def test_an_own_answer_can_be_changed_and_the_old_version_stays(single: Assignment) -> None:
    first = submit(single, {"relation": "equal"})
    changed = act(single, {"relation": "different"})
    assert changed.status == "in_progress"
    assert changed.has_unsent_changes
    assert changed.current == first  # what counts, until the next submit
    second = submit(single, {})
    single.refresh_from_db()
    assert (first.version, second.version) == (1, 2)
    assert single.current == second
    assert [a.payload["relation"] for a in single.answers.order_by("version")] == [
        "equal",
        "different",
    ]


def test_a_stored_answer_cannot_be_overwritten(single: Assignment) -> None:
    answer = submit(single, {"relation": "equal"})
    with pytest.raises(Exception, match="append-only"), transaction.atomic():
        Answer.objects.filter(pk=answer.pk).update(comment="changed")


def test_reopening_takes_an_answer_back_into_work(single: Assignment) -> None:
    answer = submit(single, {"relation": "equal"})
    single.refresh_from_db()
    op_id = uuid4()
    for _ in range(2):
        after = services.reopen(
            single.annotator, single.pk, write(version=single.version, op_id=op_id)
        )
    assert (after.status, after.current, after.version) == ("in_progress", answer, 2)
    assert after.draft == {"relation": "equal"}


def test_skipping_keeps_draft_comment_and_flag_and_needs_a_reason(lists: Assignment) -> None:
    act(lists, {"act": "match 1 1"})
    note = Note(comment="B2 is cut off", flagged=True, flag_reason="")
    with pytest.raises(InvalidInput, match="why"):
        services.skip(lists.annotator, lists.pk, [note], "  ", write(version=1))
    after, answer = services.skip(
        lists.annotator, lists.pk, [note], " cannot be read ", write(version=1)
    )
    assert (answer.outcome, answer.payload) == ("skipped", None)
    assert answer.skip_reason == "cannot be read"
    assert (answer.comment, answer.flagged) == ("B2 is cut off", True)
    assert after.draft["pairs"] == [[0, 0]]
    assert after.status == "skipped"


def test_a_closed_set_takes_nothing_more(single: Assignment) -> None:
    op_id = uuid4()
    kept = submit(single, {"relation": "equal"}, version=0, op_id=op_id)
    task_set = single.task.task_set
    task_set.closed_at = NOW
    task_set.save()
    single = Assignment.objects.get(pk=single.pk)
    user, pk, version = single.annotator, single.pk, single.version
    acts = services.read_acts(single, {"relation": "different"})
    for late in (
        lambda: services.act(user, pk, acts, write(version)),
        lambda: services.submit(user, pk, acts, write(version)),
        lambda: services.skip(user, pk, [], "late", write(version)),
        lambda: services.undo(user, pk, write(version)),
        lambda: services.reopen(user, pk, write(version)),
        lambda: services.report_stay(user, pk, Stay(uuid4(), NOW, 1), NOW),
    ):
        with pytest.raises(Refused, match="was closed on 04 March 2026"):
            late()
    # The same submit, sent again because its reply was lost, is still acknowledged.
    again = services.submit(user, pk, acts, write(0, op_id=op_id))[1]
    assert again == kept
    assert Answer.objects.count() == 1


def test_the_assignment_of_another_does_not_exist(study: Any, single: Assignment) -> None:
    ben = make_member(study, "annotator", "ben")
    with pytest.raises(NotFound):
        services.act(ben, single.pk, [], write())
    with pytest.raises(NotFound):
        services.assignment_of(ben, single.pk)
    with pytest.raises(NotFound):
        services.report_stay(ben, single.pk, Stay(uuid4(), NOW, 1), NOW)


def test_somebody_who_no_longer_annotates_is_refused(study: Any, single: Assignment) -> None:
    add_member(study, single.annotator, "adjudicator")
    with pytest.raises(NotAllowed):
        services.act(single.annotator, single.pk, [], write())


def test_one_id_cannot_serve_two_writes(single: Assignment, lists: Assignment) -> None:
    op_id = uuid4()
    act(single, {"relation": "equal"}, op_id=op_id)
    with pytest.raises(InvalidInput, match="one id for two"):
        submit(single, {}, op_id=op_id)
    other = uuid4()
    submit(single, {}, op_id=other)
    with pytest.raises(InvalidInput, match="id of another task"):
        submit(lists, {"act": "rest"}, op_id=other)
    lists.refresh_from_db()
    assert (lists.version, lists.draft) == (0, {})


def test_too_long_a_comment_is_refused_with_the_limit(single: Assignment) -> None:
    note = Note(comment="x" * 10_001, flagged=False, flag_reason="")
    with pytest.raises(InvalidInput, match=r"10,000 characters; this one has 10,001"):
        services.act(single.annotator, single.pk, [note], write())


def test_time_is_the_sum_of_stays_and_reports_never_count_twice(single: Assignment) -> None:
    user, pk = single.annotator, single.pk
    first, second = uuid4(), uuid4()

    def report(token: UUID, started: int, active: float, at: int) -> None:
        stay = Stay(token, NOW + timedelta(seconds=started), active)
        services.report_stay(user, pk, stay, NOW + timedelta(seconds=at))

    report(first, 0, 10, 20)
    report(first, 0, 25, 40)
    report(first, 0, 25, 40)  # the same again
    report(first, 0, 10, 30)  # a late one
    report(second, 100, 5, 110)
    answer = submit(single, {"relation": "equal"}, now=NOW + timedelta(seconds=110))
    assert answer.active_seconds == 30  # 25 + 5
    assert answer.wall_seconds == 50  # 40 + 10
    assert answer.metadata["active_measured"] is True


def test_a_page_cannot_claim_more_time_than_has_passed(single: Assignment) -> None:
    stay = Stay(uuid4(), NOW, 1e9)
    later = NOW + timedelta(seconds=60)
    visit = services.report_stay(single.annotator, single.pk, stay, later)
    assert visit.active_seconds == 62  # a minute, and the slack of two clocks
    negative = Stay(uuid4(), NOW, -5)
    assert services.report_stay(single.annotator, single.pk, negative, later).active_seconds == 0


def test_without_script_the_wall_time_is_kept_and_activity_is_not_invented(
    single: Assignment,
) -> None:
    stay = Stay(uuid4(), NOW, None)
    answer = submit(single, {"relation": "equal"}, now=NOW + timedelta(seconds=45), stay=stay)
    assert (answer.active_seconds, answer.wall_seconds) == (0, 45)
    assert answer.metadata["active_measured"] is False


@pytest.mark.parametrize(
    "act_text",
    ["match 0 1", "match 4 1", "match x 1", "match 1", "none c 1", "none a 99999", "erase", "²"],
)
def test_acts_that_make_no_sense_are_refused(lists: Assignment, act_text: str) -> None:
    with pytest.raises(InvalidInput):
        act(lists, {"act": act_text})
    assert not Event.objects.exists()
