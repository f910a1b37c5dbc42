"""What a run has already been told is not asked for again."""

from collections.abc import Collection
from dataclasses import replace

from tao.messages import Call, Observation
from tao.run import Run
from tao.seams import Act
from tao.wrappers.past import mark, past
from tao.wrappers.words import only_looks, say


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
        return replace(seen, text=f"{note}\n{seen.text}", notes=(*seen.notes, mark(first)), replies=())

    return remembered


def _earlier(call: Call, run: Run) -> tuple[Call, Observation] | None:
    """The latest good observation of the same call, unless something was changed after it."""
    known = past(run)
    return known.latest.get(known.key(call)) if known.latest else None
