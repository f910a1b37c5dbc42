"""Chinese prompt texts."""

TEXTS: dict[str, str] = {
    "task": """\
回答问题。一步一步来：先思考，再用一个工具，看它的结果，直到知道答案为止。

工具：
{tools}

{form}

Final Answer 不是工具。事实、日期和数字来自观察结果，计算用工具，不要心算。\
常识问题不用工具，直接回答。如果工具查不到，就说没有找到。日期写成 YYYY-MM-DD。""",
    "task.brief": """\
工具：
{tools}

{form}""",
    "no_tools": "（无）",
    "react.form": """\
每一步按这个格式写：
Thought: 下一步需要什么
Action: 一个工具的名字
Action Input: 参数，写成 JSON
结果（Observation）会给你，不要自己写。知道答案以后写：
Thought: 我知道答案了
Final Answer: 问题的答案""",
    "json.form": """\
每一步按这个格式写：
Thought: 下一步需要什么
Action: {"tool": "一个工具的名字", "args": {它的参数}}
结果（Observation）会给你，不要自己写。知道答案以后写：
Thought: 我知道答案了
Final Answer: 问题的答案""",
    "object.form": """\
每一步只写一个 JSON 对象，不写别的：
{"thought": "下一步需要什么", "tool": "一个工具的名字", "args": {它的参数}}
结果（Observation）会给你，不要自己写。知道答案以后写：
{"thought": "我知道答案了", "tool": "Final Answer", "args": {"answer": "问题的答案"}}""",
    "bracket.form": """\
每一步按这个格式写：
Thought: 下一步需要什么
Action: 工具名[参数，或者写成一个 JSON 对象的全部参数]
结果（Observation）会给你，不要自己写。知道答案以后写：
Thought: 我知道答案了
Final Answer: 问题的答案""",
    "native": """\
借助工具回答问题。事实、日期和数字来自工具，不要凭记忆。如果工具查不到，就说没有找到。""",
    "output": "最终答案必须是符合以下模式的 JSON，前后不要写任何别的内容：{schema}",
    "output.native": "请调用 {name} 给出最终答案。",
    "output.call": "给出最终答案并结束任务。知道答案后，只调用这一个函数。",
    "native.form": "请通过函数接口调用工具，或者用普通文字直接回答。",
    "lacking": "还要查{name}。",
    "unguessed": "用工具来算。",
    "observation": "Observation: ",
    "begin": "问题：",
    "note": "备注：",
}
