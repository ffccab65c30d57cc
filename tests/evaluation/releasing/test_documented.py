"""Every repair that an import of a release can count is in the documentation."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from evaluation.judging.repairs import Repair
from evaluation.releasing.readers.verdict_cells import REPAIR_WORDS

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "evaluation" / "releasing"
MODULES = (
    *(
        FOLDER / "readers" / f"{name}.py"
        for name in ("summaries", "human", "items", "verdicts", "extracted", "summary_checklists")
    ),
    *(FOLDER / "readers" / f"{name}.py" for name in ("document_checklists", "agent_runs")),
    *(FOLDER / "storing" / f"{name}.py" for name in ("extracted", "places", "agent_runs")),
    ROOT / "annotation" / "records" / "json_lines.py",
)
TABLE = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")


def documented() -> set[str]:
    """The repairs that the table names."""
    rows = re.findall(r"^\| ([^|]+) \|", TABLE[TABLE.index("| repair |") :], flags=re.MULTILINE)
    return set(re.findall(r"`([a-z_]+)`", " ".join(rows)))


def repairs_in(path: Path) -> set[str]:
    """What is written as ``repairs["..."]``, or as a key of ``quirks`` and ``missing``."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Subscript) and ast.unparse(node.value).endswith("repairs"):
            found |= {c.value for c in [node.slice] if isinstance(c, ast.Constant)}
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "report.tolerate":
            kinds = [arg for arg in node.args if isinstance(arg, ast.Dict)]
            found |= {k.value for arg in kinds for k in arg.keys if isinstance(k, ast.Constant)}
        if (
            isinstance(node, ast.Assign)
            and ast.unparse(node.targets[0]) in ("quirks", "missing")
            and isinstance(node.value, ast.Dict)
        ):
            found |= {key.value for key in node.value.keys if isinstance(key, ast.Constant)}
    return {name for name in found if isinstance(name, str)}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_every_repair_is_documented(path: Path) -> None:
    assert repairs_in(path) - documented() == set()


def test_every_repair_of_a_verdict_is_documented() -> None:
    assert set(REPAIR_WORDS) - {Repair.UNKNOWN_LENGTH.value} - documented() == set()


def test_repairs_are_found_at_all() -> None:
    assert sum(len(repairs_in(path)) for path in MODULES) > 30
