"""Public recordings of the paper's form as episodes: what each model wrote, what it was shown, what is said to have come of it.

FEVER: github.com/ysymyth/ReAct (text-davinci-002). FireAct: github.com/anchen1011/FireAct (three models on HotpotQA).
"""

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

SHARED = Path(os.environ.get("TAO_SHARED", Path(__file__).parents[3] / "shared")) / "data"
FIREACT = {
    "gpt-3.5-turbo": "hotpotqa_dev_0_500_ft_gpt-3.5-turbo-0613_princeton-nlp__7woQRsdi_0.0_2023-09-21-16-19-51.json",
    "llama-2-13b": "hotpotqa_dev_0_500_llama_models_lora_llama-2-13b-d_1000_0.7_2023-09-18-13-40-08.json",
    "llama-2-7b": "hotpotqa_dev_0_500_llama_models_lora_llama-2-7b-d_1000_0.7_2023-09-19-00-49-36.json",
}
_ACTION = re.compile(r"^(?:Action|Action \d+):\s*(\w+)\[(.*?)\]?[ \t]*$", re.MULTILINE)


@dataclass(frozen=True)
class Episode:
    """One recorded run. `outputs[n]` was answered by `observations[n]`; `predicted` is None where none was recorded."""

    id: str
    question: str
    outputs: tuple[str, ...]
    observations: tuple[str, ...]
    predicted: str | None
    gold: str
    right: bool


def fever() -> list[Episode]:
    """The 250 episodes. A step's output is its part of the raw text, without what the environment added."""
    lines = _read("fever-react", "fever_react_even.jsonl").splitlines()
    return [_fever(json.loads(line)) for line in lines]


def _fever(record: dict) -> Episode:
    steps = record["steps"]
    outputs = [f"Thought {step['n']}: {step['thought']}\nAction {step['n']}: {step['action']}" for step in steps]
    for output in outputs:
        assert output in record["raw"], record["idx"]
    info = record["info"]
    observations = tuple(step["observation"] for step in steps)
    return Episode(str(record["idx"]), record["claim"], tuple(outputs), observations, info["answer"] or None, info["gt_answer"], info["em"] == 1)


def fireact(model: str) -> list[Episode]:
    """The episodes of one model: a conversation, or one text in which observations stand on lines of their own."""
    return [_fireact(id, record) for id, record in json.loads(_read("fireact", FIREACT[model])).items()]  # noqa: A001


def _fireact(id: str, record: dict) -> Episode:  # noqa: A002
    if isinstance(record["traj"], list):
        question, *turns = (turn["content"] for turn in record["traj"])
        outputs, shown = turns[::2], turns[1::2]
    else:
        question, body = record["traj"].split("### Instruction:\n", 1)[1].split("\n\n### Response:\n", 1)
        parts = re.split(r"(?:^|\n)Observation: (.*)(?:\n|$)", body)
        outputs, shown = [part for part in parts[::2] if part], parts[1::2]
    observations = tuple(text.removeprefix("Observation: ") for text in shown)
    return Episode(id, question, tuple(outputs), observations, record["pred"] or None, record["gt"], bool(record["em"]))


def action(output: str) -> tuple[str, str] | None:
    """The first action as it stands in the text, read by the plainest rule there is; None where that finds none."""
    found = _ACTION.search(output)
    return (found[1], found[2]) if found else None


def _read(*path: str) -> str:
    file = SHARED.joinpath(*path)
    if not file.exists():
        pytest.skip(f"no recorded runs at {file}; set TAO_SHARED to the folder that holds data/")
    return file.read_text(encoding="utf-8")
