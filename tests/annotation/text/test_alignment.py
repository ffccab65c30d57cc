"""Quotes in texts: what is found, how, and that every span is of the original text."""

from __future__ import annotations

import json
import random
import unicodedata
from collections import Counter
from pathlib import Path

import pytest

from annotation.text.alignment import Kind, QuoteIndex, Reason
from annotation.text.folding import fold_for_search, search_form
from annotation.text.nearness import LONGEST
from annotation.text.normalise import (
    code_points_to_utf16,
    normalise_text,
    utf16_to_code_points,
)
from benchmarks import altered_quotes

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


@pytest.mark.parametrize(
    ("quote", "stands"),
    [
        ("The court dneied the City's motion", "The court denied the City's motion"),
        ("Teh court denied the City's motion", "The court denied the City's motion"),
        ("court denied the City's motoin", "court denied the City's motion"),
        ("court denied City's motion to dismiss", "court denied the City's motion to dismiss"),
        ("The court later denied the City's motion", "The court denied the City's motion"),
        ("The judge denied the City's motion to dismiss, held a hearing,",
         "The court denied the City's motion to dismiss, held a hearing,"),
        ("\u201cThe court dneied the City's motion\u201d", "The court denied the City's motion"),
        ("- The court dneied the City's motion \u2026", "The court denied the City's motion"),
    ],
)  # fmt: skip
def test_nearly_with_exact_ends(quote: str, stands: str) -> None:
    found = QuoteIndex(TEXT).find(quote)
    assert found.kind is Kind.FUZZY
    assert quotes(TEXT, found) == [stands]
    assert 90 <= found.score < 100


def test_another_number_is_another_passage() -> None:
    assert QuoteIndex(TEXT).find("On June 3, 2018, the plaintiffs").kind is Kind.NOT_FOUND
    assert QuoteIndex(TEXT).find("On June 3, 2019 the plaintiffs").kind is Kind.FUZZY
    assert QuoteIndex(TEXT).find("sued the City of Springdale under").kind is Kind.NOT_FOUND
    assert QuoteIndex(TEXT).find("sued the City of Sprinfgield under").kind is Kind.FUZZY


def test_the_least_likeness_is_the_callers() -> None:
    quote = "The court dneied the City's moton"
    score = QuoteIndex(TEXT).find(quote).score
    assert 90 < score < 98
    assert QuoteIndex(TEXT, score=98).find(quote).kind is Kind.NOT_FOUND


def test_a_piece_of_a_quote_may_be_altered_too() -> None:
    found = QuoteIndex(TEXT).find("The court denied the City's motoin ... granted a preliminary")
    assert found.kind is Kind.FUZZY
    assert quotes(TEXT, found) == ["The court denied the City's motion", "granted a preliminary"]


PLANES = [*range(0x20, 0xD800, 0x61), *range(0xE000, 0x110000, 0x3F1)]
OFTEN = (
    "\u00a0\u202f\u200b\u00ad\ufeff\u2026\u201c\u2019\u2014\u2011\u0301\u00df\u0130\ufb01\u2167"
    "\U0001f600ab cd. '-\n\r\t"
)


def characters(rng: random.Random, number: int) -> str:
    """Characters of all planes, those that folding must look at more often than others."""
    return "".join(
        chr(rng.choice(PLANES)) if rng.random() < 0.3 else rng.choice(OFTEN) for _ in range(number)
    )


def plain(text: str) -> str:
    """The letters of a text, without accents."""
    return "".join(c for c in search_form(text) if unicodedata.category(c)[0] in "LN")


def test_offsets_slice_to_the_quote_in_ten_thousand_texts_of_all_planes() -> None:
    rng = random.Random(0)
    kinds: Counter[str] = Counter()
    for _ in range(10_000):
        text = normalise_text(characters(rng, rng.randrange(1, 60))).text
        start = rng.randrange(len(text) + 1)
        quote = text[start : start + rng.randrange(1, 30)]
        index = QuoteIndex(text)
        for asked in (quote, unicodedata.normalize("NFKC", quote).swapcase(), quote[::-1]):
            found = index.find(asked)
            kinds[found.kind] += 1
            assert found.found == bool(found.spans) == (found.reason is None)
            border = 0
            for low, high in found.spans:
                assert border <= low < high <= len(text)
                border = high
                units = code_points_to_utf16(text, low), code_points_to_utf16(text, high)
                in_utf16 = text.encode("utf-16-le")[2 * units[0] : 2 * units[1]]
                assert in_utf16.decode("utf-16-le") == text[low:high]
                assert utf16_to_code_points(text, units[0]) == low
            if found.kind is Kind.EXACT:
                assert [asked.strip()] == quotes(text, found)
            if found.kind is Kind.NORMALISED and len(found.spans) == 1:
                (there,) = map(plain, quotes(text, found))
                assert there in plain(asked)
        assert index.find(quote).kind in (Kind.EXACT, Kind.NOT_FOUND)
    assert kinds[Kind.EXACT] > 8_000
    assert kinds[Kind.NORMALISED] > 1_000


def test_folding_for_search_leads_back() -> None:
    rng = random.Random(1)
    for _ in range(2_000):
        text = characters(rng, rng.randrange(40))
        folded = fold_for_search(text)
        assert folded.text == search_form(text)
        assert search_form(folded.text) == folded.text
        assert len(folded.text) == len(folded.origins)
        assert list(folded.origins) == sorted(folded.origins)


A = "a" * 1_000_000


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        (A, "a" * 500 + "b" + "a" * 500),
        (A, "a" * 900_000 + "b"),
        ("a " * 500_000, "a " * 4_000 + "b" + " a" * 4_000),
        ("a " * 500_000, "b a " * 4_000),
        ("a ... " * 150_000, "a ... b ... " * 500),
        ("ab " * 300_000, "ab ... ab ... " * 9 + "c"),
        ("the court " * 30_000, "the court teh court " * 20),
        ("\u2026" * 300_000, "\u2026a" * 1_000),
        ("'" * 300_000, "''a''"),
        ("x", A),
    ],
    ids=lambda text: f"{text[:6]!r}x{len(text)}",
)
def test_a_hostile_text_takes_no_time_to_speak_of(text: str, quote: str) -> None:
    """It ends; a search whose time grew with the square of the text would take hours here."""
    found = QuoteIndex(text).find(quote)
    assert all(0 <= start < end <= len(text) for start, end in found.spans)


def test_a_quote_too_long_to_compare_says_so() -> None:
    words = " ".join(f"word{i}" for i in range(4_000))
    assert len(words) > LONGEST
    index = QuoteIndex(words)
    assert index.find(words.upper()).kind is Kind.NORMALISED
    assert index.find(words.replace("word7 ", "")).reason is Reason.TOO_LONG
    assert index.find(words[:9_000].replace("word7 ", "")).kind is Kind.FUZZY


def exact_ends(workload: altered_quotes.Workload) -> tuple[int, int, int]:
    """Altered quotes, those found with exact ends, absent quotes that were found."""
    indices = [QuoteIndex(text) for text in workload.texts]
    altered = exact = absent_found = 0
    for quote in workload.quotes:
        found = indices[quote.text].find(quote.quote)
        altered += bool(quote.spans)
        exact += bool(quote.spans) and found.spans == quote.spans
        absent_found += not quote.spans and found.found
    return altered, exact, absent_found


@pytest.mark.parametrize("seed", [0, 1])
def test_altered_quotes_of_made_up_cases(seed: int) -> None:
    cases = altered_quotes.made_cases(seed)
    altered, exact, absent_found = exact_ends(altered_quotes.summaries(cases, seed))
    assert altered == 1_750
    assert exact >= 0.99 * altered
    # Made of phrases, a sentence of another case may differ from one here in a word.
    assert absent_found <= 1


@pytest.mark.release
@pytest.mark.parametrize("seed", [0, 1])
def test_altered_quotes_of_the_release(release_dir: Path, seed: int) -> None:
    cases = altered_quotes.cases_of_release(release_dir)
    altered, exact, absent_found = exact_ends(altered_quotes.summaries(cases, seed))
    assert (altered, absent_found) == (1_750, 0)
    assert exact >= 0.995 * altered


@pytest.mark.release
def test_altered_quotes_of_a_long_document(release_dir: Path) -> None:
    cases = altered_quotes.cases_of_release(release_dir)
    found = [exact_ends(altered_quotes.document(cases, seed, 2_000)) for seed in (0, 1, 2)]
    altered, exact, absent_found = (sum(column) for column in zip(*found, strict=True))
    assert altered == 5_250
    assert exact >= 0.995 * altered
    assert absent_found <= 0.01 * 750


@pytest.mark.release
def test_evidence_of_the_shared_summary_checklists(release_dir: Path) -> None:
    """What is verbatim is a fact of the data; of the rest nearly all is found all the same."""
    folder = release_dir / "data"
    kinds: Counter[str] = Counter()
    once = number = 0
    for path in sorted((folder / "summary_checklists").glob("*_summarization/*.json")):
        if not path.stat().st_size:
            continue
        model = path.parent.name.removesuffix("_summarization")
        (summaries,) = (folder / "summaries" / model).glob("*.json")
        texts = json.loads(summaries.read_text("utf-8"))["results"]
        for case, items in json.loads(path.read_text("utf-8"))["results"].items():
            index = QuoteIndex(normalise_text(texts[case]).text)
            for cell in items.values():
                for value in cell["extracted"]:
                    for quote in value["evidence"]:
                        found = index.find(quote)
                        kinds[found.kind] += 1
                        number += 1
                        once += index.text.count(quote) == 1
                        assert (index.text.count(quote.strip()) > 0) == (found.kind is Kind.EXACT)
                        assert all(0 <= s < e <= len(index.text) for s, e in found.spans)
    assert kinds.total() == number
    if number == 15_244:
        assert once == 13_863
        assert kinds[Kind.EXACT] == 13_884
    assert kinds[Kind.EXACT] / number > 0.85
    assert kinds[Kind.NORMALISED] / number > 0.05
    assert kinds[Kind.NOT_FOUND] / number < 0.01
