"""A ChatClient without any endpoint: answers are given, requests are kept. PURE.

For tests of everything above the client, and for trying the product without a key. What stands
below the client (HTTP, errors, retries) is tested against a real server instead.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TypeAlias

from agent.llm.client import ChatReply, ChatRequest, Usage
from agent.llm.dialect import Dialect, build_body
from agent.llm.errors import ModelError
from agent.llm.tokens import TokenCounter, WordCounter, count_prompt

ScriptedAnswer: TypeAlias = str | ChatReply | ModelError


class ScriptExhausted(RuntimeError):
    """More requests came than the script has answers: a fault of the script."""


class ScriptedClient:
    """Answers from a list, in order, or from a function of the request.

    An answer is a text, a whole ``ChatReply``, or a ``ModelError`` to raise. ``requests`` lists
    what was asked. Safe to share between threads.
    """

    def __init__(
        self,
        answers: Iterable[ScriptedAnswer] | Callable[[ChatRequest], ScriptedAnswer],
        *,
        model: str = "scripted",
        counter: TokenCounter | None = None,
    ) -> None:
        self.requests: list[ChatRequest] = []
        self._answer = answers if callable(answers) else None
        self._answers = iter(()) if callable(answers) else iter(answers)
        self._model = model
        self._counter = counter or WordCounter()
        self._lock = threading.Lock()

    def complete(self, request: ChatRequest) -> ChatReply:
        """The next answer. Raises ``ScriptExhausted`` when there is none left."""
        with self._lock:
            self.requests.append(request)
            number = len(self.requests)
            answer = None if self._answer else next(self._answers, None)
        if self._answer:
            answer = self._answer(request)
        if answer is None:
            raise ScriptExhausted(f"The script has no answer for request {number}.")
        if isinstance(answer, ModelError):
            raise answer
        if isinstance(answer, str):
            return self._reply(request, answer)
        return replace(answer)

    def _reply(self, request: ChatRequest, text: str) -> ChatReply:
        body, notes = build_body(request, self._model, Dialect())
        return ChatReply(
            text=text,
            reasoning="",
            finish_reason="stop",
            usage=Usage(
                prompt=count_prompt(self._counter, request.messages),
                cached=None,
                completion=self._counter.count(text),
                reasoning=None,
                source="estimated",
            ),
            served_model=self._model,
            fingerprint=None,
            request_id=None,
            raw_request=body,
            raw_reply=text,
            seconds=0.0,
            notes=(*notes, "usage_estimated"),
        )
