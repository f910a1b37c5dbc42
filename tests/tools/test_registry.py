import asyncio
import threading
import time
from typing import Annotated

import pytest
from pydantic import AfterValidator

from tao.errors import BadArguments, ConfigError, Pause, StoreError, ToolError, Transient
from tao.messages import Call, Observation
from tao.run import Run, once_key
from tao.testing import history
from tao.tools.declare import declare, foreign, tool
from tao.tools.registry import registry, specs, validated
from tao.tools.words import say


async def observed(function, args=None, lang="en", **options):
    """One call of one function through a registry."""
    made = declare(function, **options)
    run = history("q", tools=[made.spec], lang=lang)
    return await registry([made])(Call("1.1", made.name, args or {}), run)


def add(a: int, b: int = 1) -> int:
    """Add."""
    return a + b


async def test_a_call_is_checked_read_and_run():
    assert await observed(add, {"a": "４１"}) == Observation("42", data=42, notes=('a: "４１" → 41',))


async def test_async_functions_and_sync_ones_that_return_awaitables():
    async def later(x: int) -> int:
        await asyncio.sleep(0)
        return x

    def returns_awaitable(x: int):
        return later(x)

    async def stream(n: int):
        for i in range(n):
            yield i

    def generate(n: int):
        yield from range(n)

    assert (await observed(later, {"x": 1})).text == "1"
    assert (await observed(returns_awaitable, {"x": 2})).text == "2"
    assert (await observed(stream, {"n": 3})).data == [0, 1, 2]
    assert len((await observed(stream, {"n": 5000})).data) == 1000
    assert len((await observed(generate, {"n": 5000})).data) == 1000


async def test_sync_functions_run_in_a_thread_unless_inline():
    def where() -> bool:
        return threading.current_thread() is threading.main_thread()

    assert (await observed(where)).data is False
    assert (await observed(where, inline=True)).data is True


@pytest.mark.parametrize(
    ("lang", "text"),
    [("en", 'There is no tool "ad". Did you mean add? Tools: add, mul.'), ("zh", "没有名为“ad”的工具。是不是 add？可用工具：add、mul。")],
)
async def test_unknown_names_are_answered_with_those_there_are(lang, text):
    tools = [declare(add), declare(add, name="mul")]
    run = history("q", tools=specs(tools), lang=lang)
    assert await registry(tools)(Call("1", "ad", {}), run) == Observation(text, ok=False, kind="unknown_tool")
    assert "Did you mean" not in (await registry(tools)(Call("1", "zebra", {}), run)).text
    assert "Did you mean add?" in (await registry(tools)(Call("1", "ADD", {}), history("q", tools=specs(tools)))).text


async def test_only_what_the_run_was_asked_with_may_be_called():
    tools = [declare(add), declare(add, name="secret")]
    run = history("q", tools=specs(tools[:1]))
    assert (await registry(tools)(Call("1", "secret", {"a": 1}), run)).kind == "unknown_tool"
    gone = await registry(tools[1:])(Call("1", "add", {"a": 1}), run)
    assert gone.text == 'The tool "add" is not available now. Use another tool (none) or answer with what you know.'
    assert (await registry(tools)(Call("1", "add", {}), history("q"))).text == "There are no tools here. Answer directly."


async def test_bad_arguments_are_not_run():
    ran = []
    seen = await observed(lambda x: ran.append(x), {"y": 1}, name="f")  # noqa: PLW0108
    assert (seen.kind, seen.ok, ran) == ("bad_arguments", False, [])
    assert seen.text.startswith("f was not run: unknown parameter y")
    assert (await observed(add, {"a": "x"}, "zh")).text == '没有执行 add：a：收到 "x"（文本），需要整数。示例：{"a": 3}'


async def test_validators_of_ones_own_are_bad_arguments_too():
    def even(n: int) -> int:
        if n % 2:
            raise ValueError("only even numbers")
        return n

    def half(n: Annotated[int, AfterValidator(even)], **more: Annotated[int, AfterValidator(even)]) -> int:
        return n // 2

    seen = await observed(half, {"n": 3})
    assert seen.kind == "bad_arguments"
    assert seen.text == 'half was not run: n: got 3 (whole number): only even numbers. Example: {"n": 3}'
    assert (await observed(half, {"n": 4, "m": 3})).kind == "bad_arguments"


class OwnError(ToolError):
    pass


@pytest.mark.parametrize(
    ("error", "kind", "text"),
    [
        (ValueError("not a date; give YYYY-MM-DD"), "error", "f failed: not a date; give YYYY-MM-DD. Change the arguments or try another way."),
        (OwnError("no!"), "error", "f failed: no! Change the arguments or try another way."),
        (BadArguments("no such user; give an id"), "refused_arguments", "f does not take these arguments: no such user; give an id. Change the arguments or try another way."),
        (KeyError("x"), "error", "f failed: KeyError: 'x'. Change the arguments or try another way."),
        (RuntimeError(), "error", "f failed: RuntimeError. Change the arguments or try another way."),
        (SystemExit(3), "error", "f failed: SystemExit: 3. Change the arguments or try another way."),
        (StopIteration(), "error", "f failed: RuntimeError: StopIteration. Change the arguments or try another way."),
        (asyncio.CancelledError(), "error", "f failed: CancelledError. Change the arguments or try another way."),
        (ConnectionResetError("gone"), "transient", "f failed: ConnectionResetError: gone. Change the arguments or try another way."),
        (TimeoutError("slow"), "transient", "f failed: TimeoutError: slow. Change the arguments or try another way."),
        (Transient("busy", 2.0), "transient", "f failed: busy. Change the arguments or try another way."),
        (ValueError("x" * 5000), "error", "f failed: " + "x" * 1999 + "… Change the arguments or try another way."),
        (ValueError("lone \ud800 and \x00"), "error", "f failed: lone \ufffd and \ufffd. Change the arguments or try another way."),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else None,
)
@pytest.mark.parametrize("way", ["thread", "inline", "async"])
async def test_every_exception_becomes_an_observation(way, error, kind, text):
    def fail():
        raise error

    async def fail_later():
        raise error

    seen = await observed(fail_later if way == "async" else fail, name="f", inline=way == "inline")
    if isinstance(error, StopIteration) and way != "thread":
        assert seen.kind == "error"
        return
    assert (seen.text, seen.kind, seen.ok) == (text, kind, False)
    assert seen.data == ({"retry_after": 2.0} if isinstance(error, Transient) else None)


async def test_errors_speak_the_language_of_the_run():
    def fail():
        raise ValueError(say("in English", "用中文"))

    assert (await observed(fail, lang="zh")).text == "fail 出错：用中文。请修改参数或换一种方法。"
    assert (await observed(fail)).text.startswith("fail failed: in English.")


@pytest.mark.parametrize("error", [Pause("ask"), StoreError("disk")])
async def test_pauses_and_errors_of_the_operator_go_through(error):
    def fail():
        raise error

    with pytest.raises(type(error)):
        await observed(fail)


async def test_timeouts():
    stopped = []

    async def hangs() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            stopped.append(True)

    release = threading.Event()

    def stuck() -> None:
        release.wait(60)

    seen = await observed(hangs, timeout=0.02)
    assert seen == Observation("hangs took longer than 0.02 s and was stopped. Change the arguments or try another way.", ok=False, kind="timeout")
    assert stopped == [True]
    said = await observed(stuck, timeout=0.02)
    assert "cannot be stopped and may still finish in the background" in said.text
    assert (await observed(stuck, lang="zh", timeout=0.02)).text.startswith("stuck 超过 0.02 秒没有完成。它无法被中断")
    assert (await observed(hangs, lang="zh", timeout=0.02)).text == "hangs 超过 0.02 秒没有完成，已停止。请修改参数或换一种方法。"
    assert (await observed(add, {"a": 1}, timeout=30)).text == "2"  # a stuck thread takes nobody's place
    release.set()


async def test_being_cancelled_is_not_a_failure_of_the_tool():
    started = asyncio.Event()

    async def hangs() -> None:
        started.set()
        await asyncio.sleep(60)

    task = asyncio.create_task(observed(hangs))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_run_and_call_are_filled_in():
    async def who(run: Run, call: Call, name: str = "x") -> str:
        return f"{run.id} {call.id} {name}"

    assert (await observed(who, {"name": "y"})).text == "test 1.1 y"


def test_two_tools_of_one_name_are_refused():
    with pytest.raises(ConfigError, match="two tools are named 'add'"):
        registry([add, declare(add)])


def test_specs_choose_the_language():
    made = declare(add, descriptions={"zh": "相加。"})
    assert specs([made], "zh")[0].description == "相加。"
    assert specs([made])[0].description == "Add."


async def test_validated_hands_on_what_will_really_run():
    made = declare(add)
    run = history("q", tools=[made.spec])
    seen = []

    async def act(call, run):
        seen.append(dict(call.args))
        return Observation("ok", notes=("inner",))

    outer = validated(act, [made])
    assert (await outer(Call("1", "add", {"a": "5"}), run)).notes == ('a: "5" → 5', "inner")
    assert (await outer(Call("2", "add", {"a": 5}), run)).notes == ("inner",)
    assert await outer(Call("3", "add", {"a": "x"}), run) == await registry([made])(Call("3", "add", {"a": "x"}), run)
    assert await outer(Call("4", "other", {"a": "x"}), run) == await registry([made])(Call("4", "other", {"a": "x"}), run)
    assert seen == [{"a": 5}, {"a": 5}]


async def test_an_idempotency_key_is_filled_in_and_not_shown():
    made = declare(lambda amount, token: f"{amount} {token}", name="pay", effects="money", key="token")
    run = history("q", tools=[made.spec])
    assert list(made.spec.parameters["properties"]) == ["amount"]
    again = [await registry([made])(Call(name, "pay", {"amount": 5}), run) for name in ("1.1", "1.1", "1.2")]
    assert again[0] == again[1] == Observation(f"5 {once_key(run, Call('1.1', 'pay', {}))}") != again[2]
    plain = foreign(made.spec, lambda **given: sorted(given), key="token")
    assert (await registry([plain])(Call("1.1", "pay", {"amount": 5}), run)).data == ["amount", "token"]
    with pytest.raises(ConfigError, match=r"key='id' is none of its parameters \(amount, token\)"):
        declare(lambda amount, token: 1, name="pay", key="id")


async def test_one_registry_serves_many_calls_at_once():
    @tool
    def slow(n: int) -> int:
        time.sleep(0.01)
        return n

    run = history("q", tools=[slow.spec])
    act = registry([slow])
    results = await asyncio.gather(*(act(Call(f"1.{n}", "slow", {"n": n}), run) for n in range(20)))
    assert [seen.data for seen in results] == list(range(20))


async def test_what_is_wrong_is_said_in_the_words_of_the_runs_language():
    def book(day: str, seats: int) -> str:
        """Book a table.

        Args:
            day: the day
            seats: how many people
        """
        return f"{day} {seats}"

    made = declare(book, descriptions={"zh": "订位。\n\n参数：\n    day: 日期\n    seats: 人数"})
    for act in (registry([made]), validated(registry([made], checked=True), [made])):
        for lang, said in (("en", "wanted a whole number (how many people)"), ("zh", "需要整数（人数）"), ("zh-TW", "需要整数（人数）")):
            run = history("q", tools=[made.said(lang)], lang=lang)
            seen = await act(Call("1.1", "book", {"day": "d", "seats": "many"}), run)
            assert said in seen.text
            assert seen.kind == "bad_arguments"


async def test_what_was_done_and_cannot_be_shown_is_not_said_to_have_failed():
    class Dumb:
        def __str__(self):
            raise RuntimeError("no words")

    def make() -> object:
        return [Dumb()]

    seen = await observed(make, effects=("writes",))
    assert (seen.ok, seen.kind) == (False, "error")
    assert seen.text == (
        "make was carried out, but what it gave cannot be shown (RuntimeError: no words). Do not repeat it for that; go on without its result."
    )
    assert (await observed(make, lang="zh")).text == "make 已执行，但无法显示它返回的结果（RuntimeError: no words）。不要因此重复调用；请在没有该结果的情况下继续。"
