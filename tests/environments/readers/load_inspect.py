"""Reads a log as Inspect AI does, in a process of its own: python load_inspect.py LOG.json prints what is found as JSON."""

import json
import sys
from pathlib import Path

from inspect_ai.analysis import evals_df, events_df, messages_df, samples_df
from inspect_ai.log import list_eval_logs, read_eval_log, read_eval_log_samples

path = sys.argv[1]
frames = {one.__name__: json.loads(one(path, quiet=True).to_json(orient="records")) for one in (evals_df, samples_df, messages_df, events_df)}
found = {
    "log": read_eval_log(path).model_dump(mode="json"), "header": read_eval_log(path, header_only=True).model_dump(mode="json"),
    "listed": [it.task for it in list_eval_logs(str(Path(path).parent))],
    "samples": len(list(read_eval_log_samples(path, all_samples_required=False))), **frames,
}  # fmt: skip
json.dump(found, sys.stdout, default=str)
