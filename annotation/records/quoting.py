"""How a file's own words appear in a message: short, on one line, harmless to a terminal. PURE."""

from __future__ import annotations

_LIMIT = 60


def printable(text: str) -> str:
    """``text`` with every control, format and lone surrogate character written as an escape."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _escape(ord(c)) for c in text)


def brief(text: str) -> str:
    """The first 60 characters of ``text``, printable."""
    if len(text) <= _LIMIT:
        return printable(text)
    return printable(text[:_LIMIT]) + "..."


def shown(value: object) -> str:
    """A parsed JSON value in a few words: ``"abc"``, ``the number 3``, ``a list of 2``."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return f"the number {brief(str(value))}"
    if isinstance(value, str):
        return f'"{brief(value)}"' if value else "an empty text"
    if isinstance(value, list):
        return f"a list of {len(value)}" if value else "an empty list"
    if isinstance(value, dict):
        return f"an object with {len(value)} keys" if value else "an empty object"
    return f"a {type(value).__name__}"


def _escape(code: int) -> str:
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
