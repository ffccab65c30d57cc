"""What Label Studio shows and asks: one labelling configuration for each kind of task. PURE."""

from __future__ import annotations

from collections.abc import Iterable
from xml.etree import ElementTree as ET

from annotation.checklists.schema import Template
from annotation.kinds import style
from annotation.records.label_studio.names import (
    ABSENT,
    ITEM,
    NOT_APPLICABLE,
    ONLY_A,
    ONLY_B,
    PAIRS,
    REASON,
    RELATION,
    RELATION_LABELS,
    TEXT,
    UNQUOTED,
    VALUE,
    A,
    B,
)

SINGLE, LIST, STYLE, EXTRACTION = "single", "list", "style", "extraction"
FORMS = (SINGLE, LIST, STYLE, EXTRACTION)
# Label Studio asks for colours, and knows no groups.
_COLOURS = ("#4c72b0", "#dd8452", "#55a868", "#c44e52", "#8172b3", "#937860", "#da8bc3", "#64b5cd")


def config(form: str, template: Template) -> str:
    """The configuration of a project with tasks of ``form`` (one of ``FORMS``), as XML."""
    made = {SINGLE: _single, LIST: _list, STYLE: _style, EXTRACTION: _extraction}[form]
    view = made(template)
    ET.indent(view)
    return ET.tostring(view, encoding="unicode") + "\n"


def _add(parent: ET.Element, tag: str, **attributes: str) -> ET.Element:
    return ET.SubElement(parent, tag, attributes)


def _two_texts() -> ET.Element:
    view = ET.Element("View")
    _add(view, "Header", value="$title")
    columns = _add(view, "View", style="display: flex; gap: 2em")
    for name, title in ((A, "A"), (B, "B")):
        column = _add(columns, "View", style="flex: 1")
        _add(column, "Header", value=title, size="5")
        _add(column, "Text", name=name, value=f"${name}")
    return view


def _choices(
    view: ET.Element, name: str, to: str, title: str, options: Iterable[str], **attributes: str
) -> None:
    _add(view, "Header", value=title, size="5")
    choices = _add(view, "Choices", name=name, toName=to, **attributes)
    for option in options:
        _add(choices, "Choice", value=option)


def _single(template: Template) -> ET.Element:
    view = _two_texts()
    options = RELATION_LABELS.values()
    _choices(view, RELATION, A, "How do they relate?", options, choice="single", required="true")
    return view


def _list(template: Template) -> ET.Element:
    view = _two_texts()
    many = {"choice": "multiple", "layout": "select"}
    _choices(view, PAIRS, A, "Which values match?", (), value=f"${PAIRS}", **many)
    _choices(view, ONLY_A, A, "Values of A without a counterpart", (), value=f"${ONLY_A}", **many)
    _choices(view, ONLY_B, B, "Values of B without a counterpart", (), value=f"${ONLY_B}", **many)
    return view


def _style(template: Template) -> ET.Element:
    view = _two_texts()
    for aspect in style.ASPECTS:
        words = aspect.replace("_", " ")
        _add(view, "Header", value=f"How alike in {words}? (5: alike)", size="5")
        _add(view, "Rating", name=aspect, toName=A, maxRating=str(style.SCALE[-1]), required="true")
        _add(
            view,
            "TextArea",
            name=REASON + aspect,
            toName=A,
            placeholder="Reason",
            maxSubmissions="1",
        )
    return view


def _extraction(template: Template) -> ET.Element:
    view = ET.Element("View")
    _add(view, "Header", value="$title")
    groups = [group.key for group in template.groups]
    labels = _add(view, "Labels", name=ITEM, toName=TEXT, showInline="true")
    for item in template.items:
        colour = _COLOURS[groups.index(item.group) % len(_COLOURS)]
        _add(labels, "Label", value=item.label, background=colour)
    # Without it a marked piece would grow to whole words.
    _add(view, "Text", name=TEXT, value=f"${TEXT}", granularity="symbol")
    _add(
        view, "TextArea", name=VALUE, toName=TEXT, perRegion="true", maxSubmissions="1",
        editable="true", placeholder="Value, if it is not the marked text itself",
    )  # fmt: skip
    _add(
        view, "TextArea", name=UNQUOTED, toName=TEXT, editable="true",
        placeholder="A value that no piece of the text supports, as Item: value",
    )  # fmt: skip
    options = [item.label for item in template.items]
    many = {"choice": "multiple", "layout": "select"}
    _choices(view, ABSENT, TEXT, "Looked for and not there", options, **many)
    _choices(view, NOT_APPLICABLE, TEXT, "Not applicable", options, **many)
    return view
