"""A span of a text: the one shape in which evidence and residual text are stored. PURE."""

from __future__ import annotations

from typing import Self

from pydantic import BaseModel, ConfigDict, Field, model_validator


class Span(BaseModel):
    """Half-open code-point offsets ``[start, end)`` into a stored text, with the text there."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    start: int = Field(ge=0)
    end: int
    quote: str

    @model_validator(mode="after")
    def _offsets_and_quote_agree(self) -> Self:
        if self.end <= self.start:
            raise ValueError(f"an empty or reversed span: [{self.start}, {self.end})")
        if self.end - self.start != len(self.quote):
            raise ValueError(
                f"the quote has {len(self.quote)} characters, "
                f"its offsets say {self.end - self.start}"
            )
        return self

    def matches(self, text: str) -> bool:
        """Whether ``text`` really holds the quote at these offsets."""
        return text[self.start : self.end] == self.quote
