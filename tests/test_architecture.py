"""The import arrow, the pure packages and the one-file libraries."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
APPS = ("annotation", "agent", "evaluation", "gavel_site")
PURE = (
    "annotation.errors",
    "annotation.kinds",
    "annotation.checklists",
    "annotation.text",
    "annotation.records",
    "annotation.annotating.comparison",
    "annotation.annotating.keys",
    "annotation.annotating.lists",
    "annotation.annotating.work",
    "annotation.assigning.strategies",
    "agent.llm",
    "agent.extracting.showing",
    "evaluation.agreement",
    "evaluation.metrics",
    "evaluation.releasing.readers",
    "evaluation.exporting.bundle",
    "evaluation.exporting.rows",
    "evaluation.exporting.writers",
    "evaluation.exporting.lines",
    "evaluation.exporting.checking",
    "evaluation.exporting.verifying",
    "evaluation.exporting.checking_files",
    "evaluation.exporting.thresh",
    "evaluation.exporting.release_shapes",
    "evaluation.exporting.meter",
    "evaluation.exporting.checklist_cells",
    "evaluation.judging.requests",
    "evaluation.judging.replies",
    "evaluation.judging.rules",
    "evaluation.judging.prompts",
    "evaluation.judging.json_answer",
    "evaluation.judging.lexical",
    "evaluation.judging.matchings",
    "evaluation.judging.relations",
    "evaluation.judging.repairs",
    "evaluation.meta_evaluating.comparing",
    "evaluation.meta_evaluating.rating",
    "evaluation.meta_evaluating.figures",
    "evaluation.meta_evaluating.showing",
    "evaluation.demo",
)
ONLY_IN = {
    "openai": {"agent/llm/openai_client.py"},
    "tiktoken": {"agent/llm/tokens.py"},
    "pypdf": {"annotation/records/cases/pdf_text.py"},
}


def modules(app: str) -> list[Path]:
    return sorted(p for p in (ROOT / app).rglob("*.py") if "migrations" not in p.parts)


def imports(path: Path) -> set[str]:
    """Dotted names that ``path`` imports, function-level imports included."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: write imports in full"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def files_of(name: str) -> list[Path]:
    path = ROOT / Path(*name.split("."))
    module = path.with_suffix(".py")
    return [module] if module.exists() else sorted(path.rglob("*.py"))


def is_pure(name: str) -> bool:
    return any(name == pure or name.startswith(pure + ".") for pure in PURE)


@pytest.mark.parametrize("app", APPS)
def test_an_app_imports_only_itself_and_what_stands_to_its_left(app: str) -> None:
    right = APPS[APPS.index(app) + 1 :]
    upward = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in modules(app)
        for name in imports(path)
        if name.split(".")[0] in right and not is_pure(name)
    ]
    assert upward == []


@pytest.mark.parametrize("name", PURE)
def test_a_pure_package_names_no_django(name: str) -> None:
    assert files_of(name), name
    named = [
        f"{path.relative_to(ROOT)}: {imported}"
        for path in files_of(name)
        for imported in imports(path)
        if imported.split(".")[0] in {"django", "rest_framework", "gavel_site"}
        or ".models" in imported
    ]
    assert named == []


def test_pure_packages_import_where_django_is_missing() -> None:
    names = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for pure in PURE
        for path in files_of(pure)
        if path.name != "__main__.py"
    ]
    code = (
        "import importlib, sys\n"
        "class Block:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.split('.')[0] in ('django', 'rest_framework'):\n"
        "            raise ImportError('blocked: ' + name)\n"
        "sys.meta_path.insert(0, Block())\n"
        f"for name in {names!r}: importlib.import_module(name)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("library", sorted(ONLY_IN))
def test_a_library_is_imported_by_one_file_alone(library: str) -> None:
    users = {
        str(path.relative_to(ROOT))
        for app in APPS
        for path in modules(app)
        if any(name.split(".")[0] == library for name in imports(path))
    }
    assert users == ONLY_IN[library] & users
    assert users, f"nobody imports {library}: take it off the list"


@pytest.mark.parametrize("app", APPS)
def test_package_files_are_empty(app: str) -> None:
    filled = [
        str(path.relative_to(ROOT))
        for path in modules(app)
        if path.name == "__init__.py"
        and path.parent.name != "models"
        and path.read_text(encoding="utf-8").strip()
    ]
    assert filled == []


# What a stage offers to others; everything else of a stage is its own.
ENTRY_POINTS = (
    "annotation.managing.services",  # studies, task sets and templates by name
    "annotation.managing.pages",  # answers and verdicts in words
    "annotation.importing.services",  # one file, one transaction, one report
    "annotation.importing.formats",  # what can be imported, and how it is asked for
    "annotation.importing.cancelling",
    "annotation.importing.evidence",  # which documents a producer can mean
    "annotation.importing.tasks",  # task sets and their tasks
    "annotation.importing.checklists",
    "annotation.importing.commands",
    "annotation.assigning.services",
    "annotation.annotating.kinds",  # which kinds have a work page
    "annotation.annotating.services",  # answers proposed by an agent
    "agent.connecting.services",  # judges by name
    "evaluation.judging.services",
    "evaluation.judging.working",
    "evaluation.meta_evaluating.services",
    "evaluation.exporting.services",
)


def test_stages_meet_in_models_and_named_entry_points_alone() -> None:
    crossing = []
    for app in APPS[:3]:
        for path in modules(app):
            parts = path.relative_to(ROOT).parts
            if not parts[1].endswith("ing"):
                continue
            own = ".".join(parts[:2]) + "."
            for name in imports(path):
                pieces = name.split(".")
                if len(pieces) < 2 or pieces[0] not in APPS or not pieces[1].endswith("ing"):
                    continue
                offered = any(name == e or name.startswith(e + ".") for e in ENTRY_POINTS)
                if not (name.startswith(own) or is_pure(name) or offered):
                    crossing.append(f"{path.relative_to(ROOT)}: {name}")
    assert crossing == []
