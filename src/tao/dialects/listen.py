"""Reading a reply while it comes in."""

from collections.abc import Sequence

from tao.dialects.read import read
from tao.events import Decided
from tao.messages import ToolSpec
from tao.seams import Delta


class Listening:
    """Reads a growing reply; says only what is certain. `close` gives what the end of the reply makes certain."""

    def __init__(self, tools: Sequence[ToolSpec] = (), *, lang: str = "en") -> None:
        self.tools = tools
        self.lang = lang
        self.text = ""
        self.stop = False
        self.shown = ""

    def feed(self, text: str) -> list[Delta]:
        """Take the next piece of text; return what is now certain."""
        self.text += text
        return []

    def close(self) -> list[Delta]:
        """The reply is over: the rest of the answer."""
        read_whole = read(self.text, self.tools, lang=self.lang)
        if isinstance(read_whole, Decided) and read_whole.answer is not None and read_whole.answer.startswith(self.shown):
            return [Delta("answer", read_whole.answer[len(self.shown) :])]
        return []
