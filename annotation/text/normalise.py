"""Text as it is stored, and offsets into it. PURE.

Offsets are code points everywhere. The two places where other offsets enter are here: offsets
into a text as a file had it (before normalising), and offsets of a browser (UTF-16 units).
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field

from annotation.errors import InvalidInput

_BOM = "\ufeff"
_REPLACEMENT = "\ufffd"
_LINE_END = re.compile("\r\n?")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class NormalisedText:
    """A text ready to be stored, and the way back to the offsets of its original.

    ``original_sha256`` is the hash of the original, encoded as UTF-8. ``removed`` are the code
    point offsets in the original, ascending, of what is gone: leading byte order marks, and the
    CR of each CRLF. Kept beside a stored text, it lets a later file's offsets be mapped.
    ``changes`` counts what was done, by kind: ``byte_order_mark``, ``line_ends``,
    ``replaced_characters``; it is empty for a text that needed nothing.
    """

    text: str
    original_sha256: str
    removed: tuple[int, ...] = ()
    changes: Mapping[str, int] = field(default_factory=dict, hash=False)

    def map_offset(self, original_offset: int) -> int:
        """The offset in ``text`` of a code point offset in the original.

        An offset between the CR and the LF of one line end maps to the start of the line end.
        Raises ``InvalidInput`` outside ``0 <= offset <= length of the original``.
        """
        length = len(self.text) + len(self.removed)
        if not 0 <= original_offset <= length:
            raise _outside(original_offset, length)
        return original_offset - bisect_left(self.removed, original_offset)


def normalise_text(raw: str) -> NormalisedText:
    """Make a text storable, changing as little as possible.

    CRLF and CR become LF; byte order marks at the very start are dropped; NUL and lone
    surrogates, which databases refuse, become U+FFFD one for one. Nothing else is touched.
    Normalising the result again changes nothing.
    """
    marks = len(raw) - len(raw.lstrip(_BOM))
    removed = (*range(marks), *(match.start() for match in re.finditer("\r\n", raw)))
    text, line_ends = _LINE_END.subn("\n", raw[marks:])
    text, replaced = _UNSTORABLE.subn(_REPLACEMENT, text)
    changes = {
        "byte_order_mark": int(marks > 0),
        "line_ends": line_ends,
        "replaced_characters": replaced,
    }
    return NormalisedText(
        text=text,
        original_sha256=hashlib.sha256(raw.encode("utf-8", "surrogatepass")).hexdigest(),
        removed=removed,
        changes={kind: count for kind, count in changes.items() if count},
    )


def normalise_excerpt(raw: str) -> str:
    """A piece cut out of a text, as the piece is after the text was normalised.

    Like :func:`normalise_text`, but U+FEFF at the start of a piece is no byte order mark and stays.
    """
    return storable_text(_LINE_END.sub("\n", raw))


def storable_text(raw: str) -> str:
    """NUL and lone surrogates replaced by U+FFFD, nothing else: for names, keys, metadata."""
    return _UNSTORABLE.sub(_REPLACEMENT, raw)


def storable_json(value: object) -> object:
    """A parsed JSON value whose texts and keys are all storable.

    ``value`` is nested no deeper than the readers allow. Two keys that would become equal are
    kept apart by a further U+FFFD.
    """
    if isinstance(value, str):
        return storable_text(value)
    if isinstance(value, list):
        return [storable_json(element) for element in value]
    if isinstance(value, dict):
        clean: dict[str, object] = {}
        for key, element in value.items():
            name = storable_text(str(key))
            while name in clean:
                name += _REPLACEMENT
            clean[name] = storable_json(element)
        return clean
    return value


def utf16_to_code_points(text: str, offset: int) -> int:
    """The code point offset of ``offset``, which counts UTF-16 units as browsers do.

    Raises ``InvalidInput`` outside ``0 <= offset <= length in UTF-16 units``, and for an offset
    between the two halves of one character.
    """
    pairs_before = 0
    for match in _ASTRAL.finditer(text):
        start = match.start() + pairs_before
        if start >= offset:
            break
        if offset == start + 1:
            raise InvalidInput(
                f"Offset {offset} cuts a character in two. "
                "Reload the page and select the text again."
            )
        pairs_before += 1
    code_points = offset - pairs_before
    if not 0 <= code_points <= len(text):
        raise _outside(offset, code_points_to_utf16(text, len(text)))
    return code_points


def code_points_to_utf16(text: str, offset: int) -> int:
    """The inverse of :func:`utf16_to_code_points`.

    Raises ``InvalidInput`` outside ``0 <= offset <= len(text)``.
    """
    if not 0 <= offset <= len(text):
        raise _outside(offset, len(text))
    return offset + len(_ASTRAL.findall(text, 0, offset))


def _outside(offset: int, length: int) -> InvalidInput:
    return InvalidInput(f"Offset {offset} is outside the text, which ends at {length}.")
