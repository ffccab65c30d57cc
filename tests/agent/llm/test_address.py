"""Base URLs and keys."""

from __future__ import annotations

import pytest

from agent.llm.address import check_base_url, check_key, is_loopback
from annotation.errors import InvalidInput


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("https://api.example.org/v1", "https://api.example.org/v1"),
        ("https://api.example.org/v1/", "https://api.example.org/v1"),
        ("http://[::1]:8080", "http://[::1]:8080"),
    ],
)
def test_a_usable_base_url_is_kept(url: str, kept: str) -> None:
    assert check_base_url(url) == kept


@pytest.mark.parametrize(
    "url",
    [
        "",
        "api.example.org/v1",
        "ftp://example.org/v1",
        "file:///etc/passwd",
        "https://",
        "https:///v1",
        "https://example.org:99999/v1",
        "https://example.org:0/v1",
        "https://[::1/v1",
        "https://example.org/v 1",
        "https://example.org/v1\n",
        "https://example.org\\@other.example/v1",
        "https://user:hunter22@example.org/v1",
        "https://example.org/v1?key=hunter22",
        "https://example.org/v1#hunter22",
        "https://example.org/v1/chat/completions",
    ],
)
def test_another_base_url_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        check_base_url(url)
    assert caught.value.code == "invalid_base_url"
    assert "hunter22" not in caught.value.message


@pytest.mark.parametrize(
    ("url", "local"),
    [
        ("http://localhost:1/v1", True),
        ("http://127.9.9.9/v1", True),
        ("http://[::1]/v1", True),
        ("http://10.0.0.1/v1", False),
        ("http://localhost.example.org/v1", False),
    ],
)
def test_this_machine_is_recognised(url: str, local: bool) -> None:
    assert is_loopback(url) is local


def test_a_key_loses_the_line_break_of_its_file() -> None:
    assert check_key(" sk-abc\n") == "sk-abc"


@pytest.mark.parametrize("key", ["sk abc", "sk\nabc", "sk-ключ", "sk\x00abc"])
def test_a_key_that_no_header_can_carry_is_refused_without_repeating_it(key: str) -> None:
    with pytest.raises(InvalidInput, match="variable or the file") as caught:
        check_key(key)
    assert key not in caught.value.message
