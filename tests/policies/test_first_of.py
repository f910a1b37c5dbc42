from tao.events import Ended, Nudged
from tao.policies.first_of import first_of
from tao.testing import history, no_policy


def test_the_first_that_speaks_is_heard_and_the_rest_are_not_asked():
    asked = []

    def says(verdict):
        def policy(run):
            asked.append(verdict)
            return verdict

        return policy

    nudge, end = Nudged("x", "y"), Ended("z")
    assert first_of(no_policy, says(nudge), says(end))(history("q")) is nudge
    assert asked == [nudge]
    assert first_of(says(end), says(nudge))(history("q")) is end
    assert first_of(no_policy, no_policy)(history("q")) is None
    assert first_of()(history("q")) is None
