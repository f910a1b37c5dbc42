"""Finding labels."""

import pytest

from tao.dialects.labels import fences, label_at, next_label, outside_fences, residue, unveiled


@pytest.mark.parametrize(
    ("line", "kind", "value"),
    [
        ("Thought: x", "thought", " x"),
        ("  - **Action 2:** x", "action", " x"),
        ("**Action: x**", "action", " x**"),
        ("ACTION_INPUT：x", "input", "x"),
        ("Action Arguments: x", "input", " x"),
        ("行动参数：x", "input", "x"),
        ("### Final Answer", "final", ""),
        ("**Answer**", "final", ""),
        ("【最终答案】x", "final", "x"),
        ("[Thought] x", "thought", " x"),
        ("最后的回应: x", "final", " x"),
        ("2) Observation 3: x", "observation", " x"),
        ("> Question: x", "question", " x"),
        ("🤔 思考：x", "thought", "x"),
        ("`Action`: x", "action", " x"),
        ("Thought: Thought: x", "thought", " x"),
        ("Thought: Action: x", "action", " x"),
        ("Action: Final Answer: x", "final", " x"),
        ("Action Intention: x", None, None),
        ("Actions: x", None, None),
        ("Answer", None, None),
        ("Final Answer", None, None),
        ("The Action: x", None, None),
        ('"Action": x', None, None),
        ("Answers: x", None, None),
        ("行动起来：x", None, None),
    ],
)
def test_a_label_at_the_start_of_a_line(line, kind, value):
    label = label_at(line, 0)
    assert (label.kind if label else None) == kind
    assert (line[label.value :] if label else None) == value


def test_a_bold_mark_that_goes_on_behind_the_label():
    assert label_at("**Action: x**", 0).bold
    assert not label_at("**Action:** x", 0).bold
    assert not label_at("Action: **x**", 0).bold


def test_labels_in_fences_do_not_count():
    text = "Final Answer: a\n```\nAction: b\n```\nAction: c\n~~~\nAction: d"
    assert [text[label.value :][:2] for label in outside_fences(text, 3)] == [" c"]
    assert next_label(text, 3).kind == "action"
    assert [text[a:b][:3] for a, b in fences(text, 3)] == ["```", "~~~"]


@pytest.mark.parametrize(
    ("text", "rest"), [("x\nObs", "x"), ("x\n**Observation", "x"), ("x\nob", "x\nob"), ("x\nObscure", "x\nObscure"), ("Obs", "Obs")]
)
def test_residue_of_a_stop_word(text, rest):
    assert (residue(text) or text) == rest


def test_zero_width_characters_leave_labels_and_stay_in_values():
    assert unveiled("Fi\u200bnal Answer: a\u200bb\nx\u200b") == "Final Answer: a\u200bb\nx\u200b"


@pytest.mark.parametrize("blank", [" ", "\n", "\u3000"])
def test_a_label_stands_doubled_behind_some_white_space_but_not_behind_any_amount(blank):
    near, far = (f"Final Answer:{blank * count}Final Answer: 7" for count in (100, 5000))
    assert near[label_at(near, 0).value :].strip() == "7"
    assert far[label_at(far, 0).value :].strip() == "Final Answer: 7"
