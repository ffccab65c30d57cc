"""Base URLs and keys as people type them, checked before anything is sent. PURE."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit

from annotation.errors import InvalidInput


def check_base_url(url: str) -> str:
    """Return ``url`` without a final slash.

    Raises ``InvalidInput`` unless it is an http(s) address with a host and without user, password,
    query or fragment. The message does not repeat the address: it may hold a password.
    """
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    if not usable or any(c in ' \\"<>^`{|}' or not c.isprintable() for c in url):
        raise InvalidInput(
            "The base URL must be an http or https address such as https://host/v1.",
            code="invalid_base_url",
        )
    if "@" in parts.netloc or "?" in url or "#" in url:
        raise InvalidInput(
            "The base URL must not carry a user, password, query or fragment; a key belongs into"
            " the judge's key variable.",
            code="invalid_base_url",
        )
    if parts.path.rstrip("/").endswith("/completions"):
        raise InvalidInput(
            "The base URL must end before /chat/completions, usually with /v1.",
            code="invalid_base_url",
        )
    return url.rstrip("/")


def is_loopback(url: str) -> bool:
    """Whether a checked base URL names this machine."""
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def check_key(key: str) -> str:
    """Return ``key`` without surrounding white space; "" means no key.

    Raises ``InvalidInput``, without repeating the key, for characters a header cannot carry.
    """
    key = key.strip()
    if any(not 33 <= ord(character) <= 126 for character in key):
        raise InvalidInput(
            "The API key contains a space, a line break or another character that no key has;"
            " check the variable or the file it names.",
            code="invalid_api_key",
        )
    return key
