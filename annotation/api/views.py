"""Read access to studies, task sets, tasks and answers."""

from __future__ import annotations

from django.db.models import Count, F, OuterRef, QuerySet, Subquery
from rest_framework.generics import ListAPIView, RetrieveAPIView

from annotation.api.lists import Filter, InStudy, StudyFilters, StudyList, Switch, person
from annotation.api.serializers import (
    AnswerSerializer,
    StudySerializer,
    TaskSerializer,
    TaskSetSerializer,
)
from annotation.models import Answer, Membership, Study, Task, TaskSet
from annotation.permissions import Right, study_for

FORMS = ("single", "list")


class StudyListView(ListAPIView[Study]):
    """The studies you are a member of (a site admin: all)."""

    queryset = Study.objects.all()
    serializer_class = StudySerializer
    filter_backends = (StudyFilters,)

    def get_queryset(self) -> QuerySet[Study]:
        if getattr(self, "swagger_fake_view", False):
            return Study.objects.none()
        mine = Study.objects.visible_to(person(self.request))
        return mine.select_related("template").order_by("slug")


class StudyView(RetrieveAPIView[Study]):
    """One study."""

    queryset = Study.objects.all()
    serializer_class = StudySerializer
    lookup_field = "slug"

    def get_object(self) -> Study:
        return study_for(person(self.request), self.kwargs["slug"], Right.VIEW)


class TaskSetListView(StudyList[TaskSet]):
    """The task sets of a study."""

    queryset = TaskSet.objects.all()
    serializer_class = TaskSetSerializer
    right = Right.VIEW
    filters = (
        Filter("kind", "kind", "Only sets of this kind.", choices=tuple(TaskSet.Kind.values)),
    )

    def rows(self, study: Study) -> QuerySet[TaskSet]:
        return study.task_sets.annotate(n_tasks=Count("tasks")).order_by("key")


class TaskListView(StudyList[Task]):
    """The tasks of a study, by task set and position."""

    queryset = Task.objects.all()
    serializer_class = TaskSerializer
    filters = (
        Filter("task_set", "task_set__key", "Key of a task set."),
        Filter("form", "form", "Form of a comparison task.", choices=FORMS),
        Filter("item", "item_key", "Key of a checklist item."),
        Filter("case", "case__external_id", "Id of a case, as imported."),
    )

    def rows(self, study: Study) -> QuerySet[Task]:
        tasks = Task.objects.filter(task_set__study=study)
        return tasks.select_related("task_set", "case").order_by("task_set__key", "position")


class TaskView(InStudy[Task], RetrieveAPIView[Task]):
    """One task."""

    queryset = Task.objects.all()
    serializer_class = TaskSerializer

    def rows(self, study: Study) -> QuerySet[Task]:
        return Task.objects.filter(task_set__study=study).select_related("task_set", "case")


class AnswerListView(StudyList[Answer]):
    """The annotators' answers in the order they were given: those that count, or every version."""

    queryset = Answer.objects.all()
    serializer_class = AnswerSerializer
    filters = (
        Filter("task_set", "assignment__task__task_set__key", "Key of a task set."),
        Filter("task", "assignment__task__pk", "Id of a task.", number=True),
        Filter("item", "assignment__task__item_key", "Key of a checklist item."),
        Filter("case", "assignment__task__case__external_id", "Id of a case, as imported."),
        Filter("annotator", "pseudonym", "Pseudonym of an annotator."),
        Filter("outcome", "outcome", "How it ended.", choices=tuple(Answer.Outcome.values)),
    )
    switches = (Switch("all", "1: every version, not only the one that counts."),)

    def rows(self, study: Study) -> QuerySet[Answer]:
        member = Membership.objects.filter(study=study, user=OuterRef("assignment__annotator"))
        answers = (
            Answer.objects.filter(assignment__task__task_set__study=study)
            .select_related(
                "assignment__task__task_set", "assignment__task__case", "guideline", "template"
            )
            .annotate(pseudonym=Subquery(member.values("pseudonym")[:1]))
            .order_by("pk")
        )
        return answers if self.is_on("all") else answers.filter(assignment__current=F("pk"))
