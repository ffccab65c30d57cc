"""The words of many endpoints, and the kind of error each of them means."""

from __future__ import annotations

import pytest

from agent.llm.dialect import Complaint
from agent.llm.errors import ADVICE, ErrorKind, ModelError
from agent.llm.failures import classify

CONTEXT = ErrorKind.CONTEXT_TOO_LONG
MODEL = ErrorKind.UNKNOWN_MODEL


@pytest.mark.parametrize(
    ("status", "message", "kind"),
    [
        (400, "This model's maximum context length is 8192 tokens.", CONTEXT),
        (400, "the request exceeds the available context size", CONTEXT),
        (400, "prompt is too long: 210000 tokens > 200000 maximum", CONTEXT),
        (400, "input length and `max_tokens` exceed context limit", CONTEXT),
        (400, "The input token count (2000000) exceeds the maximum", CONTEXT),
        (400, "max_tokens must be at least 1, got -3", CONTEXT),
        (422, "Too many input tokens", CONTEXT),
        (429, "Too many input tokens per minute", ErrorKind.RATE_LIMITED),
        (404, "The model `x` does not exist", MODEL),
        (400, "x is not a valid model ID", MODEL),
        (400, "Invalid model: x", MODEL),
        (404, "models/x is not found for API version v1", MODEL),
        (404, "page missing", ErrorKind.WRONG_ADDRESS),
        (400, "Invalid API key", ErrorKind.AUTH),
        (400, "API key expired. Please renew it.", ErrorKind.AUTH),
        (403, "Request blocked by our content filter", ErrorKind.CONTENT_FILTER),
        (400, "Your request was rejected by our safety system", ErrorKind.CONTENT_FILTER),
        (400, "Your credit balance is too low", ErrorKind.QUOTA),
        (429, "You have run out of credits", ErrorKind.QUOTA),
        (503, "no API key server available", ErrorKind.OVERLOADED),
        (400, "This model does not support temperature", ErrorKind.BAD_REQUEST),
        (409, "", ErrorKind.OVERLOADED),
        (504, "", ErrorKind.OVERLOADED),
        (302, "", ErrorKind.REDIRECTED),
    ],
)
def test_words_and_status_decide_the_kind(status: int, message: str, kind: ErrorKind) -> None:
    assert classify(Complaint(message=message, status=status)) is kind


def test_every_kind_says_what_to_do_and_has_a_stable_code() -> None:
    assert set(ADVICE) == set(ErrorKind)
    for kind in ErrorKind:
        error = ModelError("It happened.", kind=kind)
        assert error.message == f"It happened. {ADVICE[kind]}"
        assert error.code == f"model_{kind.value}"
        assert ADVICE[kind].endswith(".")
