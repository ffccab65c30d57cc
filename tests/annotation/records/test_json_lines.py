import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.records.json_lines import read_json_lines
from annotation.records.report import FileStatus, UnreadableFile


def read(path, raw: bytes, **options):
    path.write_bytes(raw)
    return list(read_json_lines(path, name="a.jsonl", **options))


def refused(path, raw: bytes, **options) -> UnreadableFile:
    with pytest.raises(UnreadableFile) as caught:
        read(path, raw, **options)
    return caught.value


def test_each_value_with_its_line(tmp_path):
    repairs: Counter[str] = Counter()
    raw = b'\xef\xbb\xbf{"a": 1}\r\n\n  \r\n[2]\n"last"'
    assert read(tmp_path / "a", raw, repairs=repairs) == [(1, {"a": 1}), (4, [2]), (5, "last")]
    assert repairs == {"byte_order_mark": 1, "blank_lines": 2}


@pytest.mark.parametrize("raw", [b"", b"\n", b"  \r\n\n"])
def test_empty(tmp_path, raw):
    assert refused(tmp_path / "a", raw).status is FileStatus.EMPTY


@given(st.lists(st.dictionaries(st.text(max_size=3), st.text(max_size=5)), min_size=1), st.data())
def test_a_cut_is_called_a_cut_unless_it_falls_between_lines(tmp_path_factory, rows, data):
    path = tmp_path_factory.mktemp("cut") / "a.jsonl"
    lines = [json.dumps(row, ensure_ascii=False).encode("utf-8", "replace") for row in rows]
    raw = b"\n".join(lines) + b"\n"
    length = data.draw(st.integers(1, len(raw)))
    whole = raw[:length].split(b"\n")
    if whole[-1] in (b"", lines[len(whole) - 1] if len(whole) <= len(lines) else b""):
        assert len(read(path, raw[:length])) == len([line for line in whole if line])
    else:
        error = refused(path, raw[:length])
        assert error.status is FileStatus.TRUNCATED
        assert error.place.startswith(f"line {len(whole)}")
        assert f"cut off after {length:,} bytes" in error.reason


def test_a_cut_at_the_end_of_a_block_says_so_and_comes_after_the_sound_lines(tmp_path):
    line = b'{"text": "' + b"x" * 70_000 + b'"}\n'
    (tmp_path / "a").write_bytes((line * 2)[:131_072])
    rows = read_json_lines(tmp_path / "a")
    assert next(rows)[0] == 1
    with pytest.raises(UnreadableFile, match=r"exactly 131,072 bytes \(1 x 131,072\)"):
        next(rows)


@pytest.mark.parametrize(
    ("line", "place", "says"),
    [
        (b'{"a": ', "line 2", "The line ends before its JSON does"),
        (b'{"a" 1}', "line 2, column 6", "not JSON"),
        (b'{"a": 1, "a": 2}', "line 2, column 10", "twice"),
        (b'{"a": NaN}', "line 2, column 7", "not a number"),
        (b'{"a": "\xff"}', "line 2, byte 7", "not UTF-8"),
        (b"[" * 200 + b"]" * 200, "line 2", "deeper than"),
        (b'"' + b"x" * 100 + b'"', "line 2", "longer than the limit of 50 bytes"),
    ],
)
def test_a_broken_line_is_named(tmp_path, line, place, says):
    options = {"max_line": 50} if "limit" in says else {}
    error = refused(tmp_path / "a", b'{"a": 1}\n' + line + b'\n{"b": 2}\n', **options)
    assert error.status is FileStatus.UNREADABLE
    assert error.place.startswith(place)
    assert says in error.reason


@pytest.mark.parametrize("name", ["nothing", "folder", "a\0b"])
def test_what_is_no_file(tmp_path, name):
    (tmp_path / "folder").mkdir()
    with pytest.raises(UnreadableFile):
        list(read_json_lines(tmp_path / name))
