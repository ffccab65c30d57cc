import json
from collections import Counter

from annotation.errors import InvalidFile
from annotation.records.quoting import brief, printable, shown
from annotation.records.report import (
    FileReport,
    FileStatus,
    ImportReport,
    UnreadableFile,
)


def two_files() -> ImportReport:
    read = FileReport("data/a.json", created=3, unchanged=1, repairs=Counter(line_ends=2))
    read.found.update(cases=3)
    read.problem("case 7", "must be a text, and is null.")
    empty = FileReport("data/b.json")
    empty.refuse(UnreadableFile("It is empty.", path="data/b.json", status=FileStatus.EMPTY))
    return ImportReport([read, empty])


def test_json_has_the_keys_of_the_contract():
    written = json.loads(json.dumps(two_files().to_json()))
    assert written["files"] == [
        {
            "path": "data/a.json",
            "status": "read",
            "created": 3,
            "unchanged": 1,
            "repairs": {"line_ends": 2},
            "repair_places": {},
            "problems": ["case 7: must be a text, and is null."],
        },
        {
            "path": "data/b.json",
            "status": "empty",
            "created": 0,
            "unchanged": 0,
            "repairs": {},
            "repair_places": {},
            "problems": ["It is empty."],
        },
    ]


def test_totals_add_up():
    assert two_files().totals == {
        "files": 2,
        "read": 1,
        "empty": 1,
        "truncated": 0,
        "unreadable": 0,
        "skipped": 0,
        "created": 3,
        "unchanged": 1,
        "repairs": {"line_ends": 2},
        "problems": 2,
        "found": {"cases": 3},
    }


def test_text_for_a_terminal():
    assert two_files().to_text().splitlines() == [
        "data/a.json: read, 3 created, 1 unchanged",
        "    tolerated: line ends 2",
        "    case 7: must be a text, and is null.",
        "data/b.json: empty",
        "    It is empty.",
        "Read in these files: cases 3.",
        "2 files: 1 read, 1 empty; 3 created, 1 unchanged.",
    ]


def test_a_flood_of_problems_does_not_flood_the_terminal():
    report = FileReport("a.json")
    for number in range(1025):
        report.problem(f"keys[{number}]", "is wrong.")
    lines = report.to_text().splitlines()
    assert len(lines) == 1 + 20 + 1
    assert lines[-1] == "    and 1,005 more; --json lists them all"
    assert len(report.to_json()["problems"]) == 1025


def test_what_was_tolerated_names_its_first_places():
    report = FileReport("a.json")
    for number in range(30):
        report.tolerate(f"keys[{number}]", {"line_ends": 2, "never": 0})
    report.repairs["byte_order_mark"] += 1  # said of the whole file
    written = report.to_json()
    assert written["repairs"] == {"byte_order_mark": 1, "line_ends": 60, "never": 0}
    assert written["repair_places"] == {"line_ends": [f"keys[{n}]" for n in range(20)]}


def test_nothing_read():
    report = FileReport("a.json")
    whole = ImportReport([report])
    assert not whole.nothing_read
    report.skip("No reader.")
    assert whole.nothing_read
    assert ImportReport().nothing_read
    assert ImportReport().to_text() == "No files."


def test_a_skipped_file_says_why():
    report = FileReport("a.json")
    report.skip("No reader.")
    assert (report.to_json()["status"], report.to_json()["problems"]) == ("skipped", ["No reader."])


def test_any_invalid_file_can_be_noted():
    report = FileReport("a.json")
    report.refuse(InvalidFile("It is broken.", path="a.json", place="line 3"))
    assert report.status is FileStatus.UNREADABLE
    assert report.to_json()["problems"] == ["a.json: line 3: It is broken."]


def test_an_unreadable_file_names_itself_once():
    error = UnreadableFile("It is broken.", path="a.json", place="line 3")
    assert str(error) == "a.json: line 3: It is broken."
    report = FileReport("a.json")
    report.refuse(error)
    assert report.to_json()["problems"] == ["line 3: It is broken."]


def test_a_name_cannot_write_to_the_terminal():
    report = FileReport("a\x1b[2J\udcff\u202e.json")
    assert report.to_json()["path"] == "a\\x1b[2J\\udcff\\u202e.json"
    assert report.to_text().startswith("a\\x1b[2J\\udcff\\u202e.json: read")
    assert printable("\U000e0001") == "\\U000e0001"


def test_values_in_messages_are_short():
    assert shown(None) == "null"
    assert shown(True) == "true"
    assert shown(False) == "false"
    assert shown(12) == "the number 12"
    assert shown(1.5) == "the number 1.5"
    assert shown("a\nb") == '"a\\x0ab"'
    assert shown("") == "an empty text"
    assert shown([1, 2]) == "a list of 2"
    assert shown([]) == "an empty list"
    assert shown({"a": 1}) == "an object with 1 keys"
    assert shown({}) == "an empty object"
    assert shown("x" * 61) == '"' + "x" * 60 + '..."'
    assert brief("x" * 60) == "x" * 60
