"""What may be set for a task set. PURE."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field


class ShownOrder(StrEnum):
    """How it is decided which side an annotator sees as A."""

    SEEDED = "seeded"
    IMPORTED = "imported"


class TaskSetOptions(BaseModel):
    """Options of a task set, stored with it.

    ``many_to_many``: a value may have several counterparts. ``shown_order``: drawn from the
    study's seed for each annotator, or as the imported file had it. ``shuffle``: each annotator
    gets the tasks in an own seeded order. ``suggestions``: likely counterparts are pointed out
    (off by default, for they may anchor). ``idle_seconds``: a longer gap does not count
    as active time.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    many_to_many: bool = True
    shown_order: ShownOrder = ShownOrder.SEEDED
    shuffle: bool = False
    suggestions: bool = False
    idle_seconds: int = Field(default=60, ge=5, le=3600)
