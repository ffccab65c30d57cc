"""Servers and workers killed in the middle of their work: what they had acknowledged is stored."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client

from agent.connecting.services import add_judge
from annotation.models import Answer, Assignment, Event, Study, User
from evaluation.judging.services import report_of, start_run
from evaluation.judging.working import work
from evaluation.models import JudgeCall, JudgeRun, Verdict
from tests.factories import (
    make_assignment,
    make_comparison,
    make_member,
    make_study,
    make_task_set,
)
from tests.fake_openai import FakeOpenAI, answer

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

ROOT = Path(__file__).resolve().parent.parent
PEOPLE, TASKS = 5, 14
PATIENCE = 60.0  # seconds until a step that should take a few is called stuck


def environment() -> dict[str, str]:
    """For a process that works on the database of this test."""
    own = connection.settings_dict
    if connection.vendor == "sqlite":
        address = f"sqlite:///{own['NAME']}"
    else:
        login = quote(own["USER"]) + (f":{quote(own['PASSWORD'])}" if own["PASSWORD"] else "")
        address = f"postgres://{login}@{own['HOST']}:{own['PORT'] or 5432}/{own['NAME']}"
    return {**os.environ, "DATABASE_URL": address, "PYTHONWARNINGS": "default"}


def until(done: Callable[[], Any], what: str) -> Any:
    """The first true value of ``done()``."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if value := done():
            return value
        time.sleep(0.02)
    raise AssertionError(f"{what} did not happen in {PATIENCE:.0f} seconds")


class Server:
    """``manage.py serve`` in a process group of its own."""

    def __init__(self) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "manage.py", "serve", "--port", str(self.port)],
            cwd=ROOT,
            env=environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        until(self.answers, "an answer of the server")

    def answers(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=5):
                return True
        except OSError:
            return False

    def kill_web_worker(self) -> None:
        """Kill the process that answers requests; its master starts another."""
        assert self.process is not None
        (master,) = (p for p in children(self.process.pid) if b"gunicorn" in command_of(p))
        for worker in until(lambda: children(master), "the start of a web worker"):
            os.kill(worker, signal.SIGKILL)

    def kill(self) -> None:
        """Kill every process at once, as a power cut does."""
        if self.process is not None:
            for pid in family(self.process.pid):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self.process.wait()
            self.process = None
            until(lambda: not self.answers(), "the end of the server")


def family(pid: int) -> list[int]:
    """``pid`` and all that it started, each held still so that none starts another meanwhile."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGSTOP)
    return [pid, *(one for child in children(pid) for one in family(child))]


def children(pid: int) -> list[int]:
    return [
        int(child)
        for path in Path(f"/proc/{pid}/task").glob("*/children")
        for child in path.read_text().split()
    ]


def command_of(pid: int) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()


@pytest.fixture
def server() -> Iterator[Server]:
    running = Server()
    yield running
    running.kill()


@dataclass
class Write:
    """One write of a page: it keeps its id until it is acknowledged."""

    path: str
    form: dict[str, Any]
    op_id: str = field(default_factory=lambda: str(uuid.uuid4()))
    acknowledged: bool = False


class Page:
    """An annotator's page: a session, a CSRF token, and each write sent until it is answered."""

    def __init__(self, server: Server, user: User) -> None:
        client = Client()
        client.force_login(user)
        self.session = client.cookies[settings.SESSION_COOKIE_NAME].value
        self.token = ""
        self.server = server
        self.assignments = [a.pk for a in Assignment.objects.filter(annotator=user).in_order()]
        self.writes = [
            Write(f"/work/a/{pk}/{act}/", {"version": version, "relation": relation})
            for pk in self.assignments
            for version, (act, relation) in enumerate(
                [("act", "different"), ("act", "equal"), ("submit", "equal")]
            )
        ]
        self.refused: list[tuple[int, str]] = []

    def ask(self, method: str, path: str, form: dict[str, Any] | None = None) -> tuple[int, str]:
        """Status and the CSRF cookie of an answer that came complete. Raises ``OSError``."""
        link = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=PATIENCE)
        cookies = f"{settings.SESSION_COOKIE_NAME}={self.session}; csrftoken={self.token}"
        headers = {"Cookie": cookies, "HX-Request": "true", "X-CSRFToken": self.token}
        if form is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        try:
            link.request(method, path, urlencode(form) if form else None, headers)
            response = link.getresponse()
            response.read()
        except http.client.HTTPException as error:
            raise ConnectionError("the answer broke off") from error
        finally:
            link.close()
        set_cookie = response.headers.get("Set-Cookie", "")
        return response.status, set_cookie.partition("csrftoken=")[2].partition(";")[0]

    def open(self) -> None:
        status, token = self.ask("GET", f"/work/a/{self.assignments[0]}/")
        assert status == 200
        self.token = token or self.token
        assert self.token

    def work(self, stop: threading.Event) -> None:
        """Send what is not acknowledged yet, in order, until all is or it is time to stop."""
        for write in self.writes:
            while not write.acknowledged and not stop.is_set():
                try:
                    status, _ = self.ask("POST", write.path, {**write.form, "op_id": write.op_id})
                except OSError:
                    stop.wait(0.05)
                    continue
                if status != 200:
                    self.refused.append((status, write.path))
                    return
                write.acknowledged = True


@pytest.fixture
def annotators(db: None) -> list[User]:
    """Five people with the same tasks each."""
    study = make_study("killed")
    task_set = make_task_set(study)
    tasks = [make_comparison(task_set, f"a{n}", f"b{n}") for n in range(TASKS)]
    people = [make_member(study, "annotator", f"person-{n}") for n in range(PEOPLE)]
    for user in people:
        for task in tasks:
            make_assignment(task, user)
    return people


def test_what_a_killed_server_acknowledged_is_stored_once(
    server: Server, annotators: list[User]
) -> None:
    server.start()
    pages = [Page(server, user) for user in annotators]
    for page in pages:
        page.open()
    stop = threading.Event()
    threads = [threading.Thread(target=page.work, args=(stop,)) for page in pages]
    for thread in threads:
        thread.start()

    def acknowledged() -> int:
        return sum(write.acknowledged for page in pages for write in page.writes)

    until(lambda: acknowledged() >= 40, "the fortieth answer")
    server.kill_web_worker()
    until(lambda: acknowledged() >= 80, "the eightieth answer")
    server.kill()
    before = {write.op_id for page in pages for write in page.writes if write.acknowledged}
    assert len(before) < PEOPLE * TASKS * 3, "all was done before the kill"
    stored = {str(op_id) for op_id in Event.objects.values_list("op_id", flat=True)}
    assert before <= stored

    server.start()
    for thread in threads:
        thread.join(PATIENCE)
    stop.set()
    server.kill()
    assert [page.refused for page in pages] == [[] for _ in pages]
    sent = {write.op_id: write for page in pages for write in page.writes}
    events = Counter(str(op_id) for op_id in Event.objects.values_list("op_id", flat=True))
    assert events == Counter(list(sent))
    answers = Counter(str(op_id) for op_id in Answer.objects.values_list("op_id", flat=True))
    assert answers == Counter(op_id for op_id, w in sent.items() if w.path.endswith("/submit/"))
    for assignment in Assignment.objects.select_related("current"):
        versions = list(assignment.events.order_by("version").values_list("version", flat=True))
        assert versions == [1, 2, 3]
        assert (assignment.version, assignment.status) == (3, "submitted")
        assert assignment.current is not None
        assert assignment.current.payload == {"form": "single", "relation": "equal"}


def judged(study: Study) -> dict[str, Any]:
    """What the runs of ``study`` found, by task."""
    verdicts = Verdict.objects.filter(judge_task__run__study=study)
    return dict(verdicts.values_list("judge_task__task__key", "payload"))


def test_a_killed_run_is_resumed_at_once_and_asks_nothing_twice() -> None:
    """The unbroken run asks 12 questions; so does the broken one, and those in flight again."""
    with FakeOpenAI() as endpoint:
        study, unbroken = make_study("broken"), make_study("unbroken")
        judge = add_judge("slow", base_url=endpoint.base_url, model="m", concurrency=2)
        for one in (study, unbroken):
            task_set = make_task_set(one)
            for n in range(12):
                make_comparison(task_set, f"alpha {n} x", f"beta {n} x", case_id=str(n))
        reply = json.dumps({"reasoning": "", "relation": "different"})
        endpoint.script([reply] * 12)
        work(start_run(unbroken, unbroken.task_sets.get(), judge).pk, worker="w")
        assert len(endpoint.bodies) == 12

        run = start_run(study, study.task_sets.get(), judge)
        endpoint.script([reply] * 5 + [answer(reply).held()] * 2)
        command = [sys.executable, "manage.py", "run_judge", "--study", study.slug, "--wait"]
        command += ["--resume", str(run.pk)]
        process = subprocess.Popen(
            command, cwd=ROOT, env=environment(), stdout=subprocess.DEVNULL, start_new_session=True
        )
        endpoint.wait_for(12 + 7)
        until(lambda: report_of(run).ok == 5, "the storing of five answers")
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        endpoint.release()
        endpoint.script([reply] * 7)
        done = subprocess.run(
            [*command, "--json"], cwd=ROOT, env=environment(), capture_output=True, timeout=PATIENCE
        )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["status"], report["ok"], report["waiting"]) == ("done", 12, 0)
    assert len(endpoint.bodies) == 12 + 5 + 2 + 7
    assert JudgeCall.objects.filter(judge_task__run=run).count() == 12
    assert judged(study) == judged(unbroken)
    assert JudgeRun.objects.get(pk=run.pk).error == ""
