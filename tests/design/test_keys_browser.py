"""keys.js and dialog.js: which key acts when, and which never does."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.design.conftest import Site, person

pytestmark = pytest.mark.browser

Render = Callable[..., str]

# Each button writes its own id into the title of the page when it is pressed.
BODY = """
<button id="one" data-key="1">one</button>
<button id="again" data-key="j" data-key-repeat>j</button>
<button id="upper" data-key="J">J</button>
<button id="rest" data-key="Shift+0">all none</button>
<button id="none" data-key="0">none</button>
<button id="send" data-keys="Enter Mod+Enter" data-key-field>send</button>
<button id="undo" data-key="Mod+z">undo</button>
<button id="redo" data-key="Mod+Shift+z">redo</button>
<button id="off" data-key="f" disabled>off</button>
<button id="gone" data-key="g" hidden>gone</button>
<label><input id="radio" type="radio" data-key="2">two</label>
<div id="list" data-key-return="#row">
  <textarea id="text"></textarea><input id="line"><div id="rich" contenteditable="true"></div>
</div>
<div id="row" tabindex="-1" data-key="r">row</div>
<div data-key-scope="card" id="card" tabindex="-1"><button id="inner" data-key="x">x</button>
  <button id="nearer" data-key="1">1</button></div>
"""


@pytest.fixture
def keys(site: Site, render: Render) -> Page:
    page = site.show(render("base.html").replace("</main>", f"{BODY}</main>", 1))
    page.evaluate(
        """() => {
          window.pressed = [];
          document.addEventListener('click', (e) => window.pressed.push(e.target.id));
        }"""
    )
    return page


def pressed(page: Page) -> list[str]:
    found: list[str] = page.evaluate("window.pressed.splice(0)")
    return found


def test_a_press_clicks_its_element(keys: Page) -> None:
    expected = {
        "1": "one",
        "j": "again",
        "Shift+J": "upper",
        "0": "none",
        "Enter": "send",
        "Control+Enter": "send",
        "Meta+Enter": "send",
        "Control+z": "undo",
        "Control+Shift+Z": "redo",
    }
    for press, element in expected.items():
        keys.keyboard.press(press)
        assert pressed(keys) == [element], press


def test_shift_and_digit_is_told_by_the_place_of_the_key(keys: Page) -> None:
    keys.keyboard.down("Shift")
    keys.keyboard.press("Digit0")  # gives ")" here
    keys.keyboard.up("Shift")
    assert pressed(keys) == ["rest"]


def test_disabled_hidden_unmodified_and_out_of_scope_keys_rest(keys: Page) -> None:
    for press in ["f", "g", "z", "Control+1", "Alt+j", "Control+j", "x"]:
        keys.keyboard.press(press)
        assert pressed(keys) == [], press


@pytest.mark.parametrize("field", ["#text", "#line", "#rich"])
def test_no_key_acts_while_typing_but_the_chord_that_may(field: str, keys: Page) -> None:
    keys.focus(field)
    keys.keyboard.type("1j0J?xrf")
    assert pressed(keys) == []
    content = keys.evaluate(
        "s => { const e = document.querySelector(s); return e.value ?? e.textContent; }", field
    )
    assert content == "1j0J?xrf"
    keys.keyboard.press("Control+z")
    assert pressed(keys) == []
    keys.keyboard.press("Control+Enter")
    assert pressed(keys) == ["send"]


def test_enter_in_a_field_stays_in_the_field(keys: Page) -> None:
    keys.focus("#text")
    keys.keyboard.press("Enter")
    assert pressed(keys) == []
    assert keys.input_value("#text") == "\n"


def test_escape_leaves_the_field_and_keeps_its_text(keys: Page) -> None:
    keys.focus("#text")
    keys.keyboard.type("draft")
    keys.keyboard.press("Escape")
    assert keys.evaluate("document.activeElement.id") == "row"
    assert keys.input_value("#text") == "draft"


def test_a_row_takes_the_focus_instead_of_a_click(keys: Page) -> None:
    keys.keyboard.press("r")
    assert keys.evaluate("document.activeElement.id") == "row"
    assert pressed(keys) == []


def test_a_radio_is_chosen_and_does_not_count_as_typing(keys: Page) -> None:
    keys.focus("#radio")
    keys.keyboard.press("2")
    assert keys.is_checked("#radio")
    pressed(keys)
    keys.keyboard.press("1")
    assert pressed(keys) == ["one"]


def test_enter_on_a_focused_button_presses_that_button_alone(keys: Page) -> None:
    keys.focus("#undo")
    keys.keyboard.press("Enter")
    assert pressed(keys) == ["undo"]


def test_the_scope_around_the_focus_comes_first(keys: Page) -> None:
    keys.focus("#card")
    keys.keyboard.press("x")
    keys.keyboard.press("1")
    assert pressed(keys) == ["inner", "nearer"]


def test_what_has_just_been_hidden_takes_no_key(keys: Page) -> None:
    """A dialog's button keeps the focus until the next frame after the dialog has closed."""
    keys.evaluate(
        """() => {
          const one = document.getElementById('one');
          one.focus();
          one.hidden = true;
          const enter = new KeyboardEvent('keydown', { key: 'Enter', bubbles: true });
          document.activeElement.dispatchEvent(enter);
        }"""
    )
    assert pressed(keys) == ["send"]


SEND = "o => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', o))"


def test_composing_repeating_and_layouts(keys: Page) -> None:
    cases: list[tuple[dict[str, object], list[str]]] = [
        ({"key": "1"}, ["one"]),
        ({"key": "1", "isComposing": True}, []),
        ({"key": "1", "keyCode": 229}, []),
        ({"key": "1", "repeat": True}, []),
        ({"key": "j", "repeat": True}, ["again"]),
        ({"key": "J", "code": "KeyJ"}, ["again"]),  # caps lock
        ({"key": "о", "code": "KeyJ"}, ["again"]),  # a Cyrillic layout
        ({"key": "0", "code": "Digit0", "shiftKey": True}, ["none"]),  # a French layout
        ({"key": "1", "ctrlKey": True, "altKey": True, "modifierAltGraph": True}, ["one"]),
    ]
    for event, expected in cases:
        keys.evaluate(SEND, {"bubbles": True, "cancelable": True, **event})
        assert pressed(keys) == expected, event


def test_single_keys_can_be_switched_off_chords_stay(site: Site, render: Render) -> None:
    html = render("base.html", user=person(single_keys=False))
    page = site.show(html.replace("</main>", f"{BODY}</main>", 1))
    page.evaluate(
        "() => { window.pressed = [];"
        "document.addEventListener('click', (e) => window.pressed.push(e.target.id)); }"
    )
    for press in ["1", "j", "0", "?", "Shift+J"]:
        page.keyboard.press(press)
    assert pressed(page) == []
    page.keyboard.press("Control+Enter")
    page.keyboard.press("Control+z")
    assert pressed(page) == ["send", "undo"]


def test_a_clash_is_said_on_the_console(site: Site, render: Render) -> None:
    twice = '<button data-key="k">a</button><button data-keys="m k">b</button>'
    site.show(render("base.html").replace("</main>", f"{twice}</main>", 1))
    assert len(site.console) == 1
    assert site.console[0].startswith("Key k is declared twice in one scope")


def test_help_opens_by_key_holds_the_keys_and_returns_the_focus(site: Site, render: Render) -> None:
    page = site.show(render("design/work_single.html"))
    page.focus("a.btn[data-key='[']")
    page.keyboard.press("?")
    dialog = page.locator("#keys-help")
    assert dialog.evaluate("d => d.matches(':modal')")
    page.keyboard.press("1")
    assert not page.is_checked("input[value=equal]")
    page.keyboard.press("Escape")
    assert not dialog.is_visible()
    assert page.evaluate("document.activeElement.dataset.key") == "["
    page.keyboard.press("1")
    assert page.is_checked("input[value=equal]")


def test_help_closes_on_its_backdrop_and_button(site: Site, render: Render) -> None:
    page = site.show(render("design/work_single.html"))
    dialog = page.locator("#keys-help")
    page.keyboard.press("?")
    page.locator("#keys-help-title").click()
    assert dialog.is_visible()
    page.mouse.click(10, 400)
    assert not dialog.is_visible()
    page.keyboard.press("?")
    page.locator("[data-dialog-close]").click()
    assert not dialog.is_visible()
    assert page.url.endswith("/page/")


def test_menu_takes_escape_and_closes_elsewhere(site: Site, render: Render) -> None:
    page = site.show(render("design/work_single.html"))
    menu = page.locator(".topbar .menu")
    menu.locator("summary").click()
    page.keyboard.press("Tab")
    page.keyboard.press("Escape")
    assert menu.get_attribute("open") is None
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"
    menu.locator("summary").click()
    page.mouse.click(600, 300)
    assert menu.get_attribute("open") is None
