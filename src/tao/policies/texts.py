"""What policies say, per language. `say(lang, key, **values)`."""

EN = {
    "wrap_up": "This is the last step: no tool is left. Give the best answer that the observations allow, and say what is uncertain.",
    "wrap_up.lead": "I have to answer now.",
    "repeated": "You already made this call; its observation stands above. Answer, or try something else.",
    "repeated.lead": "I already have that.",
    "nothing_new": "{tool} gave the same again. Answer, or use another tool.",
    "nothing_new.lead": "{tool} does not help here.",
    "unsearched": "Nothing was looked up yet. Use a tool before saying that it cannot be found.",
    "unsearched.lead": "I should look it up first.",
    "uncovered": "The question also asks about {name}, and nothing was looked up about it yet.",
    "uncovered.lead": "I still need {name}.",
    "uncompared": "The question asks about {first} and {second} together. Calculate with both numbers, with a tool.",
    "uncompared.lead": "I have to calculate with both numbers.",
    "overlooked": "The last result is {result}, and the answer says something else. Answer with the result.",
    "overlooked.lead": "The result is {result}.",
    "slipped": "You meant to work out {expression} and did another sum. Work it out with a tool.",
    "slipped.lead": "I have to work out {expression}.",
    "unused": "The question also says {number}; work out the answer with it, with a tool.",
    "unused.lead": "Now I have to calculate with {number}.",
    "ungrounded": "{value} stands in no observation and follows from no calculation. Work it out with a tool, not in your head.",
    "ungrounded.lead": "I have to work this out with a tool.",
    "lost": "Nothing about {name} was found. Say so.",
    "lost.lead": "Nothing about {name} was found.",
    "unmentioned": "No observation says anything about {name}. Look with other words, or say that it was not found.",
    "unmentioned.lead": "No observation mentions {name}.",
    "reflect": "Before you go on, look back. The question is: {goal} (a) Did the last action bring you closer? (b) Is what you are after still what the question asks? "
    "(c) Is there a shorter way? Then take the next step, or answer if you can.",
    "reflect.failed": "The last call failed. Before you go on, look back. The question is: {goal} (a) Why did it fail, and would it help if it worked? "
    "(b) Is what you are after still what the question asks? (c) Is there another, shorter way? Then take the next step, or answer if you can.",
    "stands": "Objections that stand: {objections}",
    "no_answer": "No answer was found within the limits that were set.",
}

ZH = {
    "wrap_up": "这是最后一步，不能再用工具。根据已有的观察结果给出最好的答案，并说明哪里不确定。",
    "wrap_up.lead": "现在必须回答了。",
    "repeated": "这个调用已经做过，结果就在上面。请直接回答，或者换一种做法。",
    "repeated.lead": "这个已经查过了。",
    "nothing_new": "{tool} 给出的还是同样的结果。请直接回答，或者换一个工具。",
    "nothing_new.lead": "{tool} 帮不上忙。",
    "unsearched": "还没有查过任何东西。先用工具查，再说找不到。",
    "unsearched.lead": "应该先用工具查一下。",
    "uncovered": "问题还问到{name}，但还没有查过。",
    "uncovered.lead": "还要查{name}。",
    "uncompared": "问题把{first}和{second}放在一起问，请用工具把两个数都算进去。",
    "uncompared.lead": "要用这两个数来计算。",
    "overlooked": "最后的结果是{result}，回答里却是别的。请按结果回答。",
    "overlooked.lead": "结果是{result}。",
    "slipped": "本来要算{expression}，实际算的却是别的。请用工具算出它。",
    "slipped.lead": "要算的是{expression}。",
    "unused": "问题里还有{number}，请用工具把它算进去。",
    "unused.lead": "现在要用{number}来计算。",
    "ungrounded": "{value} 不在任何观察结果里，也不是算出来的。请用工具计算，不要心算。",
    "ungrounded.lead": "这个要用工具来算。",
    "lost": "没有找到关于{name}的任何信息，请如实说明。",
    "lost.lead": "没有找到关于{name}的信息。",
    "unmentioned": "没有任何观察结果提到{name}。换个说法再查，或者说明没有找到。",
    "unmentioned.lead": "没有任何结果提到{name}。",
    "reflect": "继续之前先回顾一下。问题是：{goal} （一）上一步有没有用？（二）现在追求的是否仍是问题所问？（三）有没有更短的路？想清楚后再走下一步，能回答就直接回答。",
    "reflect.failed": "上一次调用失败了。继续之前先回顾一下。问题是：{goal} （一）为什么失败，成功了又是否有用？（二）现在追求的是否仍是问题所问？"
    "（三）有没有别的、更短的路？想清楚后再走下一步，能回答就直接回答。",
    "stands": "仍有异议：{objections}",
    "no_answer": "在设定的限度内没有得到答案。",
}


def say(lang: str, key: str, **values: object) -> str:
    """The text in that language, English where there is no such table."""
    return (ZH if lang == "zh" else EN)[key].format(**values)
