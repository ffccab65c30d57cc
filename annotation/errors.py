"""Every error that Gavel raises on purpose. PURE: no Django.

::

    DomainError                 what happened and what to do, in one sentence for people
    ├── NotFound                a study, task set, person, judge or item that is not there
    ├── Refused                 the request is understood, and the rules say no
    │   ├── NotAllowed          this person may not do this
    │   └── Conflict            the thing has changed since it was shown
    ├── InvalidInput            a value, an answer or an option that cannot be accepted
    │   └── InvalidFile         a file that cannot be read, with the place and the remedy
    └── NotConfigured           the installation lacks something: a key, a vocabulary, a worker

``code`` is stable and machine-readable: the API sends it beside ``detail``.
"""

from __future__ import annotations


class DomainError(Exception):
    """An error that a person can act on.

    ``message`` says what happened and what to do; ``code`` never changes once published.
    """

    code = "error"

    def __init__(self, message: str, *, code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        if code is not None:
            self.code = code


class NotFound(DomainError):
    """Something named by the person does not exist (or is not theirs to see)."""

    code = "not_found"


class Refused(DomainError):
    """The rules of the study say no."""

    code = "refused"


class NotAllowed(Refused):
    """This person has no right to do this."""

    code = "not_allowed"


class Conflict(Refused):
    """The stored version is newer than the one the person saw."""

    code = "conflict"


class InvalidInput(DomainError):
    """A value that cannot be accepted; nothing was stored."""

    code = "invalid"


class InvalidFile(InvalidInput):
    """A file that cannot be read.

    ``path`` is the file as the person named it, ``place`` a line, key or byte inside it
    (empty when the whole file is meant).
    """

    code = "invalid_file"

    def __init__(self, message: str, *, path: str, place: str = "", code: str | None = None):
        where = f"{path}: {place}: " if place else f"{path}: "
        super().__init__(where + message, code=code)
        self.path = path
        self.place = place


class NotConfigured(DomainError):
    """The installation lacks something it needs; the message names the setting."""

    code = "not_configured"
