"""A tool that is down is left alone for a while, by every run."""

import json
import logging
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

from tao.errors import ConfigError, StoreError, both
from tao.messages import Call, Observation
from tao.run import Run
from tao.seams import Act
from tao.toolset import described
from tao.wrappers.words import NEVER_RAN, is_strange, say

LOG = logging.getLogger("tao.wrappers")
DOWN = frozenset({"timeout", "transient"})
"""Kinds of observations by which a tool is down; an "error" may as well be the arguments' fault."""

FRESH = 1.0
"""Seconds for which a state read from the store is taken to be true."""

TRIES = 5
"""How often a change is tried again where another process changed the state at the same time."""


@runtime_checkable
class States(Protocol):
    """A place for small texts that several processes share. Both raise StoreError."""

    async def state(self, key: str) -> str | None:
        """The text under this key."""

    async def swap(self, key: str, old: str | None, new: str | None) -> bool:
        """Put `new` in the place of `old` (None: nothing there); false, and nothing done, where something else is there."""


@dataclass(frozen=True, slots=True)
class Circuit:
    """When it failed since it last worked, since when it is open (None: closed), and until when a probe may take. Unix seconds."""

    failures: tuple[float, ...] = ()
    opened: float | None = None
    probe: float | None = None


CLOSED = Circuit()


@dataclass(slots=True)
class _Seen:
    """What this process knows of a tool's circuit, and the text and time by which it knows."""

    circuit: Circuit = CLOSED
    text: str | None = None
    at: float = float("-inf")


def breaker(
    act: Act, most: int = 5, *, window: float = 60.0, cool_down: float = 30.0, kinds: Collection[str] = DOWN,
    states: States | None = None, clock: Callable[[], float] = time.time,
) -> Act:
    """After `most` failures of a tool within `window` seconds, and none that worked between, answer "unavailable".

    After `cool_down` seconds one call is let through: if it works the tool is back, else the wait begins anew. Counted over all
    runs, and where `states` are given over all processes, for tools that reach out (effects "network" or "untrusted"); a
    state that cannot be read or written leaves each process with its own count. Raises ConfigError for a number below 1.
    """
    if most < 1:
        raise ConfigError(both(f"the number of failures must be 1 or more, not {most}", f"失败次数必须不小于 1，而不是 {most}"))
    counted = frozenset(kinds)
    known: dict[str, _Seen] = {}

    async def guarded(call: Call, run: Run) -> Observation:
        shared = states if states is not None and is_strange(run.tool(call.tool)) else None
        seen = known.get(call.tool) or known.setdefault(call.tool, _Seen())
        if shared and clock() - seen.at > FRESH:
            await _read(shared, call.tool, seen, clock())
        probing = False
        if seen.circuit.opened is not None:
            wait = max(seen.circuit.opened + cool_down, seen.circuit.probe or 0.0) - clock()
            probing = wait <= 0 and await _change(shared, call.tool, seen, take)
            if not probing:
                return _unavailable(call, run, max(wait, 1.0))
        try:
            observation = await act(call, run)
        except BaseException:
            if probing:  # it says nothing about the tool: let another one try
                await _change(shared, call.tool, seen, release)
            raise
        if observation.kind or seen.circuit is not CLOSED:
            await _change(shared, call.tool, seen, after(observation))
        return observation

    def take(circuit: Circuit) -> Circuit | None:
        if circuit.opened is None or clock() < max(circuit.opened + cool_down, circuit.probe or 0.0):
            return None  # another one was quicker
        return replace(circuit, probe=clock() + cool_down)

    def release(circuit: Circuit) -> Circuit | None:
        return replace(circuit, probe=None) if circuit.probe is not None else None

    def after(observation: Observation) -> Callable[[Circuit], Circuit | None]:
        if observation.kind in counted:
            return failed
        return release if observation.kind in NEVER_RAN else worked

    def failed(circuit: Circuit) -> Circuit | None:
        now = clock()
        recent = (*(time for time in circuit.failures if now - time < window), now)[-most:]
        return Circuit(recent, now if circuit.probe is not None or len(recent) >= most else circuit.opened)

    def worked(circuit: Circuit) -> Circuit | None:
        return CLOSED if circuit != CLOSED else None

    return guarded


def _key(tool: str) -> str:
    return f"breaker:{tool}"


async def _read(states: States, tool: str, seen: _Seen, now: float) -> None:
    """Take over what the store says."""
    try:
        text = await states.state(_key(tool))
    except StoreError as error:
        LOG.warning("the state of tool %s cannot be read: %s", tool, error)
        return
    seen.circuit, seen.text, seen.at = _parsed(text), text, now


async def _change(states: States | None, tool: str, seen: _Seen, alter: Callable[[Circuit], Circuit | None]) -> bool:
    """Alter the circuit, here and where others see it; false where `alter` wants no change."""
    for _ in range(TRIES):
        circuit = alter(seen.circuit)
        if circuit is None:
            return False
        if states is None:
            break
        text = _written(circuit)
        try:
            if await states.swap(_key(tool), seen.text, text):
                seen.text = text
                break
        except StoreError as error:
            LOG.warning("the state of tool %s cannot be written: %s", tool, error)
            break
        await _read(states, tool, seen, seen.at)
    else:
        return False
    seen.circuit = circuit
    return True


def _written(circuit: Circuit) -> str | None:
    if circuit == CLOSED:
        return None
    return json.dumps([circuit.failures, circuit.opened, circuit.probe], ensure_ascii=False)


def _parsed(text: str | None) -> Circuit:
    """The circuit of a stored text; a closed one where there is none or it cannot be read."""
    if not text:
        return CLOSED
    try:
        failures, opened, probe = json.loads(text)
        return Circuit(tuple(map(float, failures)), None if opened is None else float(opened), None if probe is None else float(probe))
    except (ValueError, TypeError, RecursionError):
        return CLOSED


def _unavailable(call: Call, run: Run, wait: float) -> Observation:
    others = [spec.name for spec in described(run) if spec.name != call.tool]
    text = say(
        run,
        f"{call.tool} has failed several times in a row, was not run now, and may be tried again in {wait:.0f} s. "
        f"Use another tool ({', '.join(others) or 'none'}), or answer with what you know and say what is missing.",
        f"{call.tool} 连续多次失败，这次没有执行，{wait:.0f} 秒后可再试。请用其他工具（{'、'.join(others) or '无'}），或根据已知信息回答并说明缺少什么。",
    )
    return Observation(text, ok=False, kind="unavailable", data={"retry_after": round(wait, 1)})
