"""The small model, really run: in this process, and served over real HTTP by llama.cpp's own server."""

import asyncio
import signal
from dataclasses import replace

import pytest

from tao.errors import ModelError, Refused, TooLong, WeightsError
from tao.messages import Image, Message, Request
from tao.models.local import LocalModel, LocalSettings, default_threads, engine, library
from tao.models.openai import ChatModel
from tao.models.profiles import PROFILES
from tao.testing import spec

pytestmark = pytest.mark.model

ASK = Request((Message("system", "You are a helpful assistant."), Message("user", "What is the capital of France?")), max_tokens=24, temperature=0.0)
COUNT = Request((Message("user", "Count from one to a hundred in words."),), max_tokens=1500, temperature=0.0)
GRAMMAR = r"""
root ::= "Action: " tool "\nAction Input: {\"" [a-z]{1,8} "\": " [0-9]{1,4} "}" [ \n]{0,3}
tool ::= "add" | "look_up"
"""


@pytest.fixture(scope="module")
def settings(tmp_path_factory):
    return LocalSettings(context=4096, keep=tmp_path_factory.mktemp("prompts"))


@pytest.fixture(scope="module")
def model(small_model, settings):
    made = LocalModel(small_model, settings=settings)
    yield made
    made.unload()


@pytest.fixture(scope="module")
def server(small_model):
    llama = library()
    params = llama.CommonParams()
    params.model.path = str(small_model)
    params.n_ctx, params.verbosity, params.warmup, params.fit_params = 4096, -1, False, False
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = default_threads()
    running = llama.Server(params)
    yield f"{running.listening_address}/v1"
    del running


@pytest.fixture(params=["in process", "over http"])
async def either(request, model):
    if request.param == "in process":
        yield model
    else:
        served = ChatModel(PROFILES["llamacpp"], "smollm2", base_url=request.getfixturevalue("server"))
        yield served
        await served.close()


async def test_it_answers_and_counts_its_tokens(either):
    reply = await either(ASK)
    assert "Paris" in reply.text
    assert reply.usage.prompt > 20
    assert 0 < reply.usage.completion <= 24
    assert reply.finish in {"stop", "length"}


async def test_temperature_zero_is_the_default_and_repeats_itself(model):
    first, second = [await model(replace(ASK, temperature=None)) for _ in range(2)]
    assert first.text == second.text


async def test_a_grammar_holds_the_reply(either):
    reply = await either(replace(ASK, grammar=GRAMMAR, max_tokens=60))
    assert reply.text.startswith(("Action: add\nAction Input: {", "Action: look_up\nAction Input: {"))
    assert reply.text.rstrip().endswith("}")
    assert reply.finish == "stop"


async def test_a_schema_holds_the_reply(either):
    schema = {"type": "object", "properties": {"city": {"enum": ["Paris", "Rome"]}}, "required": ["city"], "additionalProperties": False}
    reply = await either(replace(ASK, schema=schema, max_tokens=60))
    assert reply.text.replace(" ", "").replace("\n", "") in {'{"city":"Paris"}', '{"city":"Rome"}'}


async def test_it_streams_and_stops_as_soon_as_the_listener_says_so(either):
    heard = []
    reply = await either(COUNT, lambda text: heard.append(text) or len(heard) >= 5)
    assert reply.text == "".join(heard)
    assert len(heard) == 5
    assert (reply.finish, reply.first_token is not None) == ("stop", True)


async def test_tokens_are_counted_for_a_reply_that_was_stopped(model):
    heard = []
    reply = await model(COUNT, lambda text: heard.append(text) or len(heard) >= 5)
    assert 5 <= reply.usage.completion <= 7
    assert reply.usage.prompt > 10


async def test_a_stop_sequence_ends_the_reply_before_it(either):
    reply = await either(replace(ASK, stop=("Paris",)))
    assert "Paris" not in reply.text
    assert reply.finish == "stop"


async def test_only_the_new_end_of_a_prompt_is_evaluated(either):
    long = (Message("system", "You are a helpful assistant. " * 40), Message("user", "Name a fruit."))
    first = await either(Request(long, max_tokens=8, temperature=0.0))
    grown = (*long, Message("assistant", first.text), Message("user", "Another one."))
    second = await either(Request(grown, max_tokens=8, temperature=0.0))
    assert second.usage.cached > 200
    assert second.usage.prompt - second.usage.cached < 60


@pytest.mark.timeout(45)  # what is cancelled would take longer
async def test_cancelling_a_call_stops_the_work(either):
    task = asyncio.create_task(either(replace(COUNT, max_tokens=None, grammar='root ::= ("one" | " two")*')))
    await asyncio.sleep(0.5)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (await either(replace(ASK, max_tokens=2))).usage.completion == 2


async def test_calls_at_the_same_time_wait_for_each_other_and_all_answer(model):
    replies = await asyncio.gather(*(model(replace(ASK, max_tokens=4)) for _ in range(3)))
    assert len({reply.text for reply in replies}) == 1


async def test_a_cancelled_call_that_was_still_waiting_never_runs(model):
    running = asyncio.create_task(model(COUNT, lambda _text: False))
    await asyncio.sleep(0.3)
    waiting = asyncio.create_task(model(COUNT))
    await asyncio.sleep(0.1)
    waiting.cancel()
    running.cancel()
    await asyncio.gather(waiting, running, return_exceptions=True)
    assert (await model(replace(ASK, max_tokens=2))).usage.completion == 2


async def test_a_last_message_of_the_assistants_is_continued(model):
    reply = await model(replace(ASK, messages=(*ASK.messages, Message("assistant", "The capital of France is Par"))))
    assert reply.text.startswith("is")


async def test_an_error_in_the_listener_comes_through_and_stops_the_work(model):
    def broken(_text):
        raise RuntimeError("listener")

    with pytest.raises(RuntimeError, match="listener"):
        await model(COUNT, broken)
    assert (await model(replace(ASK, max_tokens=2))).usage.completion == 2


async def test_a_prompt_that_does_not_fit_and_a_grammar_that_is_none(either):
    with pytest.raises(TooLong, match="context size"):
        await either(Request((Message("user", "hello " * 5000),)))
    with pytest.raises(Refused, match="grammar"):
        await either(replace(ASK, grammar="root ::= ["))


async def test_tools_go_in_and_the_reply_comes_out(either):
    reply = await either(replace(ASK, tools=(spec("look_up", "Looks up a fact", topic="string"),)))
    assert reply.text or reply.calls


def test_tokens_are_counted_exactly_and_the_prompt_can_be_seen(model):
    assert model.count("") == 0
    assert model.count("Hello world") == 2
    assert model.count("你好，世界") > 3
    assert model.prompt(ASK.messages).startswith("<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n<|im_start|>user\n")


def test_it_serves_one_event_loop_after_another(model):
    texts = {asyncio.run(model(replace(ASK, max_tokens=4))).text for _ in range(2)}
    assert len(texts) == 1


async def test_the_file_is_loaded_once_for_all_models_that_use_it(model, settings):
    other = LocalModel(model.path, settings=settings)
    assert other.engine is model.engine
    assert engine(model.path, replace(settings, context=512)) is not model.engine


async def test_a_new_process_begins_with_the_kept_prompt(small_model, tmp_path):
    kept = LocalSettings(context=2048, keep=tmp_path / "prompts")
    head = Message("system", "You are a helpful assistant who answers briefly. " * 30)
    one, two = (Request((head, Message("user", text)), max_tokens=6) for text in ("Name a fruit.", "Name a colour."))
    first = LocalModel(small_model, settings=kept)
    assert (await first(one)).usage.cached == 0
    within = await first(two)
    first.unload()  # as a new process would find it: nothing in memory
    again = await first(two)
    assert again.usage.cached > 200
    assert again.text == within.text
    first.unload()
    for file in kept.keep.glob("*.kv"):
        file.write_bytes(b"damaged")
    assert (await first(two)).usage.cached == 0
    first.unload()


def test_signals_still_go_to_python_after_loading(model):
    seen = []
    before = signal.signal(signal.SIGTERM, lambda *_: seen.append(1))
    try:
        model.count("x")
        signal.raise_signal(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert seen == [1]


STRICT = """{% if 'forbidden' in messages[0]['content'] %}{{ raise_exception('no such word') }}{% endif %}{% for message in messages %}{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}
{{ raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') }}{% endif %}
{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>\n' }}{% endfor %}
{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"""


async def test_a_template_that_wants_strict_turns_gets_them(small_model):
    strict = LocalModel(small_model, settings=LocalSettings(context=512, template=STRICT))
    twice = Request((Message("user", "Name a fruit."), Message("user", "Only one.")), max_tokens=4)
    assert (await strict(twice)).usage.completion > 0
    with pytest.raises(Refused, match="no such word"):
        await strict(Request((Message("user", "A forbidden word."),), max_tokens=4))
    strict.unload()


async def test_what_is_no_model_file_is_said_so(tmp_path):
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF" + b"\0" * 64)
    with pytest.raises(WeightsError, match=r"cannot load .*broken\.gguf"):
        await LocalModel(broken)(ASK)
    with pytest.raises(WeightsError, match="no model file"):
        await LocalModel(tmp_path / "absent.gguf")(ASK)
    assert not issubclass(WeightsError, ModelError)


async def test_it_says_that_it_takes_no_pictures(model):
    with pytest.raises(Refused, match="takes no images"):
        await model(Request((Message("user", "?", images=(Image("image/png", "iVBO"),)),)))
