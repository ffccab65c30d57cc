"""What every command shares: ``--json``, messages apart from the result, exit codes.

Exit codes: 0 on success, 1 when a job is refused or fails (a ``DomainError``), 2 on wrong usage
(the argument parser's own).
"""

from __future__ import annotations

import argparse
import json
from abc import abstractmethod
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.errors import DomainError

Result = dict[str, Any]


class GavelCommand(BaseCommand):
    """A command that does one job through a service and reports one result.

    A subclass writes ``arguments``, ``run`` and ``describe``. With ``--json`` the result of
    ``run`` is the one JSON object on standard output, else the text of ``describe`` is;
    messages and progress always go to standard error.
    """

    requires_migrations_checks = False

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


def setting(text: str) -> tuple[str, Any]:
    """``temperature=0`` -> ("temperature", 0), for ``type=``; a value that is no JSON is text."""
    name, sign, value = text.partition("=")
    if not sign or not name:
        raise argparse.ArgumentTypeError(f"“{text}” is not of the form name=value")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def comma_separated(text: str) -> list[str]:
    """The names in ``a, b,c``, without blanks, in their order; for ``type=`` of an argument."""
    return [name for name in (part.strip() for part in text.split(",")) if name]
