"""Residual spans are exactly what the evidence leaves."""

from __future__ import annotations

import pytest

from annotation.errors import InvalidInput
from annotation.kinds.spans import Span
from evaluation.demo.coverage import check_residual
from evaluation.demo.quotes import locate

TEXT = "The judge ruled. It was a cold day, they say. The case is closed, at last."
RULED, COLD, CLOSED = "The judge ruled", "It was a cold day", "The case is closed"


def spans(*quotes: str) -> list[Span]:
    return [locate(TEXT, quote) for quote in quotes]


def test_evidence_and_residual_spans_make_up_the_text() -> None:
    # left over are ". " (no word), ", they say. " (two words) and ", at last." (two words)
    check_residual(TEXT, spans(RULED, CLOSED), spans(COLD))
    check_residual(TEXT, spans(RULED, "judge ruled. It was a cold day"), spans(CLOSED))


@pytest.mark.parametrize(
    ("evidence", "residual", "message"),
    [
        ([RULED], [COLD], "neither evidence nor a residual span"),
        ([RULED, CLOSED], ["a cold day", "The case is"], "is evidence of a value"),
        ([RULED, CLOSED], ["It was a cold", "day, they say", "they say. The"], "order of the text"),
        ([RULED], [CLOSED, COLD], "order of the text"),
        ([RULED, CLOSED], ["It was", "a cold day"], "3 words or more"),
    ],
)
def test_anything_else_is_refused(evidence: list[str], residual: list[str], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        check_residual(TEXT, spans(*evidence), spans(*residual))
