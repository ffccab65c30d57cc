"""What leaves the process and how much may come back. PURE.

The openai library adds headers about this machine and, from the environment, organisations,
accounts, custom headers and proxies. None of that belongs into a request to an endpoint that a
study's admin chose, so every request is reduced here to its JSON body and the judge's own key.
"""

from __future__ import annotations

import ssl
from collections.abc import Callable
from functools import cache

import httpx2

SENT_HEADERS = frozenset({"host", "content-type", "content-length", "user-agent"})
# How the body was on the wire; it is decoded when we pass it on.
WIRE_HEADERS = frozenset({"content-encoding", "transfer-encoding", "content-length"})


@cache
def _certificates() -> ssl.SSLContext:
    """The trusted authorities (or those of ``SSL_CERT_FILE``), read once: it takes a while."""
    return httpx2.create_ssl_context()


class ReplyTooLarge(Exception):
    """The reply has more bytes than may be read."""


class TotalTimeout(httpx2.ReadTimeout):
    """The whole exchange took too long, though bytes kept coming."""


class BoundedTransport(httpx2.BaseTransport):
    """Sends chosen headers only, reads a bounded reply in bounded time.

    max_bytes: of the decoded body. total_seconds: from sending to the last byte, looked at between
    the pieces of the body; ``clock`` in monotonic seconds. proxy: its address, or None.
    """

    def __init__(
        self,
        api_key: str,
        *,
        max_bytes: int,
        total_seconds: float,
        clock: Callable[[], float],
        proxy: str | None,
    ) -> None:
        self._api_key = api_key
        self._max_bytes = max_bytes
        self._total_seconds = total_seconds
        self._clock = clock
        # A worker asks one thing at a time; the second connection replaces a broken one.
        limits = httpx2.Limits(max_connections=2, max_keepalive_connections=1)
        self._inner = httpx2.HTTPTransport(verify=_certificates(), limits=limits, proxy=proxy)

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Exchange one request. Raises ``ReplyTooLarge``, ``TotalTimeout``, httpx2 errors."""
        deadline = self._clock() + self._total_seconds
        headers = {k: v for k, v in request.headers.items() if k.lower() in SENT_HEADERS}
        headers |= {"Accept": "application/json", "Accept-Encoding": "identity"}
        if self._api_key:
            headers["Authorization"] = f"Bearer {self._api_key}"
        request.headers = httpx2.Headers(headers)
        response = self._inner.handle_request(request)
        try:
            content = self._read(response, deadline)
        finally:
            response.close()
        kept = [
            (name, value)
            for name, value in response.headers.multi_items()
            if name.lower() not in WIRE_HEADERS
        ]
        return httpx2.Response(response.status_code, headers=kept, content=content)

    def close(self) -> None:
        """Close all connections."""
        self._inner.close()

    def _read(self, response: httpx2.Response, deadline: float) -> bytes:
        chunks: list[bytes] = []
        size = 0
        for chunk in response.iter_bytes():
            size += len(chunk)
            if size > self._max_bytes:
                raise ReplyTooLarge
            if self._clock() > deadline:
                raise TotalTimeout("The reply took too long.")
            chunks.append(chunk)
        return b"".join(chunks)
