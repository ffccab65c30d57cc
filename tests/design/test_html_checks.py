"""The checks find what they are there to find."""

import pytest

from tests.design import html_checks as h


@pytest.mark.parametrize(
    ("chord", "same"),
    [
        ("X", "Shift+x"),
        ("Shift+X", "Shift+x"),
        ("Shift+Mod+z", "Mod+Shift+z"),
        ("+", "+"),
        ("Mod+Enter", "Mod+Enter"),
        ("j", "j"),
    ],
)
def test_canonical_spelling_of_a_chord(chord: str, same: str) -> None:
    assert h.canonical(chord) == same


def test_two_elements_of_one_scope_clash() -> None:
    assert h.key_clashes('<a data-key="J"></a><p><button data-keys="k Shift+j"></button></p>') == [
        "Shift+j"
    ]


def test_scopes_are_apart() -> None:
    page = (
        '<button data-key="x"></button>'
        '<div data-key-scope><img alt=""><button data-key="x"></button></div>'
        '<dialog><button data-key="x"></button></dialog>'
    )
    assert h.key_clashes(page) == []
    assert h.key_clashes(page + '<button data-key="x"></button>') == ["x"]


def test_a_key_missing_from_the_help_is_found() -> None:
    page = '<button data-keys="f Mod+z"></button><kbd data-chord="f">f</kbd>'
    assert h.undocumented_keys(page) == ["Mod+z"]


@pytest.mark.parametrize(
    "page",
    [
        '<p style="color:red">',
        "<style>p{}</style>",
        "<script>go()</script>",
        '<p onclick="go()">',
        '<p hx-on:click="go()">',
        '<a href=" JavaScript:go()">',
    ],
)
def test_inline_code_is_found(page: str) -> None:
    assert len(h.inline_code(page)) == 1


def test_a_script_file_is_no_inline_code() -> None:
    assert h.inline_code('<script src="/static/js/keys.js" defer></script>') == []


@pytest.mark.parametrize(
    "page",
    [
        '<img src="https://x.test/a.png" alt="">',
        '<link href="//x.test/a.css" rel="stylesheet">',
        '<svg><use href="http://x.test/a.svg#b"/></svg>',
    ],
)
def test_foreign_loads_are_found(page: str) -> None:
    assert len(h.foreign_loads(page)) == 1


def test_a_link_elsewhere_is_no_load() -> None:
    assert h.foreign_loads('<a href="https://x.test/">paper</a>') == []


def test_duplicate_ids_are_found() -> None:
    assert h.duplicate_ids('<p id="a"></p><p id="b"></p><p id="a"></p>') == ["a"]
