"""A made-up file of the paragraph tool: two paragraphs, three values."""

from typing import Any

TARGET = (
    "Filed on May 1, 2020. Judge \U0001f600 Woodcock ruled.\n\nThe court  ruled on R&D.\u00a0End."
)
SPLIT = TARGET.index("\n\n")
BOUNDS = [(0, SPLIT), (SPLIT + 2, len(TARGET))]


def at(*quotes: str, text: str = TARGET) -> list[list[int]]:
    """The offsets of the first occurrence of each quote."""
    return [[text.index(quote), text.index(quote) + len(quote)] for quote in quotes]


def edit(
    category: str, item: str | None, number: int, value: str, *quotes: str, **more: Any
) -> dict[str, Any]:
    annotation = {"explanation": value}
    if item is not None:
        annotation |= {"checklist_item": item, "spans_paragraphs": more.pop("paragraphs", None)}
    return {
        "category": category,
        "output_idx": at(*quotes),
        "annotation": annotation,
        "id": number,
        **more,
    }


def paragraph(number: int, *edits: dict[str, Any], **more: Any) -> dict[str, Any]:
    start, end = BOUNDS[number]
    own = TARGET[start:end]
    return {
        "id": f"46310_p{number}",
        "metadata": {
            "case_id": "46310",
            "paragraph_num": number,
            "total_paragraphs": 2,
            "model": "model-one",
            "paragraph_text_preview": own,
        },
        "source": "",
        "target": TARGET,
        "target_paragraph": own,
        "target_paragraph_indices": [start, end],
        "edits": list(edits),
        **more,
    }


def sound() -> list[dict[str, Any]]:
    """As the model's values were handed out."""
    return [
        paragraph(
            0,
            edit("filing_date", "Filing Date", 0, "May 1, 2020", "May 1, 2020"),
            edit(
                "court_rulings", "Court Rulings", 1, "A ruling", "Woodcock ruled", "ruled on R&D",
                paragraphs=[0, 1],
            ),
        ),
        paragraph(1, edit("court_rulings", "Court Rulings", 0, "About R&D", "R&D")),
    ]  # fmt: skip


def worked_on() -> list[dict[str, Any]]:
    """The same after somebody's work in the tool."""
    data = sound()
    data[0]["edits"].append(edit("judge_name", None, 1, "Woodcock", "Woodcock"))
    data[0] |= {"_thresh_id": 1, "bookmark": True, "comment": "sure?"}
    data[1]["_thresh_id"] = 2
    return data
