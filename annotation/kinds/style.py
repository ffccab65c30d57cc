"""Writing style: how alike two summaries are, five aspects on a scale of 1 to 5. PURE."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from annotation.errors import InvalidInput
from annotation.kinds.comparison import Side

ASPECTS = (
    "readability_jargon",
    "narrative_order",
    "sentence_structure",
    "formatting_layout",
    "citation_style",
)
SCALE = (1, 2, 3, 4, 5)

Rating = Annotated[int, Field(ge=SCALE[0], le=SCALE[-1])]


class _Frozen(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Content(_Frozen):
    """Two texts of one case. The sources are never shown to an annotator."""

    model_text: str = Field(min_length=1)
    reference_text: str = Field(min_length=1)
    model_source: str = ""
    reference_source: str = ""
    imported_first: Side | None = None


class Answer(_Frozen):
    """A rating for each aspect (5 = alike), and optional reasons."""

    ratings: dict[str, Rating]
    reasons: dict[str, str] = {}


def parse_answer(payload: object) -> Answer:
    """Read a stored payload. Raises ``pydantic.ValidationError`` on anything else."""
    return Answer.model_validate(payload)


def check_answer(answer: Answer) -> None:
    """Refuse unknown aspects and ratings with gaps. Raises ``InvalidInput``."""
    named = set(answer.ratings) | set(answer.reasons)
    unknown = sorted(named - set(ASPECTS))
    if unknown:
        raise InvalidInput(f"Unknown aspects: {', '.join(unknown)}.")
    missing = [aspect for aspect in ASPECTS if aspect not in answer.ratings]
    if missing:
        raise InvalidInput(f"Not rated yet: {', '.join(missing)}.")
