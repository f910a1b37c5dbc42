"""A sign on a terminal that something takes time."""

import contextlib
import threading
import time
from collections.abc import Callable
from itertools import cycle

from wcwidth import clip

from tao.cli.screen import Screen, styled
from tao.cli.words import clock

FRAMES, SECONDS = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏", 0.1
HIDDEN, SHOWN, CLEARED = "\x1b[?25l", "\x1b[?25h", "\r\x1b[K"


def ticking(draw: Callable[[], object]) -> Callable[[], None]:
    """Draws at once, and ten times a second in a thread of its own until what is returned is called."""
    over = threading.Event()

    def work() -> None:
        with contextlib.suppress(OSError, ValueError):  # the terminal is gone, or its stream was closed
            while not over.wait(SECONDS):
                draw()

    draw()
    thread = threading.Thread(target=work, name="tao-ticking", daemon=True)
    thread.start()

    def stop() -> None:
        over.set()
        thread.join()

    return stop


class Spinner:
    """A turning sign, what takes time, and a clock, on one line of a terminal; closed, it leaves no trace."""

    def __init__(self, screen: Screen, what: str) -> None:
        self.screen, self.what = screen, what
        self._frames, self._began = cycle(FRAMES), time.monotonic()
        screen.file.write(HIDDEN)
        self._stop = ticking(self._draw)

    def _draw(self) -> None:
        text = styled((f"{next(self._frames)} {self.what} ", "dim"), (clock(time.monotonic() - self._began), "yellow"))
        self.screen.file.write(CLEARED + clip(self.screen.rendered(text), 0, self.screen.width - 1))
        self.screen.file.flush()

    def close(self) -> None:
        """Take it away."""
        self._stop()
        self.screen.file.write(CLEARED + SHOWN)
        self.screen.file.flush()
