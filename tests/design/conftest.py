"""Pages rendered from their templates and opened in a real browser, without a server.

The routes below answer for the site, with its content security policy; every other host is out
of reach.
"""

from __future__ import annotations

import mimetypes
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.contrib.staticfiles import finders
from django.http import HttpRequest
from django.template.loader import render_to_string
from playwright.sync_api import Browser, Page, Route, sync_playwright

SITE = "http://gavel.test"
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; font-src 'self'; form-action 'self'; frame-ancestors 'none'; "
    "base-uri 'none'"
)
LAUNCH = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

Answer = Callable[[Route], None]


@pytest.fixture(autouse=True)
def only_the_four_names(settings: Any) -> None:
    settings.ROOT_URLCONF = "tests.design.urls"


def person(**changes: Any) -> SimpleNamespace:
    """Somebody who is signed in, with the display settings of an account."""
    defaults = {
        "is_authenticated": True,
        "theme": "system",
        "density": "comfortable",
        "text_size": "m",
        "single_keys": True,
        "get_username": "ines.demo",
        "get_short_name": "Ines",
    }
    return SimpleNamespace(**(defaults | changes))


@pytest.fixture
def render() -> Callable[..., str]:
    """``render("404.html", user=person(theme="dark"))`` is the page as text."""

    def _render(template: str, request: HttpRequest | None = None, **context: Any) -> str:
        defaults = {"user": person(), "csrf_token": "token"}
        return render_to_string(template, defaults | context, request)

    return _render


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """A browser for one module: while it runs, Django refuses the database in this thread."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=LAUNCH)
        yield browser
        browser.close()


class Site:
    """One page of HTML in a browser tab, and what its requests get for an answer."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.html = ""
        self.answers: dict[str, Answer] = {}
        self.console: list[str] = []
        self.refused: list[str] = []
        page.on("console", lambda m: self.console.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: self.console.append(str(error)))
        page.route("**/*", self._answer)

    def show(self, html: str) -> Page:
        """Open ``html`` as if the site had sent it."""
        self.html = html
        self.page.goto(f"{SITE}/page/")
        return self.page

    def _answer(self, route: Route) -> None:
        url = urlsplit(route.request.url)
        if url.hostname != "gavel.test":
            self.refused.append(route.request.url)
            route.abort()
        elif url.path in self.answers:
            self.answers[url.path](route)
        elif url.path.startswith("/static/"):
            found = finders.find(url.path.removeprefix("/static/"))
            assert isinstance(found, str), f"{url.path} is no static file"
            kind = mimetypes.guess_type(found)[0] or "application/octet-stream"
            route.fulfill(body=Path(found).read_bytes(), content_type=kind)
        else:
            route.fulfill(
                body=self.html,
                content_type="text/html; charset=utf-8",
                headers={"Content-Security-Policy": CSP},
            )


@pytest.fixture
def site(chromium: Browser, request: pytest.FixtureRequest) -> Iterator[Site]:
    """A fresh tab; parametrise indirectly with the options of a browser context."""
    options = getattr(request, "param", {"viewport": {"width": 1280, "height": 800}})
    context = chromium.new_context(**options)
    yield Site(context.new_page())
    context.close()
