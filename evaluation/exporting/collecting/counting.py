"""How much there is to export, before it is read."""

from __future__ import annotations

from django.db.models import Model

from agent.models import ExtractionRun, RunStep
from annotation.models import (
    Answer,
    Assignment,
    Case,
    Checklist,
    Event,
    Membership,
    SourceDocument,
    Study,
    Summary,
    Task,
    TaskSet,
    Visit,
)
from evaluation.models import (
    ChecklistComparison,
    ItemVerdict,
    JudgeCall,
    JudgeRun,
    JudgeTask,
    MetaEvaluation,
    Verdict,
)

# How each kind of row finds its study. Templates, guidelines and judges are few and left out.
_STUDY_OF: dict[type[Model], str] = {
    Membership: "study",
    Case: "study",
    SourceDocument: "case__study",
    Summary: "case__study",
    Checklist: "case__study",
    ExtractionRun: "case__study",
    RunStep: "run__case__study",
    ChecklistComparison: "case__study",
    ItemVerdict: "comparison__case__study",
    TaskSet: "study",
    Task: "task_set__study",
    Assignment: "task__task_set__study",
    Answer: "assignment__task__task_set__study",
    Event: "assignment__task__task_set__study",
    Visit: "assignment__task__task_set__study",
    JudgeRun: "study",
    JudgeTask: "run__study",
    JudgeCall: "judge_task__run__study",
    Verdict: "judge_task__run__study",
    MetaEvaluation: "study",
}


def rows_to_come(study: Study) -> int:
    """About how many rows a bundle of ``study`` has: all but a few."""
    return sum(
        model._default_manager.filter(**{path: study}).count() for model, path in _STUDY_OF.items()
    )
