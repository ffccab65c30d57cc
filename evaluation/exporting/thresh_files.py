"""Extraction tasks and their answers as the files of the paragraph tool."""

from __future__ import annotations

from pathlib import Path

from django.db.models import QuerySet

from annotation.kinds import extraction
from annotation.kinds.extraction import Content
from annotation.models import Study, Summary, Task, TaskSet
from evaluation.exporting.bundle import FileEntry, moment_text
from evaluation.exporting.collecting.collector import Collector
from evaluation.exporting.collecting.common import require_right
from evaluation.exporting.release_files import item_names
from evaluation.exporting.rows import FileNames, Given, quotes_of
from evaluation.exporting.tables import AnswerTable, Selection
from evaluation.exporting.thresh import GivenAnswer, TaskParagraph, paragraph_list
from evaluation.exporting.writers import write_json

Answers = dict[str, GivenAnswer]


class ThreshFiles:
    """The tasks of one extraction set. Use it inside ``one_view``."""

    def __init__(self, study: Study, collector: Collector, task_set: TaskSet) -> None:
        self.study = study
        self.collector = collector
        self.task_set = task_set
        self.item_names = item_names(study)

    def write(self, folder: Path, selection: Selection) -> list[FileEntry]:
        """A file a summary as it was handed out, called as its case; and in ``annotations/`` a
        folder an annotator, with a file for each summary that the annotator answered a task of.
        """
        summaries = self._summaries()
        files = [
            write_json(folder, name, self._paragraphs(summary, {}))
            for summary, name in summaries.items()
        ]
        folders = FileNames()
        for person, answers in sorted(self._answers(selection).items()):
            place = f"annotations/{folders.take(person, suffix='')}"
            (folder / place).mkdir(parents=True)
            answered = self._tasks().filter(key__in=answers).values_list("summary", flat=True)
            for summary in sorted(set(answered), key=list(summaries).index):
                value = self._paragraphs(summary, answers)
                files.append(write_json(folder, f"{place}/{summaries[summary]}", value))
        return sorted(files, key=lambda entry: entry.path)

    def _tasks(self) -> QuerySet[Task]:
        return Task.objects.filter(task_set=self.task_set, summary__isnull=False)

    def _summaries(self) -> dict[int, str]:
        """The summaries of the set by id, in the order of its tasks, with their file names."""
        names, found = FileNames(), {}
        ordered = (
            self._tasks()
            .order_by("position")
            .values_list("summary", "case__external_id", "summary__kind", "summary__producer")
        )
        for pk, case, kind, producer in ordered:
            if pk not in found:
                stem = case if kind == Summary.Kind.REFERENCE else f"{case}_{producer}"
                found[pk] = names.take(stem)
        return found

    def _paragraphs(self, summary: int, answers: Answers) -> list[dict[str, object]]:
        text = self.collector.work.source.texts.summary(summary)
        tasks = []
        of_summary = self._tasks().filter(summary=summary).select_related("case")
        for task in of_summary.order_by("position"):
            row = f"task {self.task_set.key} / {task.key}"
            require_right(row, quotes_of(self.task_set.kind, task.content, None), text)
            stored = task.metadata.get("thresh", {})
            content = Content.model_validate(task.content)
            tasks.append(TaskParagraph(task.key, task.case.external_id, content, stored))
        return paragraph_list(tasks, text, self.item_names, answers)

    def _answers(self, selection: Selection) -> dict[str, Answers]:
        """The answers that are wanted, by annotator (and round, where it is not the first)."""
        found: dict[str, Answers] = {}
        table = AnswerTable(self.study, self.collector, self.task_set)
        for given in selection.of(table.rows()):
            again = f"_round_{given.round}" if given.round > 1 else ""
            found.setdefault(f"{given.annotator}{again}", {})[given.task] = _given(given)
        return found


def _given(given: Given) -> GivenAnswer:
    return GivenAnswer(
        answer=None if given.payload is None else extraction.parse_answer(given.payload),
        said={
            "annotator": given.annotator,
            "round": given.round,
            "version": given.version,
            "state": given.state,
            "submitted_at": moment_text(given.at),
            "flagged": given.flagged,
        },
        comment=given.comment,
    )
