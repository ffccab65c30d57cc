"""What every command shares: ``--json``, messages apart from the result, exit codes.

Exit codes: 0 on success, 1 when a job is refused or fails (a ``DomainError``), 2 on wrong usage
(the argument parser's own), 130 when Ctrl+C ended it.
"""

from __future__ import annotations

import argparse
import json
from abc import abstractmethod
from collections.abc import Callable
from typing import Any, NoReturn

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError, IntegrityError, OperationalError, ProgrammingError

from annotation.errors import DomainError

Result = dict[str, Any]
STOPPED = 130  # as shells say of a job that Ctrl+C has ended


class GavelCommand(BaseCommand):
    """A command that does one job through a service and reports one result.

    A subclass writes ``arguments``, ``run`` and ``describe``. With ``--json`` the result of
    ``run`` is the one JSON object on standard output, else the text of ``describe`` is;
    messages and progress always go to standard error.
    """

    requires_migrations_checks = False
    when_stopped = ""
    """What a person is told who pressed Ctrl+C; empty where it cannot be said in general."""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--json", action="store_true", help="print the result as one JSON object"
        )
        self.arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            result = self.run(**options)
        except DomainError as error:
            raise CommandError(error.message, returncode=1) from error
        except DatabaseError as error:
            raise CommandError(_sentence(error), returncode=1) from error
        except KeyboardInterrupt:
            if not self.when_stopped:
                raise
            raise CommandError(self.when_stopped, returncode=STOPPED) from None
        text = json.dumps(result, allow_nan=False) if options["json"] else self.describe(result)
        self.stdout.write(text)

    def arguments(self, parser: CommandParser) -> None:
        """Add the command's own arguments."""

    @abstractmethod
    def run(self, **options: Any) -> Result:
        """Do the job with the parsed ``options``; return plain JSON. Raises ``DomainError``."""

    @abstractmethod
    def describe(self, result: Result) -> str:
        """The result of ``run`` for people."""

    def say(self, message: str) -> None:
        """Tell the person something that is not the result."""
        self.stderr.write(message, self.style.NOTICE)

    def progress(self, done: int, total: int, what: str) -> None:
        """Show how far a long job is: on a terminal only, one line that overwrites itself."""
        if not self.stderr.isatty():
            return
        self.stderr.write(f"\r{what}: {done} of {total}", ending="\n" if done >= total else "")

    def progress_in_bytes(self, done: int, total: int) -> None:
        """The same of bytes, in kilobytes."""
        self.progress(-(-done // 1000), -(-total // 1000), "Kilobytes")


def _sentence(error: DatabaseError) -> str:
    """What a person can do about what the database said (``--traceback`` shows where)."""
    said = (str(error).splitlines() or ["nothing"])[0]
    if isinstance(error, IntegrityError):
        return (
            f"Something else stored the same at the same moment ({said}), so this was not stored. "
            "Look at what is there now, and try again."
        )
    if isinstance(error, OperationalError | ProgrammingError):
        return (
            f"The database cannot be used now ({said}). Check DATABASE_URL, prepare it with "
            "migrate, or wait until another job has finished; then try again."
        )
    return f"The database cannot store this ({said}). Nothing of this step was stored."


def whole_number(low: int = 0, high: int = 2**63 - 1) -> Callable[[str], int]:
    """For ``type=`` of an argument: a whole number that the database can hold."""

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"“{text[:40]}” is no whole number") from None
        if not low <= number <= high:
            raise argparse.ArgumentTypeError(f"must be from {low} to {high}")
        return number

    return read


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


def setting(text: str) -> tuple[str, Any]:
    """``temperature=0`` -> ("temperature", 0), for ``type=``; a value that is no JSON is text."""
    name, sign, value = text.partition("=")
    if not sign or not name:
        raise argparse.ArgumentTypeError(f"“{text}” is not of the form name=value")
    try:
        return name, json.loads(value, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return name, value


def comma_separated(text: str) -> list[str]:
    """The names in ``a, b,c``, without blanks, in their order; for ``type=`` of an argument."""
    return [name for name in (part.strip() for part in text.split(",")) if name]
