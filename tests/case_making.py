"""Documents made byte by byte for tests of cases: PDF, Word, ZIP."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def pdf(*pages: str) -> bytes:
    """A PDF with one line a page; a page of "" is one without text, like a scan."""
    kids = " ".join(f"{3 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
    ]
    for number, text in enumerate(pages):
        drawn = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET" if text else ""
        font = "<< /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>"
        objects += [
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] "
            f"/Contents {4 + 2 * number} 0 R /Resources << /Font {font} >> >>",
            f"<< /Length {len(drawn)} >>\nstream\n{drawn}\nendstream",
        ]
    return _pdf_file(objects, "")


def locked_pdf() -> bytes:
    """A PDF that says it is encrypted with a password that nobody has."""
    key = "(" + "x" * 32 + ")"
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [] /Count 0 >>"]
    objects.append(f"<< /Filter /Standard /V 1 /R 2 /O {key} /U {key} /P -4 >>")
    return _pdf_file(objects, "/Encrypt 3 0 R /ID [(a) (a)]")


def _pdf_file(objects: Sequence[str], trailer: str) -> bytes:
    out = b"%PDF-1.4\n"
    offsets = []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n{content}\nendobj\n".encode("latin-1")
    table = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{offset:010d} 00000 n \n".encode() for offset in offsets)
    head = f"<< /Size {len(objects) + 1} /Root 1 0 R {trailer} >>"
    return out + f"trailer\n{head}\nstartxref\n{table}\n%%EOF\n".encode()


def paragraph(text: str) -> str:
    return f'<w:p><w:r><w:t xml:space="preserve">{text}</w:t></w:r></w:p>'


def docx(body: str, *, prolog: str = "", parts: Mapping[str, str] | None = None) -> bytes:
    """A Word document with this body; ``parts`` are further files of its ZIP."""
    document = f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>'
    return zipped(
        {"word/document.xml": f'<?xml version="1.0"?>{prolog}{document}', **(parts or {})}
    )


def zipped(files: Mapping[str, bytes | str]) -> bytes:
    """A ZIP file, always with the same bytes for the same files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in files.items():
            add(archive, name, content)
    return out.getvalue()


def add(archive: zipfile.ZipFile, name: str, content: bytes | str, mode: int = 0o100644) -> None:
    """Put a member into a ZIP that is being written; ``mode`` 0o120777 makes it a link."""
    info = zipfile.ZipInfo(name, date_time=(2026, 3, 2, 9, 0, 0))
    info.external_attr = mode << 16
    info.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(info, content)
