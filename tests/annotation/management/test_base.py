"""The shared shape of commands: one JSON object, one sentence, exit codes."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.errors import NotFound
from annotation.management.base import GavelCommand, comma_separated


class Count(GavelCommand):
    def arguments(self, parser: Any) -> None:
        parser.add_argument("--to", type=int, required=True)

    def run(self, **options: Any) -> dict[str, Any]:
        if options["to"] < 0:
            raise NotFound("There is no such number. Count upwards.")
        self.say("counting")
        self.progress(1, 2, "counted")
        return {"counted": options["to"]}

    def describe(self, result: dict[str, Any]) -> str:
        return f"Counted to {result['counted']}."


def run(*args: str) -> tuple[str, str]:
    out, err = io.StringIO(), io.StringIO()
    call_command(Count(), *args, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def test_json_is_one_object_on_standard_output_and_messages_go_to_standard_error() -> None:
    out, err = run("--to", "3", "--json")
    assert json.loads(out) == {"counted": 3}
    assert err == "counting\n"


def test_without_json_the_result_is_a_sentence() -> None:
    out, _ = run("--to", "3")
    assert out == "Counted to 3.\n"


def test_a_domain_error_is_one_sentence_and_exit_code_1() -> None:
    with pytest.raises(CommandError, match="There is no such number") as caught:
        run("--to", "-1")
    assert caught.value.returncode == 1


def test_wrong_usage_is_exit_code_2() -> None:
    with pytest.raises(SystemExit) as caught:
        Count().run_from_argv(["manage.py", "count"])
    assert caught.value.code == 2


def test_names_are_split_at_commas_and_trimmed() -> None:
    assert comma_separated(" anna, ben,,cleo ") == ["anna", "ben", "cleo"]
