"""Paragraphs and sentences of a text, with their offsets. PURE.

English prose as lawyers and physicians write it: citations, initials, abbreviations, lists. Every
character that is not blank is in exactly one paragraph and exactly one sentence, so nothing gets
lost where the rules guess wrong.
"""

from __future__ import annotations

import re

Span = tuple[int, int]

_BLANK_LINE = re.compile(r"\n[^\S\n]*\n\s*")
_LINE_BREAK = re.compile(r"\n\s*")
# A stop, the marks that belong to it, and the blank after it.
_STOP = re.compile(
    r"(?P<stop>\.(?: \.){2,3}|[.!?\u2026]+)"
    r"(?P<marks>[\"'\u2019\u201d)\]*_]*(?:\[\d{1,3}\]|[\u00b9\u00b2\u00b3])*)"
    r"(?P<blank>\s+)"
)
_CJK_STOP = re.compile(r"[\u3002\uff01\uff1f][\u300d\u300f\uff09\u201d]*\s*")
_LIST_ITEM = re.compile(r"\n\s*(?=(?:[-*\u2022\u2023\u25e6\u25aa\u25cf\xb7]|\(?\w{1,3}[.)])\s)")
_WORD_BEFORE = re.compile(r"[^\s(\[\"'\u201c\u2018\u2014\u2013/]+\Z")
_OPENS = re.compile(r"[\"'\u201c\u2018(\[*_]*(?P<char>.)", re.DOTALL)
_LIST_NUMBER = re.compile(r"\(?(?:\d{1,3}|[A-Za-z]|[ivx]{1,4})\Z")

# Abbreviations that are always followed by what they belong to.
_ALWAYS = (
    "v vs no nos mr mrs ms dr prof hon rev sgt lt col gen gov sen rep capt atty messrs st "
    "mt ft ex art arts sec secs para paras pt pts ch chs cl vol vols pp p fig figs app ann "
    "id ibid cf e.g i.e viz see u.s.c u.s.c.a c.f.r f fed supp f.supp appx fed.appx s.ct "
    "stat cir ct dist div dep't gov't int'l nat'l ass'n bd comm'n dkt ecf exh doc docs op "
    "mem slip reg rul am jur restat l.ed a n.e n.w s.e s.w so p.2d approx est al jan feb "
    "mar apr jun jul aug sept sep oct nov dec "
)
_NEVER_LAST = frozenset(_ALWAYS.split())
# Courts are named by states so abbreviated: (D. Mass. 2009).
_STATES = (
    "ala ariz ark cal colo conn del fla ga ill ind kan ky la mass md mich minn miss mo mont neb "
    "nev okla or pa tenn tex va vt wash wis wyo"
)
_BEFORE_A_YEAR = frozenset(_STATES.split())
# Abbreviations that end a sentence as often as not: what follows decides.
_SOMETIMES = (
    "inc corp co ltd llc l.l.c llp l.l.p p.c jr sr esq etc u.s u.n d.c n.y n.j a.m p.m ph.d "
    "m.d j.d l.a e.u u.k b.a m.a u.s.a "
)
_MAYBE_LAST = frozenset(_SOMETIMES.split())
_STARTS_A_SENTENCE = re.compile(
    r"[\"'\u201c\u2018(\[]*(?:The|This|These|Those|That|It|He|She|They|We|A|An|In|On|At|As|After|"
    r"Before|By|For|From|If|When|While|Since|Under|Both|All|Each|Some|Many|Most|No|Other|However|"
    r"Although|Because|Later|Following|There|Here|Its|His|Her|Their|Our|Plaintiffs?|Defendants?|"
    r"During|With|Between|According|To|One|Two|Three|Also|Then|Thus|What|Which|Who|Judge|On)\b"
)


def paragraphs(text: str) -> list[Span]:
    """The paragraphs: half-open code-point offsets, in order, without blanks at either end.

    Blank lines part them; in a text that has none, line breaks do. A text without any line break
    is one paragraph, a blank text has none.

    >>> paragraphs("One.\\n\\nTwo\\nlines.")
    [(0, 4), (6, 16)]
    """
    first, last = trimmed(text, 0, len(text))
    if first == last:
        return []
    border = _BLANK_LINE if _BLANK_LINE.search(text, first, last) else _LINE_BREAK
    return _between(text, [m.span() for m in border.finditer(text, first, last)], first, last)


def sentences(text: str, start: int = 0, end: int | None = None) -> list[Span]:
    """The sentences of ``text[start:end]``: half-open code-point offsets into ``text``, in order.

    Without blanks at either end; never empty. No sentence crosses a paragraph. Headings and list
    items are sentences of their own. Raises ``ValueError`` outside
    ``0 <= start <= end <= len(text)``.

    >>> text = "Doe v. Roe, Inc. was filed. See 550 U.S. 544. It settled."
    >>> [text[slice(*span)] for span in sentences(text)]
    ['Doe v. Roe, Inc. was filed.', 'See 550 U.S. 544.', 'It settled.']
    """
    end = len(text) if end is None else end
    if not 0 <= start <= end <= len(text):
        raise ValueError(f"[{start}, {end}) is outside a text of {len(text)} characters.")
    found = []
    for low, high in paragraphs(text[start:end]):
        found += _sentences_of(text, start + low, start + high)
    return found


def _sentences_of(text: str, low: int, high: int) -> list[Span]:
    borders = [m.span() for m in _LIST_ITEM.finditer(text, low, high)]
    for match in _STOP.finditer(text, low, high):
        if match.end() < high and _ends_a_sentence(text, match, low):
            borders.append(match.span("blank"))
    borders += [(m.end(), m.end()) for m in _CJK_STOP.finditer(text, low, high)]
    return _between(text, sorted(borders), low, high)


def _ends_a_sentence(text: str, match: re.Match[str], low: int) -> bool:
    """Whether a stop is the end of a sentence, by the word before it and what comes after it."""
    blank = match["blank"]
    following = _OPENS.match(text, match.end())
    char = following["char"] if following else ""
    if char.islower():
        # Lower case goes on with a sentence, unless a new line begins with it.
        return "\n" in blank and match["stop"] != "." and match["stop"] != "..."
    if match["stop"] == ". . .":
        return False
    if match["stop"] != "." or match["marks"]:
        return True
    before = _WORD_BEFORE.search(text, max(low, match.start() - 40), match.start())
    word = before[0] if before else ""
    if before and _is_list_number(text, before, low):
        return False
    plain = word.lower()
    if plain in _MAYBE_LAST:
        return _STARTS_A_SENTENCE.match(text, match.end()) is not None
    if char.isdigit() and plain in _BEFORE_A_YEAR:
        return False
    if plain in _NEVER_LAST or char == "\u00a7":
        # "No." before a number is "number", else the answer.
        return plain == "no" and not char.isdigit()
    # An initial: one letter, or letters with stops between (J. P. Doe, F.B.I. agents).
    if re.fullmatch(r"[^\W\d_](?:\.[^\W\d_])*", word):
        return len(word) > 1 and _STARTS_A_SENTENCE.match(text, match.end()) is not None
    return True


def _is_list_number(text: str, before: re.Match[str], low: int) -> bool:
    """Whether a word before a stop numbers an item: it stands first, or after a line break."""
    place = before.start()
    first = not text[low:place].strip("(*_ ") or text[:place].rstrip(" \t(*_").endswith("\n")
    return first and _LIST_NUMBER.fullmatch(before[0]) is not None


def _between(text: str, borders: list[Span], low: int, high: int) -> list[Span]:
    """What stands between the borders, without blanks at either end, never empty."""
    found = []
    for start, end in [*borders, (high, high)]:
        span = trimmed(text, low, start)
        if span[0] < span[1]:
            found.append(span)
        low = max(low, end)
    return found


def trimmed(text: str, start: int, end: int) -> Span:
    """``[start, end)`` without the blanks at its ends; empty when there is nothing else.

    >>> trimmed("a  b ", 1, 5)
    (3, 4)
    """
    piece = text[start:end]
    left = start + len(piece) - len(piece.lstrip())
    return left, max(left, start + len(piece.rstrip()))
