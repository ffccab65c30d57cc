"""Quotes in texts: what is found, how, and that every span is of the original text."""

import pytest

from annotation.text.alignment import Kind, QuoteIndex, Reason

TEXT = (
    "On June 3, 2019, the plaintiffs \u2014 two nonprofits \u2014 sued the \u201cCity of "
    "Springfield\u201d under 42\u00a0U.S.C. \u00a7\u202f1983.\n\nThe court denied the City's "
    "motion to dismiss, held a hearing, and on May 1, 2020 granted a preliminary in\u200bjunction. "
    "Jos\u00e9 Ruiz appealed."
)


def quotes(text, found):
    return [text[start:end] for start, end in found.spans]


def test_verbatim():
    found = QuoteIndex(TEXT).find("held a hearing")
    assert (found.kind, found.score, found.occurrences) == (Kind.EXACT, 100.0, 1)
    assert quotes(TEXT, found) == ["held a hearing"]


@pytest.mark.parametrize(
    ("quote", "stands"),
    [
        (
            "the plaintiffs - two nonprofits - sued",
            "the plaintiffs \u2014 two nonprofits \u2014 sued",
        ),
        ('the "City of Springfield" under', "the \u201cCity of Springfield\u201d under"),
        ("42 U.S.C. \u00a7 1983. The court", "42\u00a0U.S.C. \u00a7\u202f1983.\n\nThe court"),
        ("PRELIMINARY INJUNCTION", "preliminary in\u200bjunction"),
        ("Jose\u0301 Ruiz", "Jos\u00e9 Ruiz"),
        ("... held a hearing ...", "held a hearing"),
        ("\u201cheld a hearing\u201d", "held a hearing"),
        ("- held a hearing", "held a hearing"),
        ("2. \u2018The court denied\u2019", "The court denied"),
    ],
)
def test_but_for_its_typography(quote, stands):
    found = QuoteIndex(TEXT).find(quote)
    assert (found.kind, found.score) == (Kind.NORMALISED, 100.0)
    assert quotes(TEXT, found) == [stands]


@pytest.mark.parametrize("dots", ["...", "\u2026", " ... ", " . . . ", " [...] ", " (\u2026) "])
def test_an_ellipsis_makes_several_spans(dots):
    found = QuoteIndex(TEXT).find(f"The court denied{dots}on May 1, 2020{dots}appealed.")
    assert found.kind is Kind.NORMALISED
    assert quotes(TEXT, found) == ["The court denied", "on May 1, 2020", "appealed."]


def test_an_ellipsis_of_the_text_itself_is_no_gap():
    text = "He said: wait \u2026 and left. Wait and see."
    assert QuoteIndex(text).find("wait ... and left").spans == ((9, 24),)
    assert QuoteIndex(text).find("He siad: wait ... and left").spans == ((0, 24),)
    assert QuoteIndex(text).find("He said: wait [...] left.").spans == ((0, 13), (20, 25))


def test_the_pieces_of_a_quote_stand_together():
    text = (
        "The court sat. The court denied it. The court rose; later it granted the motion in full."
    )
    found = QuoteIndex(text).find("The court ... granted the motion in full")
    assert found.spans[0] == (36, 45)


def test_pieces_out_of_order_are_no_quote():
    found = QuoteIndex(TEXT).find("Jos\u00e9 Ruiz appealed ... On June 3, 2019, the plaintiffs")
    assert found.kind is Kind.NOT_FOUND


def test_the_first_of_several():
    found = QuoteIndex("no no No").find("no")
    assert (found.spans, found.occurrences) == (((0, 2),), 2)
    found = QuoteIndex("No \u201cno\u201d \u201cno\u201d").find('"no"')
    assert (found.spans, found.occurrences) == (((3, 7),), 2)


@pytest.mark.parametrize("quote", ["", " \n", "...", "\u201c\u201d", "- ", "\u200b"])
def test_a_blank_quote_is_nowhere(quote):
    found = QuoteIndex(TEXT).find(quote)
    assert (found.kind, found.reason, found.spans) == (Kind.NOT_FOUND, Reason.BLANK, ())


def test_another_quote_is_nowhere():
    found = QuoteIndex(TEXT).find("The jury awarded four million dollars in damages.")
    assert (found.kind, found.reason) == (Kind.NOT_FOUND, Reason.NOT_THERE)
    assert QuoteIndex("").find("anything").reason is Reason.NOT_THERE
