"""What the figures are called, in English and Chinese: for the table on the screen and for the report."""

import re

from tao.policies.checks import BY as CHECK
from tao.policies.uncertain import LIMITS

CJK = re.compile("[\u3400-\u9fff]")

MEASURES: dict[str, tuple[str, str]] = {
    "kind": ("kind", "类别"),
    "all": ("all", "全部"),
    "tasks": ("tasks", "任务"),
    "right": ("right", "正确"),
    "rate": ("rate", "成功率"),
    "interval": ("95 % interval", "95% 区间"),
    "any": ("right in any", "至少一次正确"),
    "every": ("right in every", "每次都正确"),
    "calls": ("model calls", "模型调用"),
    "others": ("of them by another model", "其中由其他模型"),
    "acts": ("tool calls", "工具调用"),
    "prompt": ("prompt tokens", "提示词元"),
    "cached": ("of them cached", "其中缓存"),
    "completion": ("completion tokens", "生成词元"),
    "cost": ("cost, $", "费用（美元）"),
    "first_token": ("first token, s", "首词元（秒）"),
    "seconds": ("seconds", "用时（秒）"),
    "slow": ("95th percentile", "第 95 百分位"),
    "misreads": ("misread", "无法解析"),
    "coercions": ("mended", "修正"),
    "failed_acts": ("failed calls", "失败的调用"),
    "stopped": ("stopped", "达到限制"),
    "failed": ("failed", "出错"),
}
SHORT: dict[str, tuple[str, str]] = {
    "calls": ("calls", "模型"), "acts": ("tools", "工具"), "prompt": ("prompt", "提示"), "cached": ("cached", "缓存"),
    "completion": ("compl.", "生成"), "cost": ("$", "美元"), "first_token": ("first s", "首词元"), "seconds": ("s", "秒"),
    "misreads": ("misread", "误读"), "coercions": ("mended", "修正"), "stopped": ("stopped", "受限"), "failed": ("failed", "出错"),
}  # fmt: skip
"""For narrow columns."""
EFFECTS: dict[str, tuple[str, str]] = {
    "helped": ("helped", "有帮助"), "harmed": ("harmed", "有损害"), "nothing": ("made no difference", "无影响"),
    "unknown": ("cannot be told", "无法判断"),
}  # fmt: skip
POLICIES: dict[str, tuple[str, str]] = {
    "loop_guard": ("loop guard", "循环防护"),
    "empty_handed": ("nothing found", "一无所获"),
    "cascade": ("final answer by the large model", "最终答案由大模型给出"),
    "wrap_up": ("wrap-up before the last step", "最后一步前收尾"),
    "wrap_up:loop": ("wrap-up after going in circles", "原地打转后收尾"),
    "wrap_up:tool_failures": ("wrap-up after tools kept failing", "工具一再失败后收尾"),
    "unsearched": ("“not found” without a search", "未检索就说找不到"),
    "uncovered": ("one of several not looked up", "漏查其中一项"),
    "uncompared": ("two things not compared", "未比较两者"),
    "overlooked": ("last result overlooked", "忽略最后结果"),
    "unused": ("a quantity left out", "漏用数量"),
    "slipped": ("another sum than meant", "算的不是所想的"),
    "strayed": ("other numbers counted", "用错了数"),
    "unmentioned": ("subject never mentioned", "结果未提及主题"),
    "ungrounded": ("value from nowhere", "数值无依据"),
    "misreads": ("replies that cannot be read", "回复无法解析"),
    "reflect": ("look back", "回顾"),
    "judge": ("second opinion on the answer", "复核答案"),
    "output": ("answer against the schema", "答案与 Schema 不符"),
    "check:output": ("answer against the type's own rules", "答案不合类型自身的规则"),
}


ENDS: dict[str, tuple[str, str]] = {
    **{name: (f"limit of {english}", f"达到{chinese}上限") for name, (english, chinese) in LIMITS.items()},
    "loop": ("went in circles", "原地打转"), "tool_failures": ("the tools kept failing", "工具一再失败"), "cancelled": ("cancelled", "已取消"),
    "misreads": ("replies that cannot be read", "回复无法解析"), "refused": ("the model refused", "模型拒绝回答"), "failed": ("failed", "出错"),
    "invalid_output": ("the answer does not fit the schema", "答案不符合 Schema"), "paused": ("waits for a person", "等待人工处理"),
    "ungraded": ("not graded", "未评分"),
}  # fmt: skip
"""By the reason of an end other than an answer, or the state of a run that has not ended."""


def in_both(text: str) -> tuple[str, str]:
    """A text that may say the same in two lines (`tao.errors.both`), in English and Chinese; one in a single language is both."""
    english, line, chinese = text.partition("\n")
    return (english, chinese) if line and "\n" not in chinese and CJK.search(chinese) else (text, text)


def both_ways(table: dict[str, tuple[str, str]], name: str) -> tuple[str, str]:
    """A name in English and Chinese; as it is, where the table does not have it (a check of the user's own by its name)."""
    own = name.removeprefix(CHECK)
    return table.get(name, (own.replace("_", " "), own))


def figure(name: str, value: float | None) -> str:
    """A measure's value as it is shown; "" where it is not known."""
    if value is None:
        return ""
    if name == "cost":
        return f"{value:.6f}" if 0 < value < 0.001 else f"{value:.4f}" if value < 0.1 else f"{value:,.2f}"
    if name in {"prompt", "cached", "completion"}:
        return f"{value:,.0f}"
    if name in {"misreads", "coercions", "failed_acts", "stopped", "failed", "tasks"}:
        return f"{value:,.0f}" if value == int(value) else f"{value:.2f}"
    digits = 0 if value >= 1000 else 2 if value < 10 and name in {"seconds", "first_token", "slow"} else 1
    return f"{value:,.{digits}f}"
