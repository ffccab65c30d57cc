"""Importing as a person does it: by keyboard alone, with a bad file, a large one, no script."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.db import connection
from playwright.sync_api import Page, expect

from annotation.importing import formats, progress
from annotation.importing.formats import ImportFormat, ImportRequest
from annotation.importing.jobs import run_job
from annotation.models import ImportJob, ImportReport, Study, Task, User
from annotation.records.report import FileReport
from annotation.records.report import ImportReport as Report
from tests.annotation.importing.test_import_comparisons import TWO, payload
from tests.browser.conftest import OpenTab, Tab
from tests.factories import make_member, make_study

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

NEW = "/studies/study/imports/new/"


@pytest.fixture
def rita(transactional_db: None) -> User:
    return make_member(make_study(), "researcher", "rita")


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Two pairs; the same with a case without a name; a file that is cut off."""
    good, half, cut = (tmp_path / name for name in ("good.json", "half <b>.json", "cut.json"))
    whole = payload(TWO)
    good.write_text(json.dumps(whole))
    keys = [{**whole["keys"][0], "case_id": "13"}, {**whole["keys"][1], "case_id": None}]
    half.write_text(json.dumps({**whole, "keys": keys}))
    cut.write_text(json.dumps(whole)[:200])
    return [good, half, cut]


def tab_to(tab: Tab, words: str, most: int = 40) -> None:
    """Press Tab until the focus is on a control of these words."""
    for _ in range(most):
        tab.press("Tab")
        # Between two pages the focus is on the body, whose words are all the words there are.
        focused = tab.page.evaluate(
            "document.activeElement === document.body ? ''"
            " : (document.activeElement.labels?.[0] || document.activeElement).textContent || ''"
        )
        if words in focused:
            return
    raise AssertionError(f"{words} is not reached by Tab")


def serious(page: Page) -> list[str]:
    found = Axe().run(page).response["violations"]
    return [
        f"{v['id']}: {v['nodes'][0]['html']}"
        for v in found
        if v["impact"] in ("serious", "critical")
    ]


def test_upload_preview_import_report_by_keyboard_alone(
    rita: User, open_tab: OpenTab, files: list[Path]
) -> None:
    tab = open_tab(rita)
    page = tab.go("/studies/study/")
    # From now on the browser asks us and opens no dialog; to arrange it takes a moment.
    page.on("filechooser", lambda chooser: None)
    tab_to(tab, "Import")
    tab.press("Enter")
    page.wait_for_url(f"**{NEW}")
    tab_to(tab, "Files")
    with page.expect_file_chooser() as chooser:
        tab.press("Enter")
    chooser.value.set_files([str(path) for path in files])
    expect(page.locator("[data-chosen]")).to_contain_text("half <b>.json")
    tab_to(tab, "Recognise it")
    tab.press("ArrowDown")
    expect(page.get_by_role("radio", name="Comparison tasks (JSON)")).to_be_checked()
    tab_to(tab, "Task set")
    page.keyboard.type("mine")
    assert serious(page) == []
    tab_to(tab, "Upload and look through")
    tab.press("Enter")
    page.wait_for_url("**/uploads/*/")
    expect(page.get_by_role("heading", name="1 of 3 files can be imported")).to_be_visible()
    problems = page.get_by_role("region", name="Problems")
    expect(problems).to_contain_text("half <b>.json keys[1].case_id")
    expect(problems).to_contain_text("cut.json")
    assert not Task.objects.exists()
    assert serious(page) == []
    tab_to(tab, "Import what is sound of every file")
    tab.press("Enter")
    expect(page.locator("[aria-current=step]")).to_contain_text("Report")
    assert Task.objects.filter(task_set__key="mine").count() == 3
    assert serious(page) == []
    tab_to(tab, "The report that stays")
    tab.press("Enter")
    page.wait_for_url("**/imports/*/")
    expect(page.get_by_role("row", name="cut.json")).to_contain_text("cut off")
    assert serious(page) == []
    tab_to(tab, "Imports")
    tab.press("Enter")
    page.wait_for_url("**/imports/")
    expect(page.get_by_role("table")).to_contain_text("with problems")
    assert serious(page) == []


def test_a_double_click_sends_one_upload(rita: User, open_tab: OpenTab, files: list[Path]) -> None:
    tab = open_tab(rita)
    page = tab.go(NEW)
    page.set_input_files("input[type=file]", str(files[0]))
    page.locator("form[data-upload] .btn-primary").dblclick()
    page.wait_for_url("**/uploads/*/")
    page.get_by_role("button", name="Import", exact=True).dblclick()
    expect(page.locator("[aria-current=step]")).to_contain_text("Report")
    assert (ImportJob.objects.count(), ImportReport.objects.count()) == (1, 1)
    page.go_back()
    assert (ImportJob.objects.count(), ImportReport.objects.count()) == (1, 1)


def test_without_script_everything_works(rita: User, open_tab: OpenTab, files: list[Path]) -> None:
    tab = open_tab(rita, java_script_enabled=False)
    page = tab.go(NEW)
    page.set_input_files("input[type=file]", str(files[0]))
    page.get_by_role("button", name="Upload and look through").click()
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_role("link", name="The report that stays")).to_be_visible()
    assert Task.objects.count() == 2


def test_a_large_import_shows_progress_and_is_cancelled(
    rita: User,
    open_tab: OpenTab,
    files: list[Path],
    settings: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The page follows a worker (a thread here) by itself, up to its end."""
    settings.UPLOAD_INLINE_MB = 0
    at_work = threading.Event()

    def run(request: ImportRequest) -> Report:
        for step in range(100_000):
            if not request.dry_run:
                at_work.set()
                request.progress(30, 100)
                threading.Event().wait(0.01)
            elif step > 3:
                break
        return Report([FileReport(str(request.paths[0]), created=7)])

    monkeypatch.setattr(formats, "_FORMATS", {})
    monkeypatch.setattr(progress, "LOOK_SECONDS", 0.05)
    formats.register(ImportFormat("slow", "Slow ones", "Takes its time.", (".json",), run))
    tab = open_tab(rita)
    page = tab.go(NEW)
    page.set_input_files("input[type=file]", str(files[0]))
    page.get_by_role("button", name="Upload and look through").click()
    expect(page.get_by_role("heading", name="Waiting to be looked through")).to_be_visible()
    job = ImportJob.objects.get()
    run_job(job.pk)
    expect(page.get_by_role("heading", name="Ready to import")).to_be_visible()
    page.get_by_role("button", name="Import", exact=True).click()

    def work() -> None:
        run_job(job.pk)
        connection.close()

    worker = threading.Thread(target=work)
    worker.start()
    at_work.wait(20)
    expect(page.get_by_text("30 of 100")).to_be_visible()
    assert serious(page) == []
    page.get_by_role("button", name="Cancel").click()
    worker.join(20)
    assert not worker.is_alive()
    expect(page.get_by_text("Cancelled at 30 %")).to_be_visible()
    assert ImportJob.objects.get().status == ImportJob.Status.CANCELLED
    assert not ImportReport.objects.exists()
    assert Study.objects.count() == 1


@pytest.mark.parametrize("size", [(1280, 800), (1440, 900)], ids=["1280", "1440"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_is_wider_than_the_window(
    rita: User, open_tab: OpenTab, files: list[Path], size: tuple[int, int], scheme: str
) -> None:
    tab = open_tab(rita, viewport={"width": size[0], "height": size[1]}, color_scheme=scheme)
    page = tab.go(NEW)
    over = "document.documentElement.scrollWidth - window.innerWidth"
    assert page.evaluate(over) <= 0
    page.set_input_files("input[type=file]", [str(path) for path in files])
    page.get_by_role("button", name="Upload and look through").click()
    page.wait_for_url("**/uploads/*/")
    assert page.evaluate(over) <= 0
    button = page.get_by_role("button", name="Import the sound file only")
    expect(button).to_be_in_viewport(ratio=1)
    assert serious(page) == []
