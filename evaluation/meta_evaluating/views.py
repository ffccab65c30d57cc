"""Agreement pages; every figure leads to the rows it was computed from."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from annotation.managing.services import task_set_by_key, template_of
from annotation.models import Study, TaskSet
from annotation.permissions import Right, study_for
from annotation.text.csv_text import csv_text
from annotation.web import HtmxHttpRequest, number_in
from evaluation.meta_evaluating import pages, tables
from evaluation.meta_evaluating.forms import RowFilterForm
from evaluation.meta_evaluating.services import Computed, meta_evaluate, run_in

PAGE = 50


@require_GET
def judges(request: HtmxHttpRequest, slug: str) -> HttpResponse:
    """Judges against people on one comparison set.

    Context: ``study, sets, task_set, cards, run, detail``; with ``?format=csv`` the figures.
    """
    study = study_for(request.user, slug, Right.SEE_ANSWERS)
    sets = pages.comparison_sets(study)
    task_set = _chosen_set(request, study, sets)
    if task_set is None:
        return render(request, "evaluation/meta_evaluating/judges.html", {"study": study})
    rows, cards = pages.scorecards(task_set)
    if request.GET.get("format") == "csv":
        found = [
            row
            for card in cards
            for row in Computed(task_set, card.run, [s.figure for s in card.shown]).rows()
        ]
        return _csv(f"{slug}-judges.csv", *_figure_table(study, found))
    runs = {str(card.run.pk): card.run for card in cards}
    run = runs.get(request.GET.get("run", "")) or (cards[0].run if cards else None)
    context = {
        "study": study,
        "sets": sets,
        "task_set": task_set,
        "cards": cards,
        "run": run,
        "detail": pages.detail_of(run, rows, template_of(study)) if run else None,
    }
    return render(request, "evaluation/meta_evaluating/judges.html", context)


def _chosen_set(request: HtmxHttpRequest, study: Study, sets: list[TaskSet]) -> TaskSet | None:
    wanted = request.GET.get("set", "")
    if wanted:
        return task_set_by_key(study, wanted)
    return sets[0] if sets else None


@require_GET
def humans(request: HtmxHttpRequest, slug: str) -> HttpResponse:
    """The annotators among themselves. Context: ``study, sets, task_set, page``."""
    study = study_for(request.user, slug, Right.SEE_ANSWERS)
    kinds = (TaskSet.Kind.COMPARISON, TaskSet.Kind.STYLE)
    sets = list(study.task_sets.filter(kind__in=kinds).order_by("kind", "key"))
    task_set = _chosen_set(request, study, sets)
    page = pages.human_page(task_set) if task_set is not None and task_set in sets else None
    if task_set is not None and page and request.GET.get("format") == "csv":
        figures = [entry["shown"].figure for entry in page["shown"]]
        found = Computed(task_set, None, figures).rows()
        return _csv(f"{slug}-humans.csv", *_figure_table(study, found))
    context = {"study": study, "sets": sets, "task_set": task_set, "page": page}
    if task_set is not None:
        context["counts"] = tables.count_answers(task_set)
    return render(request, "evaluation/meta_evaluating/humans.html", context)


@require_GET
def rows(request: HtmxHttpRequest, slug: str, key: str) -> HttpResponse:
    """The tasks behind a figure, with ``?run=`` against that judge, else the annotators alone.

    Context: ``study, task_set, run, form, page_obj, without_gold``; ``?format=csv`` gives all.
    """
    study = study_for(request.user, slug, Right.SEE_ANSWERS)
    task_set = task_set_by_key(study, key)
    template = template_of(study)
    number = number_in(request.GET.get("run", ""))
    run = None if number is None else run_in(study, number)
    form = RowFilterForm(request.GET, template=template, with_judge=run is not None)
    cells = tables.verdict_cells(run) if run else None
    opened = (
        pages.opened_rows(tables.comparison_rows(task_set), cells, template, form.wanted())
        if task_set.kind == TaskSet.Kind.COMPARISON
        else []
    )
    if request.GET.get("format") == "csv":
        return _csv(f"{slug}-{key}-rows.csv", *_row_table(opened))
    page = Paginator(opened, PAGE).get_page(request.GET.get("page"))
    context = {
        "study": study,
        "task_set": task_set,
        "run": run,
        "form": form,
        "page_obj": page,
        "without_gold": sum(bool(entry.row.why_no_gold) for entry in opened),
    }
    return render(request, "evaluation/meta_evaluating/rows.html", context)


@require_GET
def ratings(request: HtmxHttpRequest, slug: str, key: str) -> HttpResponse:
    """The style ratings behind a figure, with ``?aspect=`` of one. Context: ``table``."""
    study = study_for(request.user, slug, Right.SEE_ANSWERS)
    task_set = task_set_by_key(study, key)
    table = pages.rating_table(task_set, aspect=request.GET.get("aspect", ""))
    if request.GET.get("format") == "csv":
        return _csv(f"{slug}-{key}-ratings.csv", *table.as_csv())
    context = {"study": study, "task_set": task_set, "table": table}
    return render(request, "evaluation/meta_evaluating/ratings.html", context)


@require_GET
def coverage(request: HtmxHttpRequest, slug: str) -> HttpResponse:
    """Which words the evidence of people and of each judge covers.

    Context: ``study, cards, card``; with ``?format=csv`` the figures, with ``?format=rows`` the
    summaries behind them.
    """
    study = study_for(request.user, slug, Right.SEE_ANSWERS)
    cards = pages.coverage_cards(study)
    wanted = request.GET.get("format")
    if wanted == "csv":
        found = [
            row
            for card in cards
            for row in Computed(None, None, [s.figure for s in card.shown], card.anchored).rows()
        ]
        return _csv(f"{slug}-coverage.csv", *_figure_table(study, found))
    if wanted == "rows":
        return _csv(f"{slug}-coverage-rows.csv", *_coverage_table(cards))
    name = request.GET.get("judge", "")
    context = {
        "study": study,
        "cards": cards,
        "card": next((card for card in cards if card.name == name), cards[0] if cards else None),
    }
    return render(request, "evaluation/meta_evaluating/coverage.html", context)


@require_GET
def covered_text(request: HtmxHttpRequest, slug: str, pk: int) -> HttpResponse:
    """One summary with people's evidence and a judge's. Context: ``study, found, pieces``."""
    study = study_for(request.user, slug, Right.SEE_ANSWERS)
    found = tables.covered_text(study, pk)
    pieces = pages.covered_pieces(found.summary.text, found.by_people, found.by_judge)
    context = {"study": study, "found": found, "pieces": pieces}
    return render(request, "evaluation/meta_evaluating/covered_text.html", context)


@require_POST
def save(request: HtmxHttpRequest, slug: str) -> HttpResponse:
    """Compute and keep all figures of the study."""
    study = study_for(request.user, slug, Right.START_RUNS)
    saved = meta_evaluate(study, actor=request.user)
    messages.success(request, f"{len(saved.rows)} figures are saved.")
    return redirect("meta:saved", slug, saved.pk)


@require_GET
def saved(request: HtmxHttpRequest, slug: str, pk: int) -> HttpResponse:
    """Saved figures with what they were computed from. Context: ``study, saved``."""
    study = study_for(request.user, slug, Right.SEE_ANSWERS)
    chosen = pages.saved_by_id(study, pk)
    if request.GET.get("format") == "csv":
        return _csv(f"{slug}-agreement-{pk}.csv", *_figure_table(study, chosen.rows))
    context = {"study": study, "saved": chosen}
    return render(request, "evaluation/meta_evaluating/saved.html", context)


_FIGURE_COLUMNS = (
    "study", "task_set", "subject", "run", "task", "metric", "comparer", "stratum", "value",
    "low", "high", "level", "method", "n_units", "n_cases", "n_raters", "n_invalid",
    "n_missing", "n_excluded", "undefined_reason", "interval_reason",
)  # fmt: skip


def _figure_table(
    study: Study, figures: list[dict[str, object]]
) -> tuple[tuple[str, ...], list[list[object]]]:
    """Figures with what they are of, so that the file can be read alone."""
    named = [row | {"study": study.slug} for row in figures]
    return _FIGURE_COLUMNS, [[row.get(name) for name in _FIGURE_COLUMNS] for row in named]


def _row_table(opened: list[pages.OpenedRow]) -> tuple[list[str], list[list[object]]]:
    names = sorted({name for row in opened for name, _ in row.votes})
    header = ["task", "case", "item", "form", *names, "people", "judge", "same"]
    table: list[list[object]] = []
    for entry in opened:
        votes = dict(entry.votes)
        same = "" if entry.agrees is None else str(entry.agrees).lower()
        table.append(
            [
                entry.row.position,
                entry.row.case,
                entry.row.item,
                entry.row.form,
                *(votes.get(name, "") for name in names),
                entry.gold,
                entry.verdict,
                same,
            ]
        )
    return header, table


def _coverage_table(cards: list[pages.CoverageCard]) -> tuple[list[str], list[list[object]]]:
    header = ["judge", "case", "words", "people", "judge_words", "same", "quotes_not_located"]
    return header, [
        [
            card.name,
            row.case,
            len(row.human),
            sum(row.human),
            sum(row.judge),
            row.same,
            row.unlocated,
        ]
        for card in cards
        for row in card.rows
    ]


def _csv(name: str, header: object, table: object) -> HttpResponse:
    response = HttpResponse(
        csv_text(header, table),  # type: ignore[arg-type]
        content_type="text/csv; charset=utf-8",
    )
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
