"""The bundle: one JSONL file a kind of row, and what a row of each looks like. PURE.

Rows name each other by natural keys (a case by its id, an annotator by pseudonym), never by
database ids. Every file is sorted by ``order`` of its rows, by code point, so that the same content
always gives the same bytes. Offsets are code points, half-open. Moments are UTC with microseconds.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections import Counter
from datetime import UTC, datetime
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from annotation.version import CODE_VERSION

FORMAT = "gavel-bundle"
FORMAT_VERSION = 1
OFFSETS = "code points, half-open"
MANIFEST = "manifest.json"
AGREEMENT = {
    "gold_relation": "the relation that more than half of the answers give, and at least two",
    "gold_pairs": "the pairs that at least two of the answers hold",
    "gold_ratings": "each raw rating stands for itself; no gold is drawn",
    "people": "from the raw current answers; nobody is compared with a majority that holds "
    "their own answer",
}

_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


def moment_text(moment: datetime) -> str:
    """A moment as the bundle writes it: UTC, always with microseconds.

    >>> moment_text(datetime(2025, 1, 2, 3, 4, 5, tzinfo=UTC))
    '2025-01-02T03:04:05.000000Z'
    """
    plain = moment.astimezone(UTC).replace(tzinfo=None)
    return plain.isoformat(timespec="microseconds") + "Z"


def moment_of(text: str) -> datetime:
    """The inverse of :func:`moment_text`."""
    return datetime.fromisoformat(text)


def _moment(text: str) -> str:
    if not _MOMENT.fullmatch(text):
        raise ValueError("must be like 2025-04-30T12:00:00.000000Z")
    datetime.fromisoformat(text)
    return text


def _day(text: str) -> str:
    if not _DAY.fullmatch(text):
        raise ValueError("must be like 2025-04-30")
    datetime.fromisoformat(text)
    return text


def _one_of(*words: str) -> AfterValidator:
    def check(word: str) -> str:
        if word not in words:
            raise ValueError(f"must be one of {', '.join(words)}")
        return word

    return AfterValidator(check)


Moment = Annotated[str, AfterValidator(_moment)]
Day = Annotated[str, AfterValidator(_day)]
Slug = Annotated[str, StringConstraints(pattern=r"^[-a-zA-Z0-9_]+$", max_length=80)]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Name = Annotated[str, StringConstraints(min_length=1)]


def _upto(most: int, least: int = 0) -> StringConstraints:
    """As many characters as the column holds; a test compares them with the models."""
    return StringConstraints(min_length=least, max_length=most)


CaseId = Annotated[str, _upto(120, 1)]
Text10 = Annotated[str, _upto(10)]
Text40 = Annotated[str, _upto(40)]
Text64 = Annotated[str, _upto(64)]
Text80 = Annotated[str, _upto(80)]
Text120 = Annotated[str, _upto(120)]
Text200 = Annotated[str, _upto(200)]
Text300 = Annotated[str, _upto(300)]
Text500 = Annotated[str, _upto(500)]
Name40 = Annotated[str, _upto(40, 1)]
Name64 = Annotated[str, _upto(64, 1)]
Name80 = Annotated[str, _upto(80, 1)]
Name200 = Annotated[str, _upto(200, 1)]
Name500 = Annotated[str, _upto(500, 1)]
Count = Annotated[int, Field(ge=0, le=2**31 - 1)]
Tokens = Annotated[int, Field(ge=0, le=2**63 - 1)]
Whole = Annotated[int, Field(ge=-(2**31), le=2**31 - 1)]
Small = Annotated[int, Field(ge=0, le=2**15 - 1)]
Number = Annotated[int, Field(ge=1, le=2**31 - 1)]
Seed = Annotated[int, Field(ge=0, le=2**63 - 1)]
Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Object = dict[str, Any]
Side = Annotated[str, _one_of("model", "reference")]
Key = tuple[str | int, ...]


class Strict(BaseModel):
    """A part of a row: nothing missing, nothing unknown, nothing converted."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    def to_json(self) -> dict[str, Any]:
        """Plain JSON. JSON that a row holds is passed on as it is, however deep."""
        return {name: _plain(getattr(self, name)) for name in type(self).model_fields}


def _plain(value: Any) -> Any:
    if isinstance(value, Strict):
        return value.to_json()
    if isinstance(value, list) and value and isinstance(value[0], Strict):
        return [part.to_json() for part in value]
    return value


class Row(Strict):
    """One line of one file."""

    FILE: ClassVar[str]

    @abstractmethod
    def identity(self) -> Key:
        """What is unique in the file."""

    def order(self) -> Key:
        """What the file is sorted by; unique as well."""
        return self.identity()

    def label(self) -> str:
        """How messages call the row."""
        return " / ".join(str(part) for part in self.identity() if part != "")


class TemplateRef(Strict):
    """A version of a checklist template."""

    key: Name80
    version: Name40


class StudyRow(Row):
    """The study. Its address (slug) is not part of it: whoever imports it chooses one."""

    FILE = "study.jsonl"
    name: Name200
    description: str
    seed: Seed
    time_zone: Name64
    is_synthetic: bool
    template: TemplateRef

    def identity(self) -> Key:
        return (self.name,)


class TemplateRow(Row):
    """A template version that something in the study was made with."""

    FILE = "templates.jsonl"
    key: Name80
    version: Name40
    content_hash: Sha256
    content: Object

    def identity(self) -> Key:
        return (self.key, self.version)


class GuidelineRow(Row):
    """One version of the guidelines (Markdown)."""

    FILE = "guidelines.jsonl"
    version: Count
    text: str
    created_at: Moment

    def identity(self) -> Key:
        return (self.version,)


class MemberRow(Row):
    """A person, by pseudonym alone."""

    FILE = "members.jsonl"
    pseudonym: Name40
    role: Annotated[str, _one_of("annotator", "adjudicator", "researcher", "admin")]

    def identity(self) -> Key:
        return (self.pseudonym,)


class CaseRow(Row):
    FILE = "cases.jsonl"
    case: CaseId
    title: Text300
    filing_date: Day | None
    case_type: Text200
    token_count: Count | None
    length_bin: Text40
    metadata: Any
    created_at: Moment

    def identity(self) -> Key:
        return (self.case,)


class DocumentRow(Row):
    FILE = "documents.jsonl"
    case: Name
    name: Name500
    document_type: Text120
    date: Day | None
    position: Count
    text: str
    original_sha256: Text64
    token_count: Count | None
    metadata: Any

    def identity(self) -> Key:
        return (self.case, self.name)

    def order(self) -> Key:
        return (self.case, self.position)


class SummaryRow(Row):
    FILE = "summaries.jsonl"
    case: Name
    producer: Name200
    kind: Annotated[str, _one_of("reference", "model")]
    text: str
    original_sha256: Text64
    word_count: Count
    kept_share: Share | None
    metadata: Any
    created_at: Moment

    def identity(self) -> Key:
        return (self.case, self.producer)


FOUND = ("exact", "normalised", "fuzzy")
NOT_FOUND, NOT_SOUGHT = "not_found", "not_sought"


class EvidenceRow(Strict):
    """A quote in a summary (named by its producer) or a document (by its name) of the case.

    ``not_found`` was looked for in its text, ``not_sought`` has no text here; both have no offsets.
    """

    position: Count
    summary: str | None
    document: str | None
    start: Count | None
    end: Count | None
    quote: str
    found: Annotated[str, _one_of(*FOUND, NOT_FOUND, NOT_SOUGHT)]
    source_name: Text500
    location: str


class ValueRow(Strict):
    position: Count
    text: str
    metadata: Any
    evidence: list[EvidenceRow]


ProducerKind = Annotated[str, _one_of("annotator", "gold", "judge", "agent")]


class ChecklistRef(Strict):
    """How rows of a case name one of its checklists."""

    summary: str | None
    producer_kind: ProducerKind
    producer: Text200
    method: Text120


class ItemRow(Strict):
    item: Text80
    state: Annotated[str, _one_of("values", "absent", "not_applicable")]
    metadata: Any
    values: list[ValueRow]


class ChecklistRow(Row):
    """What one producer extracted, with all values and their evidence.

    ``summary`` names the producer of the summary that was read; null when documents were.
    """

    FILE = "checklists.jsonl"
    case: Name
    summary: str | None
    producer_kind: ProducerKind
    producer: Text200
    method: Text120
    template: TemplateRef
    metadata: Any
    created_at: Moment
    items: list[ItemRow]

    def identity(self) -> Key:
        return checklist_key(self.case, self)


def checklist_key(case: str, checklist: ChecklistRef | ChecklistRow) -> Key:
    """What is unique of a checklist in a study."""
    return (
        case,
        checklist.summary or "",
        checklist.producer_kind,
        checklist.producer,
        checklist.method,
    )


class ExtractionRunRow(Row):
    """A model reading the documents of a case; numbered from 1 in the order of their making.

    ``checklist`` is what its values went into; null when there is none.
    """

    FILE = "extraction_runs.jsonl"
    run: Number
    case: CaseId
    checklist: ChecklistRef | None
    source: Annotated[str, _one_of("imported", "own")]
    source_file: Text500
    model: Text200
    method: Annotated[str, _one_of("end_to_end", "chunk_by_chunk", "all", "grouped", "individual")]
    unit: Text120
    steps: Count | None
    prompt_tokens: Tokens | None
    completion_tokens: Tokens | None
    stop_reason: Text80
    stats: Any
    metadata: Any
    started_at: Moment | None
    finished_at: Moment | None
    created_at: Moment

    def identity(self) -> Key:
        return (self.run,)


class RunStepRow(Row):
    """One thing that happened in an extraction run."""

    FILE = "run_steps.jsonl"
    run: Number
    kind: Annotated[str, _one_of("event", "answer")]
    position: Count
    step: Whole | None
    name: Text120
    text: str
    content: Any
    at: Moment | None

    def identity(self) -> Key:
        return (self.run, self.kind, self.position)


class _OfComparison(Row):
    """A row that belongs to one judge comparing one model's checklist of one case."""

    case: CaseId
    comparer: Text200
    model: Text200
    extractor: Text200
    method: Text120

    def comparison(self) -> Key:
        return (self.case, self.comparer, self.model, self.extractor, self.method)


class ChecklistComparisonRow(_OfComparison):
    """A judge comparing a checklist with the reference's; null: the checklist is not here."""

    FILE = "checklist_comparisons.jsonl"
    model_checklist: ChecklistRef | None
    reference_checklist: ChecklistRef | None
    source_file: Text500
    metadata: Any
    created_at: Moment

    def identity(self) -> Key:
        return self.comparison()


class ItemVerdictRow(_OfComparison):
    """What it said of one item.

    ``payload`` is an answer to a comparison, said of model and reference; null exactly when the
    cell could not be read (``not_scored``) or its orientation is ``unknown``.
    """

    FILE = "item_verdicts.jsonl"
    item: Text80
    form: Annotated[str, _one_of("", "single", "list")]
    orientation: Annotated[str, _one_of("known", "not_needed", "recovered", "unknown")]
    first_side: Annotated[str, _one_of("", "model", "reference")]
    status: Annotated[str, _one_of("read", "not_scored")]
    reason: str
    payload: Object | None
    shown: Any
    raw: Any
    repairs: Any
    n_model: Count | None
    n_reference: Count | None

    def identity(self) -> Key:
        return (*self.comparison(), self.item)

    @property
    def is_scored(self) -> bool:
        """Whether it was read and says what it says of model and reference."""
        return self.status == "read" and self.orientation != "unknown"


class TaskSetRow(Row):
    FILE = "task_sets.jsonl"
    task_set: Slug
    title: Text200
    kind: Annotated[str, _one_of("extraction", "comparison", "residual", "style")]
    overlap: Annotated[int, Field(ge=1, le=2**15 - 1)]
    options: Object
    source: Any
    closed_at: Moment | None
    created_at: Moment

    def identity(self) -> Key:
        return (self.task_set,)


class TaskRow(Row):
    """One question; ``summary`` names the producer of the summary it asks about."""

    FILE = "tasks.jsonl"
    task_set: Name
    task: Name200
    position: Count
    case: Name
    summary: str | None
    item_key: Text80
    form: Text10
    content: Object
    content_hash: Text64
    metadata: Any
    created_at: Moment

    def identity(self) -> Key:
        return (self.task_set, self.task)

    def order(self) -> Key:
        return (self.task_set, self.position)


class _OfAssignment(Row):
    """A row that belongs to an assignment."""

    task_set: Name
    task: Name
    annotator: Name
    round: Small

    def assignment(self) -> Key:
        return (self.task_set, self.task, self.annotator, self.round)


class AssignmentRow(_OfAssignment):
    """One task for one annotator, with the order shown, its state and the draft as it stands.

    ``current`` is the version of the answer that counts.
    """

    FILE = "assignments.jsonl"
    position: Count
    first_side: Side
    status: Annotated[str, _one_of("new", "in_progress", "submitted", "skipped")]
    draft: Object
    version: Count
    submitted_version: Count | None
    current: Count | None
    created_at: Moment
    changed_at: Moment

    def identity(self) -> Key:
        return self.assignment()


class AnswerRow(_OfAssignment):
    """One submitted or skipped version; ``event`` is the version of the event that made it."""

    FILE = "answers.jsonl"
    version: Count
    current: bool
    event: Count | None
    outcome: Annotated[str, _one_of("submitted", "skipped")]
    payload: Object | None
    first_side: Side
    comment: str
    flagged: bool
    skip_reason: str
    active_seconds: Seconds
    wall_seconds: Seconds
    guideline: Count | None
    template: TemplateRef
    submitted_at: Moment
    metadata: Any

    def identity(self) -> Key:
        return (*self.assignment(), self.version)


class EventRow(_OfAssignment):
    """One act on a draft; ``version`` is the draft's after it."""

    FILE = "events.jsonl"
    version: Count
    action: Name40
    before: Object
    after: Object
    actor: Name
    at: Moment

    def identity(self) -> Key:
        return (*self.assignment(), self.version)


class VisitRow(_OfAssignment):
    """One stay at a task, numbered from 1 in order of time."""

    FILE = "visits.jsonl"
    number: Number
    started_at: Moment
    last_seen_at: Moment
    active_seconds: Seconds

    def identity(self) -> Key:
        return (*self.assignment(), self.number)


class JudgeRow(Row):
    """A judge that has a run in the study. ``api_key_env`` names a variable; no key is stored."""

    FILE = "judges.jsonl"
    judge: Slug
    kind: Annotated[str, _one_of("rules", "openai")]
    base_url: Text500
    model: Text200
    api_key_env: Text120
    params: Any
    timeout_seconds: Annotated[int, Field(ge=1, le=2**31 - 1)]
    concurrency: Annotated[int, Field(ge=1, le=256)]
    is_anchored: bool

    def identity(self) -> Key:
        return (self.judge,)


class JudgeRunRow(Row):
    """A run, numbered from 1 in the order in which the study's runs were made."""

    FILE = "judge_runs.jsonl"
    run: Number
    task_set: Name
    judge: Name
    judge_snapshot: Object
    prompt_hash: Text64
    code_version: Text80
    seed: Seed
    swap: bool
    repeats: Annotated[int, Field(ge=1, le=2**15 - 1)]
    status: Annotated[str, _one_of("queued", "running", "done", "failed", "cancelled")]
    error: str
    limit: Count | None
    started_by: str | None
    created_at: Moment
    finished_at: Moment | None

    def identity(self) -> Key:
        return (self.run,)


class _OfQuestion(Row):
    """A row that belongs to one question of a run."""

    run: Number
    task: Name
    repeat: Small
    swapped: bool

    def question(self) -> Key:
        return (self.run, self.task, self.repeat, int(self.swapped))


class JudgeTaskRow(_OfQuestion):
    """One question. One that is being asked at this moment is written as waiting."""

    FILE = "judge_tasks.jsonl"
    first_side: Side
    status: Annotated[str, _one_of("pending", "done", "not_scored")]
    attempts: Small
    error_kind: Text40
    error: str
    finished_at: Moment | None

    def identity(self) -> Key:
        return self.question()


class JudgeCallRow(_OfQuestion):
    """One request and what came back."""

    FILE = "judge_calls.jsonl"
    attempt: Small
    request: Any
    request_hash: Text64
    reply: Any
    reply_text: str
    error_kind: Text40
    error: str
    served_model: Text200
    prompt_tokens: Count | None
    cached_tokens: Count | None
    completion_tokens: Count | None
    reasoning_tokens: Count | None
    tokens_estimated: bool
    seconds: Annotated[float, Field(allow_inf_nan=False)]
    notes: Any
    tries: Any
    at: Moment

    def identity(self) -> Key:
        return (*self.question(), self.attempt)


class VerdictRow(_OfQuestion):
    """What a judge answered; ``attempt`` is the request it was read from."""

    FILE = "verdicts.jsonl"
    attempt: Small
    payload: Object
    repairs: Any
    explanation: Any
    at: Moment

    def identity(self) -> Key:
        return self.question()


class MetaEvaluationRow(Row):
    """Saved figures, numbered from 1; runs in ``inputs`` and ``rows`` are the bundle's numbers."""

    FILE = "meta_evaluations.jsonl"
    number: Number
    inputs: Any
    seed: Seed
    draws: Count
    rows: Any
    versions: Any
    created_by: str | None
    created_at: Moment

    def identity(self) -> Key:
        return (self.number,)


ROWS: tuple[type[Row], ...] = (
    StudyRow,
    TemplateRow,
    GuidelineRow,
    MemberRow,
    CaseRow,
    DocumentRow,
    SummaryRow,
    ChecklistRow,
    ExtractionRunRow,
    RunStepRow,
    ChecklistComparisonRow,
    ItemVerdictRow,
    TaskSetRow,
    TaskRow,
    AssignmentRow,
    AnswerRow,
    EventRow,
    VisitRow,
    JudgeRow,
    JudgeRunRow,
    JudgeTaskRow,
    JudgeCallRow,
    VerdictRow,
    MetaEvaluationRow,
)
"""Every file of a bundle, in an order in which each refers to earlier ones only."""

FILES: dict[str, type[Row]] = {row.FILE: row for row in ROWS}


class FileEntry(Strict):
    """A file as the manifest lists it. A line is a row; of a table, the header is none."""

    path: Name
    rows: Count
    sha256: Sha256


class Manifest(BaseModel):
    """What every export says of itself; each format adds to it."""

    model_config = ConfigDict(extra="allow", frozen=True, strict=True)

    format: Name
    version: Number
    offsets: Name
    files: list[FileEntry]


class Tally:
    """The counts, seeds and versions that a bundle's manifest states, added up row by row."""

    def __init__(self) -> None:
        self.study: StudyRow | None = None
        self.rows: Counter[str] = Counter()
        self.assignments: Counter[str] = Counter()
        self.answers: Counter[str] = Counter()
        self.questions: Counter[str] = Counter()
        self.values = 0
        self.evidence: Counter[str] = Counter()
        self.extractions: Counter[str] = Counter()
        self.item_verdicts: Counter[str] = Counter()
        self.templates: list[str] = []
        self.guidelines: list[int] = []
        self.run_seeds: dict[str, int] = {}
        self.figure_seeds: dict[str, int] = {}

    def add(self, row: Row) -> None:
        self.rows[row.FILE.removesuffix(".jsonl")] += 1
        match row:
            case StudyRow():
                self.study = row
            case TemplateRow():
                self.templates.append(f"{row.key} {row.version}")
            case GuidelineRow():
                self.guidelines.append(row.version)
            case ChecklistRow():
                self._checklist(row)
            case ExtractionRunRow():
                self.extractions[row.source] += 1
            case ItemVerdictRow():
                self.item_verdicts[_account(row)] += 1
            case AssignmentRow():
                self.assignments[row.status] += 1
            case AnswerRow():
                self._answer(row)
            case JudgeRunRow():
                self.run_seeds[str(row.run)] = row.seed
            case JudgeTaskRow():
                self.questions[row.status] += 1
            case MetaEvaluationRow():
                self.figure_seeds[str(row.number)] = row.seed
            case _:
                pass

    def _checklist(self, row: ChecklistRow) -> None:
        for item in row.items:
            self.values += len(item.values)
            for value in item.values:
                self.evidence.update(evidence.found for evidence in value.evidence)

    def _answer(self, row: AnswerRow) -> None:
        if not row.current:
            self.answers["superseded"] += 1
            return
        self.answers[row.outcome] += 1
        if row.flagged:
            self.answers["flagged"] += 1

    def to_json(self) -> dict[str, Any]:
        """``study, is_synthetic, counts, seeds, versions``: equal for equal rows."""
        if self.study is None:
            return {}
        states = ("new", "in_progress", "submitted", "skipped")
        outcomes = ("submitted", "skipped", "flagged", "superseded")
        return {
            "study": self.study.name,
            "is_synthetic": self.study.is_synthetic,
            "counts": {
                "checklists": self.rows["checklists"],
                "values": self.values,
                "evidence": {
                    found: self.evidence[found] for found in (*FOUND, NOT_FOUND, NOT_SOUGHT)
                },
                "extraction_runs": {
                    source: self.extractions[source] for source in ("imported", "own")
                },
                "run_steps": self.rows["run_steps"],
                "checklist_comparisons": self.rows["checklist_comparisons"],
                "item_verdicts": {
                    account: self.item_verdicts[account]
                    for account in ("scored", "orientation_unknown", "not_scored")
                },
                "tasks": self.rows["tasks"],
                "assignments": {state: self.assignments[state] for state in states},
                "answers": {outcome: self.answers[outcome] for outcome in outcomes},
                "drafts_in_progress": self.assignments["in_progress"],
                "events": self.rows["events"],
                "judge_questions": {
                    state: self.questions[state] for state in ("pending", "done", "not_scored")
                },
                "verdicts": self.rows["verdicts"],
            },
            "seeds": {
                "study": self.study.seed,
                "judge_runs": self.run_seeds,
                "meta_evaluations": self.figure_seeds,
            },
            "versions": {"templates": self.templates, "guidelines": self.guidelines},
        }


def _account(row: ItemVerdictRow) -> str:
    if row.status == "not_scored":
        return row.status
    return "scored" if row.is_scored else "orientation_unknown"


def bundle_manifest(tally: Tally, files: list[FileEntry]) -> dict[str, Any]:
    """The manifest of a bundle: the same for the same rows written by the same code."""
    own = tally.to_json()
    own["versions"]["gavel"] = CODE_VERSION
    return {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "offsets": OFFSETS,
        "agreement": AGREEMENT,
        "files": [entry.to_json() for entry in files],
        **own,
    }
