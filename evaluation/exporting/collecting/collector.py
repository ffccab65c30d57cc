"""From the database to the rows of a bundle, file by file."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pydantic import ValidationError

from annotation.errors import Refused
from annotation.models import Study
from evaluation.exporting.bundle import Row
from evaluation.exporting.collecting.common import Source
from evaluation.exporting.collecting.comparisons import ComparisonRows
from evaluation.exporting.collecting.extractions import ExtractionRows
from evaluation.exporting.collecting.judges import JudgeRows
from evaluation.exporting.collecting.texts import TextRows
from evaluation.exporting.collecting.work import WorkRows
from evaluation.exporting.rows import first_fault


class Collector:
    """The rows of one study. Use it inside ``one_view``."""

    def __init__(self, study: Study) -> None:
        source = Source(study)
        texts, work, judges = TextRows(source), WorkRows(source), JudgeRows(source)
        extractions, comparisons = ExtractionRows(source), ComparisonRows(source)
        self.work = work
        self._files: dict[str, Callable[[], Iterator[Row]]] = {
            "study.jsonl": texts.study,
            "templates.jsonl": texts.templates,
            "guidelines.jsonl": texts.guidelines,
            "members.jsonl": texts.members,
            "cases.jsonl": texts.cases,
            "documents.jsonl": texts.documents,
            "summaries.jsonl": texts.summaries,
            "checklists.jsonl": texts.checklists,
            "extraction_runs.jsonl": extractions.runs,
            "run_steps.jsonl": extractions.steps,
            "checklist_comparisons.jsonl": comparisons.comparisons,
            "item_verdicts.jsonl": comparisons.item_verdicts,
            "task_sets.jsonl": work.task_sets,
            "tasks.jsonl": work.tasks,
            "assignments.jsonl": work.assignments,
            "answers.jsonl": work.answers,
            "events.jsonl": work.events,
            "visits.jsonl": work.visits,
            "judges.jsonl": judges.judges,
            "judge_runs.jsonl": judges.judge_runs,
            "judge_tasks.jsonl": judges.judge_tasks,
            "judge_calls.jsonl": judges.judge_calls,
            "verdicts.jsonl": judges.verdicts,
            "meta_evaluations.jsonl": judges.meta_evaluations,
        }

    def rows(self, file: str) -> Iterator[Row]:
        """The rows of one of ``bundle.FILES``, in the order of the file.

        Raises ``Refused``, naming the row, when a quote is not what its text says at its offsets,
        and when a row is not what a bundle may hold.
        """
        try:
            yield from self._files[file]()
        except ValidationError as error:
            raise Refused(
                f"{file}: a row cannot be written, for it is not what a bundle may hold "
                f"({error.title}: {first_fault(error)}). Mend it in the database first."
            ) from error
