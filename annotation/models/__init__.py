"""The rows of the annotation app; import them from here."""

from annotation.models.answers import Answer, Event
from annotation.models.assignments import Assignment, Visit
from annotation.models.audit import AuditEntry
from annotation.models.cases import Case, SourceDocument, Summary
from annotation.models.checklists import (
    Checklist,
    ChecklistItem,
    ChecklistValue,
    ChecklistVersion,
    Evidence,
)
from annotation.models.imports import ImportJob, ImportReport
from annotation.models.people import Membership, Role, User
from annotation.models.studies import Guideline, Study
from annotation.models.tasks import Task, TaskSet
from annotation.models.tokens import ApiToken

__all__ = [
    "Answer",
    "ApiToken",
    "Assignment",
    "AuditEntry",
    "Case",
    "Checklist",
    "ChecklistItem",
    "ChecklistValue",
    "ChecklistVersion",
    "Event",
    "Evidence",
    "Guideline",
    "ImportJob",
    "ImportReport",
    "Membership",
    "Role",
    "SourceDocument",
    "Study",
    "Summary",
    "Task",
    "TaskSet",
    "User",
    "Visit",
]
