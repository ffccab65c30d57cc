"""Working through a run: claim a question, ask, store what came back.

Several workers may share a run. A question is claimed by a conditional update whose row count
says "mine", with a lease; a worker that dies loses its lease and the question is asked again.
No request is made inside a transaction, and only the main thread touches the database.
"""

from __future__ import annotations

import datetime as dt
import os
import socket
import threading
import time
import uuid
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from agent.clients import client_for
from agent.llm.client import ChatClient, ChatReply, ChatRequest, request_hash
from agent.llm.errors import ErrorKind, ModelError
from agent.models import Judge
from annotation.checklists.schema import Template
from annotation.kinds.comparison import Side
from annotation.text.normalise import storable_json, storable_text
from evaluation.judging.asking import Asker, Reading, asker_for
from evaluation.judging.repairs import ReplyError, ReplyFault
from evaluation.models import JudgeCall, JudgeRun, JudgeTask, Verdict

ClientFactory = Callable[[Judge], ChatClient]

MAX_ATTEMPTS = 3
RULES_BATCH = 50
# A claimed question comes back to the others when its worker has been silent for this long; it is
# renewed while the worker lives, so it bounds only how long a killed worker holds up a question.
LEASE_SECONDS = 120.0
RENEW_SECONDS = 30.0
RETRY_WAIT_SECONDS = 30.0
LOOK_AGAIN_SECONDS = 1.0  # at questions that others hold

# The fault is the endpoint's or the account's, not the question's: asking on would only repeat it.
STOPS_RUN = frozenset(
    {
        ErrorKind.AUTH,
        ErrorKind.MISSING_KEY,
        ErrorKind.QUOTA,
        ErrorKind.UNKNOWN_MODEL,
        ErrorKind.WRONG_ADDRESS,
        ErrorKind.REDIRECTED,
        ErrorKind.CONNECTION,
        ErrorKind.RATE_LIMITED,
    }
)
# Asking the same question again may give an answer.
WORTH_ASKING_AGAIN = frozenset(
    {
        ErrorKind.OVERLOADED,
        ErrorKind.TIMEOUT,
        ErrorKind.EMPTY,
        ErrorKind.EMPTY_BILLED,
        ErrorKind.INVALID_REPLY,
        ErrorKind.ERROR_IN_BODY,
    }
)
# An endpoint may call its model anything; ``reply`` keeps the name in full.
LONGEST_MODEL = JudgeCall._meta.get_field("served_model").max_length
# An answer that could not be read is stored under the reader's reason, with this in front.
UNREADABLE = "unreadable"


@dataclass(frozen=True)
class Outcome:
    """What one question came to."""

    request: ChatRequest
    reply: ChatReply | None = None
    error: ModelError | None = None


def worker_name() -> str:
    """A name for this process that no other has."""
    return f"{_host()}-{os.getpid()}-{uuid.uuid4().hex[:8]}"


def work(
    run_id: int,
    *,
    worker: str,
    client_factory: ClientFactory = client_for,
    progress: Callable[[], None] = lambda: None,
    held: Callable[[Held], None] = lambda _: None,
    sleep: Callable[[float], None] = time.sleep,
) -> JudgeRun:
    """Ask the open questions of run ``run_id`` until none is left, or the run ends.

    Questions that another worker holds are waited for; ``held`` hears of them when the waiting
    begins. Those of a worker that is gone are asked here, at once when it ran on this machine,
    else when its lease is over. Returns the run as it then is: ``done`` when every question is
    answered or not scored, ``failed`` with the reason when the endpoint cannot be used at all,
    ``cancelled`` when somebody stopped it.
    """
    run = JudgeRun.objects.select_related("judge", "study__template", "task_set").get(pk=run_id)
    if run.is_final:
        return run
    JudgeRun.objects.filter(pk=run.pk, status=JudgeRun.Status.QUEUED).update(
        status=JudgeRun.Status.RUNNING
    )
    template = Template.from_json(run.study.template.content)
    asker = asker_for(run.task_set.kind, template, run.judge_snapshot["params"])
    said: Held | None = None
    while True:
        if run.judge.is_baseline:
            _work_by_rules(run, asker, worker, progress)
        else:
            _work_by_calls(run, asker, worker, client_factory, progress, sleep)
        holding = held_by_others(run) if _goes_on(run) else None
        if holding is None:
            break
        if said is None or holding.workers != said.workers:
            held(holding)
            said = holding
        sleep(LOOK_AGAIN_SECONDS)
    _finish_if_complete(run)
    run.refresh_from_db()
    return run


@dataclass(frozen=True)
class Held:
    """Questions that other workers have claimed: how many, by whom, and until when at most."""

    questions: int
    workers: frozenset[str]
    until: dt.datetime


def held_by_others(run: JudgeRun) -> Held | None:
    """The claimed questions of ``run``; those of workers known to be gone are freed before."""
    free_abandoned(run)
    claimed = run.judge_tasks.filter(status=JudgeTask.Status.RUNNING)
    rows = list(claimed.values_list("claimed_by", "lease_until"))
    if not rows:
        return None
    now = timezone.now()
    until = max((lease for _, lease in rows if lease is not None), default=now)
    return Held(len(rows), frozenset(name for name, _ in rows), until)


def free_abandoned(run: JudgeRun) -> int:
    """Free the questions whose lease is over or whose worker is known to be gone; how many."""
    claimed = run.judge_tasks.filter(status=JudgeTask.Status.RUNNING)
    names = claimed.order_by().values_list("claimed_by", flat=True).distinct()
    gone = [name for name in names if _is_gone(name)]
    abandoned = Q(lease_until__lt=timezone.now()) | Q(claimed_by__in=gone)
    return claimed.filter(abandoned).update(status=JudgeTask.Status.PENDING, lease_until=None)


def _is_gone(worker: str) -> bool:
    """Whether ``worker`` was a process of this machine that has ended; False when in doubt."""
    host, _, rest = worker.rpartition("-")[0].rpartition("-")
    if os.name != "posix" or host != _host() or not rest.isdecimal():
        return False
    try:
        os.kill(int(rest), 0)  # signal 0 only asks whether there is such a process
    except ProcessLookupError:
        return True
    except (PermissionError, OverflowError):
        return False
    return False


def _host() -> str:
    return socket.gethostname()[:40]


def _goes_on(run: JudgeRun) -> bool:
    return JudgeRun.objects.filter(pk=run.pk, status=JudgeRun.Status.RUNNING).exists()


def claim(run: JudgeRun, worker: str, count: int, now: dt.datetime) -> list[JudgeTask]:
    """Take up to ``count`` open questions for ``worker``; each goes to exactly one."""
    mine = []
    open_questions = run.judge_tasks.claimable(now)
    for pk in list(open_questions.values_list("pk", flat=True)[:count]):
        taken = (
            open_questions.order_by()
            .filter(pk=pk)
            .update(
                status=JudgeTask.Status.RUNNING,
                claimed_by=worker,
                lease_until=now + dt.timedelta(seconds=LEASE_SECONDS),
                attempts=F("attempts") + 1,
            )
        )
        if taken:
            mine.append(pk)
    return list(JudgeTask.objects.filter(pk__in=mine).select_related("task").order_by("pk"))


def _work_by_rules(run: JudgeRun, asker: Asker, worker: str, progress: Callable[[], None]) -> None:
    while _goes_on(run):
        questions = claim(run, worker, RULES_BATCH, timezone.now())
        if not questions:
            return
        readings = [(q, asker.by_rules(q.task.content)) for q in questions]
        with transaction.atomic():
            for question, reading in readings:
                call = JudgeCall.objects.create(
                    judge_task=question,
                    attempt=question.attempts,
                    request={"judge": "rules", "content": question.task.content},
                    request_hash=question.task.content_hash,
                    reply=reading.explanation,
                    at=timezone.now(),
                )
                _settle(question, worker, call, reading)
        progress()


def _work_by_calls(
    run: JudgeRun,
    asker: Asker,
    worker: str,
    client_factory: ClientFactory,
    progress: Callable[[], None],
    sleep: Callable[[float], None],
) -> None:
    own = threading.local()
    client_factory(run.judge)  # a missing key or a bad address shows before any thread starts

    def ask(request: ChatRequest) -> Outcome:
        if not hasattr(own, "client"):
            own.client = client_factory(run.judge)
        try:
            return Outcome(request, reply=own.client.complete(request))
        except ModelError as error:
            return Outcome(request, error=error)

    slots = int(run.judge_snapshot["concurrency"])
    flying: dict[Future[Outcome], JudgeTask] = {}
    with ThreadPoolExecutor(max_workers=slots, thread_name_prefix="judge") as pool:
        renewed = time.monotonic()
        while True:
            if _goes_on(run):
                for question in claim(run, worker, slots - len(flying), timezone.now()):
                    request = asker.request(
                        question.task.content, question.task.item_key, Side(question.first_side)
                    )
                    flying[pool.submit(ask, request)] = question
            if not flying:
                if not _wait_for_later(run, sleep):
                    return
                continue
            done, _ = wait(flying, timeout=RENEW_SECONDS / 3, return_when=FIRST_COMPLETED)
            for future in done:
                _store(run, asker, flying.pop(future), worker, future.result())
                progress()
            if time.monotonic() - renewed > RENEW_SECONDS:
                renewed = time.monotonic()
                _renew(worker, [question.pk for question in flying.values()])


def _wait_for_later(run: JudgeRun, sleep: Callable[[float], None]) -> bool:
    """Sleep until the next put-off question is due; False when there is none to wait for."""
    if not _goes_on(run):
        return False
    pending = run.judge_tasks.filter(status=JudgeTask.Status.PENDING)
    due = pending.order_by("not_before").values_list("not_before", flat=True).first()
    if due is None:
        return pending.exists()
    sleep(min(max((due - timezone.now()).total_seconds(), 0.05), RENEW_SECONDS))
    return True


def _renew(worker: str, questions: list[int]) -> None:
    JudgeTask.objects.filter(
        pk__in=questions, claimed_by=worker, status=JudgeTask.Status.RUNNING
    ).update(lease_until=timezone.now() + dt.timedelta(seconds=LEASE_SECONDS))


def _store(run: JudgeRun, asker: Asker, question: JudgeTask, worker: str, outcome: Outcome) -> None:
    """Keep the call; then the verdict, or the reason why there is none."""
    reading: Reading | None = None
    unread: ReplyError | None = None
    if outcome.reply is not None:
        try:
            reading = asker.read(outcome.reply, question.task.content, Side(question.first_side))
        except ReplyError as error:
            error.message = storable_text(error.message)
            unread = error
    with transaction.atomic():
        call = _keep_call(run, question, outcome, unread)
        if reading is not None:
            _settle(question, worker, call, reading)
        elif outcome.error is not None:
            _after_error(run, question, worker, outcome.error)
        elif unread is not None:
            _after_unread(question, worker, unread)


def _unread_kind(error: ReplyError) -> str:
    return f"{UNREADABLE}_{error.reason}"


def _after_unread(question: JudgeTask, worker: str, error: ReplyError) -> None:
    """Ask again, unless the answer was cut: the same limit would cut the next one too."""
    if error.reason is ReplyFault.TRUNCATED:
        _give_up(question, worker, _unread_kind(error), error.message)
    else:
        _put_off_or_give_up(question, worker, _unread_kind(error), error.message, wait_seconds=0)


def _keep_call(
    run: JudgeRun, question: JudgeTask, outcome: Outcome, unread: ReplyError | None
) -> JudgeCall:
    reply, error = outcome.reply, outcome.error
    usage = reply.usage if reply else error.usage if error else None
    raw = reply.raw_reply if reply else error.raw_reply if error else None
    tries = reply.attempts if reply else error.attempts if error else ()
    return JudgeCall.objects.create(
        judge_task=question,
        attempt=question.attempts,
        request=(reply.raw_request if reply else error.raw_request if error else None) or {},
        request_hash=request_hash(outcome.request, model=run.judge_snapshot["model"]),
        reply=raw,
        reply_text=reply.text if reply else error.text if error else "",
        error_kind=error.kind if error else _unread_kind(unread) if unread else "",
        error=error.message if error else unread.message if unread else "",
        served_model=(reply.served_model or "")[:LONGEST_MODEL] if reply else "",
        prompt_tokens=usage.prompt if usage else None,
        cached_tokens=usage.cached if usage else None,
        completion_tokens=usage.completion if usage else None,
        reasoning_tokens=usage.reasoning if usage else None,
        tokens_estimated=bool(usage and usage.source == "estimated"),
        seconds=(reply.seconds if reply else error.seconds if error else None) or 0.0,
        notes=list(reply.notes) if reply else [],
        tries=[_try_json(t) for t in tries],
        at=timezone.now(),
    )


def _try_json(attempt: Any) -> dict[str, Any]:
    return {
        "kind": str(attempt.kind),
        "message": attempt.message,
        "status": attempt.status,
        "waited_seconds": attempt.waited,
    }


def _mine(question: JudgeTask, worker: str) -> Any:
    return JudgeTask.objects.filter(
        pk=question.pk, claimed_by=worker, status=JudgeTask.Status.RUNNING
    )


def _settle(question: JudgeTask, worker: str, call: JudgeCall, reading: Reading) -> None:
    now = timezone.now()
    mine = _mine(question, worker).update(
        status=JudgeTask.Status.DONE, finished_at=now, lease_until=None, error_kind="", error=""
    )
    if mine:  # else the lease ran out and another worker has the question
        Verdict.objects.create(
            judge_task=question,
            call=call,
            payload=reading.payload,
            repairs=reading.repairs,
            explanation=storable_json(reading.explanation),
            at=now,
        )


def _after_error(run: JudgeRun, question: JudgeTask, worker: str, error: ModelError) -> None:
    kind = error.kind
    nothing_answered = not run.judge_tasks.filter(status=JudgeTask.Status.DONE).exists()
    if kind in STOPS_RUN or (kind is ErrorKind.BAD_REQUEST and nothing_answered):
        _mine(question, worker).update(status=JudgeTask.Status.PENDING, lease_until=None)
        _fail(run, error)
    elif kind in WORTH_ASKING_AGAIN:
        wait_seconds = error.retry_after or RETRY_WAIT_SECONDS
        _put_off_or_give_up(question, worker, kind, error.message, wait_seconds=wait_seconds)
    else:
        _give_up(question, worker, kind, error.message)


def _put_off_or_give_up(
    question: JudgeTask, worker: str, kind: str, message: str, *, wait_seconds: float
) -> None:
    if question.attempts >= MAX_ATTEMPTS:
        _give_up(question, worker, kind, message)
        return
    _mine(question, worker).update(
        status=JudgeTask.Status.PENDING,
        lease_until=None,
        not_before=timezone.now() + dt.timedelta(seconds=wait_seconds),
        error_kind=kind,
        error=message,
    )


def _give_up(question: JudgeTask, worker: str, kind: str, message: str) -> None:
    _mine(question, worker).update(
        status=JudgeTask.Status.NOT_SCORED,
        finished_at=timezone.now(),
        lease_until=None,
        error_kind=kind,
        error=message,
    )


def _fail(run: JudgeRun, error: ModelError) -> None:
    judge = run.judge_snapshot
    key = f" (key variable {judge['api_key_env']})" if judge["api_key_env"] else ""
    JudgeRun.objects.filter(pk=run.pk, status=JudgeRun.Status.RUNNING).update(
        status=JudgeRun.Status.FAILED,
        error=f"Judge {judge['name']}{key}: {error.message}",
        finished_at=timezone.now(),
    )


def _finish_if_complete(run: JudgeRun) -> None:
    open_states = (JudgeTask.Status.PENDING, JudgeTask.Status.RUNNING)
    if not run.judge_tasks.filter(status__in=open_states).exists():
        JudgeRun.objects.filter(pk=run.pk, status=JudgeRun.Status.RUNNING).update(
            status=JudgeRun.Status.DONE, finished_at=timezone.now()
        )
