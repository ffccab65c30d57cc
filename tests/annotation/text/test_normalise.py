"""Offsets: the golden table, and what holds for every text of every plane."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.errors import InvalidInput
from annotation.text.normalise import (
    code_points_to_utf16,
    normalise_excerpt,
    normalise_text,
    storable_json,
    storable_text,
    utf16_to_code_points,
)

# text, quote, then [start, end) in code points, in UTF-16 units, in UTF-8 bytes
GOLDEN = [
    ("Judge \U0001f600 Woodcock ruled", "Woodcock", (8, 16), (9, 17), (11, 19)),
    (
        "\U0001f468\U0001f3fb\u200d\U0001f692 firemen drive firetrucks",
        "firetrucks",
        (19, 29),
        (22, 32),
        (30, 40),
    ),
    ("Line one\r\nLine two: TRO", "TRO", (20, 23), (20, 23), (20, 23)),
    ("Jose\u0301 Ruiz v. Mu\u00f1oz", "Mu\u00f1oz", (14, 19), (14, 19), (15, 21)),
    ("28\u00a0U.S.C. \u00a7\u00a01491 applies", "applies", (17, 24), (17, 24), (20, 27)),
    ("R&D <b>not bold</b> {{x}} end", "end", (26, 29), (26, 29), (26, 29)),
    (
        "\U0001d538 v. \U0001d539, 2020 WL 4218003",
        "2020 WL 4218003",
        (8, 23),
        (10, 25),
        (14, 29),
    ),
    ("\ufeffFiled on April 7", "April 7", (10, 17), (10, 17), (12, 19)),
    ("a\u200bb zero width Smith", "Smith", (15, 20), (15, 20), (17, 22)),
    ("\u05e9\u05dc\u05d5\u05dd Smith", "Smith", (5, 10), (5, 10), (9, 14)),
]
IDS = [quote for _, quote, *_ in GOLDEN]

every_plane = st.characters(codec="utf-8") | st.sampled_from("\U0001f600\U0001d538\U0010ffff\u0301")
texts = st.text(every_plane)
hostile = st.text(
    st.sampled_from("\r\n\x00\ufeff\ufffd a\U0001f600") | st.characters(), max_size=60
)


@pytest.mark.parametrize(("text", "quote", "code_points", "utf16", "utf8"), GOLDEN, ids=IDS)
def test_golden_offsets(text, quote, code_points, utf16, utf8):
    assert text[slice(*code_points)] == quote
    assert text.encode()[slice(*utf8)].decode() == quote
    assert tuple(utf16_to_code_points(text, offset) for offset in utf16) == code_points
    assert tuple(code_points_to_utf16(text, offset) for offset in code_points) == utf16


@pytest.mark.parametrize(("text", "quote", "code_points", "utf16", "utf8"), GOLDEN, ids=IDS)
def test_golden_offsets_lead_into_the_stored_text(text, quote, code_points, utf16, utf8):
    stored = normalise_text(text)
    start, end = (stored.map_offset(offset) for offset in code_points)
    assert stored.text[start:end] == quote


@pytest.mark.parametrize(
    ("raw", "text", "removed", "changes"),
    [
        ("plain \u00a0 \u200b <b> \u2019", "plain \u00a0 \u200b <b> \u2019", (), {}),
        ("a\r\nb\rc\nd", "a\nb\nc\nd", (1,), {"line_ends": 2}),
        ("\r\r\n", "\n\n", (1,), {"line_ends": 2}),
        ("\ufeffa\ufeff", "a\ufeff", (0,), {"byte_order_mark": 1}),
        ("\ufeff\ufeffa", "a", (0, 1), {"byte_order_mark": 1}),
        ("a\x00b\ud800c", "a\ufffdb\ufffdc", (), {"replaced_characters": 2}),
        ("", "", (), {}),
    ],
)
def test_only_what_must_change_changes(raw, text, removed, changes):
    stored = normalise_text(raw)
    assert (stored.text, stored.removed, stored.changes) == (text, removed, changes)


def test_the_hash_is_that_of_the_original():
    raw = "\ufeffone\r\ntwo"
    assert normalise_text(raw).original_sha256 == hashlib.sha256(raw.encode()).hexdigest()


def test_offsets_around_a_line_end():
    # original: a0 CR1 LF2 b3, length 4; stored: a0 LF1 b2, length 3
    stored = normalise_text("a\r\nb")
    assert [stored.map_offset(offset) for offset in range(5)] == [0, 1, 1, 2, 3]


@pytest.mark.parametrize("offset", [-1, 5])
def test_an_offset_outside_the_original_is_refused(offset):
    with pytest.raises(InvalidInput, match="outside the text, which ends at 4"):
        normalise_text("a\r\nb").map_offset(offset)


@pytest.mark.parametrize("offset", [-1, 4])
def test_an_offset_outside_the_text_is_refused(offset):
    with pytest.raises(InvalidInput, match="outside the text, which ends at 3"):
        utf16_to_code_points("a\U0001f600", offset)


@pytest.mark.parametrize("offset", [-1, 3])
def test_a_code_point_outside_the_text_is_refused(offset):
    with pytest.raises(InvalidInput, match="outside the text, which ends at 2"):
        code_points_to_utf16("a\U0001f600", offset)


def test_an_offset_inside_a_character_is_refused():
    with pytest.raises(InvalidInput, match="cuts a character in two"):
        utf16_to_code_points("a\U0001f600b", 2)


@given(texts)
def test_utf16_offsets_are_those_of_an_encoder(text):
    for offset in range(len(text) + 1):
        units = len(text[:offset].encode("utf-16-le")) // 2
        assert code_points_to_utf16(text, offset) == units
        assert utf16_to_code_points(text, units) == offset


@given(texts)
def test_every_utf16_offset_is_mapped_or_refused(text):
    """Exactly the second half of each character outside the first plane is refused."""
    units = len(text.encode("utf-16-le")) // 2
    refused = 0
    for offset in range(units + 1):
        try:
            utf16_to_code_points(text, offset)
        except InvalidInput:
            refused += 1
    assert refused == sum(ord(c) > 0xFFFF for c in text)


@given(hostile)
def test_normalising_is_done_once(raw):
    once = normalise_text(raw)
    twice = normalise_text(once.text)
    assert twice.text == once.text
    assert (twice.removed, twice.changes) == ((), {})


@given(hostile)
def test_a_normalised_text_can_be_stored(raw):
    text = normalise_text(raw).text
    assert text.encode("utf-8").decode("utf-8") == text
    assert "\x00" not in text
    assert "\r" not in text


@given(hostile, st.data())
def test_a_quote_of_the_original_is_at_its_mapped_offsets(raw, data):
    """Unless it starts or ends between the CR and the LF of a line end, or in a leading mark."""
    stored = normalise_text(raw)
    start = data.draw(st.integers(0, len(raw)))
    end = data.draw(st.integers(start, len(raw)))
    cuts = any(raw[max(offset - 1, 0) : offset + 1] == "\r\n" for offset in (start, end))
    marks = len(raw) - len(raw.lstrip("\ufeff"))
    if not cuts and start >= marks:
        mapped = stored.text[stored.map_offset(start) : stored.map_offset(end)]
        assert mapped == normalise_excerpt(raw[start:end])


@given(hostile)
def test_mapping_keeps_the_order_and_the_ends(raw):
    stored = normalise_text(raw)
    mapped = [stored.map_offset(offset) for offset in range(len(raw) + 1)]
    assert mapped == sorted(mapped)
    assert (mapped[0], mapped[-1]) == (0, len(stored.text))


@given(hostile)
def test_a_name_keeps_its_length_and_its_line_ends(raw):
    name = storable_text(raw)
    assert len(name) == len(raw)
    assert name.count("\r") == raw.count("\r")
    assert "\x00" not in name


def test_metadata_keeps_two_keys_apart():
    value = {"a\x00": ["\ud800", 1, None], "a\ufffd": {"b": True}}
    assert storable_json(value) == {
        "a\ufffd": ["\ufffd", 1, None],
        "a\ufffd\ufffd": {"b": True},
    }
