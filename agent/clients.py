"""From a judge's row and the environment to a client: the only place that reads keys."""

from __future__ import annotations

import os
from pathlib import Path

from agent.connecting.services import check_address
from agent.llm.client import ChatClient
from agent.llm.errors import missing_key
from agent.llm.openai_client import ClientOptions, OpenAIClient, Timeouts
from agent.llm.tokens import o200k_base
from agent.models import Judge


def api_key_of(judge: Judge) -> str | None:
    """The key of ``judge``, from its variable or from the file that ``<variable>_FILE`` names.

    None when the judge needs no key. Raises ``ModelError`` (``missing_key``) naming judge and
    variable when the key is not there.
    """
    variable = judge.api_key_env
    if not variable:
        return None
    key = os.environ.get(variable, "").strip()
    file_name = os.environ.get(f"{variable}_FILE", "")
    if not key and file_name:
        try:
            key = Path(file_name).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError):
            key = ""
    if not key:
        raise missing_key(judge.name, variable)
    return key


def client_for(judge: Judge) -> ChatClient:
    """A client for one worker thread. Raises ``ModelError`` or ``InvalidInput``; calls nobody.

    It counts prompts itself, so that an endpoint which silently cuts a prompt is noticed.
    """
    check_address(judge.base_url)
    seconds = float(judge.timeout_seconds)
    return OpenAIClient(
        judge.base_url,
        judge.model,
        api_key=api_key_of(judge),
        options=ClientOptions(timeouts=Timeouts(read=seconds, total=max(3 * seconds, 900.0))),
        counter=o200k_base(),
    )
