"""A real Chromium on the live site. Every page is watched: an error on its console, or a request
that leaves this machine, fails the test.
"""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.conf import settings as django_settings
from playwright.sync_api import Browser, BrowserContext, Page, Route, sync_playwright

LAUNCH = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="module", autouse=True)
def database_beside_playwright() -> Iterator[None]:
    """Playwright keeps an event loop in this thread; the tests still ask the database there."""
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    yield
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture(scope="module")
def chromium(database_beside_playwright: None) -> Iterator[Browser]:
    path = os.environ.get("GAVEL_CHROMIUM") or shutil.which("chromium") or shutil.which("chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=LAUNCH)
        yield browser
        browser.close()


class Tab:
    """One page of one person, with what went wrong on it."""

    def __init__(self, page: Page, base: str) -> None:
        self.page = page
        self.base = base
        self.errors: list[str] = []
        self.foreign: list[str] = []
        self.keys = 0
        self.expected: tuple[str, ...] = ()
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.route("**/*", self._watch)

    def _console(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.errors.append(message.text)

    def _watch(self, route: Route) -> None:
        if urlsplit(route.request.url).hostname in ("localhost", "127.0.0.1"):
            route.fallback()
        else:
            self.foreign.append(route.request.url)
            route.abort()

    def go(self, path: str) -> Page:
        self.page.goto(self.base + path)
        return self.page

    def press(self, *keys: str) -> None:
        """Press ``keys``, each counted as one."""
        for key in keys:
            self.page.keyboard.press(key)
            self.keys += 1

    def moved_to(self, path: str) -> None:
        """Wait until the address is ``path`` (whatever its query) and the page stands."""
        self.page.wait_for_url(lambda url: urlsplit(url).path == path)
        self.page.wait_for_function("!document.querySelector('#task').inert")

    def saved(self) -> None:
        """Wait until everything is stored."""
        self.page.wait_for_selector("#saved[data-state=saved]")

    def unexpected(self) -> list[str]:
        return [e for e in self.errors if not any(known in e for known in self.expected)]


OpenTab = Callable[..., Tab]


def _let_the_server_finish() -> None:
    """Wait for the last requests: emptying the tables beside one is a deadlock on PostgreSQL."""
    for thread in threading.enumerate():
        if "process_request_thread" in thread.name:
            thread.join(timeout=30)


@pytest.fixture
def open_tab(chromium: Browser, live_server: Any, transactional_db: None) -> Iterator[OpenTab]:
    """``open_tab(anna)`` is a tab in which anna is logged in; further arguments are a context's."""
    from django.test import Client

    contexts: list[BrowserContext] = []
    tabs: list[Tab] = []

    def _open(user: Any, context: BrowserContext | None = None, **options: Any) -> Tab:
        if context is None:
            options.setdefault("viewport", {"width": 1280, "height": 800})
            context = chromium.new_context(**options)
            contexts.append(context)
            client = Client()
            client.force_login(user)
            name = django_settings.SESSION_COOKIE_NAME
            context.add_cookies(
                [{"name": name, "value": client.cookies[name].value, "url": live_server.url}]
            )
        tab = Tab(context.new_page(), live_server.url)
        tabs.append(tab)
        return tab

    yield _open
    for context in contexts:
        context.close()
    _let_the_server_finish()
    assert [tab.unexpected() for tab in tabs] == [[] for _ in tabs]
    assert [tab.foreign for tab in tabs] == [[] for _ in tabs]
