"""The formats that this app imports by itself."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from agent.llm.tokens import o200k_base
from annotation.importing.cases import MANY_CASES, import_cases
from annotation.importing.comparison import import_comparisons
from annotation.importing.csv_files import (
    COMPARISON_CSV,
    STYLE_CSV,
    SUFFIX,
    SUMMARIES_CSV,
    import_comparison_csv,
    import_style_csv,
    import_summary_csv,
)
from annotation.importing.formats import FormatField, ImportFormat, ImportRequest, register
from annotation.importing.label_studio import import_label_studio
from annotation.importing.style import import_styles
from annotation.importing.thresh import import_thresh
from annotation.records.beginnings import (
    is_comparison,
    is_label_studio,
    is_style,
    is_thresh,
)
from annotation.records.cases.document_text import SUFFIXES as DOCUMENTS
from annotation.records.cases.full import looks_like_full_cases
from annotation.records.csv_rows import COMPARISONS, STYLE_PAIRS, SUMMARIES
from annotation.records.csv_table import has_columns
from annotation.records.label_studio.reading import TOOL
from annotation.records.report import ImportReport

TASK_SET = FormatField("task_set", "Task set", "Letters, digits, - and _; made if it is new.")
CASE_ID = FormatField("case_id", "Case id", "Empty: as in metadata.json, or the file's name.")
OVERLAP = FormatField("overlap", "Annotators a task", "Of a new task set.", 3)


def register_formats() -> None:
    """Called once, when the app is ready."""
    for key, label, description, run, recognises in (
        (
            "comparison",
            "Comparison tasks (JSON)",
            "Pairs of checklist values of the comparison interface.",
            import_comparisons,
            is_comparison,
        ),
        (
            "style",
            "Style tasks (JSON)",
            "Pairs of summaries of the writing style interface.",
            import_styles,
            is_style,
        ),
        (
            "thresh",
            "Extraction tasks by paragraph (JSON)",
            "Paragraphs of summaries with the values that a model found, of the paragraph tool.",
            import_thresh,
            is_thresh,
        ),
    ):
        register(
            ImportFormat(
                key=key,
                label=label,
                description=description,
                suffixes=(".json",),
                run=into_task_set(run, key),
                fields=(TASK_SET, OVERLAP),
                takes_folders=True,
                recognises=recognises,
            )
        )
    _register_csv()
    _register_cases()
    register(
        ImportFormat(
            key=TOOL,
            label="Label Studio project (JSON)",
            description="What Label Studio exports as JSON: tasks, and as checklists what people "
            "marked in texts.",
            suffixes=(".json",),
            run=into_task_set(import_label_studio, ""),
            fields=(TASK_SET, OVERLAP),
            takes_folders=True,
            recognises=is_label_studio,
        )
    )


def _register_csv() -> None:
    for key, label, description, run, default, columns in (
        (
            COMPARISON_CSV,
            "Comparison tasks (CSV)",
            "A row a pair: case, item, model_values, reference_values.",
            import_comparison_csv,
            "comparison",
            COMPARISONS,
        ),
        (
            STYLE_CSV,
            "Style tasks (CSV)",
            "A row a pair: case, model_text, reference_text, model.",
            import_style_csv,
            "style",
            STYLE_PAIRS,
        ),
    ):
        register(
            ImportFormat(
                key=key,
                label=label,
                description=description,
                suffixes=(SUFFIX,),
                run=into_task_set(run, default),
                fields=(TASK_SET, OVERLAP),
                recognises=partial(has_columns, columns=columns),
            )
        )
    register(
        ImportFormat(
            key=SUMMARIES_CSV,
            label="Summaries (CSV)",
            description="A row a summary: case, producer, kind, text, and the case's filing_date, "
            "case_type, length_bin.",
            suffixes=(SUFFIX,),
            run=_summaries,
            recognises=partial(has_columns, columns=SUMMARIES),
        )
    )


def _register_cases() -> None:
    register(
        ImportFormat(
            key="case",
            label="A case with its documents (ZIP or files)",
            description="Documents of one case, best as a ZIP file with a metadata.json.",
            suffixes=(".zip", *DOCUMENTS),
            run=_cases,
            fields=(CASE_ID,),
        )
    )
    register(
        ImportFormat(
            key="cases",
            label="Many cases with their documents (JSON)",
            description="A list of cases, or one a line: case_id, case_documents_text, ...",
            suffixes=MANY_CASES,
            run=_cases,
            recognises=looks_like_full_cases,
        )
    )


def _cases(request: ImportRequest) -> ImportReport:
    return import_cases(
        request.paths,
        request.study,
        count_tokens=o200k_base().count,
        case_id=str(request.options.get("case_id") or ""),
        **request.manner,
    )


def _summaries(request: ImportRequest) -> ImportReport:
    return import_summary_csv(request.paths, request.study, **request.manner)


def into_task_set(
    run: Callable[..., ImportReport], default: str
) -> Callable[[ImportRequest], ImportReport]:
    """A service that fills a task set, as a format runs it; ``default`` is the key of the set.

    ``options`` of the request may hold ``options`` of a new task set beside the two fields.
    """

    def run_request(request: ImportRequest) -> ImportReport:
        return run(
            request.paths,
            request.study,
            task_set_key=str(request.options.get("task_set") or default),
            overlap=int(request.options.get("overlap") or OVERLAP.default),
            options=request.options.get("options") or {},
            **request.manner,
        )

    return run_request
