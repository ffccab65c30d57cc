"""``manage.py serve``: the web server and one worker, together, until Ctrl+C."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from evaluation.demo.people import DEMO_PASSWORD
from evaluation.demonstrating.services import demo_accounts


class Command(BaseCommand):
    help = "Serve the site and work through background jobs, for one machine and a few people."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--port", type=int, default=int(os.environ.get("PORT", "8000")))
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--threads", type=int, default=8)

    def handle(self, *args: Any, **options: Any) -> None:
        host, port = options["host"], options["port"]
        _refuse_taken_port(host, port)
        python = [sys.executable]
        environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "gavel_site.settings"}
        web = [
            *python, "-m", "gunicorn", "gavel_site.wsgi:application",
            "--bind", f"{host}:{port}", "--threads", str(options["threads"]),
            "--worker-tmp-dir", "/dev/shm" if os.path.isdir("/dev/shm") else "/tmp",  # noqa: S108, PTH112
            "--graceful-timeout", "5", "--log-level", "warning",
        ]  # fmt: skip
        worker = [*python, "manage.py", "db_worker", "--interval", "0.5"]
        # The worker runs the web server's code beside it: neither reloads, both stop together.
        processes = [
            # A group of its own: Ctrl+C reaches us alone, and we end the whole group.
            subprocess.Popen(
                command, cwd=settings.BASE_DIR, env=environment, start_new_session=True
            )
            for command in (web, worker)
        ]
        try:
            _wait_until_open(host, port, processes)
            self._greet(host, port)
            _wait_for_one(processes)
        finally:
            _stop(processes)
            self.stdout.write("Stopped.\n")

    def _greet(self, host: str, port: int) -> None:
        self.stdout.write(f"\nGavel is at http://{host}:{port}/  (Ctrl+C stops it)\n\n")
        accounts = demo_accounts()
        if accounts:
            self.stdout.write(f"Demo logins, all with the password “{DEMO_PASSWORD}”:\n")
            for name, role in accounts:
                self.stdout.write(f"  {name:<12} {role}\n")
        self.stdout.flush()


def _refuse_taken_port(host: str, port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise CommandError(
                f"Cannot listen on {host}:{port} ({error.strerror}). "
                f"Choose another port: make demo PORT={port + 1}"
            ) from error


def _wait_until_open(host: str, port: int, processes: list[subprocess.Popen[bytes]]) -> None:
    """Return when the web server takes connections, or when a process has ended."""
    while all(process.poll() is None for process in processes):
        with socket.socket() as probe:
            if probe.connect_ex((host, port)) == 0:
                return
        time.sleep(0.1)


def _wait_for_one(processes: list[subprocess.Popen[bytes]]) -> None:
    """Return when one process has ended or the person pressed Ctrl+C."""

    def stop(_signal: int, _frame: object) -> None:
        raise KeyboardInterrupt

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    try:
        while all(process.poll() is None for process in processes):
            time.sleep(0.2)
    except KeyboardInterrupt:
        return
    raise CommandError("The web server or the worker has stopped; its message stands above.")


def _stop(processes: list[subprocess.Popen[bytes]]) -> None:
    """End both processes, by force if they do not end by themselves."""
    # A second Ctrl+C (or the one that the terminal sends to all) must not interrupt the tidying.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    for process in processes:
        _signal_group(process, signal.SIGTERM)
    for process in processes:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=10)
        # What is left of the group (a web worker whose master is gone) must not keep the port.
        _signal_group(process, signal.SIGKILL)
        process.wait()


def _signal_group(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)
