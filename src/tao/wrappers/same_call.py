"""What a run has already been told is not asked for again."""

from collections.abc import Collection
from dataclasses import replace

from tao.messages import Call, Observation
from tao.run import Run, canonical
from tao.seams import Act
from tao.wrappers.words import NEVER_RAN, only_looks, say


def same_call(act: Act, *, volatile: Collection[str] = ()) -> Act:
    """The same call of a tool that changes nothing gives its earlier observation again, with a note that says so.

    Not where the earlier one failed, where anything was changed in between, or for `volatile` tools, which may say
    something else a moment later.
    """
    changing = frozenset(volatile)

    async def remembered(call: Call, run: Run) -> Observation:
        earlier = _earlier(call, run) if call.tool not in changing and only_looks(call, run) else None
        if earlier is None:
            return await act(call, run)
        first, seen = earlier
        note = say(run, "(You made this very call before; it gave:)", "（之前已经做过完全相同的调用，结果是：）")
        return replace(seen, text=f"{note}\n{seen.text}", notes=(*seen.notes, _mark(first)), replies=())

    return remembered


def _earlier(call: Call, run: Run) -> tuple[Call, Observation] | None:
    """The latest good observation of the same call, unless something was changed after it."""
    looks: dict[str, bool] = {}
    for other, seen in reversed(run.observed):
        if other.tool == call.tool and seen.ok and other.args == call.args and not any(map(_is_mark, seen.notes)):
            if canonical(other.args) == canonical(call.args):  # 1, 1.0 and True are equal to Python
                return other, seen
            continue
        if other.tool not in looks:
            looks[other.tool] = only_looks(other, run)
        if not looks[other.tool] and seen.kind not in NEVER_RAN:
            return None
    return None


def _mark(call: Call) -> str:
    return f"= {call.id}"


def _is_mark(note: str) -> bool:
    return note.startswith("= ")
