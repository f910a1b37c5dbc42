"""The library's front door: an `Agent` is the parts of a run put together. It keeps nothing of any run."""

import asyncio
import inspect
import re
import secrets
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping
from contextlib import nullcontext
from copy import copy
from dataclasses import replace
from functools import partial
from typing import Any, Protocol, Self, runtime_checkable

from tao import routing
from tao.acting import Limits, acting, explained, later, opened
from tao.blocking import blocking
from tao.dialects import choose
from tao.errors import ConfigError, StoreError, both
from tao.events import Asked, Event
from tao.images import Source, pictures
from tao.judging import judged, judging
from tao.loop import react
from tao.messages import Message, Reply, Request, ToolSpec
from tao.models import connect
from tao.models.pricing import price_of, priced
from tao.observers.fan_out import fan_out, guarded
from tao.output import held, parsed
from tao.permissions import Rule
from tao.policies import default
from tao.policies.checks import Check
from tao.policies.reflect import usual
from tao.prices import Prices
from tao.quotas import Past, Quota, admit
from tao.rulings import Waiting, cancelled, fitted, present, rule_on, shown, waiting
from tao.run import Run
from tao.seams import Abilities, Act, Delta, Dialect, Emit, Hear, Model, Policy
from tao.tools.declare import Tool, declare
from tao.tools.form import Form
from tao.tools.form import form as form_of
from tao.toolset import gathered, most_shown
from tao.tracing import Tracing
from tao.wrappers.approval import Approve, Ruling, asking, permitted
from tao.wrappers.budget import at_most
from tao.wrappers.withheld import withheld

OnEvent = Callable[[Event], Awaitable[None] | None]
OnDelta = Callable[[Delta], object]
CJK = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af]")


@runtime_checkable
class Loads(Protocol):
    """A journal that can also give a run back."""

    async def load(self, run: str) -> Run:
        """The run of that id. Raises StoreError."""


class Agent:
    """A model, tools and rules. One agent may serve many runs at once.

    `model` is a Model or a name for `tao.models.connect` ("openai:gpt-5.5", "local", a path to a GGUF file). Its `close`,
    where it has one, lets go of what the running event loop holds open; it may be used again afterwards.
    `tools` are functions or declared tools; `limits` says how their calls are held in bounds (see `tao.acting`), and `act`
    replaces all of that but the `permissions` that are given with it. A `journal` that can keep claims makes sure that what changes something is never done twice.
    `dialect` is a name ("auto", "react", "json", "bracket", "native") or a Dialect; `lang` "zh" or "en", by default the
    question's. `permissions` are rules of what may be done; without any, what only looks is done and all else waits for a
    person. `approve` is asked about such calls at once, where it is given. `policy` replaces the default limits, which `max_steps` and `settings` describe (max_tokens,
    max_cost and currency, deadline … see `tao.policies.budgets`); `prices` says what a model costs, and `quotas` what sessions,
    users and tenants may use over a time (looked up in the journal before a run starts; raises OverBudget); `who` runs are for (see `run`) where that is not said. `journal` is told every
    event first and must succeed; `observers` are told afterwards and may fail. `trace` makes spans (see `tao.tracing`).
    `output`, a type or JSON schema, is the form of the answer (see `parse`); `checks` look at an answer before it is given
    (`tao.policies.checks`), and a `judge` may, which is another model (`tao.judging`). With `triage`, questions that need no tools
    are answered with a short prompt (true: sorted by this model; a model: by that one). A small and a large model together: `tao.routing.cascade`.
    """

    def __init__(
        self, model: Model | str, tools: Iterable[Any] = (), *, dialect: str | Dialect = "auto", lang: str | None = None,
        instructions: str = "", max_steps: int = 8, policy: Policy | None = None, journal: Emit | None = None,
        observers: Iterable[Emit] = (), act: Act | None = None, limits: Limits | None = None,
        settings: Mapping[str, Any] | None = None, permissions: Iterable[Rule] = (), approve: Approve | None = None,
        prices: Prices = price_of, quotas: Iterable[Quota] = (), trace: Tracing | None = None,
        output: Any = None, checks: Iterable[Check] = (), judge: Model | str | None = None,
        triage: Model | str | bool = False, who: Mapping[str, Any] | None = None,
    ) -> None:
        if max_steps < 1:
            raise ConfigError(both(f"max_steps is {max_steps}; it must be 1 or more", f"max_steps 为 {max_steps}；应不小于 1"))
        if lang not in (None, "zh", "en"):
            text = both(
                f"lang is {lang!r}; it must be 'zh', 'en' or None (the question's own)",
                f"lang 为 {lang!r}；应为 'zh'、'en' 或 None（与问题一致）",
            )
            raise ConfigError(text)
        model = connect(model) if isinstance(model, str) else model
        model = routing.sorting(model, connect(triage) if isinstance(triage, str) else None if isinstance(triage, bool) else triage)
        self.trace, self.model = trace, routing.each(model, trace.model) if trace else model
        self.tools: tuple[Tool, ...] = tuple(declare(tool) for tool in tools)
        self.limits = opened(limits or Limits(), trace.model if trace else None)
        judge = connect(judge) if isinstance(judge, str) else judge
        self.judge = trace.model(judge) if trace and judge else judge
        self.models = (self.model, *filter(None, (self.limits.summarize, self.judge)))
        self.own_act = act is not None
        self.permissions, self.approve = tuple(permissions), approve
        self._fit = fitted(self.tools)
        act = trace.act(act) if act and trace else act
        own = partial(permitted, rules=self.permissions, fit=self._fit)(act) if act and self.permissions else act
        self.dialect, self.lang, self.instructions = dialect, lang, instructions
        self.policy, self.journal = policy, journal
        self.act = own or self._acting()
        self.worked: dict[str, str] = {}
        """By the model's name, the dialect that an "auto" run fell back to and was read in; the next run starts there."""
        self.settings = {"triage": triage is not False, **(settings or {}), "max_steps": max_steps}
        self.form, self.checks = None if output is None else form_of(output), tuple(checks)
        self.settings |= {"output": self.form.schema} if self.form else {}
        most_shown(self.settings)
        held(default(self.settings, Abilities()), self.settings, self.checks)  # raises ConfigError
        self.prices, self.quotas, self.who = prices, tuple(quotas), dict(who or {})
        if self.quotas and not isinstance(journal, Past):
            raise ConfigError(both("quotas need a journal that lists its runs", "配额需要能列出运行的记录（journal）"))
        for quota in self.quotas:
            priced(self.models, prices, {"max_cost": quota.max_cost, "currency": quota.currency, "exchange": quota.exchange})  # raises ConfigError
        if self.settings.get("max_cost") is not None:
            self.settings |= priced(self.models, prices, self.settings)
        told = (guarded(observer) for observer in (*observers, *([trace.heard] if trace else [])))
        self.emit = fan_out(*([journal] if journal else []), *told)

    async def run(
        self, question: str, *, history: Iterable[Message] = (), id: str | None = None,  # noqa: A002 - the field's usual name
        on_event: OnEvent | None = None, on_delta: OnDelta | None = None, who: Mapping[str, Any] | None = None,
        approve: Approve | None = None, images: Iterable[Source] = (),
    ) -> Run:
        """Answer one question; the run comes back ended or paused.

        `history` is what was said before; `id` a new run's id, by default random. `on_event` hears each event after it
        is in the journal (and may be a coroutine function); `on_delta` hears pieces of replies as they come in. `who` the
        run is for ("user", "role", "tenant", "session") is recorded with it, so that it keeps these rights; `approve` is asked
        in the place of the agent's own. `images` stand beside the question: paths, bytes or addresses (see `tao.images`).
        """
        seen = pictures(images, self.model)
        agreed, who = self.settings, {**self.who, **(who or {})}
        if self.quotas and who and isinstance(self.journal, Past):
            agreed = await admit(self.journal, self.quotas, who, settings=agreed)
        run = Run(id or secrets.token_hex(8), [replace(self._asked(question, tuple(history), who, agreed), images=seen)])
        await self._emit(on_event)(run, run.asked)
        return await self._drive(run, on_event, on_delta, approve)

    async def resume(
        self, run: Run | str, *, on_event: OnEvent | None = None, on_delta: OnDelta | None = None, approve: Approve | None = None,
    ) -> Run:
        """Go on from a run's last event, with its own dialect, language and limits; an ended or paused run comes back as it is.

        An id (or its beginning) is looked up in the journal. Raises StoreError; ConfigError where a tool of a pending call is not here.
        """
        run = await self._loaded(run)
        if run.state in ("ended", "paused"):
            return run
        if not self.own_act:
            present(run, self.tools)
        return await self._drive(run, on_event, on_delta, approve)

    async def rule(
        self, run: Run | str, call_id: str, verdict: str, *, by: str = "", args: Mapping[str, Any] | None = None, text: str = "",
        expires: float | None = None, hash: str | None = None,  # noqa: A002 - the field's usual name
    ) -> Run:
        """Rule on a call that waits, and record it; `resume` then goes on.

        "approve"; "edit": run it with `args`; "reject": `text` says why; "answer": `text` in the place of its result. `by`
        whom; `expires` is Unix seconds; `hash` is that of the call as it was shown (see `waiting`). Raises RulingError.
        """
        run = await self._loaded(run)
        ruling = Ruling(verdict, text, None if args is None else dict(args), by, expires)
        await self._record(run, rule_on(run, call_id, ruling, fit=self._fit, rules=self.permissions, shown_hash=hash))
        return run

    async def cancel(self, run: Run | str, *, by: str = "") -> Run:
        """End a run for good that nobody is working on (it waits for a person, or its task was cancelled), with the best answer that it had.

        Cancelling the task that works on a run only interrupts it: `resume` goes on. A run that has ended comes back as it is.
        """
        run = await self._loaded(run)
        if run.ended is None:
            await self._record(run, cancelled(run, by))
        return run

    def parse(self, run: Run) -> Any:
        """The answer of a run with `output`: an object of that type; plain JSON values where it is a schema, or not given.

        Raises InvalidOutput where the run has no answer that fits, ConfigError where it was asked for plain words.
        """
        return parsed(run, self.form)

    def waiting(self, run: Run) -> tuple[Waiting, ...]:
        """The calls of a paused run that a person has to rule on, as they will run, each with the reason why it waits."""
        return waiting(run, self._fit, self.permissions)

    async def stream(
        self, question: str, *, history: Iterable[Message] = (), id: str | None = None,  # noqa: A002
        who: Mapping[str, Any] | None = None, approve: Approve | None = None, images: Iterable[Source] = (),
    ) -> AsyncGenerator[Event | Delta, None]:
        """Events and pieces of replies as they come. Leaving the loop early, or cancelling, ends the run's work."""
        queue: asyncio.Queue[Event | Delta | None] = asyncio.Queue()
        hear = queue.put_nowait
        work = self.run(question, history=history, id=id, on_event=hear, on_delta=hear, who=who, approve=approve, images=images)
        task = asyncio.create_task(work)
        task.add_done_callback(lambda _: queue.put_nowait(None))
        try:
            while (item := await queue.get()) is not None:
                yield item
            await task
        finally:
            task.cancel()
            await asyncio.wait([task])

    def run_sync(
        self, question: str, *, history: Iterable[Message] = (), id: str | None = None,  # noqa: A002
        on_event: OnEvent | None = None, on_delta: OnDelta | None = None, who: Mapping[str, Any] | None = None,
        approve: Approve | None = None, images: Iterable[Source] = (),
    ) -> Run:
        """`run` for code without an event loop, and inside one (Jupyter), where a thread does the work."""

        async def alone() -> Run:
            try:
                return await self.run(
                    question, history=history, id=id, on_event=on_event, on_delta=on_delta, who=who, approve=approve, images=images,
                )
            finally:
                await _close(*self.models)  # their connections belong to this event loop, which ends here

        return blocking(alone())

    async def aclose(self) -> None:
        """Close the model and the journal, where they can be closed."""
        await _close(*self.models, self.journal)
        if self.trace:
            await self.trace.flush()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    # ── a run's own parts ─────────────────────────────────────────────────────

    async def _loaded(self, run: Run | str) -> Run:
        if isinstance(run, Run):
            return run
        if not isinstance(self.journal, Loads):
            text = both(
                f"cannot look up run {run!r}: this agent has no journal that can load; pass the Run itself",
                f"无法查找运行 {run!r}：该 Agent 没有可读取的运行记录；请直接传入 Run",
            )
            raise StoreError(text)
        return await self.journal.load(run)

    def with_tools(self, tools: Iterable[Any]) -> Self:
        """The same agent with other tools; all else holds for them as for its own."""
        other = copy(self)
        other.tools = tuple(declare(tool) for tool in tools)
        other._fit = fitted(other.tools)  # noqa: SLF001 - its own
        other.act = self.act if self.own_act else other._acting()  # noqa: SLF001
        return other

    def _acting(self) -> Act:
        allowed = partial(permitted, rules=self.permissions, fit=self._fit)
        return acting(self.tools, self.limits, permitted=allowed, store=self.journal, traced=self.trace.act if self.trace else None)

    def _asked(self, question: str, history: tuple[Message, ...], who: Mapping[str, Any] | None, agreed: Mapping[str, Any]) -> Asked:
        name = self.dialect if isinstance(self.dialect, str) else type(self.dialect).__name__
        abilities = getattr(self.model, "abilities", Abilities())
        model = getattr(self.model, "name", "")
        start = {"start": self.worked[model]} if name == "auto" and model in self.worked else {}
        money = priced(self.models, self.prices, agreed)
        back = {"reflect": usual(self.settings["max_steps"], abilities)}
        settings = {**back, **agreed, **money, **start, "abilities": routing.plain(abilities), **({"who": dict(who)} if who else {})}
        lang = self.lang or language(question)
        specs = tuple(tool.said(lang) for tool in self.tools)
        specs, many = (specs, {}) if self.own_act else gathered(specs, question, lang, settings)
        told, more = (self.instructions, ()) if self.own_act else self._around(lang)
        settings = routing.recorded(self.model, question, specs, history, {**settings, **many}, self.worked)
        return Asked(question, specs, lang, name, model, told, history, settings, more, at=time.time())

    def _around(self, lang: str) -> tuple[str, tuple[ToolSpec, ...]]:
        """What our own way of calling adds: instructions about marked text, and the tool that reads what was cut."""
        told = filter(None, (self.instructions, explained(self.tools, self.limits, lang)))
        return "\n\n".join(told), later(self.tools, lang)

    def _emit(self, on_event: OnEvent | None) -> Emit:
        if on_event is None:
            return self.emit

        async def tell(run: Run, event: Event) -> None:  # noqa: ARG001
            if inspect.isawaitable(told := on_event(event)):
                await told

        return fan_out(self.emit, tell)

    async def _record(self, run: Run, event: Event, on_event: OnEvent | None = None) -> None:
        """Put an event into the run and the journal; where the journal refuses it, it is not in the run either."""
        event = event if event.at else replace(event, at=time.time())
        run.events.append(event)
        try:
            await self._emit(on_event)(run, event)
        except StoreError:
            if run.events[-1] is event:
                run.events.pop()
            raise

    async def _drive(
        self, run: Run, on_event: OnEvent | None, on_delta: OnDelta | None, approve: Approve | None = None,
    ) -> Run:
        asked = run.asked
        dialect = recorded_dialect(asked, self.model, None if isinstance(self.dialect, str) else self.dialect)
        policy = recorded_policy(asked, self.checks, self.form, self.policy, self.model)
        model = routing.answering(self.model, run, dialect)
        limit = asked.settings.get("max_tool_calls")
        act = withheld(self.act if limit is None else at_most(self.act, int(limit)))
        if approve := approve or self.approve:
            act = asking(act, approve, partial(self._record, on_event=on_event), shown=partial(shown, fit=self._fit))
        emit, judge = self._emit(on_event), self.judge and (self.judge, policy, partial(self._record, on_event=on_event))
        with self.trace.run(run) if self.trace else nullcontext():
            if judge:
                await judged(run, *judge)
            await react(run, heard(model, dialect, run, on_delta), dialect, act, policy, judging(emit, *judge) if judge else emit)
        self.worked |= routing.learned(run, dialect)
        return run


def recorded_abilities(asked: Asked) -> Abilities:
    """What the model could do when the run was started; prompts depend on it, so it is part of the record."""
    recorded = asked.settings.get("abilities", {})
    return Abilities(**{name: recorded[name] for name in Abilities.__slots__ if name in recorded})


def recorded_dialect(asked: Asked, model: Model | None = None, own: Dialect | None = None) -> Dialect:
    """The dialect that the run was started in, for a model that could do what it could then. Raises ConfigError.

    `own` is one that is no name; `model`, where it is at hand, knows rules of a cascade that are not ours.
    """
    abilities = recorded_abilities(asked)
    dialect = own or choose(asked.dialect, abilities, str(asked.settings.get("start", "")))
    return routing.in_turn(asked, dialect, abilities, model)


def recorded_policy(
    asked: Asked, checks: Iterable[Check] = (), form: Form | None = None, policy: Policy | None = None, model: Model | None = None,
) -> Policy:
    """The policy that the run was started under: the default one, held to the form of its answer; checks are given again."""
    whole = held(policy or default(asked.settings, recorded_abilities(asked), routing.turn(asked, model)), asked.settings, checks, form)
    return routing.kept(asked, whole, model)


def heard(model: Model, dialect: Dialect, run: Run, on_delta: OnDelta | None) -> Model:
    """The model for one run: a reply is listened to as it comes in, and cut off where the dialect has heard enough.

    Where nobody wants to hear it, only a text dialect's is, which may run on past its stop words; a stream costs more than a whole.
    """

    async def answer(request: Request, hear: Hear | None = None) -> Reply:
        if not (on_delta or hear or request.stop):
            return await model(request)
        listener = dialect.listen(run)

        def tell(deltas: Iterable[Delta]) -> None:
            if on_delta:
                for delta in deltas:
                    on_delta(delta)

        def listen(text: str) -> bool:
            tell(listener.feed(text))
            return listener.stop or bool(hear and hear(text))

        reply = await model(request, listen)
        rest = listener.close()  # what stands before structured calls turns out to be a thought, not the answer
        tell(Delta("thought", it.text) if reply.calls and it.kind == "answer" else it for it in rest)
        return reply

    return answer


async def _close(*parts: Any) -> None:
    for part in parts:
        close = getattr(part, "close", None)
        if close is not None and inspect.isawaitable(closing := close()):
            await closing


def language(question: str) -> str:
    """The language to answer in: "zh" where the question holds Chinese characters, else "en"."""
    return "zh" if CJK.search(question) else "en"
