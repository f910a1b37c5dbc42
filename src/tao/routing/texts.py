"""What triage says to a model, per language: how to sort a question, and how to answer one directly."""

NEED_TOOLS = "NEED_TOOLS"
"""What a model writes, in any language, where a direct answer will not do."""

EN = {
    "sort": """\
Sort the user's message. Do not answer it.
A: a good answer needs nothing but general knowledge and language: greetings, definitions, well-known facts, translation, writing, explaining.
B: something has to be looked up, worked out or done first: today's date, the weather or other news, an uncommon fact, somebody's own data, an \
order, a number to calculate, sending or changing something.
C: like B, but in several steps that build on each other, or about several things.
{tools}
Examples:
What is the capital of Italy? → A
How many days from today until 2031-05-02? → B
Write a short thank-you note to a colleague. → A
Is parcel K77120 on its way? → B
How high is Mount Torvin? → B
Why is the sky blue? → A
Which of the two lakes Orm and Vessel is deeper, and by how many metres? → C

Reply with one letter: A, B or C.""",
    "sort.tools": "Tools that could be used: {tools}",
    "ask": "Message: {question}\nA, B or C?",
    "direct": f"""\
Answer the user's message directly and to the point.{{tools}}
If a good answer needs a fact that you are not sure of, anything about today or the present, somebody's own data, a calculation, or an \
action, do not guess: write {NEED_TOOLS} and nothing else.""",
    "direct.tools": " You cannot use tools now; on request there are: {tools}.",
}

ZH = {
    "sort": """\
给用户的消息分类，不要回答它。
A：只凭常识和语言能力就能答好：问候、定义、众所周知的事实、翻译、写作、解释。
B：要先查、先算或先做点什么：今天的日期、天气等新近信息、不常见的事实、某人自己的数据、订单、需要计算的数、发送或修改东西。
C：同 B，但要分几步、后一步用到前一步的结果，或涉及几样东西。
{tools}
例子：
意大利的首都是哪里？ → A
从今天到2031年5月2日还有多少天？ → B
给同事写一段简短的感谢话。 → A
包裹K77120发出了吗？ → B
托尔文山有多高？ → B
天空为什么是蓝色的？ → A
奥姆湖和韦瑟湖哪个更深，深多少米？ → C

只回复一个字母：A、B 或 C。""",
    "sort.tools": "可以使用的工具：{tools}",
    "ask": "消息：{question}\nA、B 还是 C？",
    "direct": f"""\
请直接、切题地回答用户的消息。{{tools}}
如果要答好还需要你没有把握的事实、与今天或当前有关的信息、某人自己的数据、计算或操作，不要猜测：只写 {NEED_TOOLS}，不写别的。""",
    "direct.tools": "现在不能使用工具；需要时可以申请使用：{tools}。",
}


def say(lang: str, key: str, **values: object) -> str:
    """The text in that language, English where there is no such table."""
    return (ZH if lang == "zh" else EN)[key].format(**values)
