"""What the import commands share."""

from __future__ import annotations

from annotation.errors import Refused
from annotation.importing.services import nothing_stored
from annotation.management.base import GavelCommand, Result
from annotation.records.report import ImportReport


class ImportCommand(GavelCommand):
    """A command whose result is an import report."""

    report = ImportReport()

    def finish(self, report: ImportReport) -> Result:
        """The result of an import.

        Raises ``Refused`` with the whole report when no file at all was stored.
        """
        self.report = report
        if report.files and nothing_stored(report):
            raise Refused(f"{report.to_text()}\nNothing was imported.")
        return report.to_json()

    def describe(self, result: Result) -> str:
        """The report for a terminal."""
        return self.report.to_text()
