import copy
import json
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.errors import InvalidInput
from annotation.kinds.comparison import (
    Content,
    ListAnswer,
    Relation,
    Side,
    SingleAnswer,
    settle,
)
from annotation.records.comparison_answer import (
    OriginalAnswer,
    original_answer,
    read_original_answer,
)
from annotation.records.report import UnreadableFile

SOURCES = {"model_source": "out/m_summarization/cases", "reference_source": "out/cases"}
SINGLE = Content(form="single", model=["m"], reference=["r"], **SOURCES)
LIST = Content(form="list", model=["m1", "m2", "m3"], reference=["r1", "r2"], **SOURCES)
LISTED = ListAnswer(pairs=[(0, 1), (2, 1)], only_model=[1], only_reference=[0])


def given_by(answer: Any, first: Side = Side.MODEL, **other: Any) -> OriginalAnswer:
    return OriginalAnswer(
        username="anna",
        session_id="8f6d0c9e-0000-4000-8000-000000000000",
        timestamp=datetime(2025, 4, 30, 12, 5, 1, 250),
        index=3,
        case_id="46341",
        item_name="Trials",
        source_pair_idx=2,
        first=first,
        answer=answer,
        **{"feedback": "see docket", "has_problem": True, "seconds": 41, **other},
    )


def test_a_list_as_it_was_shown_counted_from_one():
    """Model values 1 and 3 match reference value 2; shown with the reference as A."""
    written = original_answer(given_by(LISTED, Side.REFERENCE), LIST)
    assert written == {
        "username": "anna",
        "session_id": "8f6d0c9e-0000-4000-8000-000000000000",
        "timestamp": "2025-04-30T12:05:01.000250",
        "index": 3,
        "key": {"case_id": "46341", "checklist_item": "Trials", "source_pair_idx": 2},
        "order": ["out/cases", "out/m_summarization/cases"],
        "annotation": {
            "type": "list",
            "matches": {
                "common": [{"A_index": 2, "B_index": 1}, {"A_index": 2, "B_index": 3}],
                "only_in_A": [1],
                "only_in_B": [2],
            },
        },
        "has_problem": True,
        "feedback": "see docket",
        "time_spent_seconds": 41,
    }


def test_the_same_list_shown_the_other_way():
    written = original_answer(given_by(LISTED, Side.MODEL), LIST)
    assert written["order"] == ["out/m_summarization/cases", "out/cases"]
    assert written["annotation"] == {
        "type": "list",
        "matches": {
            "common": [{"A_index": 1, "B_index": 2}, {"A_index": 3, "B_index": 2}],
            "only_in_A": [2],
            "only_in_B": [1],
        },
    }


@pytest.mark.parametrize(
    ("relation", "first", "words"),
    [
        (Relation.EQUAL, Side.MODEL, "A equals B"),
        (Relation.DIFFERENT, Side.REFERENCE, "A and B are different"),
        (Relation.MODEL_CONTAINS, Side.MODEL, "A contains B"),
        (Relation.MODEL_CONTAINS, Side.REFERENCE, "B contains A"),
        (Relation.REFERENCE_CONTAINS, Side.MODEL, "B contains A"),
        (Relation.REFERENCE_CONTAINS, Side.REFERENCE, "A contains B"),
    ],
)
def test_relations_speak_of_what_was_shown(relation, first, words):
    record = given_by(SingleAnswer(relation=relation), first)
    written = original_answer(record, SINGLE)
    assert written["annotation"] == {"type": "string", "relationship": words}
    assert read_original_answer(written, SINGLE, name="a.json") == record


def test_a_skipped_pair_has_no_flag_and_no_feedback():
    written = original_answer(given_by(None, feedback="", has_problem=False), SINGLE)
    assert written["annotation"] == {"skipped": True}
    assert "feedback" not in written
    assert "has_problem" not in written


def test_a_skipped_pair_keeps_what_was_said_of_it():
    record = given_by(None)
    written = original_answer(record, SINGLE)
    assert (written["feedback"], written["has_problem"]) == ("see docket", True)
    assert read_original_answer(written, SINGLE, name="a.json") == record


@st.composite
def answered(draw: Any) -> tuple[Content, OriginalAnswer]:
    first = draw(st.sampled_from(Side))
    other = {
        "feedback": draw(st.text(max_size=5)),
        "has_problem": draw(st.booleans()),
        "seconds": draw(st.integers(0, 10**6)),
    }
    kind = draw(st.sampled_from(["skipped", "single", "list"]))
    if kind == "skipped":
        return SINGLE, given_by(None, first, **other)
    if kind == "single":
        answer = SingleAnswer(relation=draw(st.sampled_from(Relation)))
        return SINGLE, given_by(answer, first, **other)
    n, m = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    content = Content(form="list", model=["m"] * n, reference=["r"] * m, **SOURCES)
    pairs = draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, m - 1)), max_size=6))
    return content, given_by(settle(pairs, content), first, **other)


@given(answered())
def test_round_trip(case):
    content, record = case
    written = json.loads(json.dumps(original_answer(record, content)))
    assert read_original_answer(written, content, name="a.json") == record


def test_a_zone_is_left_out():
    moment = datetime.fromisoformat("2025-04-30T12:00:00-04:00")
    written = original_answer(replace(given_by(LISTED), timestamp=moment), LIST)
    assert written["timestamp"] == "2025-04-30T12:00:00"


def test_sides_of_one_source_cannot_be_written():
    content = SINGLE.model_copy(update={"model_source": "out/cases"})
    with pytest.raises(InvalidInput, match="case 46341, Trials name the same source"):
        original_answer(given_by(None), content)


def changed(path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    data: Any = copy.deepcopy(original_answer(given_by(LISTED), LIST))
    inner = data
    for step in path[:-1]:
        inner = inner[step]
    if value is ...:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return data


MATCHES = ("annotation", "matches")


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("order",), ["a", "b"], "a.json: order: does not name the two sources of this pair."),
        (("annotation", "type"), "text", 'annotation.type: must be "string" or "list"'),
        (("annotation",), {"type": "string", "relationship": "A is B"},
         'annotation.relationship: must be "A equals B"'),
        (("annotation",), {"type": "string", "relationship": "A equals B"},
         "This task asks for a list answer"),
        (("annotation",), {"type": "string", "relationship": []}, "and is an empty list"),
        ((*MATCHES, "common", 0, "A_index"), 0,
         r"annotation.matches.common\[0\].A_index: must be from 1 to"),
        ((*MATCHES, "common", 0, "A_index"), 9, "annotation: Value 9 does not exist"),
        ((*MATCHES, "only_in_A"), [], "annotation: Not settled yet: 2"),
        ((*MATCHES, "only_in_A"), [2, 1], "both matched and"),
        ((*MATCHES, "only_in_B"), ..., 'annotation.matches: has no "only_in_B"'),
        (("timestamp",), "yesterday", "timestamp: must be like 2025-04-30T12:00:00"),
        (("feedback",), None, "feedback: must be a text, and is null"),
        (("time_spent_seconds",), 1.5, "time_spent_seconds: must be a whole number"),
        (("username",), "", "username: must say something"),
        (("key", "source_pair_idx"), ..., 'key: has no "source_pair_idx"'),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_named(path, value, message):
    with pytest.raises(UnreadableFile, match=message):
        read_original_answer(changed(path, value), LIST, name="a.json")


def test_a_task_that_no_file_numbered():
    record = replace(given_by(LISTED), source_pair_idx=None)
    written = original_answer(record, LIST)
    assert read_original_answer(written, LIST, name="a.json") == record


@given(
    st.sampled_from(
        [("key",), ("order",), ("order", 0), ("annotation",), MATCHES, (*MATCHES, "common"),
         (*MATCHES, "common", 0), (*MATCHES, "common", 0, "B_index"), (*MATCHES, "only_in_B"),
         ("timestamp",), ("index",), ("username",), ("has_problem",), ("feedback",)]
    ),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
        lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner),
        max_leaves=4,
    ) | st.just(...),
)  # fmt: skip
def test_anything_anywhere_is_read_or_named(path, value):
    try:
        record = read_original_answer(changed(path, value), LIST, name="a.json")
    except UnreadableFile as error:
        assert error.place or error.reason  # noqa: PT017 - any other exception fails the test
    else:
        assert record.index >= 0
