"""Reads a file as `datasets` does, in a process of its own: python load_datasets.py FILE.jsonl, or FOLDER, prints the rows as JSON."""

import json
import sys
from pathlib import Path

from datasets import disable_progress_bars, load_dataset

disable_progress_bars()
where = sys.argv[1]
rows = load_dataset(where, split="train") if Path(where).is_dir() else load_dataset("json", data_files=where, split="train")
json.dump(list(rows), sys.stdout, default=str)
