"""The card of an exported data set: what is in it, where it comes from, what was left out. In English and Chinese."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tao import __version__
from tao.evaluation.records import Recorded
from tao.evaluation.reward import Rewards, reward
from tao.evaluation.stats import quantile
from tao.events import Asked

FORMS: Mapping[str, tuple[str, str]] = {
    "sft": ("chats with tools, as OpenAI's chat API takes them (supervised fine-tuning)", "带工具的对话，采用 OpenAI 聊天 API 格式（监督微调）"),
    "dpo": ("preference pairs: prompt, chosen, rejected (direct preference optimisation)", "偏好对：prompt、chosen、rejected（直接偏好优化）"),
    "atif": ("trajectories in the Agent Trajectory Interchange Format", "Agent Trajectory Interchange Format 轨迹"),
    "events": ("events of runs, one a line, as the journal has them", "运行事件，每行一个，与运行记录一致"),
}


@dataclass(frozen=True, slots=True)
class Made:
    """How an export was made: `read` runs were there, `filtered` and `double` were left out, `written` lines came of the rest."""

    form: str
    sources: tuple[str, ...]
    read: int
    filtered: int
    double: int
    written: int
    filters: tuple[str, ...] = ()
    redacted: Mapping[str, int] | None = None
    rewards: Rewards = field(default_factory=Rewards)
    day: str = ""


def facts(made: Made, runs: Sequence[Recorded]) -> dict[str, Any]:
    """The card's figures."""
    asked = [it.run.events[0] for it in runs if it.run.events]
    first = [event for event in asked if isinstance(event, Asked)]
    usage = [it.run.usage for it in runs]
    totals = [reward(it.run, right=it.right, score=it.score, rewards=made.rewards).total for it in runs]
    return {
        "models": dict(Counter(event.model or "-" for event in first).most_common()),
        "languages": dict(Counter(event.lang for event in first).most_common()),
        "dialects": dict(Counter(event.dialect for event in first).most_common()),
        "kinds": dict(Counter(it.kind or "-" for it in runs).most_common()),
        "ends": dict(Counter(it.run.ended.reason if it.run.ended else it.run.state for it in runs).most_common()),
        "tools": dict(Counter(call.tool for it in runs for call, _ in it.run.observed).most_common()),
        "graded": {name: sum(it.right is value for it in runs) for name, value in (("right", True), ("wrong", False), ("not", None))},
        "questions": len({it.run.asked.question for it in runs}),
        "steps": {"median": quantile((it.run.steps for it in runs), 0.5), "most": max((it.run.steps for it in runs), default=None)},
        "reward": {"lowest": min(totals, default=None), "median": quantile(totals, 0.5), "highest": max(totals, default=None)},
        "tokens": {"prompt": sum(it.prompt or 0 for it in usage), "completion": sum(it.completion or 0 for it in usage)},
    }


def card(made: Made, runs: Sequence[Recorded], file: str = "") -> str:
    """The card as Markdown, begun with the YAML that data set hubs read. Named README.md, it tells them that the data is in `file`."""
    told = facts(made, runs)
    languages = "".join(f"\n- {name}" for name in told["languages"])
    data = f"\nconfigs:\n- config_name: default\n  data_files: {json.dumps(file, ensure_ascii=False)}" if file else ""
    head = f"---\nlanguage:{languages}{data}\ntask_categories:\n- text-generation\ntags:\n- agent\n- tool-use\n- react\n---\n"
    return head + "\n".join([*_part(made, told, 0), "", *_part(made, told, 1), ""])


def _part(made: Made, told: Mapping[str, Any], lang: int) -> list[str]:
    """The card in one language: 0 English, 1 Chinese."""
    def say(english: str, chinese: str) -> str:
        return chinese if lang else english

    removed = made.redacted
    private = say("nothing was taken out", "未作处理") if removed is None else ", ".join(f"{kind} {count}" for kind, count in removed.items()) or say(
        "looked for; none found", "已检查，未发现",
    )  # fmt: skip
    rows = [
        (say("form", "格式"), FORMS[made.form][lang]),
        (say("lines", "行数"), str(made.written)),
        (say("made from", "来源"), ", ".join(made.sources)),
        (say("runs read", "读取的运行"), str(made.read)),
        (say("left out by filters", "被过滤"), f"{made.filtered} ({', '.join(made.filters) or say('no filter', '无过滤条件')})"),
        (say("left out as doubles", "去重"), str(made.double)),
        (say("different questions", "不同的问题"), str(told["questions"])),
        (say("graded", "评分"), say("right {right}, wrong {wrong}, not graded {not}", "正确 {right}，错误 {wrong}，未评分 {not}").format(**told["graded"])),
        (say("models", "模型"), _counts(told["models"])),
        (say("languages", "语言"), _counts(told["languages"])),
        (say("dialects", "对话格式"), _counts(told["dialects"])),
        (say("kinds of tasks", "任务类别"), _counts(told["kinds"])),
        (say("how runs ended", "结束方式"), _counts(told["ends"])),
        (say("calls by tool", "各工具调用次数"), _counts(told["tools"]) or "-"),
        (say("model replies a run", "每次运行的模型回复"), say("median {median}, at most {most}", "中位数 {median}，最多 {most}").format(**told["steps"])),
        (say("reward a run", "每次运行的奖励"), say(
            "{lowest} to {highest}, median {median}", "{lowest} 至 {highest}，中位数 {median}",
        ).format(**_rounded(told["reward"]))),
        (say("tokens", "词元"), say("{prompt:,} prompt, {completion:,} completion", "提示 {prompt:,}，生成 {completion:,}").format(**told["tokens"])),
        (say("private things taken out", "隐私信息处理"), private),
        (say("made by", "生成工具"), f"tao {__version__}" + (f", {made.day}" if made.day else "")),
    ]
    lines = [f"# {say('Data card', '数据卡')}", "", f"| {say('what', '项目')} | {say('value', '内容')} |", "|---|---|"]
    lines += [f"| {name} | {value.replace('|', '/')} |" for name, value in rows]
    note = say(
        "Redaction finds what has a known form (keys, mail addresses, phone, identity and card numbers); names and addresses stay. Texts "
        "of tools and models keep the licences of their sources.",
        "隐私处理只识别形式明确的内容（密钥、邮箱、电话、证件号、卡号），姓名与地址仍会保留。工具与模型产生的文本遵循其来源的许可。",
    )
    return [*lines, "", note]


def _counts(counts: Mapping[str, int]) -> str:
    shown = list(counts.items())[:12]
    return ", ".join(f"{name} ({count})" for name, count in shown) + (" …" if len(counts) > len(shown) else "")


def _rounded(values: Mapping[str, float | None]) -> dict[str, str]:
    return {name: "-" if value is None else f"{value:g}" for name, value in values.items()}
