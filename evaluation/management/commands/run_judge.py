"""``manage.py run_judge``: ask a judge the tasks that annotators answer."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from agent.connecting.services import judge_by_name
from annotation.errors import InvalidInput, NotFound, Refused
from annotation.management.base import GavelCommand, Result, comma_separated, whole_number
from annotation.managing.services import study_by_slug, task_set_by_key
from annotation.models import Study, TaskSet
from evaluation.judging.services import report_of, resume_run, run_by_id, start_run
from evaluation.judging.working import Held, work, worker_name
from evaluation.models import JudgeRun


class Command(GavelCommand):
    help = "Start a judge run, and with --wait work through it here."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--study", required=True)
        parser.add_argument("--task", type=comma_separated, help="kind of task: comparison")
        parser.add_argument("--task-set", help="when the study has several of the kind")
        parser.add_argument("--judge", help="its name, or rules for the built-in baseline")
        parser.add_argument("--limit", type=whole_number(), help="ask only the first N tasks")
        parser.add_argument("--swap", action="store_true", help="ask every pair in both orders")
        parser.add_argument("--repeats", type=whole_number(), default=1)
        parser.add_argument(
            "--seed", type=whole_number(), help="of the orders (default: the study's)"
        )
        parser.add_argument("--wait", action="store_true", help="work through the run here")
        parser.add_argument(
            "--resume", type=whole_number(), metavar="RUN", help="go on with a stopped run"
        )

    def run(self, **options: Any) -> Result:
        study = study_by_slug(options["study"])
        run = self._run_of(study, options)
        if options["wait"]:
            run = work(
                run.pk,
                worker=worker_name(),
                progress=lambda: self._progress(run),
                held=self._say_held,
            )
        else:
            self.say(
                f"Run {run.pk} is queued; a worker (manage.py db_worker) will work through it."
            )
        report = report_of(run)
        if run.status == JudgeRun.Status.FAILED:
            raise Refused(
                f"Run {run.pk} stopped after {report.ok} of {report.questions} answers. "
                f"{run.error} Then: run_judge --study {study.slug} --resume {run.pk} --wait"
            )
        return report.to_json()

    def _run_of(self, study: Study, options: dict[str, Any]) -> JudgeRun:
        if options["resume"] is not None:
            return resume_run(run_by_id(study, options["resume"]))
        if not options["judge"]:
            raise InvalidInput("Name a judge with --judge (rules needs no key).")
        return start_run(
            study,
            _task_set(study, options["task"], options["task_set"]),
            judge_by_name(options["judge"]),
            limit=options["limit"],
            swap=options["swap"],
            repeats=options["repeats"],
            seed=options["seed"],
        )

    def _say_held(self, held: Held) -> None:
        self.say(
            f"Waiting for {held.questions} question{'s'[: held.questions != 1]} held by another "
            f"worker ({', '.join(sorted(held.workers))}). What it leaves unanswered by "
            f"{held.until:%H:%M:%S} UTC is asked here."
        )

    def _progress(self, run: JudgeRun) -> None:
        if self.stderr.isatty():
            report = report_of(run)
            self.progress(report.finished, report.questions, "Asked")

    def describe(self, result: Result) -> str:
        failed = ", ".join(f"{n} {kind}" for kind, n in result["failed"].items()) or "none"
        repairs = ", ".join(f"{n} {kind}" for kind, n in result["repairs"].items()) or "none"
        return (
            f"Run {result['run']} ({result['status']}): {result['requests']} questions, "
            f"{result['ok']} answered, not scored: {failed}; repairs: {repairs}."
        )


def _task_set(study: Study, kinds: list[str] | None, key: str | None) -> TaskSet:
    if key:
        return task_set_by_key(study, key)
    if not kinds:
        raise InvalidInput("Say what to judge: --task comparison, or one --task-set.")
    unknown = [kind for kind in kinds if kind not in TaskSet.Kind.values]
    if unknown:
        raise InvalidInput(
            f"There is no kind of task called {unknown[0]}. Kinds: "
            f"{', '.join(TaskSet.Kind.values)}."
        )
    if len(kinds) > 1:
        raise InvalidInput("Start one run a kind of task: name one in --task.")
    found = list(study.task_sets.filter(kind=kinds[0]).order_by("key"))
    if not found:
        raise NotFound(f"{study.slug} has no {kinds[0]} task set. Import one with import_tasks.")
    if len(found) > 1:
        names = ", ".join(task_set.key for task_set in found)
        raise InvalidInput(
            f"{study.slug} has several {kinds[0]} task sets: {names}. Name one (--task-set)."
        )
    return found[0]
