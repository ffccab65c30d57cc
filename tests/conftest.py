"""People, a study, and the two rules of every test: no network but loopback, no key."""

from __future__ import annotations

import ipaddress
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# No property test may fail because the machine is busy.
settings.register_profile("gavel", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("gavel")


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """SQLite in a file, as in use: threads that share one in memory cannot wait for each other."""
    from django.db import connections

    for connection in connections.all():
        if connection.vendor == "sqlite":
            name = tmp_path_factory.mktemp("database") / "test.sqlite3"
            connection.settings_dict["TEST"]["NAME"] = str(name)


@pytest.fixture(autouse=True)
def loopback_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse every connection that leaves this machine."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6):
            host = address[0]
            is_loopback = host == "localhost" or _is_loopback(host)
            if not is_loopback:
                raise AssertionError(f"a test tried to reach {host}; tests stay on loopback")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """No key of the person who runs the tests may be used by accident."""
    for name in list(os.environ):
        if name.endswith("_API_KEY"):
            monkeypatch.delenv(name)


@pytest.fixture(autouse=True)
def cheap_passwords(settings: Any) -> None:
    """Hashing that is slow on purpose would take half of the suite's time."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture(autouse=True)
def static_files_as_they_are(settings: Any) -> None:
    """Look static files up when they are asked for, not all of them for each test client."""
    settings.WHITENOISE_AUTOREFRESH = True


@pytest.fixture(autouse=True)
def own_uploads(settings: Any, tmp_path: Path) -> None:
    """Uploads of a test lie in its own folder."""
    settings.UPLOAD_DIR = tmp_path / "uploads"


@pytest.fixture
def release_dir() -> Path:
    """The folder that holds the public release's ``data/``."""
    name = os.environ.get("GAVEL_RELEASE_DIR")
    if not name:
        pytest.skip("GAVEL_RELEASE_DIR is not set: the public release is not here")
    folder = Path(name)
    if (folder / "data").is_dir():
        return folder
    if folder.is_dir():
        return folder.parent
    raise AssertionError(f"GAVEL_RELEASE_DIR names {folder}, which is no folder")


@pytest.fixture
def study(db: None) -> Any:
    from tests.factories import make_study

    return make_study()


@pytest.fixture
def admin(study: Any) -> Any:
    from tests.factories import make_member

    return make_member(study, "admin", "ada-admin")


@pytest.fixture
def researcher(study: Any) -> Any:
    from tests.factories import make_member

    return make_member(study, "researcher", "rita")


@pytest.fixture
def annotator(study: Any) -> Any:
    from tests.factories import make_member

    return make_member(study, "annotator", "anna")


@pytest.fixture
def outsider(db: None) -> Any:
    """Somebody with an account and no study."""
    from tests.factories import make_user

    return make_user("otto")


@pytest.fixture
def as_user(client: Any) -> Iterator[Any]:
    """``as_user(anna)`` is a Django test client in which anna is logged in."""
    from django.test import Client

    def login(user: Any) -> Client:
        own = Client()
        own.force_login(user)
        return own

    return login


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """With GAVEL_NO_SKIPS set (continuous integration), a skipped test fails the run."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or not os.environ.get("GAVEL_NO_SKIPS"):
        return
    if reporter.stats.get("skipped") and session.exitstatus == 0:
        reporter.write_line("GAVEL_NO_SKIPS is set, and tests were skipped.", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
