import os
from pathlib import Path

import pytest

from annotation.errors import InvalidInput
from annotation.records.report import UnreadableFile
from evaluation.releasing.readers.discover import ONLY, FileKind, discover
from evaluation.releasing.readers.family import readers, reason_to_skip

FILES = {
    "summaries/20_cases.json": FileKind.SUMMARIES_HUMAN,
    "summaries/m1/20_cases.json": FileKind.SUMMARIES_MODEL,
    "summaries/m2/20_cases.json": FileKind.SUMMARIES_MODEL,
    "document_checklists/human.json": FileKind.HUMAN_CHECKLIST,
    "summary_checklists/20_cases.json": FileKind.SUMMARY_CHECKLISTS,
    "summary_checklists/m1_summarization/20_cases.json": FileKind.SUMMARY_CHECKLISTS,
    "evaluation/m1_summarization/20_cases.json": FileKind.EVALUATION,
    "document_checklists/end_to_end/batch_1.json": FileKind.DOCUMENTS_END_TO_END,
    "document_checklists/chunk_by_chunk/m1/a.json": FileKind.DOCUMENTS_CHUNK_BY_CHUNK,
    "document_checklists/gavel_agent/m1/7/all/x/checklist.json": FileKind.AGENT_CHECKLIST,
    "document_checklists/gavel_agent/m1/7/all/x/stats.json": FileKind.AGENT_STATS,
    "document_checklists/gavel_agent/m1/7/all/x/ledger.jsonl": FileKind.AGENT_LEDGER,
    "document_checklists/gavel_agent/m1/7/all/x/raw_responses.jsonl": FileKind.AGENT_ANSWERS,
    "evaluation_documents_checklist/agent/m1.json": FileKind.EVALUATION_DOCUMENTS,
    "README.md": FileKind.UNKNOWN,
    "document_checklists/gavel_agent/m1/7/all/x/config.json": FileKind.UNKNOWN,
    "document_checklists/gavel_agent/m1/7/checklist.json": FileKind.UNKNOWN,
    "document_checklists/other.json": FileKind.UNKNOWN,
    "elsewhere/a.json": FileKind.UNKNOWN,
    "stray.json": FileKind.UNKNOWN,
    "summaries/m1/deep/a.json": FileKind.UNKNOWN,
    "summaries/m1/notes.txt": FileKind.UNKNOWN,
}


def make(data: Path) -> Path:
    for name in FILES:
        (data / name).parent.mkdir(parents=True, exist_ok=True)
        (data / name).write_text("{}")
    (data / ".git").mkdir()
    (data / ".git" / "x.json").write_text("{}")
    (data / "summaries" / ".DS_Store").write_text("")
    return data


def test_kinds_and_order(tmp_path):
    """By kind as in ``FileKind``, then by name; FILES is written down in that order."""
    make(tmp_path / "data")
    found = discover(tmp_path)
    assert [(file.name, file.kind) for file in found] == [
        (f"data/{name}", kind) for name, kind in FILES.items()
    ]
    assert all(file.path.is_file() for file in found)
    assert not any(file.refusal for file in found)


def test_the_whole_from_any_door(tmp_path):
    make(tmp_path / "data")
    (tmp_path / "annotation_interface").mkdir()
    (tmp_path / "annotation_interface" / "a.json").write_text("{}")
    assert discover(tmp_path / "data") == discover(tmp_path)


def test_data_under_another_name(tmp_path):
    make(tmp_path / "copy")
    found = discover(tmp_path / "copy")
    assert {Path(file.name).parts[0] for file in found} == {"copy"}
    assert len(found) == len(FILES)


@pytest.mark.parametrize(
    "part",
    [
        "summaries",
        "summaries/m1",
        "summaries/m1/20_cases.json",
        "document_checklists",
        "document_checklists/gavel_agent/m1/7/all",
        "evaluation",
        "document_checklists/human.json",
    ],
)
def test_a_part_has_the_names_and_kinds_of_the_whole(tmp_path, part):
    make(tmp_path / "data")
    inside = [
        file
        for file in discover(tmp_path)
        if file.name == f"data/{part}" or file.name.startswith(f"data/{part}/")
    ]
    assert inside
    assert discover(tmp_path / "data" / part) == inside


def test_a_part_is_found_from_a_relative_path(tmp_path, monkeypatch):
    make(tmp_path / "data")
    monkeypatch.chdir(tmp_path / "data" / "summaries" / "m2")
    (file,) = discover(Path())
    assert (file.name, file.kind) == ("data/summaries/m2/20_cases.json", FileKind.SUMMARIES_MODEL)


def test_a_folder_above_that_has_a_known_name_does_not_mislead(tmp_path):
    release = make(tmp_path / "data" / "evaluation" / "gavel")
    (file,) = discover(release / "summaries" / "m1" / "20_cases.json")
    assert (file.name, file.kind) == (
        "gavel/summaries/m1/20_cases.json",
        FileKind.SUMMARIES_MODEL,
    )
    assert [file.kind for file in discover(release)] == list(FILES.values())


@pytest.mark.parametrize("word", ONLY)
def test_only_a_part(tmp_path, word):
    make(tmp_path / "data")
    names = {file.name for file in discover(tmp_path, [word])}
    assert names == {f"data/{name}" for name, kind in FILES.items() if kind in ONLY[word]}
    assert names


def test_only_words_divide_the_known_kinds():
    kinds = [kind for word in ONLY for kind in ONLY[word]]
    assert sorted([*kinds, FileKind.UNKNOWN]) == sorted(FileKind)


def test_several_words(tmp_path):
    make(tmp_path / "data")
    assert [file.kind.value for file in discover(tmp_path, ["human", " summaries"])] == [
        "summaries_human",
        "summaries_model",
        "summaries_model",
        "human_checklist",
    ]


@pytest.mark.parametrize("only", [["summaries", "humans"], [""], []])
def test_an_unknown_word_is_refused(tmp_path, only):
    with pytest.raises(InvalidInput, match="The parts are: summaries, human, checklists, eval"):
        discover(tmp_path, only)


@pytest.mark.parametrize("name", ["nowhere", "a\x00b", "loop"])
def test_nothing_there(tmp_path, name):
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(UnreadableFile, match="Name the folder that holds data/"):
        discover(tmp_path / name)


def test_an_empty_folder_and_a_lone_file(tmp_path):
    assert discover(tmp_path) == []
    (tmp_path / "pairs.json").write_text("{}")
    for given in (tmp_path, tmp_path / "pairs.json"):
        (file,) = discover(given)
        assert (file.kind, Path(file.name).name) == (FileKind.UNKNOWN, "pairs.json")


def test_links_are_followed_once(tmp_path):
    real = make(tmp_path / "store")
    (tmp_path / "release").mkdir()
    (tmp_path / "release" / "data").symlink_to(real)
    (real / "summaries" / "m1" / "up").symlink_to(real)
    (real / "summaries" / "m1" / "self.json").symlink_to("self.json")
    found = discover(tmp_path / "release")
    assert len([file for file in found if file.path.name == "20_cases.json"]) == 6
    assert "data/summaries/m1/self.json" in {file.name for file in found}


def test_a_closed_folder_is_named(tmp_path, monkeypatch):
    data = make(tmp_path / "data")
    scandir = os.scandir

    def closed(path):
        if Path(path) == data / "evaluation":
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    # The suite may run as root, who may open everything.
    monkeypatch.setattr(os, "scandir", closed)
    (file,) = [file for file in discover(tmp_path, ["human"]) if file.refusal]
    assert (file.name, file.kind) == ("data/evaluation", FileKind.UNKNOWN)
    assert reason_to_skip(file) == (
        "The folder cannot be opened (Permission denied). Change its permissions."
    )


def test_every_kind_has_a_reader_or_a_reason(tmp_path):
    make(tmp_path / "data")
    family = readers(lambda name: name)
    assert set(family) == set(FileKind) - {FileKind.UNKNOWN}
    assert all(family[kind].kind is kind for kind in family)
    for file in discover(tmp_path):
        assert bool(reason_to_skip(file)) is (file.kind is FileKind.UNKNOWN)


@pytest.mark.release
def test_the_public_release(release_dir):
    found = discover(release_dir, ["summaries", "human"])
    kinds = [file.kind for file in found]
    assert kinds.count(FileKind.SUMMARIES_HUMAN) == 2
    assert kinds.count(FileKind.SUMMARIES_MODEL) == 12
    assert kinds.count(FileKind.HUMAN_CHECKLIST) == 1
    assert not [f.name for f in discover(release_dir) if f.kind is FileKind.UNKNOWN]
    assert discover(release_dir / "data", ["summaries", "human"]) == found
