"""The text of a PDF, page by page. PURE; the only file that imports pypdf."""

from __future__ import annotations

import io
import logging
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby

import pypdf
from pypdf.errors import DependencyError, FileNotDecryptedError

from annotation.records.progress import Progress
from annotation.text.normalise import normalise_excerpt

MOST_PAGES = 20_000
# Of what is drawn on a page, in bytes: the densest pages of text have a tenth of it.
LARGEST_PAGE = 4 * 1024 * 1024


class NotPdf(Exception):
    """This PDF cannot be read; the message is a sentence."""


@dataclass(frozen=True, slots=True)
class PdfText:
    """``text`` of all pages, an empty line between two. ``page_starts`` are code point offsets.

    ``without_text`` are the numbers (from 1) of pages that hold none, ``unreadable`` of those
    that could not be read, or are drawn with more than 4 MB, which would take minutes.
    """

    text: str
    page_starts: tuple[int, ...]
    without_text: tuple[int, ...]
    unreadable: tuple[int, ...]


def pdf_text(raw: bytes, repairs: Counter[str], progress: Progress) -> PdfText:
    """The text that the PDF ``raw`` carries; nothing is recognised from pictures.

    ``progress(done, total)`` is called after each page. What the library mended is counted in
    ``repairs`` as ``pdf_mended``. Raises ``NotPdf`` for what is none, is protected by a password
    or has more than 20,000 pages.
    """
    with _counted(repairs):
        reader, total = _opened(raw)
    pages: list[str] = []
    unreadable: list[int] = []
    for number in range(1, total + 1):
        with _counted(repairs):
            try:
                page = _page_text(reader.pages[number - 1])
            except Exception:  # noqa: BLE001 - the library falls over broken pages in every way
                unreadable.append(number)
                page = ""
        pages.append(normalise_excerpt(page).strip("\n"))
        progress(number, total)
    starts, offset = [], 0
    for text in pages:
        starts.append(offset)
        offset += len(text) + 2
    empty = [n for n, text in enumerate(pages, start=1) if not text.strip()]
    return PdfText(
        text="\n\n".join(pages),
        page_starts=tuple(starts),
        without_text=tuple(n for n in empty if n not in unreadable),
        unreadable=tuple(unreadable),
    )


def _page_text(page: pypdf.PageObject) -> str:
    contents = page.get_contents()
    if contents is not None and len(contents.get_data()) > LARGEST_PAGE:
        raise NotPdf("Its drawing is too long.")
    return page.extract_text()


def page_numbers(numbers: tuple[int, ...]) -> str:
    """``page 3``, ``pages 3, 5-7``."""
    runs = []
    for _, group in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0]):
        run = [number for _, number in group]
        runs.append(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}")
    return f"page{'' if len(numbers) == 1 else 's'} {', '.join(runs)}"


def _opened(raw: bytes) -> tuple[pypdf.PdfReader, int]:
    if b"%PDF-" not in raw[:1024]:
        raise NotPdf("It does not begin as a PDF does. Check what it is.")
    try:
        reader = pypdf.PdfReader(io.BytesIO(raw), strict=False)
        # Many PDFs that may only not be printed open with the empty password.
        locked = reader.is_encrypted and not reader.decrypt("")
        total = 0 if locked else len(reader.pages)
    except (FileNotDecryptedError, NotImplementedError, DependencyError) as error:
        raise NotPdf(_PROTECTED) from error
    except Exception as error:
        raise NotPdf("The PDF is damaged. Get it again from its source.") from error
    if locked:
        raise NotPdf(_PROTECTED)
    if not total:
        raise NotPdf("The PDF has no pages. Get it again from its source.")
    if total > MOST_PAGES:
        raise NotPdf(f"The PDF has {total:,} pages, more than {MOST_PAGES:,}. Split it.")
    return reader, total


_PROTECTED = "The PDF is protected by a password. Save it without one and import it again."


class _Counting(logging.Handler):
    def __init__(self, repairs: Counter[str]) -> None:
        super().__init__()
        self._repairs = repairs
        self._thread = threading.get_ident()

    def emit(self, record: logging.LogRecord) -> None:
        if record.thread == self._thread:
            self._repairs["pdf_mended"] += 1


@contextmanager
def _counted(repairs: Counter[str]) -> Iterator[None]:
    """Count what the library says of a PDF in this thread; none of it goes to a terminal."""
    logger = logging.getLogger("pypdf")
    logger.propagate = False
    handler = _Counting(repairs)
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
