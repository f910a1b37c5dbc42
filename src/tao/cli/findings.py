"""What a look-around found, and how it is printed: one thing a line, then what to do next."""

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from tao.cli.screen import Column, Screen, Table, styled
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
    screen = Screen()
    rows = [(styled(MARKS[it.state]), it.about, styled((it.text, "dim" if it.state == "missing" else ""))) for it in findings]
    screen.table(Table((Column(), Column(), Column(fit="fold")), rows))
    advice = list(dict.fromkeys(finding.advice for finding in findings if finding.advice))
    screen.print("\n", (say("Next", "下一步"), "bold"))
    for line in advice or [usual]:
        screen.print(f"  {line}")
