"""What the background worker runs."""

from __future__ import annotations

from django_tasks import task

from annotation.importing.jobs import run_job


@task()
def work_on_job(job_id: int) -> None:
    """Look a waiting upload through, or import one that somebody has started."""
    run_job(job_id)
