from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.text.dates import dates_agree
from annotation.text.features import Feature, FeatureKind, agree, value_features
from annotation.text.folding import fold
from annotation.text.terms import content_terms, stem


def keys(text: str, kind: FeatureKind) -> list[str]:
    return [feature.key for feature in value_features(text) if feature.kind is kind]


def only(text: str) -> Feature:
    (feature,) = value_features(text)
    return feature


@pytest.mark.parametrize(
    "text",
    [
        "2025-07-18",
        "2025/7/18",
        "7/18/2025",
        "07-18-2025",
        "7/18/25",
        "18.07.2025",
        "18/7/2025",
        "July 18, 2025",
        "july 18 2025",
        "Jul. 18, 2025",
        "July 18th, 2025",
        "July the 18th, 2025",
        "18 July 2025",
        "18th of July, 2025",
        "JULY\u00a018,\u00a02025",
        "July\u200b 18, 2025",
    ],
)
def test_one_date_in_many_formats(text: str) -> None:
    feature = only(text)
    assert (feature.kind, feature.key) == (FeatureKind.DATE, "2025-07-18")
    assert feature.text == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("on July 21 the court", ["XXXX-07-21"]),
        ("late Apr 2025", ["2025-04-XX"]),
        ("the Act of 1798", ["1798-XX-XX"]),
        ("March 3-5, 2021", ["2021-03-03", "2021-03-05"]),
        ("June 25\u2013July 24, 2025", ["XXXX-06-25", "2025-07-24"]),
        ("2019\u20132021", ["2019-XX-XX", "2021-XX-XX"]),
        ("Sept. 3, 2021 and Dec 1, 2021", ["2021-09-03", "2021-12-01"]),
        ("February 29, 2024", ["2024-02-29"]),
        # no dates: a modal verb, a day that does not exist, a version, a sum, a count
        ("they may 5 times", []),
        ("February 30", []),
        ("version 1.2.2025a", []),
        ("13/13/2025", []),
        ("$2025", []),
        ("12025 people", []),
    ],
)
def test_what_a_date_is(text: str, expected: list[str]) -> None:
    assert keys(text, FeatureKind.DATE) == expected


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("XXXX-07-21", "2025-07-21", True),
        ("2025-07-XX", "XXXX-07-21", True),
        ("2025-XX-XX", "2025-07-21", True),
        ("2025-07-18", "2025-07-21", False),
        ("XXXX-07-18", "2025-07-21", False),
        ("2024-XX-XX", "2025-07-21", False),
    ],
)
def test_dates_agree_in_what_both_state(one: str, other: str, expected: bool) -> None:
    assert dates_agree(one, other) is expected
    assert dates_agree(other, one) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$1.2 million", ["USD 1200000"]),
        ("$1,200,000", ["USD 1200000"]),
        ("$1,200,000.00", ["USD 1200000"]),
        ("US$ 1.2M", ["USD 1200000"]),
        ("1.2 million dollars", ["USD 1200000"]),
        ("$1.2-million", ["USD 1200000"]),
        ("$820bn", ["USD 820000000000"]),
        ("€3,5", ["EUR 3"]),  # no thousands: the comma ends the number
        ("£500", ["GBP 500"]),
        ("500 euros", ["EUR 500"]),
        ("$0.10", ["USD 0.1"]),
        ("$100 bond", ["USD 100"]),
    ],
)
def test_amounts_of_money(text: str, expected: list[str]) -> None:
    assert keys(text, FeatureKind.AMOUNT) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("over 370 grants", ["370"]),
        ("370+ grants", ["370"]),
        ("14,242 people", ["14242"]),
        ("twenty-one states", ["21"]),
        ("Nineteen states", ["19"]),
        ("one hundred and five", ["105"]),
        ("two thousand three hundred", ["2300"]),
        ("1.5 million doses", ["1500000"]),
        ("45%", ["45 %"]),
        ("45.0 percent", ["45 %"]),
        ("14-day order", ["14"]),
        ("one of them", []),
        ("F-1 visas", []),
        ("9th floor", []),
        ("H1N1", []),
    ],
)
def test_numbers_in_figures_and_words(text: str, expected: list[str]) -> None:
    assert keys(text, FeatureKind.NUMBER) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("145 F. 4th 39", ["145f4th39"]),
        ("145 F.4th 39 (1st Cir. 2025)", ["145f4th39"]),
        ("2025 WL 1803260", ["2025wl1803260"]),
        ("42 U.S.C. § 1983", ["42usc§1983"]),
        ("8 C.F.R. § 214.1", ["8cfr§214.1"]),
        ("28 U.S.C. § 1581(i)", ["28usc§1581(i)"]),
        ("1:20-cv-00123", ["1:20-cv-123"]),
        ("No. 1:20-cv-123-ABC", ["1:20-cv-123"]),
        ("No. 25-1780", ["25-1780"]),
        ("(24A884)", ["24a884"]),
        ("doi 10.1002/14651858.CD001234.", ["10.1002/14651858cd001234"]),
        ("NCT01234567", ["nct01234567"]),
        ("25 to 30 people", []),
    ],
)
def test_identifiers(text: str, expected: list[str]) -> None:
    assert keys(text, FeatureKind.IDENTIFIER) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Judge Trevor N. McFadden denied it", ["trevor mcfadden"]),
        ("Judge Young ruled", ["young"]),
        ("The Ninth Circuit and NIH agreed", ["ninth circuit", "nih"]),
        ("Injunctive relief", []),
        ("Noem's department", []),
        ("against Noem's department", ["noem"]),
    ],
)
def test_names(text: str, expected: list[str]) -> None:
    assert keys(text, FeatureKind.NAME) == expected


def feature(kind: FeatureKind, key: str) -> Feature:
    return Feature(kind, 0, 1, "x", key)


@pytest.mark.parametrize(
    ("kind", "one", "other", "expected"),
    [
        (FeatureKind.NAME, "mehta", "amit mehta", True),
        (FeatureKind.NAME, "amit mehta", "amit shah", False),
        (FeatureKind.IDENTIFIER, "§1983", "42usc§1983", True),
        (FeatureKind.IDENTIFIER, "42usc§2000e", "42usc§2000e-6(b)", True),
        (FeatureKind.IDENTIFIER, "42usc§1981", "42usc§1983", False),
        (FeatureKind.IDENTIFIER, "42usc§198", "42usc§1983", False),
        (FeatureKind.AMOUNT, "USD 1", "EUR 1", False),
        (FeatureKind.NUMBER, "45", "45 %", False),
    ],
)
def test_when_features_agree(kind: FeatureKind, one: str, other: str, expected: bool) -> None:
    assert agree(feature(kind, one), feature(kind, other)) is expected
    assert agree(feature(kind, other), feature(kind, one)) is expected


def test_features_of_two_kinds_never_agree() -> None:
    assert not agree(feature(FeatureKind.NUMBER, "2025"), feature(FeatureKind.AMOUNT, "2025"))


def test_a_citation_keeps_its_year_and_number_for_itself() -> None:
    text = "2025 WL 1803260, July 1, 2025, $5 of 2 sums"
    assert [(f.kind.value, f.text) for f in value_features(text)] == [
        ("identifier", "2025 WL 1803260"),
        ("date", "July 1, 2025"),
        ("amount", "$5"),
        ("number", "2"),
    ]


PIECES = st.sampled_from(
    [
        "July 21, 2025",
        " ",
        "\u00a0",
        "$1.2 million",
        "§ 1983",
        "\ufb01",
        "½",
        "Mehta",
        "\0",
        "١٢",
        "(",
    ]
)


@given(st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=8).map("".join)))
@settings(max_examples=150, deadline=None)
def test_features_are_slices_in_order_and_apart(text: str) -> None:
    border = 0
    for found in value_features(text):
        assert text[found.start : found.end] == found.text != ""
        assert found.start >= border
        assert found.key
        assert agree(found, found)
        border = found.end


@given(st.text(max_size=60))
@settings(max_examples=100, deadline=None)
def test_folding_leads_back_to_the_original(text: str) -> None:
    folded = fold(text)
    assert len(folded.origins) == len(folded.text)
    for place, char in enumerate(folded.text):
        start, end = folded.span(place, place + 1)
        assert end == start + 1
        assert char in fold(text[start:end]).text
    assert fold(folded.text).text == folded.text


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("granted", "grants"),
        ("terminated", "terminations"),
        ("plaintiff", "plaintiffs"),
        ("policy", "policies"),
        ("dismissed", "dismissal"),
        ("ninth", "9th"),
    ],
)
def test_inflections_meet(one: str, other: str) -> None:
    assert stem(one) == stem(other)


def test_content_words_leave_out_titles_and_keep_negation() -> None:
    terms = content_terms("The Hon. Judge Mehta did not grant the “motion” to Group A.")
    assert [term.form for term in terms] == ["mehta", "not", "grant", "motion", "group", "a"]
    assert [term.capitalised for term in terms] == [True, False, False, False, True, True]
