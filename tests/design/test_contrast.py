"""The colours keep their promises, in both themes."""

import re
from pathlib import Path

import pytest

from tests.design import contrast as c

CSS = Path(__file__).resolve().parents[2] / "static" / "css"
TOKENS = (CSS / "tokens.css").read_text(encoding="utf-8")
THEMES = c.colours(TOKENS)


@pytest.mark.parametrize(
    ("one", "other", "ratio"),
    [
        ("#000000", "#ffffff", 21.0),  # (1 + 0.05) / (0 + 0.05)
        ("#ffffff", "#ffffff", 1.0),
        ("#777777", "#ffffff", 4.48),  # the well-known grey that just misses 4.5
        ("#767676", "#ffffff", 4.54),  # and the one that just reaches it
    ],
)
def test_contrast_of_known_pairs(one: str, other: str, ratio: float) -> None:
    assert c.contrast(one, other) == pytest.approx(ratio, abs=0.005)
    assert c.contrast(other, one) == c.contrast(one, other)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_documented_pair_is_readable(theme: str) -> None:
    tokens = THEMES[theme]
    promised = c.pairs(TOKENS)
    assert len(promised) > 80
    broken = {
        f"--{p.text} on --{p.ground}": round(c.contrast(tokens[p.text], tokens[p.ground]), 2)
        for p in promised
        if c.contrast(tokens[p.text], tokens[p.ground]) < p.least
    }
    assert not broken


def test_text_pairs_promise_at_least_aa() -> None:
    edges = ("-line", "-strong", "focus")
    low = [p for p in c.pairs(TOKENS) if p.least < 4.5 and not p.text.endswith(edges)]
    assert not low


def test_every_colour_is_in_a_pair_or_declared_plain() -> None:
    named = {name for p in c.pairs(TOKENS) for name in (p.text, p.ground)} | c.plain(TOKENS)
    assert set(THEMES["light"]) == named


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_each_group_has_its_own_three_colours(theme: str) -> None:
    tokens = THEMES[theme]
    for part in ("", "-soft", "-line"):
        assert len({tokens[f"group-{n}{part}"] for n in range(1, 10)}) == 9


def test_sheets_use_only_tokens_that_exist() -> None:
    sheets = {path.name: path.read_text(encoding="utf-8") for path in CSS.glob("*.css")}
    defined = set(re.findall(r"(--[a-z0-9-]+)\s*:", "".join(sheets.values())))
    for name, text in sheets.items():
        used = set(re.findall(r"var\((--[a-z0-9-]+)", text))
        assert used <= defined, (name, used - defined)


def test_colours_are_written_in_the_tokens_only() -> None:
    for path in CSS.glob("*.css"):
        if path.name != "tokens.css":
            text = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
            assert not re.findall(r"#[0-9a-fA-F]{3,8}\b(?=[;\s,)])|\brgba?\(|\bhsla?\(", text), path
