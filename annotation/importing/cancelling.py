"""Giving up an import that is under way."""

from __future__ import annotations

from annotation.errors import Refused


class Cancelled(Refused):
    """Somebody cancelled the import. A ``progress`` callback raises it; nobody swallows it.

    The file being stored is undone; files stored before it stay.
    """

    code = "cancelled"
