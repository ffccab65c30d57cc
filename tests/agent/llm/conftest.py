"""A fake endpoint, and clients of it in whose time nobody waits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest

from agent.llm.client import ChatRequest, Message
from agent.llm.openai_client import OpenAIClient
from tests.fake_openai import FakeOpenAI

# 2025-01-01 00:00:00 UTC
WALL = 1_735_689_600.0


@dataclass
class FakeTime:
    """A clock that moves only when somebody sleeps."""

    now: float = 1000.0
    slept: list[float] = field(default_factory=list)

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    def clock(self) -> float:
        return self.now


@pytest.fixture
def time() -> FakeTime:
    return FakeTime()


@pytest.fixture
def server() -> Iterator[FakeOpenAI]:
    with FakeOpenAI() as running:
        yield running


MakeClient = Callable[..., OpenAIClient]


@pytest.fixture
def make_client(server: FakeOpenAI, time: FakeTime) -> Iterator[MakeClient]:
    """``make_client(**changes)``; half of every jitter is drawn, waits are recorded in ``time``."""
    made: list[OpenAIClient] = []

    def make(**changes: object) -> OpenAIClient:
        settings: dict[str, object] = {
            "base_url": server.base_url,
            "model": "fake-model",
            "sleep": time.sleep,
            "clock": time.clock,
            "wall_clock": lambda: WALL,
            "draw": lambda: 0.5,
            **changes,
        }
        made.append(OpenAIClient(**settings))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for client in made:
        client.close()


@pytest.fixture
def client(make_client: MakeClient) -> OpenAIClient:
    return make_client()


@pytest.fixture
def ask() -> Callable[..., ChatRequest]:
    """``ask("text", **fields)`` is a request with one user message."""

    def make(text: str = "Which relation holds?", **fields: object) -> ChatRequest:
        return ChatRequest([Message("user", text)], **fields)  # type: ignore[arg-type]

    return make
