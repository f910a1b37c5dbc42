"""Wrappers of a model: retried, paced, left alone, replaced, doubled, kept; nothing told twice, nothing left running."""

import asyncio
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tao.errors import ConfigError, ModelError, Refused, StoreError, TooLong, ToolsUnsupported, Transient
from tao.messages import Message, Reply, Request, Usage
from tao.seams import Abilities
from tao.testing import FakeClock, ScriptedModel, spec
from tao.wrappers.models import Around, Circuits, breaker, cached, fallback, hedged, rate_limited, retry, surviving, timeout
from tao.wrappers.models.breaker import Circuit
from tao.wrappers.models.cache import Latest

ASK = Request((Message("user", "hi"),))


class Plays:
    """A model that plays its parts in turn: a text is said in pieces and returned; an exception is raised, after what was said
    before it in the tuple; a number is slept."""

    def __init__(self, *parts, name="plays", abilities=None):
        self.parts, self.name, self.abilities = list(parts), name, abilities or Abilities()
        self.asked, self.requests, self.cancelled, self.closed, self.running = 0, [], 0, 0, 0

    async def __call__(self, request, hear=None):
        part = self.parts[min(self.asked, len(self.parts) - 1)]
        self.asked += 1
        self.requests.append(request)
        self.running += 1
        try:
            said = ""
            for one in part if isinstance(part, tuple) else (part,):
                if isinstance(one, BaseException):
                    raise one
                if isinstance(one, str):
                    said += one
                    if hear:
                        hear(one)
                else:
                    await asyncio.sleep(one)
            return Reply(said, usage=Usage(10, 5), model=self.name)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        finally:
            self.running -= 1

    async def close(self):
        self.closed += 1


class Ear:
    def __init__(self):
        self.text = ""

    def __call__(self, text):
        self.text += text
        return False


def again(model, attempts=3, **options):
    clock = FakeClock(0.0)
    return retry(model, attempts, sleep=clock.sleep, chance=options.pop("chance", lambda: 1.0), **options), clock


# ── retry ─────────────────────────────────────────────────────────────────────


async def test_what_passes_is_tried_again_with_growing_waits():
    model = Plays(Transient("busy"), Transient("busy"), "hello")
    wrapped, clock = again(model)
    assert (await wrapped(ASK)).text == "hello"
    assert (model.asked, clock.now) == (3, 1.0 + 2.0)


async def test_the_last_error_says_how_often_it_was_tried():
    wrapped, _ = again(Plays(Transient("busy", 2.0)))
    with pytest.raises(Transient, match=r"(?s)busy.*tried 3 times.*共尝试 3 次") as caught:
        await wrapped(ASK)
    assert caught.value.retry_after == 2.0


@pytest.mark.parametrize("error", [Refused("quota"), TooLong("long"), ToolsUnsupported("no"), ModelError("other"), StoreError("disk"), KeyError("bug")])
async def test_what_cannot_pass_is_not_tried_again(error):
    model = Plays(error)
    with pytest.raises(type(error)):
        await again(model)[0](ASK)
    assert model.asked == 1


@given(st.floats(0, 200), st.floats(0, 1))
def test_the_servers_wish_is_honoured_up_to_our_patience(wish, chance):
    model = Plays(Transient("busy", wish), "hello")
    wrapped, clock = again(model, chance=lambda: chance)
    if wish * (1 + chance / 10) > 66.0:
        with pytest.raises(Transient):
            asyncio.run(wrapped(ASK))
        assert (model.asked, clock.now) == (1, 0.0)
    else:
        asyncio.run(wrapped(ASK))
        assert wish <= clock.now <= wish * 1.1


@given(st.integers(1, 12), st.floats(0, 1, exclude_max=True))
def test_waits_are_bounded(attempts, chance):
    model = Plays(Transient("busy"))
    waits = []
    wrapped, _ = again(model, attempts, chance=lambda: chance, told=lambda number, error, wait: waits.append((number, wait)))
    with pytest.raises(Transient):
        asyncio.run(wrapped(ASK))
    assert model.asked == attempts
    assert [number for number, _ in waits] == list(range(1, attempts))
    assert all(wait <= min(30.0, 2.0 ** (number - 1)) for number, wait in waits)


@pytest.mark.parametrize(("parts", "heard"), [
    ([("Thought: a", Transient("broke")), "Thought: a then b"], "Thought: a then b"),
    ([("Thought: a", Transient("broke")), "Another"], "Thought: a"),
    ([("Thought: a", Transient("broke")), (Transient("broke"),), "Thought: ab"], "Thought: ab"),
    ([Transient("busy"), ("one", " two")], "one two"),
])  # fmt: skip
async def test_nobody_hears_anything_twice(parts, heard):
    ear = Ear()
    reply = await again(Plays(*parts))[0](ASK, ear)
    assert ear.text == heard
    assert reply.text == "".join(part for part in (parts[-1] if isinstance(parts[-1], tuple) else parts[-1:]) if isinstance(part, str))


def test_attempts_must_be_one_or_more():
    with pytest.raises(ConfigError, match=r"1 or more, not 0"):
        retry(Plays("x"), 0)


# ── timeout ───────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("options", "listens", "said"), [
    ({"whole": 0.02}, False, "not finished within 0.02 s"), ({"whole": 0.02}, True, "not finished within 0.02 s"),
    ({"first": 0.02}, True, "nothing within 0.02 s"), ({"first": 0.02, "whole": 9.0}, True, "nothing within 0.02 s"),
    ({"first": 9.0, "whole": 0.02}, True, "not finished within 0.02 s"),
])  # fmt: skip
async def test_a_model_that_hangs_is_given_up_and_cancelled(options, listens, said):
    model = Plays(60.0)
    with pytest.raises(Transient, match=said):
        await timeout(model, **options)(ASK, Ear() if listens else None)
    assert (model.cancelled, model.running) == (1, 0)


async def test_the_first_word_ends_the_wait_for_it():
    ear = Ear()
    assert (await timeout(Plays(("a", 0.05, "b")), first=0.03, whole=5.0)(ASK, ear)).text == "ab"
    assert ear.text == "ab"
    assert (await timeout(Plays((0.05, "b")), first=0.03)(ASK)).text == "b"  # nobody listens: there is no first word
    with pytest.raises(Transient, match="not finished"):
        await timeout(Plays(("a", 9.0)), first=0.02, whole=0.04)(ASK, ear)


async def test_a_timeout_inside_is_the_models_own():
    with pytest.raises(TimeoutError, match="inner"):
        await timeout(Plays(TimeoutError("inner")), whole=5.0)(ASK)


def test_times_must_be_more_than_nothing():
    with pytest.raises(ConfigError, match="more than 0 seconds"):
        timeout(Plays("x"), whole=0)


# ── circuit breaker ───────────────────────────────────────────────────────────


async def _fails(model):
    with pytest.raises(Transient) as caught:
        await model(ASK)
    return caught.value


async def test_a_model_that_keeps_failing_is_left_alone_then_probed():
    clock = FakeClock(0.0)
    model = Plays(*[Transient("down")] * 4, "up")
    wrapped = breaker(model, failures=3, pause=30.0, clock=clock)
    for _ in range(3):
        await _fails(wrapped)
    error = await _fails(wrapped)
    assert (model.asked, error.retry_after) == (3, 30.0)
    assert "3 times in a row" in str(error)
    assert "连续失败 3 次" in str(error)
    clock.now = 31.0
    await _fails(wrapped)  # the probe fails: open again
    assert model.asked == 4
    await _fails(wrapped)
    assert model.asked == 4
    clock.now = 62.0
    assert (await wrapped(ASK)).text == "up"
    assert (await wrapped(ASK)).text == "up"


async def test_only_one_probe_goes_through():
    clock = FakeClock(0.0)
    model = Plays(Transient("down"), (0.02, "up"))
    wrapped = breaker(model, failures=1, pause=10.0, clock=clock)
    await _fails(wrapped)
    clock.now = 11.0
    results = await asyncio.gather(*(wrapped(ASK) for _ in range(5)), return_exceptions=True)
    assert [type(one).__name__ for one in results].count("Reply") == 1
    assert model.asked == 2


async def test_a_cancelled_probe_lets_the_next_one_through():
    clock = FakeClock(0.0)
    wrapped = breaker(Plays(Transient("down"), 60.0, "up"), failures=1, pause=10.0, clock=clock)
    await _fails(wrapped)
    clock.now = 11.0
    probe = asyncio.ensure_future(wrapped(ASK))
    await asyncio.sleep(0)
    probe.cancel()
    await asyncio.gather(probe, return_exceptions=True)
    assert (await wrapped(ASK)).text == "up"


async def test_a_refusal_is_an_answer():
    model = Plays(Transient("x"), Refused("key"), Transient("x"), TooLong("long"), Transient("x"), "fine")
    wrapped = breaker(model, failures=2)
    for _ in range(5):
        with pytest.raises(ModelError):
            await wrapped(ASK)
    assert (await wrapped(ASK)).text == "fine"


async def test_circuits_are_shared_by_name():
    circuits = Circuits()
    one, same, other = Plays(Transient("down"), name="a"), Plays("up", name="a"), Plays("up", name="b")
    await _fails(breaker(one, circuits, failures=1))
    await _fails(breaker(same, circuits, failures=1))
    assert (await breaker(other, circuits, failures=1)(ASK)).text == "up"


# ── fallback ──────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("error", [Transient("down"), Refused("key"), TooLong("long"), ModelError("other")])
async def test_the_next_model_answers_and_the_reply_says_so(error):
    first, second = Plays(error, name="a"), Plays("hello", name="b")
    assert (await fallback([first, second])(ASK)).model == "b"
    assert fallback([first, second]).name == "a"


async def test_where_all_fail_the_first_error_stands_and_the_others_are_named():
    with pytest.raises(Refused, match=r"(?s)key.*b → down"):
        await fallback([Plays(Refused("key"), name="a"), Plays(Transient("down"), name="b")])(ASK)


async def test_a_first_model_without_tools_changes_the_dialect_not_the_model():
    second = Plays("hello")
    with pytest.raises(ToolsUnsupported):
        await fallback([Plays(ToolsUnsupported("no tools")), second])(ASK)
    assert second.asked == 0


async def test_a_bug_is_not_covered_up():
    with pytest.raises(KeyError):
        await fallback([Plays(KeyError("bug")), Plays("hello")])(ASK)


async def test_a_request_is_fitted_to_who_gets_it():
    tools = Request(ASK.messages, tools=(spec("ring"),))
    held = Request(ASK.messages, grammar='root ::= "x"')
    down = Transient("down")
    plain, able = Plays("text", name="plain", abilities=Abilities(tools=False)), Plays("tool", name="able")
    assert (await fallback([Plays(down), plain, able])(tools)).text == "tool"
    assert plain.asked == 0
    assert (await fallback([Plays(down), plain])(held)).text == "text"
    assert plain.requests[-1].grammar is None
    gbnf = Plays("held", abilities=Abilities(constraint="gbnf"))
    await fallback([gbnf])(held)
    assert gbnf.requests[-1].grammar == held.grammar


async def test_a_fallback_goes_on_in_the_listeners_ear():
    ear = Ear()
    reply = await fallback([Plays(("Hel", Transient("broke"))), Plays(("Hello",))])(ASK, ear)
    assert (ear.text, reply.text) == ("Hello", "Hello")


def test_a_fallback_needs_a_model():
    with pytest.raises(ConfigError, match="at least one model"):
        fallback([])


# ── hedge ─────────────────────────────────────────────────────────────────────


async def test_a_slow_call_is_doubled_and_the_first_answer_wins():
    model = Plays(60.0, "quick")
    assert (await hedged(model, after=0.01)(ASK)).text == "quick"
    assert (model.asked, model.cancelled, model.running) == (2, 1, 0)


async def test_a_usual_call_is_not_doubled():
    model = Plays((0.001, "x"))
    assert (await hedged(model, after=5.0)(ASK)).text == "x"
    assert (await hedged(model)(ASK)).text == "x"
    assert model.asked == 2


async def test_the_percentile_is_learned():
    quick = Plays(*[(0.0, "x")] * 30, 60.0)
    second = Plays("y")
    wrapped = hedged(quick, second)
    for _ in range(30):
        await wrapped(ASK)
    assert second.asked <= 5
    before = second.asked
    assert (await wrapped(ASK)).text == "y"
    assert second.asked == before + 1


async def test_who_speaks_first_is_heard_alone():
    ear = Ear()
    model = Plays((60.0, "slow"), ("qui", 0.01, "ck"))
    assert (await hedged(model, after=0.01)(ASK, ear)).text == "quick"
    assert (ear.text, model.cancelled) == ("quick", 1)
    speaking = Plays(("first", 0.05, " all"), "second")
    ear = Ear()
    assert (await hedged(speaking, after=0.01)(ASK, ear)).text == "first all"
    assert (ear.text, speaking.asked) == ("first all", 1)


@pytest.mark.parametrize(("parts", "text"), [([(0.03, Transient("x")), (0.05, "ok")], "ok"), ([(0.05, "ok"), Transient("x")], "ok")])
async def test_one_of_two_is_enough(parts, text):
    assert (await hedged(Plays(*parts), after=0.01)(ASK)).text == text


async def test_where_both_fail_the_error_is_told_and_nothing_is_left():
    model = Plays((0.03, Transient("first")), (0.01, Transient("second")))
    with pytest.raises(Transient, match="first"):
        await hedged(model, after=0.01)(ASK)
    assert model.running == 0


async def test_a_cancelled_race_leaves_nothing_running():
    model = Plays(60.0)
    task = asyncio.ensure_future(hedged(model, after=0.01)(ASK))
    await asyncio.sleep(0.03)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert (model.asked, model.running) == (2, 0)


def test_a_percentile_is_one():
    with pytest.raises(ConfigError, match="between 0 and 100"):
        hedged(Plays("x"), percentile=100)


# ── cache ─────────────────────────────────────────────────────────────────────


async def test_the_same_request_is_answered_from_the_cache_for_nothing():
    model = Plays("one", "two")
    wrapped = cached(model)
    first, second = await wrapped(ASK), await wrapped(ASK)
    assert (first.text, second.text, model.asked) == ("one", "one", 1)
    assert (second.usage, second.seconds) == (Usage(0, 0, 0, 0), 0.0)


@pytest.mark.parametrize("other", [
    Request((Message("user", "ho"),)), Request(ASK.messages, temperature=0.0), Request(ASK.messages, tools=(spec("x"),)),
    Request(ASK.messages, stop=("x",)), Request(ASK.messages, grammar="x"), Request(ASK.messages, max_tokens=3),
    Request(ASK.messages, tool_choice="none"), Request((Message("system", "hi"),)),
])  # fmt: skip
async def test_another_request_is_another(other):
    model = Plays("one", "two")
    wrapped = cached(model)
    await wrapped(ASK)
    assert (await wrapped(other)).text == "two"


async def test_names_and_settings_keep_models_apart_and_a_listener_is_told():
    store = Latest(2)
    ear = Ear()
    await cached(Plays("a", name="a"), store)(ASK)
    assert (await cached(Plays("b", name="b"), store)(ASK)).text == "b"
    assert (await cached(Plays("c", name="a"), store, settings="seed=2")(ASK)).text == "c"
    assert len(store) == 2
    heard = cached(Plays(("x", "y")))
    await heard(ASK, Ear())
    await heard(ASK, ear)
    assert ear.text == "xy"


async def test_half_a_reply_is_not_kept():
    model = ScriptedModel(Reply("cut", finish="length"), Reply("whole"))
    wrapped = cached(model)
    assert [(await wrapped(ASK)).text for _ in range(3)] == ["cut", "whole", "whole"]


# ── rate ──────────────────────────────────────────────────────────────────────


def paced(model, clock, **limits):
    return rate_limited(model, clock=clock, sleep=clock.sleep, **limits)


async def test_requests_a_minute():
    clock = FakeClock(0.0)
    wrapped = paced(Plays("x"), clock, requests=3)
    times = []
    for _ in range(7):
        await wrapped(ASK)
        times.append(clock.now)
    assert times == [0.0, 0.0, 0.0, 60.0, 60.0, 60.0, 120.0]


@given(st.lists(st.floats(0, 40), min_size=1, max_size=30), st.integers(1, 5))
def test_never_more_than_allowed_within_any_minute(gaps, most):
    clock = FakeClock(0.0)
    wrapped = paced(Plays("x"), clock, requests=most)
    sent = []

    async def go():
        for gap in gaps:
            clock.now += gap
            await wrapped(ASK)
            sent.append(clock.now)

    asyncio.run(go())
    assert all(sum(start <= at < start + 60.0 - 1e-6 for at in sent) <= most for start in sent)


async def test_tokens_are_reserved_and_settled():
    clock = FakeClock(0.0)
    wrapped = paced(Plays("x"), clock, tokens=340)  # a guess of about 300 for each, 15 in truth
    for _ in range(3):
        await wrapped(ASK)
    assert clock.now == 0.0
    slow = Plays((0.0, "x"))
    both = paced(slow, clock, tokens=340)
    await asyncio.gather(both(ASK), both(ASK))
    assert clock.now == 60.0
    huge = Request((Message("user", "字" * 5000),))
    await paced(slow, clock, tokens=340)(huge)  # larger than the limit: it goes alone, not never


async def test_what_the_server_says_is_learned():
    clock = FakeClock(0.0)
    model = Plays("x")
    model.allowance = (1, 30.0)
    wrapped = paced(model, clock)
    await wrapped(ASK)
    assert clock.now == 0.0
    model.allowance = (0, 12.0)
    model.parts = ["y"]
    task = asyncio.ensure_future(wrapped(ASK))
    model.allowance = (0, 12.0)
    await task
    assert clock.now == 12.0


async def test_what_the_server_said_once_holds_once():
    clock = FakeClock(0.0)

    class Told(Plays):
        async def __call__(self, request, hear=None):
            self.allowance = (0, 12.0) if not self.asked else self.allowance
            return await super().__call__(request, hear)

    model = Told("x")
    wrapped = paced(model, clock)
    await wrapped(ASK)
    clock.now = 500.0  # long after those 12 s
    for _ in range(3):
        await wrapped(ASK)
    assert clock.now == 500.0


def test_one_pace_serves_several_event_loops():
    wrapped = paced(Plays("x"), FakeClock(0.0), requests=100)

    async def many():
        await asyncio.gather(*(wrapped(ASK) for _ in range(10)))

    asyncio.run(many())
    asyncio.run(many())


def test_a_rate_is_one_or_more():
    with pytest.raises(ConfigError, match="1 a minute or more"):
        rate_limited(Plays("x"), requests=0.5)


# ── together ──────────────────────────────────────────────────────────────────


async def test_a_wrapped_model_keeps_its_name_abilities_and_end():
    model, other = Plays("x", name="a", abilities=Abilities(small=True)), Plays("y", name="b")
    wrapped = surviving(model, [other], whole=5.0, requests_per_minute=100)
    assert (wrapped.name, wrapped.abilities.small) == ("a", True)
    assert (await wrapped(ASK)).text == "x"
    await wrapped.close()
    assert (model.closed, other.closed) == (1, 1)
    assert wrapped.asked == 1
    with pytest.raises(AttributeError):
        _ = wrapped.nothing


async def test_one_model_alone_needs_no_fallback():
    assert (await surviving(Plays("x"))(ASK)).text == "x"


async def test_a_stand_in_answers_at_once_while_the_first_is_left_alone():
    down, other = Plays(Transient("down"), name="a"), Plays("y", name="b")
    circuits = Circuits()
    circuits["a"] = Circuit(5, time.monotonic())
    async with asyncio.timeout(5):  # not the half minute for which "a" is left alone
        reply = await surviving(down, [other], circuits=circuits)(ASK)
    assert (reply.by, down.asked, other.asked) == ("b", 0, 1)
    failed = surviving(down, [Plays(Refused("no"))], attempts=2, circuits=circuits)
    with pytest.raises(ModelError, match="left alone for") as told:
        await failed(ASK)
    assert type(told.value) is Transient  # as it is recorded
    wrapped, clock = again(breaker(down, circuits, pause=20.0, clock=lambda: circuits["a"].opened), attempts=2)
    with pytest.raises(Transient, match="left alone for 20 s"):
        await wrapped(ASK)
    assert clock.now == pytest.approx(22.0)  # nobody stands in: waited for


async def test_a_part_without_an_end_is_left_as_it_is():
    async def bare(request, hear=None):
        return Reply("x")

    wrapped = Around(bare, bare)
    await wrapped.close()
    assert (wrapped.name, wrapped.abilities) == ("", Abilities())
