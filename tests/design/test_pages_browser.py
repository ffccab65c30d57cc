"""The pages in a browser: accessible, inside the window, free of policy violations."""

from collections.abc import Callable
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.design.conftest import Site, person

pytestmark = pytest.mark.browser

Render = Callable[..., str]
PAGES = ["design/index.html", "design/work_single.html", "design/work_list.html"]
FRAMES = PAGES[1:]
MEASURES = """() => {
  const root = document.documentElement;
  const box = (selector) => document.querySelector(selector).getBoundingClientRect();
  const [bar, act, head] = ['.actionbar', '.actions .btn-primary', '.topbar'].map(box);
  return {
    over: [root.scrollWidth - innerWidth, root.scrollHeight - innerHeight],
    head: head.height, bar: bar.height, below: bar.bottom - innerHeight,
    right: act.right - innerWidth, top: act.top - bar.top, bottom: act.bottom - bar.bottom,
  };
}"""


def serious(page: Page) -> list[str]:
    """What axe calls serious or critical on ``page``."""
    found = Axe().run(page).response["violations"]
    return [
        f"{violation['id']}: {node['html'][:120]}"
        for violation in found
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"]
    ]


@pytest.mark.parametrize("template", [*PAGES, "registration/login.html"])
def test_nothing_serious_for_axe_in_either_theme(template: str, site: Site, render: Render) -> None:
    html = render(template)
    theme: Literal["light", "dark"]
    for theme in ("light", "dark"):
        site.page.emulate_media(color_scheme=theme)
        assert serious(site.show(html)) == []


def test_axe_would_notice(site: Site, render: Render) -> None:
    page = site.show(render("404.html").replace("</h1>", '</h1><img src="/static/img/gavel.svg">'))
    assert [found.split(":")[0] for found in serious(page)] == ["image-alt"]


def test_no_policy_violation_and_no_other_host(site: Site, render: Render) -> None:
    for template in [*PAGES, "registration/login.html", "404.html"]:
        site.show(render(template))
    assert site.console == []
    assert site.refused == []


def test_a_violation_would_be_noticed(site: Site, render: Render) -> None:
    site.show(render("404.html").replace("<h1>", '<h1 style="color: red">'))
    assert "Content Security Policy" in site.console[0]


@pytest.mark.parametrize("template", FRAMES)
@pytest.mark.parametrize("size", ["s", "m", "l"])
def test_work_frame_fits_the_window(template: str, size: str, site: Site, render: Render) -> None:
    page = site.show(render(template, user=person(text_size=size)))
    for width, height in [(1280, 800), (1440, 900), (1920, 1080), (1024, 768)]:
        page.set_viewport_size({"width": width, "height": height})
        measured = page.evaluate(MEASURES)
        assert measured["over"] == [0, 0]
        assert (measured["head"], measured["bar"], measured["below"]) == (44, 48, 0)
        assert measured["right"] < 0
        assert measured["top"] > 0 > measured["bottom"]


def test_the_four_choices_are_in_sight_and_equal(site: Site, render: Render) -> None:
    page = site.show(render("design/work_single.html"))
    boxes = [c.bounding_box() for c in page.locator(".choice").all()]
    assert len(boxes) == 4
    assert len({(round(b["width"]), b["height"], b["y"]) for b in boxes if b}) == 1
    assert all(b and b["y"] + b["height"] <= 752 for b in boxes)


def test_the_two_lists_scroll_apart(site: Site, render: Render) -> None:
    page = site.show(render("design/work_list.html"))
    a, b = (page.locator(".pane-body").nth(n) for n in (0, 1))
    assert page.locator("#a-18").count() == 1
    a.evaluate("pane => pane.scrollTo(0, 9999)")
    assert a.evaluate("pane => pane.scrollTop") > 0
    assert b.evaluate("pane => pane.scrollTop") == 0
    last = page.locator("#a-18").bounding_box()
    assert last is not None
    assert last["y"] + last["height"] <= 752


@pytest.mark.parametrize("template", PAGES)
def test_narrow_and_zoomed_pages_never_scroll_sideways(
    template: str, site: Site, render: Render
) -> None:
    page = site.show(render(template))
    for width, height in [(1024, 768), (640, 400)]:  # the second: 1280x800 at 200 %
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") == 0
        if template in FRAMES:
            act = page.locator(".actions .btn-primary").bounding_box()
            assert act is not None
            assert act["x"] + act["width"] <= width
            assert act["y"] + act["height"] <= height


def test_the_person_overrules_the_system(site: Site, render: Render) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    page = site.show(render("design/index.html"))
    assert page.evaluate(ground) == "rgb(244, 244, 241)"  # --paper, light: #f4f4f1
    page = site.show(render("design/index.html", user=person(theme="dark")))
    assert page.evaluate(ground) == "rgb(16, 19, 23)"  # --paper, dark: #101317


def test_focus_is_visible(site: Site, render: Render) -> None:
    page = site.show(render("design/index.html"))
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    skip = page.locator(".skip").bounding_box()
    assert skip is not None
    assert skip["y"] >= 0
    page.keyboard.press("Tab")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


@pytest.mark.parametrize("site", [{"reduced_motion": "reduce"}], indirect=True)
def test_reduced_motion_is_obeyed(site: Site, render: Render) -> None:
    page = site.show(render("design/index.html"))
    moving = page.evaluate(
        """[...document.querySelectorAll('*')].filter((e) => {
          const s = getComputedStyle(e);
          return s.animationName !== 'none' || /[1-9]/.test(s.transitionDuration);
        }).length"""
    )
    assert moving == 0


@pytest.mark.parametrize("site", [{"java_script_enabled": False}], indirect=True)
def test_help_and_menu_open_without_script(site: Site, render: Render) -> None:
    page = site.show(render("design/work_single.html"))
    assert not page.locator("#keys-help").is_visible()
    page.locator("a[data-dialog-open]").click()
    assert page.locator("#keys-help").is_visible()
    page.locator("[data-dialog-close]").click()
    assert not page.locator("#keys-help").is_visible()
    page.locator(".topbar .menu summary").click()
    assert page.get_by_role("button", name="Sign out").is_visible()
