"""The writing style interface's record of one answer. PURE.

The interface also asks which summary is better in each aspect and which a person wrote; what was
not asked here is not written.
"""

from __future__ import annotations

from annotation.kinds.comparison import Side
from annotation.kinds.style import ASPECTS, Answer, Content

SHORT = dict(
    zip(ASPECTS, ("readability", "narrative", "sentence", "formatting", "citation"), strict=True)
)
"""What the interface calls an aspect where it asks for a reason."""


def style_annotation(answer: Answer) -> dict[str, object]:
    """The ratings (1 to 5) of the five aspects, each with its reason (empty: none was given)."""
    reasons = {f"{SHORT[aspect]}_reason": answer.reasons.get(aspect, "") for aspect in ASPECTS}
    return {**reasons, **{aspect: answer.ratings[aspect] for aspect in ASPECTS}}


def style_order(content: Content, first: Side) -> tuple[str, str]:
    """The sources of A and B when ``first`` was shown as A."""
    sources = (content.model_source, content.reference_source)
    return sources if first is Side.MODEL else sources[::-1]
