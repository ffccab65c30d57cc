"""errors.js with the real htmx: what a person sees when a request fails."""

import mimetypes
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from django.contrib.staticfiles import finders
from playwright.sync_api import Browser, Page, Route, expect

from tests.design.conftest import Site

pytestmark = pytest.mark.browser

Render = Callable[..., str]

BODY = """
<form hx-post="/save/" hx-target="#out">
  <input name="note" id="note"><button id="save">s</button>
</form>
<button id="load" hx-get="/load/" hx-target="#out">l</button>
<div data-background><button id="beat" hx-post="/beat/" hx-swap="none">b</button></div>
<div id="out">before</div><div id="elsewhere"></div>
"""


@pytest.fixture
def work(site: Site, render: Render) -> Page:
    html = render("base_work.html").replace('data-state="idle"', 'data-state="saved"')
    page = site.show(html.replace("</main>", f"{BODY}</main>", 1))
    page.fill("#note", "what I typed")
    return page


def answers(status: int, body: str = "", **headers: str) -> Callable[[Route], None]:
    kind = headers.pop("kind", "text/html")
    return lambda route: route.fulfill(status=status, body=body, content_type=kind, headers=headers)


def assert_failed(page: Page, words: str) -> None:
    message = page.locator("#request-errors .message")
    expect(message).to_be_visible()
    expect(message.locator("p:visible")).to_have_count(1)
    expect(message.locator("p:visible")).to_contain_text(words)
    expect(page.locator("#saved")).to_have_attribute("data-state", "failed")
    expect(page.locator("#saved")).to_have_text("Not saved", use_inner_text=True)
    expect(page.locator("#out")).to_have_text("before")
    assert page.input_value("#note") == "what I typed"


def test_each_refusal_has_its_sentence(work: Page, site: Site) -> None:
    sentences = {
        500: "Something went wrong on the server",
        503: "Something went wrong on the server",
        403: "You may not do this",
        404: "This is no longer there",
        409: "This has changed since you opened it",
        413: "too large to be sent",
        429: "Too many requests",
        400: "The request was refused",
    }
    for status, words in sentences.items():
        site.answers["/save/"] = answers(status, "<h1>error page</h1>")
        work.click("#save")
        assert_failed(work, words)


def test_network_failure_then_success(work: Page, site: Site) -> None:
    site.answers["/save/"] = lambda route: route.abort()
    work.click("#save")
    assert_failed(work, "Gavel cannot be reached")
    site.answers["/load/"] = answers(200, "loaded")
    work.click("#load")
    expect(work.locator("#out")).to_have_text("loaded")
    # Reading something is no proof that the lost change has been stored.
    expect(work.locator("#saved")).to_have_attribute("data-state", "failed")
    expect(work.locator("#request-errors .message")).to_be_visible()
    site.answers["/save/"] = answers(
        200, 'stored<span id="saved" hx-swap-oob="true" data-state="saved">Saved 12:03</span>'
    )
    work.click("#save")
    expect(work.locator("#saved")).to_have_text("Saved 12:03")
    expect(work.locator("#saved")).to_have_attribute("data-state", "saved")
    expect(work.locator("#request-errors .message")).to_be_hidden()


def test_time_out(site: Site, render: Render) -> None:
    html = render("base_work.html").replace('"timeout": 20000', '"timeout": 50')
    page = site.show(html.replace("</main>", f"{BODY}</main>", 1))
    page.fill("#note", "what I typed")
    site.answers["/save/"] = lambda route: None
    page.click("#save")
    assert_failed(page, "Gavel took too long to answer")


def test_the_servers_own_sentence_is_shown_as_text(work: Page, site: Site) -> None:
    site.answers["/save/"] = answers(
        409, '{"detail": "Taken by <b>R2</b>.", "code": "conflict"}', kind="application/json"
    )
    work.click("#save")
    assert_failed(work, "Taken by <b>R2</b>.")
    site.answers["/save/"] = answers(
        422, '{"detail": "Not settled yet: 3.", "code": "invalid"}', kind="application/json"
    )
    work.click("#save")
    assert_failed(work, "Not settled yet: 3.")


def test_422_is_swapped_and_is_no_failure(work: Page, site: Site) -> None:
    site.answers["/save/"] = answers(422, "choose a relation first")
    work.click("#save")
    expect(work.locator("#out")).to_have_text("choose a relation first")
    expect(work.locator("#saved")).to_have_attribute("data-state", "saved")
    expect(work.locator("#request-errors .message")).to_be_hidden()


def test_an_error_that_names_its_place_is_swapped_there(work: Page, site: Site) -> None:
    site.answers["/save/"] = answers(
        409, "both versions", **{"HX-Retarget": "#elsewhere", "HX-Reswap": "innerHTML"}
    )
    work.click("#save")
    expect(work.locator("#elsewhere")).to_have_text("both versions")
    expect(work.locator("#out")).to_have_text("before")
    expect(work.locator("#request-errors .message")).to_be_hidden()


class Elsewhere(BaseHTTPRequestHandler):
    """A site that has forgotten the session: every write is sent to the login page."""

    page = ""

    def do_GET(self) -> None:
        if self.path.startswith("/static/"):
            found = finders.find(self.path.removeprefix("/static/"))
            assert isinstance(found, str)
            kind = mimetypes.guess_type(found)[0] or "application/octet-stream"
            self.send(Path(found).read_bytes(), kind)
        elif self.path.startswith("/login/"):
            self.send(b"<h1>Sign in</h1>", "text/html")
        else:
            self.send(self.page.encode(), "text/html; charset=utf-8")

    def do_POST(self) -> None:
        self.send_response(302)
        self.send_header("Location", "/login/?next=/save/")
        self.end_headers()

    def send(self, body: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Keep the test's output quiet."""


def test_a_lost_session_never_puts_the_login_page_into_the_work(
    chromium: Browser, render: Render
) -> None:
    Elsewhere.page = render("base_work.html").replace("</main>", f"{BODY}</main>", 1)
    with ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        page = chromium.new_page()
        page.goto(f"http://127.0.0.1:{server.server_port}/page/")
        page.fill("#note", "what I typed")
        page.click("#save")
        assert_failed(page, "You have been signed out")
        expect(page.locator("#request-errors a")).to_have_attribute("href", "/login/")
        page.close()
        server.shutdown()


def test_a_failed_read_leaves_the_saved_mark(work: Page, site: Site) -> None:
    site.answers["/load/"] = answers(500)
    work.click("#load")
    expect(work.locator("#request-errors .message")).to_be_visible()
    expect(work.locator("#saved")).to_have_attribute("data-state", "saved")
    site.answers["/load/"] = answers(200, "loaded")
    work.click("#load")
    expect(work.locator("#request-errors .message")).to_be_hidden()


def test_background_requests_neither_alarm_nor_clear(work: Page, site: Site) -> None:
    site.answers["/beat/"] = answers(500)
    work.click("#beat")
    work.wait_for_function("document.querySelectorAll('.htmx-request').length === 0")
    expect(work.locator("#request-errors .message")).to_be_hidden()
    site.answers["/save/"] = answers(500)
    work.click("#save")
    assert_failed(work, "Something went wrong on the server")
    site.answers["/beat/"] = answers(204)
    with work.expect_response("**/beat/"):
        work.click("#beat")
    assert_failed(work, "Something went wrong on the server")


def test_busy_while_a_write_is_under_way(work: Page, site: Site) -> None:
    waiting: list[Route] = []
    site.answers["/save/"] = waiting.append
    work.click("#save")
    expect(work.locator("#saved")).to_have_attribute("data-state", "busy")
    expect(work.locator("#saved")).to_have_text("Saving…", use_inner_text=True)
    waiting[0].fulfill(status=200, body="stored")
    expect(work.locator("#saved")).to_have_attribute("data-state", "saved")


def test_a_message_can_be_dismissed(work: Page, site: Site) -> None:
    site.answers["/save/"] = answers(500)
    work.click("#save")
    work.click("#request-errors [data-dismiss]")
    expect(work.locator("#request-errors .message")).to_be_hidden()
    expect(work.locator("#saved")).to_have_attribute("data-state", "failed")
