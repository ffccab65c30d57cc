"""Every template: nothing inline, nothing from elsewhere; every base page: keys without clashes."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from django import forms
from django.core.paginator import Paginator
from django.template.loader import render_to_string
from django.test import RequestFactory

from tests.design import html_checks as h
from tests.design.conftest import person

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
SCRIPTS = sorted((ROOT / "static" / "js").glob("*.js"))
SHEETS = sorted((ROOT / "static" / "css").glob("*.css"))
PAGES = ["design/index.html", "design/work_single.html", "design/work_list.html"]
PLAIN = [
    "400.html",
    "403.html",
    "403_csrf.html",
    "404.html",
    "429.html",
    "500.html",
    "registration/lockout.html",
    "registration/login.html",
]

Render = Callable[..., str]


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", TEMPLATES, ids=name)
def test_template_holds_nothing_inline_and_loads_nothing_foreign(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    assert not h.inline_code(source)
    assert not h.foreign_loads(source)
    assert "<!--" not in source, "template comments only: others are sent to everybody"


@pytest.mark.parametrize("path", SCRIPTS, ids=name)
def test_script_is_strict_and_builds_no_html(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    code = re.sub(r"^\s*//.*$", "", source, flags=re.MULTILINE).strip()
    assert code.startswith("'use strict';\n{\n")
    assert code.endswith("}")
    assert not re.findall(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", code
    )
    assert not re.findall(r"https?://", code)


@pytest.mark.parametrize("path", SHEETS, ids=name)
def test_sheet_loads_nothing(path: Path) -> None:
    assert not re.findall(r"@import|url\(", path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("template", PAGES)
def test_rendered_page_is_sound(template: str, render: Render) -> None:
    html = render(template)
    assert not h.inline_code(html)
    assert not h.key_clashes(html)
    assert not h.undocumented_keys(html)
    assert not h.duplicate_ids(html)
    assert html.count("<h1") == 1


@pytest.mark.parametrize("template", PLAIN)
def test_plain_page_needs_no_context(template: str) -> None:
    html = render_to_string(template)
    assert html.count("<h1") == 1
    assert not h.inline_code(html)
    assert not h.duplicate_ids(html)


def test_every_icon_that_a_template_names_is_in_the_sprite() -> None:
    sprite = (ROOT / "templates" / "_icons.html").read_text(encoding="utf-8")
    drawn = set(re.findall(r'<symbol id="i-([a-z0-9_-]+)"', sprite))
    named: set[str] = set()
    for path in TEMPLATES:
        source = path.read_text(encoding="utf-8")
        named |= set(re.findall(r'_icon\.html" with name="([a-z0-9_-]+)"(?!\|)', source))
        named |= set(re.findall(r'<use href="#i-([a-z0-9_-]+)"', source))
    assert named <= drawn, named - drawn


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, 'data-theme="system" data-density="comfortable" data-size="m" data-single-keys="on"'),
        (
            {"theme": "dark", "density": "compact", "text_size": "l", "single_keys": False},
            'data-theme="dark" data-density="compact" data-size="l" data-single-keys="off"',
        ),
    ],
)
def test_display_settings_stand_on_the_root(
    changes: dict[str, object], expected: str, render: Render
) -> None:
    assert expected in render("base.html", user=person(**changes))


def test_messages_are_escaped_and_swapped_into_a_region_that_stays(render: Render) -> None:
    class Message:
        level_tag = "error"

        def __str__(self) -> str:
            return "<b>{{ 7*7 }}</b>"

    html = render("_messages.html", messages=[Message()], oob=True)
    assert "&lt;b&gt;{{ 7*7 }}&lt;/b&gt;" in html
    assert 'hx-swap-oob="innerHTML"' in html
    assert "hx-swap-oob" not in render("_messages.html", messages=[])


def test_field_says_what_is_wrong_beside_the_input(render: Render) -> None:
    class Form(forms.Form):
        k = forms.IntegerField(label="People a task", help_text="1 to 9", max_value=9)
        note = forms.CharField(required=False)
        many = forms.BooleanField(required=False)
        order = forms.ChoiceField(choices=[("a", "Drawn")], widget=forms.RadioSelect)

    form = Form({"k": "12", "order": "a"})
    html = "".join(render("_field.html", field=field) for field in form)
    assert not h.duplicate_ids(html)
    k = next(e for e in h.Page(html).elements if e.attrs.get("name") == "k")
    assert k.attrs["aria-invalid"] == "true"
    assert set(k.attrs["aria-describedby"].split()) <= set(h.Page(html).ids)
    assert "Ensure this value is less than or equal to 9." in html
    assert html.count("(optional)") == 1
    assert "<legend>Order" in html


def test_pagination_keeps_the_filter(render: Render, rf: RequestFactory) -> None:
    page = Paginator(range(1357), 50).page(2)
    request = rf.get("/x/?item=appeals&page=2")
    html = render("_pagination.html", page_obj=page, request=request, hx_target="#rows")
    assert "51–100 of 1357" in html
    assert "Page 2 of 28" in html
    assert 'href="?item=appeals&amp;page=3" hx-get="?item=appeals&amp;page=3"' in html
    assert 'href="?item=appeals&amp;page=1"' in html
