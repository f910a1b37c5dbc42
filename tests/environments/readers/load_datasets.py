"""Reads a file as `datasets` does, in a process of its own: python load_datasets.py FILE.jsonl prints the rows as JSON."""

import json
import sys

from datasets import disable_progress_bars, load_dataset

disable_progress_bars()
json.dump(list(load_dataset("json", data_files=sys.argv[1], split="train")), sys.stdout, default=str)
