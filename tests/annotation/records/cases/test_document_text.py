"""A document's bytes as text: encodings, HTML, PDF, Word, and what only pretends to be one."""

from __future__ import annotations

import zipfile
from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.records.cases import pdf_text
from annotation.records.cases.document_text import SUFFIXES, document_text
from annotation.records.cases.html_text import html_text
from annotation.records.cases.pdf_text import page_numbers
from annotation.records.report import FileReport, FileStatus, UnreadableFile
from tests.case_making import WORD, docx, locked_pdf, paragraph, pdf, zipped


def nothing(done: int, total: int) -> None:
    pass


def read(raw: bytes, name: str) -> tuple[str, FileReport]:
    report = FileReport(name)
    text, _ = document_text(raw, name, report, nothing)
    return text, report


def refusal(raw: bytes, name: str) -> UnreadableFile:
    with pytest.raises(UnreadableFile) as refused:
        read(raw, name)
    assert refused.value.path == name
    return refused.value


@pytest.mark.parametrize(
    ("raw", "text", "repairs"),
    [
        ("Mu\u00f1oz \U0001f600".encode(), "Mu\u00f1oz \U0001f600", {}),
        # The mark stays for the normaliser, which counts it and knows what it moved.
        ("\ufeffFiled".encode(), "\ufeffFiled", {}),
        ("\ufeff\U0001f600".encode("utf-16-le"), "\ufeff\U0001f600", {"encoding_utf16": 1}),
        ("\ufeffFiled".encode("utf-16-be"), "\ufeffFiled", {"encoding_utf16": 1}),
        ("\ufeffFiled".encode("utf-32-le"), "\ufeffFiled", {"encoding_utf32": 1}),
        (b"Plaintiff\x92s \xa7 1983", "Plaintiff\u2019s \u00a7 1983", {"encoding_guessed": 1}),
        (b"a\x81b\xff", "a\ufffdb\u00ff", {"encoding_guessed": 1, "undecodable_bytes": 1}),
        (b"a\x00bcdefghijkl", "a\x00bcdefghijkl", {}),
        (b"one\r\ntwo\x0cthree", "one\r\ntwo\x0cthree", {}),
    ],
)  # fmt: skip
def test_text_in_every_encoding(raw: bytes, text: str, repairs: dict[str, int]) -> None:
    found, report = read(raw, "a.txt")
    assert found == text
    assert report.repairs == repairs


def test_utf16_cut_in_the_middle_of_a_character_is_counted() -> None:
    text, report = read("\ufeffFiled on".encode("utf-16-le")[:-1], "a.txt")
    assert text == "\ufeffFiled o\ufffd"
    assert report.repairs == {"encoding_utf16": 1, "undecodable_bytes": 1}


@pytest.mark.parametrize(
    ("raw", "name", "status", "says"),
    [
        (b"", "a.txt", FileStatus.EMPTY, "is empty"),
        (b" \r\n\t", "a.md", FileStatus.EMPTY, "holds no text"),
        (b"\xef\xbb\xbf", "a.txt", FileStatus.EMPTY, "holds no text"),
        (bytes(range(256)) * 4, "a.txt", FileStatus.UNREADABLE, "no text: every tenth"),
        ("Filed".encode("utf-16-le"), "a.txt", FileStatus.UNREADABLE, "needs its byte order mark"),
        (b"<script>x()</script>", "a.html", FileStatus.EMPTY, "holds no text"),
        (b"Filed", "a.pdf", FileStatus.UNREADABLE, "does not begin as a PDF"),
        (b"%PDF-1.4\nnothing", "a.pdf", FileStatus.UNREADABLE, "damaged"),
        (pdf("Filed")[:-60], "a.pdf", FileStatus.UNREADABLE, "damaged"),
        (locked_pdf(), "a.pdf", FileStatus.UNREADABLE, "protected by a password"),
        (pdf("", ""), "a.pdf", FileStatus.EMPTY, "no text on any page: it is probably a scan"),
        (b"PK", "a.docx", FileStatus.UNREADABLE, "no ZIP file"),
        (docx(paragraph("a"))[:-30], "a.docx", FileStatus.UNREADABLE, "ZIP"),
        (zipped({"a.txt": "x"}), "a.docx", FileStatus.UNREADABLE, "no Word document"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" * 9, "a.docx", FileStatus.UNREADABLE, "password"),
        (docx("<w:p>"), "a.docx", FileStatus.UNREADABLE, "XML is broken"),
        (docx(paragraph(" ")), "a.docx", FileStatus.EMPTY, "holds no text"),
    ],
)  # fmt: skip
def test_what_has_no_text_is_refused(raw: bytes, name: str, status: FileStatus, says: str) -> None:
    error = refusal(raw, name)
    assert error.status is status
    assert says in error.reason


LAUGHS = (
    '<!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">'
    '<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]>'
)
OUTSIDE = '<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]>'


@pytest.mark.parametrize("prolog", [LAUGHS, OUTSIDE, "<!DOCTYPE x>"], ids=["bomb", "file", "plain"])
def test_a_word_document_that_declares_a_type_is_not_read(prolog: str) -> None:
    error = refusal(docx(paragraph("&c;"), prolog=prolog), "a.docx")
    assert "declares a document type" in error.reason


def test_a_word_document_as_people_see_it() -> None:
    body = (
        "<w:p><w:pPr><w:tabs><w:tab/></w:tabs></w:pPr><w:r><w:t>I.</w:t><w:tab/>"
        '<w:t xml:space="preserve">The </w:t></w:r><w:r><w:t>Court &amp; clerk</w:t><w:br/>'
        "<w:t>18</w:t><w:noBreakHyphen/><w:t>cv</w:t></w:r>"
        "<w:del><w:r><w:delText>gone</w:delText><w:t>gone too</w:t></w:r></w:del></w:p>"
        "<w:tbl><w:tr><w:tc>" + paragraph("a") + "</w:tc><w:tc>" + paragraph("b") + "</w:tc></w:tr>"
        "<w:tr><w:tc>" + paragraph("c") + "</w:tc></w:tr></w:tbl>" + paragraph("So ordered.")
    )
    notes = (
        f'<w:footnotes xmlns:w="{WORD}"><w:footnote w:type="separator">{paragraph("----")}'
        f'</w:footnote><w:footnote w:id="1">{paragraph("See id.")}</w:footnote></w:footnotes>'
    )
    text, report = read(docx(body, parts={"word/footnotes.xml": notes}), "a.docx")
    assert text == "I.\tThe Court & clerk\n18\u2011cv\n\na\tb\nc\n\nSo ordered.\n\nSee id."
    assert report.repairs == {"tracked_deletions": 1}


def test_a_word_document_that_would_burst_is_refused() -> None:
    error = refusal(docx(paragraph("a" * 3_000_000)), "a.docx")
    assert "as no text does" in error.reason


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<p>One<p>Two &amp; &#8212; three&nbsp;four", "One\n\nTwo & \u2014 three\u00a0four"),
        ("a<br>b<br/>c", "a\nb\nc"),
        ("<title>T</title><h1>Head</h1>text<script>var p = '<p>no</p>'</script>", "Head\n\ntext"),
        ("<style>p {}</style><div>a</div><div>b</div>", "a\nb"),
        ("<ul><li>a<li>b</ul>c", "a\nb\n\nc"),
        ("<table><tr><td>1<td>2<tr><td>3</table>", "1\t2\n3"),
        ("<pre>a  b\n  c</pre>d\n  e", "a  b\n  c\n\nd e"),
        ("a <b>bo</b>ld\n\n word", "a bold word"),
        ("1 < 2 & 3 > 2 <", "1 < 2 & 3 > 2 <"),
        ("a<!-- <p> -->b<![if !x]>c<![endif]><![CDATA[d]]>e", "abce"),
        ("a<![weird[b]]>c", "ac"),
        ("<template>x</template>y<noscript>z</noscript>", "y"),
        ("<title>never closed<body>shown", "never closed\n\nshown"),
        ("<p>a</p>\n<p>b</p>\n\n\n<p>c</p>", "a\n\nb\n\nc"),
        ("<a title='a > b' x=\"</p>\" y=it's>c</a>", "c"),
        ('<p ">a</p "><P>b</P><SCRIPT>c</SCRIPT >d</>e', "a\n\nb\n\nde"),
        ("<svg><text>a<svg>b</svg>c</svg>d", "d"),
        ("<!-->a<!--->b<!-- c --->d<?php e ?>f</ g>h", "abdfh"),
        ("&lt;p&gt; &amp;lt; &#x41; &nosuch;", "<p> &lt; A &nosuch;"),
    ],
)
def test_html_as_people_see_it(page: str, text: str) -> None:
    report = FileReport("a.html")
    assert html_text(page, report.repairs) == text
    assert report.repairs == {}


@pytest.mark.parametrize(
    "rest", ["<script>let x;", "<style>p {}", "<!-- ", "<!x ", "<a href='", "<a b ", "<svg>", "</p"]
)
def test_a_page_that_ends_within_something_unseen_is_counted(rest: str) -> None:
    text, report = read(f"<p>seen</p>{rest} not seen".encode(), "a.html")
    assert text == "seen"
    assert report.repairs == {"html_unclosed": 1}


@pytest.mark.parametrize(
    "piece",
    ["<", "<!", "<a ", "<![", "<!--", "</", "&", "<a b='", "<a b=\"", "<p>", "<title>", "<script>",
     "<script></", "<svg>", "<td>x", "<pre>\n", "a \t", "<a =", "<!-->", "<template>"],
)  # fmt: skip
def test_no_page_takes_longer_than_its_length(piece: str) -> None:
    """What takes the square of its length would not end here."""
    html_text(piece * 100_000, FileReport("a").repairs)


@pytest.mark.parametrize(
    ("declared", "encoding", "repairs"),
    [
        ("windows-1251", "cp1251", {"encoding_declared": 1}),
        ("ISO-8859-1", "cp1252", {"encoding_declared": 1}),
        ("utf-8", "cp1252", {"encoding_guessed": 1}),
        ("hex", "cp1252", {"encoding_guessed": 1}),
        ("punycode", "cp1252", {"encoding_guessed": 1}),
    ],
)
def test_a_page_may_declare_its_encoding(
    declared: str, encoding: str, repairs: dict[str, int]
) -> None:
    word = "\u0441\u0443\u0434" if encoding == "cp1251" else "\u2019\u00a7"
    page = f'<meta charset="{declared}"><p>{word}'.encode(encoding)
    text, report = read(page, "a.htm")
    assert text == word
    assert report.repairs == repairs


def test_a_pdf_is_read_page_by_page() -> None:
    seen: list[tuple[int, int]] = []
    report = FileReport("a.pdf")
    text, details = document_text(
        pdf("Filed on April 7", "", "Denied", "", ""),
        "a.pdf",
        report,
        lambda d, t: seen.append((d, t)),
    )
    assert text == "Filed on April 7\n\n\n\nDenied\n\n\n\n"
    # "Filed on April 7" has 16 characters, each page is followed by two line ends.
    assert details == {"page_starts": [0, 18, 20, 28, 30]}
    assert text[20:26] == "Denied"
    assert [str(problem) for problem in report.problems] == [
        "pages 2, 4-5: have no text: it is probably a scan. Recognise its text (OCR) and import "
        "it again."
    ]  # fmt: skip
    assert seen == [(n, 5) for n in range(1, 6)]


def test_a_page_drawn_without_end_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_text, "LARGEST_PAGE", 60)
    text, report = read(pdf("Filed", "F" * 60, "Denied"), "a.pdf")
    assert text == "Filed\n\n\n\nDenied"
    assert [str(problem) for problem in report.problems] == [
        "page 2: cannot be read. Print the PDF to a new PDF and try it."
    ]


@pytest.mark.parametrize(
    ("numbers", "words"),
    [((3,), "page 3"), ((1, 2, 3), "pages 1-3"), ((2, 4, 5, 9), "pages 2, 4-5, 9")],
)
def test_page_numbers(numbers: tuple[int, ...], words: str) -> None:
    assert page_numbers(numbers) == words


FUZZED = {
    ".pdf": pdf("Filed on April 7", "Denied"),
    ".docx": docx(paragraph("Filed on April 7") + paragraph("Denied")),
    ".html": b"<html><head><meta charset=utf-8><title>t</title></head><body><p>a<table><tr><td>b",
    ".txt": "\ufeffFiled on April 7\r\n".encode(),
    ".md": b"# A\n\n- b\n",
    ".htm": b"<p>a<!-- b --><![CDATA[c]]><script>d</script>&amp;&#x;",
}


@settings(max_examples=150)
@given(data=st.data())
def test_damaged_bytes_give_a_text_or_a_sentence(data: st.DataObject) -> None:
    suffix = data.draw(st.sampled_from(SUFFIXES))
    raw = bytearray(FUZZED[suffix])
    for _ in range(data.draw(st.integers(0, 8))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    end = data.draw(st.integers(0, len(raw)))
    check_text_or_sentence(bytes(raw[:end]), f"a{suffix}")


@settings(max_examples=100)
@given(suffix=st.sampled_from(SUFFIXES), raw=st.binary(max_size=300))
def test_any_bytes_give_a_text_or_a_sentence(suffix: str, raw: bytes) -> None:
    start = {".pdf": b"%PDF-1.4\n", ".docx": b"PK\x03\x04"}.get(suffix, b"")
    check_text_or_sentence(start + raw, f"a{suffix}")


@settings(max_examples=100)
@given(page=st.text(st.sampled_from("<>/!-[]ab ='\"&#;\npstyle"), max_size=60))
def test_any_tag_soup_gives_a_text(page: str) -> None:
    assert "\n\n\n" not in html_text(page.replace("pre", ""), FileReport("a").repairs)


def check_text_or_sentence(raw: bytes, name: str) -> None:
    report = FileReport(name)
    try:
        text, _ = document_text(raw, name, report, nothing)
    except UnreadableFile as error:
        assert error.reason.endswith(".")  # noqa: PT017 - either end is right
    else:
        assert text.strip("\ufeff \t\n\r\f\v")


def test_a_zip_in_a_word_document_with_an_odd_method_is_refused() -> None:
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("word/document.xml", "<x/>")
    raw = bytearray(out.getvalue())
    central = raw.rfind(b"PK\x01\x02")
    raw[central + 10 : central + 12] = (99).to_bytes(2, "little")  # a method that nobody knows
    raw[8:10] = (99).to_bytes(2, "little")
    assert "damaged inside the ZIP" in refusal(bytes(raw), "a.docx").reason
