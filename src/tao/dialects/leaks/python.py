"""Calls written as Python: `[f(a=1), g()]`, `f(a=1)`, `print(api.f(a=1))`, `f.call(a=1)`."""


from tao.dialects.clean import SPACE
from tao.dialects.forms import Listed, listed
from tao.dialects.later import later
from tao.dialects.leaks.tags import Found
from tao.dialects.wishes import Fails, Wish

CALL = later(r"(?P<print>print[ \t]*\([ \t]*)?(?P<name>[A-Za-z_\u4e00-\u9fff][\w.\-]{0,120}+)[ \t]{0,4}\(")
LIST = later(r"\[\s{0,20}(?=[A-Za-z_\u4e00-\u9fff][\w.\-]{0,120}[ \t]{0,4}\()")
MAX_CALLS = 64
"""So many calls are read in one reply."""
_ASSIGN = later(r"[A-Za-z_]\w{0,60}[ \t]{0,9}=[ \t]{0,9}(?=[A-Za-z_\u4e00-\u9fff])")


def call(text: str, start: int, limit: int | None = None) -> Found | Fails | None:
    """One call at `start`; None where no call stands there."""
    if assigned := _ASSIGN.match(text, start):
        start = assigned.end()
    found = CALL.match(text, start)
    if found is None:
        return None
    arguments = listed(text, found.end() - 1, limit)
    name = found["name"].removesuffix(".call")
    if not isinstance(arguments, Listed) or not arguments.literal or not arguments.whole:
        kind = arguments.kind if not isinstance(arguments, Listed) else "damaged"
        return Fails("truncated" if kind == "truncated" else "bad_json", text[start:], name)
    end = arguments.end
    if found["print"] and text[end : end + 1] == ")":
        end += 1
    return Found(Wish(name, arguments, "list"), end)


def calls(text: str, start: int, limit: int | None = None) -> tuple[list[Wish], int] | Fails | None:
    """A list of calls in brackets, or calls one after the other."""
    at = start
    opened = LIST.match(text, at)
    if opened:
        at = opened.end()
    wishes: list[Wish] = []
    while len(wishes) < MAX_CALLS:
        while at < (len(text) if limit is None else limit) and text[at] in SPACE + ",;":
            at += 1
        if opened and text[at : at + 1] == "]":
            return wishes, at + 1
        found = call(text, at, limit)
        if isinstance(found, Fails):
            return found
        if found is None:
            break
        wishes.append(found.wish)
        at = found.end
    if opened:
        return Fails("truncated", text[start:]) if at >= (len(text) if limit is None else limit) else None
    return (wishes, at) if wishes else None
