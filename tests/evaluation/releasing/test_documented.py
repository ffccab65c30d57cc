"""Every repair that an import of a release can count is in the documentation."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "evaluation" / "releasing"
MODULES = (
    *(
        FOLDER / "readers" / f"{name}.py"
        for name in ("summaries", "human", "extracted", "summary_checklists")
    ),
    *(FOLDER / "readers" / f"{name}.py" for name in ("document_checklists", "agent_runs")),
    *(FOLDER / "storing" / f"{name}.py" for name in ("extracted", "places", "agent_runs")),
    ROOT / "annotation" / "records" / "json_lines.py",
)
TABLE = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")


def repairs_in(path: Path) -> set[str]:
    """What is written as ``repairs["..."]``, or as a key of ``quirks`` and ``missing``."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Subscript) and ast.unparse(node.value).endswith("repairs"):
            found |= {c.value for c in [node.slice] if isinstance(c, ast.Constant)}
        if (
            isinstance(node, ast.Assign)
            and ast.unparse(node.targets[0]) in ("quirks", "missing")
            and isinstance(node.value, ast.Dict)
        ):
            found |= {key.value for key in node.value.keys if isinstance(key, ast.Constant)}
    return {name for name in found if isinstance(name, str)}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_every_repair_is_documented(path: Path) -> None:
    rows = re.findall(r"^\| ([^|]+) \|", TABLE[TABLE.index("| repair |") :], flags=re.MULTILINE)
    documented = set(re.findall(r"`([a-z_]+)`", " ".join(rows)))
    assert repairs_in(path) - documented == set()


def test_repairs_are_found_at_all() -> None:
    assert sum(len(repairs_in(path)) for path in MODULES) > 30
