"""What is not permitted is not done, and what a person has to allow waits for the person: the one place that checks it."""

import inspect
import json
import time
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from tao.errors import BadArguments, Pause, both
from tao.events import Decided, Observed, Paused, Ruled
from tao.messages import Call, Observation
from tao.permissions import Judgement, Rule, judge
from tao.run import Run, args_hash
from tao.seams import Act
from tao.wrappers.once import unknown
from tao.wrappers.words import say

VERDICTS = ("approve", "edit", "reject", "answer")

Fit = Callable[[Call, Run], Call]
"""The call with its arguments checked and in the tool's own types. Raises BadArguments."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """What a person says to a call that waits.

    "approve"; "edit": do it with these `args` instead; "reject", `text` says why; "answer": `text` stands in the place of
    what the tool would give. `by` is the person's name, `expires` the Unix time until which it holds.
    """

    verdict: str
    text: str = ""
    args: dict[str, Any] | None = None
    by: str = ""
    expires: float | None = None


Said = Ruling | bool | None
Approve = Callable[[Call, Run], Said | Awaitable[Said]]
"""Asked about a call that needs a person. True approves, False rejects; None: nobody is there now, the run waits."""
Record = Callable[[Run, Ruled], Awaitable[None]]


def permitted(act: Act, rules: Iterable[Rule] = (), *, fit: Fit | None = None, clock: Callable[[], float] = time.time) -> Act:
    """Do only what the rules allow, and what a person has allowed.

    A denied call gives an observation of kind "denied". One that asks raises Pause, unless there is a ruling on it: for this
    run, this call and these arguments, not expired, and not used before. Edited arguments are checked by `fit` and by the
    rules again; what is denied stays denied. A rejected call gives kind "rejected". A tool that pauses by itself is
    ruled on in the same way. Tools that the run does not know go through: `act` refuses them, as the registry does.
    """
    rules = tuple(rules)

    async def checked(call: Call, run: Run) -> Observation:
        if run.tool(call.tool) is None:
            return await act(call, run)
        found = judge(call, run, rules)
        if found.verdict == "deny":
            return _denied(call, run, found)
        ruling = in_force(call, run)
        expired = ruling is not None and ruling.expires is not None and ruling.expires <= clock()
        if ruling is not None and not expired:
            return await _ruled(ruling, call, run)
        if found.verdict == "ask":
            raise Pause(_late(found.reason, run) if expired else found.reason, call.id)
        return await act(call, run)

    async def _ruled(ruling: Ruled, call: Call, run: Run) -> Observation:
        if ruling.verdict == "approve":
            return await act(call, run)
        if ruling.verdict == "answer":
            return Observation(ruling.text)
        if ruling.verdict == "reject":
            return _rejected(call, run, ruling.text)
        try:
            changed = replace(call, args=ruling.args or {})
            changed = fit(changed, run) if fit else changed
        except BadArguments as error:
            raise Pause(say(run, f"the edited arguments do not fit: {error}", f"修改后的参数不合要求：{error}"), call.id) from error
        found = judge(changed, run, rules)
        if found.verdict == "deny":
            return _denied(changed, run, found)
        return _changed(await act(changed, run), changed, run)

    return checked


def asking(act: Act, approve: Approve, record: Record, *, shown: Callable[[Call, Run], Call] = lambda call, _: call) -> Act:
    """Ask at once about a call that pauses, and go on with the answer, which is recorded before anything is done.

    `shown` gives the call as it will run. Without an answer the run waits; also where the answer leads to the same
    question again (it has expired, or its arguments do not fit).
    """

    async def asked(call: Call, run: Run) -> Observation:
        heard: list[str] = []
        while True:
            try:
                return await act(call, run)
            except Pause as pause:
                if pause.call_id not in {call.id, None} or pause.reason in heard:
                    raise
                answer = approve(shown(call, run), run)
                said = await answer if inspect.isawaitable(answer) else answer
                if said is None:
                    raise
                heard.append(pause.reason)
                await record(run, ruled(_ruling(said), call, run, pause.reason))

    return asked


def _ruling(said: Ruling | bool) -> Ruling:  # noqa: FBT001 - it is an answer
    """What was said, as a ruling. Raises TypeError or ValueError: what asks the person is a part of the program."""
    if isinstance(said, bool):
        return Ruling("approve" if said else "reject")
    if not isinstance(said, Ruling):
        raise TypeError(both(f"approve gave {said!r:.80}; wanted: a Ruling, True, False or None", f"approve 返回 {said!r:.80}；应为 Ruling、True、False 或 None"))
    if said.verdict not in VERDICTS:
        listed = ", ".join(VERDICTS)
        raise ValueError(both(f"approve gave the verdict {said.verdict!r}; wanted: {listed}", f"approve 给出的裁定为 {said.verdict!r}；应为：{listed}"))
    return said


# ── rulings ───────────────────────────────────────────────────────────────────


def ruled(ruling: Ruling, call: Call, run: Run, reason: str = "") -> Ruled:
    """The ruling on this call of this run, as the event that is recorded. `call` is as it stands in the record."""
    bound = args_hash(call.tool, call.args)
    return Ruled(call.id, bound, ruling.verdict, ruling.by, ruling.args, ruling.text, ruling.expires, run.id, reason)


def in_force(call: Call, run: Run, questions: Collection[str] = ()) -> Ruled | None:
    """The latest ruling on whether this call may be done, expired or not; None where there is none, or it has been used.

    With `questions`, only one that answers one of them.

    Bound to the run, the call and its arguments: as they will run, or as they were decided on. What a person said
    about an unknown outcome (see `once`) is no permission.
    """
    if run.last(Ruled) is None:  # as in most runs
        return None
    bound = {args_hash(call.tool, one.args) for one in (call, _decided(call, run)) if one is not None and one.tool == call.tool}
    last: Ruled | None = None
    for ruling, question in rulings(call, run):
        mine = ruling.run in {"", run.id} and ruling.args_hash in bound and ruling.verdict in VERDICTS
        if mine and (question in questions if questions else question != unknown(call, run)):
            last = ruling
    return last


def rulings(call: Call, run: Run) -> Iterator[tuple[Ruled, str]]:
    """Every ruling on this call that has not been used, with what was asked."""
    found: list[tuple[Ruled, str]] = []
    question = ""
    for event in run.events:
        if isinstance(event, Paused) and event.call_id == call.id:
            question = event.reason
        elif isinstance(event, Ruled) and event.call_id == call.id:
            found.append((event, event.reason or question))
        elif isinstance(event, Observed) and event.call_id == call.id:
            found, question = [], ""
    return iter(found)


def _decided(call: Call, run: Run) -> Call | None:
    """The call as the record has it."""
    decided = (one for event in reversed(run.events) if isinstance(event, Decided) for one in event.calls)
    return next((one for one in decided if one.id == call.id), None)


# ── what is said ──────────────────────────────────────────────────────────────


def _denied(call: Call, run: Run, found: Judgement) -> Observation:
    bounded = found.rule is not None and bool(found.rule.where or found.rule.unless)
    text = say(
        run,
        f"{call.tool} was not run: it is not permitted{' with these arguments' if bounded else ' here'} ({found.reason}). "
        "Do not try it again; use another way, or answer with what you know and say what could not be done.",
        f"没有执行 {call.tool}：{'不允许使用这些参数' if bounded else '这里不允许使用'}（{found.reason}）。"
        "不要再次尝试；请换一种方法，或根据已知信息回答并说明哪些没有做到。",
    )
    return Observation(text, ok=False, kind="denied")


def _rejected(call: Call, run: Run, why: str) -> Observation:
    said = why.strip()
    text = say(
        run,
        f"{call.tool} was not run: a person rejected this call{f' and said: {said}' if said else '.'}\n"
        "Do not make the same call again; do what the person wants, or answer and say what was not done.",
        f"没有执行 {call.tool}：这次调用被人拒绝{f'，并说明：{said}' if said else '。'}\n不要再做同样的调用；请按对方的意思处理，或回答并说明哪些没有做。",
    )
    return Observation(text, ok=False, kind="rejected")


def _changed(seen: Observation, call: Call, run: Run) -> Observation:
    args = json.dumps(call.args, ensure_ascii=False, default=str)
    note = say(run, f"(A person changed the arguments to {args}; this is what that gave:)", f"（有人把参数改成了 {args}；结果如下：）")
    return replace(seen, text=f"{note}\n{seen.text}", notes=(*seen.notes, say(run, f"arguments changed to {args}", f"参数改为 {args}")))


def _late(reason: str, run: Run) -> str:
    return say(run, f"the ruling on this call has expired; {reason}", f"对该调用的裁定已过期；{reason}")
