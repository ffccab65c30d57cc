"""Quotes as models alter them, with the spans they were made from: the same for the same seed.

    python benchmarks/altered_quotes.py [--release FOLDER] [--seed 0] [--number 2000] > quotes.jsonl

Each quote is cut out of a text between two words and altered in one or more of the ways that models
really show: typography (quotation marks, dashes, blanks, characters without width, case), wrapping
(quotation marks around, a list bullet, ellipses before and after, another stop at the end), gaps
(a stretch left out for an ellipsis), words (left out, put in, changed, mistyped) and cutting short.
The true spans are known because they were there first.

What a quote must satisfy, so that a wrong answer is wrong: the passage stands once in its text,
case and typography aside; a quote with altered words keeps a likeness of ``LEAST`` to its passage
(a quote that lost more has no place by definition). Absent quotes are cut, unaltered, out of texts
of other cases, have four words or more, and do not stand in the text asked, case and typography
aside.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path

from rapidfuzz import fuzz

LEAST = 90.5
SUMMARY = 8_000
DOCUMENT = 400_000

_TOKEN = re.compile(r"\S+")
_SENTENCE_END = re.compile(r"[.!?][\"\u201d')]*(?=\s+[A-Z\u201c\"(]|\s*\Z)|\n\s*\n")


@dataclass(frozen=True)
class Altered:
    """A quote of ``texts[text]``; ``spans`` are the true code-point offsets, none when absent."""

    text: int
    quote: str
    spans: tuple[tuple[int, int], ...]
    ways: tuple[str, ...]


@dataclass(frozen=True)
class Workload:
    """Texts, and the quotes to look for in them."""

    texts: list[str]
    quotes: list[Altered]


def cases_of_release(release: Path) -> dict[str, list[str]]:
    """The summaries of every case, people's first, of the release's ``data/`` folder."""
    folder = release / "data" / "summaries"
    cases: dict[str, list[str]] = {}
    for path in [*sorted(folder.glob("*.json")), *sorted(folder.glob("*/*.json"))]:
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            continue
        for case, summary in found.get("results", found).items():
            text = summary if isinstance(summary, str) else summary["summary/long"]
            cases.setdefault(case, []).append(text.replace("\r\n", "\n"))
    return cases


_SUBJECTS = (
    "the {adj} plaintiffs", "the Governor of {place}", "Judge {name}", "the {place} Department of "
    "Corrections", "a class of {number} prisoners", "the Court of Appeals", "{name} and {name}",
    "the United States", "counsel for {name}", "the {adj} monitor",
)  # fmt: skip
_VERBS = (
    "filed a motion to {act}", "asked the court to {act}", "was ordered to {act}", "appealed",
    "agreed to {act} within {number} days", "alleged a violation of 42 U.S.C. \u00a7 {number}",
    "refused to {act}", "settled for ${number},000", "objected that \u201cnobody can {act}\u201d",
)  # fmt: skip
_ACTS = (
    "dismiss the {adj} complaint", "certify a class", "produce the records of {name}",
    "hire {number} nurses", "close the {adj} unit", "stay the injunction", "pay ${number},000",
    "amend the \u201c{adj} policy\u201d", "depose {name}",
)  # fmt: skip
_TAILS = (
    "", " on {month} {day}, {year}", " in {place}", " \u2014 without a hearing \u2014 in {year}",
    ", {name} v. {name}, No. {day}-cv-{number}", " (see {number} F. Supp. 2d {number})",
)  # fmt: skip
_SYLLABLES = (
    "al",
    "ber",
    "cho",
    "dan",
    "ek",
    "fer",
    "gup",
    "had",
    "iq",
    "jan",
    "ko",
    "lind",
    "mor",
    "nor",
    "os",
    "pet",
    "qua",
    "ros",
    "sto",
    "tru",
    "ul",
    "ver",
)
_WORDS = {
    "adj": "amended proposed former joint emergency sealed medical federal local interim",
    "month": "January February March April May June July August September October November",
}


def made_cases(seed: int, number: int = 60) -> dict[str, list[str]]:
    """Cases made up from phrases, for a machine without the release: one text of 8 KB each."""
    rng = random.Random(f"cases {seed}")

    def fill(pattern: str) -> str:
        while "{" in pattern:
            pattern = re.sub(r"\{(\w+)\}", lambda match: value(match[1]), pattern, count=1)
        return pattern

    def value(name: str) -> str:
        if name in _WORDS:
            return rng.choice(_WORDS[name].split())
        if name in ("name", "place"):
            return "".join(rng.sample(_SYLLABLES, 3)).capitalize()
        if name == "act":
            return rng.choice(_ACTS)
        return str({"day": rng.randint(1, 28), "year": rng.randint(1960, 2025)}.get(name)
                   or rng.randint(2, 9999))  # fmt: skip

    def sentence() -> str:
        clauses = [
            fill(rng.choice(_SUBJECTS) + " " + rng.choice(_VERBS) + rng.choice(_TAILS))
            for _ in range(rng.randint(1, 3))
        ]
        whole = ", and ".join(clauses)
        return whole[0].upper() + whole[1:] + "."

    cases = {}
    for case in range(number):
        text = ""
        while len(text) < SUMMARY:
            text += sentence() + rng.choice(["\n\n", " ", " ", " ", " "])
        cases[f"made-{case}"] = [text.strip()]
    return cases


def summaries(cases: dict[str, list[str]], seed: int, number: int = 2_000) -> Workload:
    """Quotes in summaries near 8 KB; one in eight is absent."""
    texts = [(case, text) for case, all_ in cases.items() for text in all_]
    texts.sort(key=lambda pair: (abs(len(pair[1]) - SUMMARY), pair))
    chosen = texts[:40]
    return _workload(chosen, texts, random.Random(f"summaries {seed}"), number)


def document(cases: dict[str, list[str]], seed: int, number: int = 500) -> Workload:
    """Quotes in one document of 400 KB, made of summaries; one in eight is absent."""
    rng = random.Random(f"document {seed}")
    names = sorted(cases)
    rng.shuffle(names)
    others, inside = names[: len(names) // 6], names[len(names) // 6 :]
    parts: list[str] = []
    for turn in range(max(len(cases[name]) for name in names)):
        parts += [cases[name][turn] for name in inside if turn < len(cases[name])]
    whole = ("\n\n".join(parts))[:DOCUMENT]
    strangers = [(name, text) for name in others for text in cases[name]]
    return _workload([("document", whole)], strangers, rng, number)


def _workload(
    chosen: Sequence[tuple[str, str]],
    strangers: Sequence[tuple[str, str]],
    rng: random.Random,
    number: int,
) -> Workload:
    plain = [_plain(text) for _, text in chosen]
    quotes: list[Altered] = []
    while len(quotes) < number:
        place = rng.randrange(len(chosen))
        case, text = chosen[place]
        if len(quotes) % 8 == 7:
            other, source = rng.choice(strangers)
            start, end = _passage(source, rng)
            quote = source[start:end]
            known = _plain(quote).strip(" .,;:!?'") in plain[place]
            if other != case and not known and len(quote.split()) >= 4:
                quotes.append(Altered(place, quote, (), ("absent",)))
            continue
        altered = _altered(text, plain[place], rng)
        if altered is not None:
            quote, spans, ways = altered
            quotes.append(Altered(place, quote, spans, ways))
    return Workload([text for _, text in chosen], quotes)


@lru_cache(maxsize=100)
def _borders(text: str) -> tuple[list[int], list[tuple[int, int]]]:
    ends = [0, *(match.end() for match in _SENTENCE_END.finditer(text)), len(text)]
    return ends, [match.span() for match in _TOKEN.finditer(text)]


def _passage(text: str, rng: random.Random) -> tuple[int, int]:
    """Mostly a sentence, as evidence mostly is; else a run of 5 to 40 words."""
    ends, tokens = _borders(text)
    if rng.random() < 0.7:
        place = rng.randrange(len(ends) - 1)
        low, high = ends[place], ends[place + 1]
        piece = text[low:high]
        return low + len(piece) - len(piece.lstrip()), low + len(piece.rstrip())
    first = rng.randrange(max(1, len(tokens) - 5))
    last = min(len(tokens) - 1, first + rng.randint(4, 39))
    return tokens[first][0], tokens[last][1]


def _plain(text: str) -> str:
    """Words and punctuation only; written apart from the product's folding, to check it."""
    out = []
    for char in unicodedata.normalize("NFKC", text).casefold():
        kind = unicodedata.category(char)
        if kind == "Pd":
            out.append("-")
        elif kind in ("Pi", "Pf") or char in "'\"`":
            out.append("'")
        elif kind != "Cf":
            out.append(char)
    return re.sub(r"\s+", " ", "".join(out)).strip()


Spans = tuple[tuple[int, int], ...]


def _altered(
    text: str, plain: str, rng: random.Random
) -> tuple[str, Spans, tuple[str, ...]] | None:
    start, end = _passage(text, rng)
    passage = text[start:end]
    words = len(passage.split())
    if not 4 <= words <= 120 or plain.count(_plain(passage)) != 1:
        return None
    group = rng.choice(("words", "words", "gap", "short", "typography", "typography"))
    quote, spans, ways = passage, ((start, end),), []
    if group == "words":
        way = rng.choice(list(_WORD_WAYS))
        quote = _WORD_WAYS[way](passage, rng)
        ways.append(way)
        if quote == passage or fuzz.ratio(_plain(quote), _plain(passage)) < LEAST:
            return None
    elif group == "gap":
        gap = _gap(passage, rng)
        if gap is None:
            return None
        quote, pieces = gap
        spans = tuple((start + a, start + b) for a, b in pieces)
        if any(plain.count(_plain(text[a:b])) != 1 for a, b in spans):
            return None
        ways.append("gap")
    elif group == "short":
        cut = rng.randint(len(passage) // 2, len(passage) - 1)
        quote = passage[:cut].rstrip()
        spans = ((start, start + len(quote)),)
        if plain.count(_plain(quote)) != 1:
            return None
        ways.append("short")
    if group == "typography" or rng.random() < 0.4:
        chosen = rng.sample(list(_TYPOGRAPHY), rng.randint(1, 3))
        for way in chosen:
            changed = _TYPOGRAPHY[way](quote, rng)
            if changed != quote:
                ways.append(way)
            quote = changed
    if rng.random() < 0.15 and group != "short":
        way = rng.choice(list(_WRAPPINGS))
        quote = _WRAPPINGS[way](quote)
        ways.append(way)
        if way == "stop" and passage[-1] in ",;:":
            spans = (*spans[:-1], (spans[-1][0], spans[-1][1] - 1))
    return (quote, spans, tuple(ways)) if ways and quote not in text else None


def _gap(passage: str, rng: random.Random) -> tuple[str, list[tuple[int, int]]] | None:
    tokens = [match.span() for match in _TOKEN.finditer(passage)]
    gaps = 2 if len(tokens) >= 24 and rng.random() < 0.25 else 1
    if len(tokens) < 9 * gaps:
        return None
    edges = sorted(rng.sample(range(3, len(tokens) - 3), 2 * gaps))
    borders = [0, *edges, len(tokens)]
    pieces = [
        (tokens[borders[i]][0], tokens[borders[i + 1] - 1][1]) for i in range(0, len(borders), 2)
    ]
    if any(b - a < 12 for a, b in pieces):
        return None
    dots = rng.choice(["...", " ... ", "\u2026", " \u2026 ", " [...] ", " . . . "])
    return dots.join(passage[a:b] for a, b in pieces), pieces


def _inner(passage: str, rng: random.Random) -> tuple[int, int]:
    tokens = [match.span() for match in _TOKEN.finditer(passage)]
    return tokens[rng.randrange(1, len(tokens) - 1)]


def _leave_out(passage: str, rng: random.Random) -> str:
    start, end = _inner(passage, rng)
    return passage[:start] + passage[end:].lstrip()


_ADDITIONS = ("also", "then", "therefore", "subsequently", "the", "federal", "that", "formally")


def _put_in(passage: str, rng: random.Random) -> str:
    start, _ = _inner(passage, rng)
    word = rng.choice(_ADDITIONS)
    return passage[:start] + word + " " + passage[start:]


_CHANGES = ("court", "order", "lawsuit", "granted", "agency", "stated", "ruling", "alleged", "two")


def _change(passage: str, rng: random.Random) -> str:
    """Another word for one that is nothing but letters, the first and the last included."""
    words = list(re.finditer(r"(?<!\w)[A-Za-z]{2,9}(?!\w)", passage))
    if not words:
        return passage
    word = rng.choice(words)
    other = rng.choice([change for change in _CHANGES if change != word[0].lower()])
    return passage[: word.start()] + other + passage[word.end() :]


def _mistype(passage: str, rng: random.Random) -> str:
    """One to three slips; a word's last letter stays, for without it the quote is cut short."""
    for _ in range(rng.randint(1, 3)):
        words = list(re.finditer(r"[A-Za-z]{4,}", passage))
        if not words:
            return passage
        word = rng.choice(words)
        at = word.start() + rng.randrange(len(word[0]) - 2)
        pair = passage[at : at + 2]
        new = rng.choice([pair[::-1], pair[0], pair[0] + pair, rng.choice("aeioustn") + pair[1]])
        passage = passage[:at] + new + passage[at + 2 :]
    return passage


_WORD_WAYS: dict[str, Callable[[str, random.Random], str]] = {
    "word left out": _leave_out,
    "word put in": _put_in,
    "word changed": _change,
    "mistyped": _mistype,
}


def _marks(quote: str, rng: random.Random) -> str:
    if any(mark in quote for mark in "\u201c\u201d\u2018\u2019"):
        return quote.translate(
            str.maketrans("\u201c\u201d\u2018\u2019", rng.choice(["\"\"''", "''''"]))
        )
    return re.sub(r'"([^"]*)"', "\u201c\\1\u201d", quote).replace("'", "\u2019")


def _dashes(quote: str, rng: random.Random) -> str:
    other = rng.choice("-\u2010\u2011\u2012\u2013\u2014\u2015")
    return re.sub("[-\u2010-\u2015]+", other, quote)


def _blanks(quote: str, rng: random.Random) -> str:
    other = rng.choice(["\u00a0", "\u202f", "  ", "\n", " \n ", "\u2009"])
    return re.sub(r"\s+", lambda match: other if rng.random() < 0.4 else match[0], quote)


def _one_line(quote: str, rng: random.Random) -> str:
    return " ".join(quote.split())


def _case(quote: str, rng: random.Random) -> str:
    way = rng.randrange(3)
    if way == 0:
        return quote.upper() if quote.upper().lower() == quote.lower() else quote
    return quote.lower() if way == 1 else quote[0].swapcase() + quote[1:]


def _no_width(quote: str, rng: random.Random) -> str:
    at = rng.randrange(1, len(quote))
    return quote[:at] + rng.choice("\u200b\u200d\u00ad\ufeff") + quote[at:]


_TYPOGRAPHY: dict[str, Callable[[str, random.Random], str]] = {
    "marks": _marks,
    "dashes": _dashes,
    "blanks": _blanks,
    "one line": _one_line,
    "case": _case,
    "no width": _no_width,
}


def _stop(quote: str) -> str:
    return quote[:-1] if quote[-1] in ",;:" else quote + "." if quote[-1].isalnum() else quote + " "


_WRAPPINGS: dict[str, Callable[[str], str]] = {
    "in quotation marks": lambda quote: f"\u201c{quote}\u201d",
    "in straight marks": lambda quote: f'"{quote}"',
    "bullet": lambda quote: f"- {quote}",
    "ellipsis before": lambda quote: f"...{quote}",
    "ellipsis after": lambda quote: f"{quote}\u2026",
    "stop": _stop,
}


def lines(workload: Workload) -> Iterator[str]:
    """The quotes as JSON lines."""
    return (json.dumps(asdict(quote), ensure_ascii=False) for quote in workload.quotes)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--release", type=Path, help="the folder that holds the release's data/")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--number", type=int, default=2_000)
    options = parser.parse_args()
    cases = cases_of_release(options.release) if options.release else made_cases(options.seed)
    for line in lines(summaries(cases, options.seed, options.number)):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
