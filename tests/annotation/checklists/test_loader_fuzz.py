"""Whatever the file holds: a template, or the declared error with sentences in it."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from annotation.checklists import yaml_reader
from annotation.checklists.loader import load_bytes, load_text
from annotation.checklists.problems import InvalidTemplate
from annotation.checklists.schema import Template

LEGAL = files("annotation.checklists").joinpath("builtin/legal.yaml").read_text("utf-8")
LINES = LEGAL.splitlines(keepends=True)[:90]
FIELDS = [*Template.model_fields, "one", "label", "group", "aliases", "definition", "cues"]


def check(text: str) -> None:
    error: InvalidTemplate | None = None
    try:
        template = load_text(text, "fuzz.yaml")
    except InvalidTemplate as caught:
        error = caught
    if error is None:
        assert Template.from_json(template.to_json()) == template
        return
    assert error.problems
    assert all(problem.message.strip() for problem in error.problems)
    error.message.encode()


@pytest.fixture(params=[yaml.CSafeLoader, yaml.SafeLoader], ids=["libyaml", "python"], autouse=True)
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_reader, "_Loader", request.param)


yaml_like = st.lists(
    st.one_of(
        st.sampled_from(
            [
                *":-?&*!|>%@`'\"#{}[],\n \t",
                "\n  ",
                "\n- ",
                ": ",
                "---\n",
                "...\n",
                "<<: ",
                "*a",
                "&a ",
            ]
        ),
        st.sampled_from([f"\n{field}: " for field in FIELDS]),
        st.sampled_from(
            ["!!python/object:os.x ", "%YAML 9.9\n", '"\\UFFFFFFFF"', "0o9", "~", "\r\n"]
        ),
        st.text(max_size=4),
    ),
    max_size=25,
).map("".join)

plain = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=12)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.one_of(st.sampled_from(FIELDS), st.text(max_size=5)), inner, max_size=4),
    ),
    max_leaves=20,
)


@settings(max_examples=200, deadline=None)
@given(yaml_like)
@example("%YAML " + "9" * 5000 + ".1\n---\na: b")
@example('"\\uD800": a')
@example("? ? ? ? ? ? ? ? ? ? ? ? ? ? ? a")
@example("a: !<tag:yaml.org,2002:%ff> b")
@example("\ufeff\ufeffkey: a")
def test_text_that_looks_like_yaml(text: str) -> None:
    check(text)


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(st.sampled_from(FIELDS), plain))
def test_any_data_under_the_names_of_fields(data: dict[str, Any]) -> None:
    check(yaml.safe_dump(data, allow_unicode=True))


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_a_good_file_with_some_lines_lost_doubled_or_changed(data: st.DataObject) -> None:
    lines = list(LINES)
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(lines) - 1))
        lines[place] = data.draw(
            st.sampled_from(
                [
                    "",
                    lines[place] * 2,
                    lines[place].lstrip(),
                    " " + lines[place],
                    lines[place].replace(":", "", 1),
                    lines[place].replace("'", "", 1),
                    lines[place].upper(),
                ]
            )
        )
    check("".join(lines))


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes(data: bytes) -> None:
    with pytest.raises(InvalidTemplate):
        load_bytes(data, "fuzz.yaml")
