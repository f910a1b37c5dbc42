"""An action as one JSON object."""

import json

from hypothesis import given
from hypothesis import strategies as st

from tao.dialects.json_action import JsonAction
from tao.dialects.read import read
from tao.events import Decided
from tao.messages import Call, ToolSpec

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab中", min_size=1, max_size=3), inner, max_size=3), max_leaves=4,
)  # fmt: skip


@given(st.dictionaries(st.sampled_from(["what", "城市", "x y"]), VALUES, max_size=3), st.booleans())
def test_any_arguments_are_read_back(args, constrained):
    tool = ToolSpec("look up", "", {"type": "object", "properties": {key: {} for key in ("what", "城市", "x y")}})
    text = JsonAction(constrained).say(Decided("先查。", (Call("1.1", "look up", args),)))
    assert json.loads(text.partition("Action: ")[2]) == {"tool": "look up", "args": args}
    assert read(text, [tool]) == Decided("先查。", (Call("1.1", "look up", args),))
