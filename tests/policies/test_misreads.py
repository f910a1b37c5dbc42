from tao.events import Decided, Ended, Misread, Nudged, Replied
from tao.messages import Reply
from tao.policies.misreads import misreads
from tao.run import NO_TOOLS
from tao.testing import history

BAD = (Replied(Reply("?")), Misread("no_step"))


def test_twice_as_many_as_change_the_dialect_end_the_run():
    assert misreads()(history("q", *BAD * 3)) is None
    assert misreads()(history("q", *BAD * 4)).reason == "misreads"
    assert misreads(1)(history("q", *BAD * 2)).reason == "misreads"
    assert misreads()(history("q", *BAD * 3, Replied(Reply("x")), Decided("x"), *BAD)) is None
    assert misreads()(history("q", Replied(Reply("", finish=NO_TOOLS)), Misread(NO_TOOLS), *BAD * 3)) is None


def test_it_ends_with_the_best_answer_and_says_so_in_the_runs_language():
    given = (Replied(Reply("4")), Decided(answer="4"), Nudged("no", "verify"))
    assert misreads()(history("q", *given, *BAD * 4, lang="zh")) == Ended("misreads", "4", "在设定的限度内没有得到答案。")
