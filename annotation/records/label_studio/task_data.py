"""What a task shows in Label Studio, and back. PURE.

The side shown as A is drawn for the task: everybody sees the same there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotation.kinds import comparison, style
from annotation.kinds.comparison import Side
from annotation.records.label_studio.names import ONLY_A, ONLY_B, PAIRS, A, B, pair_label

MODEL_TEXT, REFERENCE_TEXT = "model_text", "reference_text"


def comparison_data(content: comparison.Content, first: Side) -> dict[str, Any]:
    """Texts A and B; of lists also all that can be chosen."""
    sides = (content.model, content.reference)
    a, b = sides if first is Side.MODEL else sides[::-1]
    if content.form == "single":
        return {A: a[0], B: b[0]}
    return {
        A: _numbered("A", a),
        B: _numbered("B", b),
        PAIRS: [_option(pair_label(i, j)) for i in range(len(a)) for j in range(len(b))],
        ONLY_A: [_option(f"A{i + 1}") for i in range(len(a))],
        ONLY_B: [_option(f"B{j + 1}") for j in range(len(b))],
    }


def style_data(content: style.Content, first: Side) -> dict[str, Any]:
    """The two texts as A and B."""
    texts = (content.model_text, content.reference_text)
    a, b = texts if first is Side.MODEL else texts[::-1]
    return {A: a, B: b}


def style_texts(data: Mapping[str, Any], first: Side) -> dict[str, Any]:
    """The inverse of :func:`style_data`: the two fields of the content."""
    a, b = (MODEL_TEXT, REFERENCE_TEXT) if first is Side.MODEL else (REFERENCE_TEXT, MODEL_TEXT)
    return {a: data.get(A), b: data.get(B)}


def _numbered(side: str, values: list[str]) -> str:
    return "\n".join(f"{side}{number}  {value}" for number, value in enumerate(values, 1))


def _option(label: str) -> dict[str, str]:
    return {"value": label}
