"""CSV files as they come: encodings, delimiters, headers, broken rows."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.records.csv_rows import COMPARISONS, SUMMARIES, listed_values, values_cell
from annotation.records.csv_table import Row, has_columns, parse_table
from annotation.records.report import FileReport, UnreadableFile
from annotation.text.csv_text import csv_cell, csv_text, without_guard

TABLE = "case;producer;text\r\n11;m;Caf\u00e9 \u2013 \U0001d538\r\n"


def parse(raw: bytes | str) -> tuple[list[Row], FileReport]:
    report = FileReport("t.csv")
    data = raw.encode() if isinstance(raw, str) else raw
    return parse_table(data, SUMMARIES, report), report


@pytest.mark.parametrize(
    ("encoding", "repairs"),
    [
        ("utf-8", {}),
        ("utf-8-sig", {"byte_order_mark": 1}),
        ("utf-16", {"utf_16": 1}),
        ("utf-32", {"utf_32": 1}),
    ],
)
def test_every_marked_encoding_gives_the_same_text(encoding: str, repairs: dict[str, int]) -> None:
    (row,), report = parse(TABLE.encode(encoding))
    assert row.cells == {"case": "11", "producer": "m", "text": "Caf\u00e9 \u2013 \U0001d538"}
    assert dict(report.repairs) == repairs


def test_big_endian_utf_16_is_known_by_its_mark() -> None:
    (row,), report = parse(b"\xfe\xff" + TABLE.encode("utf-16-be"))
    assert row.cells["text"] == "Caf\u00e9 \u2013 \U0001d538"
    assert dict(report.repairs) == {"utf_16": 1}


def test_windows_1252_is_read_and_counted() -> None:
    (row,), report = parse(
        "case,producer,text\n11,m,Mu\u00f1oz \u2013 \u201cno\u201d\n".encode("cp1252")
    )
    assert row.cells["text"] == "Mu\u00f1oz \u2013 \u201cno\u201d"
    assert dict(report.repairs) == {"windows_1252": 1}


@pytest.mark.parametrize(
    ("raw", "status", "words"),
    [
        (b"", "empty", "is empty"),
        (b"\xef\xbb\xbf \r\n", "empty", "is empty"),
        ("case,text\n1,caf\u00e9".encode()[:-1], "truncated", "cut off after 16 bytes"),
        ("case,text\n1,caf\u00e9 ".encode() + b"\xe9\n", "unreadable", "in some places and not"),
        (b"case,text\n1,\x81\n", "unreadable", "neither UTF-8 nor Windows-1252"),
        (TABLE.encode("utf-16-le"), "unreadable", "looks like UTF-16"),
        (b"\xff\xfec", "unreadable", "begins as UTF-16"),
        (b'case,text\n1,"never closed\n2,x\n', "truncated", "ends inside a quoted cell"),
        (b'case,text\n1,"a"b\n', "unreadable", "cannot be read"),
        (b"case,words\n1,a\n", "unreadable", "no column text. Its columns are: case, words"),
        (b"case,text,Text\n1,a,b\n", "unreadable", "Two columns are called text"),
    ],
)
def test_what_cannot_be_read_is_refused_in_words(raw: bytes, status: str, words: str) -> None:
    with pytest.raises(UnreadableFile, match=words) as refused:
        parse(raw)
    assert refused.value.status == status


def test_the_line_of_an_open_quote_is_named() -> None:
    with pytest.raises(UnreadableFile) as refused:
        parse('case,text\n1,"two\nlines"\n2,"never\n')
    assert refused.value.place == "line 4"


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_the_delimiter_is_the_one_that_gives_the_columns(delimiter: str) -> None:
    cells = ["case", "a; note, with\tall", "text"]
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter).writerows([cells, ["1", "x;y,z", "t, u; v"]])
    (row,), _ = parse(out.getvalue())
    assert row.cells == {"case": "1", "text": "t, u; v"}
    assert row.others == {"a; note, with\tall": "x;y,z"}


def test_headers_may_differ_in_case_blanks_signs_and_order() -> None:
    (row,), report = parse("Summary Text, CASE-ID ,My Note,,Length Bin\nt,7,n,o,0-8k\n")
    assert row.cells == {"text": "t", "case": "7", "length_bin": "0-8k"}
    assert row.others == {"My Note": "n", "column 4": "o"}
    assert report.found["further_columns_kept"] == 2


def test_rows_of_another_length_are_problems_with_their_line() -> None:
    rows, report = parse('case,text\n1,"a\nb"\n\n2\n3,c,,\n4,d,more\n')
    assert [(row.line, row.cells["text"]) for row in rows] == [(2, "a\nb"), (6, "c")]
    assert [str(p)[:30] for p in report.problems] == [
        "line 5: has 1 cells, and the h", "line 7: has 3 cells, and the h",
    ]  # fmt: skip
    assert dict(report.repairs) == {"blank_rows": 1, "empty_cells_at_the_end": 2}


def test_the_line_that_names_the_separator_is_no_row() -> None:
    (row,), report = parse("sep=;\ncase;text\n1;a,b\n")
    assert (row.line, row.cells["text"]) == (3, "a,b")
    assert dict(report.repairs) == {"separator_line": 1}


def test_a_cell_may_be_longer_than_the_limit_of_the_module() -> None:
    long = "x" * 300_000
    (row,), _ = parse(f"case,text\n1,{long}\n")
    assert row.cells["text"] == long


def test_columns_without_rows_are_a_problem() -> None:
    assert [str(p) for p in parse("case,text\n")[1].problems] == [
        "The file has columns and no summaries."
    ]


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
NASTY = st.text(st.sampled_from("'=+-@\t\r\n,;\"a\u00e9\U0001f600"), max_size=8)


@given(TEXT | NASTY)
def test_a_guard_is_taken_off_exactly_where_it_was_put(text: str) -> None:
    assert without_guard(csv_cell(text)) == text
    assert not csv_cell(text).startswith(("=", "+", "-", "@", "\t", "\r"))


@given(st.lists(st.tuples(TEXT | NASTY, TEXT | NASTY), min_size=1, max_size=5))
def test_what_is_written_as_csv_is_read_as_it_was(pairs: list[tuple[str, str]]) -> None:
    rows = [("7", a + "x", b + "x") for a, b in pairs]
    report = FileReport("t.csv")
    read = parse_table(csv_text(("case", "text", "kept as"), rows).encode(), SUMMARIES, report)
    assert [(r.cells["text"], r.others["kept as"]) for r in read] == [(a, b) for _, a, b in rows]
    assert report.problems == []


@given(st.binary(max_size=60) | st.binary(max_size=40).map(lambda b: b"case,text\n" + b))
def test_any_bytes_give_rows_or_a_refusal(raw: bytes) -> None:
    report = FileReport("t.csv")
    try:
        rows = parse_table(raw, COMPARISONS, report)
    except UnreadableFile:
        return
    assert rows or report.problems


@given(st.lists(TEXT | NASTY | st.sampled_from(["[1]", '["a"]', " ["]), min_size=1, max_size=4))
def test_values_are_read_from_their_cell(values: list[str]) -> None:
    cell = values_cell(values, "single" if len(values) == 1 else "list")
    read = listed_values(cell)
    assert (values == [cell]) if read is None else (read == values)


@pytest.mark.parametrize(
    ("beginning", "comparisons", "summaries"),
    [
        (b"Case ID,Item,Model values,Reference values\n1,", True, False),
        (b'\xef\xbb\xbf"case";"item";"model_values";"reference_values"\r\n', True, False),
        (b"sep=;\ncase;text\n", False, True),
        ("case\ttext\n".encode("utf-16"), False, True),
        (b"case,item,answer\n", False, False),
        (b"", False, False),
        (b'{"keys": [', False, False),
    ],
)
def test_a_table_is_known_by_its_header(
    beginning: bytes, comparisons: bool, summaries: bool
) -> None:
    assert has_columns(beginning, COMPARISONS) is comparisons
    assert has_columns(beginning, SUMMARIES) is summaries
