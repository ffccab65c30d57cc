"""What the interface files look like at their beginning. PURE.

A file that is written otherwise (other keys first) is not recognised, and a person says what it is.
"""

from __future__ import annotations

import re

_START = rb"\A(?:\xef\xbb\xbf)?\s*"
_COMPARISON = re.compile(_START + rb'\{\s*"keys"\s*:\s*\[\s*\{')
_STYLE = re.compile(_START + rb'\{\s*"keys"\s*:\s*\[\s*"')
_THRESH = re.compile(
    _START + rb'\[\s*\{\s*"id"\s*:\s*"[^"]*"\s*,\s*"metadata"\s*:\s*\{[^{}]*"paragraph_num"'
)
_LABEL_STUDIO = re.compile(
    _START
    + rb'\[\s*\{\s*"(?:id"\s*:\s*[0-9]+\s*,\s*"(?:annotations|data)"'
    + rb'|annotations"\s*:\s*\[|data"\s*:\s*\{)'
)


def is_comparison(beginning: bytes) -> bool:
    """Whether a file that begins so is one of comparison pairs.

    >>> is_comparison(b'{"keys": [{"case_id": "46341"')
    True
    """
    return _COMPARISON.match(beginning) is not None


def is_style(beginning: bytes) -> bool:
    """Whether a file that begins so is one of style pairs.

    >>> is_style(b'{"keys": ["46754"')
    True
    """
    return _STYLE.match(beginning) is not None


def is_thresh(beginning: bytes) -> bool:
    """Whether a file that begins so is one of annotation paragraphs.

    >>> is_thresh(b'[{"id": "1_p0", "metadata": {"case_id": "1", "paragraph_num": 0')
    True
    """
    return _THRESH.match(beginning) is not None


def is_label_studio(beginning: bytes) -> bool:
    """Whether a file that begins so is one of Label Studio tasks.

    >>> is_label_studio(b'[{"id": 7, "annotations": [{'), is_label_studio(b'[{"id": "1_p0"')
    (True, False)
    >>> is_label_studio(b'[{"id": 7, "data": {"text": "Filed')
    True
    """
    return _LABEL_STUDIO.match(beginning) is not None
