"""Bytes from an endpoint -> JSON that can be stored and shown. PURE.

PostgreSQL refuses NUL, UTF-8 refuses lone surrogates, JSON columns refuse NaN, and an endpoint may
echo the key it was sent. All of these are replaced here, once, and counted.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from typing import Any

UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
REPLACEMENT = "\ufffd"
KEY_REMOVED = "[key removed]"
# Shorter "keys" are placeholders of local servers (none, EMPTY, ollama) and ordinary words.
SHORTEST_SECRET = 7


class NotJson(ValueError):
    """The text is no JSON, or nested too deeply to be read."""


def decode(raw: bytes, repairs: Counter[str]) -> str:
    """UTF-8 text of ``raw`` without a byte order mark; undecodable bytes become U+FFFD."""
    text = raw.decode("utf-8-sig", errors="replace")
    replaced = text.count(REPLACEMENT) - raw.count(REPLACEMENT.encode())
    if replaced > 0:
        repairs["characters_replaced"] += replaced
    return text


def clean_text(text: str, repairs: Counter[str], secret: str = "") -> str:
    """``text`` with NUL and lone surrogates as U+FFFD and without ``secret``."""
    text, replaced = UNSTORABLE.subn(REPLACEMENT, text)
    if replaced:
        repairs["characters_replaced"] += replaced
    if len(secret) >= SHORTEST_SECRET and secret in text:
        repairs["key_removed"] += text.count(secret)
        text = text.replace(secret, KEY_REMOVED)
    return text


def parse(text: str, repairs: Counter[str], secret: str = "") -> Any:
    """The JSON value of ``text``, cleaned throughout. NaN and infinities become null.

    Raises ``NotJson``.
    """

    def no_number(_: str) -> None:
        repairs["numbers_replaced"] += 1

    def finite(number: str) -> float | None:
        value = float(number)
        if math.isfinite(value):
            return value
        repairs["numbers_replaced"] += 1
        return None

    try:
        value = json.loads(text, parse_constant=no_number, parse_float=finite)
        return _clean(value, repairs, secret)
    except RecursionError:
        raise NotJson("nested too deeply") from None
    except ValueError as problem:
        raise NotJson(str(problem)) from None


def _clean(value: Any, repairs: Counter[str], secret: str) -> Any:
    if isinstance(value, str):
        return clean_text(value, repairs, secret)
    if isinstance(value, list):
        return [_clean(item, repairs, secret) for item in value]
    if isinstance(value, dict):
        return {
            clean_text(key, repairs, secret): _clean(item, repairs, secret)
            for key, item in value.items()
        }
    return value
