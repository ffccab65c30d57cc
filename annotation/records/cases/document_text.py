"""A document's bytes as text, by the ending of its name. PURE."""

from __future__ import annotations

import codecs
import re
from collections import Counter
from pathlib import PurePosixPath

from annotation.records.cases.docx_text import NotWord, docx_text
from annotation.records.cases.html_text import html_text
from annotation.records.cases.pdf_text import NotPdf, page_numbers, pdf_text
from annotation.records.cases.zip_files import BadZip
from annotation.records.progress import Progress
from annotation.records.report import FileReport, FileStatus, UnreadableFile

PLAIN = (".txt", ".md")
PAGES = (".html", ".htm")
SUFFIXES = (*PLAIN, *PAGES, ".pdf", ".docx")
# UTF-32 first: its little-endian mark begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARED = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([A-Za-z0-9_.:-]{1,40})""", re.I)
_PAGE_ENCODINGS = re.compile(
    rb"(?:iso-?8859|windows-|cp125|latin|koi8|big5|gb|shift|sjis|euc-|mac|ascii|us-ascii)", re.I
)
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_SCANNED = "it is probably a scan. Recognise its text (OCR) and import it again."


def suffix_of(name: str) -> str:
    """The ending of a name in lower case, with the dot."""
    return PurePosixPath(name).suffix.lower()


def document_text(
    raw: bytes, name: str, report: FileReport, progress: Progress
) -> tuple[str, dict[str, object]]:
    """The text of a document called ``name``, and what is worth keeping of how it was drawn.

    What was tolerated is counted in ``report.repairs``: ``encoding_utf16``, ``encoding_declared``
    (by an HTML page), ``encoding_guessed`` (Windows-1252, for what is no UTF-8),
    ``undecodable_bytes``, and those of the formats. Pages of a PDF without text become problems.
    Raises ``UnreadableFile`` (status empty or unreadable) for what has no text.
    """
    if not raw:
        raise _empty("The file is empty. Get it again from its source.", report)
    details: dict[str, object] = {}
    suffix = suffix_of(name)
    try:
        if suffix == ".pdf":
            text, details = _pdf(raw, report, progress)
        elif suffix == ".docx":
            text = docx_text(raw, report.repairs)
        else:
            text = decode(raw, report, html=suffix in PAGES)
            if suffix in PAGES:
                text = html_text(text, report.repairs)
    except (NotPdf, NotWord, BadZip) as error:
        raise UnreadableFile(str(error), path=report.path) from error
    if not text.strip("\ufeff \t\n\r\f\v"):
        raise _empty("The file holds no text. Check it, or take it out.", report)
    return text, details


def decode(raw: bytes, report: FileReport, *, html: bool = False) -> str:
    """``raw`` as text, its byte order mark kept for the normaliser to count.

    UTF-8, or UTF-16 and UTF-32 with a mark, or the encoding an HTML page declares, or else
    Windows-1252, in which bytes that mean nothing become U+FFFD. Raises ``UnreadableFile`` for what
    is no text in any of them.
    """
    text = _decoded(raw, report.repairs, html)
    odd = len(text) - len(_CONTROL.sub("", text))
    if odd * 10 > len(text):
        raise UnreadableFile(
            "This is no text: every tenth character is a control character or worse. Check what "
            "the file is; text in UTF-16 needs its byte order mark.",
            path=report.path,
        )
    return text


def _decoded(raw: bytes, repairs: Counter[str], html: bool) -> str:
    for mark, encoding in _MARKS:
        if raw.startswith(mark):
            repairs[f"encoding_{encoding[:6].replace('-', '')}"] += 1
            return _lenient(raw, encoding, repairs)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        pass
    declared = _declared(raw) if html else ""
    if declared:
        repairs["encoding_declared"] += 1
        return _lenient(raw, declared, repairs)
    repairs["encoding_guessed"] += 1
    return _lenient(raw, "cp1252", repairs)


def _declared(raw: bytes) -> str:
    """The encoding that an HTML page declares in its first 2,048 bytes, if it is a known one."""
    found = _DECLARED.search(raw[:2048])
    if found is None or not _PAGE_ENCODINGS.match(found[1]):
        return ""
    try:
        name = codecs.lookup(found[1].decode("ascii")).name
    except LookupError:
        return ""
    # What says ISO-8859-1 on the web is Windows-1252, and is read so by every browser.
    return "cp1252" if name in {"iso8859-1", "ascii"} else name


def _lenient(raw: bytes, encoding: str, repairs: Counter[str]) -> str:
    try:
        return raw.decode(encoding)
    except UnicodeError:
        text = raw.decode(encoding, errors="replace")
        repairs["undecodable_bytes"] += max(1, text.count("\ufffd"))
        return text


def _pdf(raw: bytes, report: FileReport, progress: Progress) -> tuple[str, dict[str, object]]:
    pdf = pdf_text(raw, report.repairs, progress)
    if not pdf.text.strip():
        raise _empty(f"The PDF has no text on any page: {_SCANNED}", report)
    if pdf.without_text:
        has = "has" if len(pdf.without_text) == 1 else "have"
        report.problem(page_numbers(pdf.without_text), f"{has} no text: {_SCANNED}")
    if pdf.unreadable:
        report.problem(
            page_numbers(pdf.unreadable), "cannot be read. Print the PDF to a new PDF and try it."
        )
    return pdf.text, {"page_starts": list(pdf.page_starts)}


def _empty(reason: str, report: FileReport) -> UnreadableFile:
    return UnreadableFile(reason, path=report.path, status=FileStatus.EMPTY)
