"""Judges by name: make one, find one."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.db import IntegrityError, transaction

from agent.models import Judge
from annotation import audit
from annotation.errors import Conflict, InvalidInput, NotFound
from annotation.models import User
from annotation.text.normalise import storable_json, storable_text

RULES = "rules"
LONGEST_TIMEOUT = 24 * 3600
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,79}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,119}")


def rules_judge() -> Judge:
    """The built-in baseline; its row comes with the migrations, and is made again if it is gone."""
    return Judge.objects.get_or_create(name=RULES, defaults={"kind": Judge.Kind.RULES})[0]


def judge_by_name(name: str) -> Judge:
    """The active judge called ``name``. Raises ``NotFound`` with the known judges."""
    if name == RULES:
        return rules_judge()
    judge = Judge.objects.filter(name=name, is_active=True).first()
    if judge is None:
        known = Judge.objects.filter(is_active=True).exclude(name=RULES).order_by("name")
        names = ", ".join([RULES, *known.values_list("name", flat=True)])
        raise NotFound(f"There is no judge called {name}. Known: {names}. Add one with add_judge.")
    return judge


def add_judge(
    name: str,
    *,
    base_url: str,
    model: str,
    api_key_env: str = "",
    params: Mapping[str, Any] | None = None,
    concurrency: int = 4,
    timeout_seconds: int = 120,
    is_anchored: bool = False,
    actor: User | None = None,
) -> Judge:
    """Store an OpenAI-compatible endpoint as a judge.

    ``api_key_env`` is the *name* of the variable that holds the key. Raises ``InvalidInput`` for
    an address, name or variable that cannot be right (or is not on the list of allowed hosts),
    ``Conflict`` when the name is taken.
    """
    if not _NAME.fullmatch(name):
        raise InvalidInput(f"“{name}” cannot name a judge: use letters, digits, - and _.")
    check_address(base_url)
    if not model:
        raise InvalidInput("Name the model as the endpoint knows it (--model).")
    for what, text, most in (("base_url", base_url, 500), ("model", model, 200)):
        if len(text) > most or storable_text(text) != text:
            raise InvalidInput(f"{what} may have {most} characters, none of them NUL.")
    if api_key_env and not _VARIABLE.fullmatch(api_key_env):
        raise InvalidInput(
            "--api-key-env takes the name of an environment variable (such as MY_API_KEY), "
            "never the key itself."
        )
    if not 1 <= concurrency <= 256 or not 1 <= timeout_seconds <= LONGEST_TIMEOUT:
        raise InvalidInput(
            f"Concurrency must be 1 to 256, and the time-out 1 to {LONGEST_TIMEOUT:,} seconds."
        )
    taken = Conflict(f"There is a judge called {name} already. Choose another name.")
    if name == RULES or Judge.objects.filter(name=name).exists():
        raise taken
    judge = Judge(
        name=name,
        kind=Judge.Kind.OPENAI,
        base_url=base_url.rstrip("/"),
        model=model,
        api_key_env=api_key_env,
        params=_params(params or {}),
        concurrency=concurrency,
        timeout_seconds=timeout_seconds,
        is_anchored=is_anchored,
    )
    try:
        with transaction.atomic():
            judge.save()
            audit.log("judge.added", actor=actor, target=judge, detail=snapshot(judge))
    except IntegrityError:  # somebody else added it after we looked
        raise taken from None
    return judge


def _params(params: Mapping[str, Any]) -> dict[str, Any]:
    """``params`` if they are JSON that both databases hold: no NaN, no NUL."""
    clean = dict(params)
    try:
        json.dumps(clean, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(f"The parameters cannot be written as JSON: {error}.") from error
    if storable_json(clean) != clean:
        raise InvalidInput("The parameters hold a NUL character or half of a surrogate pair.")
    return clean


def check_address(base_url: str) -> None:
    """Refuse what is no http(s) address, carries a password, or is not on the allowed list."""
    try:
        parts = urlsplit(base_url)
        host = parts.hostname
        parts.port  # noqa: B018  raises for a port that is no number
    except ValueError as error:
        raise InvalidInput(f"“{base_url}” is no address: {error}.") from error
    if parts.scheme not in ("http", "https") or not host:
        raise InvalidInput(f"“{base_url}” is no http or https address.")
    if parts.username or parts.password:
        raise InvalidInput("Leave names and passwords out of the address; use --api-key-env.")
    allowed = settings.JUDGE_ALLOWED_HOSTS
    if allowed and host not in allowed:
        raise InvalidInput(
            f"{host} is not among the hosts that judges may be reached at "
            f"(GAVEL_JUDGE_HOSTS: {', '.join(allowed)})."
        )


def snapshot(judge: Judge) -> dict[str, Any]:
    """The judge as it is now, for keeping with a run. Never holds a key."""
    return {
        "name": judge.name,
        "kind": judge.kind,
        "base_url": judge.base_url,
        "model": judge.model,
        "api_key_env": judge.api_key_env,
        "params": judge.params,
        "timeout_seconds": judge.timeout_seconds,
        "concurrency": judge.concurrency,
        "is_anchored": judge.is_anchored,
    }
