import string

import pytest

from tao.policies.texts import EN, ZH, say


def test_both_languages_say_the_same_things_about_the_same_values():
    assert list(EN) == list(ZH)

    def fields(text):
        return {name for _, name, _, _ in string.Formatter().parse(text) if name}

    assert {key: fields(text) for key, text in EN.items()} == {key: fields(text) for key, text in ZH.items()}
    assert all(EN.values())
    assert all(ZH.values())


def test_what_is_said():
    assert say("en", "uncovered.lead", name="Blue Harbour") == "I still need Blue Harbour."
    assert say("zh", "uncovered.lead", name="蓝港") == "还要查蓝港。"
    assert say("fr", "no_answer") == EN["no_answer"]
    with pytest.raises(KeyError):
        say("en", "nothing of the kind")
