"""What a look-around found, and how it is printed: one thing a line, then what to do next."""

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tao.cli.words import say

MARKS = {"ok": ("✓", "green"), "missing": ("–", "dim"), "bad": ("✗", "red"), "note": ("!", "yellow")}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at. `advice` is a command or sentence that mends it."""

    about: str
    state: Literal["ok", "missing", "bad", "note"]
    text: str
    advice: str = ""


def printed(findings: Sequence[Finding], usual: str, *, as_json: bool) -> None:
    """Print them; `usual` is what to do next where nothing has to be mended."""
    if as_json:
        for finding in findings:
            sys.stdout.write(json.dumps(asdict(finding), ensure_ascii=False) + "\n")
        return
    console = Console(highlight=False)
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for finding in findings:
        mark, style = MARKS[finding.state]
        table.add_row(Text(mark, style), finding.about, Text(finding.text, "dim" if finding.state == "missing" else ""))
    console.print(table)
    console.print()
    advice = list(dict.fromkeys(finding.advice for finding in findings if finding.advice))
    console.print(Text(say("Next", "下一步"), "bold"))
    for line in advice or [usual]:
        console.print(Text(f"  {line}"), soft_wrap=True)
