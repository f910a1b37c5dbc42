"""Quirks as pure functions: what they change, and that they change nothing else."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from tao.messages import Image, Message, Reply, Request, ToolCall
from tao.models import quirks
from tao.testing import spec

PLAIN = Request((Message("system", "s"), Message("user", "u"), Message("assistant", "a"), Message("user", "v")), tools=(spec("add"),))


def told(request):
    return [(message.role, message.content) for message in request.messages]


def test_nothing_changes_where_nothing_is_to_be_mended():
    for mend in (quirks.one_system, quirks.never_empty, quirks.safe_names, quirks.paired_ids, quirks.alternating):
        assert mend(PLAIN) == PLAIN


def test_a_template_without_system_gets_its_text_in_the_first_question():
    assert told(quirks.no_system(PLAIN)) == [("user", "s\n\nu"), ("assistant", "a"), ("user", "v")]
    assert told(quirks.no_system(Request((Message("system", "s"),)))) == [("user", "s")]
    assert told(quirks.no_system(Request((Message("user", "u"),)))) == [("user", "u")]


def test_neighbours_of_one_role_are_joined_but_never_calls_or_results():
    call = Message("assistant", "", (ToolCall("add", "{}", "1"),))
    results = (Message("tool", "1", call_id="1"), Message("tool", "2", call_id="2"))
    request = Request((Message("user", "a"), Message("user", "b"), call, *results, Message("user", "c")))
    assert told(quirks.alternating(request)) == [("user", "a\n\nb"), ("assistant", ""), ("tool", "1"), ("tool", "2"), ("user", "c")]


def test_joined_neighbours_keep_their_pictures():
    first, second = Image("image/png", "a"), Image("image/png", "b")
    request = Request((Message("user", "a", images=(first,)), Message("user", "b", images=(second,))))
    assert quirks.alternating(request).messages == (Message("user", "a\n\nb", images=(first, second)),)


@given(st.lists(st.text(min_size=1), unique=True, max_size=8))
def test_safe_names_are_safe_distinct_and_found_again(names):
    safe = [quirks.safe_name(name) for name in names]
    assert all(0 < len(name) <= 64 and set(name) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") for name in safe)
    assert len(set(safe)) == len(names)
    reply = Reply("", tuple(ToolCall(name, "{}", str(n)) for n, name in enumerate(safe)))
    assert [call.name for call in quirks.own_names(reply, names).calls] == names


@given(st.lists(st.lists(st.sampled_from(["a", "b", "", None]), min_size=1, max_size=3), max_size=4))
def test_ids_are_distinct_and_results_stay_with_their_calls(turns):
    messages = [Message("user", "q")]
    for turn, marks in enumerate(turns):
        messages.append(Message("assistant", "", tuple(ToolCall(f"t{turn}-{n}", "{}", mark) for n, mark in enumerate(marks))))
        messages += [Message("tool", f"t{turn}-{n}", call_id=mark) for n, mark in enumerate(marks)]
    mended = quirks.paired_ids(Request(tuple(messages)))
    owners = {call.id: call.name for message in mended.messages for call in message.calls}
    assert len(owners) == sum(map(len, turns))
    assert all(owners[message.call_id] == message.content for message in mended.messages if message.role == "tool")
    assert quirks.paired_ids(mended) == mended


def test_a_result_that_belongs_to_nothing_still_has_an_id():
    assert quirks.paired_ids(Request((Message("tool", "x"),))).messages[0].call_id == "call_0"


def test_trims():
    assert quirks.openai_reasoners({"max_tokens": 5, "temperature": 0.0}, "gpt-4.1") == {"max_tokens": 5, "temperature": 0.0}
    for model in ("o4-mini", "gpt-5.5", "openai/gpt-5"):
        assert quirks.openai_reasoners({"max_tokens": 5, "stop": ["x"], "n": 1}, model) == {"max_completion_tokens": 5, "n": 1}
    assert quirks.stops_at_most(2)({"stop": ["a", "b", "c"]}, "m") == {"stop": ["a", "b"]}
    assert quirks.stops_at_most(0)({"stop": ["a"], "x": 1}, "m") == {"x": 1}
    assert quirks.temperature_within(0.01, 1.0)({}, "m") == {}
    assert quirks.free_choice({"tool_choice": "auto"}, "m") == {"tool_choice": "auto"}


def test_mending_does_not_touch_the_rest_of_a_request():
    rest = replace(PLAIN, stop=("x",), max_tokens=3, grammar="g", messages=(*PLAIN.messages, Message("system", "late")))
    mended = quirks.one_system(rest)
    assert replace(mended, messages=rest.messages) == rest
