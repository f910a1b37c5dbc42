import io
import re

import pytest

from tao.cli.pens import Edges, PlainPen, ScreenPen
from tao.cli.screen import Screen
from tao.cli.view import Story, meta, unreached, view, why
from tao.cli.words import LABELS
from tao.events import Asked, Decided, Ended, Misread, Nudged, Observed, Paused, Replied, Ruled
from tao.messages import Call, Observation, Reply, Usage
from tao.run import Run
from tao.seams import Delta

SUM, NOW = Call("1.1", "add", {"a": 1, "城": "北京"}), Call("1.2", "now", {})


def told(*items, width=60, screen=False, whole=False, lang="en"):
    """What a story writes, without colours and spinners."""
    place = Screen(to=io.StringIO(), columns=width, terminal=screen, env={})
    pen = (ScreenPen if screen else PlainPen)(place, LABELS[lang])
    story = Story(pen, whole=whole, live=False)
    for item in items:
        story.delta(item) if isinstance(item, Delta) else story.event(item)
    story.close(None)
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", place.file.getvalue())


def test_a_reply_that_comes_in_pieces_is_written_once():
    said = told(
        Asked("q"), Delta("thought", " I need"), Delta("thought", " the sum.\n"), Delta("call", "add"), Replied(Reply("x")),
        Decided("I need the sum.", (SUM,)), Observed("1.1", Observation("3")), Delta("answer", "It "), Delta("answer", "is 3"), Replied(Reply("x")),
        Decided("", (), "It is 3"), Ended("answered", "It is 3"),
    )  # fmt: skip
    assert said.splitlines()[1:] == [
        "Thought: I need the sum.", "Action: add", 'Action Input: {"a": 1, "城": "北京"}', "Observation: 3", "Final Answer: It is 3",
    ]  # fmt: skip


def test_what_did_not_come_in_pieces_is_written_from_the_events():
    said = told(
        Decided("I need it.", (SUM,)), Observed("1.1", Observation("3")), Decided("Done.", (), "3"), Ended("answered", "3")
    )
    assert [line.split(":")[0] for line in said.splitlines()] == [
        "Thought",
        "Action",
        "Action Input",
        "Observation",
        "Thought",
        "Final Answer",
    ]


def test_several_calls_say_which_observation_is_whose():
    said = told(
        Delta("call", "add"), Decided("", (SUM, NOW)), Observed("1.2", Observation("noon")), Observed("1.1", Observation("3"))
    )
    assert said.splitlines() == [
        "Action: add", 'Action Input: {"a": 1, "城": "北京"}', "Action: now", "Action Input: {}", "Observation: [now] noon", "Observation: [add] 3",
    ]  # fmt: skip


def test_a_tool_name_that_was_mended_is_shown_as_it_runs():
    assert told(Delta("call", "Add"), Decided("", (SUM,))).splitlines()[:2] == ["Action: Add", "Action: add"]


def test_an_answer_that_was_not_accepted_gives_way_to_the_next():
    said = told(
        Delta("answer", "4"), Replied(Reply("x")), Decided("", (), "4"), Nudged("work it out", "verify"), Delta("answer", "3"), Replied(Reply("x")),
        Decided("", (), "3"), Ended("answered", "3"),
    )  # fmt: skip
    assert said.splitlines() == ["Final Answer: 4", "Note: work it out", "Final Answer: 3"]


@pytest.mark.parametrize(("event", "line"), [
    (Misread("no_step", "say more"), "Note: the reply could not be read: say more"),
    (Paused("approval"), "Note: waits for a person: approval"),
    (Ruled("1.1", "h", "approve", "Mo"), "Note: approved (Mo)"), (Ruled("1.1", "h", "reject", "", text="too much"), "Note: rejected: too much"),
    (Ruled("1.1", "h", "edit", "Mo", args={}), "Note: arguments changed (Mo)"), (Ruled("1.1", "h", "later"), "Note: later"),
    (Ended("failed", detail="ModelError: no power"), "Note: no power"),
    (Ended("max_steps"), "Note: max_steps"),
    (Ended("max_steps", "so far"), "Final Answer: so far"),
    (Ended("max_cost", "so far", "Stopped at the limit of money."), "Final Answer: so far\nNote: Stopped at the limit of money."),
    (Nudged("", "silent"), ""),
])  # fmt: skip
def test_what_else_can_happen(event, line):
    assert told(event).strip() == line


def test_a_long_observation_is_cut_and_whole_where_asked_for():
    long = Observation("\n".join(f"line {number}" for number in range(40)))
    short = told(Decided("", (SUM,)), Observed("1.1", long))
    assert "line 11" in short
    assert "line 12" not in short
    assert "`tao show` has it all" in short
    assert "line 39" in told(Decided("", (SUM,)), Observed("1.1", long), whole=True)
    assert len(told(Decided("", (SUM,)), Observed("1.1", Observation("x" * 9000)))) < 2500


# ── on a screen ───────────────────────────────────────────────────────────────


def test_text_stands_beside_its_label_and_is_wrapped_between_words():
    said = told(
        Delta("thought", "one two three four fi"), Delta("thought", "ve six seven"), Decided("", (SUM,)), screen=True, width=32
    )
    assert said.splitlines()[:2] == ["Thought       one two three four", "              five six seven"]


def test_chinese_is_wrapped_by_its_width():
    said = told(Delta("thought", "今天是星期一，明天是星期二"), screen=True, width=20, lang="zh")
    lines = said.splitlines()
    assert lines[0] == "思考      今天是星期"
    assert [line.strip() for line in lines[1:]] == ["一，明天是", "星期二"]
    assert all(line.startswith(" " * 10) for line in lines[1:])


def test_no_line_of_chinese_begins_with_a_sign_that_closes_or_ends_with_one_that_opens():
    text = "等待人工处理：refund 不只是读取（writes、money），他说“好”，don’t “go”。" * 2
    for columns in range(26, 60):
        for size in (1, 5, 80):
            said = told(*(Delta("thought", text[at : at + size]) for at in range(0, len(text), size)), screen=True, width=columns, lang="zh")
            lines = [line.strip() for line in said.removeprefix("思考").splitlines()]
            assert "".join(lines).replace(" ", "") == text.replace(" ", "")
            assert not any(line[0] in "，。：、）”" or line[-1] in "（“" for line in lines)


def test_a_word_longer_than_the_line_is_broken():
    said = told(Delta("thought", "x" * 50), screen=True, width=34)
    assert [len(line.strip()) for line in said.removeprefix("Thought").splitlines()] == [20, 20, 10]


def test_steps_and_the_answer_stand_apart():
    said = told(
        Decided("t", (SUM,)), Observed("1.1", Observation("a\n\nb")), Decided("u", (), "3"), Ended("answered", "3"), screen=True,
    )  # fmt: skip
    assert said.splitlines()[3:] == [
        "Observation   a", "              ", "              b", "", "Thought       u", "", "Final Answer  3",
    ]  # fmt: skip


def test_the_view_fits_the_screen():
    screens = [Screen(to=io.StringIO(), terminal=terminal, env={"TERM": kind}) for terminal, kind in ((False, "xterm"), (True, "dumb"), (True, "xterm"))]
    pens = [type(view(screen, as_json=False, quiet=False, lang="zh", run="r").pen) for screen in screens]
    assert pens == [PlainPen, PlainPen, ScreenPen]


def test_a_spinner_leaves_no_trace():
    screen = Screen(to=io.StringIO(), terminal=True, columns=40, env={})
    pen = ScreenPen(screen, LABELS["en"])
    pen.wait("thinking")
    pen.wait("thinking")
    pen.close()
    pen.close()
    first, *more = re.split(r"\r\x1b\[K", screen.file.getvalue())
    assert (first, more[-1]) == ("\x1b[?25l", "\x1b[?25h")
    assert any("thinking" in frame for frame in more)
    assert not any("\n" in frame or len(re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", frame)) > 39 for frame in more)


def test_blanks_around_a_text_in_pieces_are_left_out():
    edges = Edges()
    assert [edges.feed(piece) for piece in (" \n", " a", " ", "\n", "b  ", "", "c ", " ")] == [
        "",
        "a",
        "",
        "",
        " \nb",
        "",
        "  c",
        "",
    ]


# ── what a run cost ───────────────────────────────────────────────────────────


def priced(*usages):
    rate = {"input": "2", "output": "8", "currency": "CNY"}
    asked = Asked("q", model="p:m", settings={"prices": {"p:m": {"rates": [rate]}}}, at=1000.0)
    return Run("r" * 16, [asked, *[Replied(Reply("x", usage=usage), at=1001.0) for usage in usages]])


@pytest.mark.parametrize(("usages", "money"), [
    ([Usage(1000, 100), Usage(1000, 100)], " · ¥0.0056 · "), ([Usage(1000, 100), Usage()], " · ¥0.0028 (and 1 of unknown cost) · "), ([Usage()], ""),
])  # fmt: skip
def test_the_last_line_says_what_it_cost(usages, money):
    said = meta(priced(*usages)).plain
    assert money in said
    assert ("¥" in said) == bool(money)


def test_quiet_says_on_standard_error_why_there_is_no_answer(capsys):
    out = io.StringIO()
    quiet = view(Screen(to=out), as_json=False, quiet=True, lang="en", run="r")
    quiet.close(Run("r", [Asked("q"), Ended("deadline", None, "No answer was found.")]))
    assert (out.getvalue(), capsys.readouterr().err) == ("", "No answer was found (deadline).\n")


@pytest.mark.parametrize(("end", "said"), [
    (Ended("failed", detail="Refused: x: HTTP 401: Bad key (check the API key)\nx: HTTP 401: Bad key（请检查 API 密钥）"), "x: HTTP 401: Bad key (check the API key)"),
    (Ended("failed", detail="Transient: x: HTTP 503: overloaded\n(tried 3 times)\n（共尝试 3 次）"), "x: HTTP 503: overloaded\n(tried 3 times)"),
    (Ended("failed", detail="Declined: no\nWeightsError: kept"), "no\nWeightsError: kept"), (Ended("failed", detail="Total: 3"), "Total: 3"),
    (Ended("max_tokens", None, "在设定的限度内没有得到答案。"), "在设定的限度内没有得到答案（max_tokens）。"), (Ended("max_cost", None, "No answer."), "No answer (max_cost)."),
    (Ended("max_steps", "42", "The best so far."), "The best so far."), (Ended("max_steps"), "max_steps"), (Ended("cancelled", None, "Cancelled."), "Cancelled."),
])  # fmt: skip
def test_why_a_run_ended_is_said_without_the_names_of_classes(end, said):
    assert why(end) == said


def test_a_model_that_did_not_answer_is_told_from_other_failures():
    runs = [Run("r", [Asked("q"), Ended("failed", detail=detail)]) for detail in ("TooLong: x: too long", "StoreError: no room", "odd")]
    assert [unreached(run) for run in runs] == [True, False, False]
    assert not unreached(Run("r", [Asked("q"), Ended("refused", detail="Declined: no")]))


def test_a_persons_time_is_not_counted():
    events = [Asked("q", at=100.0), Paused("waits", "1.1", at=102.0), Ruled("1.1", "h", "approve", at=5000.0), Ended("answered", "a", at=5001.5)]
    assert " · 3.5 s · " in meta(Run("r" * 16, events)).plain


def test_the_last_line_ends_between_its_parts():
    run = Run("r" * 16, [Asked("q", model="http://127.0.0.1:8101/v1#x", at=1.0), Replied(Reply("x", usage=Usage(1000, 100)), at=2.0)])
    assert meta(run, 40).plain.split("\n") == ["1 step · 1,000 + 100 tokens · 1.0 s", "http://127.0.0.1:8101/v1#x", "run " + "r" * 8]
    assert "\n" not in meta(run).plain
