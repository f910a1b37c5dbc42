"""What a person should know about an answer that a limit cut short, and the names of the limits. Pure, in the run's language."""

from collections.abc import Callable

from tao.facts import missing
from tao.policies.texts import say
from tao.policies.verify import refuses, ungrounded, unmentioned
from tao.run import Run

LIMITS: dict[str, tuple[str, str]] = {
    "max_steps": ("steps", "步数"),
    "max_model_calls": ("model calls", "模型调用次数"),
    "max_tool_calls": ("tool calls", "工具调用次数"),
    "max_tokens": ("tokens", "词元"),
    "max_prompt_tokens": ("prompt tokens", "提示词元"),
    "max_completion_tokens": ("completion tokens", "输出词元"),
    "max_reasoning_tokens": ("reasoning tokens", "思考词元"),
    "max_cached_tokens": ("cached tokens", "缓存词元"),
    "max_cost": ("money", "费用"),
    "deadline": ("time", "时间"),
}
"""By the reason of an end: what was used up."""
CAUSES: dict[str, tuple[str, str]] = {
    "loop": ("Stopped because the run went in circles", "运行在原地打转，已停止"),
    "tool_failures": ("Stopped because the tools kept failing", "工具一再失败，已停止"),
    "cancelled": ("Cancelled", "已取消"),
}
"""By the reason of an end that used up nothing: what happened."""


def uncertain(run: Run, answer: str, reason: str) -> str:
    """Why the run stopped, and what of its answer was not confirmed: names that were not found, values from nowhere, calls that failed."""
    chinese = run.asked.lang == "zh"
    english_name, chinese_name = LIMITS.get(reason, (reason, reason))
    english, other = CAUSES.get(reason, (f"Stopped at the limit of {english_name}", f"{chinese_name}已到上限"))
    doubts = _doubts(run, answer)
    if chinese:
        return f"{other}，这是目前最好的答案。" + (f"不确定之处：{'；'.join(doubts)}。" if doubts else "没有再做核对。")
    return f"{english}; this is the best answer so far." + (f" Not certain: {'; '.join(doubts)}." if doubts else " It was not checked any further.")


def nothing(run: Run, reason: str) -> str:
    """What a person is told who gets no answer: what happened, where it was no limit, and that there is none."""
    chinese = run.asked.lang == "zh"
    cause = CAUSES.get(reason, ("", ""))[chinese]
    return f"{cause}{'。' if chinese else '. '}{say(run.asked.lang, 'no_answer')}" if cause else say(run.asked.lang, "no_answer")


def _doubts(run: Run, answer: str) -> list[str]:
    told: Callable[[str, str], str] = lambda english, chinese: chinese if run.asked.lang == "zh" else english  # noqa: E731
    found: list[str] = []
    if not refuses(answer) and run.asked.tools:
        names = dict.fromkeys([*missing(run), *(unmentioned(run, answer) or {}).values()])
        found += [told(f"nothing was found about {name}", f"没有找到关于{name}的信息") for name in names]
        value = (ungrounded(run, answer) or {}).get("value")
        found += [told(f"{value} stands in no observation", f"{value} 不在任何观察结果里")] if value else []
    good = {call.tool for call, seen in run.observed if seen.ok}
    failed = dict.fromkeys(call.tool for call, seen in run.observed if not seen.ok and call.tool not in good)
    found += [told(f"{tool} did not work", f"{tool} 没有成功") for tool in failed]
    return found
