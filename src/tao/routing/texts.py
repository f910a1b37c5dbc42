"""What triage says to a model, per language: how to sort a question, and how to answer one directly.

A small model sorts by examples that are put to it as turns of a conversation, and hardly by rules: with the same cases as lettered
rules it answered each letter with a probability of about a third.
"""

NEED_TOOLS = "NEED_TOOLS"
"""What a model writes, in any language, where a direct answer will not do."""

EN = {
    "sort": """\
Reply with one word. known: everybody who went to school knows it, or it needs only language skills. search: it must be looked up, \
because it is about a little-known place, person or thing, private, or recent.""",
    "direct": f"""\
Answer the user's message directly and to the point.{{tools}}
If a good answer needs a fact that you are not sure of, anything about today or the present, somebody's own data, a calculation, or an \
action, do not guess: write {NEED_TOOLS} and nothing else.""",
    "direct.tools": " You cannot use tools now; on request there are: {tools}.",
}

ZH = {
    "sort": "只回复一个词。known：上过学的人都知道，或只需要语言能力。search：需要查找，因为涉及不出名的地点、人物或事物，或私人、近期的信息。",
    "direct": f"""\
请直接、切题地回答用户的消息。{{tools}}
如果要答好还需要你没有把握的事实、与今天或当前有关的信息、某人自己的数据、计算或操作，不要猜测：只写 {NEED_TOOLS}，不写别的。""",
    "direct.tools": "现在不能使用工具；需要时可以申请使用：{tools}。",
}

EXAMPLES: dict[str, tuple[tuple[str, str], ...]] = {
    "en": (
        ("Which ocean lies between Europe and America?", "known"), ("How high is Mount Torvin?", "search"), ("Who painted the Mona Lisa?", "known"),
        ("Which university did Jon Arvel study at?", "search"), ("How many strings does a violin have?", "known"),
        ("When was the Corvin Library founded?", "search"), ("What is my brother's phone number?", "search"), ("Is silver heavier than water?", "known"),
    ),
    "zh": (
        ("欧洲和美洲之间是哪个大洋？", "known"), ("托尔文山有多高？", "search"), ("《西游记》的作者是谁？", "known"), ("林远在哪所大学读过书？", "search"),
        ("小提琴有几根弦？", "known"), ("长宁图书馆是哪年建成的？", "search"), ("我弟弟的电话是多少？", "search"), ("银比水重吗？", "known"),
    ),
}  # fmt: skip
"""Questions and their label, as many of each."""


def say(lang: str, key: str, **values: object) -> str:
    """The text in that language, English where there is no such table."""
    return (ZH if lang == "zh" else EN)[key].format(**values)
