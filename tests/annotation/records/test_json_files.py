import json
import os
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.records.json_files import MAX_BYTES, MAX_DEPTH, parse_json, read_json
from annotation.records.report import FileStatus, UnreadableFile

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(10**12), 10**12)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=12,
)
documents = st.dictionaries(st.text(max_size=5), values, min_size=1)


def refused(raw: bytes) -> UnreadableFile:
    with pytest.raises(UnreadableFile) as caught:
        parse_json(raw, name="a.json")
    return caught.value


@given(documents, st.booleans(), st.sampled_from([None, 2]))
def test_what_is_json_is_read(document, ascii_only, indent):
    raw = json.dumps(document, ensure_ascii=ascii_only, indent=indent)
    assert parse_json(raw.encode("utf-8", "replace"), name="a.json") == json.loads(
        raw.encode("utf-8", "replace")
    )


@given(documents, st.booleans(), st.data())
def test_every_cut_is_called_a_cut(document, ascii_only, data):
    """Wherever a file stops: in a word, a number, an escape, a character of several bytes."""
    raw = json.dumps(document, ensure_ascii=ascii_only).encode("utf-8", "replace")
    length = data.draw(st.integers(1, len(raw) - 1))
    error = refused(raw[:length])
    assert error.status is FileStatus.TRUNCATED
    assert f"cut off after {length:,} bytes" in error.reason


@given(st.binary(max_size=200))
def test_bytes_are_read_or_refused(raw):
    try:
        parse_json(raw, name="a.json")
    except UnreadableFile as error:
        assert error.reason  # noqa: PT017 - any other exception fails the test


@given(documents, st.binary(min_size=1, max_size=3), st.data())
def test_damaged_bytes_are_read_or_refused(document, damage, data):
    raw = bytearray(json.dumps(document).encode())
    offset = data.draw(st.integers(0, len(raw)))
    raw[offset : offset + len(damage)] = damage
    try:
        parse_json(bytes(raw), name="a.json")
    except UnreadableFile as error:
        assert error.reason  # noqa: PT017


@pytest.mark.parametrize("raw", [b"", b" \r\n\t", b"\xef\xbb\xbf", b"\xef\xbb\xbf\n"])
def test_nothing_in_it(raw):
    error = refused(raw)
    assert error.status is FileStatus.EMPTY
    assert "The file is empty" in error.reason


@pytest.mark.parametrize("blocks", [1, 2])
def test_cut_at_the_end_of_a_block(blocks):
    size = blocks * 131_072
    error = refused(b'["' + b"x" * (size - 2))
    assert error.status is FileStatus.TRUNCATED
    assert f"exactly {size:,} bytes ({blocks} x 131,072)" in error.reason
    assert error.place == f"line 1, column {size + 1}"


@pytest.mark.parametrize(
    "raw",
    [b'{"a": tru', b"[-", b"[1.", b"[1.5e", b"[1E+", b'["\\u12', b'["\\', b'{"a"', b'{"a":1,'],
)
def test_cuts_by_hand(raw):
    assert refused(raw).status is FileStatus.TRUNCATED


@pytest.mark.parametrize(
    ("raw", "place"),
    [
        (b'{"a": 1}\n{"b": 2}', "line 2, column 1"),
        (b'[\n  "a\tb"]', "line 2, column 5"),
        (b"[1, x]", "line 1, column 5"),
        (b'["a" 1]', "line 1, column 6"),
        (b"{'a': 1}", "line 1, column 2"),
    ],
)
def test_broken_json_names_line_and_column(raw, place):
    error = refused(raw)
    assert (error.status, error.place) == (FileStatus.UNREADABLE, place)
    assert "This is not JSON" in error.reason


@pytest.mark.parametrize(
    ("raw", "place", "words"),
    [
        ('{"a": "Mu\xf1oz"}'.encode("latin-1"), "byte 9", "0xf1"),
        (b"\xef\xbb\xbf" + '{"a": "Mu\xf1oz"}'.encode("latin-1"), "byte 12", "0xf1"),
        ('{"a": 1}'.encode("utf-16"), "byte 0", "UTF-16"),
        ('{"a": 1}'.encode("utf-16-le"), "byte 1", "UTF-16"),
        ('{"a": 1}'.encode("utf-16-be"), "byte 0", "UTF-16"),
    ],
)
def test_another_encoding_names_the_byte(raw, place, words):
    error = refused(raw)
    assert (error.status, error.place) == (FileStatus.UNREADABLE, place)
    assert words in error.reason
    assert "Save the file as UTF-8" in error.reason


def test_a_byte_order_mark_is_tolerated_and_counted():
    repairs: Counter[str] = Counter()
    assert parse_json(b"\xef\xbb\xbf[1]", name="a.json", repairs=repairs) == [1]
    assert repairs == {"byte_order_mark": 1}
    assert parse_json(b"\xef\xbb\xbf[1]", name="a.json") == [1]


@pytest.mark.parametrize(
    ("token", "column"),
    [
        ("NaN", 16),
        ("Infinity", 16),
        ("-Infinity", 16),
        ("1e999", 16),
        ("-1e999", 16),
        ("9" * 301, 16),
        ("9" * 5000, 16),
    ],
)
def test_numbers_that_cannot_be_stored(token, column):
    error = refused(f'{{"NaN 1e999": [{token}]}}'.encode())
    assert error.place == f"line 1, column {column}"
    assert token[:20] in error.reason


def test_a_number_that_cannot_be_stored_before_broken_json():
    assert refused(b"[1e999x").place == "line 1, column 2"


def test_long_numbers_that_can_be_stored():
    assert parse_json(b"9" * 300, name="a.json") == int("9" * 300)
    assert parse_json(b"[1e308, -0.5]", name="a.json") == [1e308, -0.5]


@pytest.mark.parametrize(
    ("raw", "place"),
    [
        (b'{"a": 1, "a": 1}', "line 1, column 10"),
        (b'{"a": {"b": 1},\n "c": [{"a": 1}, {"x": "\\"a\\": {", "a": 2,\n  "\\u0061": 3}]}',
         "line 3, column 3"),
        (b'{"b": {"a": 1}, "c": {"a": 1}, "a": [],\n"a": 2}', "line 2, column 1"),
    ],
)  # fmt: skip
def test_a_key_twice_is_named(raw, place):
    error = refused(raw)
    assert error.place == place
    assert 'The key "a" is there twice' in error.reason


def nested(depth: int) -> bytes:
    return b'{"a":' * (depth - 1) + b"[]" + b"}" * (depth - 1)


def test_nesting_up_to_the_limit():
    assert parse_json(nested(MAX_DEPTH), name="a.json")


@pytest.mark.parametrize("depth", [MAX_DEPTH + 1, 100_000])
def test_nesting_beyond_the_limit(depth):
    assert "deeper than 100 levels" in refused(nested(depth)).reason
    assert "deeper than 100 levels" in refused(b"[" * depth + b"]" * depth).reason


def test_a_file_is_called_by_its_name(tmp_path):
    path = tmp_path / "broken.json"
    path.write_text("{]")
    with pytest.raises(UnreadableFile) as caught:
        read_json(path, name="data/broken.json")
    assert str(caught.value).startswith("data/broken.json: line 1, column 2: This is not JSON")
    with pytest.raises(UnreadableFile, match=f"^{path}: line 1"):
        read_json(path)


def test_a_file_beyond_the_limit(tmp_path):
    path = tmp_path / "large.json"
    path.write_text("[1, 2, 3]")
    assert read_json(path, max_bytes=9) == [1, 2, 3]
    with pytest.raises(UnreadableFile, match="larger than the limit of 8 bytes"):
        read_json(path, max_bytes=8)
    assert MAX_BYTES == 67_108_864


def test_no_file(tmp_path):
    (tmp_path / "file").write_text("[]")
    for path in (tmp_path / "no.json", tmp_path / "file" / "no.json"):
        with pytest.raises(UnreadableFile, match="There is no such file"):
            read_json(path)


def test_a_folder_and_a_pipe_are_no_files(tmp_path):
    os.mkfifo(tmp_path / "pipe.json")
    for path in (tmp_path, tmp_path / "pipe.json"):
        with pytest.raises(UnreadableFile, match="This is not a file"):
            read_json(path)


def test_a_link_to_itself(tmp_path):
    path = tmp_path / "loop.json"
    path.symlink_to(path)
    with pytest.raises(UnreadableFile, match="leads back to itself"):
        read_json(path)


def test_a_link_to_a_file_is_followed(tmp_path):
    (tmp_path / "a.json").write_text("[1]")
    (tmp_path / "b.json").symlink_to(tmp_path / "a.json")
    assert read_json(tmp_path / "b.json") == [1]


@pytest.mark.parametrize("name", ["x" * 300, "a\x00b"])
def test_impossible_names(tmp_path, name):
    with pytest.raises(UnreadableFile, match=r"too long|cannot be the name"):
        read_json(tmp_path / name)


def test_a_file_that_may_not_be_read(tmp_path, monkeypatch):
    path = tmp_path / "closed.json"
    path.write_text("[]")

    def closed(*_args, **_options):
        raise PermissionError(13, "Permission denied")

    # The suite may run as root, who may read everything.
    monkeypatch.setattr(Path, "open", closed)
    with pytest.raises(UnreadableFile, match="You may not read this file"):
        read_json(path)


def test_a_disk_that_fails(tmp_path, monkeypatch):
    path = tmp_path / "a.json"
    path.write_text("[]")

    def failing(*_args, **_options):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(Path, "open", failing)
    with pytest.raises(UnreadableFile, match=r"could not read it \(Input/output error\)"):
        read_json(path)


@pytest.mark.release
def test_damaged_files_of_the_release(release_dir):
    folder = release_dir / "data" / "evaluation"
    cut = next(folder.glob("claude-sonnet*/*_2_complex*.json"))
    with pytest.raises(UnreadableFile, match=r"exactly 131,072 bytes \(1 x 131,072\)") as caught:
        read_json(cut)
    assert caught.value.status is FileStatus.TRUNCATED
    empty = release_dir / "data/summary_checklists/50_cases_for_benchmarking_thinking_True.json"
    with pytest.raises(UnreadableFile) as caught:
        read_json(empty)
    assert caught.value.status is FileStatus.EMPTY
