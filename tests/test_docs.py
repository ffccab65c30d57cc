"""The README names what exists, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
APPS = ("annotation", "agent", "evaluation")


def own_commands() -> set[str]:
    return {
        path.stem
        for app in APPS
        for path in (ROOT / app / "management" / "commands").glob("*.py")
        if path.stem != "__init__"
    }


def variables_in_code() -> set[str]:
    files = [ROOT / "gavel_site" / "settings.py", *(ROOT / "tests").rglob("conftest.py")]
    text = "\n".join(path.read_text(encoding="utf-8") for path in files)
    return set(re.findall(r"\"(GAVEL_[A-Z_]+|DATABASE_URL)\"", text)) - {"GAVEL_NO_SKIPS"}


@pytest.mark.parametrize("command", sorted(own_commands()))
def test_every_command_is_named(command: str) -> None:
    assert f"`{command}`" in README


@pytest.mark.parametrize("variable", sorted(variables_in_code()))
def test_every_variable_is_named(variable: str) -> None:
    assert variable in README


def test_no_command_is_named_that_does_not_exist() -> None:
    table = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", README, flags=re.MULTILINE)
    named = {name for cell in table for name in re.findall(r"`([a-z]+_[a-z_]+)`", cell)}
    assert named <= own_commands()
    assert len(named) > 8


def test_links_lead_to_files() -> None:
    targets = re.findall(r"\]\(((?!https?:)[^)#]+)\)", README)
    missing = [target for target in targets if not (ROOT / target).exists()]
    assert targets
    assert missing == []


def test_paths_in_the_table_of_additions_exist() -> None:
    section = README[README.index("| to add |") : README.index("## Before a commit")]
    paths = re.findall(r"`((?:annotation|agent|evaluation|tests|gavel_site)/[\w/.]*)`", section)
    missing = [path for path in paths if not (ROOT / path).exists()]
    assert len(paths) > 6
    assert missing == []


def test_make_targets_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^make (\w+)", README, flags=re.MULTILINE))
    assert {"demo", "test", "lint"} <= targets
    assert all(re.search(rf"^{target}:", makefile, flags=re.MULTILINE) for target in targets)


def test_the_repository_speaks_of_the_product_alone() -> None:
    """No path of a particular machine, and no address of a package index."""
    files = [
        path
        for folder in (*APPS, "gavel_site", "templates", "static", "docs", "benchmarks")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in {".py", ".html", ".js", ".css", ".md", ".yaml"}
    ] + [ROOT / "README.md", ROOT / "Makefile", ROOT / "pyproject.toml", ROOT / ".ci" / "run"]
    found = [
        str(path.relative_to(ROOT))
        for path in files
        if re.search(r"/work/|pypi\.org|files\.pythonhosted", path.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_the_lock_files_name_no_address_and_pin_by_hash() -> None:
    for name in ("requirements.lock", "requirements-dev.lock"):
        text = (ROOT / name).read_text(encoding="utf-8")
        assert "://" not in text
        assert "--hash=sha256:" in text
        assert not re.search(r"^--(index|extra-index|find-links)", text, flags=re.MULTILINE)
