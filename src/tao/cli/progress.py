"""Bars on a terminal: how much of something is done, and how long it takes still."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

from tqdm.std import tqdm

from tao.cli.screen import Screen
from tao.cli.waiting import ticking

tqdm.monitor_interval = 0  # we redraw ourselves, and need no second thread for it
tqdm.set_lock(threading.RLock())  # nor one lock for several processes


@contextmanager
def bar(screen: Screen, what: str, form: str, **counted: Any) -> Iterator[Any]:
    """A bar of tqdm on a terminal, nothing elsewhere, redrawn ten times a second. What Ctrl-C shows has room behind it.

    `form` is what stands on the line (`bar_format`); `counted` are its total, what is done already (`initial`), and their unit.
    """
    looks = {
        "ncols": screen.width - len("^C"), "colour": None if screen.env.get("NO_COLOR") else "cyan",
        "ascii": "─╾━" if str(getattr(screen.file, "encoding", "")).lower().startswith("utf") else None,
    }  # fmt: skip
    with tqdm(desc=what, bar_format=form, file=screen.file, disable=not screen.can_redraw, **looks, **counted) as shown:
        if shown.disable:
            yield shown
            return
        stop = ticking(shown.refresh)
        try:
            yield shown
        finally:
            stop()


@contextmanager
def beside(file: IO[str]) -> Iterator[None]:
    """While something is written to standard output, a bar on the same terminal is out of the way."""
    with tqdm.external_write_mode(file=file):
        yield
