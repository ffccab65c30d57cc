"""The text of a Word document (.docx). PURE.

A .docx is a ZIP of XML. It is read here rather than with a library: the text alone is wanted, with
footnotes and without what tracked changes have deleted. No .docx has a document type declaration,
so one is refused at once; without it XML has no entities to expand and no file to fetch.
"""

from __future__ import annotations

import re
from collections import Counter
from xml.parsers import expat

from annotation.records.cases.zip_files import ZipFile

# Of one part: the text of the longest book is a tenth of it.
_MOST_BYTES = 64 * 1024 * 1024
_PARTS = ("word/footnotes.xml", "word/endnotes.xml")
_WORD = (
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main ",
    "http://purl.oclc.org/ooxml/wordprocessingml/main ",
)
_OLD_WORD = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_COMPATIBILITY = "http://schemas.openxmlformats.org/markup-compatibility/2006 "
# Deleted or moved away by a tracked change; drawn a second time for old programs; properties.
_LEFT_OUT = {"del", "moveFrom", "pPr", "rPr", "sectPr", "tblPr"}
# Notes 0 and -1 are the lines that are drawn above footnotes, not notes.
_SEPARATORS = {"separator", "continuationSeparator", "continuationNotice"}


class NotWord(Exception):
    """This is no Word document; the message is a sentence."""


def docx_text(raw: bytes, repairs: Counter[str]) -> str:
    """The text of the .docx ``raw``: body, then footnotes, then endnotes.

    Paragraphs are set off by an empty line, cells of a row by a tab, rows by a line end. Headers,
    footers and comments are left out. What tracked changes deleted is left out and counted in
    ``repairs`` as ``tracked_deletions``. Raises ``NotWord``, and ``BadZip`` for a ZIP, or a part,
    that cannot be read.
    """
    if raw.startswith(_OLD_WORD):
        raise NotWord(
            "It is protected by a password, or an old Word file with a new ending. "
            "Save it as .docx without a password."
        )
    with ZipFile.of_bytes(raw, repairs) as archive:
        return _text(archive, repairs)


def _text(archive: ZipFile, repairs: Counter[str]) -> str:
    names = {member.name for member in archive.members}
    bodies = sorted(name for name in names if re.fullmatch(r"word/document\d*\.xml", name))
    if not bodies:
        raise NotWord("It has no part word/document.xml, so it is no Word document.")
    parts = [bodies[0], *(part for part in _PARTS if part in names)]
    if any(member.name in parts and member.size > _MOST_BYTES for member in archive.members):
        raise NotWord(f"Its text has more than {_MOST_BYTES:,} bytes. Split it.")
    texts = [_part_text(archive.read(part), repairs) for part in parts]
    return "\n\n".join(text for text in texts if text)


def _part_text(xml: bytes, repairs: Counter[str]) -> str:
    reader = _Reader(repairs)
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.characters
    parser.StartDoctypeDeclHandler = _refuse
    parser.buffer_text = True
    try:
        parser.Parse(xml, True)
    except expat.ExpatError as error:
        raise NotWord(f"Its XML is broken ({error}). Save it again in Word.") from error
    return reader.text()


def _refuse(*declaration: object) -> None:
    raise NotWord("It declares a document type, which no Word document does. It was not read.")


class _Reader:
    def __init__(self, repairs: Counter[str]) -> None:
        self._repairs = repairs
        self._pieces: list[str] = []
        self._in_text = False
        self._silent = 0
        self._cells = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        tag = _word_tag(name)
        if self._silent or tag in _LEFT_OUT or name == f"{_COMPATIBILITY}Fallback":
            self._repairs["tracked_deletions"] += tag in {"del", "moveFrom"} and not self._silent
            self._repairs += Counter()  # no kinds that were counted zero times
            self._silent += 1
        elif tag in {"footnote", "endnote"} and _kind(attributes) in _SEPARATORS:
            self._silent += 1
        elif tag == "t":
            self._in_text = True
        elif tag == "tab":
            self._pieces.append("\t")
        elif tag in {"br", "cr"}:
            self._pieces.append("\n")
        elif tag == "noBreakHyphen":
            self._pieces.append("\u2011")
        elif tag == "tc":
            self._cells += 1

    def end(self, name: str) -> None:
        if self._silent:
            self._silent -= 1
            return
        tag = _word_tag(name)
        if tag == "t":
            self._in_text = False
        elif tag == "p":
            self._pieces.append(" " if self._cells else "\n\n")
        elif tag == "tc":
            self._cells -= 1
            self._pieces.append("\t")
        elif tag == "tr" or (tag == "tbl" and not self._cells):
            self._pieces.append("\n")

    def characters(self, data: str) -> None:
        if self._in_text and not self._silent:
            self._pieces.append(data)

    def text(self) -> str:
        lines = (line.rstrip() for line in "".join(self._pieces).split("\n"))
        joined = re.sub(r" +\t", "\t", "\n".join(lines))
        return re.sub(r"\n{3,}", "\n\n", joined).strip("\n")


def _word_tag(name: str) -> str:
    for namespace in _WORD:
        if name.startswith(namespace):
            return name[len(namespace) :]
    return ""


def _kind(attributes: dict[str, str]) -> str:
    return next((value for key, value in attributes.items() if key.endswith(" type")), "")
