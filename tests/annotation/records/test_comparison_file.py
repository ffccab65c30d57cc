import copy
import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.kinds.comparison import Side
from annotation.records.comparison_file import parse_comparisons, read_comparisons
from annotation.records.report import FileReport, UnreadableFile

MODEL = "out/m1_summarization/cases"
OTHER = "out/m2_summarization/cases"
HUMAN = "out/cases"
ITEMS = {"Trials": "trials", "Appeal": "appeals", "appeals": "appeals"}


def entry(case="10", item="Trials", index=0, a="x", b="y", order=(HUMAN, MODEL)) -> Any:
    return (
        {"case_id": case, "checklist_item": item, "source_pair_idx": index},
        {"item_A": a, "item_B": b, "is_list": isinstance(a, list)},
        list(order),
    )


def document(*entries: Any, **metadata: Any) -> dict[str, Any]:
    keys, pairs, orders = zip(*entries, strict=True)
    pairs_list = [[HUMAN, MODEL], [HUMAN, OTHER]]
    return {
        "keys": list(keys),
        "value_pairs": list(pairs),
        "orders": list(orders),
        "metadata": {"data_pair_list": pairs_list, **metadata},
    }


def parse(data: object):
    report = FileReport("pairs.json")
    return parse_comparisons(data, ITEMS.get, report), report


def problems(data: object) -> list[str]:
    return [str(problem) for problem in parse(data)[1].problems]


def test_sides_follow_the_order():
    records, report = parse(
        document(
            entry(case="10", a=["r1", "r2"], b=["m1"], order=(HUMAN, MODEL)),
            entry(case="11", a="m", b="r", order=(OTHER, HUMAN), index=1),
        )
    )
    first, second = (record.content for record in records)
    assert (first.form, first.reference, first.model) == ("list", ["r1", "r2"], ["m1"])
    assert (first.model_source, first.reference_source) == (MODEL, HUMAN)
    assert first.imported_first is Side.REFERENCE
    assert (second.form, second.reference, second.model) == ("single", ["r"], ["m"])
    assert (second.model_source, second.reference_source) == (OTHER, HUMAN)
    assert second.imported_first is Side.MODEL
    assert report.found == {"lists": 1, "singles": 1}
    assert report.problems == []


def test_what_a_record_names():
    (record,), _ = parse(
        document(entry(case="CJ-FL-0009", item="Appeal", index=1, order=(OTHER, HUMAN)))
    )
    assert (record.key, record.case_id, record.item_key, record.item_name) == (
        "CJ-FL-0009/appeals/1",
        "CJ-FL-0009",
        "appeals",
        "Appeal",
    )
    assert (record.source_pair_idx, record.position, record.metadata) == (1, 0, {})


def test_keys_do_not_depend_on_position_or_spelling():
    one = document(entry(case="1"), entry(case="2", item="Appeal"))
    other = document(entry(case="2", item="appeals"), entry(case="1"))
    assert {r.key for r in parse(one)[0]} == {r.key for r in parse(other)[0]}


def test_a_tie_is_broken_by_position():
    records, report = parse(document(entry(a="x"), entry(case="11"), entry(a="z")))
    assert [record.key for record in records] == ["10/trials/0", "11/trials/0", "10/trials/0#2"]
    assert report.problems == []


def test_a_slash_in_a_case_id_makes_no_other_key():
    records, _ = parse(document(entry(case="a/trials/0"), entry(case="a"), entry(case="a/trials")))
    assert len({record.key for record in records}) == 3


def test_the_same_pair_twice_is_refused_also_when_shown_the_other_way():
    records, report = parse(
        document(entry(a="x", b="y"), entry(a="y", b="x", order=(MODEL, HUMAN)))
    )
    assert len(records) == 1
    assert [str(problem) for problem in report.problems] == [
        "keys[1]: is the same pair as keys[0]. Take one out."
    ]


@pytest.mark.parametrize(("order", "word"), [((MODEL, OTHER), "both"), ((HUMAN, HUMAN), "neither")])
def test_unknown_orientation_is_refused_and_counted(order, word):
    data = document(entry(), entry(case="11", order=order), entry(case="12"))
    del data["metadata"]
    records, report = parse(data)
    assert [record.case_id for record in records] == ["10", "12"]
    assert report.found == {"singles": 2, "orientation_unknown": 1}
    (problem,) = report.problems
    assert problem.place == "orders[1]"
    assert problem.message.startswith(f"{word} of the two sources")
    assert "which side is the reference is unknown" in problem.message


def set_at(data: Any, path: tuple[Any, ...], value: Any) -> Any:
    for step in path[:-1]:
        data = data[step]
    if value is ...:
        del data[path[-1]]
    else:
        data[path[-1]] = value
    return data


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("keys", 1), 7, "keys[1]: must be an object, and is the number 7."),
        (("keys", 1, "case_id"), 7, "keys[1].case_id: must be a text, and is the number 7."),
        (("keys", 1, "case_id"), ..., 'keys[1]: has no "case_id", which is needed.'),
        (("keys", 1, "case_id"), " 1", "keys[1].case_id: must have no blanks at its ends"),
        (("keys", 1, "case_id"), "a\nb", "keys[1].case_id: must have no control characters"),
        (("keys", 1, "case_id"), "a\ud800", "keys[1].case_id: must have no control characters"),
        (("keys", 1, "case_id"), "x" * 201, "keys[1].case_id: must have 120 characters or fewer"),
        (("keys", 1, "checklist_item"), "Tryals",
         'keys[1].checklist_item: "Tryals" is no item of this study\'s checklist.'),
        (("keys", 1, "checklist_item"), [], "keys[1].checklist_item: must be a text"),
        (("keys", 1, "source_pair_idx"), True,
         "keys[1].source_pair_idx: must be a whole number, and is true."),
        (("keys", 1, "source_pair_idx"), -1, "keys[1].source_pair_idx: must be from 0 to"),
        (("keys", 1, "source_pair_idx"), 2,
         "keys[1].source_pair_idx: is 2, and metadata.data_pair_list has 2."),
        (("keys", 1, "source_pair_idx"), 1,
         "orders[1]: does not name the two sources of metadata.data_pair_list[1]."),
        (("value_pairs", 1), [], "value_pairs[1]: must be an object, and is an empty list."),
        (("value_pairs", 1, "is_list"), "yes", 'value_pairs[1].is_list: must be true or false'),
        (("value_pairs", 1, "item_A"), "x", "value_pairs[1].item_A: must be a list"),
        (("value_pairs", 1, "item_B"), [], "value_pairs[1].item_B: is an empty list"),
        (("value_pairs", 1, "item_B"), ..., 'value_pairs[1]: has no "item_B"'),
        (("value_pairs", 1, "item_A", 1), None, "value_pairs[1].item_A[1]: must be a text"),
        (("value_pairs", 1, "item_A", 1), " ", "value_pairs[1].item_A[1]: must say something"),
        (("value_pairs", 1, "item_A", 1), "", "value_pairs[1].item_A[1]: must say something"),
        (("orders", 1), [HUMAN], "orders[1]: must be a list of 2, and is a list of 1."),
        (("orders", 1, 0), 3, "orders[1][0]: must be a text, and is the number 3."),
    ],
)  # fmt: skip
def test_a_bad_entry_is_named_and_the_others_are_read(path, value, message):
    data = document(entry(case="10"), entry(case="11", a=["x", "y"], b=["z"]), entry(case="12"))
    set_at(data, path, value)
    records, report = parse(data)
    assert [record.case_id for record in records] == ["10", "12"]
    (problem,) = report.problems
    assert str(problem).startswith(message)
    assert report.repairs == {}


def test_a_single_pair_with_a_list_is_refused():
    data = document(entry())
    data["value_pairs"][0]["item_A"] = ["x"]
    assert problems(data) == ["value_pairs[0].item_A: must be a text, and is a list of 1."]


def test_lists_of_different_lengths_are_not_guessed_at():
    data = document(entry(case="10"), entry(case="11"))
    del data["orders"][0]
    records, report = parse(data)
    assert records == []
    assert [str(problem) for problem in report.problems] == [
        "keys has 2 entries, value_pairs 2, orders 1: nothing says which belong together. "
        "Get the file again."
    ]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ([], "it must be an object, and is an empty list."),
        ({}, 'it has no "keys", which is needed.'),
        ({"keys": {}, "value_pairs": [], "orders": []}, "keys must be a list, and is an empty"),
        ({"keys": [], "value_pairs": [], "orders": [], "metadata": 3}, "metadata must be an"),
        (
            {"keys": [], "value_pairs": [], "orders": [], "metadata": {"data_pair_list": 3}},
            "metadata.data_pair_list must be a list",
        ),
    ],
)
def test_another_file_is_refused(data, words):
    with pytest.raises(UnreadableFile, match=f"This is no file of comparison pairs: {words}"):
        parse(data)


def test_no_pairs_is_a_problem():
    assert problems({"keys": [], "value_pairs": [], "orders": []}) == [
        "keys: The file holds no pairs."
    ]


def test_unknown_fields_are_kept():
    data = document(entry())
    data["keys"][0]["round"] = {"a\x00": 1}
    data["value_pairs"][0]["source"] = "pilot"
    (record,), _ = parse(data)
    assert record.metadata == {"key": {"round": {"a\ufffd": 1}}, "value_pair": {"source": "pilot"}}


def test_texts_are_normalised_and_counted():
    data = document(entry(a=["one\r\ntwo", "a\x00b", " kept "], b=["same", "same"]))
    (record,), report = parse(data)
    assert record.content.reference == ["one\ntwo", "a\ufffdb", " kept "]
    assert report.repairs == {"line_ends": 1, "replaced_characters": 1, "same_value_twice": 1}


def test_a_file_on_disk(tmp_path):
    path = tmp_path / "pairs.json"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(document(entry())).encode())
    report = FileReport("pairs.json")
    assert len(read_comparisons(path, ITEMS.get, report)) == 1
    assert report.repairs == {"byte_order_mark": 1}


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4) | st.just(MODEL),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=4,
)


def places(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    steps = (
        data.items()
        if isinstance(data, dict)
        else enumerate(data)
        if isinstance(data, list)
        else ()
    )
    return [path] * bool(path) + [p for key, child in steps for p in places(child, (*path, key))]


SOUND = document(
    entry(case="10", a=["x", "y"], b=["z"]), entry(case="11", index=1, order=(OTHER, HUMAN))
)


@given(st.sampled_from(places(SOUND)), anything | st.just(...))
def test_anything_anywhere_is_read_or_named(path, value):
    data = copy.deepcopy(SOUND)
    set_at(data, path, value)
    report = FileReport("pairs.json")
    try:
        records = parse_comparisons(data, ITEMS.get, report)
    except UnreadableFile as error:
        assert error.reason  # noqa: PT017 - any other exception fails the test
    else:
        assert len(records) + len(report.problems) >= 1
        json.dumps(report.to_json(), allow_nan=False).encode()
        for record in records:
            assert record.content.model
            assert record.content.reference


@pytest.mark.release
def test_the_public_example(release_dir):
    path = release_dir / "annotation_interface/checklist_comparison/data/example.json"
    report = FileReport("example.json")
    records = read_comparisons(path, lambda name: name.lower().replace(" ", "_"), report)
    assert len(records) == 110
    assert report.problems == []
    assert report.found == {"lists": 66, "singles": 44}
    assert report.repairs == {"same_value_twice": 1}
    assert Counter(record.content.imported_first for record in records) == {
        Side.REFERENCE: 59,
        Side.MODEL: 51,
    }
    assert len({record.key for record in records}) == 110
    assert all("#" not in record.key for record in records)
    sizes = [
        len(values)
        for record in records
        if record.content.form == "list"
        for values in (record.content.model, record.content.reference)
    ]
    assert (min(sizes), max(sizes), sizes.count(1)) == (1, 18, 11)
    assert round(sum(sizes) / len(sizes), 1) == 4.6
