"""Replies that no column can hold as they come, and a run that goes on all the same."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from agent.connecting.services import add_judge
from agent.models import Judge
from annotation.errors import InvalidInput
from annotation.models import Study, TaskSet
from evaluation.judging.services import report_of, start_run
from evaluation.judging.working import LONGEST_MODEL, work
from evaluation.models import JudgeCall, Verdict
from tests.evaluation.judging.test_runs import no_sleep
from tests.factories import make_comparison, make_task_set
from tests.fake_openai import FakeOpenAI, Reply, Scripted, answer, raw

pytestmark = pytest.mark.django_db


@pytest.fixture
def server() -> Iterator[FakeOpenAI]:
    with FakeOpenAI() as running:
        yield running


@pytest.fixture
def judge(server: FakeOpenAI) -> Judge:
    return add_judge("odd", base_url=server.base_url, model="odd-model", concurrency=1)


@pytest.fixture
def one_pair(study: Study) -> TaskSet:
    task_set = make_task_set(study)
    make_comparison(task_set, "May 1, 2020", "1 May 2020")
    return task_set


def usage(**counts: object) -> dict[str, object]:
    return {"prompt_tokens": 900, "completion_tokens": 5, "total_tokens": 905, **counts}


def reasoned(text: str) -> str:
    """An answer whose reasoning holds ``text`` as it stands, escapes and all."""
    return '{"reasoning": "' + text + '", "relation": "equal"}'


READ: dict[str, Scripted] = {
    "counts beyond any column": answer(
        reasoned("x"), usage=usage(prompt_tokens=10**15, completion_tokens=2**31)
    ),
    "negative counts": answer(
        reasoned("x"), usage=usage(prompt_tokens=-7, completion_tokens=-(10**30))
    ),
    "counts that are no counts": answer(
        reasoned("x"), usage=usage(prompt_tokens="many", completion_tokens=[1])
    ),
    "an endless model name": answer(reasoned("x"), model="m" * 5000),
    "NUL in the model name": answer(reasoned("x"), model="m\x00odel"),
    "NUL in the text": answer(reasoned("a\\u0000b")),
    "half a surrogate pair in the text": answer(reasoned("a\\ud800b")),
    "NUL in what nobody asked for": answer(reasoned("x"), extra={"\x00": "\x00"}),
    "NaN in what nobody asked for": raw(
        json.dumps(
            {
                "model": "odd-model",
                "choices": [{"message": {"content": reasoned("x")}, "finish_reason": "stop"}],
                "usage": usage(),
                "odd": [float("nan"), float("inf"), 1e308],
            }
        )
    ),
    "another model": answer(reasoned("x"), model="something-else"),
    "a slow stream of small pieces": Reply(
        pieces=[
            bytes([byte])
            for byte in json.dumps(
                {
                    "model": "odd-model",
                    "choices": [{"message": {"content": reasoned("x")}, "finish_reason": "stop"}],
                    "usage": usage(),
                }
            ).encode()
        ]
    ),
}


@pytest.mark.parametrize("name", READ)
def test_an_odd_reply_is_read_and_stored(
    name: str, study: Study, one_pair: TaskSet, judge: Judge, server: FakeOpenAI
) -> None:
    server.script([READ[name]])
    run = work(start_run(study, one_pair, judge).pk, worker="w", sleep=no_sleep)
    report = report_of(run)
    assert (run.status, report.ok, report.failed) == ("done", 1, {})
    call = JudgeCall.objects.get()
    assert len(call.served_model) <= LONGEST_MODEL
    for count in (call.prompt_tokens, call.completion_tokens):
        assert count is None or 0 <= count <= 10**9
    verdict = Verdict.objects.get()
    stored = json.dumps(verdict.explanation) + json.dumps(call.reply) + call.reply_text
    assert "\x00" not in stored
    assert "\\u0000" not in json.dumps(verdict.explanation)
    assert verdict.payload == {"form": "single", "relation": "equal"}


UNREAD: dict[str, Scripted] = {
    "a web page": raw("<!doctype html><title>502</title>", content_type="text/html"),
    "no JSON": raw("{" * 1000),
    "depth": raw("[" * 100_000),
    "ten megabytes of blanks": raw(" " * 10_000_000),
    "more than the limit": raw("x" * 17_000_000),
    "a redirect": Reply(status=302, headers={"Location": "http://127.0.0.1:1/"}),
    "NUL in a relation": answer('{"relation": "A\\u0000B \\ud800"}'),
    "NUL alone": answer("\x00"),
    "a text of a megabyte": answer(reasoned("long " * 200_000)),
    "a number of ten thousand digits": raw('{"choices": ' + "9" * 10_000 + "}"),
    "an error with NUL": raw('{"error": {"message": "no\\u0000 \\udfff", "code": "\\u0000"}}'),
}


@pytest.mark.parametrize("name", UNREAD)
def test_a_reply_that_cannot_be_read_is_kept_with_its_reason(
    name: str, study: Study, one_pair: TaskSet, judge: Judge, server: FakeOpenAI
) -> None:
    server.script(lambda _: UNREAD[name])
    run = start_run(study, one_pair, judge)
    question = run.judge_tasks.get()

    def no_waiting(_: float) -> None:
        run.judge_tasks.update(not_before=None)

    run = work(run.pk, worker="w", sleep=no_waiting)
    question.refresh_from_db()
    assert run.is_final
    assert Verdict.objects.count() == 0
    assert JudgeCall.objects.filter(error_kind="").count() == 0
    assert question.error or run.error
    assert "\x00" not in question.error + run.error


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"model": "m" * 201}, "200 characters"),
        ({"model": "m\x00"}, "NUL"),
        ({"base_url": "https://example.org/" + "v" * 500}, "500 characters"),
        ({"params": {"temperature": float("nan")}}, "JSON"),
        ({"params": {"stop": "\x00"}}, "NUL"),
        ({"timeout_seconds": 10**12}, "time-out 1 to"),
        ({"name": "n" * 81}, "cannot name a judge"),
    ],
)
def test_a_judge_that_no_column_can_hold_is_refused(
    db: None, given: dict[str, object], says: str
) -> None:
    fields = {"name": "j", "base_url": "https://example.org/v1", "model": "m", **given}
    with pytest.raises(InvalidInput, match=says):
        add_judge(**fields)  # type: ignore[arg-type]
    assert not Judge.objects.filter(kind="openai").exists()
