"""What a reply means, in short: a list of (tool, arguments), the answer as text, or the reason of a misread as a set."""

import pytest

from tao.dialects.read import read
from tao.events import Decided
from tao.testing import spec

TOOLS = (
    spec("find_bird", "Find a bird.", bird="string"),
    spec("book_ferry", "Book a ferry.", port="string", people="integer"),
    spec("ring_bell", "Ring the bell."),
    spec("run_lua", "Run Lua.", code="string"),
    spec("paint", "Paint a wall.", colour="string", walls="array", gloss="boolean?", litres="number?"),
    spec("查潮汐", "查询潮汐。", 港口="string"),
    spec("seat", "Find a seat by its number.", number="integer"),
    spec("tags", "Set the tags.", labels="array"),
)


def shortly(reading):
    if not isinstance(reading, Decided):
        return {reading.reason}
    return [(call.tool, call.args) for call in reading.calls] if reading.calls else reading.answer


@pytest.fixture
def means():
    def said(text, *tools, lang="en"):
        return shortly(read(text, tools or TOOLS, lang=lang))

    return said
