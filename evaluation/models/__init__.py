"""The rows of the evaluation app; import them from here."""

from evaluation.models.comparisons import ChecklistComparison, ItemVerdict
from evaluation.models.judge_runs import JudgeCall, JudgeRun, JudgeTask, Verdict
from evaluation.models.meta_evaluations import MetaEvaluation

__all__ = [
    "ChecklistComparison",
    "ItemVerdict",
    "JudgeCall",
    "JudgeRun",
    "JudgeTask",
    "MetaEvaluation",
    "Verdict",
]
