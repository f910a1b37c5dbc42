"""A server that takes no structured tools is a reply that says so, and the run goes on as text."""

from tao.errors import ToolsUnsupported
from tao.messages import Reply, Request
from tao.run import NO_TOOLS
from tao.seams import Hear, Model


def without_tools(model: Model) -> Model:
    """Where the server refuses the tools of a request, an empty reply whose `finish` is "no_tools" (see dialects/auto.py)."""

    async def answer(request: Request, hear: Hear | None = None) -> Reply:
        try:
            return await model(request, hear)
        except ToolsUnsupported:
            return Reply("", finish=NO_TOOLS)

    return answer
