"""What the evidence of a checklist leaves of a text, against the residual spans given. PURE."""

from __future__ import annotations

import re
from collections.abc import Iterable

from annotation.errors import InvalidInput
from annotation.kinds.spans import Span

MIN_WORDS = 3
"""Left-over text of fewer words is no residual span."""

_WORD = re.compile(r"\w+(?:[.’'-]\w+)*")


def check_residual(text: str, evidence: Iterable[Span], residual: list[Span]) -> None:
    """Refuse residual spans that are not what ``evidence`` leaves of ``text``.

    Evidence may overlap itself. Raises ``InvalidInput`` when residual spans are out of order,
    overlap each other or the evidence, hold fewer than ``MIN_WORDS`` words, or leave a stretch
    of ``MIN_WORDS`` or more words that neither they nor the evidence cover.
    """
    covered = bytearray(len(text))
    for span in evidence:
        covered[span.start : span.end] = b"\x01" * (span.end - span.start)
    last = 0
    for span in residual:
        if span.start < last:
            raise InvalidInput(f'"{span.quote}": residual spans stand in the order of the text.')
        if any(covered[span.start : span.end]):
            raise InvalidInput(f'"{span.quote}" is evidence of a value: it is not residual.')
        if _words(span.quote) < MIN_WORDS:
            raise InvalidInput(f'"{span.quote}": a residual span has {MIN_WORDS} words or more.')
        last = span.end
    for span in residual:
        covered[span.start : span.end] = b"\x01" * (span.end - span.start)
    for stretch in re.finditer(b"\x00+", bytes(covered)):
        left = text[stretch.start() : stretch.end()]
        if _words(left) >= MIN_WORDS:
            raise InvalidInput(f'"{left.strip()}" is neither evidence nor a residual span.')


def _words(text: str) -> int:
    return len(_WORD.findall(text))
