"""A worker killed in the middle of an import: nothing half stored, and it can go on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from typing import Any

import pytest

from annotation.importing import jobs, progress, uploads
from annotation.models import ImportJob, Task, User
from tests.annotation.importing.test_import_comparisons import payload
from tests.annotation.importing.test_jobs import large, pairs
from tests.factories import make_study, make_user
from tests.test_killed import ROOT, environment, until

__all__ = ["large"]

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

FILES, PAIRS = 40, 25


@pytest.fixture
def rita(transactional_db: None) -> User:
    return make_user("rita")


def test_a_killed_worker_leaves_whole_files_and_another_finishes(
    rita: User, large: None, settings: Any
) -> None:
    study = make_study()
    files = []
    for n in range(FILES):
        whole = payload([(f"{n}-{m}", "May 1", "1 May", True) for m in range(PAIRS)])
        files.append(pairs(f"{n}.json", **json.loads(json.dumps(whole))))
    job = jobs.take_upload(study, files, "comparison", actor=rita)
    jobs.run_job(job.pk)
    job.refresh_from_db()
    assert job.preview["totals"]["created"] == FILES * PAIRS
    jobs.start(job, actor=rita)
    folder = uploads.folder_of(job)
    worker = subprocess.Popen(
        [sys.executable, "manage.py", "db_worker", "--interval", "0.1"],
        cwd=ROOT,
        env={**environment(), "GAVEL_UPLOAD_DIR": str(settings.UPLOAD_DIR)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        until(lambda: progress.look(folder).done, "progress of the import")
    finally:
        os.kill(worker.pid, signal.SIGKILL)
        worker.wait()
    job.refresh_from_db()
    stored = Counter(key.partition("-")[0] for key in Task.objects.values_list("key", flat=True))
    assert set(stored.values()) <= {PAIRS}
    if job.status == ImportJob.Status.IMPORTING:
        # As after twenty silent seconds.
        os.utime(folder / "alive", (0, 0))
        assert jobs.state_of(job).is_stale
        jobs.start(job, actor=rita)
        jobs.run_job(job.pk)
        job.refresh_from_db()
        totals = job.report.report["totals"]
        assert (totals["created"], totals["unchanged"]) == (
            FILES * PAIRS - sum(stored.values()),
            sum(stored.values()),
        )
    assert job.status == ImportJob.Status.DONE
    assert Task.objects.count() == FILES * PAIRS
    assert not folder.exists()
