"""A study as Label Studio projects: one folder a set and form, with its configuration and tasks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby, islice
from pathlib import Path
from typing import Any

from django.db.models import Q

from annotation.kinds import comparison, extraction, style
from annotation.kinds.comparison import Side
from annotation.kinds.drawing import draw_first_side
from annotation.kinds.extraction import ItemState, ItemValues, Value
from annotation.managing.services import template_of
from annotation.models import Study, Task, TaskSet
from annotation.records.label_studio.configs import EXTRACTION, LIST, SINGLE, STYLE, config
from annotation.records.label_studio.names import OURS
from annotation.records.label_studio.results import extraction_results, results
from annotation.records.label_studio.task_data import (
    MODEL_TEXT,
    REFERENCE_TEXT,
    comparison_data,
    style_data,
)
from evaluation.exporting.bundle import FileEntry, moment_text
from evaluation.exporting.collecting.collector import Collector
from evaluation.exporting.reading import each, sorted_ids
from evaluation.exporting.rows import SKIPPED, FileNames, Given
from evaluation.exporting.tables import AnswerTable, Selection
from evaluation.exporting.writers import write_json_list, write_text

PER_FILE = 500
FORMS_OF = {"comparison": (SINGLE, LIST), "style": (STYLE,), "extraction": (EXTRACTION,)}
_FEW = 20


class LabelStudioProjects:
    """The task sets of a study, or one of them. Use it inside ``one_view``."""

    def __init__(self, study: Study, collector: Collector, task_set: TaskSet | None) -> None:
        self.study = study
        self.collector = collector
        self.task_sets = [task_set] if task_set else _sets_of(study)
        self.template = template_of(study)
        self.tasks_left_out: dict[str, int] = {}

    def write(self, folder: Path, selection: Selection) -> list[FileEntry]:
        """``<set>-<form>/config.xml`` and ``tasks-001.json`` ... of each set and form that has
        tasks. Kinds that Label Studio is not asked for are counted in ``tasks_left_out``.
        """
        names, files = FileNames(), []
        for task_set in self.task_sets:
            if task_set.kind not in FORMS_OF:
                left = self.tasks_left_out.get(task_set.kind, 0) + task_set.tasks.count()
                self.tasks_left_out[task_set.kind] = left
                selection.leave_out(self._given(task_set))
                continue
            for form in FORMS_OF[task_set.kind]:
                tasks = self._tasks(task_set, form, selection)
                number = 0
                for number, part in enumerate(_parts(tasks), 1):
                    if number == 1:
                        place = names.take(f"{task_set.key}-{form}", suffix="")
                        (folder / place).mkdir()
                        text = config(form, self.template)
                        files.append(write_text(folder, f"{place}/config.xml", text))
                    files.append(write_json_list(folder, f"{place}/tasks-{number:03}.json", part))
        return sorted(files, key=lambda entry: entry.path)

    def _given(self, task_set: TaskSet) -> Iterator[Given]:
        return AnswerTable(self.study, self.collector, task_set).rows()

    def _tasks(
        self, task_set: TaskSet, form: str, selection: Selection
    ) -> Iterator[dict[str, Any]]:
        """Each task with its answers: both come in the order of the tasks' keys."""
        of_form = Q(form=form) if task_set.kind == "comparison" else Q()
        tasks = task_set.tasks.filter(of_form).select_related("case", "summary")
        wanted = selection.of(
            given
            for given in self._given(task_set)
            if task_set.kind != "comparison" or given.content.get("form") == form
        )
        groups = groupby(wanted, key=lambda given: given.task)
        key, answers = next(groups, (None, iter(())))
        for task in each(tasks, sorted_ids(tasks, "key"), _FEW):
            own: list[Given] = []
            if key == task.key:
                own = list(answers)
                key, answers = next(groups, (None, iter(())))
            yield self._task(task_set, task, own)

    def _task(self, task_set: TaskSet, task: Task, answers: list[Given]) -> dict[str, Any]:
        about: dict[str, Any] = {
            "study": self.study.name,
            "task_set": task_set.key,
            "kind": task_set.kind,
            "task": task.key,
            "position": task.position,
            "case": task.case.external_id,
            "item": task.item_key,
            "form": task.form,
            "template": str(self.study.template),
            "content": task.content,
            "metadata": task.metadata,
        }
        if task.summary is not None and task.content.get(MODEL_TEXT) in (None, task.summary.text):
            about["summary"] = {
                "producer": task.summary.producer,
                "kind": task.summary.kind,
                "original_sha256": task.summary.original_sha256,
            }
        name = task.metadata.get("item_name") or task.item_key
        title = f"Case {task.case.external_id}" + (f": {name}" if name else "")
        predictions: list[dict[str, Any]] = []
        first = Side.MODEL
        if task_set.kind == "extraction":
            data = {"text": task.summary.text if task.summary else ""}
            predictions = self._seeds(extraction.Content.model_validate(task.content))
        else:
            first = self._first(task)
            about["shown_as_a"] = first.value
            if task_set.kind == "style":
                data = style_data(style.Content.model_validate(task.content), first)
                texts = (MODEL_TEXT, REFERENCE_TEXT)
                about["content"] = {k: v for k, v in task.content.items() if k not in texts}
            else:
                data = comparison_data(comparison.Content.model_validate(task.content), first)
        return {
            "data": {"title": title, **data},
            "meta": {OURS: about},
            "annotations": [self._annotation(given, first) for given in answers],
            "predictions": predictions,
        }

    def _first(self, task: Task) -> Side:
        imported = task.content.get("imported_first")
        if imported:
            return Side(imported)
        return draw_first_side(self.study.seed, "label-studio", task.task_set.key, task.key)

    def _annotation(self, given: Given, first: Side) -> dict[str, Any]:
        about = {
            "annotator": given.annotator,
            "round": given.round,
            "version": given.version,
            "submitted_at": moment_text(given.at),
            "shown_as_a": given.first_side,
        }
        found = []
        if given.payload is not None:
            found = results(given.kind, given.payload, self.template, first, about)
        return {
            "result": found,
            "was_cancelled": given.state == SKIPPED,
            "ground_truth": False,
            "lead_time": given.active_seconds,
            OURS: {
                **about,
                "flagged": given.flagged,
                "flag_reason": given.flag_reason,
                "comment": given.comment,
                "skip_reason": given.skip_reason,
            },
        }

    def _seeds(self, content: extraction.Content) -> list[dict[str, Any]]:
        if not content.seeds:
            return []
        by_item: dict[str, list[Value]] = {}
        for seed in content.seeds:
            by_item.setdefault(seed.item_key, []).append(
                Value(text=seed.text or " ", evidence=seed.evidence)
            )
        answer = extraction.Answer(
            items={
                key: ItemValues(state=ItemState.VALUES, values=values)
                for key, values in by_item.items()
            }
        )
        source = content.seed_source or "seeds"
        return [
            {
                "model_version": source,
                "result": extraction_results(answer, self.template, {"seed_source": source}),
            }
        ]


def _sets_of(study: Study) -> list[TaskSet]:
    """By key, sorted here: databases sort text by their own language's rules."""
    return sorted(study.task_sets.all(), key=lambda task_set: task_set.key)


def _parts(tasks: Iterator[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    while part := list(islice(tasks, PER_FILE)):
        yield part
