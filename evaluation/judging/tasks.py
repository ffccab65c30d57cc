"""What the background worker runs."""

from __future__ import annotations

from django_tasks import task

from evaluation.judging.working import work, worker_name


@task()
def work_on_run(run_id: int) -> None:
    """Ask the open questions of a run until none is left or the run ends."""
    work(run_id, worker=worker_name())
