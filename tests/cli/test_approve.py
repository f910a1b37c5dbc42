import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time

import pytest

TOOLS = '''
from pathlib import Path
from tao import tool

@tool(effects=("writes",))
def pay(to: str, amount: int) -> str:
    """Pay somebody."""
    with Path("paid.txt").open("a") as file:
        file.write(f"{to} {amount}\\n")
    return f"paid {amount} to {to}"
'''
PAYS = 'Thought: I pay.\nAction: pay\nAction Input: {"to": "Bob", "amount": "5"}'
DONE = "Thought: done.\nFinal Answer: It is paid."


@pytest.fixture
def home(tao, server):
    (tao.home / "pay.py").write_text(TOOLS)
    server.will(PAYS, DONE)
    return tao.home


def paid(home):
    file = home / "paid.txt"
    return file.read_text().splitlines() if file.exists() else []


@pytest.fixture
def paused(tao, home):
    """A run that waits; gives its id."""
    done = tao("ask", "pay Bob 5", "--tools", "pay.py", "--json")
    assert done.returncode == 4
    return json.loads(done.stdout.splitlines()[0])["run"]


class Screen:
    """The command at a terminal."""

    def __init__(self, tao, *args, **env):
        self.main, side = pty.openpty()
        command = [sys.executable, "-m", "tao", *args]
        self.process = subprocess.Popen(
            command, cwd=tao.home, env={**tao.env, "TERM": "xterm", **env}, stdin=side, stdout=side, stderr=side, start_new_session=True
        )
        os.close(side)
        self.text = ""

    def until(self, wanted, seconds=60):
        """Read until this text comes; what came before it and has not been read."""
        end = time.monotonic() + seconds
        while wanted not in self.text:
            assert time.monotonic() < end, self.text
            if select.select([self.main], [], [], 0.5)[0]:
                try:
                    self.text += os.read(self.main, 65536).decode(errors="replace")
                except OSError:
                    break
        before, _, self.text = self.text.partition(wanted)
        return before

    def type(self, text):
        os.write(self.main, f"{text}\n".encode())

    def end(self):
        rest = self.until("\0", 60) if self.process.poll() is None else self.text
        code = self.process.wait(60)
        os.close(self.main)
        return re.sub(r"\x1b\[[\d;?]*[a-zA-Z]", "", rest), code


def test_away_from_a_terminal_the_run_waits_and_says_how_to_go_on(tao, home):
    done = tao("ask", "pay Bob 5", "--tools", "pay.py")
    assert (done.returncode, paid(home)) == (4, [])
    assert "Note: waits for a person: pay may do more than look (writes)" in done.stdout
    run = re.search(r"tao approve (\w{8})", done.stderr)[1]
    for row in ("tool    │ pay (writes)", "why     │ pay may do more than look (writes)", 'to      │ "Bob"', "amount  │ 5", "read as │ amount: '5' → 5"):
        assert row in done.stderr
    listed = tao("approve", "--tools", "pay.py")
    assert run in listed.stdout
    assert 'to      │ "Bob"' in listed.stdout
    assert "Rule on it: tao approve RUN" in listed.stderr
    assert "waits" in tao("runs").stdout
    assert f"waits for a person: `tao approve {run}`" in tao("resume", run, "--tools", "pay.py").stderr


@pytest.mark.parametrize(("options", "did", "said"), [
    (["--yes"], ["Bob 5"], "Observation: paid 5 to Bob"),
    (["--edit", '{"to": "Bob", "amount": 2}'], ["Bob 2"], 'changed the arguments to {"to": "Bob", "amount": 2}'),
    (["--reject", "too much"], [], "a person rejected this call and said: too much"),
    (["--answer", "paid by hand"], [], "Observation: paid by hand"),
])  # fmt: skip
def test_a_ruling_is_recorded_and_the_run_goes_on(tao, home, paused, options, did, said):
    done = tao("approve", paused, *options, "--tools", "pay.py")
    assert said in done.stdout
    assert "Final Answer: It is paid." in done.stdout
    assert (done.returncode, paid(home)) == (0, did)
    again = tao("approve", paused, *options, "--tools", "pay.py")
    assert (again.returncode, paid(home)) == (1, did)
    assert "nothing waits in run" in again.stderr


def test_what_waits_is_listed_as_json(tao, home, server):
    assert (tao("approve", "--json", "--tools", "pay.py").stdout, tao("approve", "--json", "--tools", "pay.py").returncode) == ("", 0)
    first = json.loads(tao("ask", "pay Bob 5", "--tools", "pay.py", "--json").stdout.splitlines()[0])["run"]
    server.will(PAYS.replace("Bob", "小明"))
    second = json.loads(tao("ask", "给小明付 5", "--tools", "pay.py", "--json").stdout.splitlines()[0])["run"]
    done = tao("approve", "--json", "--tools", "pay.py")
    waits = {one["run"]: one for one in map(json.loads, done.stdout.splitlines())}
    assert (done.returncode, done.stderr, set(waits)) == (0, "", {first, second})
    shown = {name: value for name, value in waits[first].items() if name != "hash"}
    assert shown == {
        "run": first, "question": "pay Bob 5", "call": "1.1", "tool": "pay", "args": {"to": "Bob", "amount": 5},
        "reason": "pay may do more than look (writes)", "effects": ["writes"], "notes": ["amount: '5' → 5"],
    }  # fmt: skip
    assert "小明" in done.stdout
    one = tao("approve", first, "--json", "--tools", "pay.py")
    assert (one.returncode, json.loads(one.stdout), one.stderr) == (4, waits[first], "")
    assert tao("approve", first, "--yes", "--no-resume", "--hash", waits[first]["hash"], "--tools", "pay.py").returncode == 0


def test_it_can_be_recorded_only_and_expires(tao, home, paused):
    done = tao("approve", "--yes", "--no-resume", "--by", "Ann", "--expires", "1s", "--tools", "pay.py")
    assert (done.returncode, done.stdout, paid(home)) == (0, "", [])
    ruled = json.loads(tao("show", paused, "--json").stdout.splitlines()[-1])
    assert (ruled["kind"], ruled["verdict"], ruled["by"], ruled["run"]) == ("ruled", "approve", "Ann", paused)
    time.sleep(max(0.0, ruled["expires"] - time.time()) + 0.1)
    late = tao("resume", paused, "--tools", "pay.py")
    assert (late.returncode, paid(home)) == (4, [])
    assert "the ruling on this call has expired; pay may do more than look" in late.stdout


@pytest.mark.parametrize(("options", "said", "code"), [
    (["--yes", "--reject", "x"], "give one of --yes, --reject, --edit, --answer", 2),
    (["--edit", "[1]"], "wanted: a JSON object with a name for each", 2),
    (["--edit", '{"to": "Bob", "amount": "many"}'], "the edited arguments do not fit", 1),
    (["--yes", "--expires", "soon"], "a time of 'soon'; wanted: as in 90s, 10m, 2h or 1d", 2),
    (["--yes", "--call", "9.9"], "nothing waits in run", 1),
    (["--yes", "--hash", "0" * 16], "is not what was shown any more", 1),
])  # fmt: skip
def test_what_makes_no_sense_is_refused_and_nothing_runs(tao, home, paused, options, said, code):
    done = tao("approve", paused, *options, "--tools", "pay.py")
    assert said in done.stderr
    assert (done.returncode, paid(home)) == (code, [])
    assert tao("approve", paused, "--yes", "--tools", "pay.py").returncode == 0


def test_without_its_tool_nothing_is_ruled_on_and_the_run_still_waits(tao, home, paused):
    for command, lang, said in (
        (("approve", paused, "--yes"), "C.UTF-8", f"run {paused[:8]} has calls to do of tools that are not here: pay. Give them as when it was asked (--tools"),
        (("approve", paused, "--yes"), "zh_CN.UTF-8", f"运行 {paused[:8]} 待执行的调用所需的工具不在这里：pay。请像提问时那样给出"),
    ):
        refused = tao(*command, LANG=lang)
        assert (refused.returncode, said in refused.stderr, paid(home)) == (2, True, [])
    assert "│ pay (writes)" in tao("approve").stdout
    assert tao("approve", paused, "--yes", "--no-resume", "--tools", "pay.py").returncode == 0
    refused = tao("resume", paused)
    assert (refused.returncode, "tools that are not here: pay" in refused.stderr) == (2, True)
    assert tao("resume", paused, "--tools", "pay.py").returncode == 0
    assert paid(home) == ["Bob 5"]


def test_what_is_said_to_type_next_is_enough(tao, home, server):
    said = tao("ask", "pay Bob 5", "--tools", "pay.py", "--offer", "calendar").stderr
    (command,) = re.findall(r"Go on with: tao (approve .*)", said)
    assert "--tools pay.py" in command
    assert "--offer calendar" in command
    assert tao(*command.split(), "--yes").returncode == 0
    assert paid(home) == ["Bob 5"]


def test_of_two_waiting_calls_the_other_is_still_listed_after_a_ruling(tao, home, server):
    server.will('[{"name": "pay", "arguments": {"to": "Bob", "amount": 5}}, {"name": "pay", "arguments": {"to": "Eve", "amount": 7}}]', DONE)
    assert tao("ask", "pay both", "--tools", "pay.py").returncode == 4
    assert tao("approve", "--call", "1.1", "--reject", "no", "--no-resume", "--tools", "pay.py").returncode == 0
    listed = tao("approve", "--tools", "pay.py").stdout
    assert ('"Eve"' in listed, '"Bob"' in listed) == (True, False)
    assert tao("approve", "--yes", "--tools", "pay.py").returncode == 0
    assert paid(home) == ["Eve 7"]


def test_rules_come_from_tao_toml(tao, home, server):
    (home / "tao.toml").write_text('[[permissions.rules]]\nallow = ["pay"]\nwhere.amount = {at_most = 5}\n[[permissions.rules]]\ndeny = "pay"\nwhere.to = {one_of = ["Eve"]}\n')
    assert tao("ask", "pay Bob 5", "--tools", "pay.py").returncode == 0
    assert paid(home) == ["Bob 5"]
    server.will(PAYS.replace("Bob", "Eve"), DONE)
    done = tao("ask", "pay Eve 5", "--tools", "pay.py")
    assert "pay was not run: it is not permitted with these arguments" in done.stdout
    server.will(PAYS.replace('"5"', "6"), DONE)
    done = tao("ask", "pay Bob 6", "--tools", "pay.py")
    assert "it is allowed only where amount at_most=5" in done.stdout
    assert (done.returncode, paid(home)) == (4, ["Bob 5"])


# ── at a terminal ─────────────────────────────────────────────────────────────


ASKED = "[Enter] later\r\n? "


@pytest.mark.parametrize(("typed", "did", "said"), [
    ([(ASKED, "y")], ["Bob 5"], "paid 5 to Bob"),
    ([(ASKED, "n"), ("may be empty): ", "too much")], [], "said: too much"),
    ([(ASKED, "e"), ("as JSON: ", '{"to": "Bob", "amount": 1}')], ["Bob 1"], "paid 1 to Bob"),
    ([(ASKED, "e"), ("as JSON: ", "nonsense"), (ASKED, "y")], ["Bob 5"], "paid 5 to Bob"),
    ([(ASKED, "e"), ("as JSON: ", '{"to": 3}'), (ASKED, "y")], ["Bob 5"], "paid 5 to Bob"),
    ([(ASKED, "what?"), (ASKED, "y")], ["Bob 5"], "paid 5 to Bob"),
    ([(ASKED, "a"), ("result: ", "paid by hand")], [], "paid by hand"),
])  # fmt: skip
def test_a_person_is_asked(tao, home, typed, did, said):
    screen = Screen(tao, "ask", "pay Bob 5", "--tools", "pay.py")
    assert '"Bob"' in screen.until("[y] run it")
    for prompt, text in typed:
        screen.until(prompt)
        screen.type(text)
    rest, code = screen.end()
    assert said in rest
    assert "It is paid." in rest
    assert (code, paid(home)) == (0, did)


def test_later_leaves_it_waiting_and_approve_asks_again(tao, home):
    screen = Screen(tao, "ask", "pay Bob 5", "--tools", "pay.py")
    screen.until("? ")
    screen.type("")
    rest, code = screen.end()
    run = re.search(r"tao approve (\w{8})", rest)[1]
    assert (code, paid(home)) == (4, [])
    screen = Screen(tao, "approve", run, "--tools", "pay.py")
    screen.until("? ")
    screen.type("y")
    assert screen.end()[1] == 0
    assert paid(home) == ["Bob 5"]


def test_approve_asks_again_after_arguments_that_do_not_fit(tao, home, paused):
    screen = Screen(tao, "approve", paused, "--tools", "pay.py")
    for prompt, text in [("? ", "e"), ("as JSON: ", '{"to": "Bob", "amount": "much"}'), ("[y] run it", "e"), ("as JSON: ", '{"to": "Bob", "amount": 2}')]:
        screen.until(prompt)
        screen.type(text)
    assert screen.end()[1] == 0
    assert paid(home) == ["Bob 2"]


def test_ctrl_c_at_the_question_runs_nothing(tao, home):
    screen = Screen(tao, "ask", "pay Bob 5", "--tools", "pay.py")
    screen.until("? ")
    screen.process.send_signal(signal.SIGINT)
    assert screen.end()[1] == 130
    assert paid(home) == []


FORGED = "x\x1b[2K\x1b[1A\r? y\n  tool │ look (reads)\u202egnp.exe\u2028[y] run it" + " " * 150 + "tool │ harmless"


def test_arguments_cannot_pose_as_the_question(tao, home, server):
    server.will(f'Thought: \x1b[8mhidden\u202e.\nAction: pay\nAction Input: {json.dumps({"to": FORGED, "amount": 5})}', DONE)
    screen = Screen(tao, "ask", "pay", "--tools", "pay.py", COLUMNS="80")
    before = screen.until("This waits for you:")
    shown = screen.until("[y] run it  [n] reject")
    screen.type("")
    screen.end()
    for char in ("\x1b[8m", "\u202e", "\u2028"):
        assert char not in before + shown
    assert "\x1b[2K" not in shown
    assert "\x1b[1A" not in shown
    assert r"\u001b[2K" in shown
    rows = [re.sub(r"\x1b\[[\d;]*m", "", row) for row in shown.replace("\r", "").split("\n")]
    assert all(not row.strip() or " │ " in row[:16] for row in rows)
    assert sum(row.startswith("  tool ") for row in rows) == 1
