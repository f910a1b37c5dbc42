"""English prompt texts."""

TEXTS: dict[str, str] = {
    "task": """\
Answer the question. Work in steps: think, use one tool, read its observation, and go on until you know the answer.

Tools:
{tools}

{form}

Final Answer is not a tool. Facts, dates and numbers come from observations, calculations from tools, not from your head. \
What everybody knows you answer at once, without a tool. If the tools do not know, say that it was not found. Write dates as YYYY-MM-DD.""",
    "task.brief": """\
Tools:
{tools}

{form}""",
    "no_tools": "(none)",
    "react.form": """\
Write each step in this form:
Thought: what you need next
Action: the name of one tool
Action Input: its arguments as JSON
The observation is given to you; never write it yourself. When you know the answer, write:
Thought: I know the answer
Final Answer: the answer to the question""",
    "json.form": """\
Write each step in this form:
Thought: what you need next
Action: {"tool": "the name of one tool", "args": {its arguments}}
The observation is given to you; never write it yourself. When you know the answer, write:
Thought: I know the answer
Final Answer: the answer to the question""",
    "object.form": """\
Write each step as one JSON object and nothing else:
{"thought": "what you need next", "tool": "the name of one tool", "args": {its arguments}}
The observation is given to you; never write it yourself. When you know the answer, write:
{"thought": "I know the answer", "tool": "Final Answer", "args": {"answer": "the answer to the question"}}""",
    "bracket.form": """\
Write each step in this form:
Thought: what you need next
Action: tool[its argument, or all its arguments as a JSON object]
The observation is given to you; never write it yourself. When you know the answer, write:
Thought: I know the answer
Final Answer: the answer to the question""",
    "native": """\
Answer the question with the help of the tools. Facts, dates and numbers come from tools, not from your head. \
If the tools do not know, say that it was not found.""",
    "output": "The final answer is JSON that fits this schema, without any words around it: {schema}",
    "output.native": "Give the final answer by calling {name}.",
    "output.call": "Gives the final answer and ends the task. Call it, alone, as soon as you know the answer.",
    "native.form": "Call a tool through the function interface, or answer in plain words.",
    "lacking": "I still need {name}.",
    "unguessed": "I work this out with a tool.",
    "observation": "Observation: ",
    "begin": "Question: ",
    "note": "Note: ",
}
