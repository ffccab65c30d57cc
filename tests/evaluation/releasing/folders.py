"""A small release with a file of every kind, as data and on disk."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

TEXT = "On May 1, 2020, Ada sued the “City”. Judge Moreno ruled twice. The case is closed."
SHORT = "Ada won against the city. Judge Moreno ruled twice."
RUN = "document_checklists/gavel_agent/model-one/77/grouped/01_basics"


def cell(*values: Any) -> dict[str, Any]:
    return {"reasoning": "It says so.", "extracted": list(values)}


def value(text: Any, *evidence: Any) -> dict[str, Any]:
    return {"value": text, "evidence": list(evidence)}


def part(text: str, document: str = "Docket", location: str = "page 1") -> dict[str, str]:
    return {"text": text, "source_document": document, "location": location}


def table(items: Any, **meta: Any) -> dict[str, Any]:
    return {
        "meta_data": {"inference_model": "org/judge-1", **meta},
        "token_stats": {},
        "results": {"77": items},
    }


def files() -> dict[str, Any]:
    """Path below ``data`` -> content; a list in a .jsonl file is one value a line."""
    judge_items = {
        "Filing Date": cell(value("May 1, 2020", "May 1, 2020")),
        "First and Last name of Judge": cell(value("Moreno", "Judge Moreno ruled")),
        "Trials": cell(),
    }
    run_items = {
        "Filing_Date": {
            "key": "Filing_Date",
            "extracted": [value("May 1, 2020", part("filed May 1"))],
            "last_updated": "2025-11-20T22:13:37-05:00",
        },
        "Trials": {
            "key": "Trials",
            "extracted": [value("Not Applicable", part("no trial"))],
            "last_updated": "2025-11-20T22:13:37-05:00",
        },
    }
    verdicts = {"Filing Date": "model equals reference", "Trials": "model equals reference"}
    return {
        "summaries/cases.json": {
            "77": {
                "summary/long": TEXT,
                "filing_date": "2020-05-01",
                "case_type": "Prison",
                "total_token_num": 1000,
                "total_length_bin": "32K",
            }
        },
        "summaries/model-one/cases.json": {
            "meta_data": {"inference_model": "m"},
            "results": {"77": SHORT},
        },
        "document_checklists/human.json": {
            "results": {
                "77": {
                    "Filing Date": [
                        {
                            "value": "May 1, 2020",
                            "evidences": ["May 1, 2020"],
                            "evidences_indices": [[3, 14]],
                        }
                    ]
                }
            }
        },
        "summary_checklists/cases.json": table(judge_items),
        "summary_checklists/model-one_summarization/cases.json": table(
            judge_items, file_name="model-one_summarization/cases"
        ),
        "evaluation/model-one_summarization/cases.json": table(
            verdicts, file_name="judge-1/model-one_summarization/cases"
        ),
        "document_checklists/end_to_end/batch_1.json": table(
            {"Filing Date": cell(value("May 1, 2020", part("filed May 1")))}
        ),
        "document_checklists/chunk_by_chunk/judge-1/cases.json": table(
            {"Filing_Date": cell(value("May 1, 2020", part("filed May 1")))}
        ),
        f"{RUN}/checklist.json": run_items,
        f"{RUN}/stats.json": {
            "model": "org/model-one",
            "steps": 2,
            "total_system_prompt_tokens": 100,
            "total_user_prompt_tokens": 30,
            "total_completion_tokens": 7,
            "per_step_details": [{"step": 1}, {"step": 2}],
        },
        f"{RUN}/ledger.jsonl": [
            {
                "event_name": name,
                "event": {"timestamp": f"2025-11-20T22:0{step}:00-05:00"},
                "run_id": "r",
                "step": step,
            }
            for step, name in enumerate(("list_documents", "stop"), start=1)
        ],
        f"{RUN}/raw_responses.jsonl": [
            {
                "step": step,
                "run_id": "r",
                "timestamp": f"2025-11-20T22:0{step}:30-05:00",
                "raw_response": f"Answer {step}.",
                "parsed_action": {"tool": "list_documents", "decision": None},
            }
            for step in (1, 2)
        ],
        "evaluation_documents_checklist/agent/model-one_grouped_thinking_False.json": table(
            verdicts, file_name="agent/model-one_grouped"
        ),
    }


def encoded(name: str, content: Any) -> bytes:
    """The bytes of a file as a release has them."""
    if name.endswith(".jsonl"):
        return "".join(json.dumps(row) + "\n" for row in content).encode()
    return json.dumps(content, indent=1).encode()


def write(folder: Path, contents: dict[str, Any]) -> Path:
    """Write ``contents`` below ``folder/data``; bytes stay as they are."""
    for name, content in contents.items():
        path = folder / "data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else encoded(name, content))
    return folder
