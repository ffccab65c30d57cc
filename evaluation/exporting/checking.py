"""Whether the rows of a bundle fit together: order, references, quotes, answers. PURE.

``Checker.check`` sees every row once, file by file in the order of ``bundle.ROWS``, so that each
row finds what it refers to. Memory grows with the number of rows, not with their texts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotation.checklists.schema import Template
from annotation.errors import DomainError
from annotation.kinds.options import TaskSetOptions
from evaluation.exporting import bundle
from evaluation.exporting.bundle import Key, Row
from evaluation.exporting.lines import Shelf
from evaluation.exporting.rows import Quote, check_payload, quotes_of, verdict_fault


@dataclass(slots=True)
class _Assignment:
    """What has to be true of an assignment's answers, and what was found."""

    current: int | None
    found: bool = False


class Checker:
    """Everything that was seen so far, and the problems with it."""

    def __init__(self, folder: Path) -> None:
        self.summaries = Shelf(folder, bundle.SummaryRow)
        self.documents = Shelf(folder, bundle.DocumentRow)
        self.tasks = Shelf(folder, bundle.TaskRow)
        self.study: bundle.StudyRow | None = None
        self.item_keys: dict[tuple[str, str], frozenset[str]] = {}
        self.guidelines: set[int] = set()
        self.members: set[str] = set()
        self.cases: set[str] = set()
        self.checklists: set[Key] = set()
        self.extractions: set[int] = set()
        self.imported_runs: set[Key] = set()
        self.comparisons: set[Key] = set()
        self.task_sets: dict[str, bundle.TaskSetRow] = {}
        self.assignments: dict[Key, _Assignment] = {}
        self.wanted_events: set[Key] = set()
        self.judges: set[str] = set()
        self.runs: dict[int, str] = {}
        self.questions: dict[Key, str] = {}
        self.calls: set[Key] = set()
        self.verdicts: set[Key] = set()
        self._last: Key | None = None
        self._seen: set[Key] = set()
        self._checks: dict[type[Row], Callable[[Any], Iterator[str]]] = {
            bundle.StudyRow: self._study,
            bundle.TemplateRow: self._template,
            bundle.GuidelineRow: self._guideline,
            bundle.MemberRow: self._member,
            bundle.CaseRow: self._case,
            bundle.DocumentRow: self._document,
            bundle.SummaryRow: self._summary,
            bundle.ChecklistRow: self._checklist,
            bundle.ExtractionRunRow: self._extraction_run,
            bundle.RunStepRow: self._run_step,
            bundle.ChecklistComparisonRow: self._comparison,
            bundle.ItemVerdictRow: self._item_verdict,
            bundle.TaskSetRow: self._task_set,
            bundle.TaskRow: self._task,
            bundle.AssignmentRow: self._assignment,
            bundle.AnswerRow: self._answer,
            bundle.EventRow: self._event,
            bundle.VisitRow: self._visit,
            bundle.JudgeRow: self._judge,
            bundle.JudgeRunRow: self._run,
            bundle.JudgeTaskRow: self._question,
            bundle.JudgeCallRow: self._call,
            bundle.VerdictRow: self._verdict,
            bundle.MetaEvaluationRow: self._meta_evaluation,
        }

    def begin(self) -> None:
        """A new file begins."""
        self._last = None
        self._seen = set()

    def check(self, row: Row, offset: int) -> Iterator[str]:
        """What is wrong with ``row``, which begins at ``offset`` of its file."""
        if self._last is not None and row.order() <= self._last:
            yield "stands twice" if row.order() == self._last else "is not in its place"
        self._last = row.order()
        if row.order() != row.identity():
            if row.identity() in self._seen:
                yield "stands twice"
            self._seen.add(row.identity())
        self._shelve(row, offset)
        yield from self._checks[type(row)](row)

    def _shelve(self, row: Row, offset: int) -> None:
        match row:
            case bundle.SummaryRow():
                self.summaries.note(row.identity(), offset)
            case bundle.DocumentRow():
                self.documents.note(row.identity(), offset)
            case bundle.TaskRow():
                self.tasks.note(row.identity(), offset)
            case _:
                pass

    def finish(self) -> Iterator[tuple[str, str]]:
        """What is missing now that all is seen: file and problem."""
        if self.study is not None and _pair(self.study.template) not in self.item_keys:
            yield bundle.StudyRow.FILE, f"its template {_words(self.study.template)} is missing"
        for key, assignment in self.assignments.items():
            if assignment.current is not None and not assignment.found:
                yield (
                    bundle.AnswerRow.FILE,
                    f"{_label(key)}: version {assignment.current}, which counts, is missing",
                )
        for key in sorted(self.wanted_events, key=str):
            yield bundle.EventRow.FILE, f"{_label(key)}: the event that made an answer is missing"
        for key, status in self.questions.items():
            if (status == "done") != (key in self.verdicts):
                has = "has a verdict" if key in self.verdicts else "has no verdict"
                yield bundle.VerdictRow.FILE, f"{_label(key)}: the question is {status} and {has}"

    def _study(self, row: bundle.StudyRow) -> Iterator[str]:
        if self.study is not None:
            yield "is a second study"
        self.study = row

    def _template(self, row: bundle.TemplateRow) -> Iterator[str]:
        self.item_keys[row.key, row.version] = frozenset()
        try:
            template = Template.from_json(row.content, source=row.label())
        except DomainError as error:
            yield f"is no checklist template ({error.message})"
            return
        if (template.key, template.version) != (row.key, row.version):
            yield f"holds the template {template.key} {template.version}"
        if template.content_hash() != row.content_hash:
            yield "has another hash than its content"
        self.item_keys[row.key, row.version] = frozenset(template.item_keys)

    def _guideline(self, row: bundle.GuidelineRow) -> Iterator[str]:
        self.guidelines.add(row.version)
        yield from ()

    def _member(self, row: bundle.MemberRow) -> Iterator[str]:
        self.members.add(row.pseudonym)
        yield from ()

    def _case(self, row: bundle.CaseRow) -> Iterator[str]:
        self.cases.add(row.case)
        yield from ()

    def _document(self, row: bundle.DocumentRow) -> Iterator[str]:
        yield from self._in_case(row.case)

    def _summary(self, row: bundle.SummaryRow) -> Iterator[str]:
        yield from self._in_case(row.case)

    def _in_case(self, case: str, summary: str | None = None) -> Iterator[str]:
        if case not in self.cases:
            yield f"names the case {case}, which is missing"
        elif summary is not None and (case, summary) not in self.summaries:
            yield f"names the summary {summary}, which is missing"

    def _of_template(self, template: bundle.TemplateRef) -> Iterator[str]:
        if _pair(template) not in self.item_keys:
            yield f"names the template {_words(template)}, which is missing"

    def _checklist(self, row: bundle.ChecklistRow) -> Iterator[str]:
        self.checklists.add(row.identity())
        yield from self._in_case(row.case, row.summary)
        yield from self._of_template(row.template)
        yield from _positions("item", [item.item for item in row.items])
        for item in row.items:
            if item.item not in self.item_keys.get(_pair(row.template), {item.item}):
                yield f"names the item {item.item}, which its template does not have"
            yield from _positions(f"{item.item}, value", [v.position for v in item.values])
            for value in item.values:
                where = f"{item.item}, value {value.position + 1}"
                yield from _positions(f"{where}, quote", [e.position for e in value.evidence])
                for evidence in value.evidence:
                    yield from self._evidence(row.case, where, evidence)

    def _evidence(self, case: str, where: str, row: bundle.EvidenceRow) -> Iterator[str]:
        if row.summary is not None and row.document is not None:
            yield f"{where}: its evidence is in a summary and in a document"
            return
        text: str | None = None
        if row.summary is not None:
            text = self._summary_text(case, row.summary)
        elif row.document is not None:
            found = self.documents.get((case, row.document))
            text = found.text if found else None
        if text is None and (row.summary is not None or row.document is not None):
            yield f"{where}: the text of its evidence is missing"
        elif row.found in (bundle.NOT_FOUND, bundle.NOT_SOUGHT):
            if row.start is not None or row.end is not None:
                yield f"{where}: a quote that was not found has offsets"
            if row.found == bundle.NOT_SOUGHT and text is not None:
                yield f"{where}: a quote that was not looked for names a text"
        elif row.start is None or row.end is None or text is None:
            yield f"{where}: a quote that was found has no offsets or no text"
        elif fault := Quote(where, row.start, row.end, row.quote).fault(text):
            yield fault

    def _summary_text(self, case: str, producer: str) -> str | None:
        found = self.summaries.get((case, producer))
        return found.text if found else None

    def _extraction_run(self, row: bundle.ExtractionRunRow) -> Iterator[str]:
        self.extractions.add(row.run)
        yield from self._in_case(row.case)
        yield from self._of_checklist(row.case, row.checklist)
        if row.source == "imported":
            key = (row.case, row.model, row.method, row.unit)
            if key in self.imported_runs:
                yield "was imported twice"
            self.imported_runs.add(key)

    def _of_checklist(self, case: str, named: bundle.ChecklistRef | None) -> Iterator[str]:
        if named is not None:
            key = bundle.checklist_key(case, named)
            if key not in self.checklists:
                yield f"names the checklist {_label(key)}, which is missing"

    def _run_step(self, row: bundle.RunStepRow) -> Iterator[str]:
        if row.run not in self.extractions:
            yield f"belongs to run {row.run}, which is missing"

    def _comparison(self, row: bundle.ChecklistComparisonRow) -> Iterator[str]:
        self.comparisons.add(row.identity())
        yield from self._in_case(row.case)
        yield from self._of_checklist(row.case, row.model_checklist)
        yield from self._of_checklist(row.case, row.reference_checklist)

    def _item_verdict(self, row: bundle.ItemVerdictRow) -> Iterator[str]:
        if row.comparison() not in self.comparisons:
            yield "belongs to a comparison that is missing"
        if not any(row.item in keys for keys in self.item_keys.values()):
            yield f"names the item {row.item}, which no template here has"
        if row.is_scored != (row.payload is not None):
            has = "an" if row.payload is not None else "no"
            yield f"is {row.status}, its orientation {row.orientation}, and has {has} answer"
        if row.payload is not None and (fault := verdict_fault(row)):
            yield fault

    def _task_set(self, row: bundle.TaskSetRow) -> Iterator[str]:
        self.task_sets[row.task_set] = row
        if _options(row.options) is None:
            yield "has options that no task set has"

    def _task(self, row: bundle.TaskRow) -> Iterator[str]:
        yield from self._in_case(row.case, row.summary)
        if row.task_set not in self.task_sets:
            yield f"names the task set {row.task_set}, which is missing"
            return
        yield from self._quotes(row, None)

    def _quotes(self, task: bundle.TaskRow, payload: dict[str, Any] | None) -> Iterator[str]:
        try:
            quotes = quotes_of(self.task_sets[task.task_set].kind, task.content, payload)
        except DomainError as error:
            yield error.message
            return
        if not quotes:
            return
        text = self._summary_text(task.case, task.summary) if task.summary else None
        if text is None:
            yield "holds quotes, and the summary they are of is missing"
            return
        yield from (fault for fault in (quote.fault(text) for quote in quotes) if fault)

    def _assignment(self, row: bundle.AssignmentRow) -> Iterator[str]:
        self.assignments[row.identity()] = _Assignment(row.current)
        if (row.task_set, row.task) not in self.tasks:
            yield "names a task that is missing"
        if row.annotator not in self.members:
            yield f"names the annotator {row.annotator}, who is missing"
        if row.status in ("submitted", "skipped") and row.current is None:
            yield f"is {row.status} and names no answer that counts"

    def _answer(self, row: bundle.AnswerRow) -> Iterator[str]:
        assignment = self.assignments.get(row.assignment())
        if assignment is None:
            yield "belongs to an assignment that is missing"
        elif row.current != (assignment.current == row.version):
            yield "says of itself that it counts, and its assignment says otherwise"
        elif row.current:
            assignment.found = True
        if row.event is not None:
            self.wanted_events.add((*row.assignment(), row.event))
        if row.guideline is not None and row.guideline not in self.guidelines:
            yield f"names the guidelines {row.guideline}, which are missing"
        yield from self._of_template(row.template)
        if (row.payload is None) != (row.outcome == "skipped"):
            yield f"is {row.outcome} and has {'no' if row.payload is None else 'an'} answer"
        elif row.payload is not None:
            options = row.metadata.get("options") if isinstance(row.metadata, dict) else None
            yield from self._payload(
                (row.task_set, row.task), row.payload, _pair(row.template), options
            )

    def _payload(
        self,
        task_key: Key,
        payload: dict[str, Any],
        template: tuple[str, str],
        options: object = None,
    ) -> Iterator[str]:
        task = self.tasks.get(task_key)
        task_set = self.task_sets.get(str(task_key[0]))
        if task is None or task_set is None:
            return  # said of the assignment or the question already
        own = _options(options) or _options(task_set.options) or TaskSetOptions()
        try:
            check_payload(
                task_set.kind,
                task.content,
                payload,
                text=self._summary_text(task.case, task.summary) if task.summary else None,
                item_keys=self.item_keys.get(template, frozenset()),
                many_to_many=own.many_to_many,
            )
        except DomainError as error:
            yield f"does not answer its task: {error.message}"

    def _event(self, row: bundle.EventRow) -> Iterator[str]:
        self.wanted_events.discard(row.identity())
        yield from self._of_assignment(row)
        if row.actor not in self.members:
            yield f"names the person {row.actor}, who is missing"

    def _visit(self, row: bundle.VisitRow) -> Iterator[str]:
        yield from self._of_assignment(row)

    def _of_assignment(self, row: bundle.EventRow | bundle.VisitRow) -> Iterator[str]:
        if row.assignment() not in self.assignments:
            yield "belongs to an assignment that is missing"

    def _judge(self, row: bundle.JudgeRow) -> Iterator[str]:
        self.judges.add(row.judge)
        if (row.kind == "openai") != bool(row.base_url) or (row.kind == "openai" and not row.model):
            yield "has no address or model, or is a baseline and has an address"

    def _run(self, row: bundle.JudgeRunRow) -> Iterator[str]:
        self.runs[row.run] = row.task_set
        if row.task_set not in self.task_sets:
            yield f"names the task set {row.task_set}, which is missing"
        if row.judge not in self.judges:
            yield f"names the judge {row.judge}, which is missing"
        yield from self._known(row.started_by)

    def _known(self, pseudonym: str | None) -> Iterator[str]:
        if pseudonym is not None and pseudonym not in self.members:
            yield f"names the person {pseudonym}, who is missing"

    def _question(self, row: bundle.JudgeTaskRow) -> Iterator[str]:
        self.questions[row.identity()] = row.status
        if row.run not in self.runs:
            yield f"belongs to run {row.run}, which is missing"
        elif (self.runs[row.run], row.task) not in self.tasks:
            yield "names a task that is missing"

    def _call(self, row: bundle.JudgeCallRow) -> Iterator[str]:
        self.calls.add(row.identity())
        if row.question() not in self.questions:
            yield "belongs to a question that is missing"

    def _verdict(self, row: bundle.VerdictRow) -> Iterator[str]:
        self.verdicts.add(row.identity())
        if row.question() not in self.questions:
            yield "belongs to a question that is missing"
            return
        if (*row.question(), row.attempt) not in self.calls:
            yield "names a request that is missing"
        template = _pair(self.study.template) if self.study else ("", "")
        many = {"many_to_many": True}
        yield from self._payload(
            (self.runs.get(row.run, ""), row.task), row.payload, template, many
        )

    def _meta_evaluation(self, row: bundle.MetaEvaluationRow) -> Iterator[str]:
        yield from self._known(row.created_by)


def _positions(what: str, found: list[Any]) -> Iterator[str]:
    if found != sorted(set(found)):
        yield f"{what}s are not in order, or one stands twice"


def _pair(template: bundle.TemplateRef) -> tuple[str, str]:
    return (template.key, template.version)


def _words(template: bundle.TemplateRef) -> str:
    return f"{template.key} {template.version}"


def _label(key: Key) -> str:
    return " / ".join(str(part) for part in key if part != "")


def _options(found: object) -> TaskSetOptions | None:
    if not isinstance(found, dict):
        return None
    try:
        return TaskSetOptions.model_validate(found)
    except ValueError:
        return None
