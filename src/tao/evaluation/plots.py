"""Small plots as inline SVG. Colours are CSS variables of the page; every text is there in English and Chinese."""

import math
import unicodedata
from collections.abc import Sequence
from html import escape
from itertools import pairwise

WIDTH = 480
CELL = 7.2
"""Width of a character of a label; a Chinese one takes two."""
Words = tuple[str, str]


def text(x: float, y: float, words: Words, *, anchor: str = "start", style: str = "") -> str:
    """A label in both languages; the page shows one. Where both are the same there is but one."""
    shown = [("", words[0])] if words[0] == words[1] else [("en", words[0]), ("zh", words[1])]
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return "".join(f'<text {place} class="{f"{lang} {style}".strip()}">{escape(said)}</text>' for lang, said in shown)


def number(x: float, y: float, said: str, *, anchor: str = "middle", style: str = "dim") -> str:
    """A label that is the same in both languages."""
    return text(x, y, (said, said), anchor=anchor, style=style)


def svg(body: Sequence[str], height: float, title: Words) -> str:
    """The picture, as wide as its place."""
    return (
        f'<svg viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-label="{escape(" / ".join(title), quote=True)}">'
        + "".join(body) + "</svg>"
    )  # fmt: skip


def line(x1: float, y1: float, x2: float, y2: float, style: str = "grid") -> str:
    """A straight line."""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{style}"/>'


def box(x: float, y: float, width: float, height: float, style: str, tip: str = "") -> str:
    """A filled box with a tip; nothing where it has no size."""
    if width <= 0 or height <= 0:
        return ""
    inner = f"<title>{escape(tip)}</title>" if tip else ""
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" class="{style}">{inner}</rect>'


def whiskers(rows: Sequence[tuple[Words, float, float, float, str]], title: Words) -> str:
    """Shares with their intervals: (label, share, low, high, note), each on a line of its own, from 0 to 100 %."""
    left, right, step = 130.0, WIDTH - 20.0 - max((_cells(note) for *_, note in rows), default=0) * CELL, 30.0
    bottom = 14 + step * len(rows)
    scale = (right - left) / 1.0
    body = []
    for tick in (0, 25, 50, 75, 100):
        x = left + scale * tick / 100
        body += [line(x, 8, x, bottom), number(x, bottom + 15, f"{tick} %")]
    for place, (label, share, low, high, note) in enumerate(rows):
        y = 24 + step * place
        at = left + scale * share
        body += [
            text(left - 12, y + 4, (_short(label[0], (left - 14) / CELL), _short(label[1], (left - 14) / CELL)), anchor="end"),
            line(left + scale * low, y, left + scale * high, y, "whisker"),
            f'<circle cx="{at:.1f}" cy="{y:.1f}" r="5" class="dot"><title>{share:.1%} ({low:.1%} – {high:.1%})</title></circle>',
            number(WIDTH - 4, y + 4, note, anchor="end", style="value"),
        ]
    return svg(body, bottom + 22, title)


def _cells(said: str) -> int:
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in said)


def _short(said: str, room: float) -> str:
    """The beginning, where it is wider than so many cells."""
    if _cells(said) <= room:
        return said
    kept = next(place for place in range(len(said), -1, -1) if _cells(said[:place]) < room)
    return said[:kept] + "…"


def histogram(right: Sequence[float], wrong: Sequence[float], title: Words, unit: Words) -> str:
    """How values are spread, right answers below and wrong ones on top of them. Values are 0 or more."""
    both = [*right, *wrong]
    if not both:
        return ""
    edges = bins(both)
    bars = [(f"{a:g} – {b:g}", _within(right, a, b), _within(wrong, a, b)) for a, b in pairwise(edges)]
    return _columns(bars, edges, title, unit)


def columns(counts: Sequence[tuple[int, int, int]], title: Words, unit: Words) -> str:
    """Counts by a whole number: (number, right, wrong)."""
    return _columns([(str(label), good, bad) for label, good, bad in counts], None, title, unit, [label for label, _, _ in counts])


def _columns(
    bars: Sequence[tuple[str, int, int]], edges: Sequence[float] | None, title: Words, unit: Words, labels: Sequence[int] = (),
) -> str:
    left, right, top, bottom = 40.0, WIDTH - 10.0, 12.0, 150.0
    most = max((good + bad for _, good, bad in bars), default=0) or 1
    tall = ticks(most)
    scale, width = (bottom - top) / tall[-1], min((right - left) / len(bars), 60.0)
    body = []
    for tick in tall:
        y = bottom - scale * tick
        body += [line(left, y, right, y), number(left - 6, y + 4, f"{tick:g}", anchor="end")]
    for place, (label, good, bad) in enumerate(bars):
        x, inner = left + width * place + min(3.0, width / 8), width - 2 * min(3.0, width / 8)
        body += [
            box(x, bottom - scale * good, inner, scale * good, "right", f"{label}: {good}"),
            box(x, bottom - scale * (good + bad), inner, scale * bad, "wrong", f"{label}: {bad}"),
        ]
    if edges is not None:
        skip = max(1, math.ceil(len(edges) / 8))
        places = [(left + width * place, f"{edge:,g}") for place, edge in enumerate(edges) if place % skip == 0]
        body += [number(min(x, WIDTH - 4.0 * len(said)), bottom + 15, said) for x, said in places]
    else:
        body += [number(left + width * (place + 0.5), bottom + 15, str(label)) for place, label in enumerate(labels)]
    body.append(text((left + right) / 2, bottom + 32, unit, anchor="middle", style="dim"))
    return svg(body, bottom + 40, title)


def stacks(rows: Sequence[tuple[Words, Sequence[tuple[str, int]]]], title: Words) -> str:
    """Counts side by side on one line each: (label, [(style, count), …])."""
    left, right, step = 190.0, WIDTH - 40.0, 28.0
    most = max((sum(count for _, count in parts) for _, parts in rows), default=0) or 1
    body = []
    for place, (label, parts) in enumerate(rows):
        y, x = 8 + step * place, left
        body.append(text(left - 12, y + 14, label, anchor="end"))
        for style, count in parts:
            wide = (right - left) * count / most
            body.append(box(x, y, wide, 18, style, str(count)))
            x += wide
        body.append(number(x + 8, y + 14, str(sum(count for _, count in parts)), anchor="start", style="value"))
    return svg(body, 14 + step * len(rows), title)


def ticks(most: float, about: int = 4) -> list[float]:
    """Round numbers from 0 to at least `most`, about so many steps of 1, 2, 2.5 or 5 times a power of ten; counts get whole steps."""
    rough = max(most / about, 1e-12)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= rough * 0.999)
    if float(most).is_integer() and step < 1:
        step = 1.0
    if float(most).is_integer() and not float(step).is_integer():
        step = float(math.ceil(step))
    return [step * place for place in range(math.ceil(most / step - 1e-9) + 1)]


def bins(values: Sequence[float], about: int = 14) -> list[float]:
    """Round edges from 0 that hold all values."""
    most = max(*values, 0.001)
    if not float(most).is_integer():
        most = math.nextafter(most, math.inf)
    edges = ticks(most, about)
    return edges if edges[-1] > max(values) else [*edges, edges[-1] + edges[1]]


def _within(values: Sequence[float], low: float, high: float) -> int:
    return sum(low <= value < high for value in values)
