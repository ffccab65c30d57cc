"""What a kind of task must offer to have a work page. PURE: no database, no request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from annotation.kinds.drafts import Draft
from annotation.kinds.options import TaskSetOptions


@dataclass(frozen=True, slots=True)
class Shown:
    """One task as one annotator sees it: all that the logic of a kind may know."""

    content: dict[str, Any]
    first_side: str
    options: TaskSetOptions


class Act(Protocol):
    """One thing done to a draft. ``name`` is what its event is called."""

    @property
    def name(self) -> str: ...

    def apply(self, draft: Draft) -> Draft:
        """The draft after the act. Raises ``InvalidInput`` when the task has no place for it."""


class WorkKind(Protocol):
    """What a kind of task brings to the work page."""

    def read_acts(self, shown: Shown, fields: Mapping[str, str]) -> list[Act]:
        """The acts that posted ``fields`` ask for, in order. Raises ``InvalidInput``."""

    def payload(self, shown: Shown, draft: Draft) -> dict[str, Any]:
        """The answer that ``draft`` amounts to. Raises ``InvalidInput`` while it is unfinished."""

    def template_name(self, shown: Shown) -> str:
        """The fragment that shows the task."""

    def context(self, shown: Shown, draft: Draft, view: Mapping[str, str]) -> dict[str, Any]:
        """What that fragment needs; ``view`` holds the query parameters of the page."""

    def sentence(self, shown: Shown, draft: Draft) -> str:
        """``draft`` in words, as its annotator would put it."""


@dataclass(frozen=True, slots=True)
class Note:
    """The comment and the flag, which every kind of task has; texts as they are being typed."""

    comment: str
    flagged: bool
    flag_reason: str
    name = "note"

    def apply(self, draft: Draft) -> Draft:
        said = {
            "comment": self.comment if self.comment.strip() else "",
            "flagged": self.flagged,
            "flag_reason": self.flag_reason if self.flagged and self.flag_reason.strip() else "",
        }
        kept = {key: value for key, value in draft.items() if key not in said}
        return kept | {key: value for key, value in said.items() if value}
