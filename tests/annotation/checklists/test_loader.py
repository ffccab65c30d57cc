"""Files that are wrong: every problem at once, each with its line, its field and a remedy."""

from __future__ import annotations

import re

import pytest

from annotation.checklists.loader import load_bytes, load_text
from annotation.checklists.problems import InvalidTemplate
from annotation.errors import InvalidFile

GOOD = """\
key: boats-2
name: Boats
version: 1
language: en
nouns:
  case: {one: boat, many: boats}
  summary: {one: log, many: logs}
  reference: {one: true log, many: true logs}
groups:
  - key: hull
    label: Hull
    colour: group-1
items:
  - key: length
    label: Length
    group: hull
    aliases: [How long]
    definition: How long the boat is.
    cues:
      - '\\bmetres\\b'
  - key: width
    label: Width
    group: hull
    definition: >-
      How wide
      the boat is.
"""


def problems_of(text: str) -> list[tuple[int | None, str, str]]:
    with pytest.raises(InvalidTemplate) as caught:
        load_text(text, "boats.yaml")
    assert isinstance(caught.value, InvalidFile)
    assert caught.value.path == "boats.yaml"
    assert all(str(problem) in caught.value.message for problem in caught.value.problems)
    return [(p.line, p.field, p.message) for p in caught.value.problems]


def only_problem(text: str) -> tuple[int | None, str, str]:
    found = problems_of(text)
    assert len(found) == 1, found
    return found[0]


def edited(old: str, new: str) -> str:
    assert GOOD.count(old) == 1, old
    return GOOD.replace(old, new)


def test_a_good_file_is_read() -> None:
    template = load_text(GOOD, "boats.yaml")
    assert template.key == "boats-2"
    assert template.version == "1"
    assert template.groups[0].order == 1
    assert template.groups[0].icon == "group-1"
    assert template.item("width").definition == "How wide the boat is."
    assert template.item("length").cues == (r"\bmetres\b",)
    assert template.nouns.document.many == "documents"


@pytest.mark.parametrize("version", ["1.10", "2024-05-01", '"7"', "v2_beta"])
def test_a_version_is_taken_as_it_is_written(version: str) -> None:
    template = load_text(edited("version: 1", f"version: {version}"), "boats.yaml")
    assert template.version == version.strip('"')


@pytest.mark.parametrize(
    ("old", "new", "line", "field", "message"),
    [
        ("name: Boats\n", "", 1, "name", "'name' is missing"),
        ("name: Boats", "nmae: Boats", 2, "nmae", "no field 'nmae'. Did you mean 'name'"),
        ("name: Boats", "name:", 2, "name", "text is empty"),
        ("name: Boats", "name: ''", 2, "name", "text is empty"),
        ("name: Boats", "name: 2020", 2, "name", "not read '2020' as text: put it in quotes"),
        ("name: Boats", "name: 2020-01-01", 2, "name", "'2020-01-01' as text"),
        ("name: Boats", "name: Yes", 2, "name", "true or false: put it in quotes"),
        ("name: Boats", "name: [Boats]", 2, "name", "must be text, not a list"),
        ("name: Boats", "name: {a: b}", 2, "name", "must be text, not a block"),
        ("name: Boats", 'name: "a\\nb"', 2, "name", "stand on one line"),
        ("name: Boats", 'name: "a\\0b"', 2, "name", "character U.0000 is not allowed"),
        ("key: boats-2", "key: Boats 2", 1, "key", "small letters and digits"),
        ("version: 1", "version: true", 3, "version", "true or false"),
        ("language: en", "language: English!", 4, "language", "language tag such as en"),
        ("  case: {one: boat, many: boats}\n", "", 5, "nouns.case", "'case' is missing"),
        ("many: logs", "plural: logs", 7, "nouns.summary.plural", "no field 'plural'"),
        ("colour: group-1", "colour: red", 12, "groups.hull.colour", "group-1 to group-9"),
        ("colour: group-1", "color: group-1", 12, "groups.hull.color", "mean 'colour'"),
        ("    label: Length", "    label: [a, b]", 15, "items.length.label", "not a list"),
        ("    aliases: [How long]", "    aliases: How long", 17, "items.length.aliases", "a list"),
        (
            "    aliases: [How long]",
            "    aliases: [How long, 3]",
            17,
            "items.length.aliases.#2",
            "put it in quotes",
        ),
        (
            "    aliases: [How long]",
            "    aliases: [how_WIDE, WIDTH]",
            21,
            "items.width.key",
            "'width' already names another item.*line 17",
        ),
        (
            "    aliases: [How long]",
            "    aliases: ['?!']",
            17,
            "items.length.aliases.#1",
            "no letter or digit",
        ),
        (
            "    aliases: [How long]",
            "    aliases: [Not covered]",
            17,
            "items.length.aliases.#1",
            "kept for text outside",
        ),
        (
            "    definition: How long the boat is.\n",
            "    definition: ''\n",
            18,
            "items.length.definition",
            "text is empty",
        ),
        (
            "    definition: How long the boat is.\n",
            "",
            14,
            "items.length.definition",
            "'definition' is missing",
        ),
        (r"'\bmetres\b'", "'(a+)+b'", 20, "items.length.cues.#1", "open-ended"),
        (r"'\bmetres\b'", "'(a'", 20, "items.length.cues.#1", "not a regular expression"),
        ("  - key: width", "  - key: wi dth", 21, "items.#2.key", "small letters, digits"),
    ],
)
def test_one_slip_gives_one_line_one_field_and_a_remedy(
    old: str, new: str, line: int, field: str, message: str
) -> None:
    found = problems_of(edited(old, new))
    assert [
        said
        for at, where, said in found
        if (at, where) == (line, field) and re.search(message, said)
    ], found
    # A misspelt field is also a missing one; nothing else may follow from one slip.
    assert len(found) <= 2


def test_a_repeated_item_key_names_both_lines() -> None:
    line, field, message = problems_of(edited("  - key: width", "  - key: length"))[0]
    assert (line, field) == (21, "items.length.key")
    assert "'length' is used twice" in message
    assert "line 14" in message


def test_a_field_given_twice_names_both_lines() -> None:
    line, field, message = only_problem(edited("name: Boats", "name: Boats\nname: Ships"))
    assert (line, field) == (3, "name")
    assert "again, first on line 2: remove one" in message


def test_an_unknown_group_gets_the_nearest_name() -> None:
    text = GOOD.replace("    group: hull\n    definition: >-", "    group: hul\n    definition: >-")
    line, field, message = only_problem(text)
    assert (line, field) == (23, "items.width.group")
    assert "no group 'hul'. Did you mean 'hull'?" in message


def test_a_group_without_items_is_told() -> None:
    more = "  - {key: mast, label: Mast, colour: group-2}\nitems:\n"
    line, field, message = only_problem(edited("items:\n", more))
    assert (line, field) == (13, "groups.mast")
    assert "no item belongs to this group" in message


def test_an_order_used_twice_is_told() -> None:
    groups = "    order: 1\n  - {key: mast, label: Mast, colour: group-2, order: 1}\nitems:\n"
    text = edited("items:\n", groups).replace(
        "    group: hull\n    definition: >-", "    group: mast\n    definition: >-"
    )
    line, field, message = only_problem(text)
    assert (line, field) == (14, "groups.mast.order")
    assert "'1' is used twice" in message
    assert "line 13" in message


def test_all_problems_come_at_once_in_the_order_of_the_file() -> None:
    text = (
        GOOD.replace("key: boats-2", "key: Boats")
        .replace("language: en", "langage: en")
        .replace("colour: group-1", "colour: group-12")
        .replace("    definition: How long the boat is.", "    definition:")
        .replace(r"'\bmetres\b'", "'a*'")
        .replace("    label: Width\n    group: hull", "    label: how-long\n    group: mast")
    )
    found = [(line, field) for line, field, _ in problems_of(text)]
    assert found == [
        (1, "key"),
        (1, "language"),
        (4, "langage"),
        (12, "groups.hull.colour"),
        (18, "items.length.definition"),
        (20, "items.length.cues.#1"),
        (22, "items.width.label"),
        (23, "items.width.group"),
    ]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", None, "the file is empty"),
        ("# nothing but a comment\n", None, "the file is empty"),
        ("---\n...\n", None, "the file is empty"),
        ("just text", 1, "a template is a block of fields"),
        ("- a\n- b\n", 1, "a template is a block of fields"),
        ("key: [1, 2\nname: x\n", 2, "not YAML"),
        ("key: 'open\n", 2, "not YAML"),
        ("key: a\n\tname: b\n", 2, "not YAML"),
        ("key: a: b\n", 1, "not YAML"),
        ("key: a\x07b\n", 1, "U.0007"),
        ("key: a\nname: \ud800\n", 2, "U.D800"),
        ("[" * 40 + "]" * 40, 1, "nested more than"),
        ("a: " + "{b: " * 40 + "}" * 40, 1, "nested more than"),
        ('key: "\\UFFFFFFFF"\n', 1, "not YAML|not valid YAML"),
        ("a" * 1_000_001, None, "too large"),
        ("[" + "a," * 60_000 + "]", 1, "more than 50,000 values"),
    ],
)
def test_what_is_no_template_at_all_gets_one_sentence(
    text: str, line: int | None, message: str
) -> None:
    found_line, field, said = only_problem(text)
    assert found_line == line
    assert field == ""
    assert re.search(message, said), said


@pytest.mark.parametrize(
    ("line_text", "message"),
    [
        ("name: !!python/object/apply:os.system ['true']", "the tag .* is not allowed"),
        ("name: !!str Boats", "the tag .* is not allowed"),
        ("name: !own Boats", "the tag '!own' is not allowed"),
        ("name: &boats Boats", "the anchor 'boats' is not allowed"),
        ("name: *boats", "the alias 'boats' is not allowed"),
        ("? [a, b]\n: c\nname: Boats", "a field name must be text"),
        ("3: c\nname: Boats", "a field name must be text"),
        ("<<: {a: b}\nname: Boats", "a field name must be text"),
    ],
)
def test_the_clever_parts_of_yaml_are_refused(line_text: str, message: str) -> None:
    found = problems_of(edited("name: Boats", line_text))
    assert any(line == 2 and re.search(message, said) for line, _, said in found), found


def test_an_alias_bomb_stays_small() -> None:
    bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"{after}: &{after} [{', '.join([f'*{before}'] * 9)}]\n"
        for before, after in zip("abcdefgh", "bcdefghi", strict=True)
    )
    found = problems_of(bomb)
    # 9 anchors and 8 * 9 aliases; nothing is expanded.
    assert sum("the anchor" in said for _, _, said in found) == 9
    assert sum("the alias" in said for _, _, said in found) == 72


def test_bytes_must_be_utf_8() -> None:
    with pytest.raises(InvalidTemplate) as caught:
        load_bytes(GOOD.encode() + b"# caf\xe9\n", "boats.yaml")
    (problem,) = caught.value.problems
    assert problem.line == GOOD.count("\n") + 1
    assert "not UTF-8" in problem.message
    with pytest.raises(InvalidTemplate, match="not UTF-8"):
        load_bytes(GOOD.encode("utf-16"), "boats.yaml")


def test_a_huge_file_is_refused_before_it_is_read() -> None:
    with pytest.raises(InvalidTemplate, match="too large"):
        load_bytes(b"#" * 1_000_001, "boats.yaml")


@pytest.mark.parametrize(
    "data", [b"\xef\xbb\xbf" + GOOD.encode(), GOOD.replace("\n", "\r\n").encode()]
)
def test_byte_order_mark_and_windows_line_ends_make_no_difference(data: bytes) -> None:
    assert load_bytes(data, "boats.yaml") == load_text(GOOD, "boats.yaml")


def test_lines_are_right_after_windows_line_ends() -> None:
    text = edited("language: en", "language: '!'").replace("\n", "\r\n")
    assert only_problem(text)[:2] == (4, "language")


def test_text_that_holds_control_characters_is_shown_escaped() -> None:
    text = edited("name: Boats", 'name: Boats\n"\\e[31m": red')
    line, _, message = only_problem(text)
    assert line == 3
    assert message.isprintable()
