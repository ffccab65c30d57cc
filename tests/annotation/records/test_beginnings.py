"""Files are recognised by their first bytes alone."""

from __future__ import annotations

import pytest

from annotation.records.beginnings import is_label_studio, is_thresh


@pytest.mark.parametrize(
    "beginning",
    [
        b'[{"id": 7, "annotations": [{',
        b'[{"id": 7, "data": {"text": "Filed',
        b'[{"annotations": [',
        b'\xef\xbb\xbf[\n  {"data": {"model": "April 7"',
    ],
    ids=["exported", "number_and_data", "annotations", "data"],
)
def test_a_list_of_label_studio_tasks_is_recognised(beginning: bytes) -> None:
    assert is_label_studio(beginning)
    assert not is_thresh(beginning)


def test_a_list_of_paragraphs_is_none_of_label_studio() -> None:
    beginning = b'[{"id": "1_p0", "metadata": {"case_id": "1", "paragraph_num": 0'
    assert is_thresh(beginning)
    assert not is_label_studio(beginning)
