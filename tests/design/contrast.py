"""Contrast of two colours, and the promises written in tokens.css. No Django."""

from __future__ import annotations

import re
from typing import NamedTuple

TOKEN = re.compile(r"--([a-z0-9-]+):\s*(light-dark\([^)]*\)|#[0-9a-f]{3,8})\s*;")
PAIR = re.compile(r"@pair --([a-z0-9-]+) on --([a-z0-9-]+) (\d+(?:\.\d+)?)")
PLAIN = re.compile(r"@plain --([a-z0-9-]+)")


class Pair(NamedTuple):
    """``text`` on ``ground`` has a contrast of at least ``least``."""

    text: str
    ground: str
    least: float


def luminance(colour: str) -> float:
    """Relative luminance of ``#rrggbb``, 0..1 (WCAG 2.2)."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """Contrast ratio of two opaque colours, 1..21, whichever is the lighter (WCAG 2.2)."""
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def colours(css: str) -> dict[str, dict[str, str]]:
    """Theme -> token -> colour, for every colour token of ``css``."""
    themes: dict[str, dict[str, str]] = {"light": {}, "dark": {}}
    for name, value in TOKEN.findall(css):
        light, dark = value, value
        if value.startswith("light-dark("):
            light, dark = (part.strip() for part in value[len("light-dark(") : -1].split(","))
        themes["light"][name] = light
        themes["dark"][name] = dark
    return themes


def pairs(css: str) -> list[Pair]:
    """What ``css`` promises in its ``@pair`` comments."""
    return [Pair(text, ground, float(least)) for text, ground, least in PAIR.findall(css)]


def plain(css: str) -> set[str]:
    """Colour tokens that ``css`` declares to carry no meaning by themselves."""
    return set(PLAIN.findall(css))
