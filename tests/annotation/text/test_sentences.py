"""Paragraphs and sentences: the guesses where they are known, and that nothing is ever lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.text.sentences import paragraphs, sentences, trimmed


def cut(text: str) -> list[str]:
    return [text[slice(*span)] for span in sentences(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        (" \n\u00a0\n", []),
        ("one line", ["one line"]),
        ("one\n\ntwo\nlines\n \n\t\nthree", ["one", "two\nlines", "three"]),
        ("no blank line\nat all\n", ["no blank line", "at all"]),
        ("\n\n\u00a0one\nline break each\n\n", ["one", "line break each"]),
    ],
)
def test_paragraphs(text: str, found: list[str]) -> None:
    assert [text[slice(*span)] for span in paragraphs(text)] == found


@pytest.mark.parametrize(
    "sentence",
    [
        "Doe v. Roe was filed in the U.S. District Court for the S.D.N.Y. on Jan. 5, 2020.",
        "They sued under 42 U.S.C. \u00a7 1983 and 28 C.F.R. \u00a7 35.130(b).",
        "See 145 F. Supp. 3d 39, 44 (D. Mass. 2009); 597 U.S. 215.",
        "The docket is No. 2:20-cv-01234, Dkt. No. 15.",
        "Acme, Inc. agreed to pay $1.5 million, i.e. 3.2 percent.",
        "Judge J. P. Stevens, Jr. of Dr. Smith's court wrote for the F.B.I. agents.",
        "He said \u201cStop \u2026 now\u201d and left.",
        "Is it so?",
        "The order said: \u201cDenied.\u201d",
        "He wrote that . . . The motion fails.",
        "At 9 a.m. the hearing began.",
    ],
)
def test_one_sentence_is_one(sentence: str) -> None:
    both = f"{sentence} The case ended."
    assert cut(sentence) == [sentence]
    assert cut(both) == [sentence, "The case ended."]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "It was filed by Acme Inc. The court sat.",
            ["It was filed by Acme Inc.", "The court sat."],
        ),
        ("Was it? No. It was not!", ["Was it?", "No.", "It was not!"]),
        ("He won (in part). She lost.", ["He won (in part).", "She lost."]),
        ("It is done.\u201d [12] She left.", ["It is done.\u201d", "[12] She left."]),
        (
            "The claims:\n- under the APA. It failed.\n- under \u00a7 1983\n2. a third",
            ["The claims:", "- under the APA.", "It failed.", "- under \u00a7 1983", "2. a third"],
        ),
        ("1. The first item. It is long.", ["1. The first item.", "It is long."]),
        ("\u5224\u6c7a\u3002\u63a7\u8a34\u3002", ["\u5224\u6c7a\u3002", "\u63a7\u8a34\u3002"]),
    ],
)
def test_borders(text: str, found: list[str]) -> None:
    assert cut(text) == found


def test_a_part_of_a_text_has_the_offsets_of_the_whole() -> None:
    text = "One. Two. Three."
    assert sentences(text, 4) == [(5, 9), (10, 16)]
    assert sentences(text, 0, 6) == [(0, 4), (5, 6)]
    with pytest.raises(ValueError, match="outside a text of 16 characters"):
        sentences(text, 5, 17)


PIECES = (
    *(
        ". ",
        "? ",
        "\n",
        "\n\n",
        " ",
        "No. ",
        "v. ",
        "U.S.C. \u00a7 ",
        "\u2026 ",
        ". . . ",
        "A",
        "b",
    ),
    *("7", "\n- ", "1) ", "\u201d", "(", "\u200b", "\u00a0", "\u3002", "\U0001f600", "I. ", "\r"),
)
pieces = st.sampled_from(PIECES)
texts = st.lists(pieces | st.characters(codec="utf-8"), max_size=40).map("".join)


@settings(max_examples=500)
@given(texts)
def test_every_character_is_in_one_paragraph_and_in_one_sentence(text: str) -> None:
    for spans in (paragraphs(text), sentences(text)):
        inside = [place for start, end in spans for place in range(start, end)]
        assert inside == sorted(set(inside))
        assert not set(range(len(text))).difference(inside) & {
            place for place, char in enumerate(text) if not char.isspace()
        }
        assert all(span[0] < span[1] and trimmed(text, *span) == span for span in spans)
    borders = {start for start, _ in sentences(text)}
    assert borders >= {start for start, _ in paragraphs(text)}


@pytest.mark.parametrize("text", ["a" * 300_000, ". " * 150_000, "(" * 300_000, "\n" * 300_000])
def test_a_hostile_text_is_cut_too(text: str) -> None:
    assert sum(end - start for start, end in sentences(text)) <= len(text)


@pytest.mark.release
def test_evidence_of_people_begins_and_ends_where_sentences_do(release_dir: Path) -> None:
    """Spans that look like whole sentences (a capital first, a stop at the end) are sentences."""
    people = json.loads((release_dir / "data/document_checklists/human.json").read_text("utf-8"))
    alike = number = 0
    for path in sorted((release_dir / "thresh").glob("*.json")):
        first = json.loads(path.read_text("utf-8"))[0]
        text, case = first["target"], first["metadata"]["case_id"]
        starts, ends = (set(side) for side in zip(*sentences(text), strict=True))
        spans = {
            trimmed(text, *span)
            for values in people["results"][case].values()
            for value in values
            for span in value["evidences_indices"]
        }
        for start, end in spans:
            if text[start].isupper() and text[end - 1] == "." and start:
                number += 1
                alike += start in starts and end in ends
    assert number > 0
    assert alike / number > 0.95
