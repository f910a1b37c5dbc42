"""Files of tasks."""

import pytest

from tao.errors import ConfigError
from tao.evaluation.tasks import digest, load_tasks


def write(tmp_path, text):
    path = tmp_path / "tasks.jsonl"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_task_a_line(tmp_path):
    path = write(tmp_path, '\ufeff{"question": "问？", "answer": ["a", 2]}\n\n{"id": 7, "question": "q", "grader": {"type": "number", "tolerance": 1}, "more": 1}\n')
    first, second = load_tasks(path)
    assert (first.id, first.question, first.wanted, first.grader) == ("1", "问？", ("a", "2"), "exact")
    assert (second.id, second.grader, second.options, second.record["more"]) == ("7", "number", {"tolerance": 1}, 1)


@pytest.mark.parametrize(("text", "said"), [
    ("", "there is no task in"), ("{}\n", ":1 is no task: `question` is None"), ('{"question": ""}', "`question` is '', not a text"), ("[1]", r":1 is no task: it is \[1\], not an object"),
    ('{"question": "q", "grader": 3}', "`grader` is 3, neither a name"), ('{"question": "q", "grader": {}}', "`grader` is {}, neither"),
    ('{"id": "a", "question": "q"}\n{"id": "a", "question": "r"}', "several tasks have the id a"), ('{"question": "q"}\n{"qu', ":2 is no task: it is not JSON, from column 2 on"),
    ("[" * 100_000, ":1 is no task: it is not JSON"),
])  # fmt: skip
def test_what_is_no_task_is_said(tmp_path, text, said):
    with pytest.raises(ConfigError, match=said):
        load_tasks(write(tmp_path, text))
    with pytest.raises(ConfigError, match=r"[\u4e00-\u9fff]"):
        load_tasks(write(tmp_path, text))
    with pytest.raises(ConfigError, match="cannot read the tasks in"):
        load_tasks(tmp_path / "nowhere.jsonl")


def test_null_is_as_good_as_nothing(tmp_path):
    first, second = load_tasks(write(tmp_path, '{"id": null, "question": "q", "answer": "a", "kind": null, "grader": null}\r\n' * 2))
    assert (first.id, second.id, first.kind, first.grader) == ("1", "2", "", "exact")


def test_the_digest_does_not_mind_the_order(tmp_path):
    lines = ['{"id": "a", "question": "q"}', '{"id": "b", "question": "r"}']
    one, other = load_tasks(write(tmp_path, "\n".join(lines))), load_tasks(write(tmp_path, "\n".join(reversed(lines))))
    changed = load_tasks(write(tmp_path, lines[0].replace("q}", "x}").replace('"q"', '"z"') + "\n" + lines[1]))
    assert digest(one) == digest(other) != digest(changed)
