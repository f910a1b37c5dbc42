"""The tree of what can go wrong and is not a bug."""

from tao import errors
from tao.errors import AgentError, ModelError, Pause, Refused, ToolError, ToolsUnsupported, Transient, both, unread


def test_what_an_operator_can_mend_and_what_the_model_can():
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, Exception)]
    for kind in kinds:
        assert (issubclass(kind, AgentError), issubclass(kind, ToolError), kind is Pause).count(True) == 1
        assert kind.__name__ in errors.__doc__
        assert kind.__doc__
    assert issubclass(ToolsUnsupported, Refused)
    assert issubclass(Refused, ModelError)


def test_what_errors_carry():
    assert (str(Transient("busy", 3.5)), Transient("busy", 3.5).retry_after, Transient("busy").retry_after) == ("busy", 3.5, None)
    pause = Pause("approve?", "1.1")
    assert (str(pause), pause.reason, pause.call_id, Pause("x").call_id) == ("approve?", "approve?", "1.1", None)


def test_a_text_for_people_whose_language_is_not_known():
    assert both("It is full.", "已满。") == "It is full.\n已满。"


def test_why_a_file_cannot_be_read_is_said_in_both_languages(tmp_path):
    (tmp_path / "latin").write_bytes(b"\xff\xfe\xfa")
    told = []
    for path in (tmp_path / "nowhere", tmp_path, tmp_path / "latin", tmp_path / "latin" / "below", tmp_path / ("n" * 300)):
        try:
            path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            told.append(unread(error))
    assert [english for english, _ in told] == ["No such file or directory", "Is a directory", "it is not UTF-8 text", "Not a directory", "File name too long"]
    assert [chinese for _, chinese in told] == ["没有这个文件或目录", "这是一个目录", "不是 UTF-8 文本", "路径中有一部分不是目录", "文件名过长"]
    assert unread(OSError("odd")) == ("odd", "odd")
    assert unread(ValueError("no JSON")) == ("no JSON", "no JSON")
