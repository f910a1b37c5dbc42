"""The plain text ReAct agent that one writes by hand in an hour: what tao is measured against, with the same model and tools.

Thought / Action / Action Input in, regular expressions out, no grammar, no guard. It returns a tao Run only so that both are
counted in the same way.
"""

import inspect
import json
import re
from typing import Any

from tao.events import Asked, Decided, Ended, Misread, Replied
from tao.messages import Call, Message, Request
from tao.run import Run
from tao.seams import Model

PROMPT = """You answer questions by thinking and using tools. Available tools:
{tools}

Use this format:
Thought: think about what to do next
Action: the tool to use, one of [{names}]
Action Input: the tool's arguments as a JSON object
Observation: the result of the tool
... (Thought/Action/Action Input/Observation can repeat)
Thought: I now know the answer
Final Answer: the answer to the question"""


async def answer(task: dict[str, Any], model: Model, world: Any, max_steps: int) -> Run:
    """One question, at most `max_steps` replies."""
    tools = {function.__name__: function for function in world.tools()}
    listed = "\n".join(f"- {name}{inspect.signature(function)}: {inspect.getdoc(function)}" for name, function in tools.items())
    messages = [Message("system", PROMPT.format(tools=listed, names=", ".join(tools))), Message("user", f"Question: {task['question']}")]
    run = Run(task["id"], [Asked(task["question"], lang=task["lang"])])
    for step in range(1, max_steps + 1):
        reply = await model(Request(tuple(messages), stop=("\nObservation",), max_tokens=400, temperature=0.0))
        run.events.append(Replied(reply))
        if final := re.search(r"Final Answer:\s*(.*)", reply.text, re.DOTALL):
            run.events += [Decided(answer=final.group(1).strip()), Ended("answered", final.group(1).strip())]
            return run
        action = re.search(r"Action:\s*(.+?)\s*\nAction Input:\s*(\{.*?\})", reply.text, re.DOTALL)
        messages.append(Message("assistant", reply.text))
        if action is None:
            run.events.append(Misread("unreadable"))
            messages.append(Message("user", "Observation: Error: use the format: Thought, Action, Action Input"))
            continue
        try:
            name, args = action.group(1).strip(), json.loads(action.group(2))
            run.events.append(Decided(calls=(Call(f"{step}.1", name, args),)))
            observation = str(tools[name](**args))
        except Exception as error:  # noqa: BLE001 - whatever goes wrong is shown to the model
            run.events.append(Misread("failed", str(error)))
            observation = f"Error: {error!r}"
        messages.append(Message("user", f"Observation: {observation}"))
    run.events.append(Ended("max_steps"))
    return run
