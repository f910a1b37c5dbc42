"""What is open when a process is forked: the child lets go of it and begins anew.

A connection to SQLite must not be used on both sides of a fork: https://sqlite.org/howtocorrupt.html (2.6). And while it is open in the
child, SQLite takes the locks on the file, which are the parent's, for the child's own. So the child closes it, which does no harm as
long as nothing was under way; where something was, the child leaves it as it is.
"""

import os
from threading import Lock
from typing import Protocol
from weakref import WeakSet

MOMENT = 0.1
"""Seconds that a fork waits for what is under way."""


class Open(Protocol):
    """Something that is open; while somebody has its `turn`, nothing is under way."""

    turn: Lock

    def begin_anew(self, *, closes: bool) -> object:
        """In the child, with nothing of the parent's, which it closes or gives back."""


_OPEN: WeakSet[Open] = WeakSet()
_HELD: list[Open] = []
_KEPT: list[object] = []

watch = _OPEN.add
"""Have the process's children begin anew with this."""


def _before() -> None:
    _HELD.extend([one for one in list(_OPEN) if one.turn.acquire(timeout=MOMENT)])


def _in_parent() -> None:
    while _HELD:
        _HELD.pop().turn.release()


def _in_child() -> None:
    _KEPT.extend([one.begin_anew(closes=one in _HELD) for one in list(_OPEN)])
    _HELD.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_in_parent, after_in_child=_in_child)
