"""Read access to judge runs, verdicts and saved figures."""

from __future__ import annotations

from django.db.models import QuerySet
from rest_framework.generics import RetrieveAPIView

from annotation.api.lists import Filter, InStudy, StudyList
from annotation.models import Study
from evaluation.api.serializers import (
    FiguresSerializer,
    MetaEvaluationSerializer,
    RunSerializer,
    VerdictSerializer,
)
from evaluation.judging.services import runs_of
from evaluation.models import JudgeRun, JudgeTask, MetaEvaluation

FINISHED = (JudgeTask.Status.DONE, JudgeTask.Status.NOT_SCORED)


class RunListView(StudyList[JudgeRun]):
    """The judge runs of a study, newest first."""

    queryset = JudgeRun.objects.all()
    serializer_class = RunSerializer
    filters = (
        Filter("judge", "judge__name", "Name of a judge."),
        Filter("task_set", "task_set__key", "Key of a task set."),
        Filter("status", "status", "State of the run.", choices=tuple(JudgeRun.Status.values)),
    )

    def rows(self, study: Study) -> QuerySet[JudgeRun]:
        return runs_of(study)


class RunView(InStudy[JudgeRun], RetrieveAPIView[JudgeRun]):
    """One judge run."""

    queryset = JudgeRun.objects.all()
    serializer_class = RunSerializer

    def rows(self, study: Study) -> QuerySet[JudgeRun]:
        return runs_of(study)


class VerdictListView(StudyList[JudgeTask]):
    """What judges answered, the questions without a readable answer included."""

    queryset = JudgeTask.objects.all()
    serializer_class = VerdictSerializer
    filters = (
        Filter("run", "run__pk", "Id of a run.", number=True),
        Filter("task", "task__pk", "Id of a task.", number=True),
        Filter("judge", "run__judge__name", "Name of a judge."),
        Filter("task_set", "task__task_set__key", "Key of a task set."),
        Filter("status", "status", "Answered, or not scored.", choices=FINISHED),
    )

    def rows(self, study: Study) -> QuerySet[JudgeTask]:
        asked = JudgeTask.objects.filter(run__study=study, status__in=FINISHED)
        return asked.select_related(
            "run__judge", "task__task_set", "task__case", "verdict"
        ).order_by("pk")


class MetaEvaluationListView(StudyList[MetaEvaluation]):
    """The saved computations of agreement, newest first, without their figures."""

    queryset = MetaEvaluation.objects.all()
    serializer_class = MetaEvaluationSerializer

    def rows(self, study: Study) -> QuerySet[MetaEvaluation]:
        return study.meta_evaluations.defer("rows").order_by("-pk")


class MetaEvaluationView(InStudy[MetaEvaluation], RetrieveAPIView[MetaEvaluation]):
    """One saved computation with its figures."""

    queryset = MetaEvaluation.objects.all()
    serializer_class = FiguresSerializer

    def rows(self, study: Study) -> QuerySet[MetaEvaluation]:
        return study.meta_evaluations.all()
