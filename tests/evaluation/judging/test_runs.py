"""Judge runs against a real server that speaks the OpenAI protocol, defects included."""

from __future__ import annotations

import datetime as dt
import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from agent.connecting.services import add_judge, rules_judge
from agent.llm.errors import ErrorKind, ModelError
from agent.models import Judge
from annotation.errors import InvalidInput, Refused
from annotation.importing.comparison import import_comparisons
from annotation.kinds.comparison import (
    Content,
    ListAnswer,
    Side,
    SingleAnswer,
    as_shown,
    parse_answer,
)
from annotation.managing.services import template_of
from annotation.models import Study, Task, TaskSet, User
from evaluation.judging import rules
from evaluation.judging.asking import Reading
from evaluation.judging.requests import comparison_request, harmless
from evaluation.judging.services import (
    cancel_run,
    report_of,
    resume_run,
    start_run,
)
from evaluation.judging.working import _settle, claim, work
from evaluation.models import JudgeCall, JudgeRun, JudgeTask, Verdict
from tests.factories import make_comparison, make_study, make_task_set
from tests.fake_openai import FakeOpenAI, Reply, answer, failure

# Only the main thread of a worker touches the database, so no real commits are needed.
pytestmark = pytest.mark.django_db

KEY = "JUDGE_TEST_SECRET"


@pytest.fixture
def server() -> Iterator[FakeOpenAI]:
    with FakeOpenAI(api_key="right-key") as running:
        yield running


@pytest.fixture
def judge(server: FakeOpenAI, monkeypatch: pytest.MonkeyPatch) -> Judge:
    monkeypatch.setenv(KEY, "right-key")
    return add_judge(
        "scripted", base_url=server.base_url, model="test-model", api_key_env=KEY, concurrency=3
    )


@pytest.fixture
def pairs(study: Study) -> TaskSet:
    """Three single pairs and two lists."""
    task_set = make_task_set(study)
    make_comparison(task_set, "May 1, 2020", "1 May 2020")
    make_comparison(task_set, "Judge Ada Moreno", "Ada Moreno", case_id="1002")
    make_comparison(task_set, "jail", "school", case_id="1003")
    make_comparison(task_set, ["alpha", "beta"], ["beta", "alpha"], case_id="1004")
    make_comparison(task_set, ["one", "two", "three"], ["two"], case_id="1005")
    return task_set


def no_sleep(_: float) -> None:
    """The clock of these tests does not run."""


def finish(run: JudgeRun) -> JudgeRun:
    return work(run.pk, worker="w1", sleep=no_sleep)


def truth_of(task: Task) -> SingleAnswer | ListAnswer:
    """What the scripted judge thinks: anything fixed will do."""
    return rules.compare(Content.model_validate(task.content))[0]


class Oracle:
    """Finds which task a prompt asks about, and in which order, from its values alone."""

    def __init__(self, task_set: TaskSet) -> None:
        self.tasks = list(task_set.tasks.order_by("position"))

    def find(self, body: dict[str, Any]) -> tuple[Task, Side]:
        text = body["messages"][-1]["content"]
        fitting = [
            task
            for task in self.tasks
            if all(harmless(v) in text for v in task.content["model"] + task.content["reference"])
        ]
        # A short pair may occur inside a longer one: the one with most text is meant.
        task = max(fitting, key=lambda t: len("".join(t.content["model"] + t.content["reference"])))
        return task, _side_shown_first(task, text)

    def answer(self, body: dict[str, Any]) -> str:
        """A clean answer to whatever is asked."""
        task, first = self.find(body)
        return json.dumps(clean_json(truth_of(task), first))


def _side_shown_first(task: Task, text: str) -> Side:
    template, content = template_of(task.task_set.study), Content.model_validate(task.content)
    item = template.item(task.item_key)
    shown = {
        first: comparison_request(
            content,
            first,
            item_label=item.label,
            item_definition=item.definition,
            nouns=template.nouns,
        )
        .messages[-1]
        .content
        for first in Side
    }
    return next(first for first, prompt in shown.items() if prompt == text)


def clean_json(truth: SingleAnswer | ListAnswer, first: Side) -> dict[str, Any]:
    """The answer as the prompt asks for it, about A and B, counted from 1."""
    if isinstance(truth, SingleAnswer):
        return {"reasoning": "r", "relation": as_shown(truth.relation, first).value}
    flip = first is Side.REFERENCE
    pairs = [(r, m) if flip else (m, r) for m, r in truth.pairs]
    only_a, only_b = truth.only_model, truth.only_reference
    if flip:
        only_a, only_b = only_b, only_a
    return {
        "reasoning": "r",
        "common": [{"A_index": a + 1, "B_index": b + 1} for a, b in pairs],
        "only_in_A": [i + 1 for i in only_a],
        "only_in_B": [i + 1 for i in only_b],
    }


def in_prose(reply: dict[str, Any]) -> str:
    return f"Let me think about both sides.\n{json.dumps(reply)}\nThat is my answer."


def in_a_fence(reply: dict[str, Any]) -> str:
    return f"```json\n{json.dumps(reply, indent=1)}\n```"


def zero_based_a(reply: dict[str, Any]) -> str:
    if "common" not in reply:
        return json.dumps(reply)
    shifted = [{**pair, "A_index": pair["A_index"] - 1} for pair in reply["common"]]
    only = [i - 1 for i in reply["only_in_A"]]
    return json.dumps({**reply, "common": shifted, "only_in_A": only})


def stray_zeros(reply: dict[str, Any]) -> str:
    if "common" not in reply:
        return json.dumps(reply)
    return json.dumps({**reply, "only_in_A": [0, *reply["only_in_A"]]})


def lists_as_indices(reply: dict[str, Any]) -> str:
    if "common" not in reply:
        return json.dumps(reply)
    grouped: dict[int, list[int]] = {}
    for pair in reply["common"]:
        grouped.setdefault(pair["A_index"], []).append(pair["B_index"])
    return json.dumps(
        {**reply, "common": [{"A_index": [a], "B_index": bs} for a, bs in grouped.items()]}
    )


DEFECTS: list[Callable[[dict[str, Any]], str]] = [
    json.dumps,
    in_prose,
    in_a_fence,
    zero_based_a,
    stray_zeros,
    lists_as_indices,
]


def payloads(run: JudgeRun) -> dict[int, dict[str, Any]]:
    return dict(
        Verdict.objects.filter(judge_task__run=run).values_list("judge_task__task_id", "payload")
    )


@pytest.mark.release
def test_110_real_pairs_with_mixed_defects_score_as_clean_answers_do(
    study: Study, judge: Judge, server: FakeOpenAI, release_dir: Path
) -> None:
    example = release_dir / "annotation_interface/checklist_comparison/data/example.json"
    import_comparisons([example], study)
    task_set = study.task_sets.get()
    oracle = Oracle(task_set)
    cut_key, limited_key = oracle.tasks[20].key, oracle.tasks[50].key
    limited = Counter[str]()

    def scripted(body: dict[str, Any]) -> Reply | str:
        task, first = oracle.find(body)
        whole = json.dumps(clean_json(truth_of(task), first))
        if task.key == cut_key:
            return answer(whole[: len(whole) // 2], finish_reason="length")
        if task.key == limited_key and not limited[task.key]:
            limited[task.key] += 1
            return failure(429, "slow down", headers={"Retry-After": "0"})
        return DEFECTS[task.position % len(DEFECTS)](clean_json(truth_of(task), first))

    server.script(scripted)
    run = finish(start_run(study, task_set, judge))
    report = report_of(run)

    assert (run.status, report.questions, report.ok, report.failed) == (
        "done",
        110,
        109,
        {"truncated": 1},
    )
    assert report.failed == {"truncated": 1}
    cut = JudgeTask.objects.get(run=run, task__key=cut_key)
    assert cut.status == JudgeTask.Status.NOT_SCORED
    assert not hasattr(cut, "verdict")
    expected = {t.pk: truth_of(t).model_dump(mode="json") for t in oracle.tasks if t.key != cut_key}
    got = {pk: parse_answer(payload) for pk, payload in payloads(run).items()}
    assert got == {pk: parse_answer(payload) for pk, payload in expected.items()}
    assert {"prose_around_json", "code_fence"} <= set(report.repairs) or len(report.repairs) >= 4
    tried = JudgeCall.objects.get(judge_task__run=run, judge_task__task__key=limited_key)
    assert [t["kind"] for t in tried.tries] == ["rate_limited"]
    assert report.calls == 110


def test_the_rules_judge_answers_everything_without_a_call(study: Study, pairs: TaskSet) -> None:
    run = finish(start_run(study, pairs, rules_judge()))
    assert (run.status, report_of(run).ok) == ("done", 5)
    relations = [
        parse_answer(payloads(run)[task.pk]).relation  # type: ignore[union-attr]
        for task in pairs.tasks.order_by("position")[:3]
    ]
    assert [r.value for r in relations[::2]] == ["equal", "different"]
    matched = parse_answer(payloads(run)[pairs.tasks.get(position=4).pk])
    assert isinstance(matched, ListAnswer)
    assert sorted(matched.pairs) == [(0, 1), (1, 0)]


def test_the_page_of_a_run_calls_items_by_their_label(
    study: Study, pairs: TaskSet, as_user: Any, researcher: User
) -> None:
    run = finish(start_run(study, pairs, rules_judge()))
    pages = [f"/studies/{study.slug}/runs/{run.pk}/"]
    pages.append(f"/studies/{study.slug}/verdicts/{pairs.tasks.first().pk}/")  # type: ignore[union-attr]
    shown = [as_user(researcher).get(page).content.decode() for page in pages]
    assert "<td>Filing date</td>" in shown[0]
    assert "<td>filing_date</td>" not in shown[0]
    assert "Answered" in shown[1]


def test_request_and_answer_are_kept_as_sent_and_received(
    study: Study, pairs: TaskSet, judge: Judge, server: FakeOpenAI
) -> None:
    oracle = Oracle(pairs)
    server.script(oracle.answer)
    run = finish(start_run(study, pairs, judge))
    calls = JudgeCall.objects.filter(judge_task__run=run)
    sent = sorted(json.dumps(body, sort_keys=True) for body in server.bodies)
    assert sorted(json.dumps(call.request, sort_keys=True) for call in calls) == sent
    assert all(call.reply["choices"][0]["message"]["content"] == call.reply_text for call in calls)
    assert "right-key" not in json.dumps([[c.request, c.reply] for c in calls])
    assert run.judge_snapshot["api_key_env"] == KEY


def test_the_shown_order_is_drawn_and_undone(
    study: Study, pairs: TaskSet, judge: Judge, server: FakeOpenAI
) -> None:
    server.script(
        lambda body: (
            '{"reasoning": "r", "relation": "a_contains_b"}'
            if body["response_format"]["json_schema"]["name"] == "compare_single"
            else '{"reasoning": "r", "common": [], "only_in_A": [], "only_in_B": []}'
        )
    )
    run = finish(start_run(study, pairs, judge, swap=True))
    for task in pairs.tasks.filter(form="single"):
        questions = run.judge_tasks.filter(task=task).order_by("swapped")
        sides = [q.first_side for q in questions]
        assert sorted(sides) == ["model", "reference"]
        said = [q.verdict.payload["relation"] for q in questions]
        assert said == [f"{side}_contains_{Side(side).other}" for side in sides]


def test_an_unreadable_answer_is_asked_again_and_then_not_scored(
    study: Study, pairs: TaskSet, judge: Judge, server: FakeOpenAI
) -> None:
    pairs.tasks.exclude(position=1).delete()
    server.script(["I would rather not say.", "Perhaps.", "Hard to tell."])
    run = finish(start_run(study, pairs, judge))
    report = report_of(run)
    assert (run.status, report.ok, report.calls) == ("done", 0, 3)
    assert report.failed == {"unreadable_no_answer": 1}
    texts = JudgeCall.objects.filter(judge_task__run=run).values_list("reply_text", flat=True)
    assert set(texts) == {"I would rather not say.", "Perhaps.", "Hard to tell."}


def test_an_unreadable_answer_may_be_followed_by_a_readable_one(
    study: Study, pairs: TaskSet, judge: Judge, server: FakeOpenAI
) -> None:
    pairs.tasks.exclude(position=1).delete()
    server.script(["Perhaps.", '{"reasoning": "r", "relation": "equal"}'])
    run = finish(start_run(study, pairs, judge))
    assert report_of(run).ok == 1
    assert Verdict.objects.get(judge_task__run=run).call.attempt == 2


def test_a_wrong_key_fails_the_run_at_once_and_names_judge_and_variable(
    study: Study, pairs: TaskSet, judge: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY, "wrong-key")
    run = finish(start_run(study, pairs, judge))
    assert run.status == JudgeRun.Status.FAILED
    assert "scripted" in run.error
    assert KEY in run.error
    assert "wrong-key" not in run.error
    assert report_of(run).failed == {}
    assert report_of(run).waiting == 5


def test_a_failed_run_goes_on_with_the_right_key(
    study: Study,
    pairs: TaskSet,
    judge: Judge,
    server: FakeOpenAI,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(KEY, "wrong-key")
    run = finish(start_run(study, pairs, judge))
    monkeypatch.setenv(KEY, "right-key")
    oracle = Oracle(pairs)
    server.script(oracle.answer)
    run = finish(resume_run(run))
    assert (run.status, run.error, report_of(run).ok) == ("done", "", 5)


def test_a_missing_key_makes_no_run(
    study: Study, pairs: TaskSet, judge: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(KEY)
    with pytest.raises(ModelError, match=KEY) as refused:
        start_run(study, pairs, judge)
    assert refused.value.kind is ErrorKind.MISSING_KEY
    assert "scripted" in refused.value.message
    assert not JudgeRun.objects.exists()


def test_a_key_may_come_from_a_file(
    study: Study, pairs: TaskSet, judge: Judge, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "key").write_text("right-key\n", encoding="utf-8")
    monkeypatch.delenv(KEY)
    monkeypatch.setenv(f"{KEY}_FILE", str(tmp_path / "key"))
    assert start_run(study, pairs, judge).pk


def test_the_command_reports_a_failed_run_in_one_sentence(
    study: Study, pairs: TaskSet, judge: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY, "wrong-key")
    with pytest.raises(CommandError, match=KEY) as refused:
        call_command(
            "run_judge", study=study.slug, task=["comparison"], judge="scripted", wait=True
        )
    assert refused.value.returncode == 1
    assert "--resume" in str(refused.value)


def test_questions_of_a_dead_worker_come_back_and_finished_ones_are_not_asked_again(
    study: Study, pairs: TaskSet, judge: Judge, server: FakeOpenAI
) -> None:
    run = start_run(study, pairs, judge)
    JudgeRun.objects.filter(pk=run.pk).update(status=JudgeRun.Status.RUNNING)
    now = timezone.now()
    held = claim(run, "dead", 2, now - dt.timedelta(hours=1))
    assert len(held) == 2
    oracle = Oracle(pairs)
    server.script(oracle.answer)
    run = finish(run)
    assert (run.status, report_of(run).ok, len(server.bodies)) == ("done", 5, 5)


def test_a_claimed_question_is_left_to_its_worker(
    study: Study, pairs: TaskSet, judge: Judge
) -> None:
    run = start_run(study, pairs, judge)
    now = timezone.now()
    first = {q.pk for q in claim(run, "one", 3, now)}
    second = {q.pk for q in claim(run, "two", 9, now)}
    assert (len(first), len(second)) == (3, 2)
    assert not first & second
    assert claim(run, "three", 9, now) == []


def test_a_verdict_that_comes_after_the_lease_is_over_is_not_doubled(
    study: Study, pairs: TaskSet, judge: Judge
) -> None:
    run = start_run(study, pairs, judge)
    now = timezone.now()
    late = claim(run, "late", 1, now - dt.timedelta(hours=1))[0]
    prompt = claim(run, "prompt", 1, now)[0]
    assert prompt.pk == late.pk
    for question, worker in ((prompt, "prompt"), (late, "late")):
        call = JudgeCall.objects.create(
            judge_task=question, attempt=question.attempts, request={}, request_hash="", at=now
        )
        _settle(question, worker, call, Reading({"form": "single", "relation": "equal"}))
    assert Verdict.objects.filter(judge_task=prompt).count() == 1


def test_a_cancelled_run_stops_and_keeps_what_it_has(
    study: Study, pairs: TaskSet, judge: Judge
) -> None:
    run = cancel_run(start_run(study, pairs, judge))
    assert finish(run).status == JudgeRun.Status.CANCELLED
    assert report_of(run).waiting == 5
    with pytest.raises(Refused, match="ended already"):
        cancel_run(run)


def test_limit_and_repeats(study: Study, pairs: TaskSet) -> None:
    run = finish(start_run(study, pairs, rules_judge(), limit=2, repeats=3))
    assert report_of(run).ok == 6
    with pytest.raises(InvalidInput, match="at least 1"):
        start_run(study, pairs, rules_judge(), limit=0)
    with pytest.raises(InvalidInput, match="1 to 50"):
        start_run(study, pairs, rules_judge(), repeats=0)


def test_kinds_that_cannot_be_judged_are_refused_in_words(study: Study) -> None:
    style = make_task_set(study, "style", "style")
    with pytest.raises(InvalidInput, match="cannot answer style tasks"):
        start_run(study, style, rules_judge())


def test_an_empty_task_set_is_refused(study: Study) -> None:
    with pytest.raises(Refused, match="has no tasks"):
        start_run(study, make_task_set(study), rules_judge())


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"judge": "nobody"}, "no judge called nobody"),
        ({"judge": "rules", "task": ["taste"]}, "no kind of task called taste"),
        ({"judge": "rules", "task": ["style"]}, "no style task set"),
        ({"judge": "rules", "task": None}, "--task comparison"),
        ({"judge": None}, "Name a judge"),
        ({"judge": "rules", "study": "elsewhere"}, "no study called elsewhere"),
        ({"judge": "rules", "task_set": "lost"}, "no task set called lost"),
    ],
)
def test_unknown_names_get_one_clear_sentence(
    study: Study, pairs: TaskSet, options: dict[str, Any], says: str
) -> None:
    given = {"study": study.slug, "task": ["comparison"], **options}
    with pytest.raises(CommandError, match=says) as refused:
        call_command("run_judge", **{k: v for k, v in given.items() if v is not None})
    assert refused.value.returncode == 1


@pytest.mark.django_db(transaction=True)
def test_a_run_started_on_a_page_is_worked_through_by_the_worker() -> None:
    study = make_study("worked")
    task_set = make_task_set(study)
    make_comparison(task_set, "May 1, 2020", "1 May 2020")
    run = start_run(study, task_set, rules_judge())
    assert report_of(run).waiting == 1
    call_command("db_worker", "--batch", "--no-startup-delay", "--interval", "0")
    run.refresh_from_db()
    assert (run.status, report_of(run).ok) == ("done", 1)
